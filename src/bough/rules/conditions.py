"""What a rule asks of one column. `holds` and `mask` are the only rule code that looks at a cell.

A condition is the set of cells it accepts, so two of them on one column join into one, and what
follows from another is found by comparing sets. Like everywhere, a level the schema does not know
counts as a missing cell.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bough.data.schema import Column
from bough.data.table import Array
from bough.errors import OptionError, nearest

__all__ = ["Condition", "Interval", "Levels", "condition", "join"]

FEW = 8
"""So many levels are compared one by one; more are looked up in a table of all levels."""


@dataclass(frozen=True)
class Interval:
    """A number column: the cells between two bounds, the missing ones, or both.

    A bound that is infinite is no bound. Without a known cell, `low` is above `high`.
    """

    column: Column = field(hash=False)  # hashing 100,000 levels again and again takes its time
    low: float = -math.inf
    low_in: bool = True
    high: float = math.inf
    high_in: bool = True
    missing: bool = False
    missing_named: bool = False
    """The words name missing cells only where training met some, as a tree's questions do."""

    @property
    def any_known(self) -> bool:
        """Some known cell is accepted."""
        return self.low < self.high or (self.low == self.high and self.low_in and self.high_in)

    @property
    def all_known(self) -> bool:
        """Every known cell is accepted."""
        return self.low == -math.inf and self.high == math.inf

    def holds(self, cell: Any) -> bool:
        """Whether a cell, as a person writes it, is accepted; None is missing."""
        value = self.column.number(cell)
        if value != value:
            return self.missing
        above = value >= self.low if self.low_in else value > self.low
        return above and (value <= self.high if self.high_in else value < self.high)

    def mask(self, cells: Array) -> Array:
        """`holds` for the cells of a Table."""
        values = cells.astype(np.float64, copy=False)  # or a bound would be rounded to float32
        above = values >= self.low if self.low_in else values > self.low
        inside: Array = above & (values <= self.high if self.high_in else values < self.high)
        return inside | np.isnan(values) if self.missing else inside

    def within(self, other: Condition) -> bool:
        """Every cell accepted here is accepted there."""
        assert isinstance(other, Interval)
        if self.missing and not other.missing:
            return False
        if not self.any_known:
            return True
        above = self.low > other.low or (
            self.low == other.low and (other.low_in or not self.low_in)
        )
        return above and (
            self.high < other.high
            or (self.high == other.high and (other.high_in or not self.high_in))
        )

    def joined(self, other: Condition) -> Interval:
        """The cells accepted by both."""
        assert isinstance(other, Interval)
        # The larger lower bound; of equal ones the one that leaves its value out.
        low, low_out = max((self.low, not self.low_in), (other.low, not other.low_in))
        high, high_in = min((self.high, self.high_in), (other.high, other.high_in))
        both = Interval(self.column, low, not low_out, high, high_in)
        if not both.any_known:
            both = nothing_known(self.column)
        return replace(
            both,
            missing=self.missing and other.missing,
            missing_named=self.missing_named or other.missing_named,
        )


@dataclass(frozen=True)
class Levels:
    """An ordered or category column: the codes of the accepted levels, missing cells, or both."""

    column: Column = field(hash=False)
    codes: frozenset[int] = frozenset()
    missing: bool = False
    missing_named: bool = False

    @property
    def any_known(self) -> bool:
        return bool(self.codes)

    @property
    def all_known(self) -> bool:
        return len(self.codes) == len(self.column.levels)

    def holds(self, cell: Any) -> bool:
        code = self.column.code(cell)
        return self.missing if code < 0 else code in self.codes

    def mask(self, cells: Array) -> Array:
        if len(self.codes) <= FEW:
            inside = np.zeros(len(cells), dtype=bool)
            for code in self.codes:
                inside |= cells == code
            return inside | (cells < 0) if self.missing else inside
        known = np.zeros(len(self.column.levels) + 2, dtype=bool)  # −1 and −2 are the last two
        known[list(self.codes)] = True
        known[-2:] = self.missing
        found: Array = known[cells]
        return found

    def within(self, other: Condition) -> bool:
        assert isinstance(other, Levels)
        return (other.missing or not self.missing) and self.codes <= other.codes

    def joined(self, other: Condition) -> Levels:
        assert isinstance(other, Levels)
        return Levels(
            self.column,
            self.codes & other.codes,
            self.missing and other.missing,
            self.missing_named or other.missing_named,
        )


Condition = Interval | Levels


def nothing_known(column: Column, missing: bool = False) -> Interval:
    """No known cell of a number column."""
    return Interval(column, math.inf, False, -math.inf, False, missing)


def join(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """One condition per column, in the order the columns come first; what says nothing goes."""
    by_name: dict[str, Condition] = {}
    for one in conditions:
        known = by_name.get(one.column.name)
        by_name[one.column.name] = one if known is None else known.joined(one)
    return tuple(one for one in by_name.values() if not (one.all_known and one.missing))


def condition(
    column: Column,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    levels: Collection[str] | None = None,
    missing: bool = False,
    known: bool = True,
) -> Condition:
    """A condition by hand: bounds of a number column, or the levels of another.

    missing    missing cells are accepted too
    known      False: only missing cells are accepted
    """
    bounds = (above, at_least, below, at_most)
    said = {
        name: bound
        for name, bound in zip(("above", "at_least", "below", "at_most"), bounds, strict=True)
        if bound is not None
    }
    if column.kind != "number" and said:
        raise OptionError(
            f'"{column.name}" has levels, so {", ".join(said)} cannot bound it. Give levels=[…].'
        )
    if column.kind == "number" and levels is not None:
        raise OptionError(
            f'"{column.name}" is a number column and has no levels. Give above, at_least, below '
            "or at_most."
        )
    if not known:
        return _only_missing(column, missing, bool(said) or levels is not None)
    made = _interval(column, said) if column.kind == "number" else _levels(column, levels)
    return replace(made, missing=missing, missing_named=missing)


def _only_missing(column: Column, missing: bool, more: bool) -> Condition:
    if not missing or more:
        raise OptionError(
            f'known=False accepts only missing cells of "{column.name}": give missing=True with '
            "it, and neither bounds nor levels."
        )
    if column.kind == "number":
        return replace(nothing_known(column, missing=True), missing_named=True)
    return Levels(column, frozenset(), missing=True, missing_named=True)


def _interval(column: Column, said: dict[str, float]) -> Interval:
    for one, other in (("above", "at_least"), ("below", "at_most")):
        if one in said and other in said:
            raise OptionError(f'"{column.name}": give {one} or {other}, not both.')
    for name, bound in said.items():
        if isinstance(bound, bool) or not isinstance(bound, int | float | np.number):
            raise OptionError(f'{name}={bound!r} of "{column.name}" is not a number.')
        if not math.isfinite(bound):
            raise OptionError(
                f'{name}={bound!r} of "{column.name}" is not finite. Leave it out for no bound.'
            )
    made = Interval(
        column,
        float(said.get("above", said.get("at_least", -math.inf))),
        "above" not in said,
        float(said.get("below", said.get("at_most", math.inf))),
        "below" not in said,
    )
    if not made.any_known:
        told = ", ".join(f"{name}={bound!r}" for name, bound in said.items())
        raise OptionError(f'No number fits {told} of "{column.name}".')
    return made


def _levels(column: Column, levels: Collection[str] | None) -> Levels:
    if levels is None:  # every level: only missing cells are left out
        return Levels(column, frozenset(range(len(column.levels))))
    if isinstance(levels, str) or not levels:
        raise OptionError(
            f'levels={levels!r} of "{column.name}" is not allowed: give a list of at least one '
            "level."
        )
    for level in levels:
        if level not in column.codes:
            raise OptionError(
                f'"{column.name}" has no level {level!r}.{nearest(str(level), column.levels)}'
            )
    return Levels(column, frozenset(column.codes[level] for level in levels))
