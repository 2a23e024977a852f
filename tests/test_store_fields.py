"""The model file: missing cells, surrogates, costs and answers set by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
import trees
from bough import store
from bough.data.missing import POLICIES
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.datasets import load
from bough.errors import ModelFileError
from bough.prices import TestCosts
from bough.splits import UNKNOWN, Subset
from bough.tree import Surrogates, Tree
from modelfiles import as_bytes, content

Change = Callable[[Any], object]
TITANIC = load("titanic")

# ---- real trees ----


def as_row(table: Table, i: int) -> dict[str, Any]:
    """The cells of a row as predict_row takes them."""
    row: dict[str, Any] = {}
    for column, cells in zip(table.schema.columns, table.cells, strict=True):
        cell = cells[i].item()
        if column.kind == "number":
            row[column.name] = None if np.isnan(cell) else cell
        else:
            row[column.name] = None if cell < 0 else column.levels[cell]
    return row


@pytest.mark.parametrize("costs", [None, [[0, 1], [5, 0]]], ids=["plain", "costs"])
@pytest.mark.parametrize("missing", [*POLICIES, {"Age": "mean", "*": "own"}], ids=str)
def test_every_missing_policy_survives_saving(missing: Any, costs: Any, tmp_path: Path) -> None:
    tree = bough.grow(TITANIC, missing=missing, costs=costs, max_depth=6)
    tree.save(tmp_path / "m.json")
    again = bough.load(tmp_path / "m.json")
    assert again == tree
    assert trees.differences(tree, again) in ([], ["report"])  # seconds are not for the file
    assert again.options["missing"] == missing
    assert again.predict(TITANIC).tolist() == tree.predict(TITANIC).tolist()
    assert again.predict_proba(TITANIC).tobytes() == tree.predict_proba(TITANIC).tobytes()
    rows = [as_row(TITANIC, i) for i in range(0, TITANIC.n_rows, 5)]
    assert [again.predict_row(row) for row in rows] == [tree.predict_row(row) for row in rows]


def test_real_trees_have_what_the_test_above_is_about() -> None:
    def grown(missing: str) -> Tree:
        return store.loads(store.dumps(bough.grow(TITANIC, missing=missing, max_depth=6)))

    assert set(grown("fractional").nodes.missing_to) == {-1}
    assert set(grown("stop").nodes.missing_to) == {-2, -1}
    assert len(grown("mean").fills) == len(TITANIC.schema.columns)
    surrogates = grown("surrogate").surrogates
    assert surrogates is not None
    assert len(surrogates.column) > 20
    assert len(surrogates.levels) > 2
    assert surrogates.flipped.any()


# ---- what it looks like, and what it means ----


def test_a_loaded_tree_asks_its_surrogates() -> None:
    split = store.loads(store.dumps(trees.patients())).split(0)
    assert split is not None
    dose, ward = split.surrogates
    assert [dose.known(level) for level in ("low", "mid", None)] == [1, 0, UNKNOWN]
    assert isinstance(ward.question, Subset)
    assert [ward.known(level) for level in ("A", "B", "C", "D")] == [0, 1, 0, UNKNOWN]
    assert (dose.agreement, ward.agreement) == (0.8125, 0.7)


def test_a_loaded_tree_gives_the_answers_that_were_set() -> None:
    tree = store.loads(store.dumps(trees.patients()))
    assert tree.predict_row({"age": 60, "smoker": "no"}) == "ill"  # 6 of 8 are healthy
    assert tree.predict_row({"age": 60, "smoker": None}) == "ill"
    assert tree.predict_row({"age": None, "ward": "A"}) == "ill"  # 5 × 2 > 7: the costs decide


def test_nothing_that_a_tree_lacks_is_in_its_file() -> None:
    told = content(trees.passengers())
    keys = set(told) | {key for node in told["nodes"] for key in node}
    assert not keys & {"fills", "costs", "test_costs", "surrogates", "answer"}


def test_a_tree_that_could_have_surrogates_or_answers_and_has_none() -> None:
    tree = trees.patients()
    assert tree.surrogates is not None
    none = {item.name: getattr(tree.surrogates, item.name)[:0] for item in fields(Surrogates)}
    none |= {"at": np.zeros(8, np.int64), "levels_at": np.zeros(1, np.int64)}
    bare = replace(tree, surrogates=Surrogates(**none), set_answers=np.full(7, -2, np.int32))
    first, *others = content(bare)["nodes"]
    assert (first["surrogates"], first["answer"]) == ([], None)
    assert not any({"surrogates", "answer"} & set(node) for node in others)
    assert trees.differences(bare, store.loads(store.dumps(bare))) == []


@pytest.mark.parametrize(
    "classes", [("a", "b"), (0, 1), (-(2**63), 2**63 - 1), (True, False), (0.5, 1.0), ("1", 1)]
)
def test_set_answers_are_written_as_classes(classes: tuple[Any, ...]) -> None:
    tree = trees.patients()
    target = replace(tree.schema.target, classes=classes)
    tree = replace(
        tree,
        schema=replace(tree.schema, target=target),
        set_answers=np.array([0, 1, 0, 1, -2, 0, 1], np.int32),
    )
    told = [node.get("answer") for node in content(tree)["nodes"]]
    assert repr(told) == repr([classes[i] if i >= 0 else None for i in (0, 1, 0, 1, -2, 0, 1)])
    assert trees.differences(tree, store.loads(store.dumps(tree))) == []


def test_set_answers_of_a_regression_are_numbers() -> None:
    told = content(trees.houses())
    told["nodes"][1]["answer"], told["nodes"][4]["answer"] = 5, -0.0
    told["nodes"][5]["answer"] = None
    tree = store.loads(as_bytes(told))
    due = np.array([np.nan, 5.0, np.nan, np.nan, -0.0, np.nan, np.nan])
    assert tree.set_answers is not None
    assert tree.set_answers.tobytes() == due.tobytes()
    assert tree.predict_row({"area": 1}) == 5.0
    assert trees.differences(tree, store.loads(store.dumps(tree))) == []


def test_fills_of_columns_with_names_like_times_are_kept() -> None:
    """At the top of options and report such names are left out."""
    tree = trees.patients()
    columns = (Column("seconds", "number"), Column("b_seconds", "number"), *tree.schema.columns[2:])
    schema = Schema(columns, tree.schema.target)
    fills: dict[str, float | str] = {"b_seconds": 2.5, "seconds": 1.0}
    tree = replace(tree, schema=schema, fills=fills, surrogates=None)
    assert store.loads(store.dumps(tree)).fills == fills
    assert list(content(tree)["fills"]) == ["seconds", "b_seconds"]  # in the order of the columns


# ---- damage ----


def node(i: int, **changes: Any) -> Change:
    return lambda told: told["nodes"][i].update(changes)


def surrogate(i: int, j: int, **changes: Any) -> Change:
    return lambda told: told["nodes"][i]["surrogates"][j].update(changes)


def whole(**changes: Any) -> Change:
    return lambda told: told.update(changes)


def group_of(*columns: str, shared: float = 1) -> Any:
    """Test costs with these columns, each in a group of its own."""
    groups = [{"columns": [name], "shared": shared} for name in columns]
    return {"columns": {}, "groups": groups}


def without(i: int, j: int, name: str) -> Change:
    return lambda told: told["nodes"][i]["surrogates"][j].pop(name)


AGE = {"column": "age", "at": 1.0, "agreement": 0.5}
DAMAGE: list[tuple[str, Change, str]] = [
    ("fills a list", whole(fills=[]), "fills: Expected `object`"),
    ("fill of an unknown column", whole(fills={"agee": 1}), 'fills: .*no column "agee"'),
    ("fill of another type", whole(fills={"age": True}), "fills.*got `bool`"),
    ("fill null", whole(fills={"age": None}), "fills.*got `null`"),
    ("level for a number", whole(fills={"age": "old"}), "'old' for the column \"age\"; .*finite"),
    ("number in words", whole(fills={"age": "29"}), "'29' for the column \"age\"; .*finite"),
    ("number for an order", whole(fills={"dose": 1}), '1.0 for the column "dose"; .*its levels'),
    ("number for a category", whole(fills={"ward": 0}), '0.0 for the column "ward"; .*its lev'),
    ("no such level", whole(fills={"dose": "max"}), "'max' for the column \"dose\""),
    ("costs a row", whole(costs=[0, 1]), "costs.*Expected `array`"),
    ("costs not square", whole(costs=[[0, 1]]), "costs must have 2 rows of 2 numbers"),
    ("costs ragged", whole(costs=[[0, 1], [1]]), "costs must have 2 rows of 2 numbers"),
    ("costs of three", whole(costs=[[0] * 3] * 3), "costs must have 2 rows of 2 numbers"),
    ("costs empty", whole(costs=[]), "costs must have 2 rows of 2 numbers"),
    ("cost negative", whole(costs=[[0, -1], [5, 0]]), "costs.*Expected `float` >= 0"),
    ("cost in words", whole(costs=[[0, "1"], [5, 0]]), "costs.*got `str`"),
    ("cost of the right answer", whole(costs=[[0, 1], [5, 2]]), "costs: 2.0 in row 1, column 1; t"),
    ("test costs a list", whole(test_costs=[1]), "test_costs.*Expected `object`"),
    ("test costs empty", whole(test_costs={}), "missing required field `columns`"),
    ("test costs unknown", whole(test_costs={"columns": {"agee": 1}}), 'name the column "agee"'),
    ("test cost negative", whole(test_costs={"columns": {"age": -1}}), "Expected `float` >= 0"),
    ("test cost null", whole(test_costs={"columns": {"age": None}}), "got `null`"),
    ("group unknown", whole(test_costs=group_of("agee")), 'name the column "agee"'),
    ("in two groups", whole(test_costs=group_of("age", "age")), '"age" in two groups'),
    ("group for less", whole(test_costs=group_of("age", shared=-1)), "Expected `float` >= 0"),
    ("answer unknown", node(4, answer="dead"), 'node 4: the target has no class "dead" to answer'),
    ("answer a number", node(4, answer=1), 'node 4: the target has no class "1"'),
    ("answer yes", node(4, answer=True), 'node 4: the target has no class "True"'),
    ("answer a list", node(4, answer=["ill"]), "node 4: answer: Expected .*got `array`"),
    ("surrogates of a leaf", node(3, surrogates=[AGE]), "node 3: it has surrogates and 0 children"),
    ("surrogates null", node(0, surrogates=None), "node 0: surrogates: Expected `array`"),
    ("unknown column", surrogate(0, 0, column="doze"), 'node 0: the schema has no column "doze"'),
    ("no column", without(0, 0, "column"), "node 0: surrogates.*missing required field `column`"),
    ("own column", node(0, surrogates=[AGE]), "node 0: a surrogate asks column 0, as the split"),
    ("no agreement", without(0, 0, "agreement"), "node 0: .*missing required field `agreement`"),
    ("agreement above 1", surrogate(0, 0, agreement=1.01), "node 0: .*Expected `float` <= 1"),
    ("agreement below 0", surrogate(0, 0, agreement=-0.1), "node 0: .*Expected `float` >= 0"),
    ("agreement null", surrogate(0, 0, agreement=None), "node 0: .*got `null`"),
    ("at of an order", surrogate(0, 0, at=1.0), 'node 0: the ordered column "dose" has the wrong'),
    ("no at_level", without(0, 0, "at_level"), 'node 0: the ordered column "dose" has the wrong'),
    ("no such at_level", surrogate(0, 0, at_level="max"), 'node 0: .*"dose" has no level "max"'),
    ("levels of an order", surrogate(0, 0, levels=[["low"], ["mid"]]), 'dose" has no levels'),
    ("flipped in words", surrogate(0, 0, flipped="yes"), "node 0: .*Expected `bool`"),
    ("flipped levels", surrogate(0, 1, flipped=True), "node 0: flipped is 1 .*by level it is 0"),
    ("no levels", without(0, 1, "levels"), 'node 0: .*category column "ward" needs levels'),
    ("empty levels", surrogate(0, 1, levels=[[], []]), "node 0: a surrogate lists 0 levels"),
    ("one side", surrogate(0, 1, levels=[["A"]]), "node 0: levels are listed for 1 children"),
    ("three sides", surrogate(0, 1, levels=[["A"], ["B"], ["C"]]), "levels are listed for 3 chil"),
    ("no such level", surrogate(0, 1, levels=[["A"], ["Z"]]), 'node 0: .*"ward" has no level "Z"'),
    ("level on both sides", surrogate(0, 1, levels=[["A"], ["A"]]), "node 0: level 0 is listed tw"),
    ("at of a category", surrogate(0, 1, at=1.0), 'node 0: the category column "ward" has the wr'),
    ("at inf", surrogate(2, 0, at="inf"), "node 2: surrogates.*Expected `float`"),
    ("at null", surrogate(2, 0, at=None), "node 2: surrogates.*Expected `float`"),
    ("more fields", surrogate(2, 0, gain=1.0), "node 2: surrogates.*unknown field `gain`"),
]


@pytest.mark.parametrize(("change", "message"), [d[1:] for d in DAMAGE], ids=[d[0] for d in DAMAGE])
def test_damage_is_named(change: Change, message: str) -> None:
    told = content(trees.patients())
    change(told)
    with pytest.raises(ModelFileError, match=f'^Cannot load "m.json": .*{message}') as caught:
        store.loads(as_bytes(told), "m.json")
    assert len(str(caught.value)) < 500


def test_surrogates_of_more_than_two_children_are_refused() -> None:
    told = content(trees.passengers())
    told["nodes"][0]["surrogates"] = [AGE]
    with pytest.raises(ModelFileError, match="node 0: it has surrogates and 4 children"):
        store.loads(as_bytes(told))


NO_NUMBERS = ['"5"', "true", "[5]", "2" + "0" * 308, "-2" + "0" * 400, "2" + "0" * 5000, "2e308"]


@pytest.mark.parametrize("shown", NO_NUMBERS, ids=range(len(NO_NUMBERS)))
def test_answers_that_are_no_number_of_a_regression_are_refused(shown: str) -> None:
    data = store.dumps(trees.houses()).replace(b'"id":1,', f'"id":1,"answer":{shown},'.encode())
    with pytest.raises(
        ModelFileError, match=r"node 1: .*(must be a number|out of range|got `array`)"
    ):
        store.loads(data)


def test_costs_of_a_regression_are_refused() -> None:
    for costs in ([], [[]], [[0.0]]):
        told = {**content(trees.houses()), "costs": costs}
        with pytest.raises(ModelFileError, match="costs are for classes"):
            store.loads(as_bytes(told))


# ---- what is not sound is not saved ----


def four(cost: Any, group: Any = (-1, -1, -1, -1), shared: Any = ()) -> TestCosts:
    return TestCosts(np.array(cost), np.array(group, np.int32), np.array(shared, float))


UNSOUND: list[tuple[str, Any, str]] = [
    ("costs", np.eye(2), "costs: 1.0 in row 0, column 0; the right answer costs 0"),
    ("costs", np.zeros((3, 3)), r"costs is float64\[3, 3\]; it must be float64\[2, 2\]"),
    ("costs", np.zeros((2, 2), np.int64), r"costs is int64\[2, 2\]"),
    ("costs", np.array([[0, np.inf], [1, 0]]), "costs.*got `null`"),
    ("test_costs", four([1.0, 2.0]), r"test_costs.cost is float64\[2\]; it must be float64\[4\]"),
    ("test_costs", four([1, 2, 3, 4]), r"test_costs.cost is int64\[4\]"),
    (
        "test_costs",
        four([1.0, -2.0, 3.0, 4.0]),
        "test_costs.*Expected `float` >= 0|test_costs: -2.0",
    ),
    ("test_costs", four([1.0, np.inf, 3.0, 4.0]), "test_costs.*got `null`"),
    (
        "test_costs",
        four([1.0, 2.0, 3.0, 4.0], (0, 1, -1, 0), [2]),
        "in a group that is none of the 1",
    ),
    ("fills", {"age": np.nan}, "fills: nan for the column"),
    ("fills", {"age": np.inf}, "fills: inf for the column"),
    ("fills", {"weight": 1.0}, 'fills: the schema has no column "weight"'),
    ("fills", {"age": object()}, "fills holds a value of type object"),
    ("fills", {"ward": "E"}, "fills: 'E' for the column"),
    ("set_answers", np.full(7, 2, np.int32), "node 0: its answer is class 2 of 2"),
    ("set_answers", np.full(7, -1, np.int32), "node 0: its answer is class -1 of 2"),
    ("set_answers", np.full(7, -3, np.int32), "node 0: its answer is class -3 of 2"),
    ("set_answers", np.full(6, -2, np.int32), r"set_answers is int32\[6\]; it must be int32\[7\]"),
    ("set_answers", np.full(7, np.nan), "set_answers is float64"),
]


@pytest.mark.parametrize(("name", "value", "message"), UNSOUND)
def test_an_unsound_tree_is_not_saved(name: str, value: Any, message: str) -> None:
    tree = replace(trees.patients(), **{name: value})
    with pytest.raises(ModelFileError, match=f"This tree cannot be saved: .*{message}"):
        store.dumps(tree)


def test_a_regression_with_an_infinite_answer_is_not_saved() -> None:
    tree = replace(trees.houses(), set_answers=np.full(7, np.inf))
    with pytest.raises(ModelFileError, match="cannot be saved: node 0: its answer is inf"):
        store.dumps(tree)


UNSOUND_SURROGATES = [
    ("at", [0, 2, 3], r"surrogates.at is int64\[3\]; it must be int64\[8\]"),
    ("at", [0, 2, 2, 2, 2, 2, 2, 2], "surrogates.at must rise from 0 to 3"),
    ("at", [0, 2, 2, 2, 3, 3, 3, 3], "node 3: it has surrogates and 0 children"),
    ("column", [1, 2, 4], "node 2: a surrogate asks column 4, which is not there"),
    ("column", [1, 2, -1], "node 2: a surrogate asks column -1"),
    ("column", [1, 2, 3], "node 2: a surrogate asks column 3, as the split does"),
    ("column", [2, 1, 0], "node 0: the threshold of a surrogate is 0.0"),
    ("threshold", [0.5, np.nan, 61], "node 0: the threshold of a surrogate is 0.5"),
    ("threshold", [3, np.nan, 61], "node 0: the threshold of a surrogate is 3"),
    ("threshold", [0, 1, 61], "node 0: the threshold of a surrogate is 1"),
    ("threshold", [0, np.nan, np.inf], "node 2: the threshold of a surrogate is inf"),
    ("threshold", [0, np.nan, np.nan], "node 2: the threshold of a surrogate is nan"),
    ("flipped", [2, 0, 0], "node 0: flipped is 2"),
    ("flipped", [1, 1, 0], "node 0: flipped is 1 in a surrogate; by level it is 0"),
    ("agreement", [0.5, 1.5, 1], "node 0: the agreement of a surrogate is 1.5"),
    ("agreement", [0.5, 1, np.nan], "node 2: the agreement of a surrogate is nan"),
    ("agreement", [0.5, 1], r"surrogates.agreement is float64\[2\]"),
    ("levels_at", [0, 0, 0, 3], "node 0: a surrogate lists 0 levels"),
    ("levels_at", [0, 1, 3, 3], "node 0: a surrogate lists 1 levels"),
    ("levels_at", [0, 0, 3, 2], "surrogates.levels_at must rise from 0 to 3"),
    ("levels", [0, 1, 4], "node 0: level 4 of 4"),
    ("levels", [0, 2, 1], "node 0: level 1 is listed twice, or out of order"),
    ("level_child", [0, 1, 2], "node 0: level 2 goes to child 2, which is not there"),
    ("level_child", [0, -1, 0], "node 0: level 1 goes to child -1"),
]


@pytest.mark.parametrize(("name", "values", "message"), UNSOUND_SURROGATES)
def test_unsound_surrogates_are_not_saved(name: str, values: list[float], message: str) -> None:
    tree = trees.patients()
    assert tree.surrogates is not None
    array = np.array(values, getattr(tree.surrogates, name).dtype)
    with pytest.raises(ModelFileError, match=f"This tree cannot be saved: {message}"):
        store.dumps(replace(tree, surrogates=replace(tree.surrogates, **{name: array})))
