"""The measures answer a bad question with one clear error, and take what people have at hand.

Their numbers are in test_textbook_measures.py and test_textbook_tables.py.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from bough import measure
from bough.errors import DataError, OptionError
from bough.options import OPTIONS

CRITERIA = [choice for choice in OPTIONS["criterion"].choices if choice != "auto"]


def costs_for(criterion: str) -> list[list[int]] | None:
    return [[0, 5], [1, 0]] if criterion == "cost_gini" else None


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_of_the_options_is_measured(criterion: str) -> None:
    pure, mixed = ([3.0, 3.0], [3.0, 1.0]) if criterion == "squared_error" else ([4, 0], [2, 2])
    costs = costs_for(criterion)
    assert measure.impurity(pure, criterion, costs) == 0.0
    assert measure.impurity(mixed, criterion, costs) > 0.0
    children = [[1, 1], [5, 5]] if criterion == "squared_error" else [[4, 0], [0, 4]]
    assert measure.gain(children, criterion, costs) > 0.0


def test_lists_tuples_and_arrays_are_the_same() -> None:
    expected = measure.gain([[10, 40], [40, 10]])
    assert measure.gain(((10, 40), (40, 10))) == expected
    assert measure.gain(np.array([[10, 40], [40, 10]])) == expected
    assert measure.gain(np.array([[10.0, 40.0], [40.0, 10.0]]).T) == expected
    assert measure.impurity(np.array([10, 40], dtype=np.int8)) == measure.impurity([10, 40])


def test_counts_may_be_weights() -> None:
    assert measure.impurity([0.5, 0.25, 0.25]) == measure.impurity([2, 1, 1])
    assert measure.gain([[0.5, 0], [0, 0.5]]) == 1.0


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "squared_error"])
def test_an_empty_child_changes_nothing(criterion: str) -> None:
    children, costs = [[4, 0], [2, 6]], costs_for(criterion)
    if criterion != "twoing":
        with_empty = [[4, 0], [0, 0], [2, 6]]
        gain = measure.gain(children, criterion, costs)
        assert measure.gain(with_empty, criterion, costs) == gain
    assert measure.gain([[4, 3], [0, 0]], criterion, costs) == 0.0
    assert measure.remainder([[4, 3], [0, 0]], criterion, costs) == pytest.approx(
        measure.impurity([4, 3], criterion, costs), abs=1e-15
    )


def test_an_empty_child_of_numbers_changes_nothing() -> None:
    assert measure.gain([[1, 1], [], [5, 9]], "squared_error") == measure.gain(
        [[1, 1], [5, 9]], "squared_error"
    )
    assert measure.gain([[1, 9], []], "squared_error") == 0.0


def test_children_of_numbers_may_differ_in_length() -> None:
    assert measure.remainder([[1], [1, 5, 9]], "squared_error") == pytest.approx(8.0, abs=1e-12)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: measure.impurity([]), "counts is empty: give one count per class"),
        (lambda: measure.impurity([0, 0]), "counts are all 0"),
        (lambda: measure.impurity([3, -1]), r"counts\[1\] is -1, and a count cannot be below 0"),
        (lambda: measure.impurity([3, float("nan")]), r"counts\[1\] is nan: give finite numbers"),
        (lambda: measure.impurity([3, float("inf")]), r"counts\[1\] is inf"),
        (lambda: measure.impurity(["yes", "no"]), r"counts is \['yes', 'no'\]: give a list of num"),
        (lambda: measure.impurity(["1", "2"]), r"counts is \['1', '2'\]: give a list of numbers"),
        (lambda: measure.impurity([3, None]), r"counts\[1\] is nan"),
        (lambda: measure.impurity([[1, 2], [3]]), r"counts is \[\[1, 2\], \[3\]\]: give a list"),
        (lambda: measure.impurity([[1, 2], [3, 4]]), "give a flat list of numbers"),
        (lambda: measure.impurity(7), "counts is 7: give a flat list of numbers"),
        (lambda: measure.impurity([], "squared_error"), "There are no values"),
        (lambda: measure.gain([]), "There are no children: give at least one list"),
        (lambda: measure.gain(7), "children is 7: give a list of lists"),
        (lambda: measure.gain([3, 4]), r"children\[0\] is 3: give a flat list of numbers"),
        (lambda: measure.gain([[0, 0], [0, 0]]), "All children are empty"),
        (lambda: measure.gain([[], []], "squared_error"), "All children are empty"),
        (lambda: measure.gain([[1, 2], [3, -4]]), r"children\[1\]\[1\] is -4"),
        (
            lambda: measure.gain([[1, 2], [3, 4, 5]]),
            r"children\[1\] counts 3 classes and children\[0\] counts 2",
        ),
        (lambda: measure.gain([[1, 2], [3]]), r"children\[1\] counts 1 class and children\[0\]"),
        (
            lambda: measure.gain([[1, 2], [3, 4], [5, 6]], "twoing"),
            "twoing compares two sides, and 3 children were given",
        ),
        (lambda: measure.remainder([]), "There are no children"),
        (lambda: measure.chi_square([]), "There are no children"),
        (lambda: measure.chi_square([[1, 2], [3]]), r"children\[1\] counts 1 class"),
        (lambda: measure.split_information([]), "sizes is empty"),
        (lambda: measure.split_information([-1, 2]), r"sizes\[0\] is -1"),
        (lambda: measure.twoing_reciprocal([[1, 2]]), "twoing compares two sides, and 1 child was"),
    ],
)
def test_bad_counts_are_named(ask, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError, match=says):
        ask()


@pytest.mark.parametrize("ask", [measure.impurity, measure.gain, measure.remainder])
@pytest.mark.parametrize(
    ("criterion", "says"),
    [
        ("entrpy", r"criterion='entrpy' is not allowed\. Did you mean \"entropy\"\?"),
        ("Gini", 'Did you mean "gini"'),
        ("auto", "Choose one of: entropy, gain_ratio, gini"),
        (None, "criterion=None is not allowed"),
        (["gini"], r"criterion=\['gini'\] is not allowed"),
    ],
)
def test_an_unknown_criterion_is_named(ask, criterion, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match=says):
        ask([[1, 2], [2, 1]], criterion)


# ---- costs -------------------------------------------------------------------------------------


def test_gini_with_costs_of_the_textbook() -> None:
    """S1:267–280: Σ over i ≠ j of L(i, j) · p(i) · p(j); unit costs give plain Gini."""
    unit = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    dear = [[0, 5, 1], [1, 0, 1], [1, 1, 0]]  # taking the first class for the second
    # 1 − .25 − .09 − .04 = .62; four more times .5 × .3 = .15 are .60 more
    assert measure.impurity([5, 3, 2], "cost_gini", unit) == pytest.approx(0.62, abs=1e-12)
    assert measure.impurity([5, 3, 2], "gini") == pytest.approx(0.62, abs=1e-12)
    assert measure.impurity([5, 3, 2], "cost_gini", dear) == pytest.approx(1.22, abs=1e-12)


def test_with_two_classes_it_is_a_multiple_of_gini() -> None:
    """(5 + 1) · p · (1−p) against 2 · p · (1−p): three times Gini, so it ranks splits alike."""
    costs = {0: {1: 5}, 1: {0: 1}}
    assert measure.impurity([2, 8], "cost_gini", costs) == pytest.approx(0.96, abs=1e-12)
    assert measure.impurity([2, 8], "gini") == pytest.approx(0.32, abs=1e-12)
    for children in ([[1, 5], [1, 3]], [[2, 1], [0, 7]], [[1, 0], [1, 4], [0, 4]]):
        weighed = measure.gain(children, "cost_gini", costs)
        assert weighed == pytest.approx(3 * measure.gain(children, "gini"), abs=1e-12)


def test_what_is_left_of_a_cost() -> None:
    """Children (1, 5) and (1, 3): (6 · 6 · 1/6 · 5/6 + 4 · 6 · 1/4 · 3/4) / 10 = (5 + 4.5) / 10."""
    costs, children = [[0, 5], [1, 0]], [[1, 5], [1, 3]]
    left = measure.remainder(children, "cost_gini", costs)
    assert left == pytest.approx(0.95, abs=1e-12)
    assert measure.gain(children, "cost_gini", costs) == pytest.approx(0.96 - 0.95, abs=1e-12)


def test_some_costs_make_a_split_lose() -> None:
    """Neighbours cost 1, the ends 10. Node (1, 2, 1): 2 · (1/8 + 1/8 + 10/16) = 1.75. The children
    (1, 0, 1) | (0, 2, 0) leave 1/2 · 2 · 10/4 = 2.5: the dear pair is alone on one side."""
    costs = [[0, 1, 10], [1, 0, 1], [10, 1, 0]]
    assert measure.impurity([1, 2, 1], "cost_gini", costs) == pytest.approx(1.75, abs=1e-12)
    worse = measure.gain([[1, 0, 1], [0, 2, 0]], "cost_gini", costs)
    assert worse == pytest.approx(1.75 - 2.5, abs=1e-12)


@pytest.mark.parametrize(
    ("criterion", "costs", "says"),
    [
        ("cost_gini", None, 'cost_gini" weighs mistakes by costs: give costs='),
        ("gini", [[0, 1], [1, 0]], 'criterion="gini" does not look at costs'),
        ("cost_gini", [[0, 1, 1], [1, 0, 1]], 'the 2 classes of "counts" need 2 × 2'),
        ("cost_gini", [[0, -1], [1, 0]], "answering 1 when it is 0 is -1. A cost is 0 or more"),
        ("cost_gini", [[0, 0], [0, 0]], "All costs are 0"),
        ("cost_gini", [[1, 1], [1, 0]], "Answering 0 when it is 0 costs 1"),
        ("cost_gini", {0: {2: 1}}, 'costs name the class "2"'),
    ],
)
def test_bad_costs_are_named(criterion: str, costs: object, says: str) -> None:
    with pytest.raises(OptionError, match=re.escape(says)):
        measure.impurity([1, 2], criterion, costs)
    for ask in (measure.gain, measure.remainder):
        with pytest.raises(OptionError, match=re.escape(says)):
            ask([[1, 2], [2, 1]], criterion, costs)
