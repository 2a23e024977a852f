"""Text in terminal cells: made harmless, measured, cut, painted; and the small bars.

Names come from files, so nothing of them reaches the terminal before `clean` has seen it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = [
    "BOLD",
    "DIM",
    "OTHER",
    "PALETTE",
    "Paint",
    "clean",
    "cut",
    "head",
    "measure",
    "pad",
    "share_bar",
    "stacked_bar",
    "to_ascii",
    "track",
    "width",
]

BOLD, DIM = "1", "2"
PALETTE = tuple(f"38;5;{n}" for n in (33, 208, 35, 170, 37, 167, 136, 99))
"""One style per class: hues that stay apart on dark and light grounds; the first two also for
people who do not see red and green apart."""
OTHER = "38;5;245"
"""Every class beyond the palette."""

_LONGEST = 2_000  # no name is read further: a cell is a few bytes, a hostile name is not
_MARKS = 4  # accents kept on one letter; more only serves to spill over the lines around
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_NARROW = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0x300), *range(0x2500, 0x25FD))))
_NARROW |= frozenset("…≤≥")
_SIGNS = (("≤", "<="), ("≥", ">="), ("±", "+-"), ("…", "..."), ("→", "->"), ("α", "alpha"))
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Paint:
    """(text, style) → text in that style; the same text when colour is off or the style is ""."""

    color: bool

    def __call__(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.color and style and text else text


def clean(text: str) -> str:
    """A name as it may be shown: one line, nothing a terminal acts on, visible if blank.

    What cannot be shown is spelled as Python spells it: `\\n`, `\\x1b`.
    """
    if not text or text != text.strip():
        text = f'"{text}"'
    if text.isascii() and text.isprintable() and len(text) <= _LONGEST:
        return text
    if len(text) > _LONGEST:
        text = text[: _LONGEST // 2] + "…" + text[-_LONGEST // 2 :]
    return "".join(_harmless(text))


def to_ascii(text: str) -> str:
    """The signs we use in ASCII, everything else spelled as Python spells it."""
    if text.isascii():
        return text
    for sign, ascii_sign in _SIGNS:
        text = text.replace(sign, ascii_sign)
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _harmless(text: str) -> list[str]:
    kept: list[str] = []
    marks = 0
    for at, char in enumerate(text):
        if char in _JOINERS and _joins_letters(text, at):
            kept.append(char)
        elif char in "\u200d\ufe0f":
            continue  # emoji glue: terminals disagree on its width, so the parts are shown apart
        elif not (char.isprintable() or unicodedata.category(char) == "Zs"):
            kept.append(char.encode("unicode_escape").decode("ascii"))
            marks = 0
        elif _cell(char) == 0:
            if not kept:
                kept.append("◌")  # a mark needs a letter, or it lands on what stands before
            marks += 1
            if marks <= _MARKS:
                kept.append(char)
        else:
            kept.append(char)
            marks = 0
    return kept


def _joins_letters(text: str, at: int) -> bool:
    """Persian and Indian scripts need their joiners."""
    around = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(around) == 2 and all(unicodedata.category(char)[0] in "LM" for char in around)


@lru_cache(4096)
def _cell(char: str) -> int:
    if char in _NARROW:
        return 1
    # Imported late: 10 ms that trees with ASCII names need not pay.
    from rich.cells import cell_len

    return cell_len(char)


def width(text: str) -> int:
    """How many cells a clean text takes."""
    if text.isascii() or _NARROW.issuperset(text):
        return len(text)
    return sum(_cell(char) for char in text)


def measure(text: str, plain: bool) -> int:
    """Cells of a clean text as it will be printed; plain text is printed in ASCII."""
    return len(to_ascii(text)) if plain else width(text)


def cut(text: str, cells: int) -> str:
    """At most so many cells: the middle goes, since names differ at both ends."""
    if width(text) <= cells:
        return text
    if cells < 4:
        return head(text, cells - 1) + "…" if cells > 0 else ""
    tail = (cells - 1) // 3
    return head(text, cells - 1 - tail) + "…" + _tail(text, tail)


def head(text: str, cells: int) -> str:
    """As much of the beginning as fits."""
    taken = 0
    for at, char in enumerate(text):
        taken += width(char)
        if taken > cells:
            return text[:at]
    return text


def _tail(text: str, cells: int) -> str:
    taken, start = 0, len(text)
    for at in range(len(text) - 1, -1, -1):
        size = width(text[at])
        taken += size
        if taken > cells:
            break
        if size:  # a mark never starts the tail
            start = at
    return text[start:]


def pad(text: str, cells: int, right: bool = False) -> str:
    space = " " * (cells - width(text))
    return space + text if right else text + space


def share_bar(share: float, style: str, cells: int, paint: Paint) -> str:
    """One share, solid on a light ground, to an eighth of a cell."""
    full, part = divmod(_ends([share, 1 - share], 8 * cells)[0], 8)
    solid = "█" * full + (_EIGHTHS[part] if part else "")
    return paint(solid, style) + paint("░" * (cells - len(solid)), DIM)


def stacked_bar(parts: Sequence[tuple[float, str]], cells: int, paint: Paint) -> str:
    """Shares (summing to 1) side by side, each (share, style), to an eighth of a cell."""
    ends = _ends([share for share, _ in parts], 8 * cells)
    styles = [style for _, style in parts]
    drawn = [_piece(ends, styles, at) for at in range(0, 8 * cells, 8)]
    text, start = "", 0
    for at in range(1, cells + 1):  # neighbours in one style are painted as one
        if at == cells or drawn[at][1] != drawn[start][1]:
            text += paint("".join(glyph for glyph, _ in drawn[start:at]), drawn[start][1])
            start = at
    return text


def _ends(shares: Sequence[float], steps: int) -> list[int]:
    """Where each part ends; a part that is there at all is never drawn as nothing."""
    sizes = [max(1, round(share * steps)) if share > 0 else 0 for share in shares]
    while sum(sizes) != steps:
        sizes[sizes.index(max(sizes))] += 1 if sum(sizes) < steps else -1
    ends, end = [], 0
    for size in sizes:
        end += size
        ends.append(end)
    return ends


def _piece(ends: Sequence[int], styles: Sequence[str], at: int) -> tuple[str, str]:
    """The cell from `at` eighths on: one part, or the first and the last part in it."""
    first = next(i for i, end in enumerate(ends) if end > at)
    last = next(i for i, end in enumerate(ends) if end >= at + 8)
    if styles[first] == styles[last]:
        return "█", styles[first]
    ground = styles[last].replace("38;", "48;", 1)
    return _EIGHTHS[ends[first] - at], f"{styles[first]};{ground}"


def track(mean: float, spread: float, low: float, high: float, cells: int) -> str:
    """Where a mean stands between low and high, with its spread to both sides."""

    def place(value: float) -> int:
        if not high > low or not math.isfinite(high - low):
            return cells // 2
        share = (value - low) / (high - low)
        return min(cells - 1, max(0, int(share * cells)))

    start, stop = place(mean - spread), place(mean + spread)
    marks = ["─" if start <= at <= stop else "·" for at in range(cells)]
    marks[place(mean)] = "●"
    return "".join(marks)
