"""What happens to missing cells before growing: rows or columns left out, or cells filled.

The other policies are the core's, cell by cell while it searches; policies.py lists them all.
What was filled in training is kept in the tree (`Tree.fills`) and used for every later row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from bough.data.policies import PER_COLUMN, POLICIES
from bough.data.schema import Column, Schema
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError, nearest

__all__ = ["FILLS", "POLICIES", "Prepared", "fill_cells", "prepare"]

ROUNDING = 1e-12
"""Sums of weights that differ by less than this share of them are equal."""

Fill = float | str
"""The number, or the name of the level, that stands for a missing cell."""


def _mean(column: Column, cells: Array, weights: Array) -> Fill | None:
    if column.kind != "number":
        return _mode(column, cells, weights)
    known = ~np.isnan(cells)
    if not known.any():
        return None
    known_cells, share = cells[known].astype(np.float64), weights[known]
    # sums that do not depend on the order of the rows
    return math.fsum(known_cells * share) / math.fsum(share)


def _median(column: Column, cells: Array, weights: Array) -> Fill | None:
    """Half of the weight lies at or below it. A category has no middle: its mode."""
    if column.kind == "category":
        return _mode(column, cells, weights)
    known = ~np.isnan(cells) if column.kind == "number" else cells >= 0
    if not known.any():
        return None
    order = np.argsort(cells[known], kind="stable")
    values, below = cells[known][order], np.cumsum(weights[known][order])
    half, slack = below[-1] / 2, ROUNDING * below[-1]
    at = int(np.searchsorted(below, half - slack))
    if column.kind == "ordered":
        return column.levels[int(values[at])]
    if below[at] <= half + slack and at + 1 < len(values):
        return float((float(values[at]) + float(values[at + 1])) / 2)
    return float(values[at])


def _mode(column: Column, cells: Array, weights: Array) -> Fill | None:
    """The most common value; of several the smallest, or the earliest level."""
    known = ~np.isnan(cells) if column.kind == "number" else cells >= 0
    if not known.any():
        return None
    values, place = np.unique(cells[known], return_inverse=True)
    total = np.bincount(place, weights=weights[known])
    most = values[int(np.argmax(total >= total.max() * (1 - ROUNDING)))]
    return float(most) if column.kind == "number" else column.levels[int(most)]


FILLS: dict[str, Callable[[Column, Array, Array], Fill | None]] = {
    "mean": _mean,
    "median": _median,
    "mode": _mode,
    "class_mean": _mean,
}
"""The policies that fill: the value for one column, from its cells and the rows' weights."""


@dataclass(frozen=True)
class Prepared:
    """The table to grow from, and what the tree must remember."""

    table: Table
    core: tuple[str, ...]
    """The core's policy for every column of the table."""
    fills: dict[str, Fill]
    notes: tuple[str, ...] = ()


def check_policy(policy: str | Mapping[str, str], schema: Schema) -> dict[str, str]:
    """The policy of every column by name; "*" stands for those not named."""
    if isinstance(policy, str):
        return dict.fromkeys(schema.names, policy)
    rest = policy.get("*", "learned")
    words = {name: policy.get(name, rest) for name in schema.names}
    for name, word in policy.items():
        if name != "*" and name not in schema.index:
            raise DataError(
                f'missing= names the column "{name}", which the table does not have.'
                f"{nearest(name, schema.names)}"
            )
        if word not in PER_COLUMN and {*words.values(), *policy.values()} != {word}:
            raise OptionError(
                f'missing="{word}" holds for the whole model, not for one column. '
                f"Per column there are: {', '.join(PER_COLUMN)}."
            )
    return words


def prepare(table: Table, policy: str | Mapping[str, str], share: float = 0.7) -> Prepared:
    """Leave out and fill what the policy says. `share`: a column missing more often is dropped."""
    words = check_policy(policy, table.schema)
    notes: list[str] = []
    table = _rows_that_count(table)
    if "drop_rows" in words.values():
        table, notes = _drop_rows(table)
    if "drop_columns" in words.values():
        table, notes = _drop_columns(table, share)
    fills: dict[str, Fill] = {}
    cells = list(table.cells)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    for i, column in enumerate(table.schema.columns):
        fill = FILLS.get(words[column.name])
        value = fill and fill(column, cells[i], weights)
        if fill is None or value is None:
            continue
        fills[column.name] = value
        if words[column.name] == "class_mean":
            cells[i] = _fill_by_class(column, cells[i], table, weights)
        cells[i] = fill_column(column, cells[i], value)
    core = tuple(POLICIES[words[name]].core for name in table.schema.names)
    return Prepared(replace(table, cells=tuple(cells)), core, fills, tuple(notes))


def _rows_that_count(table: Table) -> Table:
    """Rows of weight 0 have no say in a mean, and none in what is dropped."""
    if table.weights is None or (table.weights > 0).all():
        return table
    if not (table.weights > 0).any():
        raise DataError("All weights are 0, so no row counts: give some rows a weight above 0.")
    return table.take(table.weights > 0)


def _missing(column: Column, cells: Array) -> Array:
    found: Array = np.isnan(cells) if column.kind == "number" else cells < 0
    return found


def _drop_rows(table: Table) -> tuple[Table, list[str]]:
    whole = np.ones(table.n_rows, bool)
    for column, cells in zip(table.schema.columns, table.cells, strict=True):
        whole &= ~_missing(column, cells)
    dropped = int((~whole).sum())
    if dropped == 0:
        return table, []
    if dropped == table.n_rows:
        raise DataError(
            'missing="drop_rows" leaves nothing: every row has a missing cell. Ignore the columns '
            "that are mostly missing, or choose another policy."
        )
    rows = "1 row with a missing cell was"
    if dropped > 1:
        rows = f"{dropped:,} rows with a missing cell were"
    return table.take(whole), [f"{rows} left out."]


def _drop_columns(table: Table, share: float) -> tuple[Table, list[str]]:
    columns, cells, dropped = [], [], []
    for column, values in zip(table.schema.columns, table.cells, strict=True):
        if _missing(column, values).mean() > share:
            dropped.append(f'"{column.name}"')
        else:
            columns.append(column)
            cells.append(values)
    if not columns:
        raise DataError(
            f'missing="drop_columns" leaves no column: all are missing in more than {share:.0%} of '
            "the rows."
        )
    if not dropped:
        return table, []
    note = f"Missing in more than {share:.0%} of the rows and left out: {', '.join(dropped)}."
    return replace(table, schema=Schema(tuple(columns), table.schema.target), cells=tuple(cells)), [
        note
    ]


def _fill_by_class(column: Column, cells: Array, table: Table, weights: Array) -> Array:
    """Each class has its own mean; a class without a known cell keeps its holes."""
    if not table.schema.target.classes:
        raise OptionError(
            'missing="class_mean" needs classes, and the target '
            f'"{table.schema.target.name}" is a number. Use mean.'
        )
    filled = np.array(cells)
    for code in range(len(table.schema.target.classes)):
        of_class = table.target == code
        value = _mean(column, cells[of_class], weights[of_class])
        if value is not None:
            filled[of_class] = fill_column(column, filled[of_class], value)
    return filled


def fill_column(column: Column, cells: Array, value: Fill) -> Array:
    """The cells with `value` where they are missing."""
    lacking = _missing(column, cells)
    if not lacking.any():
        return cells
    stands = value if column.kind == "number" else column.codes[str(value)]
    # a float32 column may not hold the exact mean
    wide = cells.astype(np.float64) if column.kind == "number" else cells
    return np.where(lacking, stands, wide).astype(wide.dtype)


def fill_cells(
    schema: Schema, cells: tuple[Array, ...], fills: Mapping[str, Fill]
) -> tuple[Array, ...]:
    """New rows filled the way the training rows were (classes are not known: overall values)."""
    return tuple(
        fill_column(column, values, fills[column.name]) if column.name in fills else values
        for column, values in zip(schema.columns, cells, strict=True)
    )
