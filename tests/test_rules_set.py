"""A rule set at work: answers, reasons, editing by hand, overlaps and conflicts, print."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
import tables
import trees
from bough import datasets
from bough.data.table import Table
from bough.errors import DataError, OptionError
from bough.rules import Rule, RuleSet, condition, rules_of
from bough.rules.words import render
from bough.view.cells import width as cells_of
from rules_help import as_dict, rows_for, same, words

RESTAURANT = datasets.load("restaurant")
SCHEMA = RESTAURANT.schema
NO, YES = 0, 1


def rule(answer: float, **levels: list[str]) -> Rule:
    asked = [
        condition(SCHEMA.columns[SCHEMA.index[name]], levels=some) for name, some in levels.items()
    ]
    return Rule(tuple(asked), answer, (1.0, 3.0) if answer == YES else (2.0, 0.0))


def made(*rules: Rule, default: float = NO) -> RuleSet:
    return RuleSet(SCHEMA, rules, Rule((), default, (6.0, 6.0)))


THREE = made(rule(YES, Est=["0-10"]), rule(NO, Pat=["Full"]), rule(NO, Pat=["None"]))

# ---- answers -------------------------------------------------------------------------------------


def slowly(rules: RuleSet, table: Table) -> list[int]:
    """The first rule that fits, row by row, cell by cell."""
    found = []
    for row in range(table.n_rows):
        told = as_dict(table, row)
        fits = [i for i, one in enumerate(rules.rules) if one.fits(told)]
        found.append(fits[0] if fits else -1)
    return found


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("seed", range(30))
def test_the_first_rule_that_fits_answers(task: Any, seed: int) -> None:
    """Pruned rules overlap and leave rows out; tables and single rows agree."""
    table = tables.random_table(Random(seed), task)
    tree = bough.grow(table, recipe="cart", prune=None)
    other = rows_for(tree, np.random.default_rng(seed), 60)
    rules = rules_of(tree, other, prune="holdout")
    assert rules.fires(other).tolist() == slowly(rules, other)
    answers = rules.predict(other)
    assert same(answers, [rules.predict_row(as_dict(other, row)) for row in range(60)])
    for row in range(0, 60, 5):
        why = rules.explain(as_dict(other, row))
        fits = [i for i, one in enumerate(rules.rules) if one.fits(as_dict(other, row))]
        assert [why.rule, *why.also] == (fits or [None])
        assert same([why.answer], answers[row : row + 1])
    assert rules.score(other).rules == rules.rules
    assert same([rules.error(other)], [error_slowly(rules, other)])


def error_slowly(rules: RuleSet, table: Table) -> float:
    answers = [[*rules.rules, rules.default][i].answer for i in slowly(rules, table)]
    target = np.asarray(table.target).tolist()
    if rules.schema.target.task == "classification":
        return sum(a != y for a, y in zip(answers, target, strict=True)) / len(target)
    return float(np.mean((np.array(answers) - np.array(target)) ** 2))


def test_answers_shares_and_reasons_by_hand() -> None:
    row = {"Pat": "Full", "Est": "0-10"}
    assert THREE.predict_row(row) == "Yes"
    why = THREE.explain(row)
    assert (why.rule, why.answer, why.also) == (0, "Yes", (1,))
    assert str(why) == "rule 0: if Est = 0-10\nthen Yes\nrule 1 would fit as well: No"
    nothing = THREE.explain({"Pat": "Some", "Est": ">60"})
    assert (nothing.rule, nothing.answer) == (None, "No")
    assert str(nothing) == "No rule fits: No is the default answer."
    told = {"Pat": ["Some", "Full", "None"], "Est": ["0-10", ">60", None]}
    assert THREE.predict(told).tolist() == ["Yes", "No", "No"]
    assert THREE.fires(told).tolist() == [0, 1, 2]
    assert THREE.predict_proba(told).tolist() == [[0.25, 0.75], [1.0, 0.0], [1.0, 0.0]]


def test_only_the_columns_the_rules_ask_about_are_needed() -> None:
    with pytest.raises(DataError, match=r'The row has no "Pat", which the rules ask about'):
        THREE.predict_row({"Est": "0-10"})
    with pytest.raises(DataError, match=r'Did you mean "est"\?'):
        THREE.explain({"Pat": "Full", "est": "0-10"})
    with pytest.raises(DataError, match="lacks"):
        THREE.predict({"Pat": ["Full"]})
    with pytest.raises(DataError, match="is a number, so there are no class shares"):
        rules_of(trees.houses()).predict_proba({})


def test_a_rule_may_not_know() -> None:
    unknown = THREE.set_answer(0, None)
    assert unknown.predict_row({"Pat": "Full", "Est": "0-10"}) is None
    assert unknown.predict(RESTAURANT).tolist().count(None) == 6
    assert "then does not know" in str(unknown)
    # 6 unknown rows are wrong; of the other 6 (Full or None) two say Yes
    assert unknown.error(RESTAURANT) == pytest.approx(8 / 12)


def test_error_counts_weights() -> None:
    weights = np.arange(12.0)
    wrong = THREE.predict(RESTAURANT) != np.array(["No", "Yes"])[RESTAURANT.target]
    weighted = replace(RESTAURANT, weights=weights)
    assert THREE.error(weighted) == pytest.approx(weights[wrong].sum() / weights.sum())


# ---- by hand -------------------------------------------------------------------------------------

SAID = ["Est = 0-10 → Yes", "Pat = Full → No", "Pat = None → No"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda r: r.move(0, 2), [SAID[1], SAID[2], SAID[0]]),
        (lambda r: r.move(2, 0), [SAID[2], SAID[0], SAID[1]]),
        (lambda r: r.drop(1), [SAID[0], SAID[2]]),
        (lambda r: r.drop_condition(1, "Pat"), [SAID[0], "always → No", SAID[2]]),
        (
            lambda r: r.replace_condition(1, "Pat", levels=["Full", "Some"], missing=True),
            [SAID[0], "Pat in {Full, Some} (or missing) → No", SAID[2]],
        ),
        (
            lambda r: r.add_condition(0, "Hun", levels=["Yes"]),
            ["Est = 0-10 and Hun = Yes → Yes", SAID[1], SAID[2]],
        ),
        (lambda r: r.set_answer(2, "Yes"), [SAID[0], SAID[1], "Pat = None → Yes"]),
    ],
)
def test_editing_gives_a_new_set_without_scores(
    change: Callable[[RuleSet], RuleSet], expected: list[str]
) -> None:
    before = THREE.score(RESTAURANT)
    after = change(before)
    assert words(after) == expected
    assert words(before) == SAID
    assert {one.score for one in (*after.rules, after.default)} == {None}
    assert "not scored" in str(after)
    again = after.score(RESTAURANT)
    assert all(one.score is not None for one in again.rules)
    assert again == after
    assert after.fires(RESTAURANT).tolist() == slowly(after, RESTAURANT)


def test_the_default_answer_can_be_set() -> None:
    assert THREE.set_answer(None, "Yes").predict_row({"Pat": "Some", "Est": ">60"}) == "Yes"


def test_scores_after_moving_are_those_of_the_new_order() -> None:
    """0-10 (6 rows, 4 right) and None (2 rows, 2 right) share one row; Full (6, 4) none with it."""
    scores = [one.score for one in THREE.score(RESTAURANT).rules]
    assert [(s.rows, s.first) for s in scores if s] == [(6, 6.0), (6, 6.0), (2, 0.0)]
    scores = [one.score for one in THREE.move(2, 0).score(RESTAURANT).rules]
    assert [(s.rows, s.first) for s in scores if s] == [(2, 2.0), (6, 4.0), (6, 6.0)]


def test_numbers_in_a_regression_set() -> None:
    rules = rules_of(trees.houses(), order="tree").set_answer(0, 99)
    assert rules.predict_row({"area": 1, "sold": None, "district": None}) == 99.0
    with pytest.raises(OptionError, match=r"answer='x' is not a number"):
        rules.set_answer(0, "x")
    with pytest.raises(OptionError, match=r"is not finite"):
        rules.set_answer(0, math.inf)
    assert math.isnan(rules.set_answer(0, None).rules[0].answer)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda r: r.move(3, 0), r"There is no rule 3. The rules are numbered 0 to 2"),
        (lambda r: r.drop(-1), r"There is no rule -1"),
        (lambda r: r.drop("1"), r"rule='1' is not the number of a rule"),
        (lambda r: r.drop(True), r"not the number of a rule"),
        (lambda r: made().drop(0), r"The rules are numbered none"),
        (lambda r: r.drop_condition(1, "pat"), r'no condition on "pat". Did you mean "Pat"\?'),
        (lambda r: r.drop_condition(1, "Est"), r'It has conditions on: "Pat"'),
        (lambda r: r.replace_condition(0, "Est", levels=["10"]), r"has no level '10'"),
        (lambda r: r.add_condition(0, "Est", levels=["0-10"]), r"Use replace_condition"),
        (lambda r: r.set_answer(0, "yes"), r"""not a class of "WillWait". Did you mean "Yes"\?"""),
    ],
)
def test_wrong_edits(wrong: Callable[[RuleSet], Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        wrong(THREE)


def test_a_column_that_does_not_exist() -> None:
    with pytest.raises(DataError, match=r'There is no column "Hungry".'):
        THREE.add_condition(0, "Hungry", levels=["Yes"])


# ---- in each other's way -------------------------------------------------------------------------


def test_overlaps_conflicts_and_uncovered_rows() -> None:
    """0-10: rows 0 2 5 6 7 10; Full: rows 1 3 4 8 9 11; None: rows 6 10. Row 6 is None and 0-10."""
    rules = made(rule(YES, Est=["0-10"]), rule(NO, Pat=["None"]), rule(NO, Hun=["No"]))
    found = rules.check(RESTAURANT)
    pairs = [(pair.first, pair.second, pair.rows, pair.conflict) for pair in found.overlaps]
    # Hun = No: rows 2 4 6 8 10
    assert pairs == [(0, 2, 3, True), (0, 1, 2, True), (1, 2, 2, False)]
    assert [(pair.first, pair.second) for pair in found.conflicts] == [(0, 2), (0, 1)]
    assert found.uncovered.tolist() == [1, 3, 9, 11]
    assert found.uncovered_weight == 4.0
    assert found.idle == (1,)
    assert found.shadowed == ()
    assert str(found).splitlines() == [
        "rows no rule fits: 4 of 12; they get the default answer, No",
        "pairs of rules that fit the same rows: 3; with different answers: 2",
        "  rule 0 says Yes, rule 2 No: 3 rows",
        "  rule 0 says Yes, rule 1 No: 2 rows",
        "rules that answer none of these rows: 1",
    ]


@pytest.mark.parametrize("seed", range(15))
def test_overlaps_are_those_of_a_count_pair_by_pair(seed: int) -> None:
    table = tables.random_table(Random(seed), weights="uneven")
    tree = bough.grow(table, recipe="cart", prune=None)
    rules = rules_of(tree, table, prune="pessimistic", cf=0.1)
    counted = table if table.weights is None else table.take(table.weights > 0)
    fits = [np.zeros(counted.n_rows, bool) for _ in rules.rules]
    for i, one in enumerate(rules.rules):
        for row in range(counted.n_rows):
            fits[i][row] = one.fits(as_dict(counted, row))
    expected = {
        (i, j): (int((fits[i] & fits[j]).sum()), float(counted.weights[fits[i] & fits[j]].sum()))
        for i, j in combinations(range(len(fits)), 2)
        if (fits[i] & fits[j]).any()
    }  # fmt: skip
    found = rules.check(table).overlaps
    assert {(p.first, p.second): p.rows for p in found} == {k: n for k, (n, _) in expected.items()}
    for pair in found:
        assert pair.weight == pytest.approx(expected[pair.first, pair.second][1])


def test_rules_of_a_tree_neither_overlap_nor_leave_a_row_out() -> None:
    table = datasets.load("titanic")
    found = rules_of(bough.grow(table)).check(table)
    assert (found.overlaps, found.uncovered.tolist(), found.shadowed) == ((), [], ())


def test_numbers_conflict_when_they_differ_by_more_than_their_spread() -> None:
    table = tables.build([tables.number("x", [1.0, 2.0])], [1.0, 2.0])
    x = table.schema.columns[0]
    one = Rule((condition(x, above=0),), 10.0, (4.0, 10.0, 16.0))  # sd 2
    near = Rule((condition(x, above=1),), 12.0, (1.0, 12.0, 0.0))
    far = Rule((condition(x, above=1.5),), 12.5, (1.0, 12.5, 0.0))
    rules = RuleSet(table.schema, (one, near, far), Rule((), 0.0, (0.0, 0.0, 0.0)))
    found = {(p.first, p.second): p.conflict for p in rules.check(table).overlaps}
    assert found == {(0, 1): False, (0, 2): True, (1, 2): True}


def test_a_rule_that_can_never_answer_is_found_without_rows() -> None:
    wide, narrow = rule(YES, Est=["0-10", "10-30"]), rule(NO, Est=["0-10"], Pat=["Full"])
    assert made(wide, narrow).shadowed() == ((1, 0),)
    assert made(narrow, wide).shadowed() == ()
    assert made(rule(YES), narrow).shadowed() == ((1, 0),)
    assert "rule 1 can never answer: rule 0 takes all that fits it" in str(
        made(wide, narrow).check(RESTAURANT)
    )


def test_idle_rules_can_be_dropped_without_changing_an_answer() -> None:
    table = datasets.load("titanic")
    held = np.random.default_rng(0).random(table.n_rows) < 0.3
    rules = rules_of(
        bough.grow(table.take(~held), recipe="cart", prune=None), table.take(held), prune="holdout"
    )
    idle = rules.check(table.take(held)).idle
    fewer = rules.drop_idle(table.take(held))
    assert len(fewer) == len(rules) - len(idle) < len(rules)
    assert (fewer.predict(table.take(held)) == rules.predict(table.take(held))).all()
    assert fewer.check(table.take(held)).idle == ()
    assert all(one.score and one.score.first > 0 for one in fewer.rules)


# ---- print ---------------------------------------------------------------------------------------

PRINTED = """\
WillWait: 3 rules; the first that fits answers
scores on given rows

0  if Est = 0-10
   then Yes   covers 6 rows (50%) · right 66.7% · lift 1.33

1  if Pat = Full
   then No   covers 6 rows (50%) · right 66.7% · lift 1.33

2  if Pat = None
   then No   covers 2 rows (16.7%) · right 100% · lift 2.00 · answers none of them

   otherwise No   covers no row"""


def test_print() -> None:
    assert str(THREE.score(RESTAURANT)) == PRINTED
    assert render(THREE.score(RESTAURANT), most=1).splitlines()[-3] == "   … 2 more rules"
    assert repr(THREE) == "<RuleSet for 'WillWait' (classification): 3 rules>"


@pytest.mark.parametrize("seed", range(25))
def test_no_line_is_too_wide_but_for_a_single_condition_or_answer(seed: int) -> None:
    rules = rules_of(trees.random_tree(seed, splits=12))
    for width in (40, 80):
        for line in render(rules, width=width).splitlines()[2:]:
            alone = " and " not in line.strip().removeprefix("and ")
            assert cells_of(line) <= width or alone
            assert "\x1b" not in line
    assert render(rules, plain=True).isascii()


def test_dates_levels_and_missing_cells_are_named() -> None:
    text = render(rules_of(trees.passengers(), order="tree"), exact=True)
    assert "port in {Queenstown, Southampton} (or missing)" in text
    assert "age ≤ 30.5" in text
    text = str(rules_of(trees.houses()))
    assert "sold < 2020-01-01" in text
    assert "then 500 ± 10   covers 2 rows" in text


def test_pickles_equality_and_hash() -> None:
    rules = rules_of(bough.grow(RESTAURANT, recipe="id3"))
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules
    assert hash(again) == hash(rules)
    assert rules != rules.move(0, 1)
    assert rules != "rules"
