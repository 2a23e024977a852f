"""A Table that was read on its own: its columns are found by name, and nothing is ignored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bough
from bough import DataError, Table, datasets
from bough.compare import compare
from bough.evaluate import evaluate


def with_an_empty_column() -> dict[str, list[Any]]:
    """x says y exactly; the column before it is nearly empty and tells nothing."""
    x = np.random.default_rng(0).random(90)
    empty = [1.0 if row < 9 else None for row in range(90)]
    return {"empty": empty, "x": x.tolist(), "y": ["p" if v > 0.5 else "q" for v in x]}


def table() -> Table:
    return bough.read_table(with_an_empty_column(), target="y")


def test_a_tree_finds_its_columns_in_a_table_that_has_more() -> None:
    tree = bough.grow(table(), recipe="cart", missing="drop_columns", prune=None)
    assert tree.schema.names == ("x",)
    told = with_an_empty_column()["y"]
    assert tree.predict(table()).tolist() == tree.predict(with_an_empty_column()).tolist() == told
    assert (tree.predict_proba(table()).max(axis=1) == 1.0).all()
    assert evaluate(tree, table()).error == 0.0
    assert tree.rules().predict(table()).tolist() == told


def test_columns_left_out_while_growing_do_not_mislead_a_comparison() -> None:
    bundles = {"left out": {"recipe": "cart", "missing": "drop_columns"}}
    found = compare(table(), recipes=["cart"], bundles=bundles, folds=3).contenders
    assert found[1].failed is None
    assert found[1].error == found[0].error < 0.1


def test_a_table_of_other_columns_is_refused() -> None:
    tree = bough.grow(datasets.load("restaurant"), recipe="id3")
    other = datasets.load("food11")
    for answer in (tree.predict, tree.predict_proba, tree.apply, lambda data: evaluate(tree, data)):
        with pytest.raises(DataError, match='column "Alt" differs from that of the tree'):
            answer(other)


def test_columns_the_tree_does_not_ask_about_may_be_absent_in_evaluation() -> None:
    data = with_an_empty_column()
    tree = bough.grow(data, "y", recipe="cart")
    assert evaluate(tree, {"x": data["x"], "y": data["y"]}).error == 0.0


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"kinds": {"Pat": "number"}}, "kinds= says how to read a table"),
        ({"ordered": {"Pat": ["None", "Some", "Full"]}}, "ordered= says"),
        ({"ignore": ["Pat"]}, "ignore= says"),
        ({"weights": np.ones(12)}, "weights= says"),
        ({"missing_marks": ["?"]}, "missing_marks= says"),
        ({"target": "Pat"}, 'target "WillWait", not "Pat"'),
        ({"target": [0] * 12}, "not values of their own"),
    ],
)
def test_what_comes_too_late_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        bough.grow(datasets.load("restaurant"), **said)
    with pytest.raises(DataError, match=message):
        compare(datasets.load("restaurant"), recipes=["stump"], folds=2, **said)


def test_what_comes_too_late_for_a_model_is_refused() -> None:
    rows = datasets.load("restaurant")
    tree = bough.grow(rows, target="WillWait", recipe="id3")
    late: dict[str, Any] = {"missing_marks": ["?"]}
    asked = [
        lambda: tree.predict(rows, **late),
        lambda: evaluate(tree, rows, **late),
        lambda: tree.prune("reduced_error", rows, **late),
        lambda: tree.rules(rows, **late),
        lambda: tree.rules().predict(rows, **late),
    ]
    for ask in asked:
        with pytest.raises(DataError, match="missing_marks= says how to read a table"):
            ask()


# ---- one row -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [5, None, "Full", ["Full"], pd.DataFrame({"Pat": ["Full"]})])
def test_a_row_is_a_dict(row: Any) -> None:
    tree = bough.grow(datasets.load("restaurant"), recipe="id3")
    rules = tree.rules()
    for ask in (tree.predict_row, tree.path, rules.predict_row, rules.explain):
        with pytest.raises(DataError, match=r"One row is a dict of cells by column.*not \w+\."):
            ask(row)
        with pytest.raises(DataError, match=r'has no "(Pat|Fri)"'):
            ask({5: "Full"})


def test_a_row_of_a_data_frame_is_a_row() -> None:
    frame = pd.read_csv(datasets.path("restaurant"), keep_default_na=False)
    tree = bough.grow(datasets.load("restaurant"), recipe="id3")
    answers = [tree.predict_row(row) for _, row in frame.iterrows()]
    assert answers == tree.predict(frame).tolist() == frame["WillWait"].tolist()
    assert tree.path(frame.iloc[0]) == tree.path(frame.iloc[0].to_dict())
    assert tree.rules().predict_row(frame.iloc[0]) == answers[0]
