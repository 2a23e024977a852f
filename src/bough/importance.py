"""Which columns did the work: the drop of impurity each one brought about."""

from __future__ import annotations

import numpy as np

from bough.data.table import Array
from bough.tree import Tree

__all__ = ["MEANING", "importances"]

MEANING = (
    "Every split makes its rows purer: the impurity of the node times its weight, less the same of "
    "its children. A column's importance is the sum of this over the splits that ask about it, as "
    "a share of the sum over all splits. It says what this tree used, not what is true: of two "
    "columns that tell the same, one may get everything, and a column with many values gets more "
    "than it deserves when the tree is deep."
)


def importances(tree: Tree) -> Array:
    """float64, one per column of the schema: shares that add up to 1, or all 0 when no split won.

    The impurity is the one kept in the nodes, whatever criterion chose the splits.
    """
    nodes = tree.nodes
    mixed = np.where(nodes.weight > 0, nodes.weight * nodes.impurity, 0.0)
    of_children = np.bincount(nodes.parent[1:], weights=mixed[1:], minlength=len(nodes))
    inner = ~tree.is_leaf
    drop = np.maximum((mixed - of_children)[inner], 0.0)  # rounding may leave −1e-17
    total = np.bincount(nodes.column[inner], weights=drop, minlength=len(tree.schema.columns))
    whole = total.sum()
    share: Array = total / whole if whole > 0 else total
    return share
