"""New rows against the schema of a tree: the same columns, the same levels, the same units."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.infer import number_values
from bough.data.raw import Raw, Source, as_levels, drop_marks, names_of, parse_number, recode
from bough.data.schema import MISSING, UNSEEN, Column, Schema, level_text
from bough.data.table import Array, Table
from bough.errors import DataError, nearest

__all__ = ["as_read", "as_row", "fit_table", "match_cells", "no_cell", "refuse_reading"]


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


# ---- tables that were read before ----------------------------------------------------------------


def fit_table(table: Table, schema: Schema, model: str = "tree") -> Table:
    """The columns of a model's schema out of a table that has them just so."""
    if table.schema is schema or table.schema == schema:
        return table
    cells = []
    for column in schema.columns:
        place = table.schema.index.get(column.name)
        if place is None or table.schema.columns[place] != column:
            raise _other_schema(f'its column "{column.name}"', model)
        cells.append(table.cells[place])
    if table.target is not None and table.schema.target != schema.target:
        raise _other_schema("its target", model)
    return replace(table, schema=schema, cells=tuple(cells))


def _other_schema(what: str, model: str) -> DataError:
    return DataError(
        f"The table was read on its own, and {what} differs from that of the {model}. Read it with "
        f"bough.read_cells(data, {model}.schema, need_target=True), or give the data itself."
    )


def as_read(table: Table, target: Any, read: Mapping[str, Any]) -> Table:
    """A table to learn from, where nothing is asked of it that had to be asked before."""
    refuse_reading(read)
    name = table.schema.target.name
    if target is not None and not (isinstance(target, str) and target == name):
        wanted = f'"{target}"' if isinstance(target, str) else "values of their own"
        raise DataError(
            f'The table was read with the target "{name}", not {wanted}. Read it again with '
            "bough.read_table(data, target=…), or give the data itself."
        )
    return table


def refuse_reading(read: Mapping[str, Any]) -> None:
    """What says how to read a table comes too late for one that has been read."""
    for name, given in read.items():
        if given is not None and not (isinstance(given, Collection) and len(given) == 0):
            raise DataError(
                f"{name}= says how to read a table, and this one has been read already. Give "
                f"{name}= to bough.read_table, or give the data itself."
            )


# ---- one row -------------------------------------------------------------------------------------


def as_row(row: Any) -> Mapping[str, Any]:
    """One row, its cells by name: a dict, or what can be one, such as a row of a DataFrame."""
    if isinstance(row, Mapping):
        return row
    if getattr(row, "ndim", 0) == 1 and hasattr(row, "to_dict"):  # a pandas Series
        found: Mapping[str, Any] = row.to_dict()
        return found
    raise DataError(
        f"One row is a dict of cells by column, such as {{'age': 31, 'sex': None}}, not "
        f"{type(row).__name__}. For many rows use predict."
    )


def no_cell(row: Mapping[str, Any], name: str, who: str) -> DataError:
    """A row lacks a cell that a model asks for."""
    close = nearest(name, [key for key in row if isinstance(key, str)])
    return DataError(
        f'The row has no "{name}", which the {who} about.{close} Give None if the cell is missing.'
    )
