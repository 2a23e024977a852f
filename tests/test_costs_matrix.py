"""Costs, priors and class weights as people give them, and what is said when they cannot be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bough
from bough.costs import altered_priors, cost_matrix, weigh_classes
from bough.data.schema import Target
from bough.errors import DataError, OptionError
from tables import build, number

TARGET = Target("risk", "classification", ("bad", "good", "odd"))
EXPECTED = [[0, 5, 2], [1, 0, 1], [3, 0.5, 0]]
BY_NAME = {
    "good": {"bad": 1, "good": 0, "odd": 1},
    "bad": {"odd": 2, "good": 5, "bad": 0},
    "odd": {"bad": 3, "good": 0.5, "odd": 0},
}
"""Row = actual class, in another order than the classes."""

CSV = "actual,good,bad,odd\ngood,0,1,1\nodd, 0.5 ,3,0\nbad,5,0,2\n"


def _frame() -> pd.DataFrame:
    return pd.DataFrame(BY_NAME).T  # index = actual


FORMS: dict[str, Any] = {
    "dict": BY_NAME,
    "list": EXPECTED,
    "array": np.array(EXPECTED),
    "pandas by index": _frame(),
    "pandas by first column": _frame().rename_axis("actual").reset_index(),
    "polars": pl.from_pandas(_frame().rename_axis("actual").reset_index()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_matrix(form: str) -> None:
    found = cost_matrix(FORMS[form], TARGET)
    assert found.dtype == np.float64 and found.tolist() == EXPECTED


@pytest.mark.parametrize("as_path", [str, Path])
def test_a_csv_file(tmp_path: Path, as_path: Any) -> None:
    file = tmp_path / "costs.csv"
    file.write_text(CSV, encoding="utf-8-sig")
    assert cost_matrix(as_path(file), TARGET).tolist() == EXPECTED


def test_a_dict_may_leave_out_what_costs_one() -> None:
    found = cost_matrix({"bad": {"good": 5}}, TARGET)
    assert found.tolist() == [[0, 5, 1], [1, 0, 1], [1, 1, 0]]


def test_names_of_classes_that_are_not_text() -> None:
    whole, truth = (Target("y", "classification", c) for c in ((0, 1), (False, True)))
    expected = [[0.0, 1.0], [7.0, 0.0]]
    frame = pd.DataFrame([[0, 1], [7, 0]])
    assert cost_matrix({1: {0: 7}}, whole).tolist() == expected
    assert cost_matrix({"1": {"0": 7}}, whole).tolist() == expected
    assert cost_matrix(frame, whole).tolist() == expected
    assert cost_matrix(frame.reset_index(names="actual"), whole).tolist() == expected
    assert cost_matrix({True: {False: 7}}, truth).tolist() == expected
    assert cost_matrix({"true": {"false": 7}}, truth).tolist() == expected


NAN = float("nan")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([[0, 1], [1, 0]], 'shape 2 × 2; the 3 classes of "risk" need 3 × 3'),
        ([0, 1, 1], "have the shape 3"),
        (5, "have the shape of one number"),
        ([[0, 1], [1]], "give a table of numbers, or a dict"),
        ([["a"]], "give a table of numbers, or a dict"),
        ({"bda": {"good": 5}}, 'costs name the class "bda", which "risk" does not have. Did you'),
        ({"bad": {"gud": 5}}, 'costs name the class "gud"'),
        ({"bad": 5}, "costs['bad'] is 5: give a dict of costs by answer"),
        ({"bad": {"good": "much"}}, "costs['bad']['good'] is 'much', which is not a number"),
        ({"bad": {"good": None}}, "costs['bad']['good'] is None"),
        ({"bad": {"good": -5}}, "The cost of answering good when it is bad is -5. A cost is 0"),
        ({"bad": {"good": NAN}}, "answering good when it is bad is nan"),
        ({"bad": {"good": float("inf")}}, "answering good when it is bad is inf"),
        ({"odd": {"odd": 1}}, "Answering odd when it is odd costs 1. The right answer costs 0."),
        (np.zeros((3, 3)), "All costs are 0, so every answer is as good as any other"),
        (_frame().drop(index="odd"), "must name the actual classes"),
        (_frame().drop(index="odd", columns="odd"), 'lacks the class "odd" of "risk"'),
        (pl.DataFrame({"bad": [0, 1], "good": [1, 0]}), "must name the actual classes"),
    ],
)
def test_a_bad_matrix_is_named(given: Any, says: str) -> None:
    with pytest.raises(OptionError, match=re.escape(says)):
        cost_matrix(given, TARGET)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("actual,bad,good,odd\nbad,0,1,1\n", 'not square: "good" stands only once'),
        ("actual,bad,good\nbad,0,1\ngood,1,0\nodd,1,1\n", 'not square: "odd" stands only once'),
        ("actual,bad,good\nbad,0,1\ngood,1,0\n", 'lacks the class "odd" of "risk"'),
        ("actual,bad,good\nbad,0\n", "are not a table: the first line names the answers"),
        ("", "are not a table"),
        (CSV.replace("5,0,2", "5,0,x"), "costs['bad']['odd'] is 'x', which is not a number"),
        (CSV.replace("5,0,2", "5,0,"), "costs['bad']['odd'] is '', which is not a number"),
        (CSV.replace("odd", "old"), 'lacks the class "odd"'),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "costs.csv"
    file.write_text(text)
    with pytest.raises((DataError, OptionError), match=re.escape(says)):
        cost_matrix(file, TARGET)


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        cost_matrix(tmp_path / "none.csv", TARGET)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read"):
        cost_matrix(tmp_path / "bytes.csv", TARGET)


def test_a_number_has_no_costs() -> None:
    data = {"x": [1.0, 2.0, 3.0], "y": [0.5, 1.5, 2.5]}
    with pytest.raises(OptionError, match='costs are for classes, and the target "y" is a number'):
        bough.grow(data, target="y", costs=[[0, 1], [1, 0]])
    with pytest.raises(OptionError, match=r'are for classes; the target "y" is a number'):
        bough.grow(data, target="y", class_weight="balanced")


def test_altered_priors_by_hand() -> None:
    """Mistakes of bad cost 7 together, of good 2, of odd 3.5: divided by their mean 12.5 / 3."""
    found = altered_priors(np.array(EXPECTED, dtype=float))
    assert found.tolist() == pytest.approx([7 * 3 / 12.5, 2 * 3 / 12.5, 3.5 * 3 / 12.5])
    assert found.mean() == pytest.approx(1)


# ---- priors and class_weight -------------------------------------------------------------------

ROWS = build([number("x", [1, 2, 3, 4])], [0, 0, 0, 1], 2)
WEIGHED = build([number("x", [1, 2, 3, 4])], [0, 0, 0, 1], 2, [1, 2, 1, 4])


@pytest.mark.parametrize(
    ("table", "priors", "class_weight", "expected"),
    [
        (ROWS, None, None, None),
        (ROWS, None, "balanced", [2 / 3, 2 / 3, 2 / 3, 2]),  # 4 rows, half to each class
        (WEIGHED, None, "balanced", [1, 2, 1, 4]),  # 4 and 4 are balanced
        (ROWS, None, {"class1": 3}, [1, 1, 1, 3]),
        (WEIGHED, None, {"class1": 0.5, "class0": 2}, [2, 4, 2, 2]),
        (ROWS, {"class0": 0.3, "class1": 0.7}, None, [0.4, 0.4, 0.4, 2.8]),  # .3 · 4/3, .7 · 4
        (WEIGHED, {"class0": 0.25, "class1": 0.75}, None, [0.5, 1, 0.5, 6]),
    ],
)
def test_classes_are_weighed(table: Any, priors: Any, class_weight: Any, expected: Any) -> None:
    weights = weigh_classes(table, priors, class_weight).weights
    assert weights == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"class_weight": "balance"}, 'class_weight="balance" is not allowed: "balanced" or a'),
        ({"class_weight": 3}, "class_weight is 3: give a dict"),
        ({"class_weight": {"class2": 1}}, 'class_weight names the class "class2", which "y" does'),
        ({"class_weight": {"class1": -1}}, "must be numbers from 0 up"),
        ({"class_weight": {"class1": "x"}}, "class_weight['class1'] is 'x', which is not a number"),
        ({"class_weight": {"class0": 0, "class1": 0}}, "not all 0"),
        ({"priors": {"class0": 0.5}}, 'priors gives no number for the class "class1"'),
        ({"priors": {"class0": 0.5, "class1": 0.6}}, "priors add up to 1.1, not to 1"),
        ({"priors": {"class0": None, "class1": 1}}, "priors['class0'] is None"),
        ({"priors": [0.5, 0.5]}, "priors is [0.5, 0.5]: give a dict"),
    ],
)
def test_bad_weights_of_classes_are_named(given: Any, says: str) -> None:
    data = {"x": [1.0, 2.0, 3.0], "y": ["class0", "class0", "class1"]}
    with pytest.raises(OptionError, match=re.escape(says)):
        bough.grow(data, target="y", **given)
