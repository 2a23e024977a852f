"""The measures answer a bad question with one clear error, and take what people have at hand.

Their numbers are in test_textbook_measures.py and test_textbook_tables.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from bough import measure
from bough.errors import DataError, OptionError
from bough.options import OPTIONS

CRITERIA = [choice for choice in OPTIONS["criterion"].choices if choice != "auto"]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_of_the_options_is_measured(criterion: str) -> None:
    pure, mixed = ([3.0, 3.0], [3.0, 1.0]) if criterion == "squared_error" else ([4, 0], [2, 2])
    assert measure.impurity(pure, criterion) == 0.0
    assert measure.impurity(mixed, criterion) > 0.0
    children = [[1, 1], [5, 5]] if criterion == "squared_error" else [[4, 0], [0, 4]]
    assert measure.gain(children, criterion) > 0.0


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
    children = [[4, 0], [2, 6]]
    if criterion != "twoing":
        with_empty = [[4, 0], [0, 0], [2, 6]]
        assert measure.gain(with_empty, criterion) == measure.gain(children, criterion)
    assert measure.gain([[4, 3], [0, 0]], criterion) == 0.0
    assert measure.remainder([[4, 3], [0, 0]], criterion) == pytest.approx(
        measure.impurity([4, 3], criterion), abs=1e-15
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
