"""What a table looks like: names, kinds, levels. Nothing here holds a row."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from bough.errors import DataError

__all__ = ["MISSING", "UNSEEN", "Column", "Form", "Kind", "Schema", "Target", "Task"]

Kind = Literal["number", "ordered", "category"]
"""number: any real value. ordered: levels with an order. category: levels without one."""

Task = Literal["classification", "regression"]

Form = Literal["float", "int", "bool", "text", "date", "datetime"]
"""How a cell looks to people. A date is a number (days since 1970-01-01) that prints as a date;
a datetime is a number of seconds since 1970-01-01T00:00."""

KINDS: tuple[str, ...] = get_args(Kind)
TASKS: tuple[str, ...] = get_args(Task)
FORMS: tuple[str, ...] = get_args(Form)

EPOCH = datetime.datetime(1970, 1, 1)

MISSING = -1
"""The code of a missing cell in an ordered or category column."""

UNSEEN = -2
"""The code of a cell whose level the schema does not know."""


@dataclass(frozen=True)
class Column:
    """One input variable."""

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    """Of an ordered or category column, in order; the code of a level is its place here."""
    form: Form = "float"

    @cached_property
    def codes(self) -> dict[str, int]:
        return {level: code for code, level in enumerate(self.levels)}

    def number(self, cell: Any) -> float:
        """A cell as the number the tree compares; NaN when missing."""
        if isinstance(cell, float | int):  # nearly all, and the quickest to tell
            return self._as_float(cell)
        if _is_missing(cell):
            return math.nan
        if hasattr(cell, "dtype") and cell.dtype.kind == "M":  # finer units give a bare integer
            cell = cell.astype("datetime64[us]").item()
        if isinstance(cell, str) and self.form in ("date", "datetime"):
            cell = _moment(cell)
        if isinstance(cell, datetime.datetime):
            moment = cell if cell.tzinfo else cell.replace(tzinfo=datetime.UTC)
            seconds = moment.timestamp()
            return seconds // 86400 if self.form == "date" else seconds
        if isinstance(cell, datetime.date):
            days = cell.toordinal() - datetime.date(1970, 1, 1).toordinal()
            return float(days) * (86400.0 if self.form == "datetime" else 1.0)
        return self._as_float(cell)

    def _as_float(self, cell: Any) -> float:
        try:
            return float(cell)
        except (TypeError, ValueError, OverflowError):
            what = {"date": "a date", "datetime": "a moment"}.get(self.form, "a number")
            raise DataError(
                f'"{self.name}" must be {what}, but the row has {cell!r}. '
                "Give None if the cell is missing."
            ) from None

    def code(self, cell: Any) -> int:
        """A cell as the code of its level; MISSING or UNSEEN otherwise."""
        text = level_text(cell)
        if self.form == "bool" and text in ("0", "1"):  # truth values kept as numbers
            text = "true" if text == "1" else "false"
        return MISSING if text is None else self.codes.get(text, UNSEEN)

    def show(self, number: float) -> str:
        """A number of this column as people write it."""
        try:
            if self.form == "date":
                return (EPOCH + datetime.timedelta(days=math.floor(number))).date().isoformat()
            if self.form == "datetime":
                moment = EPOCH + datetime.timedelta(seconds=number)
                return moment.isoformat(sep=" ", timespec="auto")
        except (OverflowError, ValueError):
            pass  # outside the calendar, or infinite: show the bare number
        return short_number(number)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NaTType", "NAType"):  # NA is not even unequal
        return True
    return bool(cell != cell)  # NaN


def _moment(text: str) -> Any:
    """The moment an ISO text names ("2020-02-10", "2020-02-10 16:37"); any other text as it is."""
    try:
        return datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return text


def level_text(cell: Any) -> str | None:
    """A cell as the name of a level, the same for every source; None when missing.

    Whole numbers lose their point (12.0 is the level "12"), truth values are "true" and "false".
    """
    if isinstance(cell, str):
        return str(cell)
    if _is_missing(cell):
        return None
    if hasattr(cell, "item"):  # a numpy scalar
        cell = cell.item()
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def short_number(number: float) -> str:
    """The shortest text that reads back as the same number, without an idle `.0`."""
    if math.isfinite(number) and number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


@dataclass(frozen=True)
class Target:
    """What is predicted."""

    name: str
    task: Task
    classes: tuple[Any, ...] = ()
    """The classes, sorted, as the user wrote them (text, whole numbers, truth values); empty for
    regression. The code of a class is its place here."""


@dataclass(frozen=True)
class Schema:
    """Names, kinds, levels and order of the columns, and the target."""

    columns: tuple[Column, ...]
    target: Target

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}
