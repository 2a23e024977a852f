"""C4.5's pruning: the bound by the binomial distribution, decisions by hand, subtree raising."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaincinv

import bough
from bough.data.read import read_cells
from bough.data.schema import Column, Schema, Target
from bough.errors import DataError, OptionError
from bough.prune import prune
from bough.prune.bound import upper_errors
from bough.tree import Tree
from trees import LEAF, SUBSET, Node, build


def bound(weight: float, errors: float, cf: float = 0.25) -> float:
    return float(upper_errors(np.array([weight]), np.array([errors]), cf)[0] / weight)


# ---- the bound -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "errors", "printed"),
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750)],
)
def test_the_printed_values(weight: int, errors: int, printed: float) -> None:
    """Quinlan 1993, 4.2. ⚠ U(1, 16) is printed as .157: C4.5 works with an approximation there."""
    assert bound(weight, errors) == pytest.approx(printed, abs=5e-4)
    assert bound(weight, errors) == pytest.approx(1 - 0.25 ** (1 / weight), rel=1e-12)
    assert bound(16, 1) == pytest.approx(0.1596, abs=5e-5)


@pytest.mark.parametrize("cf", [0.01, 0.25, 0.5, 0.9])
def test_so_few_errors_or_fewer_have_the_chance_cf(cf: float) -> None:
    random = Random(1)
    for _ in range(200):
        n = random.choice([2, 5, 17, 60, 300])
        e = random.randrange(n)
        p = bound(n, e, cf)
        chance = sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(e + 1))
        assert chance == pytest.approx(cf, rel=1e-8)


def test_weights_follow_the_incomplete_beta_function() -> None:
    rng = np.random.default_rng(0)
    weight = np.concatenate((rng.random(300) * 50 + 0.01, 10 ** (rng.random(50) * 6)))
    errors = weight * rng.random(350)
    theirs = weight * (1 - betaincinv(weight - errors, errors + 1, 0.25))
    assert upper_errors(weight, errors, 0.25) == pytest.approx(theirs, rel=1e-7, abs=1e-9)


def test_the_edges() -> None:
    found = upper_errors(np.array([0.0, 5.0, 5.0, 1e6]), np.array([0.0, 5.0, 6.0, 0.0]), 0.25)
    assert found.tolist()[:3] == [0.0, 5.0, 5.0]
    assert found[3] == pytest.approx(-math.log(0.25), rel=1e-5)  # n(1 − cf^(1/n)) → −ln cf


# ---- decisions -----------------------------------------------------------------------------------


def leaf(*counts: float) -> Node:
    return Node(int(sum(counts)), tuple(map(float, counts)))


def voting() -> Tree:
    """The subtree of Quinlan 1993, 4.2: leaves of 6, 9 and 1 rows, all but the last one class."""
    levels = ("n", "y", "u")
    schema = Schema(
        (Column("education", "category", levels, "text"),),
        Target("party", "classification", ("democrat", "republican")),
    )
    root = Node(kind=3, column=0, level_child={0: 0, 1: 1, 2: 2}, missing_to=0)
    root.children = [leaf(6, 0), leaf(9, 0), leaf(0, 1)]
    return build(schema, root)


def test_the_books_subtree_becomes_a_leaf() -> None:
    # 6 × .206 + 9 × .143 + 1 × .750 = 3.273; a leaf with 1 error of 16: 16 × .160 = 2.554.
    pruned = prune(voting(), "pessimistic")
    assert len(pruned) == 1
    (told,) = pruned.report["pruning"]["cut"]
    assert told["as_subtree"] == pytest.approx(3.273, abs=1e-3)
    assert told["as_leaf"] == pytest.approx(2.554, abs=1e-3)


def test_the_smaller_the_factor_the_more_goes() -> None:
    from bough import datasets

    tree = bough.grow(datasets.load("titanic"), recipe="c45", prune=None)
    leaves = [
        prune(tree, "pessimistic", cf=cf).n_leaves for cf in (0.9, 0.5, 0.25, 0.1, 0.01, 1e-4)
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[2] > leaves[-1]


def test_the_slack_decides_what_is_nearly_equal() -> None:
    # Leaves [20, 0] and [1, 3]: expected 20·U(0,20) + 4·U(1,4); the leaf [21, 3]: 24·U(3,24).
    schema = Schema(
        (Column("a", "category", ("u", "v"), "text"),), Target("y", "classification", ("n", "y"))
    )
    root = Node(kind=SUBSET, column=0, level_child={0: 0, 1: 1}, missing_to=0)
    root.children = [leaf(20, 0), leaf(1, 3)]
    tree = build(schema, root)
    below = 20 * bound(20, 0) + 4 * bound(4, 1)
    gap = 24 * bound(24, 3) - below
    assert gap > 0.01
    assert len(prune(tree, "pessimistic", slack=gap * 0.99)) == 3
    assert len(prune(tree, "pessimistic", slack=gap * 1.01)) == 1


@pytest.mark.parametrize("cf", [0, 1, 2.5])
def test_a_factor_that_is_no_chance(cf: float) -> None:
    with pytest.raises(OptionError, match="above 0 and below 1"):
        prune(voting(), "pessimistic", cf=cf)


def test_numbers_have_no_errors_to_count() -> None:
    tree = bough.grow(
        [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], recipe="cart", prune=None, task="regression"
    )
    with pytest.raises(OptionError, match="reduced_error, cost_complexity"):
        prune(tree, "pessimistic")


# ---- subtree raising -----------------------------------------------------------------------------

ROWS = [("p", "u", "n")] * 10 + [("p", "v", "y")] * 10 + [("q", "u", "n")]


def lopsided(rows: list[tuple[str, str, str]]) -> tuple[Tree, pd.DataFrame]:
    """a = p → b: u → n, v → y; a = q → n. Column a is not worth its question."""
    columns = (
        Column("a", "category", ("p", "q"), "text"),
        Column("b", "category", ("u", "v"), "text"),
    )
    schema = Schema(columns, Target("y", "classification", ("n", "y")))

    def counted(a: str, b: str) -> Node:
        answers = [y for one, two, y in rows if one == a and b in (two, "*")]
        return leaf(answers.count("n"), answers.count("y"))

    below = Node(kind=SUBSET, column=1, level_child={0: 0, 1: 1}, missing_to=0)
    below.children = [counted("p", "u"), counted("p", "v")]
    root = Node(kind=SUBSET, column=0, level_child={0: 0, 1: 1}, missing_to=0)
    root.children = [below, counted("q", "*")]
    return build(schema, root), pd.DataFrame(rows, columns=["a", "b", "y"])


def test_the_largest_branch_takes_the_place_of_its_parent() -> None:
    # As it is: 2 × 10·U(0,10) + 1·U(0,1) = 3.34. One leaf: 21·U(10,21) > 10. The branch with all
    # rows: 11·U(0,11) + 10·U(0,10) = 2.60.
    tree, frame = lopsided(ROWS)
    pruned = prune(tree, "pessimistic", frame, raising=True)
    assert pruned.nodes.column.tolist() == [1, -1, -1]
    assert pruned.nodes.stats.tolist() == [[11, 10], [11, 0], [0, 10]]
    assert pruned.nodes.rows.tolist() == [21, 11, 10]
    assert pruned.nodes.weight.tolist() == [21, 11, 10]
    assert pruned.nodes.impurity[1:].tolist() == [0, 0]
    assert pruned.nodes.gain[0] == pytest.approx(1 - (11**2 + 10**2) / 21**2)
    (told,) = pruned.report["pruning"]["raised"]
    assert (told["node"], told["by"], told["path"]) == (0, 1, "all rows")
    assert told["as_subtree"] == pytest.approx(20 * bound(10, 0) + bound(1, 0))
    assert told["as_branch"] == pytest.approx(11 * bound(11, 0) + 10 * bound(10, 0))
    assert tree.n_leaves == 3
    assert prune(tree, "pessimistic", slack=0.0) == tree  # nothing to cut without raising


def test_rows_of_the_other_branches_may_speak_against_it() -> None:
    tree, frame = lopsided([*ROWS[:20], *[("q", "u", "y")] * 9])
    assert prune(tree, "pessimistic", frame, raising=True) == tree


def test_raising_needs_the_training_rows() -> None:
    tree, frame = lopsided(ROWS)
    with pytest.raises(DataError, match="the rows the tree was grown from"):
        prune(tree, "pessimistic", frame.iloc[:-1], raising=True)
    with pytest.raises(OptionError, match="Give rows"):
        prune(tree, "pessimistic", raising=True)


def test_shares_of_rows_with_a_missing_cell_are_sent_down_again() -> None:
    """Fractional: a tree that was raised must see its rows as a tree grown so would."""
    from bough import datasets
    from bough.prune.losses import seen_by

    table = datasets.load("titanic")
    tree = bough.grow(table, recipe="c45", prune=None, missing="fractional")
    pruned = prune(tree, "pessimistic", table, raising=True)
    assert pruned.report["pruning"]["raised"]
    assert seen_by(pruned, table).passing == pytest.approx(pruned.nodes.stats, abs=1e-8)
    cells = read_cells(datasets.path("titanic"), tree.schema)
    assert len(pruned.predict(cells)) == 891


def test_a_stump_of_leaves_is_never_raised() -> None:
    tree = voting()
    assert (tree.nodes.split_kind[1:] == LEAF).all()
    rows = [("n", "democrat")] * 6 + [("y", "democrat")] * 9 + [("u", "republican")]
    frame = pd.DataFrame(rows, columns=["education", "party"])
    assert len(prune(tree, "pessimistic", frame, raising=True)) == 1
