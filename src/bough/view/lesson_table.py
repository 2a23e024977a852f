"""The table of a lesson's step in a terminal: column and value, distribution, gain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bough.lesson.facts import Lesson, Side, Step
from bough.view import lesson_words as words
from bough.view.cells import (
    BOLD,
    DIM,
    OTHER,
    PALETTE,
    Paint,
    clean,
    cut,
    pad,
    share_bar,
    stacked_bar,
    track,
)
from bough.view.cells import width as cells_of
from bough.view.lesson_math import fixed, number

__all__ = ["LABEL", "NAME", "StepTable", "class_style"]

NAME, LABEL = 24, 28
"""Cells a column's name and a level may take, where there is room."""
MOST_CLASSES = 4
"""More classes than this share one column of text."""
BETWEEN = " │ "
_SGR = re.compile("\x1b\\[[0-9;]*m")
_MARKS = {"chosen": " ◄ chosen", "best": " *", "tied": " tied", "below": " below"}


def class_style(code: int) -> str:
    return PALETTE[code] if code < len(PALETTE) else OTHER


def _mark(row: words.Row) -> str:
    return " best" if (row.kind, row.mark) == ("column", "best") else _MARKS.get(row.mark, "")


def _seen(text: str) -> int:
    """Cells of a text, its colours aside."""
    return cells_of(_SGR.sub("", text))


@dataclass(frozen=True)
class _Plan:
    """What the parts of a line may take; the first plan that fits is used."""

    bar: int
    """Of a row with one side; 6 of 10 of it for two."""
    label: int
    sides: bool = True
    """All sides of a split, or the first only."""


_PLANS = (
    _Plan(10, LABEL), _Plan(10, 20), _Plan(5, 16), _Plan(0, 14), _Plan(0, 14, False),
    _Plan(0, 8, False),
)  # fmt: skip


@dataclass(frozen=True)
class StepTable:
    """The table of one step."""

    lesson: Lesson
    step: Step
    paint: Paint
    plain: bool
    cells: int

    def lines(self) -> Iterator[str]:
        rows = [row for facts in self.step.columns for row in words.rows_of(self.step, facts)]
        gains = self.gains(rows)
        taken = _seen(gains[0]) + max(len(_mark(row)) for row in rows if row.kind != "note")
        for plan in _PLANS:
            leads = [self.lead(row, plan) for row in rows]
            lead = max(
                cells_of(text) for text, row in zip(leads, rows, strict=True) if row.kind != "note"
            )
            lead = max(lead, len("column"))
            told = self.distributions(rows, plan)
            size = max(map(_seen, told))
            if lead + size + taken + 4 <= self.cells:
                break
        marks = [_mark(row) for row in rows]
        if lead + size + taken + 4 > self.cells:  # no bars are left, so nothing painted is cut
            marks = [" ◄" if row.mark == "chosen" else "" for row in rows]
            size = max(0, self.cells - lead - _seen(gains[0]) - 2 - 4)
            told = [cut(text, size) for text in told]
        yield self.paint(f"{pad('column', lead)}  {_padded(told[0], size)}  {gains[0]}", DIM)
        lines = zip(rows, leads, told[1:], gains[1:], marks, strict=True)
        for row, left, middle, right, sign in lines:
            if row.kind == "note":
                yield from self.note(row.label)
                continue
            line = self.paint(pad(left, lead), BOLD if row.kind == "column" else "")
            mark = self.paint(sign, BOLD if row.mark == "chosen" else DIM)
            yield f"{line}  {_padded(middle, size)}  {right}{mark}"

    def note(self, sentence: str) -> Iterator[str]:
        line = "  "
        for word in clean(sentence).split(" "):
            if len(line) > 2 and _seen(line) + 1 + cells_of(word) > self.cells:
                yield self.paint(line, DIM)
                line = "  "
            line += word if len(line) == 2 else f" {word}"
        yield self.paint(line, DIM)

    def lead(self, row: words.Row, plan: _Plan) -> str:
        if row.kind == "column":
            return cut(clean(row.label), min(NAME, plan.label + 2))
        return "  " + cut(clean(row.label), plan.label)

    def gains(self, rows: Sequence[words.Row]) -> list[str]:
        """The heading and the numbers of every row, all of one width."""
        names = words.measures(self.lesson.criterion)
        largest = max((abs(gain) for row in rows for gain in row.gains), default=0.0)
        shown = [[fixed(gain, largest) for gain in row.gains] for row in rows]
        wide = [
            max(len(name), *(len(row[i]) for row in shown if row), 0)
            for i, name in enumerate(names)
        ]
        blank = " " * (sum(wide) + 2 * (len(wide) - 1))
        lines = [names, *shown]
        return [
            "  ".join(pad(t, cells, True) for t, cells in zip(line, wide, strict=True))
            if line
            else blank
            for line in lines
        ]

    # ---- the distribution ------------------------------------------------------------------------

    def distributions(self, rows: Sequence[words.Row], plan: _Plan) -> list[str]:
        """The heading, then one text per row: what each side holds, and a bar."""
        shown = [row.sides if plan.sides else row.sides[:1] for row in rows]
        sides = [side for row in shown for side in row]
        if not sides:
            return ["", *("" for _ in rows)]
        several = any(len(row) > 1 for row in shown)
        bar = 0 if self.plain else (6 * plan.bar // 10 if several else plan.bar)
        if self.lesson.task == "regression":
            heading, written = self.of_numbers(sides, bar)
        elif len(self.lesson.classes) <= MOST_CLASSES:
            heading, written = self.of_classes(sides, bar)
        else:
            heading, written = "largest classes", [self.largest(side) for side in sides]
        size = max(map(_seen, [heading, *written]))
        padded = iter([_padded(text, size) for text in written])
        return [heading, *(BETWEEN.join(next(padded) for _ in row) for row in shown)]

    def of_classes(self, sides: Sequence[Side], bar: int) -> tuple[str, list[str]]:
        names = [cut(clean(name), 10) for name in self.lesson.classes]
        texts = _lined([names, *([number(weight) for weight in side.stats] for side in sides)])
        bars = [f" {self.bar(side, bar)}" if bar else "" for side in sides]
        return texts[0], [text + drawn for text, drawn in zip(texts[1:], bars, strict=True)]

    def bar(self, side: Side, cells: int) -> str:
        if not side.weight:
            return " " * cells
        shares = [weight / side.weight for weight in side.stats]
        two = len(shares) == 2
        if self.paint.color:
            parts = [(share, class_style(i)) for i, share in enumerate(shares)]
            return stacked_bar(parts[::-1] if two else parts, cells, self.paint)
        code = 1 if two else shares.index(max(shares))
        return share_bar(shares[code], "", cells, self.paint)

    def of_numbers(self, sides: Sequence[Side], bar: int) -> tuple[str, list[str]]:
        titles = ["weight" if self.lesson.weighted else "rows", "mean", "MSE"]
        numbers = [[number(s.weight), number(s.stats[1]), number(s.impurity)] for s in sides]
        texts = _lined([titles, *numbers])
        spread = [side.impurity**0.5 for side in sides]
        low = min(s.stats[1] - d for s, d in zip(sides, spread, strict=True))
        high = max(s.stats[1] + d for s, d in zip(sides, spread, strict=True))
        bars = [
            f" {track(side.stats[1], gap, low, high, bar)}" if bar else ""
            for side, gap in zip(sides, spread, strict=True)
        ]
        return texts[0], [text + drawn for text, drawn in zip(texts[1:], bars, strict=True)]

    def largest(self, side: Side) -> str:
        order = sorted(range(len(side.stats)), key=lambda code: -side.stats[code])
        held = [code for code in order if side.stats[code] > 0]
        told = [f"{number(side.stats[c])} × {cut(clean(self.lesson.classes[c]), 8)}" for c in held]
        return ", ".join(told[:2]) + (f" +{len(told) - 2}" if len(told) > 2 else "")


def _padded(text: str, size: int) -> str:
    return text + " " * (size - _seen(text))


def _lined(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts, set to the right, as lines."""
    wide = [max(map(cells_of, column)) for column in zip(*rows, strict=True)]
    return [
        " ".join(pad(text, cells, True) for text, cells in zip(row, wide, strict=True))
        for row in rows
    ]
