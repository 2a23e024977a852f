"""New rows against the schema of a tree: the same columns, the same levels, the same units."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bough.data.infer import number_values
from bough.data.raw import Raw, Source, as_levels, drop_marks, names_of, parse_number, recode
from bough.data.schema import MISSING, UNSEEN, Column, Schema, level_text
from bough.data.table import Array
from bough.errors import DataError, nearest

__all__ = ["match_cells"]


def match_cells(
    found: Source,
    schema: Schema,
    missing: Sequence[str],
    needed: Collection[str] | None,
    known: Collection[str] = (),
    rows: Array | None = None,
) -> tuple[list[Array], list[str]]:
    """One array per column of the schema, and notes. `rows` numbers the rows of the source."""
    _check_present(found, schema, needed)
    raws = {raw.name: raw for raw in found.columns}
    cells, notes = [], []
    for column in schema.columns:
        raw = raws.get(column.name)
        if raw is None:
            cells.append(_all_missing(column, found.n_rows))
            continue
        values, note = _cells(column, drop_marks(raw, missing), rows)
        cells.append(values)
        notes += [note] if note else []
    extra = [name for name in found.names if name not in schema.index]
    extra = [name for name in extra if name != schema.target.name and name not in known]
    if extra:
        notes.append(f"The tree does not know and does not use {names_of(extra)}.")
    return cells, notes


def _check_present(found: Source, schema: Schema, needed: Collection[str] | None) -> None:
    present = set(found.names)
    wanted = schema.names if needed is None else [n for n in schema.names if n in needed]
    absent = [name for name in wanted if name not in present]
    if not absent:
        return
    spare = [name for name in found.names if name not in schema.index]
    hint = nearest(absent[0], spare)
    raise DataError(
        f"The table lacks {names_of(absent, 12)}, which the tree needs.{hint} "
        f"It has: {names_of(found.names, 12)}."
    )


def _all_missing(column: Column, n_rows: int) -> Array:
    if column.kind == "number":
        return np.full(n_rows, np.nan)
    return np.full(n_rows, MISSING, np.int32)


def _cells(column: Column, raw: Raw, rows: Array | None) -> tuple[Array, str]:
    if raw.unsupported is not None:
        raise DataError(
            f'Column "{column.name}" holds cells of type {raw.unsupported}; the tree was grown '
            f"from {_said(column)}."
        )
    if column.kind == "number":
        return _numbers(column, raw, rows), ""
    return _codes(column, raw)


def _said(column: Column) -> str:
    if column.kind != "number":
        return "levels such as " + names_of(column.levels, 3)
    return {"date": "dates", "datetime": "moments"}.get(column.form, "numbers")


def _numbers(column: Column, raw: Raw, rows: Array | None) -> Array:
    raw = number_values(_moments(column, raw), rows)
    here, there = _unit(raw.form), _unit(column.form)
    if here == there or math.isnan(raw.limits()[0]):  # no known cell fits every unit
        return raw.values
    if "number" in (here, there):
        raise DataError(f'Column "{column.name}" holds {here}s; the tree was grown from {there}s.')
    return np.floor(raw.values / 86400) if there == "date" else raw.values * 86400.0


def _moments(column: Column, raw: Raw) -> Raw:
    """Texts that all are dates, where the tree was grown from dates, as dates."""
    if raw.levels is None or column.form not in ("date", "datetime"):
        return raw
    try:
        moments = [column.number(level) for level in raw.levels]
    except DataError:
        return raw
    values = np.array([*moments, math.nan], np.float64)[raw.values]
    return replace(raw, form=column.form, values=values, levels=None)


def _unit(form: str) -> str:
    return form if form in ("date", "datetime") else "number"


def _codes(column: Column, raw: Raw) -> tuple[Array, str]:
    raw = as_levels(raw)
    if column.form == "bool" and raw.form in ("int", "float"):
        raw = _renamed(raw, {"0": "false", "1": "true"})
    if raw.guessed:
        raw = _as_written(column, raw)
    codes = recode(raw, column.codes, other=UNSEEN)
    unseen = codes == UNSEEN
    count = int(np.count_nonzero(unseen))
    if count == 0:
        return codes, ""
    levels = raw.levels or ()
    names = [levels[code] for code in np.unique(raw.values[unseen])]
    cells = "1 cell" if count == 1 else f"{count:,} cells"
    return codes, (
        f'{cells} of "{column.name}" with a level the tree has not seen: {names_of(names, 3)}; '
        "treated like missing."
    )


def _as_written(column: Column, raw: Raw) -> Raw:
    """The texts of a file, where the levels were numbers or truth values: 1.0 is the level 1."""
    if column.form == "bool":
        return _renamed(raw, {level: level.lower() for level in raw.levels or ()})
    if column.form in ("int", "float"):
        return _renamed(raw, {level: _number_level(column, level) for level in raw.levels or ()})
    return raw


def _renamed(raw: Raw, names: Mapping[str, str]) -> Raw:
    """The same cells under other names of levels, of which some may now be one."""
    renamed = replace(raw, levels=tuple(names.get(level, level) for level in raw.levels or ()))
    unique = tuple(dict.fromkeys(renamed.levels or ()))
    return replace(renamed, values=recode(renamed, unique), levels=unique)


def _number_level(column: Column, level: str) -> str:
    if level in column.codes:
        return level
    number = parse_number(level)
    return level if number is None else str(level_text(number))
