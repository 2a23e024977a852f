"""The question asked at a node. `route` is the only Python code that sends a cell to a child.

A split holds what people see (names of levels, a threshold); the flat arrays the core works on
are in tree.py. `route` takes the cell of a row as a number (number columns) or the name of a level
(ordered and category columns), None when missing, and gives the child's place: 0, 1, …
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bough.data.schema import Column

__all__ = [
    "STAYS",
    "TO_ALL",
    "UNKNOWN",
    "Branches",
    "Split",
    "Subset",
    "Surrogate",
    "Threshold",
]

TO_ALL = -1
"""missing_to: such a row goes to all children, with shares of its weight."""

STAYS = -2
"""missing_to: such a row stays at the node."""

UNKNOWN = -3
"""A split cannot tell by this cell."""


@dataclass(frozen=True)
class Threshold:
    """value ≤ threshold (or value < threshold) goes to child 0, else to child 1.

    A threshold of +inf asks only whether the cell is known: no value is larger.
    """

    column: Column
    threshold: float
    strict: bool
    missing_to: int
    missing_rows: int = 0
    """Training rows whose cell was missing here; the question names missing cells if any."""
    surrogates: tuple[Surrogate, ...] = ()

    def known(self, cell: Any) -> int:
        """The child of a cell; UNKNOWN when it is missing."""
        column = self.column
        if column.kind == "ordered":
            code = column.code(cell)
            value = math.nan if code < 0 else float(code)
        else:
            value = column.number(cell)
        if value != value:
            return UNKNOWN
        goes_left = value < self.threshold if self.strict else value <= self.threshold
        return 0 if goes_left else 1

    def route(self, cell: Any) -> int:
        child = self.known(cell)
        return self.missing_to if child == UNKNOWN else child

    def ask(self, child: int) -> str:
        """The condition under which a row goes to this child, in plain words."""
        name, at = self.column.name, self.threshold
        if at == math.inf:
            return f"{name} is known" if child == 0 else f"{name} is missing"
        if child > 1:
            return f"{name} is missing"
        if self.column.kind == "ordered":
            shown = self.column.levels[int(at)]
        else:
            shown = self.column.show(at)
        signs = ("<", "≥") if self.strict else ("≤", ">")
        return _or_missing(f"{name} {signs[child]} {shown}", self, child)


@dataclass(frozen=True)
class _ByLevel:
    """A category column (in Branches an ordered one, too): every level seen at the node has its
    child."""

    column: Column
    child_of: dict[str, int]
    unseen_to: int
    """Child of a level the schema knows and the node has not seen; −1 = like a missing cell."""
    missing_to: int
    missing_rows: int = 0
    """Training rows whose cell was missing here; the question names missing cells if any."""
    surrogates: tuple[Surrogate, ...] = ()

    def known(self, cell: Any) -> int:
        """The child of a cell; UNKNOWN when it is missing, or a level the schema does not know."""
        code = self.column.code(cell)
        if code < 0:
            return UNKNOWN
        child = self.child_of.get(self.column.levels[code], self.unseen_to)
        return child if child >= 0 else self.missing_to

    def route(self, cell: Any) -> int:
        child = self.known(cell)
        return self.missing_to if child == UNKNOWN else child

    def levels_of(self, child: int) -> list[str]:
        """The levels that go to this child, in the order of the schema."""
        order = self.column.codes
        seen = [level for level, to in self.child_of.items() if to == child]
        if child == self.unseen_to:
            seen += [level for level in self.column.levels if level not in self.child_of]
        return sorted(seen, key=order.__getitem__)

    def is_stretch(self, child: int) -> bool:
        """Are the levels of this child several neighbours of an ordered column?"""
        codes = [self.column.codes[level] for level in self.levels_of(child)]
        gapless = len(codes) > 1 and codes[-1] - codes[0] + 1 == len(codes)
        return self.column.kind == "ordered" and gapless

    def ask(self, child: int) -> str:
        levels = self.levels_of(child)
        name = self.column.name
        if not levels:
            return f"{name} is missing"
        if self.is_stretch(child):
            return _or_missing(self._between(levels[0], levels[-1]), self, child)
        text = f"{name} = {levels[0]}" if len(levels) == 1 else f"{name} in {{{', '.join(levels)}}}"
        return _or_missing(text, self, child)

    def _between(self, first: str, last: str) -> str:
        """The words of rules (rules/words.py) for neighbouring levels."""
        name, levels = self.column.name, self.column.levels
        if first == levels[0]:
            return f"{name} is known" if last == levels[-1] else f"{name} ≤ {last}"
        return f"{name} ≥ {first}" if last == levels[-1] else f"{first} ≤ {name} ≤ {last}"


@dataclass(frozen=True)
class Subset(_ByLevel):
    """Two sides: some levels go to child 0, the others to child 1."""


@dataclass(frozen=True)
class Branches(_ByLevel):
    """A child per level, or per group of levels; levels no row takes may share one empty child
    (`unseen_to`)."""


def _or_missing(question: str, split: Threshold | _ByLevel, child: int) -> str:
    named = split.missing_rows > 0 and split.missing_to == child
    return f"{question} or missing" if named else question


@dataclass(frozen=True)
class Surrogate:
    """Stands in for a split whose cell is missing, by asking another column."""

    question: Threshold | Subset
    flipped: bool
    agreement: float

    def known(self, cell: Any) -> int:
        """The child of the split that is stood in for; UNKNOWN when it cannot tell, either."""
        child = self.question.known(cell)
        if child < 0:
            return UNKNOWN
        return 1 - child if self.flipped else child


Split = Threshold | Subset | Branches
