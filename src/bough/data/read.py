"""From a file, a query, a DataFrame or an array to a Table."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.infer import Oddities, by_column, check_overrides, infer_column
from bough.data.match import match_cells
from bough.data.raw import Raw, Source, drop_marks, names_of, written
from bough.data.schema import Column, Kind, Schema, Task
from bough.data.table import Array, Table
from bough.data.target import class_codes, target_of, weights_of
from bough.errors import DataError, nearest

__all__ = ["read_cells", "read_cells_and", "read_table"]


def read_table(
    source: Any = None,
    *,
    target: Any = None,
    task: Task | None = None,
    kinds: Mapping[str, Kind] | None = None,
    ordered: Mapping[str, Sequence[str]] | None = None,
    ignore: Sequence[str] = (),
    weights: Any = None,
    missing_marks: Sequence[str] = (),
    sql: str | None = None,
    names: Sequence[str] | None = None,
    last_is_target: bool = False,
) -> Table:
    """A table to learn from. `target` and `weights` are names of columns, or arrays."""
    kinds, ordered = dict(by_column("kinds", kinds)), dict(by_column("ordered", ordered))
    for option, given in (("ignore", ignore), ("missing_marks", missing_marks)):
        if isinstance(given, str) or not isinstance(given, Collection):
            raise DataError(f"{option}={given!r} is not allowed: give a list of texts, as ['a'].")
    texts = {name for name, kind in kinds.items() if kind != "number"} | set(ordered)
    skipped = set(ignore) - {_name(target), _name(weights)}
    found = _load(source, lambda name: name not in skipped, missing_marks, texts, sql, names)
    if found.n_rows == 0:
        raise DataError("The table has no rows, only the names of the columns.")
    if target is None and last_is_target:
        target = found.names[-1]
    check_overrides(found.names, kinds, ordered, ignore)
    answer, target_name = _target_column(found, target, ignore)
    if target_name is not None:
        _check_target_is_only_that(target_name, weights, kinds, ordered)
    weight = _weight_column(found, weights)
    rest = [raw for raw in found.columns if raw.name not in (target_name, _name(weights))]
    if not rest and not skipped:
        raise DataError(f'The table has no column besides the target "{answer.name}".')
    weigh = None if weight is None else weights_of(weight, found.n_rows)
    answer, keep, notes = _known_target(drop_marks(answer, missing_marks), found.n_rows)
    rows = None if keep is None else np.flatnonzero(keep)
    told, values, more = target_of(answer, task, rows)
    odd = Oddities()
    columns, cells = _columns(rest, missing_marks, keep, odd, kinds, ordered, rows)
    if not columns:
        ignored = " ".join(odd.notes())
        raise DataError(f"No column is left to learn from. {ignored}".rstrip())
    if weigh is not None and keep is not None:
        weigh = weigh[keep]
    schema = Schema(tuple(columns), told)
    return Table(schema, tuple(cells), values, weigh, (*notes, *more, *odd.notes()))


def _columns(
    raws: Sequence[Raw],
    missing_marks: Sequence[str],
    keep: Array | None,
    odd: Oddities,
    kinds: Mapping[str, Kind],
    ordered: Mapping[str, Sequence[str]],
    rows: Array | None,
) -> tuple[list[Column], list[Array]]:
    columns, cells = [], []
    for raw in raws:
        known = drop_marks(raw if keep is None else raw.rows(keep), missing_marks)
        inferred = infer_column(known, odd, kinds.get(raw.name), ordered.get(raw.name), rows)
        if inferred is not None:
            columns.append(inferred[0])
            cells.append(inferred[1])
    return columns, cells


def read_cells(
    source: Any,
    schema: Schema,
    *,
    missing_marks: Sequence[str] = (),
    sql: str | None = None,
    need_target: bool = False,
    needed: Collection[str] | None = None,
    target: Any = None,
    weights: Any = None,
) -> Table:
    """The cells of new rows, matched by name to a schema; arrays are matched by position.

    With `need_target`, the target must be there too, as a column or as the array `target`. Of the
    columns only those in `needed` must exist (default: all); others may be absent and are missing.
    """
    wanted = set(schema.names) | {_name(weights)} | ({schema.target.name} if need_target else set())
    found = _load(source, wanted.__contains__, missing_marks, _texts(schema), sql, None, schema)
    weight = _weight_column(found, weights)
    weigh = None if weight is None else weights_of(weight, found.n_rows)
    if not need_target:
        cells, notes = match_cells(found, schema, missing_marks, needed)
        return Table(schema, tuple(cells), None, weigh, tuple(notes))
    if found.n_rows == 0:
        raise DataError("The table has no rows, only the names of the columns.")
    answer, _ = _target_column(found, schema.target.name if target is None else target, ())
    answer = replace(answer, name=schema.target.name)
    answer, keep, more = _known_target(drop_marks(answer, missing_marks), found.n_rows)
    rows = None if keep is None else np.flatnonzero(keep)
    values = class_codes(answer, schema.target, rows)
    if keep is not None:  # what the other rows hold is nobody's concern
        found, weigh = found.rows(keep), None if weigh is None else weigh[keep]
    cells, notes = match_cells(found, schema, missing_marks, needed, rows=rows)
    return Table(schema, tuple(cells), values, weigh, (*more, *notes))


def read_cells_and(
    source: Any,
    schema: Schema,
    *,
    keep: Sequence[str],
    missing_marks: Sequence[str] = (),
    sql: str | None = None,
    needed: Collection[str] | None = None,
) -> tuple[Table, list[list[Any]]]:
    """`read_cells`, and the cells of the columns `keep` as a file would hold them."""
    wanted = set(schema.names) | set(keep)
    texts = _texts(schema) | (set(keep) - set(schema.names))
    found = _load(source, wanted.__contains__, missing_marks, texts, sql, None, schema)
    cells, notes = match_cells(found, schema, missing_marks, needed, known=keep)
    by_name = {raw.name: raw for raw in found.columns}
    for name in keep:
        if name not in by_name:
            raise DataError(
                f'There is no column "{name}" to keep.{nearest(name, found.names)} '
                f"The columns are: {names_of(found.names, 12)}."
            )
    table = Table(schema, tuple(cells), notes=tuple(notes))
    return table, [written(by_name[name]) for name in keep]


def _texts(schema: Schema) -> set[str]:
    """The columns of a file whose cells are names, whatever they look like."""
    texts = {column.name for column in schema.columns if column.kind != "number"}
    if isinstance(_first(schema.target.classes), str):
        texts.add(schema.target.name)
    return texts


def _first(classes: Sequence[Any]) -> Any:
    return classes[0] if classes else None


def _load(
    source: Any,
    keep: Callable[[str], bool],
    missing_marks: Sequence[str],
    texts: Collection[str],
    sql: str | None,
    names: Sequence[str] | None,
    schema: Schema | None = None,
) -> Source:
    """Whatever the source is, its columns."""
    if isinstance(source, np.ndarray):
        from bough.data.frames import from_matrix

        names = names or _positions(source, schema)
        return from_matrix(source, names, limits=schema is None)  # inferring kinds needs them
    if source is None and sql is None:
        raise DataError("There is nothing to read: give a path, a table, or a query (sql=).")
    if source is None or isinstance(source, str | os.PathLike):
        from bough.data.files import from_file, from_query

        if source is None:
            return from_query(str(sql))
        return from_file(source, keep, marks=missing_marks, as_text=texts, sql=sql)
    if sql is not None:
        raise DataError("sql= reads files or a database file; it cannot query a table in memory.")
    from bough.data.frames import from_frame, from_matrix

    found = from_frame(source, keep)
    return from_matrix(source, names or _positions(source, schema)) if found is None else found


def _positions(source: Any, schema: Schema | None) -> Sequence[str] | None:
    """An array's columns are those of the schema, in order."""
    if schema is None:
        return None
    array = source if isinstance(source, np.ndarray) else None
    width = array.shape[1] if array is not None and array.ndim == 2 else _width(source)
    if width is None or width == len(schema.columns):
        return schema.names if width is not None else None
    places = [name[1:] for name in schema.names if name[:1] == "x" and name[1:].isdigit()]
    last = max(map(int, places), default=0)
    if len(places) == len(schema.columns) and len(places) <= last < width:
        return None  # some columns of the array were ignored in growing: their names say which
    raise DataError(
        f"The array has {width} columns, the tree was grown from {len(schema.columns)}: "
        "give the same columns in the same order, or a table with names."
    )


def _width(rows: Any) -> int | None:
    try:
        return len(rows[0])
    except (TypeError, IndexError, KeyError):
        return None


def _name(given: Any) -> str | None:
    return given if isinstance(given, str) else None


def _target_column(found: Source, target: Any, ignore: Sequence[str]) -> tuple[Raw, str | None]:
    """The target's column, and its name if it is one of the table's."""
    if target is None:
        raise DataError('Say which column is the target: target="name" (--target name).')
    if isinstance(target, int | float):
        raise DataError(
            f"target={target!r} is a number: give the name of a column, as text, or one value for "
            f"every row. The columns are: {names_of(found.names, 12)}."
        )
    if not isinstance(target, str):
        return _given_column(target, "target", found), None
    if target not in found.names:
        raise DataError(
            f'There is no column "{target}" to be the target.{nearest(target, found.names)} '
            f"The columns are: {names_of(found.names, 12)}."
        )
    if target in ignore:
        raise DataError(f'"{target}" is the target and cannot be ignored.')
    raw = next(column for column in found.columns if column.name == target)
    if raw.unsupported is not None:
        raise DataError(f'The target "{target}" holds cells of type {raw.unsupported}.')
    return raw, target


def _check_target_is_only_that(
    target: str, weights: Any, kinds: Mapping[str, Kind], ordered: Mapping[str, Sequence[str]]
) -> None:
    if _name(weights) == target:
        raise DataError(f'"{target}" is the target and cannot be the weights, too.')
    if target in kinds or target in ordered:
        raise DataError(
            f'"{target}" is the target: say what it is with task="classification" or '
            'task="regression" (--task), not with a kind.'
        )


def _given_column(values: Any, default: str, found: Source) -> Raw:
    """A target or weights given as an array of their own."""
    from bough.data.frames import column_from

    given = getattr(values, "name", None)
    name = given if isinstance(given, str) and given not in found.names else default
    while name in found.names:
        name += "_"
    raw = column_from(name, values)
    if raw.unsupported is not None:
        raise DataError(f"The {default} holds cells of type {raw.unsupported}.")
    if len(raw.values) != found.n_rows:
        raise DataError(
            f"{len(raw.values):,} entries were given as the {default}, the table has "
            f"{found.n_rows:,} rows."
        )
    return raw


def _weight_column(found: Source, weights: Any) -> Raw | None:
    if weights is None:
        return None
    if not isinstance(weights, str):
        return _given_column(weights, "weights", found)
    raw = next((column for column in found.columns if column.name == weights), None)
    if raw is None:
        raise DataError(
            f'There is no column "{weights}" to hold the weights.{nearest(weights, found.names)} '
            f"The columns are: {names_of(found.names, 12)}."
        )
    return raw


def _known_target(raw: Raw, n_rows: int) -> tuple[Raw, Array | None, list[str]]:
    """The target without missing cells, and which rows those are (None: all)."""
    lacking = raw.missing()
    count = int(np.count_nonzero(lacking))
    if count == 0:
        return raw, None, []
    if count == n_rows:
        raise DataError(f'The target "{raw.name}" is missing in every row.')
    rows = "1 row has" if count == 1 else f"{count:,} rows have"
    note = f'{rows} no target "{raw.name}" and {"is" if count == 1 else "are"} left out.'
    return raw.rows(~lacking), ~lacking, [note]
