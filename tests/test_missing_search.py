"""Policies the core follows cell by cell: own, learned, fractional, stop.

Surrogates are in test_missing_surrogate.py.

Every expected number is worked out in a comment. H(a, b) is the entropy of a node in bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bough
from bough import measure
from bough.data.table import Table
from bough.growing import grow_table
from bough.predict import apply_table, predict, predict_proba
from bough.recipes import options_for
from bough.splits import STAYS, TO_ALL
from tables import build, levelled, number

A, B = "class0", "class1"


def grow(table: Table, missing: Any, **options: Any) -> bough.Tree:
    """A stump by entropy, unless told otherwise."""
    task = table.schema.target.task
    given = {"max_depth": 1, "missing": missing, **options}
    if task == "classification":
        given = {"criterion": "entropy", **given}
    return grow_table(table, options_for(task, "cart", given))


def entropy(*counts: float) -> float:
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c)


def close(value: Any) -> Any:
    return pytest.approx(np.asarray(value), rel=1e-9, abs=1e-9)


def five() -> Table:
    """The example of docs/missing.md: x . 1 2 3 4, y no no no yes yes."""
    return build([number("x", [None, 1, 2, 3, 4])], [0, 0, 0, 1, 1], 2)


def half() -> Table:
    """x 1 2 3 ., y a a b b"""
    return build([number("x", [1, 2, 3, None])], [0, 0, 1, 1], 2)


# ---- learned -----------------------------------------------------------------------------------


def test_learned_joins_the_side_that_gains_more() -> None:
    """With 1 2 the gain is H(3, 2) = .971; with 3 4, 2/5 of it is lost: .420."""
    tree = grow(five(), "learned")
    assert tree.nodes.gain[0] == close(entropy(3, 2))
    assert measure.gain([[2, 0], [1, 2]]) == close(0.4199730940219749)
    assert tree.nodes.missing_to[0] == 0 and tree.nodes.missing_rows[0] == 1
    assert str(tree.split(0).ask(0)) == "x ≤ 2.5 or missing"  # type: ignore[union-attr]
    assert tree.predict_row({"x": None}) == A


def test_learned_asks_whether_the_cell_is_known() -> None:
    """x 1 2 3 . ., y a a a b b: known cells are all a, missing ones all b."""
    table = build([number("x", [1, 2, 3, None, None])], [0, 0, 0, 1, 1], 2)
    tree = grow(table, "learned")
    # every boundary leaves an a with the b; known | missing leaves none
    assert tree.nodes.threshold[0] == math.inf
    assert tree.nodes.gain[0] == close(entropy(3, 2))
    assert tree.predict_row({"x": None}) == B and tree.predict_row({"x": 99.0}) == A


# ---- own ---------------------------------------------------------------------------------------


def test_own_gives_missing_cells_a_branch() -> None:
    tree = grow(five(), "own")
    assert tree.nodes.rows.tolist() == [5, 2, 2, 1]
    assert tree.nodes.gain[0] == close(entropy(3, 2))
    assert tree.nodes.missing_to[0] == 2
    assert tree.predict_row({"x": None}) == A


def test_own_is_a_level_like_any_other() -> None:
    """c p q . ., y a b b b: {p} | {q, missing} parts the classes."""
    table = build([levelled("c", "category", 2, [0, 1, None, None])], [0, 1, 1, 1], 2)
    tree = grow(table, "own")
    assert tree.nodes.n_children[0] == 2 and tree.nodes.missing_to[0] == 1
    assert tree.nodes.gain[0] == close(entropy(1, 3))
    with_branches = grow(table, "own", categories="branches")
    assert with_branches.nodes.rows.tolist() == [4, 1, 1, 2]
    assert with_branches.nodes.missing_to[0] == 2


# ---- fractional --------------------------------------------------------------------------------


def weather() -> Table:
    """The table of Quinlan 1993, section 3.2: outlook of 14 days, one of them not known.

    outlook    play  don't
    sunny        2     3
    overcast     3     0
    rain         3     2
    ?            1     0
    """
    cells = [0] * 5 + [1] * 3 + [2] * 5 + [None]
    target = [0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0]
    return build([levelled("o", "category", 3, cells)], target, 2)


def test_fractional_counts_the_gain_by_the_known_share() -> None:
    """13 days are known: H(8, 5) = .961, left .747; gain 13/14 · (.961 − .747) = .199."""
    tree = grow(weather(), "fractional", categories="branches")
    left = 5 / 13 * entropy(2, 3) + 5 / 13 * entropy(3, 2)
    assert tree.nodes.gain[0] == close(13 / 14 * (entropy(8, 5) - left))
    assert tree.nodes.gain[0] == pytest.approx(0.199, abs=5e-4)


@pytest.mark.parametrize("among", ["average", "all"])
def test_split_information_has_the_unknown_part(among: str) -> None:
    """Parts of 5, 3, 5 and 1 days: 1.809 bits; gain ratio .199 / 1.809 = .110."""
    table = weather()
    tree = grow(
        table, "fractional", categories="branches", criterion="gain_ratio", ratio_among=among
    )
    gain = grow(table, "fractional", categories="branches").nodes.gain[0]
    assert entropy(5, 3, 5, 1) == pytest.approx(1.809, abs=5e-4)
    assert tree.nodes.gain[0] == close(gain / entropy(5, 3, 5, 1))
    assert tree.nodes.gain[0] == pytest.approx(0.110, abs=5e-4)


def test_fractional_rows_go_down_all_branches() -> None:
    """The unknown day, a play, goes 5/13, 3/13 and 5/13."""
    tree = grow(weather(), "fractional", categories="branches")
    assert tree.nodes.missing_to[0] == TO_ALL and tree.nodes.missing_rows[0] == 1
    expected = [[9, 5], [2 + 5 / 13, 3], [3 + 3 / 13, 0], [3 + 5 / 13, 2]]
    assert tree.nodes.stats == close(expected)
    assert tree.nodes.weight == close([14, 5 + 5 / 13, 3 + 3 / 13, 5 + 5 / 13])
    assert tree.nodes.weight[1:].sum() == tree.nodes.weight[0]


def test_fractional_answers_are_mixed() -> None:
    """One question only, so the leaves together hold what the root holds: 9 plays in 14."""
    tree = grow(weather(), "fractional", categories="branches")
    table = weather().take(np.array([13]))
    assert predict_proba(tree, table)[0] == close([9 / 14, 5 / 14])
    assert predict(tree, table).tolist() == [A] == [tree.predict_row({"o": None})]
    heaviest = apply_table(tree, table).tolist()  # apply names one leaf: the heaviest, the first
    assert heaviest == [1] and tree.path({"o": None}) == [0, 1]


def test_fractional_threshold() -> None:
    """x 1 2 | 3 known: gain 3/4 · H(2, 1) = .689. The missing b goes 2/3 left and 1/3 right:
    stats (2, 2/3) and (0, 4/3). A missing cell later: 2.667/4 · (3/4, 1/4) + 1.333/4 · (0, 1)
    = (1/2, 1/2), a tie for the earlier class."""
    tree = grow(half(), "fractional")
    assert tree.nodes.gain[0] == close(3 / 4 * entropy(2, 1))
    assert tree.nodes.stats == close([[2, 2], [2, 2 / 3], [0, 4 / 3]])
    assert predict_proba(tree, half())[3] == close([0.5, 0.5])
    assert tree.predict_row({"x": None}) == A
    assert tree.predict_row({"x": 3.0}) == B


def test_fractional_weights() -> None:
    """The missing row weighs 2 of 5: gain 3/5 · H(2, 1), parts 4/3 and 2/3."""
    table = build([number("x", [1, 2, 3, None])], [0, 0, 1, 1], 2, [1, 1, 1, 2])
    tree = grow(table, "fractional")
    assert tree.nodes.gain[0] == close(3 / 5 * entropy(2, 1))
    assert tree.nodes.stats == close([[2, 3], [2, 4 / 3], [0, 5 / 3]])
    # (2/3 · 2/(10/3), …): the class shares of the root again
    assert predict_proba(tree, table)[3] == close([0.4, 0.6])
    assert tree.predict_row({"x": None}) == B


def two_questions(**more: Any) -> bough.Tree:
    """x 1 1 1 1 | 2 2 . ., then z parts the left side. All by entropy until pure.

    x   1  1  1  1  2  2
    z   1  1  2  2  1  1
    y   a  a  b  b  b  b      x first? gain of x: H(2, 4) − 4/6 · 1 = .252; z ≤ 1.5: H − 4/6 = .252:
    a tie, which goes to x. Left z parts a a | b b; right is pure b.
    """
    columns = [number("x", [1, 1, 1, 1, 2, 2]), number("z", [1, 1, 2, 2, 1, 1])]
    table = build(columns, [0, 0, 1, 1, 1, 1], 2)
    return grow(table, "fractional", max_depth=None, **more)


def test_mixing_goes_on_below() -> None:
    """x missing, z 1: 4/6 to the left, there z sends it to "a"; 2/6 to "b".
    Both missing: 4/6 · (1/2, 1/2) + 2/6 · (0, 1) = (1/3, 2/3)."""
    tree = two_questions()
    assert tree.n_leaves == 3
    schema = tree.schema
    rows = {"x": [None, None, None, 1.0], "z": [1.0, 2.0, None, None]}
    mixed = tree.predict_proba(rows)
    assert mixed == close([[2 / 3, 1 / 3], [0, 1], [1 / 3, 2 / 3], [1 / 2, 1 / 2]])
    assert tree.predict(rows).tolist() == [A, B, B, A]
    for at in range(4):
        row = {name: rows[name][at] for name in schema.names}
        assert tree.predict_row(row) == [A, B, B, A][at]


def test_fractional_numbers_mix_means() -> None:
    """x 1 2 . ., y 0 10 2 4: known variance 25, times 2/4 = 12.5. Each missing row goes half to
    each side: left weight 2, mean (0 + 1 + 2) / 2 = 1.5; right (10 + 1 + 2) / 2 = 6.5; mixed 4."""
    table = build([number("x", [1, 2, None, None])], [0, 10, 2, 4])
    tree = grow(table, "fractional")
    assert tree.nodes.gain[0] == close(12.5)
    assert tree.nodes.stats[:, :2] == close([[4, 4], [2, 1.5], [2, 6.5]])
    # squares about the mean: left 1.5² + (2 − 1.5)²/2 + (4 − 1.5)²/2 = 2.25 + .125 + 3.125
    assert tree.nodes.stats[1, 2] == close(5.5)
    assert predict(tree, table) == close([1.5, 6.5, 4, 4])
    assert tree.predict_row({"x": None}) == close(4)


def test_a_mixture_that_partly_does_not_know() -> None:
    """x missing; left of it c asks one branch per level, and this level had no row there."""
    columns = [
        number("x", [1, 1, 1, 1, 2, 2]),
        levelled("c", "category", 3, [0, 0, 1, 1, 0, 0]),
    ]
    table = build(columns, [0, 0, 1, 1, 1, 1], 2)
    more = {"max_depth": None, "categories": "branches", "empty_branch": "unknown"}
    tree = grow(table, "fractional", **more)
    assert tree.predict_row({"x": None, "c": "c02"}) is None
    assert tree.predict({"x": [None, 2.0], "c": ["c02", "c02"]}).tolist() == [None, B]


def test_a_leaf_without_missing_cells_keeps_its_tie_rule() -> None:
    """A tied leaf answers like its parent's larger class, in a tree that shares rows out, too."""
    # Left holds b a, right b: the root has more b.
    table = build([number("x", [1, 1, 2])], [0, 1, 1], 2)
    tree = grow(table, "fractional")
    assert tree.nodes.stats.tolist() == [[1, 2], [1, 1], [0, 1]]
    assert tree.predict({"x": [1.0, None]}).tolist() == [B, B]
    assert tree.predict_row({"x": 1.0}) == B


# ---- stop --------------------------------------------------------------------------------------


def test_stop_answers_like_the_node_that_asks() -> None:
    """Gain 3/4 · H(2, 1); the row that is missing stays at the root, which holds 2 a and 2 b."""
    tree = grow(half(), "stop")
    assert tree.nodes.gain[0] == close(3 / 4 * entropy(2, 1))
    assert tree.nodes.stats.tolist() == [[2, 2], [2, 0], [0, 1]]
    assert tree.nodes.rows.tolist() == [4, 2, 1]
    assert tree.nodes.missing_to[0] == STAYS and tree.nodes.missing_rows[0] == 1
    assert apply_table(tree, half()).tolist() == [1, 1, 2, 0]
    assert predict_proba(tree, half())[3].tolist() == [0.5, 0.5]
    assert tree.predict_row({"x": None}) == A and tree.path({"x": None}) == [0]


def test_stop_with_weights_and_with_numbers() -> None:
    """Weight 2 on the missing b: the root holds 2 a and 3 b. Numbers: the mean of all four is 4,
    the gain 25 · 2/4."""
    weighted = build([number("x", [1, 2, 3, None])], [0, 0, 1, 1], 2, [1, 1, 1, 2])
    tree = grow(weighted, "stop")
    assert tree.nodes.gain[0] == close(3 / 5 * entropy(2, 1))
    assert tree.predict_row({"x": None}) == B
    numbers = build([number("x", [1, 2, None, None])], [0, 10, 2, 4])
    tree = grow(numbers, "stop")
    assert tree.nodes.gain[0] == close(12.5)
    assert predict(tree, numbers).tolist() == [0, 10, 4, 4]
    assert tree.nodes.stats.tolist() == [[4, 4, 56], [1, 0, 0], [1, 10, 0]]


def test_stop_below_the_root() -> None:
    """z is asked left of x; who lacks z there has the answer of that node."""
    columns = [number("x", [1, 1, 1, 1, 2, 2]), number("z", [1, 1, 1, 2, 1, 1])]
    tree = grow(build(columns, [0, 0, 0, 1, 1, 1], 2), "stop", max_depth=None)
    assert tree.path({"x": 1.0, "z": None}) == [0, 1]
    assert tree.predict_row({"x": 1.0, "z": None}) == A
    assert tree.predict({"x": [1.0], "z": [None]}).tolist() == [A]


@pytest.mark.parametrize("missing", ["stop", "fractional"])
def test_an_unknown_level_travels_like_a_missing_cell(missing: str) -> None:
    tree = grow(weather(), missing, categories="branches")
    one, other = (tree.predict_proba({"o": [cell]}) for cell in (None, "snow"))
    assert one.tobytes() == other.tobytes()
    assert tree.predict_row({"o": "snow"}) == tree.predict_row({"o": None}) == A
