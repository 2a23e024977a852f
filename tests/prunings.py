"""What the tests of pruning share: ways to prune, small trees, and pruning by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any

import numpy as np

from bough.data.table import Table
from bough.prune import METHODS
from bough.splits import STAYS
from bough.tree import Nodes, Tree


@dataclass(frozen=True)
class Way:
    """A method with options; `rows`: which rows it asks for."""

    method: str
    options: dict[str, Any] = field(default_factory=dict)
    rows: str = "none"
    """none, held or trained"""

    def __str__(self) -> str:
        return "-".join([self.method, *(f"{k}={v}" for k, v in self.options.items())])


WAYS = [
    Way("reduced_error", {}, "held"),
    Way("reduced_error", {"equal": "keep", "label": "pruning"}, "held"),
    Way("reduced_error", {"equal": "prune", "label": "pruning"}, "held"),
    Way("chi_square", {"max_p": 0.1}),
    Way("chi_square", {"max_p": 0.3, "p_value": "permutation"}),
    Way("chi_square", {}, "held"),
    Way("chi_square", {"folds": 2}, "trained"),
    Way("cost_complexity", {"alpha": 0.05}),
    Way("cost_complexity", {"leaves": 3}),
    Way("cost_complexity", {}, "held"),
    Way("cost_complexity", {"rule": "one_se"}, "held"),
    Way("cost_complexity", {"folds": 2, "rule": "one_se"}, "trained"),
    Way("cost_complexity", {"alpha": 0.02, "measure": "impurity"}),
    Way("pessimistic"),
    Way("pessimistic", {"cf": 0.05, "slack": 0.0}),
]
RAISING = Way("pessimistic", {"raising": True}, "trained")


def fits(way: Way, tree: Tree, table: Table) -> bool:
    """Whether the way of pruning can be asked of this tree of this table."""
    if table.schema.target.task not in METHODS[way.method].tasks:
        return False
    if way == RAISING and (tree.nodes.missing_to[~tree.is_leaf] == STAYS).any():
        return False
    if way.options.get("p_value") == "permutation":
        return bool((tree.nodes.stats == np.floor(tree.nodes.stats)).all())
    if way.options.get("folds") and table.n_rows < 4:
        return False
    return not (way.options.get("folds") and table.weights is not None)


def rows_for(way: Way, table: Table, held: Table) -> Table | None:
    return {"none": None, "held": held, "trained": table}[way.rows]


def is_cut_of(small: Tree, big: Tree) -> bool:
    """The same questions, stats and numbers down to where the small tree has leaves."""
    pairs = [(0, 0)]
    inherited = ("rows", "weight", "impurity")
    asked = ("column", "threshold", "split_kind", "n_children", "gain", "p_value", "missing_to")
    for a, b in pairs:
        leaf = bool(small.is_leaf[a])
        names = inherited if leaf else inherited + asked
        for name in names:
            one, other = getattr(small.nodes, name)[a], getattr(big.nodes, name)[b]
            if not np.array_equal(one, other, equal_nan=True):
                return False
        if (small.nodes.stats[a] != big.nodes.stats[b]).any():
            return False
        if not leaf:
            if str(small.split(a)) != str(big.split(b)):
                return False
            pairs.extend(zip(small.children(a), big.children(b), strict=True))
    return len(pairs) == len(small)


def snapshot(tree: Tree) -> dict[str, bytes]:
    """Every array of the nodes, to see later that none has changed."""
    return {item.name: getattr(tree.nodes, item.name).tobytes() for item in fields(Nodes)}


def all_cuts(tree: Tree, node: int = 0) -> Iterator[tuple[int, ...]]:
    """The leaves of every tree this one can be cut to."""
    yield (node,)
    if not tree.is_leaf[node]:
        below = [list(all_cuts(tree, child)) for child in tree.children(node)]
        for parts in product(*below):
            yield tuple(leaf for part in parts for leaf in part)


def leaf_loss(tree: Tree, node: int, table: Table, leaf_of: list[list[int]]) -> float:
    """What the rows that pass a node lose if it answers, row by row."""
    answer, total = tree.answers[node], 0.0
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    for row, path in enumerate(leaf_of):
        if node in path:
            actual = table.target[row]
            if tree.schema.target.task == "regression":
                loss = (actual - answer) ** 2
            elif tree.costs is not None:
                loss = tree.costs[actual, answer]
            else:
                loss = float(actual != answer)
            total += weights[row] * loss
    return float(total)


def paths(tree: Tree, leaves: np.ndarray) -> list[list[int]]:
    """Every row's nodes from its leaf to the root."""
    found = []
    for leaf in leaves.tolist():
        path = [leaf]
        while path[-1]:
            path.append(int(tree.nodes.parent[path[-1]]))
        found.append(path)
    return found
