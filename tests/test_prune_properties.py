"""What holds of every method in the registry, on tables made at random."""

from __future__ import annotations

import pickle
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
from bough.data.table import Table
from bough.prune import METHODS, prune, prune_table
from bough.tree import Tree
from prunings import RAISING, WAYS, Way, fits, is_cut_of, rows_for, snapshot
from tables import random_table, take

GROW = [
    {},
    {"criterion": "entropy", "categories": "branches"},
    {"missing": "own", "categories": "branches", "empty_branch": "unknown"},
    {"missing": "stop"},
    {"missing": "fractional"},
]
"""On top of what `cart` grows before it prunes."""
PLAIN = {"recipe": "cart", "prune": None, "missing": "learned"}


def case(seed: int, task: str) -> tuple[Tree, Table, Table]:
    """A tree, the rows it was grown from, and other rows of the same kind."""
    random = Random(seed)
    weights = random.choice(["none", "none", "whole", "tenths"])
    table = random_table(random, task, weights=weights)  # type: ignore[arg-type]
    options = dict(random.choice(GROW))
    if task == "regression":
        options.pop("criterion", None)
    tree = bough.grow(table, **PLAIN | options)
    held = take(table, [random.randrange(table.n_rows) for _ in range(random.randint(1, 30))])
    if held.weights is not None and not held.weights.any():
        held = replace(held, weights=None)
    return tree, table, held


def test_every_method_is_tried() -> None:
    assert {way.method for way in WAYS} == set(METHODS)


@pytest.mark.parametrize("way", WAYS, ids=str)
@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), task=st.sampled_from(["classification", "regression"]))
def test_a_cut_of_the_input_and_nothing_more_to_cut(way: Way, seed: int, task: str) -> None:
    tree, table, held = case(seed, task)
    if not fits(way, tree, table):
        return
    before = snapshot(tree)
    rows = rows_for(way, table, held)
    pruned = prune_table(tree, rows, way.method, **way.options)
    assert is_cut_of(pruned, tree)
    assert snapshot(tree) == before
    assert "pruning" not in tree.report
    again = prune_table(pruned, rows, way.method, **way.options)
    assert again == pruned
    if "one_se" not in way.options.values():  # others need not remember: they decide the same
        forgetful = replace(pruned, report={})
        if "folds" not in way.options or way.method == "chi_square":
            assert prune_table(forgetful, rows, way.method, **way.options) == pruned
    assert prune_table(tree, rows, way.method, **way.options) == pruned


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_raising_leaves_nothing_to_raise(seed: int) -> None:
    tree, table, _ = case(seed, "classification")
    if not fits(RAISING, tree, table):
        return
    before = snapshot(tree)
    pruned = prune_table(tree, table, RAISING.method, **RAISING.options)
    assert snapshot(tree) == before
    assert prune_table(pruned, table, RAISING.method, **RAISING.options) == pruned
    assert pruned.n_leaves <= tree.n_leaves
    assert pruned.nodes.rows[0] == tree.nodes.rows[0]
    assert pruned.nodes.stats[0].tolist() == pytest.approx(tree.nodes.stats[0].tolist())


@pytest.mark.parametrize("way", [*WAYS, RAISING], ids=str)
def test_the_report_tells_every_node_that_became_a_leaf(way: Way) -> None:
    for seed in range(25):
        tree, table, held = case(seed, "classification")
        if not fits(way, tree, table):
            continue
        pruned = prune_table(tree, rows_for(way, table, held), way.method, **way.options)
        record = pruned.report["pruning"]
        assert record["method"] == way.method
        assert (record["leaves_before"], record["leaves"]) == (tree.n_leaves, pruned.n_leaves)
        lost = sum(cut["leaves"] - 1 for cut in record["cut"] if cut["became"] == "leaf")
        if way != RAISING:
            assert lost == tree.n_leaves - pruned.n_leaves
        nodes = [cut["node"] for cut in record["cut"]]
        assert nodes == sorted(nodes, reverse=True)  # from the bottom up
        assert all(cut["why"] and cut["path"] for cut in record["cut"])


def test_earlier_prunings_stay_in_the_report() -> None:
    tree, _, held = case(7, "classification")
    one = prune(tree, "chi_square", max_p=0.9)
    two = prune(prune(one, "pessimistic"), "reduced_error", held)
    record = two.report["pruning"]
    assert [entry["method"] for entry in record["earlier"]] == ["pessimistic", "chi_square"]
    assert all("earlier" not in entry for entry in record["earlier"])


def test_a_pruned_tree_can_be_sent() -> None:
    tree, _, held = case(3, "classification")
    pruned = prune(tree, "reduced_error", held)
    assert pickle.loads(pickle.dumps(pruned)) == pruned
