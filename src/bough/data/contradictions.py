"""Rows that agree in every column and differ in class: no tree can answer them all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bough.data.table import Array, Table

__all__ = ["Contradictions", "contradictions"]


class Contradictions(NamedTuple):
    """Rows in such groups, and the number of groups."""

    n_rows: int
    n_groups: int


def contradictions(table: Table) -> Contradictions:
    """Counts them; two missing cells agree. A target of numbers contradicts nothing."""
    if table.target is None or table.schema.target.task != "classification" or not table.n_rows:
        return Contradictions(0, 0)
    order, starts = _groups(table.cells, table.n_rows)
    classes = table.target[order]
    mixed = np.minimum.reduceat(classes, starts) != np.maximum.reduceat(classes, starts)
    sizes = np.diff(np.append(starts, len(order)))
    suspects = order[np.repeat(mixed, sizes)]
    heads = np.repeat(order[starts[mixed]], sizes[mixed])
    if all(_agree(column, suspects, heads).all() for column in table.cells):
        return Contradictions(int(sizes[mixed].sum()), int(np.count_nonzero(mixed)))
    return _exactly(table, suspects)


def _groups(cells: tuple[Array, ...], n_rows: int) -> tuple[Array, Array]:
    """Rows sorted by a hash of their cells, and where each hash begins."""
    hashes = np.zeros(n_rows, np.uint64)
    for column in cells:
        hashes ^= _bits(column)
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes, kind="stable")
    sorted_hashes = hashes[order]
    begins = np.append(True, sorted_hashes[1:] != sorted_hashes[:-1])
    return order, np.flatnonzero(begins)


def _bits(column: Array) -> Array:
    """64 bits per cell, the same for cells that agree."""
    if column.dtype.kind != "f":
        return column.astype(np.int64).view(np.uint64)
    plain = column.astype(np.float64) + 0.0  # a new array, and −0 becomes 0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def _agree(column: Array, left: Array, right: Array) -> Array:
    a, b = column[left], column[right]
    agree: Array = (a == b) | ((a != a) & (b != b))
    return agree


def _exactly(table: Table, rows: Array) -> Contradictions:
    """Two different rows share a hash: sort the rows in question by their cells instead."""
    keys = np.stack([_bits(column[rows]) for column in table.cells])
    order = np.lexsort(keys)
    keys = keys[:, order]
    begins = np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0))
    starts = np.flatnonzero(begins)
    classes = table.target[rows][order]  # type: ignore[index]
    mixed = np.minimum.reduceat(classes, starts) != np.maximum.reduceat(classes, starts)
    sizes = np.diff(np.append(starts, len(rows)))
    return Contradictions(int(sizes[mixed].sum()), int(np.count_nonzero(mixed)))
