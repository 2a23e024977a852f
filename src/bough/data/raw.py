"""A column as its source gave it, before anything is decided about it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.data.schema import Column, Form, level_text
from bough.data.table import Array

__all__ = [
    "Raw",
    "Source",
    "as_levels",
    "drop_marks",
    "names_of",
    "numbers_if_all",
    "parse_number",
    "recode",
    "row_of",
    "written",
]

BOOL_LEVELS = ("false", "true")
MOST_ROWS = 2**31 - 1

# A number as people and programs write it; no leading zeros, which make a code ("02139").
NUMBER = re.compile(r"\s*[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True)
class Raw:
    """Numbers (`levels` is None, NaN where missing) or int32 codes of levels (−1 where missing)."""

    name: str
    form: Form
    values: Array
    levels: tuple[str, ...] | None = None
    declared: bool = False
    """The source lists the levels itself (a categorical): they and their order are kept."""
    ordered: bool = False
    """The source says that the order of the levels means something."""
    unsupported: str | None = None
    """A type that is no number, truth value, text or date; then there are no values."""
    guessed: bool = False
    """The type was guessed from the texts of a file."""
    span: tuple[float, float] | None = None
    """Smallest and largest number, where they are known already."""

    def limits(self) -> tuple[float, float]:
        """Smallest and largest known number; (NaN, NaN) when there is none."""
        if self.span is not None:
            return self.span
        if not len(self.values):
            return math.nan, math.nan
        return float(np.fmin.reduce(self.values)), float(np.fmax.reduce(self.values))

    def missing(self) -> Array:
        return np.isnan(self.values) if self.levels is None else self.values < 0

    def rows(self, keep: Array) -> Raw:
        """Some of the rows."""
        if self.unsupported is not None:
            return self
        return replace(self, values=self.values[keep], span=None)

    def labels(self) -> tuple[Any, ...]:
        """The levels as the values people wrote."""
        levels = self.levels or ()
        if self.form == "int":
            return tuple(int(level) for level in levels)
        if self.form == "float":
            return tuple(float(level) for level in levels)
        if self.form == "bool":
            return tuple(level == "true" for level in levels)
        return levels


@dataclass(frozen=True)
class Source:
    """What was read: all names, the columns that were asked for, the number of rows."""

    names: tuple[str, ...]
    columns: tuple[Raw, ...]
    n_rows: int
    positional: bool = False
    """The columns have no names of their own (an array)."""

    def rows(self, keep: Array) -> Source:
        """Some of the rows."""
        columns = tuple(column.rows(keep) for column in self.columns)
        return replace(self, columns=columns, n_rows=int(np.count_nonzero(keep)))


def parse_number(text: str) -> float | None:
    """The number a text stands for; None for anything else ("NA", "1,5", "02139")."""
    return float(text) if NUMBER.fullmatch(text) else None


def as_levels(raw: Raw) -> Raw:
    """A number column as codes of levels in numeric order; other columns as they are."""
    if raw.levels is not None:
        return raw
    missing = np.isnan(raw.values)
    numbers, codes = np.unique(raw.values[~missing], return_inverse=True)
    values = np.full(len(raw.values), -1, np.int32)
    values[~missing] = codes.astype(np.int32)
    if raw.form in ("date", "datetime"):
        column = Column(raw.name, "number", form=raw.form)
        levels = tuple(column.show(float(number)) for number in numbers)
    else:
        levels = tuple(str(level_text(number)) for number in numbers)
    return replace(raw, values=values, levels=levels, span=None)


def drop_marks(raw: Raw, marks: Sequence[str]) -> Raw:
    """The cells that hold one of these texts become missing."""
    if not marks or raw.unsupported is not None:
        return raw
    if raw.levels is None:
        numbers = [n for n in map(parse_number, marks) if n is not None]
        hit = np.isin(raw.values, numbers) if numbers else np.zeros(0, bool)
        if not hit.any():
            return raw
        return replace(raw, values=np.where(hit, np.nan, raw.values), span=None)
    dropped = [code for code, level in enumerate(raw.levels) if level in marks]
    if not dropped:
        return raw
    kept = [level for level in raw.levels if level not in marks]
    raw = replace(raw, values=recode(raw, kept), levels=tuple(kept))
    return numbers_if_all(raw)


def numbers_if_all(raw: Raw) -> Raw:
    """Text that reads as numbers throughout becomes numbers."""
    if raw.levels is None or raw.declared or raw.form != "text":
        return raw
    numbers = [parse_number(level) for level in raw.levels]
    if not numbers or any(number is None for number in numbers):
        return raw
    whole = all(float(number or 0).is_integer() for number in numbers)
    values = np.array([*numbers, math.nan], float)[raw.values]
    return replace(raw, values=values, levels=None, form="int" if whole else "float")


def recode(raw: Raw, levels: Iterable[str] | Mapping[str, int], other: int = -1) -> Array:
    """The codes of the same cells in another list of levels; `other` where it lacks the level."""
    if isinstance(levels, Mapping):
        place = levels
    else:
        place = {level: code for code, level in enumerate(levels)}
    table = [place.get(level, other) for level in raw.levels or ()]
    table.append(-1)  # a missing cell is −1 and picks the last entry
    return np.array(table, np.int32)[raw.values]


def written(raw: Raw) -> list[Any]:
    """The cells as a file would hold them; None where missing."""
    if raw.unsupported is not None:
        return [None] * len(raw.values)
    if raw.levels is not None:
        return np.array([*raw.levels, None], object)[raw.values].tolist()  # type: ignore[no-any-return]
    column = Column(raw.name, "number", form=raw.form)
    return [None if cell != cell else column.show(cell) for cell in raw.values.tolist()]


def row_of(where: Array, rows: Array | None = None) -> int:
    """The number of the first row where something holds, counted from 1 in the source."""
    first = int(np.argmax(where))
    return first + 1 if rows is None else int(rows[first]) + 1


def names_of(names: Sequence[str], most: int = 5) -> str:
    """`"a", "b" and 3 more`"""
    shown = ", ".join(f'"{name}"' for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown
