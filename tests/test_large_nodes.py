"""Nodes of many rows are searched by histograms (docs/speed.md): the tree must not show it.

Every accelerator has a switch (`Options` in src/core/types.hpp), known to the core only; with a
limit of 0 rows for order lists, even the smallest node counts as large. So the judge can look at
the histogram search of small tables, and tables of usual size can be grown both ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
from bough.data.table import Table
from bough.errors import OptionError
from bough.growing import grow_table
from bough.tree import Tree
from tables import (
    WEIGHTS,
    big_table,
    build,
    levelled,
    number,
    plain_cart,
    random_table,
    shown,
    tables,
    take,
)
from test_core_against_reference import check, random_limits, task_of
from test_metamorphic import ARRAYS, CRITERIA, assert_same

LISTS: dict[str, Any] = {"block_rows": 2**40}
"""Everything from order lists: the search without any accelerator."""

COSTS = np.array([[0.0, 1, 4], [2, 0, 1], [1, 3, 0]])


def switches(random: Random) -> dict[str, Any]:
    """Any way to go about the search of large nodes; nearly all nodes are large."""
    return {
        "block_rows": random.choice([0, 0, 3]),
        "most_bins": random.choice([1, 2, 3, 5, 254]),
        "bound": random.random() < 0.7,
        "subtract": random.random() < 0.7,
        "fine_codes": random.random() < 0.7,
        "most_waiting": random.choice([0, 1000, 2**28]),
        "shared_cells": random.choice([0, 20, 200_000]),
        "threads": random.choice([1, 1, 2]),
    }


# ---- the judge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("missing", ["learned", "own"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_judge_finds_the_splits_of_large_nodes(
    criterion: str, missing: str, weights: str
) -> None:
    if criterion == "twoing" and missing == "own":
        pytest.skip("twoing compares two sides")
    splits = 0
    for seed in range(80):
        random = Random(f"large {criterion} {missing} {weights} {seed}")
        table = random_table(random, task_of(criterion), weights=weights)
        limits = random_limits(random, criterion) if seed % 2 else {}
        chosen = {"criterion": criterion, "missing": missing, **limits}
        options = plain_cart(task_of(criterion), chosen)
        tree = check(table, {**options, **switches(random)})
        splits += int((tree.nodes.n_children > 0).sum())
    assert splits > 30


@settings(max_examples=150, deadline=None, derandomize=True)
@given(table=tables(), bins=st.integers(1, 4), fine=st.booleans(), data=st.data())
def test_the_judge_finds_them_shrinking(
    table: Table, bins: int, fine: bool, data: st.DataObject
) -> None:
    regression = not table.schema.target.classes
    criterion = data.draw(st.sampled_from(["squared_error"] if regression else CRITERIA[:-1]))
    options = plain_cart(task_of(criterion), {"criterion": criterion})
    check(table, {**options, "block_rows": 0, "most_bins": bins, "fine_codes": fine})


# ---- both ways -----------------------------------------------------------------------------------


def tall_table(random: Random, n_classes: int, policy: str, weighted: bool) -> Table:
    """A few thousand rows: numbers near and far apart, many levels, rows that repeat."""
    rng = np.random.default_rng(random.randrange(2**32))
    n = 6_000
    x = rng.normal(size=(n, 3)) * [1, 1e-3, 1e6] + [0, 7, 0]
    x[:, 2] = np.where(rng.random(n) < 0.3, 0.0, np.exp(np.abs(x[:, 2]) % 9))  # a heap and a tail
    x[rng.random(x.shape) < (0.05 if policy else 0)] = np.nan
    levels = rng.integers(0, 40, n)
    columns = [number(f"n{at}", x[:, at], "float32" if at == 1 else "float64") for at in range(3)]
    columns += [levelled("o", "ordered", 300, rng.integers(0, 300, n).tolist())]
    columns += [levelled("c", "category", 40, levels.tolist())]
    columns += [levelled("many", "category", 400, rng.integers(0, 400, n).tolist())]
    signal = np.nan_to_num(x[:, 0]) + 0.1 * (levels % 5) + 0.5 * rng.normal(size=n)
    weights = rng.random(n).tolist() if weighted else None
    if n_classes == 0:
        return build(columns, (1e6 * (levels == 3) + signal).tolist(), 0, weights)
    edges = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
    return build(columns, np.digitize(signal, edges).tolist(), n_classes, weights)


def cases() -> Iterator[tuple[str, int, str, bool, dict[str, Any]]]:
    policies = ["", "learned", "own", "surrogate", "stop", "fractional"]
    at = 0
    for criterion in [*CRITERIA, "cost_gini"]:
        counts = {"squared_error": (0,), "cost_gini": (3,)}.get(criterion, (2, 3, 26))
        for n_classes in counts:
            for policy in ("", policies[1 + at % 5]):
                if criterion == "twoing" and policy == "own":
                    policy = "learned"
                limits: dict[str, Any] = {"max_leaves": 60} if at % 3 else {"min_rows_leaf": 5}
                ways = ["subset"] if "r" in policy else ["subset", "one_vs_rest"]
                yield (
                    criterion,
                    n_classes,
                    policy,
                    at % 2 > 0,
                    {
                        **limits,
                        "categories": ways[at % len(ways)],
                        "runners_up": at % 4 == 0,
                    },
                )
                at += 1


@pytest.mark.parametrize(("criterion", "n_classes", "policy", "weighted", "limits"), [*cases()])
def test_lists_and_histograms_grow_the_same_tree(
    criterion: str, n_classes: int, policy: str, weighted: bool, limits: dict[str, Any]
) -> None:
    random = Random(f"{criterion} {n_classes} {policy} {weighted}")
    table = tall_table(random, n_classes, policy, weighted)
    costs = COSTS if criterion == "cost_gini" else None
    chosen = {"criterion": criterion, "missing": policy or "learned", "max_depth": 9, **limits}
    options = plain_cart(task_of(criterion), chosen)
    lists = grow_table(table, {**options, **LISTS}, costs=costs)
    assert len(lists.nodes) > 30
    usual = grow_table(table, {**options, "threads": 1}, costs=costs)
    turned = grow_table(table, {**options, **switches(random)}, costs=costs)
    for other in (usual, turned):
        assert_same(lists, other, ARRAYS, take(table, range(0)))
        assert lists.report["ties"] == other.report["ties"]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("limits", [{}, {"max_leaves": 200}, {"missing": "own"}])
@pytest.mark.parametrize("exact", [True, False])
def test_threads_share_large_nodes(task: Any, limits: dict[str, Any], exact: bool) -> None:
    """More cells than one thread takes for itself, and more rows than one part of a sum."""
    table = big_table(Random(8), task, 60_000)
    options = plain_cart(task, {"min_rows_leaf": 20, "exact": exact, **limits})
    trees = [grow_table(table, {**options, "threads": threads}) for threads in (1, 2, 3)]
    assert len(trees[0].nodes) > 60
    for other in trees[1:]:
        assert_same(trees[0], other, ARRAYS, take(table, range(0)))


def test_numbers_of_every_size_have_a_bin() -> None:
    """A range too wide for a float: the way to a bin must not lose itself in infinity."""
    rng = np.random.default_rng(1)
    huge = np.concatenate([1.7e308 * rng.uniform(-1, 1, 2500), rng.normal(size=2500)])
    tiny = rng.integers(-900, 900, 5000) * 5e-324
    target = ((huge > 1e307) ^ (tiny > 1e-322)).astype(int)
    table = build([number("huge", huge), number("tiny", tiny)], target.tolist(), 2)
    for exact in (True, False):
        options = plain_cart("classification", {"exact": exact, "max_depth": 5})
        usual = grow_table(table, options)
        if exact:
            assert_same(grow_table(table, {**options, **LISTS}), usual, ARRAYS, table)
            assert usual.n_leaves > 3


# ---- exact=False -------------------------------------------------------------------------------


def first_gain(tree: Tree) -> float:
    return float(tree.nodes.gain[0])


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "significance"])  # no bins
def test_bins_gain_at_most_what_every_threshold_gains(criterion: str) -> None:
    worse = 0
    for seed in range(40):
        random = Random(f"{criterion} {seed}")
        table = random_table(random, task_of(criterion), weights=random.choice(list(WEIGHTS)))
        chosen = {"criterion": criterion, "max_depth": 1, "min_rows_leaf": random.choice([1, 3])}
        options = plain_cart(task_of(criterion), chosen)
        few = {"block_rows": 0, "most_bins": 3, "exact": False}
        exact, rough = (grow_table(table, {**options, **more}) for more in ({}, few))
        size = max(1.0, float(exact.nodes.impurity[0]))
        assert first_gain(rough) <= first_gain(exact) + 1e-9 * size, shown(table)
        worse += first_gain(rough) < first_gain(exact) - 1e-9 * size
    assert worse > 0, "the switch did nothing"


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_few_values_have_a_bin_each(task: Any) -> None:
    """At most 253 values in a column: nothing is left between the bins."""
    table = big_table(Random(2), task, 5_000)
    cells = tuple(np.round(cells, 1) if cells.dtype.kind == "f" else cells for cells in table.cells)
    assert max(len(np.unique(column)) for column in cells) < 253
    table = replace(table, cells=cells)
    options = plain_cart(task, {})
    exact, rough = (grow_table(table, {**options, "exact": exact}) for exact in (True, False))
    assert len(exact.nodes) > 500
    assert_same(exact, rough, ARRAYS, table)


def test_small_tables_do_not_notice() -> None:
    table = big_table(Random(4), "classification", 2_048)
    options = plain_cart("classification", {})
    one, other = (grow_table(table, {**options, "exact": exact}) for exact in (True, False))
    assert_same(one, other, ARRAYS, table)


def test_a_bin_of_a_large_node_stays_whole() -> None:
    """10,000 values in 254 bins: the first cut falls between bins, so it misses row 5,001 by a few
    rows; the threshold still stands between two neighbours of the data."""
    x = np.arange(10_000.0)
    data = {"x": x, "y": np.where(x <= 5_001, "low", "high")}
    exact = bough.grow(data, "y", recipe="cart", prune=None)
    assert exact.n_leaves == 2 and exact.nodes.threshold[0] == 5_001.5
    rough = bough.grow(data, "y", recipe="cart", prune=None, max_depth=1, exact=False)
    at = float(rough.nodes.threshold[0])
    assert at != 5_001.5 and abs(at - 5_001.5) < 10_000 / 254 and at % 1 == 0.5
    assert rough.nodes.rows[1] == (x <= at).sum()
    assert rough.options["exact"] is False and exact.options["exact"] is True


def test_exact_is_yes_or_no() -> None:
    with pytest.raises(OptionError, match="exact='maybe' is not allowed: give True or False"):
        bough.grow({"a": [1, 2], "y": ["u", "v"]}, "y", exact="maybe")  # type: ignore[arg-type]


def test_exact_in_scikit_learn() -> None:
    sklearn = pytest.importorskip("bough.sklearn")
    x = np.arange(10_000.0)[:, None]
    model = sklearn.TreeClassifier(max_depth=1, exact=False).fit(x, x[:, 0] <= 5_001)
    assert model.tree_.options["exact"] is False and model.tree_.nodes.threshold[0] != 5_001.5
    model = sklearn.TreeRegressor(max_depth=1).fit(x, x[:, 0] <= 5_001)
    assert model.tree_.options["exact"] is True and model.tree_.nodes.threshold[0] == 5_001.5
