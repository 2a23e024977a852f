"""Comparing: the same folds for all, scikit-learn's numbers, and no failure takes others along."""

from __future__ import annotations

import json
import math
import signal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sklearn import metrics
from sklearn.dummy import DummyClassifier, DummyRegressor

import bough
import bough.compare as module
from bough.cli.compare import compare as command
from bough.compare import SHARES, compare, make_plan, run, summary
from bough.comparison import Contender, as_json
from bough.datasets import load, path
from bough.errors import DataError, OptionError
from bough.folds import each_fold, fold_numbers
from bough.recipes import RECIPES


def numbers(n: int = 120, seed: int = 0) -> bough.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = x[:, 0] ** 2 + rng.normal(size=n) / 2
    return bough.read_table(x, target=y, task="regression")


def by_name(found: Any, name: str) -> Contender:
    contender: Contender = next(one for one in found.contenders if one.name == name)
    return contender


# ---- the numbers ---------------------------------------------------------------------------------


def test_errors_are_those_of_trees_that_have_not_seen_the_row() -> None:
    table = load("titanic")
    assert table.target is not None
    found = compare(table, recipes=["cart"], bundles={"d2": {"max_depth": 2}}, folds=5, seed=3)
    for name, recipe, options in (("cart", "cart", {}), ("d2", "default", {"max_depth": 2})):
        answers = np.empty(table.n_rows, dtype=int)
        errors, trained, leaves = [], [], []
        for learn, test in each_fold(fold_numbers(table, 5, seed=3)):
            tree = bough.grow(table.take(learn), recipe=recipe, **options)  # type: ignore[arg-type]
            answers[test] = tree.predict(table.take(test))
            errors.append(1 - metrics.accuracy_score(table.target[test], answers[test]))
            seen = tree.predict(table.take(learn))
            trained.append(1 - metrics.accuracy_score(table.target[learn], seen))
            leaves.append(tree.n_leaves)
        one = by_name(found, name)
        assert one.error == pytest.approx(1 - metrics.accuracy_score(table.target, answers))
        assert one.deviation == pytest.approx(np.std(errors, ddof=1))
        assert one.training_error == pytest.approx(np.mean(trained), rel=1e-3)
        assert [fold.leaves for fold in one.folds] == leaves
        assert one.leaves == pytest.approx(np.mean(leaves))
    assert len(found.baseline.folds) == 5


def test_numbers_have_a_root_mean_squared_error_and_an_r2() -> None:
    table = numbers()
    assert table.target is not None
    found = by_name(compare(table, folds=4), "default")
    answers, errors = np.empty(120), []
    for learn, test in each_fold(fold_numbers(table, 4)):
        answers[test] = bough.grow(table.take(learn)).predict(table.take(test))
        errors.append(metrics.root_mean_squared_error(table.target[test], answers[test]))
    expected = metrics.root_mean_squared_error(table.target, answers)
    assert found.error == pytest.approx(expected)
    assert found.deviation == pytest.approx(np.std(errors, ddof=1))
    assert found.r2 == pytest.approx(metrics.r2_score(table.target, answers))
    assert math.isnan(found.brier) and found.cost is None


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_baseline_is_the_mode_or_the_mean(task: str) -> None:
    table = load("titanic") if task == "classification" else numbers()
    assert table.target is not None
    dummy = DummyClassifier(strategy="most_frequent") if task == "classification" else None
    dummy = dummy or DummyRegressor()
    answers = np.empty(table.n_rows)
    for learn, test in each_fold(fold_numbers(table, 6)):
        dummy.fit(np.zeros((learn.sum(), 1)), table.target[learn])
        answers[test] = dummy.predict(np.zeros((test.sum(), 1)))
    error = (
        metrics.root_mean_squared_error(table.target, answers)
        if task == "regression"
        else 1 - metrics.accuracy_score(table.target, answers)
    )
    found = compare(table, recipes=["stump"], folds=6).baseline
    assert found.error == pytest.approx(error)
    assert (found.leaves, found.depth) == (1.0, 0.0)


def test_one_row_per_fold() -> None:
    table = numbers(20)
    found = compare(table, recipes=["stump"], folds=20)
    one = found.contenders[0]
    squares = [fold.test.mean_squared_error for fold in one.folds]  # type: ignore[union-attr]
    assert one.error == pytest.approx(math.sqrt(np.mean(squares)))
    assert math.isfinite(one.r2)


def test_the_same_again() -> None:
    table = load("restaurant")

    def plain(**options: Any) -> Any:
        found = as_json(compare(table, folds=4, **options))
        for one in (found["baseline"], *found["contenders"]):
            del one["seconds"]
            for fold in one["folds"]:
                del fold["seconds"]
        return found

    assert plain(seed=1) == plain(seed=1) == plain(seed=1, threads=1)
    assert plain(seed=1) != plain(seed=2)


def test_weights_scale_and_rows_of_no_weight_do_not_count() -> None:
    table = load("titanic")
    n = table.n_rows
    some = np.random.default_rng(0).random(n) < 0.5
    weighed = bough.Table(table.schema, table.cells, table.target, some * 2.0)
    plain = compare(table.take(some), recipes=["default"], folds=5)
    found = compare(weighed, recipes=["default"], folds=5)
    assert found.rows == some.sum()
    # Limits count rows, and errors are shares: twice the weight is the same tree and error.
    assert found.contenders[0].error == pytest.approx(plain.contenders[0].error)
    assert found.contenders[0].leaves == plain.contenders[0].leaves


def test_costs_choose_the_best() -> None:
    costs = {1: {0: 10}}
    found = compare(load("titanic"), recipes=["cart", "default"], folds=5, costs=costs)
    assert found.measure == "cost"
    costly = {one.name: one.cost for one in found.contenders}
    assert found.best == min(costly, key=lambda name: costly[name] or 0.0)
    default = by_name(found, "default")
    confusion = sum(fold.test.confusion for fold in default.folds)  # type: ignore[union-attr]
    assert default.cost == pytest.approx((10 * confusion[1, 0] + confusion[0, 1]) / 891)


# ---- the winners ---------------------------------------------------------------------------------


def made(name: str, error: float, leaves: float, deviation: float = 0.0) -> Contender:
    return Contender(name, "cart", {}, error=error, deviation=deviation, leaves=leaves)


@pytest.mark.parametrize(
    ("contenders", "best", "simplest"),
    [
        ([made("a", 0.2, 9), made("b", 0.1, 9)], "b", "b"),
        ([made("a", 0.1, 9), made("b", 0.1, 8)], "b", "b"),
        # one standard error of four folds: 0.08 / 2 = 0.04
        ([made("a", 0.1, 9, 0.08), made("b", 0.14, 3), made("c", 0.1401, 2)], "a", "b"),
        ([made("a", math.nan, 1), made("b", 0.5, 8)], "b", "b"),
        ([made("a", math.nan, 1)], None, None),
    ],
)
def test_the_best_and_the_simplest(contenders: Any, best: str, simplest: str) -> None:
    plan = make_plan(load("restaurant"), recipes=["cart"], folds=4)
    found = summary(plan, [made("baseline", 0.5, 1), *contenders])
    assert (found.best, found.simplest) == (best, simplest)


# ---- failures and interruptions ------------------------------------------------------------------


def test_one_that_fails_says_why_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    grow = module.grow_from

    def breaks(data: Any, **options: Any) -> Any:
        if options["recipe"] == "id3":
            raise ValueError("out of luck")
        return grow(data, **options)

    monkeypatch.setattr(module, "grow_from", breaks)
    told: list[tuple[int, int]] = []
    found = compare(
        numbers(),
        recipes=["id3", "c45", "cart"],
        folds=3,
        progress=lambda *step: told.append(step),
    )
    assert by_name(found, "id3").failed == "ValueError: out of luck"
    assert "does not grow regression trees" in (by_name(found, "c45").failed or "")
    assert by_name(found, "cart").failed is None
    assert found.best == "cart"
    assert told[-1] == (12, 12) and told == sorted(told)
    assert as_json(found)["contenders"][0]["error"] is None


def test_stopped_half_way_it_keeps_what_has_finished() -> None:
    plan = make_plan(load("restaurant"), recipes=["id3", "cart"], folds=3)
    running = run(plan)
    found = summary(plan, [next(running), next(running)])
    assert [one.name for one in found.contenders] == ["id3"]
    assert not found.complete
    assert found.best == "id3"


def test_what_cannot_be_compared() -> None:
    table = load("restaurant")
    with pytest.raises(DataError, match="13 folds need at least 13 rows, and the table has 12"):
        compare(table, folds=13)
    with pytest.raises(OptionError, match="folds=1"):
        compare(table, folds=1)
    with pytest.raises(OptionError, match="seed=-1"):
        compare(table, seed=-1)
    with pytest.raises(DataError, match="no target"):
        compare(bough.Table(table.schema, table.cells))
    with pytest.raises(OptionError, match="costs are for classes"):
        compare(numbers(), costs={"a": {"b": 1}})
    with pytest.raises(DataError, match="which column is the target"):
        compare(path("restaurant"))


# ---- the learning curve --------------------------------------------------------------------------


def test_the_learning_curve_ends_where_the_comparison_stands() -> None:
    plain = {"cart": {"recipe": "cart", "prune": None}}
    found = compare(load("titanic"), recipes=[], bundles=plain, folds=5, learning_curve=True)
    cart = found.contenders[0]
    assert len(cart.curve) == len(SHARES)
    last = cart.curve[-1]
    assert (last.error, last.deviation, last.training_error, last.leaves) == (
        cart.error,
        cart.deviation,
        cart.training_error,
        cart.leaves,
    )
    assert last.rows == pytest.approx(891 * 0.8)
    rows = [point.rows for point in cart.curve]
    assert rows == pytest.approx([share * last.rows for share in SHARES], abs=0.5)
    leaves = [point.leaves for point in cart.curve]
    assert leaves == sorted(leaves)  # more rows, more to tell apart
    assert compare(load("titanic"), recipes=["cart"], folds=5).contenders[0].curve == ()


def test_a_smaller_share_holds_the_classes_in_their_shares() -> None:
    """Otherwise the curve tells of a lucky or unlucky draw, not of the number of rows."""
    found = compare(load("titanic"), recipes=["stump"], folds=5, learning_curve=True)
    wrong = [point.training_error for point in found.baseline.curve]
    assert wrong == pytest.approx([342 / 891] * len(SHARES), abs=0.01)


def test_a_smaller_share_is_part_of_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[float]] = []
    grow = module.grow_from

    def watching(data: Any, **options: Any) -> Any:
        seen.append(set(data.cells[0].tolist()))
        return grow(data, **options)

    monkeypatch.setattr(module, "grow_from", watching)
    compare(numbers(50), recipes=["stump"], folds=2, learning_curve=True)
    for first in range(0, len(seen), len(SHARES)):
        parts = seen[first : first + len(SHARES)]
        assert [len(part) for part in parts] == [2, 5, 10, 15, 20, 25]
        assert all(a < b for a, b in pairwise(parts))


# ---- the command ---------------------------------------------------------------------------------


def invoke(*args: str) -> Result:
    return CliRunner().invoke(command, args, standalone_mode=False)


TITANIC = [str(path("titanic")), "--target", "Survived", "--ignore", "Name", "--ignore", "Ticket"]


def test_the_table_marks_the_best_and_sorts_by_error() -> None:
    bundle = "--bundle", "d3=recipe=cart max_depth=3 prune=cost_complexity alpha=0.01"
    result = invoke(*TITANIC, *bundle, "--folds", "5")
    assert result.exception is None and result.return_value == 0
    head, *rows = [line for line in result.stdout.splitlines() if "%" in line or "± dev." in line]
    assert head.split() == [
        "bundle", "error", "±", "dev.", "training", "leaves", "depth", "seconds",
    ]  # fmt: skip
    assert rows[0].startswith("*  ") and rows[-1].split()[0] == "baseline"
    errors = [float(row.replace("*", " ").split()[1].rstrip("%")) for row in rows[:-1]]
    assert errors == sorted(errors) and len(errors) == len(RECIPES) + 1
    assert "* the smallest error: " in result.stdout
    assert "no better than the baseline" not in result.stdout


def test_a_best_that_is_no_better_than_the_baseline_is_told_so() -> None:
    given = str(path("restaurant")), "--target", "WillWait", "--recipes", "id3", "--folds", "3"
    told = invoke(*given).stdout
    assert told.endswith(
        "* the smallest error: id3\n  no better than the baseline, which asks nothing\n"
    )


def test_numbers_and_failures_in_the_table(tmp_path: Any) -> None:
    (tmp_path / "own.toml").write_text("[mine]\nmax_depth = 2\n")
    data = tmp_path / "data.csv"
    data.write_text("x,y\n" + "\n".join(f"{i},{i % 7 + i / 10}" for i in range(60)) + "\n")
    given = [str(data), "--target", "y", "--recipes", "cart, id3", "--folds", "3"]
    result = invoke(*given, "--bundles", str(tmp_path / "own.toml"), "--learning-curve")
    assert result.exception is None
    assert "RMSE" in result.stdout and "R²" in result.stdout
    assert 'id3 failed: The recipe "id3" does not grow regression trees.' in result.stdout
    assert "by size of the training data" in result.stdout
    only = invoke(*given[:3], "--recipes", "id3", "--folds", "3")
    assert only.return_value == 1  # nobody could be judged


def test_json() -> None:
    result = invoke(*TITANIC, "--recipes", "none", "--bundle", "a=max_depth=1", "--json")
    found = json.loads(result.stdout)
    assert list(found) == [
        "target", "task", "rows", "folds", "seed", "measure", "best", "simplest", "complete",
        "baseline", "contenders",
    ]  # fmt: skip
    (one,) = found["contenders"]
    assert list(one) == [
        "name", "recipe", "options", "failed", "error", "deviation", "training_error", "r2",
        "log_loss", "brier", "cost", "cost_deviation", "leaves", "depth", "seconds", "unknown",
        "folds", "curve",
    ]  # fmt: skip
    assert one["options"] == {"max_depth": 1} and one["r2"] is None
    assert len(one["folds"]) == found["folds"] == 10
    assert found["measure"] == "error" and found["best"] == "a" and found["complete"] is True


def test_a_target_is_needed() -> None:
    assert "--target" in str(invoke(str(path("titanic"))).exception)


def test_an_interrupt_shows_what_has_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    grow, trees = module.grow_from, 0

    def interrupted(data: Any, **options: Any) -> Any:
        nonlocal trees
        trees += 1
        if trees == 12:  # five for the baseline, five for the stump
            signal.raise_signal(signal.SIGINT)
        return grow(data, **options)

    monkeypatch.setattr(module, "grow_from", interrupted)
    result = invoke(*TITANIC, "--recipes", "stump,cart,id3", "--folds", "5")
    assert result.return_value == 130
    assert "stump" in result.stdout and "baseline" in result.stdout
    assert "cart" not in result.stdout
    assert "stopped; 1 of 3 bundles had finished" in result.stderr
