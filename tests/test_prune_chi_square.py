"""χ² pruning: permutation values counted by hand, doubts, choosing max_p."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest
from scipy.stats import hypergeom

import bough
from bough import datasets, measure
from bough.data.table import Table
from bough.errors import OptionError
from bough.folds import each_fold, fold_numbers, held_out
from bough.prune import permutation, prune
from bough.prune.chi_square import GRID, smallest_expected, split_p_values
from bough.prune.permutation import permutation_p
from bough.tree import Tree
from tables import build, number, random_table


def counted(children: list[list[int]]) -> float:
    """The share of all orders of the classes whose χ² is as large."""
    sizes = [sum(child) for child in children]
    classes = [c for child in children for c, n in enumerate(child) for _ in range(n)]
    observed = measure.chi_square(children).statistic
    ends = np.cumsum([0, *sizes])
    large = total = 0
    for order in permutations(classes):
        cells = np.zeros(np.shape(children))
        for child in range(len(sizes)):
            for c in order[ends[child] : ends[child + 1]]:
                cells[child, c] += 1
        total += 1
        large += measure.chi_square(cells).statistic >= observed - 1e-9
    return large / total


@pytest.mark.parametrize(
    "children",
    [
        [[2, 0], [0, 1]],
        [[3, 0], [0, 3]],
        [[1, 1], [1, 0]],
        [[2, 1, 0], [0, 1, 2]],
        [[2, 0, 0], [0, 2, 0], [1, 0, 2]],
        [[0, 2], [0, 0], [3, 2]],
        [[4, 0], [0, 1], [1, 1]],
    ],
)
def test_every_deal_is_counted(children: list[list[int]]) -> None:
    assert permutation_p(np.array(children, float)) == pytest.approx(counted(children), rel=1e-12)


def test_s3s_example() -> None:
    """[2,1] into {2,0}, {0,1}: χ² says .0833; of the 3 deals only this one is so clean."""
    assert permutation_p(np.array([[2.0, 0.0], [0.0, 1.0]])) == pytest.approx(1 / 3)
    assert permutation_p(np.array([[1.0, 0.0]] * 2 + [[0.0, 1.0]])) == 1.0  # each row alone


def test_what_cannot_be_counted_is_dealt_and_comes_near(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(3)
    tables = [
        np.array([[random.randrange(9) for _ in range(3)] for _ in range(random.choice([2, 3]))])
        for _ in range(20)
    ]
    tables = [t for t in tables if (t.sum(axis=0) > 0).all() and (t.sum(axis=1) > 0).all()]
    exact = [permutation_p(t) for t in tables]
    monkeypatch.setattr(permutation, "MOST_STATES", 0)
    permutation._p_of.cache_clear()
    dealt = [permutation_p(t) for t in tables]
    permutation._p_of.cache_clear()
    assert dealt == [permutation_p(t) for t in tables]  # always the same deals
    permutation._p_of.cache_clear()
    assert dealt != exact
    assert dealt == pytest.approx(exact, abs=4 * 0.5 / 9_999**0.5)


def test_large_counts_agree_with_the_distribution() -> None:
    table = np.array([[300, 240], [260, 280.0]])
    deals = hypergeom(1080, 560, 540)  # of 280 ± 20 or further
    exact = permutation_p(table)
    assert exact == pytest.approx(deals.cdf(260) + deals.sf(299), rel=1e-9)
    assert exact == pytest.approx(measure.chi_square(table).p_value, rel=0.25)


def test_permutation_where_counts_are_small_only() -> None:
    tree = bough.grow(datasets.load("titanic"), recipe="cart", prune=None)
    exact, rough = split_p_values(tree, exact=True), split_p_values(tree)
    small = smallest_expected(tree) < 5
    assert np.array_equal(exact[~small], rough[~small], equal_nan=True)
    assert (exact[small] != rough[small]).mean() > 0.5
    assert np.array_equal(split_p_values(tree, exact=True), exact, equal_nan=True)


def test_the_smallest_expected_count() -> None:
    for seed in range(40):
        tree = bough.grow(random_table(Random(seed), missing=True), recipe="cart", prune=None)
        found = smallest_expected(tree)
        for node in range(len(tree)):
            if tree.is_leaf[node]:
                assert np.isnan(found[node])
                continue
            children = tree.nodes.stats[list(tree.children(node))]
            chi = measure.chi_square(children)
            assert found[node] == pytest.approx(chi.smallest_expected)


def test_p_values_a_tree_lacks_are_computed() -> None:
    tree = bough.grow(datasets.load("titanic"), recipe="cart", prune=None)
    bare = replace(tree, nodes=replace(tree.nodes, p_value=np.full(len(tree), np.nan)))
    assert split_p_values(bare) == pytest.approx(tree.nodes.p_value, nan_ok=True, rel=1e-9)


def error(tree: Tree, table: Table) -> np.ndarray:
    codes = {name: code for code, name in enumerate(tree.schema.target.classes)}
    return np.array([codes[name] for name in tree.predict(table)]) != table.target


@pytest.mark.parametrize("grid", [None, [0.5, 0.05, 0.2, 0.001]])
def test_max_p_by_held_out_rows(grid: list[float] | None) -> None:
    table = datasets.load("titanic")
    apart = held_out(table, 0.3)
    tree, held = bough.grow(table.take(~apart), recipe="cart", prune=None), table.take(apart)
    pruned = prune(tree, "chi_square", held, **({} if grid is None else {"max_p": grid}))
    record = pruned.report["pruning"]
    tried = sorted(grid or GRID, reverse=True)
    assert [point["max_p"] for point in record["curve"]] == tried
    by_hand = [prune(tree, "chi_square", max_p=p) for p in tried]
    errors = [error(t, held).mean() for t in by_hand]
    assert [point["held_out_error"] for point in record["curve"]] == pytest.approx(errors)
    assert [point["leaves"] for point in record["curve"]] == [t.n_leaves for t in by_hand]
    chosen = max(i for i, e in enumerate(errors) if e == min(errors))  # the smallest of the best
    assert record["max_p"] == tried[chosen]
    assert pruned == by_hand[chosen]
    assert 1 < pruned.n_leaves < tree.n_leaves


def test_max_p_by_cross_validation() -> None:
    table = datasets.load("titanic")
    tree = bough.grow(table, recipe="c45", prune=None, missing="learned")
    record = prune(tree, "chi_square", table, folds=4, seed=9).report["pruning"]
    errors = np.zeros(len(GRID))
    for learn, judged in each_fold(fold_numbers(table, 4, 9)):
        grown = bough.grow(table.take(learn), recipe="c45", prune=None, missing="learned")
        for i, p in enumerate(GRID):
            smaller = prune(grown, "chi_square", max_p=p)
            errors[i] += error(smaller, table.take(judged)).sum() / table.n_rows
    told = [point["cross_validated_error"] for point in record["curve"]]
    assert told == pytest.approx(errors.tolist())
    assert errors[GRID.index(record["max_p"])] == pytest.approx(errors.min())


def test_one_prunes_nothing_and_nought_nearly_all() -> None:
    tree = bough.grow(datasets.load("titanic"), recipe="cart", prune=None)
    assert prune(tree, "chi_square", max_p=1) == tree
    assert len(prune(tree, "chi_square", max_p=0)) == 1


def test_what_cannot_be() -> None:
    numbers = bough.grow(
        [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], recipe="cart", prune=None, task="regression"
    )
    with pytest.raises(OptionError, match="chi_square is for classes"):
        prune(numbers, "chi_square", max_p=0.1)
    tree = bough.grow(datasets.load("xor"), recipe="cart", prune=None)
    with pytest.raises(OptionError, match=r"max_p=1\.5 is out of range"):
        prune(tree, "chi_square", max_p=1.5)
    with pytest.raises(OptionError, match="several of them"):
        prune(tree, "chi_square", max_p=[])
    with pytest.raises(OptionError, match="needs max_p"):
        prune(tree, "chi_square")
    table = build([number("a", [0.0, 1.0])], [0, 1], 2, [0.3, 1.0])
    weighed = bough.grow(table, recipe="cart", prune=None)
    with pytest.raises(OptionError, match="not whole numbers"):
        prune(weighed, "chi_square", max_p=0.1, p_value="permutation")
    with pytest.raises(OptionError, match="pessimistic does not know costs"):
        prune(tree, "pessimistic", costs=[[0, 1], [5, 0]])
