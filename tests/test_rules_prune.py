"""Rule post-pruning: the textbook's example, a slow and plain reference, the pessimistic bound."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
import tables
from bough import datasets
from bough.data.table import Table
from bough.errors import DataError, OptionError
from bough.prune.bound import upper_errors
from bough.rules import Rule, RuleSet, condition, rules_of
from bough.rules.prune import observed, pessimistic, shortened
from bough.rules.scoring import Rows
from rules_help import words

RESTAURANT = datasets.load("restaurant")
SCHEMA = RESTAURANT.schema
YES = SCHEMA.target.classes.index("Yes")


def column(name: str) -> Any:
    return SCHEMA.columns[SCHEMA.index[name]]


FULL = condition(column("Pat"), levels=["Full"])
SOON = condition(column("Est"), levels=["0-10"])


def rule(*conditions: Any, answer: float = YES) -> Rule:
    return Rule(tuple(conditions), answer, (0.0, 0.0))


# ---- the textbook (S1:232–242) -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "right", "covered"),
    [((FULL, SOON), 0, 0), ((FULL,), 2, 6), ((SOON,), 4, 6), ((), 6, 12)],
)
def test_the_accuracy_of_full_and_0_10_S1_234(conditions: Any, right: int, covered: int) -> None:
    one = RuleSet(SCHEMA, (rule(*conditions),), rule(answer=0)).score(RESTAURANT).rules[0]
    assert one.score is not None
    assert one.score.rows == covered
    if covered:
        assert one.score.accuracy == pytest.approx(right / covered)
        assert one.score.lift == pytest.approx(right / covered / 0.5)
    else:  # no row, no accuracy: nothing is known of the rule
        assert math.isnan(one.score.error)
        assert math.isnan(one.score.lift)


def test_full_and_0_10_loses_full_S1_236() -> None:
    """Of "Full → Yes" (2/6) and "0-10 → Yes" (4/6) the second; "→ Yes" (6/12) would be worse."""
    rows = Rows.of(RESTAURANT)
    for conditions in ((FULL, SOON), (SOON, FULL)):
        short, cut = shortened(rule(*conditions), rows, observed)
        assert short is not None
        assert short.conditions == (SOON,)
        assert cut.dropped == (conditions.index(FULL),)
        assert math.isnan(cut.before)
        assert cut.after == pytest.approx(2 / 6)


def test_a_rule_no_better_than_always_saying_so_is_removed() -> None:
    """ "Full → Yes" is right in 2 of 6 rows, "→ Yes" in 6 of 12."""
    short, cut = shortened(rule(FULL), Rows.of(RESTAURANT), observed)
    assert short is None
    assert (cut.removed, cut.dropped, cut.after) == (True, (0,), pytest.approx(0.5))


def test_equal_ways_the_last_condition_goes_first() -> None:
    """Full ∧ Hun ∧ Pat≠None → No on its own rows: dropping either of two conditions is equal."""
    table = tables.build(
        [tables.number("a", [1.0, 1.0, 2.0, 2.0]), tables.number("b", [1.0, 1.0, 2.0, 2.0])],
        [0, 0, 1, 1],
        2,
    )
    a, b = (condition(one, at_most=1.5) for one in table.schema.columns)
    short, cut = shortened(Rule((a, b), 0, (2.0, 0.0)), Rows.of(table), observed)
    assert short is not None
    assert (short.conditions, cut.dropped) == ((a,), (1,))


# ---- the reference -------------------------------------------------------------------------------


def error_of(conditions: list[Any], answer: float, table: Table, bound: float | None) -> float:
    """From the definition, row by row; NaN when no row is covered."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    assert table.target is not None
    inside = np.ones(table.n_rows, bool)
    for one in conditions:
        inside &= one.mask(table.cells[table.schema.index[one.column.name]])
    total = math.fsum(weights[inside])
    if total == 0:
        return math.nan
    if table.schema.target.task == "regression":
        return math.fsum((weights * (table.target - answer) ** 2)[inside]) / total
    wrong = math.fsum((weights * (table.target != answer))[inside])
    return wrong / total if bound is None else upper_bound(total, wrong, bound)


def shortened_slowly(one: Rule, table: Table, bound: float | None) -> list[Any]:
    kept, scale = list(one.conditions), 1.0
    if table.schema.target.task == "regression":
        scale = Rows.of(table).stats[2] / Rows.of(table).weight
    error = error_of(kept, one.answer, table, bound)
    while kept:
        shorter = [kept[:i] + kept[i + 1 :] for i in range(len(kept))]
        errors = [error_of(conditions, one.answer, table, bound) for conditions in shorter]
        ranked = sorted(
            range(len(kept)), key=lambda i: (math.inf if errors[i] != errors[i] else errors[i], -i)
        )
        best = ranked[0]
        if not (error != error or errors[best] <= error + 1e-12 * scale):
            break
        kept, error = shorter[best], errors[best]
    return kept


@pytest.mark.parametrize("how", ["holdout", "pessimistic", "regression"])
@pytest.mark.parametrize("seed", range(60))
def test_the_same_rules_as_the_slow_reference(how: str, seed: int) -> None:
    random = Random(seed)
    task: Any = "regression" if how == "regression" else "classification"
    weights = ("none", "whole")[seed % 2]  # sums of other weights differ in their last digits
    table = tables.random_table(random, task, weights=weights)
    half = np.arange(table.n_rows) % 2 == 0
    if table.weights is not None and not (table.weights[half].any() and table.weights[~half].any()):
        pytest.skip("one half has no weight")
    train, held = (table, table) if how == "pessimistic" else (table.take(half), table.take(~half))
    if not held.n_rows:
        pytest.skip("nothing is held out")
    tree = bough.grow(train, recipe="cart", prune=None)
    bound = 0.25 if how == "pessimistic" else None
    rules = rules_of(tree, held, prune=how if bound else "holdout")  # type: ignore[arg-type]
    expected = {}
    for one in rules_of(tree, order="tree").rules:
        kept = shortened_slowly(one, held, bound)
        if kept:
            expected[one.node] = frozenset(kept)
    found = {one.node: frozenset(one.conditions) for one in rules.rules}
    assert found.items() <= expected.items()
    assert set(found.values()) == set(expected.values())  # only duplicates are gone
    assert len(found) == len(set(found.values()))


# ---- the whole set -------------------------------------------------------------------------------


def titanic() -> tuple[Table, Table]:
    table = datasets.load("titanic")
    held = np.random.default_rng(0).random(table.n_rows) < 0.3
    return table.take(~held), table.take(held)


def test_pruning_helps_on_the_rows_it_looks_at_and_shortens() -> None:
    train, held = titanic()
    tree = bough.grow(train, recipe="cart", prune=None)
    plain, pruned = rules_of(tree), rules_of(tree, held, prune="holdout")
    assert pruned.error(held) < plain.error(held)
    assert len(pruned) < len(plain)
    conditions = [sum(len(one.conditions) for one in rules.rules) for rules in (plain, pruned)]
    assert conditions[1] < conditions[0] / 2
    dropped, gone = pruned.report["dropped_conditions"], pruned.report["duplicates"]
    assert dropped == sum(len(cut["dropped"]) for cut in pruned.report["cuts"]) > 0
    assert len(pruned) == len(plain) - gone - pruned.report["removed_rules"]


def test_pessimistic_pruning_on_training_rows_helps_on_rows_nobody_has_seen() -> None:
    train, held = titanic()
    tree = bough.grow(train, recipe="cart", prune=None)
    plain, pruned = rules_of(tree), rules_of(tree, train, prune="pessimistic")
    assert pruned.error(held) < plain.error(held)
    bold = rules_of(tree, train, prune="pessimistic", cf=0.01)
    assert bold.report["dropped_conditions"] > pruned.report["dropped_conditions"]


def test_rules_are_sorted_by_what_they_were_pruned_by() -> None:
    train, held = titanic()
    tree = bough.grow(train, recipe="cart", prune=None)
    by_error = [one.score for one in rules_of(tree, held, prune="holdout").rules]
    keys = [(score.error, -score.weight) for score in by_error if score]
    assert keys == sorted(keys)
    cautious = [one.score for one in rules_of(tree, train, prune="pessimistic").rules]
    bounds = [
        upper_bound(score.weight, score.error * score.weight, 0.25) for score in cautious if score
    ]
    assert bounds == sorted(bounds)


def test_the_order_of_the_tree_can_be_kept() -> None:
    train, held = titanic()
    rules = rules_of(
        bough.grow(train, recipe="cart", prune=None), held, prune="holdout", order="tree"
    )
    places = {
        one.node: i
        for i, one in enumerate(
            rules_of(bough.grow(train, recipe="cart", prune=None), order="tree").rules
        )
    }
    found = [places[one.node] for one in rules.rules]
    assert found == sorted(found)


def test_the_shares_of_a_shortened_rule_are_those_of_the_rows_it_covers() -> None:
    train, held = titanic()
    rules = rules_of(bough.grow(train, recipe="cart", prune=None), held, prune="holdout")
    for one in rules.rules:
        assert one.score is not None
        if one.score.rows:
            assert one.shares[int(one.answer)] == pytest.approx(one.score.accuracy)


def test_the_default_is_the_majority_of_the_rows_no_rule_covers() -> None:
    """x ≤ 1.5 → a stays; the other path only holds on rows that say otherwise, and goes."""
    table = tables.build([tables.number("x", [1.0, 1.0, 2.0, 2.0])], [0, 0, 1, 1], 3)
    tree = bough.grow(table, recipe="cart", prune=None)
    other = tables.build(
        [tables.number("x", [1.0, 1.0, 1.0, 2.0, 2.0, 3.0])], [0, 0, 1, 2, 2, 0], 3
    )
    rules = rules_of(tree, Table(table.schema, other.cells, other.target), prune="holdout")
    assert words(rules) == ["x ≤ 1.5 → class0"]  # 2/3, alone 3/6; class1: 0/3 against 1/6
    assert rules.default.answer == 2
    assert rules.default.score is not None
    assert (rules.default.score.rows, rules.default.score.error) == (3, pytest.approx(1 / 3))
    assert rules.report["removed_rules"] == 1


def test_the_default_is_the_majority_of_all_rows_when_none_is_left() -> None:
    train, held = titanic()
    rules = rules_of(bough.grow(train, recipe="cart", prune=None), held, prune="holdout")
    assert (rules.fires(held) >= 0).all()
    assert rules.default.answer == int(np.bincount(held.target).argmax())  # type: ignore[arg-type]


def test_a_leaf_that_does_not_know_becomes_no_rule() -> None:
    tree = bough.grow(RESTAURANT, recipe="id3", empty_branch="unknown")
    assert any(one.answer == -1 for one in rules_of(tree).rules)
    assert all(one.answer >= 0 for one in rules_of(tree, RESTAURANT, prune="pessimistic").rules)


def test_regression_is_pruned_by_squared_error() -> None:
    """x ≤ 2.5 and z ≤ 5 → 0: held-out rows say z does not matter, and x does."""
    x, z = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0, 9.0, 9.0]
    train = tables.build([tables.number("x", x), tables.number("z", z)], [0, 0, 8, 8, 4, 4])
    tree = bough.grow(train, recipe="cart", prune=None)
    assert sorted(words(rules_of(tree))) == [
        "x > 2.5 → 8 ± 0",
        "x ≤ 2.5 and z > 4.5 → 4 ± 0",
        "x ≤ 2.5 and z ≤ 4.5 → 0 ± 0",
    ]
    held = tables.build(
        [tables.number("x", [1.0, 1.0, 3.0, 3.0]), tables.number("z", [0.0, 9.0, 0.0, 9.0])],
        [1.0, -1.0, 9.0, 7.0],
    )
    rules = rules_of(tree, held, prune="holdout")
    # → 0: error 1 with z, 1 without; → 8: 1; → 4: 25 at x ≤ 2.5, z > 4.5 … 17 alone, so it goes
    assert words(rules) == ["x ≤ 2.5 → 0 ± 1", "x > 2.5 → 8 ± 1"]
    assert rules.error(held) == pytest.approx(1.0)
    assert rules.report["removed_rules"] == 1


# ---- the pessimistic bound -----------------------------------------------------------------------


def upper_bound(n: float, wrong: float, cf: float) -> float:
    return float(pessimistic(cf)(np.array([n]), np.array([wrong]))[0])


@pytest.mark.parametrize(
    ("n", "wrong", "bound"),
    # Quinlan 1993, the example of his chapter on pruning; 1 − 0.25^(1/n) without a wrong row
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (3, 3, 1.0)],
)
def test_the_bound_by_hand(n: float, wrong: float, bound: float) -> None:
    assert upper_bound(n, wrong, 0.25) == pytest.approx(bound, abs=5e-4)


@pytest.mark.parametrize(("n", "wrong"), [(16, 1), (168, 1), (30, 7), (200, 60)])
def test_at_the_bound_so_few_wrong_rows_have_that_chance(n: int, wrong: int) -> None:
    p = upper_bound(n, wrong, 0.25)
    chance = math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(wrong + 1))
    assert chance == pytest.approx(0.25, rel=1e-9)


@pytest.mark.parametrize("cf", [0.01, 0.25, 0.5])
def test_the_bound_is_a_rate_above_the_observed_one_and_that_of_tree_pruning(cf: float) -> None:
    for n in (0.3, 1.0, 2.0, 2.5, 7.0, 40.0):
        wrongs = np.linspace(0, n, 11)
        weights = np.full(11, n)
        bounds = pessimistic(cf)(weights, wrongs)
        assert (bounds >= wrongs / n - 1e-12).all()
        assert (np.diff(bounds) >= 0).all()
        assert bounds * n == pytest.approx(upper_errors(weights, wrongs, cf), rel=1e-6)
    assert math.isnan(upper_bound(0.0, 0.0, cf))


def test_more_rows_of_the_same_error_are_surer() -> None:
    bounds = [upper_bound(n, n / 10, 0.25) for n in (10.0, 100.0, 1000.0)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] > 0.1


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"prune": "holdot"}, r"""prune='holdot' is not allowed. Did you mean "holdout"\?"""),
        ({"prune": "holdout"}, r"needs rows with known answers: give data, rows the tree was not"),
        ({"prune": "pessimistic"}, r"give data, the rows the tree was grown from"),
        ({"order": "best"}, r"order='best' is not allowed. Choose one of: accuracy, tree"),
        ({"cf": 0}, r"cf=0 is not allowed: give a number between 0 and 1"),
        ({"cf": 1.0}, r"between 0 and 1"),
        ({"cf": "0.25"}, r"between 0 and 1"),
    ],
)
def test_wrong_options(asked: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        rules_of(bough.grow(RESTAURANT, recipe="id3"), **asked)


def test_pessimistic_pruning_is_for_classes() -> None:
    table = tables.build([tables.number("x", [1.0, 2.0])], [1.0, 2.0])
    with pytest.raises(OptionError, match="counts wrong answers, and this tree predicts a number"):
        rules_of(bough.grow(table, recipe="cart", prune=None), table, prune="pessimistic")


def test_tables_that_cannot_judge() -> None:
    tree = bough.grow(RESTAURANT, recipe="id3")
    with pytest.raises(DataError, match="no target"):
        rules_of(tree, Table(SCHEMA, RESTAURANT.cells))
    with pytest.raises(DataError, match="no rows of weight above 0"):
        rules_of(tree, RESTAURANT.take(np.zeros(12, bool)), prune="holdout")
    other = datasets.load("xor")
    with pytest.raises(DataError, match=r'its column "Alt" differs from that of the rules'):
        rules_of(tree, other)
