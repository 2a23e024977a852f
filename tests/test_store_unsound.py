"""The model file: a tree that could not be loaded again is not saved."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trees
from bough import store
from bough.data.schema import Column, Schema, Target
from bough.errors import ModelFileError
from bough.tree import Tree


def changed(name: str, i: int, value: float) -> Tree:
    tree = trees.houses() if name == "stats" else trees.passengers()
    array = getattr(tree.nodes, name).copy()
    array[i] = value
    return replace(tree, nodes=replace(tree.nodes, **{name: array}))


UNSOUND = [
    ("first_child", 1, 7, "node 1: first_child is 7, .* it is 5"),
    ("parent", 5, 2, "node 5: parent is 2, .* it is 1"),
    ("parent", 0, 0, "node 0: parent is 0, .* it is -1"),
    ("n_children", 1, 3, "15 nodes|14 nodes"),
    ("n_children", 1, -2, "node 1: it has -2 children"),
    ("split_kind", 1, 9, "node 1: there is no split kind 9"),
    ("split_kind", 1, 0, "node 1: n_children is 2; in a leaf it is 0"),
    ("column", 1, 4, "node 1: column 4 of 4"),
    ("column", 4, 0, "node 4: column is 0; in a leaf it is -1"),
    ("threshold", 1, np.nan, "node 1: the threshold is nan"),
    ("threshold", 1, -np.inf, "node 1: the threshold is -inf"),
    ("threshold", 2, 0.5, "node 2: the threshold is 0.5"),
    ("threshold", 2, 3, "node 2: the threshold is 3"),
    ("threshold", 2, -1, "node 2: the threshold is -1"),
    ("threshold", 4, 1, "node 4: the threshold is 1.0, and the node asks for none"),
    ("levels_at", 3, 5, "levels_at must rise"),
    ("levels_at", 0, 1, "levels_at must rise"),
    ("levels", 0, 4, "node 0: level 4 of 4"),
    ("levels", 0, 2, "node 0: level 1 is listed twice, or out of order"),
    ("level_child", 0, 4, "node 0: level 0 goes to child 4, which is not there"),
    ("level_child", 0, -1, "node 0: level 0 goes to child -1"),
    ("unseen_to", 1, 0, "node 1: unseen_to is 0"),
    ("missing_to", 1, -3, "node 1: missing_to is -3"),
    ("missing_to", 2, -1, "node 2: missing_to is -1; a third child"),
    ("missing_to", 4, -2, "node 4: missing_to is -2; in a leaf it is -1"),
    ("missing_rows", 1, -1, "node 1: missing_rows is -1"),
    ("rows", 6, -1, "node 6: -1 rows"),
    ("weight", 1, np.nan, "node 1: the weight is nan"),
    ("weight", 1, np.inf, "node 1: the weight is inf"),
    ("stats", (1, 1), np.nan, "node 1: the stats are"),
    ("stats", (1, 2), -1.0, "node 1: the stats are"),
    ("stats", (1, 0), 5.0, "node 1: the stats hold a weight of 5.0"),
    ("impurity", 1, np.inf, "node 1: the impurity is inf"),
    ("gain", 1, np.nan, "node 1: the gain is nan"),
    ("gain", 4, 1.0, "node 4: gain is 1.0; in a leaf it is 0"),
    ("p_value", 1, 2.0, "node 1: the p_value is 2.0"),
]


@pytest.mark.parametrize(("name", "i", "value", "message"), UNSOUND)
def test_an_unsound_tree_is_not_saved(
    name: str, i: int, value: float, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    with pytest.raises(ModelFileError, match=f"This tree cannot be saved: .*({message})"):
        store.save(changed(name, i, value), path)
    assert list(tmp_path.iterdir()) == []


UNSOUND_RUNNERS = [
    ("column", [1, 2, 3, 0, 4], "node 3: a runner-up asks column 4"),
    ("column", [1, 2, 3, -1, 3], "node 2: a runner-up asks column -1"),
    ("column", [1, 2, 3], r"runners_up.gain is float64\[5\]; it must be float64\[3\]"),
    ("gain", [1, 2, np.nan, 4, 5], "node 0: the gain of a runner-up is nan"),
    ("gain", [1, 2], r"runners_up.gain is float64\[2\]; it must be float64\[5\]"),
    ("threshold", [1, 2, 1, 4, 0], "node 0: the threshold of a runner-up is 2"),
    ("at", [0, 3, 2, 4, 5, 5, 5, 5], "runners_up.at must rise from 0 to 5"),
    ("at", [0, 3, 3], r"runners_up.at is int64\[3\]; it must be int64\[8\]"),
]


@pytest.mark.parametrize(("name", "values", "message"), UNSOUND_RUNNERS)
def test_unsound_runners_up_are_not_saved(name: str, values: list[float], message: str) -> None:
    tree = trees.houses()
    assert tree.runners_up is not None
    array = np.array(values, getattr(tree.runners_up, name).dtype)
    with pytest.raises(ModelFileError, match=f"This tree cannot be saved: {message}"):
        store.dumps(replace(tree, runners_up=replace(tree.runners_up, **{name: array})))


def test_a_tree_without_nodes_is_not_saved() -> None:
    tree = trees.passengers()
    none = {item.name: getattr(tree.nodes, item.name)[:0] for item in fields(tree.nodes)}
    with pytest.raises(ModelFileError, match="cannot be saved: it has no nodes"):
        store.dumps(replace(tree, nodes=replace(tree.nodes, **none)))


def test_arrays_of_another_type_or_length_are_not_saved() -> None:
    tree = trees.passengers()
    for name, array in (("rows", tree.nodes.rows.astype(float)), ("gain", tree.nodes.gain[1:])):
        with pytest.raises(ModelFileError, match=f"cannot be saved: {name} is .*must be"):
            store.dumps(replace(tree, nodes=replace(tree.nodes, **{name: array})))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"equality": ">"}, "equality: Invalid enum value"),
        ({"options": {"a": object()}}, "options holds a value of type object"),
        ({"report": {"a": 2**64}}, "report does not fit 64 bits"),
        ({"options": {"a": "\ud800"}}, "half a character"),
        ({"schema": Schema((Column("\udfff", "number"),), Target("y", "regression"))}, "half a ch"),
        ({"schema": Schema((), Target("y", "classification", (None,)))}, "got `null`"),
    ],
)
def test_what_json_cannot_hold_is_not_saved(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=f"This tree cannot be saved: .*{message}"):
        store.dumps(replace(trees.passengers(), **changes))
