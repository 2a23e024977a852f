"""What nodes lose as leaves: errors, costs or squared error, on training or on other rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bough.data.table import Array, Table
from bough.predict import apply_table, shares_rows_out
from bough.prune.endings import shared_endings
from bough.splits import STAYS
from bough.tree import Tree

__all__ = [
    "TOLERANCE",
    "Losses",
    "Seen",
    "add_up",
    "best_answers",
    "endings",
    "node_losses",
    "row_losses",
    "seen_by",
    "seen_in_training",
    "tree_losses",
    "weight_of",
]

TOLERANCE = 1e-12
"""Losses closer than this share of the whole are equal: sums of weights are rounded."""


@dataclass(frozen=True)
class Seen:
    """Rows as a tree sees them: stats per node, laid out like those of the tree."""

    passing: Array
    """Of all rows that come to the node."""
    ending: Array
    """Of those that go no further: all in a leaf; elsewhere rows whose missing cell stops them."""


@dataclass(frozen=True)
class Losses:
    """float64 per node."""

    as_leaf: Array
    """What all rows that come to the node lose if it answers them."""
    ending: Array
    """What the rows lose that end here in the tree as it is."""


def tree_losses(tree: Tree, seen: Seen, answers: Array | None = None) -> Losses:
    """`answers`: of the nodes when they become leaves; by default as the tree has them."""
    own: Array = tree.answers
    return Losses(
        node_losses(tree, seen.passing, own if answers is None else answers),
        node_losses(tree, seen.ending, own),
    )


# ---- stats ---------------------------------------------------------------------------------------


def endings(tree: Tree, table: Table) -> tuple[Array, Array, Array]:
    """Where rows end: row, share of it, node. Shares differ from 1 only where a tree sends rows
    with missing cells down all branches."""
    if shares_rows_out(tree):
        return shared_endings(tree, table)
    return np.arange(table.n_rows), np.ones(table.n_rows), apply_table(tree, table)


def seen_by(tree: Tree, table: Table) -> Seen:
    """Other rows, as the tree sees them."""
    row, share, node = endings(tree, table)
    weights = share if table.weights is None else share * table.weights[row]
    assert table.target is not None
    target, n = table.target[row], len(tree)
    if tree.schema.target.task == "regression":
        ending = _moments(node, target, weights, n)
        return Seen(_merge_upwards(tree, ending), ending)
    k = len(tree.schema.target.classes)
    cells = np.bincount(node * np.int64(k) + target, weights, minlength=n * k).reshape(n, k)
    return Seen(add_up(tree, cells), cells)


def weight_of(tree: Tree, stats: Array) -> Array:
    """float64 per node."""
    regression = tree.schema.target.task == "regression"
    return np.asarray(stats[:, 0] if regression else stats.sum(axis=1))


def seen_in_training(tree: Tree) -> Seen:
    """The rows the tree was grown from, by its stats."""
    nodes = tree.nodes
    ending = np.where(tree.is_leaf[:, None], nodes.stats, 0.0)
    for node in np.flatnonzero(~tree.is_leaf & (nodes.missing_to == STAYS)).tolist():
        ending[node] = _less(tree, node, nodes.stats[list(tree.children(node))])
    return Seen(nodes.stats, ending)


def _less(tree: Tree, node: int, children: Array) -> Array:
    """The stats of a node without those of its children: the rows that stay."""
    whole = tree.nodes.stats[node]
    if tree.schema.target.task == "classification":
        left: Array = whole - children.sum(axis=0)
        return np.where(left > TOLERANCE * tree.nodes.weight[node], left, 0.0)
    weight = whole[0] - children[:, 0].sum()
    if weight <= TOLERANCE * whole[0]:
        return np.zeros(3)
    gaps = children[:, 1] - whole[1]
    gap = -(children[:, 0] * gaps).sum() / weight  # of the mean of those that stay
    inside = whole[2] - (children[:, 2] + children[:, 0] * gaps**2).sum() - weight * gap**2
    return np.array([weight, whole[1] + gap, max(inside, 0.0)])


def add_up(tree: Tree, values: Array) -> Array:
    """Sums of every node over its subtree, itself included; 1-d, or column by column."""
    if values.ndim == 2:
        return np.column_stack([add_up(tree, column) for column in values.T])
    parent, sums = tree.nodes.parent.tolist(), values.astype(np.float64).tolist()
    for node in range(len(sums) - 1, 0, -1):  # children stand after their parents
        sums[parent[node]] += sums[node]
    return np.array(sums)


def _moments(node: Array, target: Array, weights: Array, n: int) -> Array:
    """Weight, mean, squared deviations of the rows that end at each node."""
    weight = np.bincount(node, weights, minlength=n)
    middle = float(np.average(target, weights=weights)) if weights.sum() > 0 else 0.0
    gap = target - middle
    mean = np.bincount(node, weights * gap, minlength=n) / np.where(weight > 0, weight, 1.0)
    spread = np.bincount(node, weights * (gap - mean[node]) ** 2, minlength=n)
    return np.column_stack((weight, mean + middle, spread))


def _merge_upwards(tree: Tree, ending: Array) -> Array:
    """Moments of subtrees, merged pair by pair so that nothing is lost to rounding."""
    parent = tree.nodes.parent.tolist()
    w, m, s = (column.tolist() for column in ending.T)
    for node in range(len(tree) - 1, 0, -1):
        above, here = parent[node], w[node]
        if here > 0:
            both, gap = w[above] + here, m[node] - m[above]
            s[above] += s[node] + gap * gap * w[above] * here / both
            m[above] += gap * here / both
            w[above] = both
    return np.column_stack((w, m, s))


# ---- answers and losses --------------------------------------------------------------------------


def best_answers(stats: Array, costs: Array | None, otherwise: Array) -> Array:
    """int32 per node: the class of largest weight, or of least cost; `otherwise` among equals."""
    price = -stats if costs is None else stats @ costs
    margin = TOLERANCE * stats.sum(axis=1) * (1.0 if costs is None else costs.max())
    enough = price <= (price.min(axis=1) + margin)[:, None]
    kept = (otherwise >= 0) & enough[np.arange(len(stats)), np.maximum(otherwise, 0)]
    return np.asarray(np.where(kept, otherwise, enough.argmax(axis=1)), dtype=np.int32)


def node_losses(tree: Tree, stats: Array, answers: Array) -> Array:
    """float64 per node: what rows with these stats lose together when the node answers so.

    Classes: the weight answered wrongly, or its cost; not to know is wrong, and as dear as the
    dearest answer. Numbers: squared error; not to know loses as much as the answer of the root.
    """
    if tree.schema.target.task == "regression":
        known = np.where(np.isnan(answers), tree.nodes.stats[0, 1], answers)
        return np.asarray(stats[:, 2] + stats[:, 0] * (stats[:, 1] - known) ** 2)
    price = _prices(tree)
    answered = stats @ price
    rows = np.arange(len(stats))
    return np.asarray(answered[rows, answers])  # −1, the last column: unknown


def _prices(tree: Tree) -> Array:
    """What each answer costs by actual class; the last column is not to know."""
    k = len(tree.schema.target.classes)
    costs = 1.0 - np.eye(k) if tree.costs is None else tree.costs
    return np.column_stack((costs, np.ones(k) if tree.costs is None else costs.max(axis=1)))


def row_losses(tree: Tree, table: Table) -> Array:
    """float64 per row: what the answers at its ends lose, weights left aside."""
    row, share, node = endings(tree, table)
    answers: Array = tree.answers[node]
    assert table.target is not None
    actual = table.target[row]
    if tree.schema.target.task == "regression":
        loss = (actual - np.where(np.isnan(answers), tree.nodes.stats[0, 1], answers)) ** 2
    else:
        loss = _prices(tree)[actual, answers]
    return np.bincount(row, share * loss, minlength=table.n_rows)
