"""What asking costs in a tree: along its paths, for given rows, and beside the gain of a column.

Every column and every group of columns is paid once on a path. A question is paid when it is asked,
whether or not the cell is there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough import core
from bough.costs import altered_priors
from bough.data.table import Array, Table
from bough.errors import OptionError
from bough.predict import RowRouter, needed_columns, shares_rows_out
from bough.prices import TestCosts
from bough.splits import TO_ALL, UNKNOWN
from bough.tree import Tree

__all__ = ["Ranked", "asking_cost", "mean_asking_cost", "path_costs", "ranking"]


# ---- along the paths -----------------------------------------------------------------------------


def path_costs(tree: Tree, costs: TestCosts) -> Array:
    """Per node: what a row has paid that ends there, the question of the node itself included."""
    column = tree.nodes.column.tolist()
    parent = tree.nodes.parent.tolist()
    paid = np.zeros(len(tree))
    asked: Counter[int] = Counter()
    bought: Counter[int] = Counter()
    stack = [0]
    while stack:  # ~node: the walk leaves the branch of the node
        node = stack.pop()
        leaves = node < 0
        node = ~node if leaves else node
        at = column[node]
        if not leaves:
            paid[node] = paid[parent[node]] if node else 0.0
        if at < 0:
            continue
        group = int(costs.group[at])
        if leaves:
            asked[at] -= 1
            bought[group] -= 1
            continue
        if not asked[at]:
            paid[node] += costs.cost[at]
            paid[node] += costs.group_cost[group] if group >= 0 and not bought[group] else 0.0
        asked[at] += 1
        bought[group] += 1
        stack += [~node, *tree.children(node)]
    return paid


def asking_cost(tree: Tree, costs: TestCosts | None = None) -> float | None:
    """What a training row is asked for costs on average, by the weights the tree keeps. Stand-ins
    for missing cells are not in them, and a row that goes down several branches counts in each by
    its share. None without test costs."""
    costs = tree.test_costs if costs is None else costs
    if costs is None:
        return None
    nodes = tree.nodes
    ending = nodes.weight - np.bincount(nodes.parent[1:], nodes.weight[1:], len(tree))
    ending = np.maximum(ending, 0.0)  # sums of pieces are rounded
    return _mean(path_costs(tree, costs), ending)


def mean_asking_cost(tree: Tree, table: Table, leaf: Array, costs: TestCosts) -> float:
    """What asking costs for these rows, which end at `leaf`, on average; exactly, stand-ins and all
    branches a row goes down included."""
    paid = path_costs(tree, costs)[leaf]
    if tree.surrogates is not None or shares_rows_out(tree):
        router, places = RowRouter(tree), _places(tree)
        for row in _rows_with_gaps(tree, table).tolist():
            paid[row] = costs.of_path(_asked(tree, router, _as_dict(table, row, places)))
    return _mean(paid, np.ones(table.n_rows) if table.weights is None else table.weights)


def _mean(values: Array, weights: Array) -> float:
    return float(np.average(values, weights=weights)) if weights.sum() > 0 else math.nan


def _places(tree: Tree) -> list[int]:
    """The columns a tree may ask for, stand-ins included."""
    stands_in = [] if tree.surrogates is None else tree.surrogates.column.tolist()
    return sorted({*tree.nodes.column.tolist(), *stands_in} - {-1})


def _rows_with_gaps(tree: Tree, table: Table) -> Array:
    """Rows that lack a cell of a column the tree asks about."""
    gaps = np.zeros(table.n_rows, bool)
    for name in needed_columns(tree):
        at = table.schema.index[name]
        cells = table.cells[at]
        gaps |= np.isnan(cells) if table.schema.columns[at].kind == "number" else cells < 0
    return np.flatnonzero(gaps)


def _as_dict(table: Table, row: int, places: list[int]) -> dict[str, Any]:
    """Some columns of a row as `Tree.predict_row` takes them."""
    found: dict[str, Any] = {}
    for place in places:
        column, cell = table.schema.columns[place], table.cells[place][row].item()
        if column.kind != "number":
            cell = column.levels[cell] if cell >= 0 else None
        found[column.name] = cell
    return found


def _asked(tree: Tree, router: RowRouter, row: Mapping[str, Any]) -> set[int]:
    """The columns a row is asked for: on all the paths it takes, stand-ins included."""
    index = tree.schema.index
    asked: set[int] = set()
    stack = [0]
    while stack:
        node = stack.pop()
        if tree.is_leaf[node]:
            continue
        split = router.split(node)
        name = split.column.name
        asked.add(index[name])
        if name not in tree.fills and split.known(row[name]) == UNKNOWN:
            for surrogate in split.surrogates:
                stands_in = surrogate.question.column.name
                asked.add(index[stands_in])
                if surrogate.known(row[stands_in]) != UNKNOWN:
                    break
        child, below = router.child(node, row), tree.children(node)
        if child == TO_ALL:
            stack += [to for to in below if tree.nodes.weight[to] > 0]
        elif child >= 0:
            stack.append(below[child])
    return asked


# ---- beside the gain -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """A column at a node: what its best split gains, what asking costs, both weighed."""

    column: str
    gain: float
    price: float | None
    """What asking for it costs at this node; None without test costs."""
    weighed: float | None
    """By the rule: 0 if nothing is gained, inf if it is free and the rule divides by its price."""


def ranking(tree: Tree, node: int) -> list[Ranked]:
    """How the columns compared at a node: the chosen one, then the others, the best first."""
    runners = tree.runners_up
    if runners is None:
        raise OptionError(
            "The tree has not kept what the other columns gained: grow it with runners_up=True."
        )
    if not {"criterion", "cost_rule", "cost_use"} <= {*tree.options}:
        raise OptionError("The tree does not say how it was grown, so columns cannot be ranked.")
    if tree.is_leaf[node]:
        return []
    here = slice(int(runners.at[node]), int(runners.at[node + 1]))
    columns = [int(tree.nodes.column[node]), *runners.column[here].tolist()]
    gains = [float(tree.nodes.gain[node]), *runners.gain[here].tolist()]
    if tree.test_costs is None:
        records = [((1, g), Ranked(tree.schema.names[c], g, None, None))
                   for c, g in zip(columns, gains, strict=True)]  # fmt: skip
    else:
        prices = tree.test_costs.prices(_asked_above(tree, node))
        records = [
            _weighed(tree, node, column, gain, float(prices[column]))
            for column, gain in zip(columns, gains, strict=True)
        ]
    chosen, *others = records
    others.sort(key=lambda record: record[0], reverse=True)
    return [ranked for _, ranked in (chosen, *others)]


def _weighed(
    tree: Tree, node: int, column: int, gain: float, price: float
) -> tuple[tuple[int, float], Ranked]:
    options = tree.options
    rank, figure = core.weigh(
        options["cost_rule"],
        options["criterion"],
        gain,
        float(tree.nodes.impurity[node]),
        _felt_weight(tree, node),
        price,
    )
    shown = (0.0, figure, math.inf)[rank]
    return (rank, figure), Ranked(tree.schema.names[column], gain, price, shown)


def _felt_weight(tree: Tree, node: int) -> float:
    """The weight of a node as the search saw it: altered priors change it."""
    by_criterion = tree.options["criterion"] in ("gini", "cost_gini")
    if tree.costs is None or by_criterion or tree.options["cost_use"] == "answers":
        return float(tree.nodes.weight[node])
    return float(tree.nodes.stats[node] @ altered_priors(tree.costs))


def _asked_above(tree: Tree, node: int) -> list[int]:
    asked = []
    while node > 0:
        node = int(tree.nodes.parent[node])
        asked.append(int(tree.nodes.column[node]))
    return asked
