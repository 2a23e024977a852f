"""The same tree with the stats of other rows, or of other weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bough.data.table import Array, Table
from bough.predict import pieces
from bough.tree import Tree

__all__ = ["with_stats_of"]


def with_stats_of(tree: Tree, table: Table) -> Tree:
    """Rows, weights and stats of every node from the rows of `table`; splits, impurities, gains and
    p-values stay those of the search. A node that no row reaches has weight 0."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    counts = weights > 0
    table, weights = table.take(counts), weights[counts]
    assert table.target is not None
    row, share, leaf = (np.concatenate(parts) for parts in zip(*pieces(tree, table), strict=True))
    weights, y = weights[row] * share, table.target[row]
    n = len(tree)
    rows = _upwards(tree, np.bincount(leaf, minlength=n).astype(np.float64)[:, None])
    if tree.schema.target.classes:
        k = len(tree.schema.target.classes)
        cells = np.bincount(leaf * k + y, weights, n * k).reshape(n, k)
        stats = _upwards(tree, cells)
        weight = stats.sum(axis=1)
    else:
        stats = _moments(tree, leaf, y, weights)
        weight = stats[:, 0].copy()
    nodes = replace(tree.nodes, rows=rows[:, 0].astype(np.int64), weight=weight, stats=stats)
    return replace(tree, nodes=nodes)


def _upwards(tree: Tree, values: Array) -> Array:
    """Adds what stands at each node to all nodes above it, level by level from the bottom."""
    total = values.copy()
    for depth in range(tree.depth, 0, -1):
        here = np.flatnonzero(tree.depths == depth)
        np.add.at(total, tree.nodes.parent[here], total[here])
    return total


def _moments(tree: Tree, leaf: Array, y: Array, weights: Array) -> Array:
    """Weight, mean, sum of squared deviations; centred first for the sake of large offsets."""
    centre = float(np.average(y, weights=weights))
    n = len(tree)
    gap = y - centre
    sums = [np.bincount(leaf, weights * gap**power, n) for power in (0, 1, 2)]
    w, s, q = _upwards(tree, np.stack(sums, axis=1)).T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(w > 0, s / w, 0.0)
    squares = np.maximum(q - w * mean**2, 0.0)
    return np.stack([w, np.where(w > 0, centre + mean, 0.0), squares], axis=1)
