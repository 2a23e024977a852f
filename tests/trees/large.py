"""Very large trees of two shapes, made by whole arrays."""

from __future__ import annotations

import numpy as np

from bough.data.schema import Column, Schema, Target, Task
from bough.data.table import Array
from bough.tree import LEAF, THRESHOLD, Nodes, Tree
from trees.building import DTYPES, family, measures

__all__ = ["bushy", "chain"]


def chain(n_nodes: int, task: Task = "classification") -> Tree:
    """As deep as can be: one child of every inner node is a leaf. An odd number of nodes."""
    inner = np.arange(n_nodes) % 2 == 0
    inner[-1] = False
    return _large(np.where(inner, 2, 0), task)


def bushy(n_nodes: int, task: Task = "classification") -> Tree:
    """As flat as two-way splits can be. An odd number of nodes."""
    return _large(np.where(np.arange(n_nodes) < n_nodes // 2, 2, 0), task)


def _large(n_children: Array, task: Task) -> Tree:
    """Numeric two-way splits, with one row per leaf or a few; everything by whole arrays."""
    n, inner = len(n_children), n_children > 0
    if n % 2 == 0:
        raise ValueError(f"{n} nodes: a tree of two-way splits has an odd number of nodes")
    rng = np.random.default_rng(0)
    places = family(n_children)
    own = np.where(inner[:, None], 0, rng.integers(1, 4, (n, 2)))
    counts = _added_up(own, places["parent"], places["first_child"])
    if task == "regression":
        total = counts.sum(axis=1).astype(float)
        stats = np.column_stack((total, rng.normal(size=n), total))
    else:
        stats = counts.astype(float)
    told = {
        "n_children": n_children,
        "split_kind": np.where(inner, THRESHOLD, LEAF),
        "column": np.where(inner, rng.integers(0, 4, n), -1),
        "threshold": np.where(inner, rng.normal(size=n), np.nan),
        "levels_at": np.zeros(n + 1),
        "levels": [],
        "level_child": [],
        "unseen_to": np.full(n, -1),
        "missing_to": np.where(inner, rng.integers(0, 2, n), -1),
        "missing_rows": np.zeros(n),
        "rows": counts.sum(axis=1),
        "stats": stats,
        "p_value": np.where(inner & (task == "classification"), rng.random(n), np.nan),
        **places,
        **measures(stats, n_children, task == "regression"),
    }
    nodes = Nodes(**{name: np.asarray(told[name], DTYPES[name]) for name in DTYPES})
    columns = tuple(Column(f"x{i}", "number") for i in range(4))
    classes = ("no", "yes") if task == "classification" else ()
    return Tree(Schema(columns, Target("y", task, classes)), nodes)


def _added_up(own: Array, parent: Array, first_child: Array) -> Array:
    """For every node the sum over its leaves. Two shapes only, each without a loop over nodes."""
    counts = own.copy()
    chained = bool((first_child[::2][:-1] >= 0).all())
    if chained:  # the leaves below node 2k are 2k+1, 2k+3, … and the last node
        counts[:-1:2] = own[1::2][::-1].cumsum(axis=0)[::-1] + own[-1]
        return counts
    bounds = [0]  # where the levels of the tree start
    while first_child[bounds[-1]] >= 0:
        bounds.append(int(first_child[bounds[-1]]))
    bounds.append(len(own))
    for level in range(len(bounds) - 2, 0, -1):
        cut = slice(bounds[level], bounds[level + 1])
        np.add.at(counts, parent[cut], counts[cut])
    return counts
