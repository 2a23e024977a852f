"""Lessons of random tables: what is worked out is what the tree says, for every criterion, kind of
split and policy, and no leaf is left without its reason."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from bough.data.table import Table
from bough.growing import grow_table
from bough.lesson.arithmetic import Equation
from bough.lesson.columns import tolerance
from bough.lesson.facts import ColumnFacts, Lesson, Limits, Step
from bough.lesson.steps import lesson_of
from bough.recipes import options_for
from bough.tree import Tree
from lessons import EVERYTHING
from tables import WEIGHTS, random_table

CRITERIA = [
    "entropy", "gain_ratio", "gini", "twoing", "error", "chi2", "significance", "squared_error",
]  # fmt: skip
CATEGORIES = ["subset", "branches", "one_vs_rest", "merged"]


def often(random: Random, usual: Any, *others: Any) -> Any:
    return usual if random.random() < 0.65 else random.choice(others)


def random_options(random: Random, criterion: str) -> dict[str, Any]:
    options = {
        "criterion": criterion,
        "max_depth": often(random, None, 0, 1, 3),
        "max_leaves": often(random, None, 1, 2, 4, 6),
        "min_rows_split": often(random, 2, 3, 5, 0.25),
        "min_rows_leaf": often(random, 1, 2, 3, 0.15),
        "min_gain": often(random, 0.0, 0.0371, 0.171),
        "min_drop": often(random, 0.0, 0.0123),
        "zero_gain": often(random, "split", "stop"),
        "empty_branch": often(random, "parent", "unknown"),
        "equality": random.choice(["<=", "<"]),
        "threshold": random.choice(["midpoint", "observed", "short"]),
        "ratio_among": random.choice(["average", "all"]),
        "runners_up": random.random() < 0.5,
    }
    if criterion == "significance":
        options["max_adjusted_p"] = often(random, None, 0.0507, 0.31)
    options["merge_p"] = often(random, 0.05, 0.0, 0.307, 1.0)
    if criterion == "squared_error":
        options["stop_error"] = often(random, 0.0, 0.3337)
    return options


def close(a: float, b: float, scale: float = 0.0) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-10 * max(1.0, scale))


def check_equation(equation: Equation, scale: float = 0.0) -> None:
    if equation.expression is None:
        assert equation.note
    else:
        assert close(equation.expression.value, equation.value, scale), equation


def check_column(step: Step, facts: ColumnFacts, criterion: str) -> None:
    size = step.here.impurity if criterion == "squared_error" else 1.0
    if facts.best is None:
        assert facts.note
        assert not facts.candidates
        return
    assert [c for c in facts.candidates if c.is_best] == [facts.best]
    for equation in (*facts.impurities, *facts.gains):
        check_equation(equation, size)
    gain = next(rank.gain for rank in step.ranking if rank.name == facts.name)
    assert close(facts.gains[-1].value, gain, size)
    assert facts.n_candidates >= len(facts.candidates)
    by = [c.gain if criterion != "gain_ratio" else c.entropy_gain for c in facts.candidates]
    for candidate in facts.candidates:
        assert sum(side.rows for side in candidate.sides) == step.here.rows
        assert close(sum(side.weight for side in candidate.sides), step.here.weight)
    if criterion not in ("gain_ratio", "significance"):  # chosen by another measure
        at = [c.is_best for c in facts.candidates].index(True)
        assert by[at] >= max(by) - 1e-9 * max(1.0, step.here.weight, size)


def check_step(tree: Tree, step: Step, criterion: str) -> None:
    node = step.node
    assert step.here.rows == int(tree.nodes.rows[node])
    if step.here.rows:
        check_equation(step.impurity, abs(step.here.stats[0]))  # type: ignore[arg-type]
    for facts in step.columns:
        check_column(step, facts, criterion)
    assert (step.answer is not None) == bool(tree.is_leaf[node])
    if step.answer:
        assert step.answer.reason
        assert "cut back" not in step.answer.reason
        assert not step.children
        return
    assert step.ranking[0].standing == "chosen"
    assert close(step.ranking[0].gain, float(tree.nodes.gain[node]))
    assert not any(check.stops for check in step.checks)
    if step.tied:
        slack = tolerance(criterion, step.here)
        gains = {rank.name: rank.gain for rank in step.ranking}
        assert step.tied[0] == step.chosen
        assert all(gains[name] >= max(gains[t] for t in step.tied) - slack for name in step.tied)


def check_lesson(tree: Tree, lesson: Lesson, criterion: str) -> None:
    assert sorted(step.node for step in lesson.steps) == list(range(len(tree)))
    assert [step.number for step in lesson.steps] == list(range(1, len(tree) + 1))
    for step in lesson.steps:
        check_step(tree, step, criterion)
    assert sum(bool(step.tied) for step in lesson.steps if not step.answer) == ties_of(tree, lesson)


def ties_of(tree: Tree, lesson: Lesson) -> int:
    """The tree counts the ties it met, also those at nodes that max_leaves left unsplit."""
    if tree.options["max_leaves"] is not None:
        return sum(bool(step.tied) for step in lesson.steps if not step.answer)
    return int(tree.report["ties"])


CASES = [
    (criterion, categories, missing)
    for criterion in CRITERIA
    for categories in CATEGORIES
    for missing in ("learned", "own")
    # twoing compares two sides
    if criterion != "twoing" or (categories not in ("branches", "merged") and missing != "own")
    # levels are merged by their classes
    if criterion != "squared_error" or categories != "merged"
]


@pytest.mark.parametrize(("criterion", "categories", "missing"), CASES)
def test_random_tables(criterion: str, categories: str, missing: str) -> None:
    random = Random(f"{criterion}{categories}{missing}")
    task: Any = "regression" if criterion == "squared_error" else "classification"
    for _ in range(25):
        table = random_table(random, task, weights=random.choice(list(WEIGHTS)))
        options = random_options(random, criterion)
        options |= {"categories": categories, "missing": missing}
        tree = grow_table(table, options_for(task, None, {**options}))
        check_lesson(tree, lesson_of(tree, table, limits=EVERYTHING), criterion)


def test_rows_are_followed_to_their_nodes() -> None:
    random = Random(4)
    for _ in range(20):
        table = random_table(random, weights="whole")
        tree = grow_table(table, options_for("classification", "cart", {"missing": "learned"}))
        lesson = lesson_of(tree, table, limits=EVERYTHING)
        leaf = tree.apply(table)
        for step in lesson.steps:
            if step.answer and step.row_numbers:
                assert all(leaf[row - 1] == step.node for row in step.row_numbers)
                assert len(step.row_numbers) == step.here.rows


def test_small_limits_leave_out_and_count() -> None:
    random = Random(5)
    narrow = Limits(steps=2, columns=1, ranked=1, values=1, candidates=2, measured=9, row_numbers=3)
    for _ in range(30):
        table: Table = random_table(random)
        tree = grow_table(table, options_for("classification", "cart", {"missing": "learned"}))
        lesson = lesson_of(tree, table, limits=narrow)
        assert len(lesson.steps) == min(2, len(tree))
        for step in lesson.steps:
            assert len(step.columns) <= 1
            assert len(step.ranking) <= min(1, step.n_ranked)
            if step.ranking and step.columns:
                assert step.columns[0].name == step.ranking[0].name
            for facts in step.columns:
                assert len(facts.candidates) <= 2
                assert np.isfinite([candidate.gain for candidate in facts.candidates]).all()
