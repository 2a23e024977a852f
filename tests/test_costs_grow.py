"""Trees that feel costs: in the criterion, by altered priors, and in the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
from bough import measure
from bough.costs import altered_priors
from bough.data.table import Array, Table
from bough.errors import OptionError
from bough.growing import grow_table
from bough.predict import apply_table, predict
from bough.recipes import options_for
from bough.restat import with_stats_of
from bough.tree import Tree
from tables import WEIGHTS, build, levelled, number, random_table, shown

A, B, C = "class0", "class1", "class2"


def options(**given: Any) -> dict[str, Any]:
    return options_for("classification", "cart", given)


def grow(table: Table, costs: Any = None, **given: Any) -> Tree:
    matrix = None if costs is None else np.array(costs, dtype=float)
    return grow_table(table, options(**given), costs=matrix)


def one_leaf(counts: list[int], costs: Any) -> Tree:
    target = [c for c, n in enumerate(counts) for _ in range(n)]
    table = build([number("x", [1.0] * len(target))], target, len(counts))
    return grow(table, costs)


# ---- the answer of a leaf ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "costs", "answer"),
    [
        ([2, 3], [[0, 1], [1, 0]], B),
        ([2, 3], [[0, 5], [1, 0]], A),  # answering A costs 3 · 1, B costs 2 · 5
        ([5, 3, 2], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], A),
        # A: 3 · 4 + 2 · 4 = 20; B: 5 · 1 + 2 · 9 = 23; C: 5 · 2 + 3 · 3 = 19
        ([5, 3, 2], [[0, 1, 2], [4, 0, 3], [4, 9, 0]], C),
        # The cheapest answer may be of a class no row here has: A 10, B 10, C 2 + 2.
        ([2, 2, 0], [[0, 5, 1], [5, 0, 1], [1, 1, 0]], C),
        ([2, 3], [[0, 3], [2, 0]], A),  # 6 and 6: at the root the earlier class
        ([3, 1], [[0, 0.1], [0.3, 0]], A),  # .3 and .1 + .1 + .1: a tie for people, so for bough
    ],
)
def test_a_leaf_answers_what_costs_least(counts: list[int], costs: Any, answer: str) -> None:
    tree = one_leaf(counts, costs)
    assert tree.predict_row({}) == answer
    assert tree.predict({"x": [1.0]}).tolist() == [answer]


def test_a_tie_is_decided_by_the_costs_of_the_parent() -> None:
    """Left (1, 5) costs 5 either way; the root (1, 9) costs 9 with A, 5 with B."""
    table = build([number("x", [1] * 6 + [2] * 4)], [0, 1, 1, 1, 1, 1, 1, 1, 1, 1], 2)
    tree = grow(table, [[0, 5], [1, 0]], cost_use="answers")
    assert tree.nodes.stats.tolist() == [[1, 9], [1, 5], [0, 4]]
    assert tree.predict_row({"x": 1.0}) == B
    # Root (4, 6): A costs 6, B 20. The left, tied, answers A.
    table = build([number("x", [1] * 6 + [2] * 4)], [0, 1, 1, 1, 1, 1, 0, 0, 0, 1], 2)
    tree = grow(table, [[0, 5], [1, 0]], cost_use="answers", max_depth=1)
    assert tree.nodes.stats.tolist() == [[4, 6], [1, 5], [3, 1]]
    assert tree.predict_row({"x": 1.0}) == A


def test_a_mixture_answers_what_costs_least() -> None:
    """A missing cell says (1/2, 1/2): A costs 1/2, B 5/2, though B is as common."""
    table = build([number("x", [1, 2, 3, None])], [0, 1, 1, 0], 2)
    for costs, answer in (([[0, 5], [1, 0]], A), ([[0, 1], [5, 0]], B), (None, A)):
        tree = grow(table, costs, missing="fractional", max_depth=1)
        assert tree.predict_row({"x": None}) == answer
        assert predict(tree, table).tolist()[3] == answer


def test_answers_against_a_plain_sum() -> None:
    for random, table, costs in cases(60):
        tree = grow(table, costs, cost_use=random.choice(["criterion", "answers", "priors"]))
        expected = tree.nodes.stats @ costs
        held = tree.nodes.weight > 0
        chosen = expected[np.arange(len(tree)), tree.answers]
        least = expected.min(axis=1)
        assert chosen[held] == pytest.approx(least[held], rel=1e-9, abs=1e-12)


# ---- in the criterion --------------------------------------------------------------------------


def cases(count: int, **more: Any) -> Iterator[tuple[Random, Table, Array]]:
    for seed in range(count):
        random = Random(f"costs {seed}")
        weights = random.choice(list(WEIGHTS))
        table = random_table(random, "classification", weights=weights, most_rows=15, **more)
        k = len(table.schema.target.classes)
        costs = np.array([[random.choice([0, 1, 1, 2, 7]) for _ in range(k)] for _ in range(k)])
        np.fill_diagonal(costs, 0)
        costs[0, 1] += 1  # never all 0
        yield random, table, costs.astype(float)


def _cost_gini(rows: list[int], table: Table, weights: Array, costs: Array) -> Fraction:
    """Σ cost(i, j) · pᵢ · pⱼ, times the weight."""
    assert table.target is not None
    total = [Fraction(0)] * len(costs)
    for row in rows:
        total[int(table.target[row])] += Fraction(float(weights[row]))
    weight = sum(total)
    pairs = (
        Fraction(float(costs[i, j])) * total[i] * total[j]
        for i in range(len(costs))
        for j in range(len(costs))
    )
    return sum(pairs, Fraction(0)) / weight if weight else Fraction(0)


def _sides(cells: Array, kind: str, rows: list[int]) -> Iterator[list[int]]:
    """The rows of child 0 of every split of a column without missing cells."""
    values = sorted({cells[row].item() for row in rows})
    if kind == "category":
        for n in range(len(values) - 1):
            for more in combinations(values[1:], n):
                yield [row for row in rows if cells[row] in (values[0], *more)]
        return
    for value in values[:-1]:
        yield [row for row in rows if cells[row] <= value]


def _best_gain(table: Table, costs: Array) -> float | None:
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    rows = [row for row in range(table.n_rows) if weights[row] > 0]
    whole = _cost_gini(rows, table, weights, costs)
    weight = sum(Fraction(float(weights[row])) for row in rows)
    gains = []
    for column, cells in zip(table.schema.columns, table.cells, strict=True):
        for left in _sides(cells, column.kind, rows):
            right = [row for row in rows if row not in set(left)]
            both = _cost_gini(left, table, weights, costs) + _cost_gini(
                right, table, weights, costs
            )
            gains.append((whole - both) / weight)
    return float(max(gains)) if gains else None


def test_cost_gini_finds_the_best_split_there_is() -> None:
    split = lost = 0
    for _, table, costs in cases(250, missing=False):
        tree = grow(table, costs, max_depth=1)
        assert tree.options["criterion"] == "cost_gini"
        best = _best_gain(table, costs)
        pure = tree.nodes.stats[0].max() == tree.nodes.weight[0]
        if pure or best is None or best < -1e-9:
            assert len(tree) == 1, shown(table)
            lost += best is not None and not pure
        elif best > 1e-9:
            assert tree.nodes.gain[0] == pytest.approx(best, rel=1e-9), shown(table)
            split += 1
    assert split > 100 and lost > 0


def test_two_classes_split_as_gini_does() -> None:
    """S1:280. The sum of the two costs is all that counts, and it counts everywhere alike."""
    for _, table, _ in cases(150):
        if len(table.schema.target.classes) != 2:
            continue
        plain = grow(table, criterion="gini")
        dear = grow(table, [[0, 5], [1, 0]], criterion="gini")
        for name in ("first_child", "column", "threshold", "level_child", "missing_to"):
            assert getattr(plain.nodes, name).tobytes() == getattr(dear.nodes, name).tobytes()
        assert dear.nodes.impurity == pytest.approx(3 * plain.nodes.impurity, abs=1e-12)
        assert dear.nodes.gain == pytest.approx(3 * plain.nodes.gain, abs=1e-12)


def test_unit_costs_change_nothing() -> None:
    for _, table, costs in cases(80):
        unit = 1.0 - np.eye(len(costs))
        plain, dear = grow(table), grow(table, unit)
        assert plain.nodes.column.tobytes() == dear.nodes.column.tobytes(), shown(table)
        assert plain.nodes.threshold.tobytes() == dear.nodes.threshold.tobytes()
        assert plain.answers.tolist() == dear.answers.tolist()


def test_costs_choose_another_split() -> None:
    """Three classes, two columns: s parts A from B, t parts A from C; 2 rows of each class.

    Node: p = 1/3 each. s: (2, 0, 1) | (0, 2, 1), t: (2, 1, 0) | (0, 1, 2).
    Unit costs: alike, so s, the earlier. Mixing A with C costs 5 both ways: s leaves 1/2 · 2 · 5 ·
    2/9 + 1/2 · 2 · 2/9 = 1.333, t leaves 2 · 1/2 · 2 · 2/9 = .444.
    """
    s, t = number("s", [1, 1, 2, 2, 1, 2]), number("t", [1, 1, 1, 2, 2, 2])
    table = build([s, t], [0, 0, 1, 1, 2, 2], 3)
    unit, dear = 1.0 - np.eye(3), [[0, 1, 5], [1, 0, 1], [5, 1, 0]]
    by_unit, by_cost = grow(table, unit, max_depth=1), grow(table, dear, max_depth=1)
    assert [tree.nodes.column[0] for tree in (by_unit, by_cost)] == [0, 1]
    assert by_cost.nodes.impurity[0] == pytest.approx(14 / 9)
    assert by_cost.nodes.gain[0] == pytest.approx(14 / 9 - 4 / 9)


# ---- by altered priors -------------------------------------------------------------------------


def test_altered_priors_shift_the_split_and_keep_the_counts() -> None:
    """Costs 3 and 1 weigh A 1.5 and B .5. By error, weights (1.5, .5):

    x   1  1  1  2  2  2  2  2
    y   A  A  B  A  B  B  B  B     left (3, .5), right (1.5, 2): gain; the stats stay (2, 1), (1, 4)
    """
    table = build([number("x", [1, 1, 1, 2, 2, 2, 2, 2])], [0, 0, 1, 0, 1, 1, 1, 1], 2)
    costs = [[0, 3], [1, 0]]
    tree = grow(table, costs, criterion="entropy", max_depth=1)
    assert tree.nodes.stats.tolist() == [[3, 5], [2, 1], [1, 4]]
    assert tree.nodes.weight.tolist() == [8, 3, 5] and tree.nodes.rows.tolist() == [8, 3, 5]
    altered = measure.gain([[3, 0.5], [1.5, 2]])
    assert tree.nodes.gain[0] == pytest.approx(altered, rel=1e-9)
    # A costs 4 to answer right (four B), B costs 3: B.
    assert tree.answers.tolist() == [0, 0, 1]  # root: A costs 5, B 9


def test_growth_sees_the_altered_weights() -> None:
    for random, table, costs in cases(80):
        criterion = random.choice(["entropy", "chi2", "gini", "error"])
        factor = altered_priors(costs)
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        assert table.target is not None
        altered = replace(table, weights=weights * factor[table.target])
        if not (altered.weights is not None and altered.weights.any()):
            continue
        missing = random.choice(["learned", "own", "surrogate", "stop", "fractional"])
        given = {"criterion": criterion, "missing": missing}
        tree = grow(table, costs, cost_use="priors", **given)
        by_hand = grow(altered, **given)
        for name in ("first_child", "column", "threshold", "gain", "impurity", "p_value"):
            one, other = getattr(tree.nodes, name), getattr(by_hand.nodes, name)
            assert one.tobytes() == other.tobytes(), (name, shown(table))
        total = np.bincount(table.target, weights, len(costs))
        assert tree.nodes.stats[0] == pytest.approx(total)


def test_stats_of_other_rows_are_a_plain_count() -> None:
    for _, table, _ in cases(60):
        tree = grow(table)
        again = with_stats_of(tree, table)
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        assert table.target is not None
        leaf = apply_table(tree, table)
        k = len(table.schema.target.classes)
        for node in np.flatnonzero(tree.is_leaf).tolist():
            here = leaf == node
            count = np.bincount(table.target[here], weights[here], k)
            assert again.nodes.stats[node] == pytest.approx(count)
            assert again.nodes.rows[node] == (here & (weights > 0)).sum()
        assert again.nodes.stats == pytest.approx(tree.nodes.stats)
        assert again.nodes.rows.tolist() == tree.nodes.rows.tolist()


@pytest.mark.parametrize("missing", ["fractional", "stop", "surrogate", "learned", "own"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_restat_with_the_training_rows_changes_nothing(task: Any, missing: str) -> None:
    for seed in range(40):
        table = random_table(Random(seed), task, weights="tenths")
        tree = grow_table(table, options_for(task, "cart", {"missing": missing}))
        again = with_stats_of(tree, table)
        size = float(np.abs(tree.nodes.stats).max())
        assert again.nodes.stats == pytest.approx(tree.nodes.stats, rel=1e-6, abs=1e-6 * size)
        if missing != "fractional":
            assert again.nodes.rows.tolist() == tree.nodes.rows.tolist()


# ---- where costs are felt ----------------------------------------------------------------------


def test_where_costs_are_felt() -> None:
    table = build([number("x", [1, 2, 3]), levelled("c", "category", 2, [0, 1, 1])], [0, 1, 1], 2)
    costs = [[0, 5], [1, 0]]
    assert grow(table, costs).options["criterion"] == "cost_gini"
    assert grow(table, costs, criterion="cost_gini").options["criterion"] == "cost_gini"
    assert grow(table, costs, cost_use="answers").options["criterion"] == "gini"
    by_priors = grow(table, costs, criterion="entropy")
    assert by_priors.options["criterion"] == "entropy"
    # A weighs 5/3, B 1/3: (5/3, 2/3) is not (1, 2)
    altered = measure.impurity([5 / 3, 2 / 3])
    assert by_priors.nodes.impurity[0] == pytest.approx(altered)
    answers_only = grow(table, costs, criterion="entropy", cost_use="answers")
    assert answers_only.nodes.impurity[0] == pytest.approx(measure.impurity([1, 2]))
    assert all(
        tree.costs is not None and tree.costs.tolist() == costs
        for tree in (by_priors, answers_only)
    )


@pytest.mark.parametrize(
    ("costs", "given", "says"),
    [
        (None, {"criterion": "cost_gini"}, 'cost_gini" weighs mistakes by costs: give costs='),
        (
            [[0, 5], [1, 0]],
            {"criterion": "entropy", "cost_use": "criterion"},
            'needs criterion="gini", not "entropy"',
        ),
    ],
)
def test_costs_that_do_not_go_together(costs: Any, given: Any, says: str) -> None:
    table = build([number("x", [1, 2])], [0, 1], 2)
    with pytest.raises(OptionError, match=says):
        grow(table, costs, **given)


@pytest.mark.parametrize(
    ("given", "factor"),
    [  # of 5 a and 3 b
        ({"class_weight": "balanced"}, {"a": 8 / (2 * 5), "b": 8 / (2 * 3)}),
        ({"class_weight": {"b": 3}}, {"a": 1.0, "b": 3.0}),
        ({"priors": {"a": 0.25, "b": 0.75}}, {"a": 0.25 * 8 / 5, "b": 0.75 * 8 / 3}),
    ],
)
def test_weights_of_classes_are_weights_of_rows(given: Any, factor: dict[str, float]) -> None:
    label = list("aaabaabb")
    data = {"x": [1.0, 2, 3, 4, 5, 6, 7, 8], "z": [2.0, 1, 2, 1, 2, 1, 2, 1], "y": label}
    tree = bough.grow(data, target="y", recipe="cart", prune=None, **given)
    by_hand = bough.grow(
        data, target="y", recipe="cart", prune=None, weights=[factor[y] for y in label]
    )
    assert tree.nodes.stats == pytest.approx(by_hand.nodes.stats)
    assert tree == by_hand
