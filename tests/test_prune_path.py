"""Cost-complexity and reduced-error pruning against trying every tree, and against scikit-learn."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough
from bough import datasets
from bough.data.table import Table
from bough.errors import DataError, OptionError
from bough.folds import each_fold, fold_numbers, held_out
from bough.prune import curve, prune, prune_table
from bough.tree import Tree
from prunings import all_cuts, is_cut_of, leaf_loss, paths
from tables import random_table, take

COSTS = np.array([[0.0, 5.0, 1.0], [1.0, 0.0, 2.0], [3.0, 1.0, 0.0]])


def small_case(seed: int) -> tuple[Tree, Table, Table]:
    """A tree small enough to try all its cuts; sometimes weights, costs, many-way splits."""
    random = Random(seed)
    task = random.choice(["classification", "classification", "regression"])
    while True:
        weights = random.choice(["none", "whole"])
        table = random_table(random, task, weights=weights, most_rows=22)  # type: ignore[arg-type]
        options = {"categories": random.choice(["branches", "subset"])}
        tree = bough.grow(
            table, recipe="cart", prune=None, missing="learned", max_leaves=9, **options
        )
        if tree.n_leaves > 1:
            break
    if tree.schema.target.task == "classification" and random.random() < 0.5:
        k = len(tree.schema.target.classes)
        costs = np.array([[random.randrange(1, 5) * (i != j) for j in range(k)] for i in range(k)])
        tree = replace(tree, costs=costs.astype(float))
    return tree, table, take(table, [random.randrange(table.n_rows) for _ in range(15)])


def losses(tree: Tree, table: Table) -> list[float]:
    found = paths(tree, tree.apply(table))
    return [leaf_loss(tree, node, table, found) for node in range(len(tree))]


@pytest.mark.parametrize("seed", range(60))
def test_the_smallest_tree_of_least_error_plus_alpha_leaves(seed: int) -> None:
    tree, table, _ = small_case(seed)
    loss = [value / tree.nodes.weight[0] for value in losses(tree, table)]
    cuts = list(all_cuts(tree))
    record = prune(tree, "cost_complexity", leaves=1).report["pruning"]
    prices = [point["alpha"] for point in record["curve"]]
    between = [(a + b) / 2 for a, b in itertools.pairwise(prices)]
    scale = max(loss[0], 1e-12)
    for alpha in [*prices, *between, 2 * prices[-1] + scale]:
        pruned = prune(tree, "cost_complexity", alpha=alpha)
        least = min(sum(loss[leaf] for leaf in cut) + alpha * len(cut) for cut in cuts)
        near = [
            cut
            for cut in cuts
            if sum(loss[leaf] for leaf in cut) + alpha * len(cut) <= least + 1e-9 * scale
        ]
        assert pruned.n_leaves == min(len(cut) for cut in near)
        mine = sum(losses(pruned, table)[n] for n in np.flatnonzero(pruned.is_leaf))
        assert mine / tree.nodes.weight[0] + alpha * pruned.n_leaves <= least + 1e-9 * scale


@pytest.mark.parametrize("seed", range(60))
def test_the_path_is_nested_and_its_errors_rise(seed: int) -> None:
    tree, table, held = small_case(seed)
    record = prune(tree, "cost_complexity", held).report["pruning"]
    path = record["curve"]
    assert [p["alpha"] for p in path] == sorted({p["alpha"] for p in path})
    assert [p["leaves"] for p in path] == sorted({p["leaves"] for p in path}, reverse=True)
    assert path[-1]["leaves"] == 1
    steps = [prune(tree, "cost_complexity", alpha=point["alpha"]) for point in path]
    held_weight = held.n_rows if held.weights is None else held.weights.sum()
    for point, here in zip(path, steps, strict=True):
        assert here.n_leaves == point["leaves"]
        for rows, name, weight in (
            (table, "training_error", tree.nodes.weight[0]),
            (held, "held_out_error", held_weight),
        ):
            lost = losses(here, rows)
            own = sum(lost[n] for n in np.flatnonzero(here.is_leaf)) / weight
            assert point[name] == pytest.approx(own, rel=1e-6, abs=1e-9)  # targets of 1e9
    training = [p["training_error"] for p in path]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(training))
    for a, b, point in zip(steps, steps[1:], path[1:], strict=False):
        assert is_cut_of(b, a)
        assert prune(a, "cost_complexity", alpha=point["alpha"]) == b


@pytest.mark.parametrize("seed", range(60))
def test_reduced_error_finds_the_smallest_of_the_best(seed: int) -> None:
    tree, _, held = small_case(seed)
    loss = losses(tree, held)
    cuts = list(all_cuts(tree))
    least = min(sum(loss[leaf] for leaf in cut) for cut in cuts)
    near = [c for c in cuts if sum(loss[leaf] for leaf in c) <= least + 1e-9 * max(loss[0], 1e-9)]
    pruned = prune(tree, "reduced_error", held)
    assert pruned.n_leaves == min(len(cut) for cut in near)
    kept = prune(tree, "reduced_error", held, equal="keep")
    assert kept.n_leaves == max(len(cut) for cut in near)


# ---- scikit-learn --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("task", "weighted"),
    [("classification", True), ("regression", False), ("regression", True)],
)
def test_scikit_learn_gives_the_same_path(task: str, weighted: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(150, 4))  # no ties; classes that count once each would have some
    noisy = x[:, 0] + x[:, 1] * (x[:, 2] > 0) + rng.normal(size=150)
    y = noisy if task == "regression" else np.digitize(noisy, [-0.5, 0.7])
    weights = rng.random(150) if weighted else None
    model = DecisionTreeRegressor if task == "regression" else DecisionTreeClassifier
    theirs = model(random_state=0).cost_complexity_pruning_path(x, y, weights)
    tree = bough.grow(x, y, recipe="cart", prune=None, task=task, weights=weights)
    path = prune(tree, "cost_complexity", leaves=1, measure="impurity").report["pruning"]["curve"]
    alphas = np.array([point["alpha"] for point in path])
    # scikit-learn lists a step of nearly no cost more than once; every other α must be there
    steps = [i for i, a in enumerate(theirs.ccp_alphas) if i == 0 or a > 1e-9]
    assert alphas == pytest.approx(theirs.ccp_alphas[steps], rel=1e-7, abs=1e-12)
    mine = np.array([point["impurity"] for point in path])
    assert mine == pytest.approx(theirs.impurities[steps], rel=1e-7, abs=1e-9)
    for alpha in (alphas[:-1] + alphas[1:])[::7] / 2:
        fitted = model(random_state=0, ccp_alpha=alpha).fit(x, y, weights)
        pruned = prune(tree, "cost_complexity", alpha=float(alpha), measure="impurity")
        assert pruned.n_leaves == fitted.get_n_leaves()


# ---- choosing ------------------------------------------------------------------------------------


def many_rows(costs: bool, weights: bool) -> tuple[Tree, Table]:
    table = random_noise(3, 240)
    if weights:
        table = replace(table, weights=np.random.default_rng(1).integers(0, 4, 240).astype(float))
    matrix = COSTS if costs else None
    tree = bough.grow(table, recipe="cart", prune=None, costs=matrix)
    return tree, table


def random_noise(classes: int, n: int) -> Table:
    from tables import build, levelled, number

    rng = np.random.default_rng(5)
    x, z = rng.integers(0, 12, n).astype(float), rng.integers(0, 4, n)
    y = (x // 5 + (rng.random(n) < 0.35) * rng.integers(0, classes, n)).astype(int) % classes
    return build([number("x", x), levelled("z", "category", 4, z.tolist())], y.tolist(), classes)


def error_of(tree: Tree, table: Table) -> np.ndarray:
    """Per row, by the answers it gets."""
    codes = {name: code for code, name in enumerate(tree.schema.target.classes)}
    given = np.array([codes[name] for name in tree.predict(table)])
    if tree.costs is None:
        return np.not_equal(given, table.target).astype(float)
    return COSTS[table.target, given]


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("costs", [False, True])
def test_cross_validation_by_hand(costs: bool, weights: bool) -> None:
    tree, table = many_rows(costs, weights)
    pruned = prune(tree, "cost_complexity", table, folds=5, rule="one_se", seed=3)
    if table.weights is not None:
        table = table.take(table.weights > 0)  # the others go to no fold
    record = pruned.report["pruning"]
    prices = [point["alpha"] for point in record["curve"]]
    between = [(a * b) ** 0.5 for a, b in itertools.pairwise(prices)] + [1e9]
    weight = np.ones(table.n_rows) if table.weights is None else table.weights
    matrix = COSTS if costs else None
    losses_at = np.zeros((len(between), table.n_rows))
    for learn, judged in each_fold(fold_numbers(table, 5, 3)):
        grown = bough.grow(table.take(learn), recipe="cart", prune=None, costs=matrix)
        for i, alpha in enumerate(between):
            smaller = prune(grown, "cost_complexity", alpha=alpha)
            losses_at[i, judged] = error_of(smaller, table.take(judged))
    errors = (losses_at * weight).sum(axis=1) / weight.sum()
    mine = [point["cross_validated_error"] for point in record["curve"]]
    assert mine == pytest.approx(errors.tolist(), abs=1e-12)
    best = max(i for i, e in enumerate(errors) if e <= errors.min() + 1e-12)
    spread = weight * (losses_at[best] - errors[best])
    deviation = np.sqrt((spread**2).sum()) / weight.sum()
    assert record["smallest_error"] == pytest.approx(errors.min())
    assert record["standard_error"] == pytest.approx(deviation)
    chosen = max(i for i, e in enumerate(errors) if e <= errors.min() + deviation)
    assert record["alpha"] == prices[chosen]
    assert pruned.n_leaves == record["curve"][chosen]["leaves"]
    least = prune(tree, "cost_complexity", table, folds=5, seed=3)
    assert least.n_leaves == record["curve"][best]["leaves"]


def test_one_standard_error_takes_a_smaller_tree() -> None:
    table = datasets.load("titanic")
    apart = held_out(table, 0.3)
    tree, held = bough.grow(table.take(~apart), recipe="cart", prune=None), table.take(apart)
    least = prune(tree, "cost_complexity", held)
    simple = prune(tree, "cost_complexity", held, rule="one_se")
    record = simple.report["pruning"]
    errors = {point["leaves"]: point["held_out_error"] for point in record["curve"]}
    limit = record["smallest_error"] + record["standard_error"]
    p = record["smallest_error"]
    assert record["standard_error"] == pytest.approx(
        (p * (1 - p) / held.n_rows) ** 0.5
    )  # of a share
    assert min(size for size, error in errors.items() if error <= limit) == simple.n_leaves
    assert simple.n_leaves < least.n_leaves
    assert is_cut_of(simple, least)


def test_costs_given_for_the_pruning_make_the_answers_cheapest() -> None:
    tree, table = many_rows(costs=False, weights=False)
    pruned = prune(tree, "cost_complexity", table, folds=5, costs=COSTS)
    assert tree.costs is None
    expected = (pruned.nodes.stats @ COSTS).min(axis=1)
    given = (pruned.nodes.stats @ COSTS)[np.arange(len(pruned)), pruned.answers]
    assert given == pytest.approx(expected)
    assert (pruned.answers != replace(pruned, costs=None).answers).any()


def test_by_leaves_the_largest_tree_that_fits() -> None:
    tree, _ = many_rows(costs=False, weights=False)
    sizes = [point[0] for point in curve(tree)]
    for leaves in range(1, sizes[0] + 2):
        fitting = max(size for size in sizes if size <= leaves)
        pruned = prune(tree, "cost_complexity", leaves=leaves)
        assert pruned.n_leaves in (fitting, sizes[1])  # α = 0 may already cut what costs nothing


def test_the_curve_by_hand() -> None:
    tree, table = many_rows(costs=False, weights=False)
    held = random_noise(3, 90)
    points = curve(tree, held)
    assert points[0][0] == tree.n_leaves and points[-1][0] == 1
    assert [p[:2] for p in points] == [p[:2] for p in curve(tree)]
    for leaves, training, other in points[1:]:
        pruned = prune(tree, "cost_complexity", leaves=leaves)
        assert training == pytest.approx(error_of(pruned, table).mean())
        assert other == pytest.approx(error_of(pruned, held).mean())
    assert points[0][2] == pytest.approx(error_of(tree, held).mean())
    assert curve(tree)[0][2] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs alpha="),
        ({"alpha": 0.1, "leaves": 3}, "alpha and leaves are given"),
        ({"folds": 1}, "from 2 up"),
        ({"alpha": -1}, "out of range"),
        ({"rule": "onese"}, 'Did you mean "one_se"'),
        ({"cf": 0.2}, "belongs to pessimistic"),
        ({"alhpa": 0.2}, 'Did you mean "alpha"'),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, object], words: str) -> None:
    tree, _ = many_rows(costs=False, weights=False)
    with pytest.raises(OptionError, match=words):
        prune(tree, "cost_complexity", **options)


def test_a_tree_that_does_not_say_how_it_was_grown() -> None:
    tree, table = many_rows(costs=False, weights=False)
    with pytest.raises(OptionError, match="does not say how it was grown"):
        prune(replace(tree, options={}), "cost_complexity", table, folds=3)


def test_rows_that_cannot_judge() -> None:
    tree, table = many_rows(costs=False, weights=False)
    with pytest.raises(DataError, match="no target"):
        prune_table(tree, replace(table, target=None), "reduced_error")
    with pytest.raises(DataError, match="no weight"):
        prune_table(tree, replace(table, weights=np.zeros(240)), "cost_complexity")
    with pytest.raises(DataError, match="no rows"):
        prune_table(tree, table.take(np.array([], dtype=int)), "reduced_error")
    other = random_noise(2, 30)
    with pytest.raises(DataError, match="differs from that of the tree"):
        prune(tree, "reduced_error", other)
    with pytest.raises(OptionError, match='Did you mean "reduced_error"'):
        prune(tree, "reduce_error")
