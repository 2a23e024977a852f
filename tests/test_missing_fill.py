"""Policies that change the table before the tree grows: what is left out, what is filled with what.

The arithmetic stands in the comments; docs/missing.md shows the same examples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough.data.missing import prepare
from bough.data.table import Table
from bough.errors import DataError, OptionError
from bough.growing import grow_table
from bough.recipes import options_for
from tables import build, levelled, number


def one_number(cells: list[float | None], weights: list[float] | None = None) -> Table:
    return build([number("x", cells)], [0] * len(cells), 2, weights)


def grow(table: Table, **options: Any) -> bough.Tree:
    task = table.schema.target.task
    return grow_table(table, options_for(task, "cart", {"zero_gain": "stop", **options}))


# ---- drop_rows ---------------------------------------------------------------------------------


def test_rows_with_a_missing_cell_are_left_out() -> None:
    """x . 1 2 4, y yes no no yes: without the first row the cut is (2 + 4) / 2 = 3. A missing cell
    later goes to the heavier side, the two "no"."""
    tree = bough.grow(
        {"x": [None, 1.0, 2.0, 4.0], "y": ["yes", "no", "no", "yes"]},
        target="y",
        recipe="cart",
        prune=None,
        missing="drop_rows",
    )
    assert tree.nodes.rows.tolist() == [3, 2, 1]
    assert tree.nodes.threshold[0] == 3.0
    assert "1 row with a missing cell was left out." in tree.report["notes"]
    assert tree.predict_row({"x": None}) == "no"
    assert tree.predict({"x": [None, 9.0]}).tolist() == ["no", "yes"]


def test_a_row_is_left_out_for_any_column() -> None:
    """Of five rows the first lacks a, the second b: three are left, weights 3 + 4 + 5."""
    columns = [
        number("a", [None, 1, 2, 3, 4]),
        levelled("b", "category", 2, [0, None, 0, 1, 1]),
    ]
    table = build(columns, [0, 0, 0, 1, 1], 2, [1, 2, 3, 4, 5])
    prepared = prepare(table, "drop_rows")
    assert prepared.table.weights is not None and prepared.table.weights.tolist() == [3, 4, 5]
    assert prepared.notes == ("2 rows with a missing cell were left out.",)
    assert prepare(prepared.table, "drop_rows").notes == ()


def test_nothing_left_is_said() -> None:
    with pytest.raises(DataError, match="leaves nothing: every row has a missing cell"):
        grow(one_number([None, None]), missing="drop_rows")
    # The only whole row does not count.
    with pytest.raises(DataError, match="leaves nothing"):
        grow(one_number([1, None], [0, 1]), missing="drop_rows")


# ---- drop_columns ------------------------------------------------------------------------------


def half_empty() -> Table:
    """a lacks 3 of 4 cells, b 2 of 4, c none."""
    columns = [
        number("a", [1, None, None, None]),
        number("b", [1, None, None, 4]),
        number("c", [1, 3, 2, 4]),
    ]
    return build(columns, [0, 1, 0, 1], 2)


@pytest.mark.parametrize(
    ("share", "left"),
    [(0.75, ["a", "b", "c"]), (0.7, ["b", "c"]), (0.5, ["b", "c"]), (0.49, ["c"]), (0.0, ["c"])],
)
def test_a_column_missing_in_a_larger_share_is_left_out(share: float, left: list[str]) -> None:
    """3/4 = .75 is more than .7; 2/4 = .5 is not more than .5."""
    tree = grow(half_empty(), missing="drop_columns", missing_share=share)
    assert list(tree.schema.names) == left


def test_the_default_share_and_the_note() -> None:
    tree = grow(half_empty(), missing="drop_columns")
    assert list(tree.schema.names) == ["b", "c"]
    note = 'Missing in more than 70% of the rows and left out: "a".'
    assert note in tree.report["notes"]
    # b stays and its missing cells are learned: c ≤ 2.5 parts the classes, so b is not asked.
    assert tree.predict_row({"c": 2.0}) == "class0"
    assert tree.predict_row({"b": None, "c": 4.0}) == "class1"


def test_rows_that_do_not_count_do_not_empty_a_column() -> None:
    """Of the rows that count 1 of 2 is missing."""
    table = one_number([None, None, None, 1], [0, 0, 1, 1])
    assert prepare(table, "drop_columns", 0.5).table.schema.names == ("x",)


def test_no_column_left_is_said() -> None:
    with pytest.raises(DataError, match="leaves no column: all are missing in more than 50%"):
        grow(one_number([None, None, 1]), missing="drop_columns", missing_share=0.5)


# ---- mean, median, mode ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "cells", "weights", "fill"),
    [
        ("mean", [1, 3, None, 8], None, 4.0),  # 12 / 3
        ("mean", [1, 3, None, 8], [1, 1, 9, 2], 5.0),  # (1 + 3 + 16) / 4
        ("mean", [1, 3, None, 8], [1, 1, 1, 0], 2.0),
        ("median", [1, None, 2, 10], None, 2.0),
        ("median", [10, 4, None, 2, 1], None, 3.0),  # between 2 and 4
        ("median", [1, 2, 4, None], [4, 1, 1, 9], 1.0),  # half of 6 is 3, and 1 has 4
        ("median", [1, 2, 4, None], [3, 1, 2, 9], 1.5),  # half of 6 is just 1's 3
        ("median", [1, 2, 3, None], [1, 0, 1, 1], 2.0),  # the 2 does not count: (1 + 3) / 2
        ("mode", [2, 5, 2, None], None, 2.0),
        ("mode", [5, 2, 2, 5, None], None, 2.0),  # a tie: the smaller
        ("mode", [5, 2, 2, None], [3, 1, 1, 9], 5.0),
    ],
)
def test_a_number_is_filled(
    policy: str, cells: list[float | None], weights: list[float] | None, fill: float
) -> None:
    prepared = prepare(one_number(cells, weights), policy)
    assert prepared.fills == {"x": fill}
    filled = prepared.table.cells[0]
    assert not np.isnan(filled).any()
    assert fill in filled.tolist()


@pytest.mark.parametrize(
    ("policy", "kind", "codes", "weights", "fill"),
    [
        ("mean", "category", [0, 2, 2, None], None, "x02"),
        ("mean", "ordered", [0, 2, 2, None], None, "x02"),
        ("mode", "category", [2, 1, None], None, "x01"),  # a tie: the earlier level
        ("mode", "category", [2, 1, None], [2, 1, 1], "x02"),
        ("median", "ordered", [0, 0, 2, 1, 2, None], None, "x01"),
        ("median", "ordered", [0, 2, None], None, "x00"),  # no level lies between: the lower
        ("median", "category", [0, 2, 2, 1, None], None, "x02"),
        ("class_mean", "category", [0, 2, 2, None], None, "x02"),
    ],
)
def test_a_level_is_filled(
    policy: str, kind: str, codes: list[int | None], weights: list[float] | None, fill: str
) -> None:
    table = build([levelled("x", kind, 3, codes)], [0] * len(codes), 2, weights)
    prepared = prepare(table, policy)
    assert prepared.fills == {"x": fill}
    assert prepared.table.cells[0].min() >= 0


@pytest.mark.parametrize("policy", ["mean", "median", "mode", "class_mean"])
def test_a_column_without_any_cell_cannot_be_filled(policy: str) -> None:
    columns = [number("x", [None, None]), levelled("c", "category", 1, [None, None])]
    tree = grow(build(columns, [0, 1], 2), missing=policy)
    assert tree.fills == {} and len(tree) == 1


def test_the_fill_of_training_is_used_later() -> None:
    """x 1 2 . 9, y no no yes yes: the mean is 4, so 1 2 | 4 9 cut at 3. A missing cell answers
    like 4, whatever else is asked with it."""
    data = {"x": [1.0, 2.0, None, 9.0], "y": ["no", "no", "yes", "yes"]}
    tree = bough.grow(data, target="y", recipe="cart", prune=None, missing="mean")
    assert tree.fills == {"x": 4.0}
    assert tree.nodes.threshold[0] == 3.0
    assert tree.nodes.missing_rows[0] == 0
    assert tree.predict_row({"x": None}) == "yes"
    assert tree.path({"x": None}) == tree.path({"x": 4.0}) == [0, 2]
    assert tree.predict({"x": [None, None, 1.0]}).tolist() == ["yes", "yes", "no"]


def test_an_unknown_level_is_filled_too() -> None:
    data = {"c": ["p", "p", None, "q"], "y": ["no", "no", "no", "yes"]}
    tree = bough.grow(data, target="y", recipe="cart", prune=None, missing="mode")
    assert tree.fills == {"c": "p"}
    assert tree.predict_row({"c": "never seen"}) == "no"
    assert tree.predict({"c": ["never seen", "q", None]}).tolist() == ["no", "yes", "no"]


def test_a_mean_that_32_bits_cannot_hold() -> None:
    column, cells = number("x", [0.0, 0.0, 1.0, None], "float32")
    prepared = prepare(build([(column, cells)], [0, 0, 1, 1], 2), "mean")
    assert prepared.table.cells[0].tolist() == [0.0, 0.0, 1.0, 1 / 3]


# ---- class_mean --------------------------------------------------------------------------------


def test_each_class_has_its_own_mean() -> None:
    """x 1 3 . | 10 20 .: the holes are 2 and 15, so 1 2 3 | 10 15 20 cut at 6.5. Later the class is
    not known: (1 + 3 + 10 + 20) / 4 = 8.5 stands for a missing cell, which goes right."""
    data = {"x": [1.0, 3.0, None, 10.0, 20.0, None], "y": ["no"] * 3 + ["yes"] * 3}
    tree = bough.grow(data, target="y", recipe="cart", prune=None, missing="class_mean")
    assert tree.fills == {"x": 8.5}
    assert tree.nodes.threshold[0] == 6.5
    assert tree.nodes.stats[1:].tolist() == [[3, 0], [0, 3]]
    assert tree.predict_row({"x": None}) == "yes"


def test_class_means_have_weights_and_levels() -> None:
    """Class 0: (1 · 1 + 3 · 3) / 4 = 2.5, its commonest level the second by weight 3 to 1."""
    columns = [
        number("x", [1, 3, None, 10]),
        levelled("c", "category", 3, [0, 1, None, 2]),
    ]
    table = build(columns, [0, 0, 0, 1], 2, [1, 3, 1, 1])
    prepared = prepare(table, "class_mean")
    assert prepared.table.cells[0].tolist() == [1, 3, 2.5, 10]
    assert prepared.table.cells[1].tolist() == [0, 1, 1, 2]
    assert prepared.fills == {"x": 4.0, "c": "c01"}  # (1 + 9 + 10) / 5


def test_a_class_without_a_known_cell_has_the_overall_mean() -> None:
    prepared = prepare(build([number("x", [1, 3, None])], [0, 0, 1], 2), "class_mean")
    assert prepared.table.cells[0].tolist() == [1, 3, 2]


def test_a_number_has_no_class_means() -> None:
    with pytest.raises(OptionError, match=r'class_mean" needs classes, .* "y" is a number'):
        grow(build([number("x", [1, None])], [1.0, 2.0]), missing="class_mean")


# ---- one policy per column ---------------------------------------------------------------------


def test_every_column_has_its_policy() -> None:
    columns = [
        number("Age", [20, 40, None]),
        number("Fare", [1, None, 3]),
        levelled("Deck", "category", 2, [0, 1, None]),
    ]
    table = build(columns, [0, 1, 1], 2)
    prepared = prepare(table, {"Age": "mean", "Deck": "mode", "*": "own"})
    assert prepared.fills == {"Age": 30.0, "Deck": "Deck00"}
    assert prepared.core == ("learned", "own", "learned")
    assert np.isnan(prepared.table.cells[1]).tolist() == [False, True, False]
    assert prepare(table, {"Age": "median"}).core == ("learned", "learned", "learned")


def test_a_policy_by_column_grows() -> None:
    """Fare is missing just where y is yes, so with "own" every cut of it parts the classes; Age,
    filled with 30, cannot: 20 | 30 30 | 40 has "no" at both ends."""
    data = {"Age": [20.0, 40.0, None, 30.0], "Fare": [1.0, 2.0, None, None],
            "y": ["no", "no", "yes", "yes"]}  # fmt: skip
    tree = bough.grow(
        data, target="y", recipe="cart", prune=None, missing={"Age": "mean", "*": "own"}
    )
    split = tree.split(0)
    assert split is not None
    asked = [split.ask(child) for child in range(3)]
    assert asked == ["Fare ≤ 1.5", "Fare > 1.5", "Fare is missing"]
    assert tree.fills == {"Age": 30.0}


@pytest.mark.parametrize(
    ("missing", "error", "says"),
    [
        ({"Agee": "mean"}, DataError, r'names the column "Agee", .* Did you mean "Age"\?'),
        ({"Age": "average"}, OptionError, "missing='average' is not allowed"),
        ({"Age": "fractional"}, OptionError, 'missing="fractional" holds for the whole model'),
        ({"Age": "drop_rows", "*": "own"}, OptionError, "Per column there are: learned, own"),
        ("averge", OptionError, "missing='averge' is not allowed"),
        (7, OptionError, "missing=7 is not allowed"),
    ],
)
def test_policies_that_cannot_be(missing: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        data = {"Age": [1.0, None], "Fare": [1.0, 2.0], "y": ["a", "b"]}
        bough.grow(data, target="y", missing=missing)


def test_weights_all_zero_are_said() -> None:
    with pytest.raises(DataError, match="All weights are 0"):
        grow(one_number([1, None], [0, 0]), missing="mean")
