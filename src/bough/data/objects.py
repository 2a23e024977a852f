"""Columns of Python values and numpy arrays."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bough.data.raw import BOOL_LEVELS, Raw
from bough.data.schema import Form, level_text
from bough.data.table import Array
from bough.errors import DataError

__all__ = ["from_array", "from_cells"]


def from_array(name: str, values: Array) -> Raw:
    """A column of a one-dimensional numpy array."""
    kind = values.dtype.kind
    if kind == "f":
        plain = values.dtype.itemsize in (4, 8) and values.dtype.isnative
        return Raw(name, "float", values if plain else values.astype(_float_for(values)))
    if kind in "iu":
        return Raw(name, "int", values.astype(np.float64))
    if kind == "b":
        return Raw(name, "bool", values.astype(np.int32), BOOL_LEVELS)
    if kind in "UT":
        levels, codes = np.unique(values, return_inverse=True)
        return Raw(name, "text", codes.astype(np.int32), tuple(map(str, levels)))
    if kind == "M":
        return _moments(name, values)
    if kind == "m":
        seconds = values.astype("timedelta64[ns]").astype(np.int64) / 1e9
        return Raw(name, "float", np.where(np.isnat(values), np.nan, seconds))
    if kind == "O":
        return from_cells(name, values.tolist())
    return Raw(name, "float", np.empty(0), unsupported=str(values.dtype))


def _float_for(values: Array) -> type[np.floating[Any]]:
    return np.float32 if values.dtype.itemsize == 2 else np.float64


def _moments(name: str, values: Array) -> Raw:
    """datetime64: whole days are dates, finer units are moments."""
    if np.datetime_data(values.dtype)[0] in ("Y", "M", "W", "D"):
        days = values.astype("datetime64[D]").astype(np.float64)
        return Raw(name, "date", np.where(np.isnat(values), np.nan, days))
    unit = np.datetime_data(values.dtype)[0]
    scale = {"h": 1 / 3600, "m": 1 / 60, "s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}.get(unit)
    if scale is None:
        values, scale = values.astype("datetime64[ns]"), 1e9
    count = np.datetime_data(values.dtype)[1]
    seconds = values.astype(np.int64) * count / scale
    return Raw(name, "datetime", np.where(np.isnat(values), np.nan, seconds))


def from_cells(name: str, cells: Sequence[Any]) -> Raw:
    """A column of any Python values: None, NaN and NaT are missing; a mixture is text."""
    types = set(map(type, cells))
    forms = {_form(kind) for kind in types} - {"missing"}
    if "other" in forms:
        odd = sorted(kind.__name__ for kind in types if _form(kind) == "other")
        return Raw(name, "float", np.empty(0), unsupported=odd[0])
    if not forms or forms <= {"int", "float"}:
        return _numbers(name, cells, "int" if forms == {"int"} else "float")
    if forms == {"bool"}:
        codes = [-1 if _is_missing(cell) else int(bool(cell)) for cell in cells]
        return Raw(name, "bool", np.array(codes, np.int32), BOOL_LEVELS)
    if forms <= {"date", "datetime"}:
        return _dates(name, cells, "datetime" if "datetime" in forms else "date")
    return _text(name, cells, types)


def _form(kind: type) -> str:
    """What cells of a Python type look like; "missing" for the types of missing marks."""
    if kind is type(None) or kind.__name__ in ("NaTType", "NAType"):
        return "missing"
    families: tuple[tuple[str, tuple[type, ...]], ...] = (
        ("bool", (bool, np.bool_)),
        ("int", (int, np.integer)),
        ("float", (float, np.floating, decimal.Decimal)),
        ("text", (str,)),
        ("datetime", (datetime.datetime, np.datetime64)),
        ("date", (datetime.date,)),
    )
    return next((form for form, types in families if issubclass(kind, types)), "other")


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NaTType", "NAType"):
        return True
    return bool(cell != cell)  # NaN


def _numbers(name: str, cells: Iterable[Any], form: Form) -> Raw:
    try:
        values = [math.nan if _is_missing(cell) else float(cell) for cell in cells]
    except OverflowError as error:
        raise DataError(f'Column "{name}" holds a whole number too large for a float.') from error
    known = [value for value in values if value == value]
    # None turns a column of whole numbers into floats in most sources; a NaN says nothing.
    return Raw(name, form if known else "float", np.array(values, np.float64))


def _dates(name: str, cells: Iterable[Any], form: Form) -> Raw:
    from bough.data.schema import Column

    column = Column(name, "number", form=form)
    values = [math.nan if _is_missing(cell) else column.number(_python(cell)) for cell in cells]
    return Raw(name, form, np.array(values, np.float64))


def _python(cell: Any) -> Any:
    """A numpy datetime as a Python one (in microseconds, or `item` gives a bare integer)."""
    return cell.astype("datetime64[us]").item() if isinstance(cell, np.datetime64) else cell


def _text(name: str, cells: Sequence[Any], types: set[type]) -> Raw:
    codes: dict[str, int] = {}
    if types == {str}:
        values = [codes.setdefault(cell, len(codes)) for cell in cells]
    else:
        values = [
            -1 if _is_missing(cell) else codes.setdefault(str(level_text(cell)), len(codes))
            for cell in cells
        ]
    return Raw(name, "text", np.array(values, np.int32), tuple(codes))
