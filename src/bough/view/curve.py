"""The picture of error against number of leaves: one SVG, without scripts, for light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

__all__ = ["curve_svg"]

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 64, 56
MOST_DOTS = 80
"""More points than this are drawn as a line alone."""
WIDE = 40
"""From so many leaves on, leaves are drawn by their logarithm: most happens where they are few."""

STYLE = """
  :root { color-scheme: light dark; --back: #ffffff; --ink: #1f2328; --faint: #d8dee4;
          --dim: #59636e; --training: #0969da; --other: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #0d1117; --ink: #e6edf3; --faint: #30363d; --dim: #9198a1;
            --training: #58a6ff; --other: #f0883e; } }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .small { font-size: 12px; fill: var(--dim); }
  .title { font-size: 16px; font-weight: 600; }
  .grid { stroke: var(--faint); stroke-width: 1; }
  .axis { stroke: var(--dim); stroke-width: 1; }
  .training { stroke: var(--training); } .other { stroke: var(--other); stroke-dasharray: 6 3; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
  .dot-training { fill: var(--training); } .dot-other { fill: var(--other); }
  .chosen { stroke: var(--ink); stroke-dasharray: 2 3; }
"""

Curve = Sequence[tuple[int, float, float | None]]


def curve_svg(
    points: Curve,
    *,
    title: str = "Error against number of leaves",
    measure: str = "error",
    other: str = "held-out rows",
    shares: bool = True,
    chosen: int | None = None,
) -> str:
    """`points`: leaves, training error, other error or None, as `bough.prune.curve` gives them.

    measure   what is drawn upwards, in words; `shares`: print it in percent
    other     what the second line was measured on
    chosen    number of leaves to mark
    """
    if not points:
        raise ValueError("a curve needs at least one point")
    drawn = sorted(points)
    frame = _Frame(drawn, shares)
    parts = [
        _head(title, measure, drawn, other, frame),
        *_grid(frame),
        *([] if chosen is None else _mark(frame, chosen)),
        *_line(frame, [(leaves, training) for leaves, training, _ in drawn], "training"),
    ]
    second = [(leaves, error) for leaves, _, error in drawn if error is not None]
    if second:
        parts += _line(frame, second, "other")
    parts += _legend(other if second else None)
    parts.append(_text(LEFT, TOP - 12, measure, "small"))
    words = "leaves (logarithmic)" if frame.wide else "leaves"
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 14, words, "small", "end"))
    return "\n".join([*parts, "</svg>", ""])


class _Frame:
    """From leaves and errors to places in the picture."""

    def __init__(self, points: Curve, shares: bool) -> None:
        self.shares = shares
        self.least, self.most = points[0][0], points[-1][0]
        self.wide = self.most >= WIDE
        known = [error for _, a, b in points for error in (a, b) if error is not None]
        self.steps = _steps(max(known))

    def x(self, leaves: float) -> float:
        low, high, at = float(self.least), float(self.most), float(leaves)
        if self.wide:
            low, high, at = math.log(low), math.log(high), math.log(at)
        share = (at - low) / (high - low) if high > low else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, error: float) -> float:
        return HEIGHT - BOTTOM - error / self.steps[-1] * (HEIGHT - TOP - BOTTOM)

    def show(self, error: float) -> str:
        return f"{100 * error:.4g} %" if self.shares else f"{error:.6g}"

    def leaves_ticks(self) -> list[int]:
        if self.wide:
            ladder = [m * 10**k for k in range(10) for m in (1, 2, 5)]
            ticks = [n for n in ladder if self.least <= n <= self.most]
            return ticks if len(ticks) < 14 else ticks[::3]
        step = max(1, math.ceil((self.most - self.least) / 10))
        return list(range(self.least, self.most + 1, step))


def _steps(largest: float) -> list[float]:
    """Round numbers from 0 to at least the largest."""
    if not largest > 0 or not math.isfinite(largest):
        return [0.0, 1.0]
    unit = 10.0 ** math.floor(math.log10(largest))
    size = next(unit * m for m in (0.2, 0.25, 0.5, 1.0, 2.0) if largest <= 5 * unit * m * 1.000001)
    count = math.ceil(largest / size - 1e-9)
    return [size * i for i in range(count + 1)]


def _head(title: str, measure: str, points: Curve, other: str, frame: _Frame) -> str:
    def told(point: tuple[int, float, float | None]) -> str:
        leaves, training, second = point
        more = "" if second is None else f", {frame.show(second)} on {other}"
        return f"{_leaves(leaves)}: {frame.show(training)} in training{more}"

    words = f"{measure}; {told(points[-1])}; {told(points[0])}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-labelledby="title words">\n'
        f'<title id="title">{escape(title)}</title>\n<desc id="words">{escape(words)}</desc>\n'
        f"<style>{STYLE}</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" style="fill: var(--back)"/>\n'
        + _text(LEFT, 24, title, "title")
    )


def _grid(frame: _Frame) -> list[str]:
    parts = []
    for error in frame.steps:
        y = frame.y(error)
        parts.append(_rule(LEFT, y, WIDTH - RIGHT, y, "grid" if error else "axis"))
        parts.append(_text(LEFT - 8, y + 4, frame.show(error), "small", "end"))
    for leaves in frame.leaves_ticks():
        x = frame.x(leaves)
        parts.append(_rule(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "axis"))
        parts.append(_text(x, HEIGHT - BOTTOM + 20, f"{leaves:,}", "small", "middle"))
    return parts


def _mark(frame: _Frame, leaves: int) -> list[str]:
    if not frame.least <= leaves <= frame.most:
        return []
    x = frame.x(leaves)
    side, gap = ("end", -6) if x > WIDTH / 2 else ("start", 6)
    words = f"this tree: {_leaves(leaves)}"
    return [
        _rule(x, TOP, x, HEIGHT - BOTTOM, "chosen"),
        _text(x + gap, TOP + 12, words, "small", side),
    ]


def _line(frame: _Frame, points: Sequence[tuple[int, float]], name: str) -> list[str]:
    places = [(frame.x(leaves), frame.y(error)) for leaves, error in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline class="line {name}" points="{path}"/>']
    if len(points) <= MOST_DOTS:
        for (leaves, error), (x, y) in zip(points, places, strict=True):
            words = escape(f"{_leaves(leaves)}: {frame.show(error)}")
            parts.append(
                f'<circle class="dot-{name}" cx="{x:.1f}" cy="{y:.1f}" r="3">'
                f"<title>{words}</title></circle>"
            )
    return parts


def _legend(other: str | None) -> list[str]:
    parts, at = [], LEFT + 210
    for name, words in (("training", "training rows"), ("other", other)):
        if words is not None:
            parts.append(f'<line class="line {name}" x1="{at}" y1="46" x2="{at + 28}" y2="46"/>')
            parts.append(_text(at + 36, 50, words))
            at += 190
    return parts


def _leaves(count: int) -> str:
    return f"{count:,} leaf" if count == 1 else f"{count:,} leaves"


def _text(x: float, y: float, words: str, name: str = "", anchor: str = "start") -> str:
    kind = f' class="{name}"' if name else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    return f'<line class="{name}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
