"""The model file: every kind of damage is refused, and the message names it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import trees
from bough import store
from bough.errors import ModelFileError
from modelfiles import as_bytes, content

Change = Callable[[Any], object]


def nodes(i: int, **changes: Any) -> Change:
    return lambda told: told["nodes"][i].update(changes)


def split(i: int, **changes: Any) -> Change:
    return lambda told: told["nodes"][i]["split"].update(changes)


def without(*path: Any) -> Change:
    def change(told: Any) -> None:
        for key in path[:-1]:
            told = told[key]
        del told[path[-1]]

    return change


def schema(**changes: Any) -> Change:
    return lambda told: told["schema"].update(changes)


def column(i: int, **changes: Any) -> Change:
    return lambda told: told["schema"]["columns"][i].update(changes)


def target(**changes: Any) -> Change:
    return lambda told: told["schema"]["target"].update(changes)


HUGE = 10**30
NESTED = json.loads('{"a":' * 60 + "1" + "}" * 60)
# Of the passengers: 0 branches of ticket → 1 age ≤ 30.5 (5, 6), 2 class ≤ second (7, 8, 9),
# 3 age known (10, 11), 4 empty leaf; 5 port → 12, 13.
DAMAGE: list[tuple[str, Change, str]] = [
    ("other format", lambda t: t.update(format="gbdt"), "not a bough tree"),
    ("no format", without("format"), "not a bough tree"),
    ("format of another type", lambda t: t.update(format=[1]), "not a bough tree"),
    ("newer", lambda t: t.update(version=2), r"newer bough \(format version 2\); .* up to 1: upg"),
    ("far newer", lambda t: t.update(version=10**400), "newer bough"),
    ("version 0", lambda t: t.update(version=0), "not a bough tree"),
    ("version as text", lambda t: t.update(version="1"), "not a bough tree"),
    ("version yes", lambda t: t.update(version=True), "not a bough tree"),
    ("extra field", lambda t: t.update(colour="red"), "unknown field `colour`"),
    ("no schema", without("schema"), "missing required field `schema`"),
    ("equality", lambda t: t.update(equality=">"), "equality: Invalid enum value '>'"),
    ("empty branch", lambda t: t.update(empty_branch="zero"), "empty_branch"),
    ("options a list", lambda t: t.update(options=[]), "options: Expected `object`"),
    ("a huge number in options", lambda t: t.update(options={"a": HUGE}), "fit 64 bits"),
    ("report nested", lambda t: t.update(report=NESTED), "32 deep"),
    ("no nodes", lambda t: t.update(nodes=[]), "no nodes"),
    ("nodes not a list", lambda t: t.update(nodes={}), "nodes: Expected `array`"),
    ("a node that is a number", lambda t: t["nodes"].__setitem__(3, 7), "node 3: Expected `obj"),
    ("twice the same column", column(1, name="ticket"), 'column "ticket" is listed twice'),
    ("twice the same level", column(0, levels=["A", "B", "A"]), 'the column "ticket" "A" is li'),
    ("level not text", column(0, levels=["A", 2]), "Expected `str`"),
    ("levels of a number", column(1, levels=["A"]), 'number column "age" has levels'),
    ("unknown kind", column(1, kind="complex"), "kind: Invalid enum value 'complex'"),
    ("unknown form", column(1, form="money"), "form: Invalid enum value"),
    ("twice the same class", target(classes=["no", "no"]), 'class "no" is listed twice'),
    ("1 and true", target(classes=[1, True]), "is listed twice"),
    ("no classes", target(classes=[]), "classification with 0 classes"),
    ("classes of a regression", target(task="regression"), "regression with 2 classes"),
    ("unknown task", target(task="ranking"), "task: Invalid enum value"),
    ("class none", target(classes=["no", None]), "got `null`"),
    ("a third class", target(classes=["no", "yes", "?"]), "node 0: stats has 2 .* must have 3"),
    ("no columns", schema(columns=[]), 'no column "ticket"'),
    ("id", nodes(3, id=4), "the id of node 3 is 4"),
    ("negative id", nodes(3, id=-3), "node 3: id: Expected `int` >= 0"),
    ("no id", without("nodes", 3, "id"), "node 3: .*missing required field `id`"),
    ("child out of range", nodes(5, children=[12, 13, 14]), "node 5: levels are listed for 2"),
    ("too few children", nodes(0, children=[1, 2, 3]), "node 1: its first children"),
    ("child twice", nodes(1, children=[5, 5]), r"node 1: .*\[5, 5\].*count up from 5"),
    ("children swapped", nodes(1, children=[6, 5]), "node 1: its first children"),
    ("children of another", nodes(2, children=[5, 6, 7]), "node 2: .* count up from 7"),
    ("itself", nodes(1, children=[1, 2]), "node 1: its first children"),
    ("the root", nodes(5, children=[0, 12]), "node 5: its first children"),
    ("child far away", nodes(1, children=[5, 2**31 - 1]), "node 1: its first children"),
    ("huge child", nodes(1, children=[5, HUGE]), "node 1: children.*Expected `int` <="),
    ("fractional child", nodes(1, children=[5, 6.5]), "node 1: children.*got `float`"),
    ("last node gone", lambda t: t["nodes"].pop(), "there are 13 nodes, and the last child is 13"),
    ("a node too many", lambda t: t["nodes"].append({**t["nodes"][13], "id": 14}), "15 nodes"),
    ("children without split", without("nodes", 1, "split"), "node 1: children, split and gain"),
    ("split without children", without("nodes", 1, "children"), "node 1: children, split and ga"),
    ("split without gain", without("nodes", 1, "gain"), "node 1: children, split and gain"),
    ("gain in a leaf", nodes(4, gain=0.5), "node 4: children, split and gain"),
    ("unknown kind of split", split(1, kind="oblique"), "node 1: split.*'oblique'"),
    ("no kind of split", without("nodes", 1, "split", "kind"), "node 1: split.*`kind`"),
    ("unknown column", split(1, column="agee"), 'node 1: the schema has no column "agee"'),
    ("at in words", split(1, at="30"), "node 1: split.at: Invalid enum"),
    ("at minus inf", split(1, at="-inf"), "node 1: split.at: Invalid enum"),
    ("at null", split(1, at=None), "node 1: split.at: Expected"),
    ("no at", without("nodes", 1, "split", "at"), 'node 1: the number column "age".*takes "at"'),
    ("level for a number", split(1, at_level="second"), "node 1: the number column"),
    ("code for a level", split(2, at=1.0), 'node 2: the ordered column "class".*"at_level"'),
    ("no such ordered level", split(2, at_level="forth"), 'column "class" has no level "forth"'),
    ("threshold of a category", split(1, column="port"), "node 1: the category column"),
    ("known of a category", split(3, column="port"), "node 3: a threshold needs a number or"),
    ("known the wrong way", split(3, missing_to=0), 'node 3: a threshold of "inf"'),
    ("known of three", split(2, at="inf"), "node 2: the ordered column"),
    ("two thresholds, three children", split(2, missing_to=0), "node 2: .*third child is for mis"),
    ("levels of a number", split(5, column="age"), 'column "age" has no level "Cherbourg"'),
    ("no levels of a number", split(5, column="age", levels=[[], []]), "node 5: .*needs a numb"),
    ("subset of an ordered", split(5, column="class", levels=[["first"], ["third"]]), "node 5: a "),
    ("unknown level", split(5, levels=[["Cherbourg"], ["Cork"]]), 'no level "Cork"'),
    ("level on two sides", split(5, levels=[["Cherbourg"], ["Cherbourg"]]), "listed twice"),
    ("level twice", split(5, levels=[["Cherbourg", "Cherbourg"], []]), "node 5: level 0 is li"),
    ("no levels", split(5, levels=[[], []]), "node 5: it lists 0 levels"),
    ("levels for one child", split(5, levels=[["Cherbourg"]]), "levels are listed for 1 chil"),
    ("a subset of four", split(0, kind="subset"), "node 0: 4 children, and this kind has 2 to 2"),
    (
        "level in two branches",
        split(0, levels=[["A", "C"], ["A"], [], []]),
        "node 0: level 0 is li",
    ),
    ("missing_to too far", split(1, missing_to=2), "node 1: missing_to is 2; there are 2 child"),
    ("missing_to negative", split(1, missing_to=-1), "node 1: split.missing_to: Expected `int` >="),
    ("missing_to in other words", split(1, missing_to="both"), "node 1: split.missing_to: Invalid"),
    ("missing_to of a third child", split(2, missing_to="all"), "node 2: .*is -1; a third child"),
    ("missing_to of known", split(3, missing_to="stay"), 'node 3: a threshold of "inf"'),
    ("missing_to large", split(1, missing_to=65_537), "node 1: split.missing_to: Expected"),
    ("no missing_to", without("nodes", 1, "split", "missing_to"), "node 1: .*`missing_to`"),
    ("unseen_to too far", split(0, unseen_to=4), "node 0: unseen_to is 4; there are 4 children"),
    ("unseen_to negative", split(0, unseen_to=-1), "node 0: split.unseen_to: Expected"),
    ("unseen_to of a threshold", split(1, unseen_to=0), "node 1: split: .*unknown field"),
    ("missing_rows negative", split(1, missing_rows=-1), "node 1: split.missing_rows"),
    ("missing_rows above rows", split(1, missing_rows=67), "node 1: missing_rows is 67, of 66 ro"),
    ("rows negative", nodes(2, rows=-25), "node 2: rows: Expected `int` >= 0"),
    ("rows huge", nodes(2, rows=2**63), "node 2: rows: Expected `int` <="),
    ("rows a fraction", nodes(2, rows=2.5), "node 2: rows: Expected `int`, got `float`"),
    ("rows in words", nodes(2, rows="25"), "node 2: rows: Expected `int`, got `str`"),
    ("rows yes", nodes(2, rows=True), "node 2: rows: Expected `int`, got `bool`"),
    ("weight negative", nodes(2, weight=-1.0), "node 2: weight: Expected `float` >= 0"),
    ("weight null", nodes(2, weight=None), "node 2: weight: Expected `float`, got `null`"),
    ("weight off", nodes(2, weight=26.0), r"node 2: the stats hold a weight of 25.0.* is 26.0"),
    ("nothing at all", nodes(0, weight=0.0, stats=[0, 0]), "node 0: the weight is 0"),
    ("stats short", nodes(2, stats=[25.0]), "node 2: stats has 1 numbers; it must have 2"),
    ("stats long", nodes(2, stats=[1, 2, 22]), "node 2: stats has 3 numbers; it must have 2"),
    ("stats negative", nodes(2, stats=[-1.0, 26.0]), "node 2: the stats are .*-1"),
    ("stats null", nodes(2, stats=[None, 1]), "node 2: stats.*got `null`"),
    ("stats overflow", nodes(2, stats=[1e308, 1e308]), "node 2: the stats hold a weight of inf"),
    ("p_value above 1", nodes(2, p_value=1.5), "node 2: p_value: Expected `float` <= 1"),
    ("p_value negative", nodes(2, p_value=-0.5), "node 2: p_value: Expected `float` >= 0"),
    ("runners_up at one node", nodes(2, runners_up=[]), "node 2: either every node has runners"),
    ("runners_up at the root", nodes(0, runners_up=[]), "node 1: either every node has runners"),
]


@pytest.mark.parametrize(("change", "message"), [d[1:] for d in DAMAGE], ids=[d[0] for d in DAMAGE])
def test_damage_is_named(change: Change, message: str) -> None:
    told = content(trees.passengers())
    change(told)
    with pytest.raises(ModelFileError, match=message) as caught:
        store.loads(as_bytes(told), "m.json")
    assert str(caught.value).startswith('Cannot load "m.json": ')
    assert len(str(caught.value)) < 500


RUNNER_DAMAGE = [
    ({"column": "no"}, 'no column "no"'),
    ({"column": "sold", "at": None}, "Expected"),
    ({"column": "district", "at": 1.0}, "category column"),
    ({"column": "district", "at": "inf"}, "threshold of a runner-up is inf"),
    ({"column": "state", "at_level": "best"}, 'no level "best"'),
    ({"column": "area"}, 'takes "at"'),
]


@pytest.mark.parametrize(("runner", "message"), RUNNER_DAMAGE)
def test_damaged_runners_up_are_named(runner: dict[str, Any], message: str) -> None:
    told = content(trees.houses())
    told["nodes"][2]["runners_up"] = [{"gain": 1.0, **runner}]
    with pytest.raises(ModelFileError, match=f"node 2: .*{message}"):
        store.loads(as_bytes(told))


def test_the_root_cannot_be_a_leaf_beside_a_circle() -> None:
    told = content(trees.houses())
    leaf, inner = told["nodes"][1], told["nodes"][3]
    inner["split"].pop("missing_to")
    told["nodes"] = [
        {**leaf, "id": 0},
        {**inner, "id": 1, "children": [1, 2], "split": {**inner["split"], "missing_to": 0}},
        {**leaf, "id": 2},
    ]
    with pytest.raises(ModelFileError, match="node 1: its first child is 1, which does not come"):
        store.loads(as_bytes(told))


def test_too_many_children() -> None:
    told = content(trees.passengers())
    told["nodes"][0]["children"] = list(range(1, 2**15 + 1))
    with pytest.raises(ModelFileError, match="node 0 has 32768 children; a node can have 32767"):
        store.loads(as_bytes(told))
