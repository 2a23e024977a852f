"""Evaluating trees: by rows against scikit-learn, by stats against the same rows, by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn import metrics

import bough
from bough.cli.evaluate import evaluate as command
from bough.costs import TestCosts
from bough.data.missing import POLICIES
from bough.datasets import load, path
from bough.errors import DataError, OptionError
from bough.evaluate import (
    ClassEvaluation,
    Evaluation,
    NumberEvaluation,
    evaluate,
    evaluate_table,
    training,
)
from bough.evaluation import as_json

DROPPING = {"drop_rows", "class_mean"}
"""Policies that leave rows out of training, or fill them by a class that is not known later."""


def class_table(n: int = 300, k: int = 3, seed: int = 0, weighted: bool = True) -> bough.Table:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)).round(1), rng.integers(0, k, size=n)
    y[x[:, 0] > 0.4] = 0
    x[rng.random((n, 3)) < 0.05] = np.nan
    weights = rng.choice([0.5, 1.0, 2.0], size=n) if weighted else None
    return bough.read_table({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}, target=y, weights=weights)


def number_table(
    n: int = 300, seed: int = 0, weighted: bool = True, gaps: float = 0.0
) -> bough.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)).round(1)
    y = x[:, 0] ** 2 + rng.normal(size=n)
    x[rng.random((n, 2)) < gaps] = np.nan
    weights = rng.choice([0.5, 1.0, 2.0], size=n) if weighted else None
    data = {"a": x[:, 0], "b": x[:, 1]}
    return bough.read_table(data, target=y, weights=weights, task="regression")


def of_classes(found: Evaluation) -> ClassEvaluation:
    assert isinstance(found, ClassEvaluation)
    return found


def of_numbers(found: Evaluation) -> NumberEvaluation:
    assert isinstance(found, NumberEvaluation)
    return found


# ---- by rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_judged_as_scikit_learn_does(k: int, weighted: bool) -> None:
    tree = bough.grow(class_table(k=k), max_depth=4)
    test = class_table(k=k, seed=1, weighted=weighted)
    found = of_classes(evaluate_table(tree, test))
    actual, answer, share = test.target, tree.predict(test), tree.predict_proba(test)
    w: Any = {"sample_weight": test.weights}
    assert found.rows == 300
    assert found.weight == (300 if test.weights is None else test.weights.sum())
    assert found.error == pytest.approx(1 - metrics.accuracy_score(actual, answer, **w))
    assert found.log_loss == pytest.approx(metrics.log_loss(actual, share, **w))
    brier = metrics.brier_score_loss(actual, share, labels=range(k), scale_by_half=True, **w)
    assert found.brier == pytest.approx(brier)
    assert found.confusion[:, :k] == pytest.approx(metrics.confusion_matrix(actual, answer, **w))
    assert found.unknown == 0.0
    scored = metrics.precision_recall_fscore_support(actual, answer, zero_division=np.nan, **w)
    for score, *theirs in zip(found.per_class, *scored, strict=True):
        ours = [score.precision, score.recall, score.f1, score.support]
        assert ours == pytest.approx([float(x) for x in theirs], nan_ok=True)
    if k == 2:
        assert found.auc == pytest.approx(metrics.roc_auc_score(actual, share[:, 1], **w))
    else:
        assert math.isnan(found.auc)


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_judged_as_scikit_learn_does(weighted: bool) -> None:
    tree = bough.grow(number_table(), max_depth=4)
    test = number_table(seed=1, weighted=weighted)
    found = of_numbers(evaluate_table(tree, test))
    actual, answer = test.target, tree.predict(test)
    w: Any = {"sample_weight": test.weights}
    squared = metrics.mean_squared_error(actual, answer, **w)
    assert found.mean_squared_error == pytest.approx(squared)
    assert found.root_mean_squared_error == pytest.approx(math.sqrt(squared))
    assert found.mean_absolute_error == pytest.approx(
        metrics.mean_absolute_error(actual, answer, **w)
    )
    assert found.r2 == pytest.approx(metrics.r2_score(actual, answer, **w))
    root = np.full(300, tree.answers[0])
    baseline = metrics.mean_squared_error(actual, root, **w)
    assert found.baseline_mean_squared_error == pytest.approx(baseline)
    assert found.interval is not None
    assert found.interval.low < squared < found.interval.high
    assert found.unknown == 0


def test_the_interval_of_weighted_rows_does_not_depend_on_their_scale() -> None:
    table = class_table(weighted=False)
    tree = bough.grow(table, max_depth=3)
    plain = of_classes(evaluate_table(tree, table))
    tripled = replace(table, weights=np.full(table.n_rows, 3.0))
    scaled = of_classes(evaluate_table(tree, tripled))
    assert scaled.weight == 3 * plain.weight
    assert scaled.interval == plain.interval
    uneven = of_classes(evaluate_table(tree, class_table()))
    assert uneven.interval is not None and plain.interval is not None
    widths = [found.high - found.low for found in (uneven.interval, plain.interval)]
    assert widths[0] > widths[1]


# ---- by the stats of the tree --------------------------------------------------------------------


@pytest.mark.parametrize("recipe", ["default", "id3", "c45", "cart", "stump"])
@pytest.mark.parametrize("name", ["restaurant", "food11", "mpg18", "titanic", "random"])
def test_training_by_stats_is_evaluation_by_the_training_rows(recipe: str, name: str) -> None:
    table = class_table() if name == "random" else load(name)
    tree = bough.grow(table, recipe=recipe)
    same_but_for_rounding(training(tree), evaluate_table(tree, table))


def same_but_for_rounding(one: Evaluation, other: Evaluation) -> None:
    """And for what stats cannot tell: the interval of weighted rows, the absolute error."""
    a, b = as_json(one), as_json(other)
    for key in a.keys() - {"interval", "per_class", "confusion", "mean_absolute_error"}:
        assert a[key] == pytest.approx(b[key]), key
    if isinstance(one, ClassEvaluation):
        assert np.array(a["confusion"]) == pytest.approx(np.array(b["confusion"]))
        for mine, theirs in zip(a["per_class"], b["per_class"], strict=True):
            assert mine == pytest.approx(theirs)


@pytest.mark.parametrize("weighted", [False, True])
def test_training_by_stats_of_numbers(weighted: bool) -> None:
    table = number_table(weighted=weighted)
    tree = bough.grow(table, recipe="default")
    found = of_numbers(training(tree))
    same_but_for_rounding(found, evaluate_table(tree, table))
    assert math.isnan(found.mean_absolute_error)
    assert found.interval is None


def test_answers_set_by_hand_count_in_training_too() -> None:
    table = load("food6")
    tree = bough.grow(table, recipe="stump")
    turned = replace(tree, set_answers=np.array([-2, *(1 - tree.answers[1:])], dtype=np.int32))
    assert of_classes(training(tree)).error == 0.0
    assert of_classes(training(turned)).error == 1.0
    numbers = bough.grow(number_table(), max_depth=1)
    moved = replace(numbers, set_answers=np.array([np.nan, *(numbers.answers[1:] + 2.0)]))
    before, after = of_numbers(training(numbers)), of_numbers(training(moved))
    assert after.mean_squared_error == pytest.approx(before.mean_squared_error + 4.0)


def test_rows_that_stop_at_a_question_get_its_answer() -> None:
    """food6's stump (egg ≤ 0: 3 well, 3 sick), and two more rows, sick, that end at the root."""
    tree = bough.grow(load("food6"), recipe="stump")
    nodes = tree.nodes
    stats, rows, weight = nodes.stats.copy(), nodes.rows.copy(), nodes.weight.copy()
    sick = 1
    stats[0, sick] += 2.0
    rows[0] += 2
    weight[0] += 2.0
    stopping = replace(tree, nodes=replace(nodes, stats=stats, rows=rows, weight=weight))
    found = of_classes(training(stopping))
    assert found.weight == 8.0
    assert found.error == 0.0  # [3, 5] at the root answers sick
    assert found.confusion.tolist() == [[3.0, 0.0, 0.0], [0.0, 5.0, 0.0]]
    # 3 well and 3 sick with share 1; two with 5/8: the log loss is 2/8 · −ln(5/8)
    assert found.log_loss == pytest.approx(-math.log(5 / 8) / 4)


def test_numbers_that_stop_at_a_question_get_its_answer() -> None:
    # Leaves hold 1, 1 and 5, 5; one row of 9 ends at the root: mean 4.2, squares about it 44.8.
    tree = bough.grow({"x": [1, 2, 3, 4]}, [1.0, 1.0, 5.0, 5.0], task="regression", recipe="stump")
    nodes = tree.nodes
    stats, rows = nodes.stats.copy(), nodes.rows.copy()
    stats[0] = [5.0, 4.2, 44.8]
    rows[0] = 5
    found = of_numbers(training(replace(tree, nodes=replace(nodes, stats=stats, rows=rows))))
    assert found.mean_squared_error == pytest.approx((9 - 4.2) ** 2 / 5)
    assert found.baseline_mean_squared_error == pytest.approx(44.8 / 5)


@pytest.mark.parametrize("missing", sorted(set(POLICIES) - DROPPING - {"fractional"}))
def test_training_by_stats_under_every_policy_for_missing_cells(missing: str) -> None:
    for table in (class_table(), number_table(gaps=0.2)):
        tree = bough.grow(table, recipe="cart", max_depth=4, missing=missing)
        same_but_for_rounding(training(tree), evaluate_table(tree, table))


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_shared_out_among_branches_are_judged_by_their_mixed_answer(weighted: bool) -> None:
    tree = bough.grow(class_table(k=2), max_depth=4, missing="fractional")
    test = class_table(k=2, seed=1, weighted=weighted)
    found = of_classes(evaluate_table(tree, test))
    share = tree.predict_proba(test)
    assert len(np.unique(share[:, 1])) > tree.n_leaves  # some rows are mixed
    w: Any = {"sample_weight": test.weights}
    assert found.error == pytest.approx(
        1 - metrics.accuracy_score(test.target, tree.predict(test), **w)
    )
    assert found.log_loss == pytest.approx(metrics.log_loss(test.target, share, **w))
    assert found.auc == pytest.approx(metrics.roc_auc_score(test.target, share[:, 1], **w))
    numbers = bough.grow(number_table(gaps=0.2), max_depth=4, missing="fractional")
    test = number_table(seed=1, gaps=0.2, weighted=weighted)
    w = {"sample_weight": test.weights}
    squared = metrics.mean_squared_error(test.target, numbers.predict(test), **w)
    assert of_numbers(evaluate_table(numbers, test)).mean_squared_error == pytest.approx(squared)


def test_a_tree_grown_with_costs_is_judged_by_them() -> None:
    table = class_table(k=2)
    costs = {0: {1: 1}, 1: {0: 9}}
    tree = bough.grow(table, max_depth=3, costs=costs)
    plain = bough.grow(table, max_depth=3)
    found = of_classes(evaluate_table(tree, table))
    assert found.cost == of_classes(evaluate_table(tree, table, costs=costs)).cost is not None
    assert of_classes(evaluate_table(plain, table)).cost is None
    assert found.cost < (of_classes(evaluate_table(plain, table, costs=costs)).cost or 0.0)
    same_but_for_rounding(training(tree), found)


# ---- by hand -------------------------------------------------------------------------------------


def test_the_baseline_is_the_mode() -> None:
    """S4:105: four of five days sick. The restaurant is even: 6 of 12."""
    tree = bough.grow(load("food5"), recipe="stump")
    assert of_classes(training(tree)).baseline_error == pytest.approx(1 / 5)
    tree = bough.grow(load("restaurant"), recipe="id3", max_depth=1)
    found = of_classes(training(tree))
    assert (found.baseline_error, found.error) == (pytest.approx(6 / 12), pytest.approx(2 / 12))


def unsure() -> tuple[bough.Tree, bough.Table]:
    """Branches a, b known; level c is in the schema and no training row has it."""
    data = {"x": ["a", "a", "b", "b", "c"]}
    table = bough.read_table(data, target=["no", "no", "yes", "yes", "yes"])
    tree = bough.grow(table.take(np.arange(4)), recipe="id3", empty_branch="unknown")
    return tree, table


def test_not_knowing_is_wrong_and_equally_likely() -> None:
    tree, table = unsure()
    found = of_classes(evaluate_table(tree, table))
    assert found.error == pytest.approx(1 / 5)
    assert found.confusion.tolist() == [[2, 0, 0], [0, 2, 1]]
    assert found.unknown == 1.0
    assert found.log_loss == pytest.approx(math.log(2) / 5)
    assert found.brier == pytest.approx(0.25 / 5)
    assert found.auc == 1.0  # shares 0, 0 | ½, 1, 1


def test_numbers_leave_rows_without_an_answer_out() -> None:
    table = bough.read_table({"x": ["a", "a", "b", "b", "c"]}, target=[1.5, 1.5, 4.5, 5.5, 7.0])
    tree = bough.grow(
        table.take(np.arange(4)), recipe="cart", categories="branches", empty_branch="unknown",
        max_depth=1,
    )  # fmt: skip
    found = of_numbers(evaluate_table(tree, table))
    assert found.unknown == 1
    assert found.mean_squared_error == pytest.approx(2 * 0.25 / 4)
    only = of_numbers(evaluate_table(tree, table.take(np.array([4]))))
    assert only.unknown == 1 and math.isnan(only.mean_squared_error)
    assert as_json(only)["mean_squared_error"] is None


def test_costs_weigh_the_mistakes() -> None:
    table = load("restaurant")
    tree = bough.grow(table, recipe="id3", max_depth=1)  # 2 of 12 wrong: they wait, it says no
    costs = {"Yes": {"No": 5}, "No": {"Yes": 2}}
    found = of_classes(evaluate_table(tree, table, costs=costs))
    assert found.cost == pytest.approx(2 * 5 / 12)
    wrong_yes = of_classes(evaluate_table(tree, table, costs={"Yes": {"No": 0}}))
    assert wrong_yes.cost == 0.0
    # The root is even and answers the earlier class, No: six who wait cost 5 each.
    assert found.baseline_cost == pytest.approx(6 * 5 / 12)
    assert of_classes(training(tree, costs=costs)).cost == found.cost
    assert of_classes(training(tree)).cost is None


def test_not_knowing_costs_as_much_as_the_dearest_answer() -> None:
    tree, table = unsure()
    found = of_classes(evaluate_table(tree, table, costs={"yes": {"no": 7}}))
    assert found.cost == pytest.approx(7 / 5)


def test_what_asking_costs() -> None:
    """Patrons costs 3, Hungry 10, each once a path: None and Some pay 3, Full (6 of 12) pays 13."""
    table = load("restaurant")
    tree = bough.grow(table, recipe="id3", max_depth=2)
    prices = {"Pat": 3, "Hun": 10}
    for found in (
        training(tree, test_costs=prices),
        evaluate_table(tree, table, test_costs=prices),
    ):
        assert found.asking_cost == pytest.approx((6 * 3 + 6 * 13) / 12)
    cost = np.zeros(len(table.schema.columns))
    cost[table.schema.index["Pat"]] = 3
    ready = TestCosts(cost, np.full(len(cost), -1, np.int32), np.zeros(0))
    assert training(tree, test_costs=ready).asking_cost == 3.0
    assert training(tree).asking_cost is None


# ---- edges ---------------------------------------------------------------------------------------


def test_rows_to_judge_by_must_count_and_have_a_target() -> None:
    table = class_table()
    tree = bough.grow(table)
    with pytest.raises(DataError, match="no rows that count"):
        evaluate_table(tree, table.take(np.zeros(300, dtype=bool)))
    with pytest.raises(DataError, match="no rows that count"):
        evaluate_table(tree, replace(table, weights=np.zeros(300)))
    with pytest.raises(DataError, match="no target"):
        evaluate_table(tree, replace(table, target=None))
    with pytest.raises(OptionError, match="confidence=95"):
        evaluate(tree, table, confidence=95)
    numbers = bough.grow(number_table())
    with pytest.raises(OptionError, match="costs are for classes"):
        training(numbers, costs={"a": {"b": 1}})


def test_a_class_without_rows_has_no_recall() -> None:
    table = class_table()
    tree = bough.grow(table, max_depth=0)  # always answers one class
    assert table.target is not None
    found = of_classes(evaluate_table(tree, table.take(table.target == 0)))
    mode, other, absent = found.per_class
    assert (mode.precision, mode.recall, mode.f1) == (1.0, 1.0, 1.0)
    assert math.isnan(other.precision) and math.isnan(absent.recall) and math.isnan(absent.f1)
    assert as_json(found)["per_class"][2]["recall"] is None


CLASS_KEYS = [
    "rows",
    "weight",
    "interval",
    "asking_cost",
    "error",
    "baseline_error",
    "classes",
    "confusion",
    "per_class",
    "log_loss",
    "impossible",
    "brier",
    "auc",
    "cost",
    "baseline_cost",
    "unknown",
]
NUMBER_KEYS = [
    "rows",
    "weight",
    "interval",
    "asking_cost",
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_absolute_error",
    "r2",
    "baseline_mean_squared_error",
    "unknown",
]


def test_the_keys_of_the_json_are_those_of_the_docs() -> None:
    assert list(as_json(training(bough.grow(class_table())))) == CLASS_KEYS
    assert list(as_json(training(bough.grow(number_table())))) == NUMBER_KEYS


# ---- the command ---------------------------------------------------------------------------------


def run(*args: str) -> str:
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def model(tmp_path: Any) -> str:
    tree = bough.grow(path("restaurant"), "WillWait", recipe="id3", max_depth=1)
    tree.save(tmp_path / "tree.json")
    return str(tmp_path / "tree.json")


def test_the_command_prints_test_training_and_baseline(model: str) -> None:
    text = " ".join(run(model, str(path("restaurant"))).split())
    assert "12 rows; the tree has 3 leaves, depth 1" in text
    assert "error 16.67% (2 of 12 wrong) 4.70% … 44.80% with 95% confidence" in text
    assert "baseline 50.00% error of always answering No" in text
    assert "training 16.67% error on the 12 rows it was grown from" in text
    assert "Yes 100.0% 66.7% 80.0% 6" in text


def test_the_command_gives_json_and_costs(model: str, tmp_path: Any) -> None:
    (tmp_path / "costs.csv").write_text("actual,No,Yes\nNo,0,2\nYes,5,0\n")
    given = [model, str(path("restaurant")), "--costs", str(tmp_path / "costs.csv"), "--json"]
    found = json.loads(run(*given, "--confidence", "0.9"))
    assert list(found) == ["target", "task", "leaves", "depth", *CLASS_KEYS, "training"]
    assert found["cost"] == pytest.approx(10 / 12)
    assert found["interval"]["confidence"] == 0.9
    assert list(found["training"]) == CLASS_KEYS
    assert " 0.8333 a row; baseline 2.5" in " ".join(run(*given[:-1]).split())


def test_the_command_prints_numbers(tmp_path: Any) -> None:
    (tmp_path / "data.csv").write_text("x,y\n1,1\n2,1\n3,5\n4,9.5\n")
    tree = bough.grow(tmp_path / "data.csv", "y", recipe="stump", task="regression")
    tree.save(tmp_path / "tree.json")
    text = " ".join(run(str(tmp_path / "tree.json"), str(tmp_path / "data.csv")).split())
    # 1, 1 | 5, 9.5: squares 0, 0, 2.25², 2.25²
    assert "mean squared error 2.53125" in text
    assert "mean absolute error 1.125" in text
    assert "training 2.53125 mean squared error on the 4 rows it was grown from" in text
