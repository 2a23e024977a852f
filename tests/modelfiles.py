"""What the tests of the model file share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import trees
from bough import store
from bough.tree import Tree

MODELS = Path(__file__).parent / "models"
"""A file of every version, for ever."""

any_tree = st.builds(
    trees.random_tree,
    st.integers(0, 2**32 - 1),
    splits=st.integers(0, 25),
    deep=st.booleans(),
    task=st.sampled_from(["classification", "regression"]),
    runners_up=st.booleans(),
    extras=st.booleans(),
)


def content(tree: Tree) -> Any:
    return json.loads(store.dumps(tree))


def as_bytes(told: Any) -> bytes:
    return json.dumps(told, ensure_ascii=False).encode()
