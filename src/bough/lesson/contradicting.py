"""Rows that agree in every column and differ in class, by name: no tree can answer them all."""

from __future__ import annotations

import numpy as np

from bough.data.schema import Column
from bough.data.table import Array, Table
from bough.lesson.facts import Contradiction

__all__ = ["contradicting"]


def contradicting(
    table: Table, at: Array, numbers: Array, limit: int
) -> tuple[tuple[Contradiction, ...], int, int]:
    """The first `limit` groups among the rows `at`; how many groups and rows there are.

    `numbers`: what every row of the table is called.
    """
    if table.target is None or not table.schema.target.classes:
        return (), 0, 0
    rows, group = _mixed(table, at)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    groups = np.split(rows[order], starts[1:]) if len(rows) else []
    groups.sort(key=lambda members: int(members[0]))
    shown = tuple(_written(table, members, numbers, limit) for members in groups[:limit])
    return shown, len(groups), len(rows)


def _mixed(table: Table, at: Array) -> tuple[Array, Array]:
    """The rows of groups that hold more than one class, and their group. Columns are taken one
    by one, and a group of one class is dropped at once: few rows are left early on."""
    rows, group = at, np.zeros(len(at), np.int64)
    assert table.target is not None
    for cells in (None, *table.cells):
        if cells is not None and len(rows):
            _, value = np.unique(cells[rows], return_inverse=True)  # missing cells are one value
            _, group = np.unique(group * (value.max() + 1) + value, return_inverse=True)
        if not len(rows):
            break
        classes = table.target[rows]
        low = np.full(group.max() + 1, np.iinfo(classes.dtype).max, classes.dtype)
        high = np.full(group.max() + 1, -1, classes.dtype)
        np.minimum.at(low, group, classes)
        np.maximum.at(high, group, classes)
        mixed = (low < high)[group]
        rows, group = rows[mixed], group[mixed]
    return rows, group


def _written(table: Table, members: Array, numbers: Array, limit: int) -> Contradiction:
    assert table.target is not None
    first = int(members[0])
    cells = tuple(
        (column.name, _cell(column, values[first]))
        for column, values in zip(table.schema.columns, table.cells, strict=True)
    )
    # One row of each class first, so that the contradiction is seen however few are listed.
    _, firsts = np.unique(table.target[members], return_index=True)
    rest = np.setdiff1d(np.arange(len(members)), firsts)
    chosen = np.sort(np.concatenate([firsts, rest])[: max(2, limit)])
    classes = table.schema.target.classes
    rows = tuple(
        (int(numbers[row]), str(classes[int(table.target[row])])) for row in members[chosen]
    )
    return Contradiction(cells, rows, len(members))


def _cell(column: Column, cell: float) -> str:
    if column.kind == "number":
        return "missing" if np.isnan(cell) else column.show(float(cell))
    return column.levels[int(cell)] if cell >= 0 else "missing"
