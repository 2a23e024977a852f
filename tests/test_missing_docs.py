"""The examples in the table of docs/missing.md are what bough does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bough
from bough.data.missing import POLICIES

PAGE = Path(__file__).parents[1] / "docs" / "missing.md"

X = [None, 1.0, 2.0, 3.0, 4.0]
Z = [6.0, 1.0, 1.0, 6.0, 6.0]
Y = ["no", "no", "no", "yes", "yes"]


def grow(policy: str, **more: Any) -> bough.Tree:
    data = {"x": X, "y": Y} | ({"z": Z} if policy == "surrogate" else {})
    given = {"criterion": "entropy", "max_depth": 1, "missing": policy, **more}
    return bough.grow(data, target="y", recipe="cart", prune=None, **given)


def example(policy: str) -> str:
    """The last cell of the policy's line."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"| `{policy}` |")]
    return line.split("|")[4].strip()


@pytest.mark.parametrize("policy", POLICIES)
def test_the_example_of_every_policy(policy: str) -> None:
    tree, text = grow(policy), example(policy)
    assert f"{tree.nodes.gain[0]:.3f}" in text
    assert f"answers {tree.predict_row({'x': None, 'z': 6.0})}" in text
    split = tree.split(0)
    assert split is not None and split.column.name == "x"
    if policy not in ("fractional", "stop", "surrogate"):
        assert split.ask(0) in text
    if policy == "own":
        assert ", ".join(split.ask(child) for child in range(3)) in text
    if tree.fills:
        assert f"with {tree.fills['x']:g}" in text
    if policy in ("fractional", "surrogate"):
        parts = [f"({a:g}, {b:g})" for a, b in tree.nodes.stats[1:].round(9).tolist()]
        assert " and ".join(parts) in text


def test_the_rest_of_the_examples() -> None:
    # ½ · (1, 0) + ½ · (0.5, 2) / 2.5
    share = grow("fractional").predict_proba({"x": [None]})[0]
    assert share == pytest.approx([0.6, 0.4])
    assert grow("stop").nodes.stats[0].tolist() == [3, 2]
    (surrogate,) = grow("surrogate").split(0).surrogates  # type: ignore[union-attr]
    assert surrogate.question.ask(0) == "z ≤ 3.5" and surrogate.agreement == 1.0
    # 1 of 5 cells is missing: not more than 0.2, and more than 0.1
    assert grow("drop_columns", missing_share=0.2).schema.names == ("x",)
    with pytest.raises(bough.DataError, match="leaves no column"):
        grow("drop_columns", missing_share=0.1)
