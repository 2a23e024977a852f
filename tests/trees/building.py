"""Trees of nested nodes, by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bough.data.schema import Schema
from bough.data.table import Array
from bough.tree import LEAF, Nodes, Tree

__all__ = ["DTYPES", "Node", "build", "family", "measures"]

DTYPES = {
    "first_child": np.int32, "n_children": np.int32, "parent": np.int32, "split_kind": np.uint8,
    "column": np.int32, "threshold": np.float64, "levels_at": np.int64, "levels": np.int32,
    "level_child": np.int16, "unseen_to": np.int16, "missing_to": np.int16,
    "missing_rows": np.int64, "rows": np.int64, "weight": np.float64, "stats": np.float64,
    "impurity": np.float64, "gain": np.float64, "p_value": np.float64,
}  # fmt: skip


@dataclass
class Node:
    """A node while a tree is being built; `stats` of an inner node come from its children."""

    rows: int = 0
    stats: tuple[float, ...] = ()
    kind: int = LEAF
    column: int = -1
    threshold: float = np.nan
    level_child: dict[int, int] = field(default_factory=dict)
    unseen_to: int = -1
    missing_to: int = -1
    missing_rows: int = 0
    p_value: float = np.nan
    children: list[Node] = field(default_factory=list)


def build(schema: Schema, root: Node, **others: Any) -> Tree:
    """A Tree of nested nodes: numbered level by level, stats and rows added up, gains computed."""
    order = [root]
    for node in order:
        order.extend(node.children)
    regression = schema.target.task == "regression"
    for node in reversed(order):
        if node.children:
            node.rows = sum(child.rows for child in node.children)
            merge = _merge_moments if regression else _merge_counts
            node.stats = merge([child.stats for child in node.children])
    return Tree(schema, _arrays(order, regression), **others)


def _merge_counts(stats: list[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(float(sum(column)) for column in zip(*stats, strict=True))


def _merge_moments(stats: list[tuple[float, ...]]) -> tuple[float, ...]:
    """Weight, mean and sum of squared deviations of several sets of rows together."""
    weight = float(sum(w for w, _, _ in stats))
    if weight == 0:
        return (0.0, 0.0, 0.0)
    mean = sum(w * m for w, m, _ in stats) / weight
    return weight, float(mean), float(sum(s + w * (m - mean) ** 2 for w, m, s in stats))


def _arrays(order: list[Node], regression: bool) -> Nodes:
    n_children = np.array([len(node.children) for node in order])
    stats = np.array([node.stats for node in order], float)
    told: dict[str, Any] = {
        "n_children": n_children,
        "split_kind": [node.kind for node in order],
        "levels_at": np.cumsum([0] + [len(node.level_child) for node in order]),
        "levels": [code for node in order for code in sorted(node.level_child)],
        "level_child": [node.level_child[c] for node in order for c in sorted(node.level_child)],
        "stats": stats,
        **family(n_children),
        **measures(stats, n_children, regression),
    }
    for name in ("column", "threshold", "unseen_to", "missing_to", "missing_rows", "rows"):
        told[name] = [getattr(node, name) for node in order]
    told["p_value"] = [node.p_value for node in order]
    return Nodes(**{name: np.asarray(told[name], DTYPES[name]) for name in DTYPES})


def family(n_children: Array) -> dict[str, Array]:
    first, parent = np.full(len(n_children), -1), np.full(len(n_children), -1)
    inner = np.flatnonzero(n_children)
    first[inner] = 1 + np.cumsum(n_children[inner]) - n_children[inner]
    parent[1:] = np.repeat(inner, n_children[inner])
    return {"first_child": first, "parent": parent}


def measures(stats: Array, n_children: Array, regression: bool) -> dict[str, Array]:
    """Weight, Gini impurity or mean squared error, and gain, from the stats."""
    weight = stats[:, 0] if regression else stats.sum(axis=1)
    some = np.where(weight > 0, weight, 1.0)
    if regression:
        impurity = stats[:, 2] / some
    else:
        impurity = np.where(weight > 0, 1 - ((stats / some[:, None]) ** 2).sum(axis=1), 0.0)
    inner = np.flatnonzero(n_children)
    gain = np.zeros(len(weight))
    if len(inner):
        starts = np.cumsum(n_children[inner]) - n_children[inner]
        kept = np.add.reduceat((weight * impurity)[1:], starts)
        gain[inner] = impurity[inner] - kept / some[inner]
    return {"weight": weight, "impurity": impurity, "gain": gain}
