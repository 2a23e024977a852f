"""The model file: what is saved comes back bit for bit, and always the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trees
from bough import store
from bough.data.schema import Column, Schema, Target
from bough.modelfile.records import BATCH
from bough.tree import Tree
from modelfiles import any_tree, content


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
    fields = [
        "format", "version", "bough", "schema", "equality", "empty_branch", "fills", "costs",
        "options", "report", "nodes",
    ]  # fmt: skip
    left_out = {"fills": not tree.fills, "costs": tree.costs is None}
    assert list(told) == [field for field in fields if not left_out.get(field, False)]


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
        for n in (BATCH - 1, BATCH + 1, 3 * BATCH + 1):
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
