"""Section C, how far a tree grows: XOR, parity, majority, consistent data, regression.

S0 … S4 are the five documents of docs/datasets.md; `S3:408` is line 408 of S3.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
from bough import datasets
from bough.measure import chi_square, gain
from bough.tree import Tree


def frame(name: str) -> pd.DataFrame:
    """A shipped table as a DataFrame."""
    return pd.read_csv(datasets.path(name))


def wrong(tree: Tree, rows: pd.DataFrame) -> int:
    """Rows the tree answers wrongly."""
    return int(np.sum(np.asarray(tree.predict(rows)) != rows[tree.schema.target.name].to_numpy()))


# XOR, parity, majority


def truth_table(n: int, answer: Any) -> pd.DataFrame:
    """All rows of n yes/no columns with their answer."""
    rows = [(*row, answer(row)) for row in product((0, 1), repeat=n)]
    return pd.DataFrame(rows, columns=[*(f"x{i}" for i in range(n)), "y"])


@pytest.mark.parametrize("copies", [1, 2, 10])
def test_xor_needs_a_split_that_gains_nothing_S1_189_S3_408(copies: int) -> None:
    rows = pd.concat([frame("xor")] * copies, ignore_index=True)
    tree = bough.grow(rows, target="y", recipe="cart", prune=None, criterion="entropy")
    assert (float(tree.nodes.gain[0]), float(tree.nodes.p_value[0])) == (0.0, 1.0)
    assert tree.n_leaves == 4
    assert wrong(tree, rows) == 0
    below = [node for node in range(1, len(tree.nodes)) if not tree.is_leaf[node]]
    expected = chi_square([[copies, 0], [0, copies]])
    assert expected.statistic == pytest.approx(2 * copies, abs=1e-12)
    assert [float(tree.nodes.gain[node]) for node in below] == [1.0, 1.0]
    assert [float(tree.nodes.p_value[node]) for node in below] == pytest.approx(
        [expected.p_value] * 2, rel=1e-9
    )


@pytest.mark.parametrize("copies", [1, 2, 10])
def test_chi_squared_of_xor_is_zero_then_2k_S3_408(copies: int) -> None:
    rows = pd.concat([frame("xor")] * copies, ignore_index=True)
    tree = bough.grow(rows, target="y", recipe="cart", prune=None, criterion="chi2")
    inner = [node for node in range(len(tree.nodes)) if not tree.is_leaf[node]]
    gains = [float(tree.nodes.gain[node]) for node in inner]
    assert gains == pytest.approx([0.0, 2.0 * copies, 2.0 * copies], abs=1e-12)


def test_stopping_at_zero_gain_leaves_xor_unsplit_S0_221() -> None:
    tree = bough.grow(datasets.load("xor"), target="y", recipe="cart", prune=None, zero_gain="stop")
    assert len(tree.nodes) == 1
    assert wrong(tree, frame("xor")) == 2


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_parity_needs_every_row_its_own_leaf_S0_124(n: int) -> None:
    rows = truth_table(n, lambda row: sum(row) % 2)
    tree = bough.grow(rows, target="y", recipe="cart", prune=None)
    assert tree.n_leaves == 2**n
    assert wrong(tree, rows) == 0


@pytest.mark.parametrize(("n", "size"), [(3, 6), (5, 20), (7, 70)])
def test_majority_needs_many_leaves_S0_124(n: int, size: int) -> None:
    # All columns are alike at every node, so no order of questions is better than another.
    rows = truth_table(n, lambda row: int(sum(row) > n / 2))
    tree = bough.grow(rows, target="y", recipe="cart", prune=None)
    assert tree.n_leaves == size
    assert wrong(tree, rows) == 0


CONSISTENT = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("abcd")),
    st.sampled_from(["no", "perhaps", "yes"]),
    min_size=5,  # more rows than letters: a text that never repeats looks like an identifier
    max_size=25,
).filter(lambda answers: len(set(answers.values())) > 1)


@settings(max_examples=60, deadline=None)
@given(CONSISTENT, st.sampled_from(["entropy", "gini", "gain_ratio", "error", "chi2"]))
def test_consistent_data_are_learned_by_heart_S0_185_S1_111(
    answers: dict[tuple[int, int, str], str], criterion: str
) -> None:
    rows = pd.DataFrame([(*row, y) for row, y in answers.items()], columns=["p", "q", "r", "y"])
    for categories in ("subset", "branches", "one_vs_rest"):
        tree = bough.grow(
            rows,
            target="y",
            recipe="cart",
            prune=None,
            missing="learned",
            criterion=criterion,
            categories=categories,
        )
        assert wrong(tree, rows) == 0


# Regression


LINE = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1.0, 1.0, 5.0, 9.0]})


def test_regression_root_S1_288_to_300() -> None:
    tree = bough.grow(LINE, target="y", task="regression", recipe="cart", prune=None, max_depth=1)
    assert float(tree.nodes.impurity[0]) == pytest.approx(11.0, abs=1e-12)
    assert tree.split(0).ask(0) == "x ≤ 2.5"
    assert float(tree.nodes.gain[0]) == pytest.approx(9.0, abs=1e-12)
    assert float(tree.nodes.gain[0]) == pytest.approx(
        gain([[1, 1], [5, 9]], "squared_error"), abs=1e-12
    )
    assert list(tree.predict(LINE)) == pytest.approx([1.0, 1.0, 7.0, 7.0], abs=1e-12)


@pytest.mark.parametrize(
    ("theta", "n_leaves"),
    [
        (0.0, 3),  # 1 and 1 are equal: nothing is left to ask
        (4.0, 3),  # the node of 5 and 9 has an error of 4, which is not below 4
        (4.5, 2),
        (11.0, 2),  # the root has 11, not below 11
        (11.5, 1),
    ],
)
def test_regression_stops_below_theta_S1_294(theta: float, n_leaves: int) -> None:
    tree = bough.grow(
        LINE, target="y", task="regression", recipe="cart", prune=None, stop_error=theta
    )
    assert tree.n_leaves == n_leaves
