"""Whether two trees are the same, and where a row ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from bough.data.table import Array
from bough.splits import STAYS
from bough.tree import Tree

__all__ = ["differences", "leaf_of"]


def differences(one: Tree, other: Tree) -> list[str]:
    """Names of what differs; arrays are compared bit by bit, types included."""
    plain = ("schema", "equality", "empty_branch", "fills", "options", "report")
    found = [name for name in plain if getattr(one, name) != getattr(other, name)]
    found += _array_differences(one.nodes, other.nodes, "nodes")
    for name in ("runners_up", "surrogates", "set_answers", "costs"):
        a, b = getattr(one, name), getattr(other, name)
        if (a is None) != (b is None):
            found.append(name)
        elif isinstance(a, np.ndarray):
            found += [name] if _differ(a, b) else []
        elif a is not None:
            found += _array_differences(a, b, name)
    return found


def _array_differences(one: Any, other: Any, where: str) -> list[str]:
    return [
        f"{where}.{item.name}"
        for item in fields(one)
        if _differ(getattr(one, item.name), getattr(other, item.name))
    ]


def _differ(a: Array, b: Array) -> bool:
    return a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes()


def leaf_of(tree: Tree, row: Mapping[str, Any]) -> int:
    """The leaf of a row, by the splits of bough.splits; or the node where it stays."""
    i = 0
    while split := tree.split(i):
        child = split.route(row.get(split.column.name))
        if child == STAYS:
            break
        if child < 0:
            raise ValueError(f"the row goes to all children of node {i}, not to one leaf")
        i = tree.children(i)[child]
    return i
