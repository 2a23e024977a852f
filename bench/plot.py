"""Lines over logarithmic axes: one SVG, without scripts, for light and dark.

The frame and the words look like the curves of bough.view.curve, whose parts are used here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from bough.view.curve import BOTTOM, HEIGHT, LEFT, STYLE, TOP, WIDTH, _rule, _text

RIGHT = 104
"""Room for the names at the ends of the lines."""
DASHES = ("solid", "6 3", "2 3", "9 3 2 3")
LIGHT = ("#0969da", "#bc4c00", "#1a7f37", "#8250df")
DARK = ("#58a6ff", "#f0883e", "#3fb950", "#bc8cff")

Lines = Mapping[str, Sequence[tuple[float, float]]]
"""By name: what is drawn to the right, and seconds."""


def lines_svg(lines: Lines, title: str, axis: str) -> str:
    known = [(x, y) for points in lines.values() for x, y in points]
    if not known:
        raise ValueError("a plot needs at least one point")
    across = _Scale([x for x, _ in known], LEFT, WIDTH - RIGHT)
    up = _Scale([y for _, y in known], HEIGHT - BOTTOM, TOP)
    parts = [_head(lines, title, axis), *_grid(across, up)]
    for i, (name, points) in enumerate(lines.items()):
        parts += _line(i, name, points, across, up)
    parts += _names(lines, across, up)
    parts.append(_text(LEFT, TOP - 12, "seconds, array to tree (logarithmic)", "small"))
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 14, f"{axis} (logarithmic)", "small", "end"))
    return "\n".join([*parts, "</svg>", ""])


class _Scale:
    """From numbers to places, by the logarithm; whole powers of ten at the ends when upright."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = math.log10(min(values)), math.log10(max(values))
        if start > end:  # upwards: the axis begins and ends at a line of the grid
            low, high = math.floor(low), math.ceil(high)
        self.low, self.high = low, high if high > low else low + 1
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Powers of ten; with 2 and 5 between where there are few."""
        between = (1, 2, 5) if self.high - self.low < 2 else (1,)
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        found = [m * 10.0**k for k in powers for m in between]
        return [v for v in found if self.low - 1e-9 <= math.log10(v) <= self.high + 1e-9]


def _head(lines: Lines, title: str, axis: str) -> str:
    told = "; ".join(
        f"{name}: {_number(points[-1][1])} s at {_number(points[-1][0])} {axis}"
        for name, points in lines.items()
    )
    colours = "".join(f" --line-{i}: {c};" for i, c in enumerate(LIGHT))
    dark = "".join(f" --line-{i}: {c};" for i, c in enumerate(DARK))
    rules = "".join(
        f"\n  .line-{i} {{ stroke: var(--line-{i});"
        + (f" stroke-dasharray: {dash};" if dash != "solid" else " stroke-width: 3;")
        + f" }}\n  .dot-{i}, text.name-{i} {{ fill: var(--line-{i}); }}"
        for i, dash in enumerate(DASHES)
    )
    style = (
        f"{STYLE}  :root {{{colours} }}\n"
        f"  @media (prefers-color-scheme: dark) {{ :root {{{dark} }} }}{rules}\n"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-labelledby="title words">\n'
        f'<title id="title">{escape(title)}</title>\n<desc id="words">{escape(told)}</desc>\n'
        f"<style>{style}</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" style="fill: var(--back)"/>\n'
        + _text(LEFT, 24, title, "title")
    )


def _grid(across: _Scale, up: _Scale) -> list[str]:
    parts = [_rule(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")]
    for value in up.ticks():
        y = up.at(value)
        parts.append(_rule(LEFT, y, WIDTH - RIGHT, y, "grid"))
        parts.append(_text(LEFT - 8, y + 4, _number(value), "small", "end"))
    for value in across.ticks():
        x = across.at(value)
        parts.append(_rule(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "axis"))
        parts.append(_text(x, HEIGHT - BOTTOM + 20, _number(value), "small", "middle"))
    return parts


def _line(
    i: int, name: str, points: Sequence[tuple[float, float]], across: _Scale, up: _Scale
) -> list[str]:
    places = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in points)
    parts = [f'<polyline class="line line-{i}" points="{places}"/>']
    for x, y in points:
        words = escape(f"{name}: {_number(y)} s at {_number(x)}")
        parts.append(
            f'<circle class="dot-{i}" cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" r="3">'
            f"<title>{words}</title></circle>"
        )
    return parts


def _names(lines: Lines, across: _Scale, up: _Scale) -> list[str]:
    """At the end of each line, pushed apart where they would touch."""
    lasts = [(name, points[-1]) for name, points in lines.items()]
    ends = [(up.at(seconds) + 4, i, name, x) for i, (name, (x, seconds)) in enumerate(lasts)]
    put: list[tuple[float, float]] = []
    parts = []
    for y, i, name, x in sorted(ends):
        left = across.at(x) + 8
        y = max([y, *(other + 16 for at, other in put if abs(at - left) < RIGHT)])
        put.append((left, y))
        parts.append(_text(left, y, name, f"name-{i}"))
    return parts


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"
