"""The model file: its JSON Schema, and files of old versions, which load for ever."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import bough
import trees
from bough import store
from bough.tree import Tree
from modelfiles import MODELS, content

SCHEMA_FILE = Path(bough.__file__).with_name("model.schema.json")


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
    told = [content(trees.random_tree(seed, extras=seed % 2 > 0)) for seed in range(30)]
    examples = (trees.passengers(), trees.houses(), trees.patients())
    for each in [*told, *map(content, examples)]:
        validator.validate(each)
    told[0]["nodes"][0]["rows"] = -1
    assert not validator.is_valid(told[0])


# ---- old files load for ever ----


@pytest.mark.parametrize(
    ("name", "tree"),
    [
        ("classification", trees.passengers()),
        ("regression", trees.houses()),
        ("missing", trees.patients()),
    ],
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
