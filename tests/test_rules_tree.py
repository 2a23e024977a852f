"""One rule per path: the unpruned rules of a tree answer exactly like the tree."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
import tables
import trees
from bough import datasets
from bough.data.schema import Column, Schema, Target
from bough.data.table import Table
from bough.predict import apply_table
from bough.rules import Rule, RuleSet, rules_of
from bough.rules.rule import NO_ROWS
from bough.splits import STAYS
from bough.tree import SUBSET, THRESHOLD, Tree
from rules_help import as_dict, rows_for, same, words

# ---- exactly like the tree -----------------------------------------------------------------------


def check_like_tree(tree: Tree, rules: RuleSet, table: Table) -> None:
    """Every row: one rule fits, the one of its leaf; the same answer and shares, many and one."""
    leaves = apply_table(tree, table)
    fired = rules.fires(table)
    assert [rules.rules[i].node for i in fired.tolist()] == leaves.tolist()
    assert same(rules.predict(table), tree.predict(table))
    if tree.schema.target.task == "classification":
        shares = rules.predict_proba(table), tree.predict_proba(table)
        assert np.array_equal(*shares, equal_nan=True)
    for row in range(0, table.n_rows, 7):
        told = as_dict(table, row)
        assert same([rules.predict_row(told)], [tree.predict_row(told)])
        why = rules.explain(told)
        assert (why.rule, why.also) == (fired[row], ())
        assert same([why.answer], [tree.predict_row(told)])


@pytest.mark.parametrize("seed", range(150))
def test_random_trees_and_rows(seed: int) -> None:
    tree = trees.random_tree(seed, splits=seed % 25, deep=seed % 3 == 0)
    table = rows_for(tree, np.random.default_rng(seed))
    for order in ("accuracy", "tree"):
        check_like_tree(tree, rules_of(tree, order=order), table)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=150)
@given(tables.tables(), st.sampled_from(["subset", "branches", "one_vs_rest"]), st.booleans())
def test_grown_trees_on_other_rows(table: Table, categories: str, own: bool) -> None:
    missing = "own" if own else "learned"
    tree = bough.grow(table, recipe="cart", prune=None, categories=categories, missing=missing)
    rules = rules_of(tree)
    check_like_tree(tree, rules, table)
    check_like_tree(tree, rules, rows_for(tree, np.random.default_rng(0), 50))


@pytest.mark.parametrize("seed", range(20))
def test_float32_cells_go_where_the_tree_sends_them(seed: int) -> None:
    values = [i / 10 for i in range(30)]
    table = tables.build([tables.number("n", values, "float32")], [i % 3 for i in range(30)], 3)
    tree = bough.grow(
        table, recipe="cart", prune=None, threshold=("midpoint", "observed", "short")[seed % 3]
    )
    check_like_tree(tree, rules_of(tree), table)


def test_a_relabelled_tree_gives_relabelled_rules() -> None:
    tree = trees.passengers()
    answers = np.where(tree.is_leaf, 1 - tree.answers, -2).astype(np.int32)
    changed = replace(tree, set_answers=answers)
    check_like_tree(changed, rules_of(changed), rows_for(tree, np.random.default_rng(1)))


def test_a_very_deep_tree() -> None:
    tree = trees.chain(4001)
    table = rows_for(tree, np.random.default_rng(3))
    assert same(rules_of(tree).predict(table), tree.predict(table))


def test_a_single_leaf_is_one_rule_that_always_fits() -> None:
    tree = bough.grow(datasets.load("restaurant"), max_depth=0)
    rules = rules_of(tree)
    assert words(rules) == ["always → No"]
    assert rules.predict_row({}) == "No"


# ---- what the rules say --------------------------------------------------------------------------


def test_the_words_of_a_tree_with_every_kind_of_split() -> None:
    assert words(rules_of(trees.passengers(), order="tree")) == [
        "ticket = A and age ≤ 30.5 and port = Cherbourg → yes",
        "ticket = A and age ≤ 30.5 and port in {Queenstown, Southampton} → no",
        "ticket = A and age > 30.5 (or missing) → no",
        "ticket = B and class ≤ second → yes",
        "ticket = B and class = third → no",
        "ticket = B and class is missing → no",
        "ticket is missing and age is known → no",
        "ticket is missing and age is missing → no",
        "ticket in {C, D} → no",
    ]


def test_strict_thresholds_dates_and_numbers() -> None:
    assert words(rules_of(trees.houses(), order="tree")) == [
        "area < 72.35 → 120.1 ± 2.88531",
        # west was not seen at that node and goes where a missing cell goes
        "area ≥ 72.35 (or missing) and sold < 2020-01-01 and district in {Süd, west}"
        " → 310.5 ± 2.04124",
        "area ≥ 72.35 (or missing) and sold < 2020-01-01 and district = north → 240.25 ± 0.166667",
        "area ≥ 72.35 (or missing) and sold ≥ 2020-01-01 → 500 ± 10",
    ]


def node(column: int, at: float, *children: trees.Node, **more: Any) -> trees.Node:
    told = {"kind": THRESHOLD, "column": column, "threshold": at, "missing_to": 0} | more
    return trees.Node(**told, children=list(children))


def leaf(no: float, yes: float) -> trees.Node:
    return trees.Node(int(no + yes), (no, yes))


AGE = Column("age", "number")
PORT = Column("port", "category", ("C", "Q", "S", "T"), "text")
SCHEMA = Schema((AGE, PORT), Target("y", "classification", ("no", "yes")))


def test_conditions_on_one_column_join_and_paths_no_row_can_take_are_left_out() -> None:
    low = node(0, 45.0, leaf(3, 1), leaf(1, 3), missing_to=1)
    again = node(0, 60.0, leaf(2, 1), leaf(5, 1))  # below 30 nothing is above 60 …
    inner = node(0, 30.0, again, low)  # … and a missing cell stays below
    tree = trees.build(SCHEMA, inner)
    rules = rules_of(tree, order="tree")
    assert words(rules) == ["age ≤ 30 → no", "30 < age ≤ 45 → no", "age > 45 → yes"]
    assert (rules.report["paths"], rules.report["impossible"]) == (4, 1)
    missing = rules.rules[0].conditions[0].missing, rules.rules[2].conditions[0].missing
    assert missing == (True, False)  # 45 sends missing cells right, but none comes that way
    check_like_tree(tree, rules, rows_for(tree, np.random.default_rng(0)))


def test_levels_join_and_levels_not_seen_at_a_node_are_named_where_they_go() -> None:
    lower = trees.Node(kind=SUBSET, column=1, level_child={0: 0, 1: 1}, missing_to=1)
    lower.children = [leaf(4, 1), leaf(1, 4)]
    upper = trees.Node(kind=SUBSET, column=1, level_child={0: 0, 1: 0, 2: 1}, missing_to=0)
    upper.children = [lower, leaf(3, 3)]
    rules = rules_of(trees.build(SCHEMA, upper), order="tree")
    # T was seen nowhere: it travels like a missing cell, to the first side and there to the second
    assert words(rules) == ["port = C → no", "port in {Q, T} → yes", "port = S → no"]


@pytest.mark.parametrize("policy", ["stop", "mean", "median", "mode", "drop_rows", "drop_columns"])
@pytest.mark.parametrize("seed", range(25))
def test_policies_that_rules_follow(policy: str, seed: int) -> None:
    table = tables.random_table(Random(seed))
    try:
        tree = bough.grow(table, recipe="cart", prune=None, missing=policy)
    except bough.DataError:  # nothing is left of the table
        assert policy.startswith("drop")
        return
    other = rows_for(tree, np.random.default_rng(seed), 120)
    rules = rules_of(tree)
    leaves = apply_table(tree, other)
    assert [rules.rules[i].node for i in rules.fires(other).tolist()] == leaves.tolist()
    assert same(rules.predict(other), tree.predict(other))
    assert np.array_equal(rules.predict_proba(other), tree.predict_proba(other), equal_nan=True)
    told = [as_dict(other, row) for row in range(0, 120, 9)]
    assert same([rules.predict_row(t) for t in told], [tree.predict_row(t) for t in told])


def test_a_missing_cell_that_ends_the_way_gets_a_rule_of_its_own() -> None:
    inner = node(0, 45.0, leaf(3, 1), leaf(1, 9), missing_to=STAYS)
    tree = trees.build(SCHEMA, node(0, 30.0, leaf(9, 0), inner, missing_to=1))
    rules = rules_of(tree, order="tree")
    assert words(rules) == [
        "age ≤ 30 → no",
        "age is missing → yes",
        "30 < age ≤ 45 → no",
        "age > 45 → yes",
    ]
    assert [rule.node for rule in rules.rules] == [1, 2, 3, 4]
    assert rules.predict_row({"age": None}) == "yes"  # 4 no, 10 yes at that node


def test_a_rule_for_missing_cells_does_not_boast_of_the_rows_of_its_node() -> None:
    complete = bough.grow(datasets.load("restaurant"), recipe="c45", prune=None)
    scores = {text: rule.score for text, rule in by_words(rules_of(complete)).items()}
    assert scores["Pat is missing → No"] == NO_ROWS  # not the 12 rows of the root
    assert str(rules_of(complete)).count("covers no row") == 3  # with Hun, and the default
    for policy in ("fractional", "stop"):
        gaps = {"x": [None, 1, 2, 3, 4], "y": ["no", "no", "no", "yes", "yes"]}
        met = by_words(rules_of(bough.grow(gaps, "y", recipe="c45", missing=policy, prune=None)))
        assert met["x is missing → no"].score is None  # the tree keeps no count of their classes
        assert met["x ≤ 2 → no"].score is not None


def by_words(rules: RuleSet) -> dict[str, Rule]:
    return dict(zip(words(rules), rules.rules, strict=True))


def test_levels_not_seen_at_a_node_that_keeps_missing_cells_stay_with_them() -> None:
    lower = trees.Node(kind=SUBSET, column=1, level_child={0: 0, 1: 1}, missing_to=STAYS)
    lower.children = [leaf(4, 1), leaf(1, 2)]
    tree = trees.build(SCHEMA, lower)
    rules = rules_of(tree, order="tree")
    assert words(rules) == ["port in {S, T} (or missing) → no", "port = C → no", "port = Q → yes"]
    check_like_tree(tree, rules, rows_for(tree, np.random.default_rng(0)))


def test_what_is_filled_in_the_tree_is_part_of_the_condition() -> None:
    inner = node(0, 45.0, leaf(3, 1), leaf(1, 9))
    tree = trees.build(SCHEMA, node(0, 30.0, leaf(9, 0), inner), fills={"age": 38.5})
    rules = rules_of(tree, order="tree")
    assert [rule.conditions[0].missing for rule in rules.rules] == [False, True, False]
    assert rules.predict_row({"age": None}) == rules.predict_row({"age": 38.5}) == "no"


def test_policies_that_rules_cannot_follow_are_reported() -> None:
    tree = replace(trees.passengers(), options={"missing": "fractional"})
    assert "fractional" in rules_of(tree).report["notes"][0]
    mixed = replace(tree, options={"missing": {"age": "surrogate", "*": "learned"}})
    assert "surrogate" in rules_of(mixed).report["notes"][0]
    assert "notes" not in rules_of(trees.passengers()).report


# ---- scores --------------------------------------------------------------------------------------


def numbers(rule: Rule) -> list[float]:
    assert rule.score is not None
    return [getattr(rule.score, field.name) for field in fields(rule.score)]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("seed", range(12))
def test_training_scores_are_those_of_the_training_rows(task: Any, seed: int) -> None:
    random = Random(seed)
    kind = list(tables.WEIGHTS)[seed % 4]
    table = tables.random_table(random, task, weights=kind)
    tree = bough.grow(table, recipe="cart", prune=None, missing="learned", max_depth=3)
    told, counted = rules_of(tree, order="tree"), rules_of(tree, table, order="tree")
    for one, other in zip(told.rules, counted.rules, strict=True):
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-9, abs=1e-9, nan_ok=True)
    assert math.fsum(numbers(rule)[2] for rule in told.rules) == pytest.approx(1.0)


def test_scores_count_what_they_say() -> None:
    """Weights 1 2 3 0 4; the rule `age ≤ 30` covers rows 0, 1 and 3, of which 3 does not count."""
    tree = trees.build(SCHEMA, node(0, 30.0, leaf(9, 0), leaf(0, 9), missing_to=1))
    ages, ports = np.array([10.0, 20.0, math.nan, 30.0, 40.0]), np.zeros(5, np.int32)
    target = np.array([0, 1, 1, 1, 0], np.int32)
    weights = np.array([1.0, 2.0, 3.0, 0.0, 4.0])
    rules = rules_of(tree, Table(SCHEMA, (ages, ports), target, weights), order="tree")
    young, old = rules.rules
    # right: 1 of 3; "no" is 5 of 10 of all weight, so the lift is 1/3 : 1/2
    assert numbers(young) == pytest.approx([2, 3.0, 0.3, 2 / 3, 2 / 3, 3.0])
    assert numbers(old) == pytest.approx([2, 7.0, 0.7, 4 / 7, 3 / 7 / 0.5, 7.0])
    assert numbers(rules.default)[:3] == [0, 0.0, 0.0]


def test_the_best_rule_comes_first_and_one_that_covers_nothing_last() -> None:
    rules = rules_of(bough.grow(datasets.load("restaurant"), recipe="id3"))
    errors = [rule.score.error for rule in rules.rules if rule.score]
    assert errors[:-1] == sorted(errors[:-1])
    assert math.isnan(errors[-1])
    sizes = [rule.score.rows for rule in rules.rules if rule.score]
    assert sizes == [4, 2, 2, 1, 1, 1, 1, 0]


def test_data_can_be_anything_that_can_be_read() -> None:
    table = datasets.load("restaurant")
    tree = bough.grow(table, recipe="id3")
    from_file = rules_of(tree, str(datasets.path("restaurant")))
    from_table = rules_of(tree, table)
    assert from_file == from_table
    assert [r.score for r in from_file.rules][:7] == [r.score for r in from_table.rules][:7]
