"""Rows that a tree sends down all branches where a cell is missing, with shares of their weight."""

from __future__ import annotations

import numpy as np

from bough.data.table import Array, Table
from bough.predict import _filled, _shared_out, _waiting, _walk
from bough.splits import TO_ALL
from bough.tree import Tree

__all__ = ["shared_endings"]


def shared_endings(tree: Tree, table: Table) -> tuple[Array, Array, Array]:
    """Row, share of it, node where that share ends; a row comes once for every end it has."""
    table = _filled(tree, table)
    waiting = _waiting(tree)
    row, share = np.arange(table.n_rows), np.ones(table.n_rows)
    start = np.zeros(table.n_rows, np.int32)
    found: list[tuple[Array, Array, Array]] = []
    while len(row):
        at = _walk(tree, waiting, table.take(row), None, start)
        ends = (tree.nodes.n_children[at] == 0) | (tree.nodes.missing_to[at] != TO_ALL)
        found.append((row[ends], share[ends], at[ends]))
        row, share, start = _shared_out(tree, row[~ends], share[~ends], at[~ends])
    rows, shares, nodes = (np.concatenate(part) for part in zip(*found, strict=True))
    return rows, shares, nodes
