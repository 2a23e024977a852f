"""Error against the number of leaves, along the cost-complexity path."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.table import Table
from bough.prune.cost_complexity import alphas, tree_risk
from bough.prune.nested import along, judge
from bough.prune.weakest import price_steps
from bough.tree import Tree

__all__ = ["Point", "curve_table"]

Point = tuple[int, float, float | None]
"""Leaves, training error, held-out error: shares of weight, or cost or mean squared error."""


def curve_table(tree: Tree, table: Table | None = None) -> list[Point]:
    """From the whole tree to the root alone."""
    cut_at = alphas(tree)
    steps = np.concatenate(([-np.inf], price_steps(tree, cut_at)))
    leaves = along(tree, cut_at, steps, np.ones(len(tree)))
    risk = tree_risk(tree)
    training = np.maximum(along(tree, cut_at, steps, risk.as_leaf, risk.ending), 0.0)
    held: Any = [None] * len(steps)
    if table is not None:
        judged = judge(tree, lambda _: cut_at, table)
        weight = table.n_rows if table.weights is None else table.weights.sum()
        held = np.maximum(judged.totals(steps) / weight, 0.0)
    points: list[Point] = []
    for count, error, other in zip(leaves, training, held, strict=True):
        if not points or points[-1][0] != round(count):
            points.append((round(count), float(error), None if other is None else float(other)))
    return points
