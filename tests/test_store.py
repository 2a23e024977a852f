"""The model file: what is saved comes back bit for bit, and whatever is damaged is refused."""

from __future__ import annotations

import copy
import errno
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trees
from bough import store
from bough.data.schema import Column, Schema, Target
from bough.errors import BoughError, ModelFileError
from bough.files import write_bytes, write_text
from bough.tree import Tree

MODELS = Path(__file__).parent / "models"
SCHEMA_FILE = Path(store.__file__).with_name("model.schema.json")

any_tree = st.builds(
    trees.random_tree,
    st.integers(0, 2**32 - 1),
    splits=st.integers(0, 25),
    deep=st.booleans(),
    task=st.sampled_from(["classification", "regression"]),
    runners_up=st.booleans(),
)


def content(tree: Tree) -> Any:
    return json.loads(store.dumps(tree))


def as_bytes(told: Any) -> bytes:
    return json.dumps(told, ensure_ascii=False).encode()


# ---- what is saved comes back ----


@given(any_tree)
def test_round_trip_is_exact(tree: Tree) -> None:
    data = store.dumps(tree)
    again = store.loads(data)
    assert trees.differences(tree, again) == []
    assert store.dumps(again) == data


def test_differences_sees_one_bit() -> None:  # the judge of the test above
    tree = trees.passengers()
    gain = tree.nodes.gain.copy()
    gain[0] = np.nextafter(gain[0], 1)
    assert trees.differences(tree, replace(tree, nodes=replace(tree.nodes, gain=gain))) == [
        "nodes.gain"
    ]


@given(any_tree)
def test_the_file_is_strict_json_with_one_node_per_line(tree: Tree) -> None:
    def no_token(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    data = store.dumps(tree)
    told = json.loads(data, parse_constant=no_token)
    lines = data.decode().split("\n")
    start = lines.index('"nodes":[')
    nodes = [json.loads(line.removesuffix(",")) for line in lines[start + 1 : -2]]
    assert nodes == told["nodes"]
    assert [node["id"] for node in nodes] == list(range(len(tree.nodes)))
    assert list(told) == [
        "format", "version", "bough", "schema", "equality", "empty_branch", "options", "report",
        "nodes",
    ]  # fmt: skip


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(names, min_size=2, max_size=5, unique=True), names, st.data())
def test_any_unicode_name_comes_back(texts: list[str], name: str, data: st.DataObject) -> None:
    column = Column(name, "category", tuple(texts), "text")
    schema = Schema((column,), Target(name, "classification", tuple(reversed(texts))))
    codes = data.draw(st.permutations(range(len(texts))))
    root = trees.Node(kind=trees.BRANCHES, column=0, missing_to=0)
    root.level_child = {code: child for child, code in enumerate(codes)}
    counts = tuple(1.0 for _ in texts)
    root.children = [trees.Node(len(texts), counts) for _ in texts]
    tree = trees.build(schema, root, options={"a": name}, report={"b": {name: name}})
    assert trees.differences(tree, store.loads(store.dumps(tree))) == []


@pytest.mark.parametrize(
    "classes", [("a", "b"), (0, 1), (-(2**63), 2**63 - 1), (False, True), (0.5, 1.0), ("1", 1)]
)
def test_classes_keep_their_type(classes: tuple[Any, ...]) -> None:
    tree = trees.passengers()
    target = replace(tree.schema.target, classes=classes)
    again = store.loads(store.dumps(replace(tree, schema=replace(tree.schema, target=target))))
    assert repr(again.schema.target.classes) == repr(classes)


def test_what_differs_from_run_to_run_is_not_in_the_file() -> None:
    tree = trees.passengers()
    slow = replace(
        tree,
        report={"seconds": 1.5, "grow_seconds": 2.0, "of": {"seconds": 1}, **tree.report},
        options={"threads": 4, **tree.options},
    )
    quick = replace(tree, report={**tree.report, "of": {"seconds": 1}, "seconds": 0.1})
    assert store.dumps(slow) == store.dumps(quick)
    assert store.loads(store.dumps(slow)).report == {**tree.report, "of": {"seconds": 1}}
    assert "threads" not in store.loads(store.dumps(slow)).options


def test_numpy_values_and_numbers_that_are_not_finite_in_the_report() -> None:
    report = {"a": np.float64(0.5), "b": np.arange(2), "c": np.nan, "d": (1, np.inf), "e": np.True_}
    told = content(replace(trees.passengers(), report=report))["report"]
    assert told == {"a": 0.5, "b": [0, 1], "d": [1, None], "e": True}


def test_other_layouts_of_the_same_json_load() -> None:
    tree = trees.passengers()
    spread = json.dumps(content(tree), indent=3, sort_keys=True).encode()
    assert trees.differences(tree, store.loads(spread)) == []


@pytest.mark.slow
@pytest.mark.parametrize("make", [trees.chain, trees.bushy])
def test_a_million_nodes_in_any_shape(make: Callable[[int], Tree], tmp_path: Path) -> None:
    tree = make(1_000_001)
    store.save(tree, tmp_path / "large.json")
    assert trees.differences(tree, store.load(tmp_path / "large.json")) == []


def test_more_nodes_than_one_batch() -> None:
    for make in (trees.chain, trees.bushy):
        for n in (store.BATCH - 1, store.BATCH + 1, 3 * store.BATCH + 1):
            tree = make(n, "regression")
            assert trees.differences(tree, store.loads(store.dumps(tree))) == []


def test_thousands_of_levels() -> None:
    levels = tuple(f"zip {i}" for i in range(50_000))
    schema = Schema((Column("zip", "category", levels, "text"),), Target("y", "regression"))
    root = trees.Node(kind=trees.SUBSET, column=0, missing_to=1)
    root.level_child = {code: code % 3 % 2 for code in range(0, 50_000, 2)}
    root.children = [trees.Node(9, (9.0, 1.0, 0.5)), trees.Node(8, (8.0, -1.0, 0.5))]
    tree = trees.build(schema, root)
    data = store.dumps(tree)
    assert trees.differences(tree, store.loads(data)) == []
    assert len(data) < 3 * sum(len(level) + 3 for level in levels)


# ---- the JSON Schema ----


def test_the_shipped_schema_is_the_one_of_the_code() -> None:
    assert SCHEMA_FILE.read_bytes() == store.json_schema(), (
        "write it again: python -c 'import sys; from bough import store; "
        "sys.stdout.buffer.write(store.json_schema())' > src/bough/model.schema.json"
    )


def test_saved_files_fit_the_schema_and_the_schema_refuses_others() -> None:
    schema = json.loads(SCHEMA_FILE.read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    told = [content(trees.random_tree(seed)) for seed in range(30)]
    for each in [*told, content(trees.passengers()), content(trees.houses())]:
        validator.validate(each)
    told[0]["nodes"][0]["rows"] = -1
    assert not validator.is_valid(told[0])


# ---- old files load for ever ----


@pytest.mark.parametrize(
    ("name", "tree"), [("classification", trees.passengers()), ("regression", trees.houses())]
)
def test_a_file_of_version_1_gives_the_same_tree(name: str, tree: Tree) -> None:
    old = store.load(MODELS / f"v1-{name}.json")
    assert trees.differences(tree, old) == []
    written = (MODELS / f"v1-{name}.json").read_bytes()
    now = store.dumps(tree)
    by = re.compile(rb'"bough":"[^"]*"')
    assert by.sub(b"", written) == by.sub(b"", now), "the same version must mean the same bytes"


@pytest.mark.parametrize(
    ("row", "leaf"),
    [
        ({"ticket": "A", "age": 20, "port": "Cherbourg"}, 12),
        ({"ticket": "A", "age": 30.5, "port": "Southampton"}, 13),
        ({"ticket": "A", "age": 20, "port": None}, 13),
        ({"ticket": "A", "age": 30.6}, 6),
        ({"ticket": "A", "age": None}, 6),
        ({"ticket": "B", "class": "second"}, 7),
        ({"ticket": "B", "class": "third"}, 8),
        ({"ticket": "B"}, 9),
        ({"ticket": "C"}, 4),
        ({"ticket": "?", "age": 99}, 10),
        ({"ticket": None, "age": None}, 11),
    ],
)
def test_a_file_of_version_1_sends_rows_where_it_did(row: dict[str, Any], leaf: int) -> None:
    assert trees.leaf_of(store.load(MODELS / "v1-classification.json"), row) == leaf


@pytest.mark.parametrize(
    ("row", "leaf", "mean"),
    [
        ({"area": 72.34}, 1, 120.1),
        ({"area": 72.35, "sold": 18261, "district": "Süd"}, 5, 310.5),
        ({"area": None, "sold": None, "district": "north"}, 6, 240.25),
        ({"area": 80, "sold": 18262}, 4, 500.0),
    ],
)
def test_a_regression_of_version_1_answers_as_it_did(
    row: dict[str, Any], leaf: int, mean: float
) -> None:
    tree = store.load(MODELS / "v1-regression.json")
    assert trees.leaf_of(tree, row) == leaf
    assert tree.nodes.stats[leaf, 1] == mean


# ---- damage ----

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


def told_schema(**changes: Any) -> Change:
    return lambda told: told["schema"].update(changes)


def column(i: int, **changes: Any) -> Change:
    return lambda told: told["schema"]["columns"][i].update(changes)


def target(**changes: Any) -> Change:
    return lambda told: told["schema"]["target"].update(changes)


HUGE = 10**30
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
    ("report nested", lambda t: t.update(report=eval("{'a':" * 60 + "1" + "}" * 60)), "32 deep"),
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
    ("no columns", told_schema(columns=[]), 'no column "ticket"'),
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
    ("two levels in a branch", split(0, levels=[["A", "C"], ["B"], [], []]), "node 0: branches"),
    ("missing_to too far", split(1, missing_to=2), "node 1: missing_to is 2; there are 2 child"),
    ("missing_to negative", split(1, missing_to=-1), "node 1: split.missing_to: Expected `int` >="),
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


WRONG = [None, True, -1, 3, 10**18, 2**63, HUGE, 0.5, -1e300, "", "inf", "\x00", [], [[]], {}]


def places(told: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in the JSON: what holds it, and its key."""
    for key, value in list(told.items() if isinstance(told, dict) else enumerate(told)):
        yield told, key
        if isinstance(value, dict | list):
            yield from places(value)


@pytest.mark.parametrize("tree", [trees.passengers(), trees.houses()], ids=["classes", "numbers"])
def test_any_value_anywhere_is_refused_or_sound(tree: Tree) -> None:
    told = content(tree)
    refused = total = 0
    for holder, key in list(places(told)):
        right = holder[key]
        for wrong in WRONG:
            holder[key] = wrong
            total += 1
            refused += not loads_or_refuses(as_bytes(told))
        holder[key] = right
    assert total > 2000
    assert refused > 0.8 * total  # the rest: other names, numbers, options


@pytest.mark.parametrize("tree", [trees.passengers(), trees.houses()], ids=["classes", "numbers"])
def test_any_field_left_out_is_refused_or_sound(tree: Tree) -> None:
    optional = {"classes", "levels", "impurity", "p_value", "missing_rows", "unseen_to"}
    told = content(tree)
    paths = [(holder, key) for holder, key in places(told) if isinstance(holder, dict)]
    for holder, key in paths:
        before = copy.copy(holder)
        del holder[key]
        fine = loads_or_refuses(as_bytes(told))
        free = key in optional or any(holder is told.get(name) for name in ("options", "report"))
        assert free or not fine, key
        holder.clear()
        holder.update(before)


def loads_or_refuses(data: bytes) -> bool:
    """Whether the bytes are a tree; a sound one, for it can be saved and comes back the same."""
    try:
        tree = store.loads(data)
    except ModelFileError:
        return False
    assert trees.differences(tree, store.loads(store.dumps(tree))) == []
    return True


@given(any_tree, st.data())
def test_flipped_bytes_are_refused_or_sound(tree: Tree, data: st.DataObject) -> None:
    told = bytearray(store.dumps(tree))
    for _ in range(data.draw(st.integers(1, 4))):
        told[data.draw(st.integers(0, len(told) - 1))] = data.draw(st.integers(0, 255))
    loads_or_refuses(bytes(told))


@given(any_tree, st.data())
def test_cut_repeated_and_moved_bytes_are_refused_or_sound(tree: Tree, data: st.DataObject) -> None:
    told = store.dumps(tree)
    a, b, c, d = sorted(data.draw(st.integers(0, len(told))) for _ in range(4))
    cuts = [told[:a] + told[b:], told[:b] + told[a:], told[:a] + told[c:d] + told[b:c] + told[d:]]
    for cut in cuts:
        loads_or_refuses(cut)


def test_every_truncation_is_refused() -> None:
    data = store.dumps(trees.passengers())
    for n in range(len(data) - 2):
        with pytest.raises(ModelFileError, match=r"cut off|empty"):
            store.loads(data[:n])
    assert store.loads(data[:-1])  # only the last line end is missing


NOT_A_TREE = [
    (b"", "the file is empty"),
    (b"  \n", "cut off"),
    (b"age,sex\n1,f\n", "not valid JSON"),
    (b"\x80\x04\x95\x00", "not valid JSON"),
    (b"[]", "not a bough tree"),
    (b"3", "not a bough tree"),
    (b"null", "not a bough tree"),
    (b"{}", "not a bough tree"),
    (b"[" * 1_000_000, "not a bough tree"),
    (b'{"a":' * 1_000_000, "nested too deeply"),
    (b'{"format":"bough tree","version":1} {}', "trailing"),
    (b'{"format":"bough tree","version":NaN}', "not valid JSON"),
    (b'{"format":"bough\xfftree","version":1}', "not UTF-8"),
    ("{}".encode("utf-16"), "not valid JSON"),
    (b'{"format":"bough tree","version":' + b"9" * 10_000 + b"}", "not a bough tree"),
]


@pytest.mark.parametrize(("data", "message"), NOT_A_TREE, ids=[m for _, m in NOT_A_TREE])
def test_other_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        store.loads(data)


def damaged_text(old: bytes, new: bytes) -> bytes:
    data = store.dumps(trees.passengers())
    assert data.count(old) >= 1
    return data.replace(old, new, 1)


TEXT_DAMAGE = [
    (b'"age"', b'"a\xffe"', "not UTF-8"),
    (b'"column":"age"', b'"column":"\xc3("', "node 1: it is not UTF-8"),
    (b'"column":"age"', b'"column":"\\ud800"', "it is not valid JSON"),
    (b'"at":30.5', b'"at":NaN', "not valid JSON"),
    (b'"at":30.5', b'"at":Infinity', "not valid JSON"),
    (b'"at":30.5', b'"at":1e999', "node 1: split.at: Number out of range"),
    (b'"at":30.5', b'"at":' + b"9" * 5000, "node 1: split.at: Number out of range"),
    (b'"rows":66', b'"rows":' + b"9" * 5000, "node 1: rows"),
    (b'"options":{', b'"options":{"a":' + b"[" * 99_999 + b"]" * 99_999 + b",", "too deeply"),
    (b'"children":[5,6]', b'"children":' + b"[" * 99_999 + b"]" * 99_999, "too deeply"),
    (b'"column":"age"', b'"column":"' + b"\\u001b" * 9999 + b'"', 'no column "' + r"\\x1b" * 59),
]


@pytest.mark.parametrize(("old", "new", "message"), TEXT_DAMAGE, ids=range(len(TEXT_DAMAGE)))
def test_damaged_text_is_refused(old: bytes, new: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        store.loads(damaged_text(old, new))
    assert len(str(caught.value)) < 500
    assert str(caught.value).isprintable()


# ---- trees that must not be saved ----


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
    ("missing_to", 1, -1, "node 1: missing_to is -1"),
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


# ---- files ----


def test_save_and_load_through_a_file(tmp_path: Path) -> None:
    tree, path = trees.passengers(), tmp_path / "mödel 1.json"
    store.save(tree, str(path))
    assert path.read_bytes() == store.dumps(tree)
    assert trees.differences(tree, store.load(path)) == []
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")
    with pytest.raises(BoughError, match=r"m.json\" is already there.*--force"):
        store.save(trees.passengers(), path)
    assert path.read_text() == "mine"
    store.save(trees.passengers(), path, force=True)
    assert trees.differences(store.load(path), trees.passengers()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_replacing_keeps_the_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")
    path.chmod(mode)
    write_text(path, "new", force=True)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_text(tmp_path / "new", "x")
    modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "m.json", tmp_path / "link.json"
    link.symlink_to(path)
    write_text(link, "one")
    write_text(link, "two", force=True)
    assert link.is_symlink()
    assert path.read_text() == "two"


@pytest.mark.parametrize("fails", ["fsync", "replace", "pieces"])
def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def pieces() -> Iterator[bytes]:
        yield b"new"
        if fails == "pieces":
            raise KeyboardInterrupt

    if fails == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    if fails == "replace":
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises((BoughError, KeyboardInterrupt)) as caught:
        write_bytes(path, pieces(), force=True)
    if fails != "pieces":
        assert re.search("Cannot write .*m.json.*No space left.*unchanged", str(caught.value))
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_protected_file_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")
    path.chmod(0o444)
    if os.geteuid() == 0:  # root may write to anything
        monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BoughError, match=r"Cannot write .*m.json.*permission denied"):
        write_text(path, "new", force=True)
    assert path.read_text() == "mine"


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(BoughError, match=r"Cannot write .*permission denied.*permissions of"):
        write_text(tmp_path / "m.json", "new")


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path, message in (
        (tmp_path / "no" / "m.json", "there is no folder .*no.*Create it first"),
        (tmp_path / "file" / "m.json", "is a file, not a folder|Not a directory"),
        (tmp_path, "it is a folder"),
        (tmp_path / ("x" * 300), "too long"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(BoughError, match=f"Cannot write .*({message})"):
            write_bytes(path, b"new", force=True)
    with pytest.raises(BoughError, match="half a character"):
        write_text(tmp_path / "new", "\ud800")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_device_is_written_to_directly() -> None:
    write_bytes(os.devnull, b"x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_places_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, message in (
        (tmp_path / "no.json", 'There is no file ".*no.json"'),
        (tmp_path, "is not a file"),
        (Path("/dev/zero"), "is not a file"),
        (tmp_path / "a\0b", "Cannot read .*null"),
    ):
        with pytest.raises(ModelFileError, match=message):
            store.load(path)

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    (tmp_path / "m.json").touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ModelFileError, match=r"Cannot read .*Permission denied"):
        store.load(tmp_path / "m.json")
