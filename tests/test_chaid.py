"""The recipe chaid against numbers worked out by hand.

χ² of a table of two groups (a, b) and (c, d) is n·(ad − bc)² / (row sums · column sums). With one
degree of freedom p = erfc √(χ²/2); with two p = e^(−χ²/2).
"""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
import reference as ref
from bough import datasets
from bough.data.table import Table
from bough.errors import OptionError
from bough.growing import grow_table
from bough.predict import apply_table
from bough.recipes import options_for
from bough.tree import Tree
from tables import build, levelled, number
from test_core_against_reference import check


def p_of_two(a: float, b: float, c: float, d: float) -> float:
    """p of the χ² of two groups and two classes."""
    chi2 = (a + b + c + d) * (a * d - b * c) ** 2 / ((a + b) * (c + d) * (a + c) * (b + d))
    return math.erfc(math.sqrt(chi2 / 2))


def rows_of(*counts: tuple[int, int]) -> tuple[list[int], list[int]]:
    """Codes and classes of a column whose level i has counts[i] rows of each of two classes."""
    cells = [
        (level, c) for level, pair in enumerate(counts) for c in (0, 1) for _ in range(pair[c])
    ]
    return [level for level, _ in cells], [c for _, c in cells]


def one_column(kind: str, *counts: tuple[int, int], missing: int = 0, n_levels: int = 0) -> Table:
    """A column of these levels; the last `missing` of them are missing cells."""
    codes, classes = rows_of(*counts)
    known = len(counts) - missing
    cells = [None if code >= known else code for code in codes]
    return build([levelled("c", kind, n_levels or known, cells)], classes, 2)


def chaid(table: Table, **given: Any) -> Tree:
    options = {"min_rows_leaf": 1, "max_adjusted_p": None, "max_depth": 1, **given}
    return grow_table(table, options_for(table.schema.target.task, "chaid", options))


def children(tree: Tree, node: int = 0) -> list[list[str]]:
    """The levels of every child, and "missing" where missing cells of training went."""
    split = tree.split(node)
    assert split is not None
    n = len(tree.children(node))
    found = [[name[1:] for name in split.levels_of(child)] for child in range(n)]
    if split.missing_rows:
        found[split.missing_to].append("missing")
    return found


def adjusted_p(tree: Tree, node: int = 0) -> float:
    return float(10 ** -tree.nodes.gain[node])


# ---- merging -------------------------------------------------------------------------------------


def test_levels_that_do_not_differ_go_together() -> None:
    """8:2, 7:3 and 2:8. The first two: 20·(8·3 − 2·7)²/(10·10·15·5) = 0.2667, p = 0.606 > 0.05:
    together 15:5. Against 2:8: 30·(15·8 − 5·2)²/(20·10·17·13) = 8.213, p = 0.00416. Three levels
    make two groups in 3 ways: adjusted 0.0125."""
    tree = chaid(one_column("category", (8, 2), (7, 3), (2, 8)))
    assert children(tree) == [["00", "01"], ["02"]]
    assert tree.nodes.p_value[0] == pytest.approx(p_of_two(15, 5, 2, 8))
    assert tree.nodes.p_value[0] == pytest.approx(0.00416, abs=1e-5)
    assert adjusted_p(tree) == pytest.approx(3 * p_of_two(15, 5, 2, 8))


def test_an_ordered_column_has_fewer_ways() -> None:
    """Two groups of three neighbours: C(2, 1) = 2 ways."""
    tree = chaid(one_column("ordered", (8, 2), (7, 3), (2, 8)))
    assert children(tree) == [["00", "01"], ["02"]]
    assert adjusted_p(tree) == pytest.approx(2 * p_of_two(15, 5, 2, 8))


def test_only_neighbours_of_an_ordered_column_go_together() -> None:
    """8:2, 2:8, 8:2. First and last are the same; in a row they are no neighbours."""
    counts = ((8, 2), (2, 8), (8, 2))
    assert children(chaid(one_column("category", *counts))) == [["00", "02"], ["01"]]
    assert children(chaid(one_column("ordered", *counts))) == [["00"], ["01"], ["02"]]


def test_missing_cells_may_join_any_level() -> None:
    """8:2, 2:8, and 1:7 of missing cells. Ordered, floating: of the pairs (0, 1) p = 0.007,
    (0, missing) 0.0044, (1, missing) 0.671, so missing cells join level 1: 3:15 against 8:2.
    Ways: C(1, 0) + 2·C(1, 1) = 3; for a category column S(3, 2) = 3, too."""
    for kind in ("ordered", "category"):
        tree = chaid(one_column(kind, (8, 2), (2, 8), (1, 7), missing=1))
        assert children(tree) == [["00"], ["01", "missing"]]
        assert adjusted_p(tree) == pytest.approx(3 * p_of_two(8, 2, 3, 15))


def test_four_levels_three_of_them_alike() -> None:
    """9:1, 2:8, 8:2, 9:1. First (0, 3): the same, p = 1 → 18:2. Then (0 3, 2): 30·(18·2 − 2·8)² /
    (20·10·26·4) = 0.577, p = 0.447 → 26:4. Against 2:8, S(4, 2) = 7 ways."""
    tree = chaid(one_column("category", (9, 1), (2, 8), (8, 2), (9, 1)))
    assert children(tree) == [["00", "02", "03"], ["01"]]
    assert adjusted_p(tree) == pytest.approx(7 * p_of_two(26, 4, 2, 8))


def test_two_are_left_however_alike() -> None:
    """5:5 and 6:6 do not differ at all; they stay, and p = 1 says so."""
    tree = chaid(one_column("category", (5, 5), (6, 6)))
    assert children(tree) == [["00"], ["01"]]
    assert tree.nodes.gain[0] == 0 and adjusted_p(tree) == 1


def test_merge_p_is_where_levels_differ() -> None:
    """p of 8:2 and 7:3 is 0.606."""
    counts = ((8, 2), (7, 3), (2, 8))
    together, apart = [["00", "01"], ["02"]], [["00"], ["01"], ["02"]]
    assert children(chaid(one_column("category", *counts), merge_p=0.6)) == together
    assert children(chaid(one_column("category", *counts), merge_p=0.61)) == apart
    assert children(chaid(one_column("category", *counts), merge_p=1)) == apart
    assert children(chaid(one_column("category", *counts), merge_p=0)) == together


def test_equally_alike_levels_go_together_from_the_first() -> None:
    """Three levels of 4:4 have p = 1 in pairs; the first two go together first, then the third."""
    tree = chaid(one_column("category", (4, 4), (4, 4), (1, 9), (4, 4)), merge_p=0.9)
    assert children(tree) == [["00", "01", "03"], ["02"]]


def test_groups_of_few_rows_join_the_one_they_differ_least_from() -> None:
    """20:0, 0:20 and 1:2 (3 rows of at least 4): p is 0.0001 against the first, 0.0083 against the
    second."""
    counts = ((20, 0), (0, 20), (1, 2))
    assert p_of_two(20, 0, 1, 2) < p_of_two(0, 20, 1, 2) < 0.05
    tree = chaid(one_column("category", *counts), min_rows_leaf=4)
    assert children(tree) == [["00"], ["01", "02"]]
    assert len(chaid(one_column("category", *counts), min_rows_leaf=22)) == 1


def test_a_level_no_row_has_goes_with_the_one_below() -> None:
    """Levels 1, 3 and 4 of 0 … 5; as a category column they travel like missing cells."""
    codes, classes = rows_of((9, 1), (1, 9), (2, 8))
    cells = [(1, 3, 4)[code] for code in codes]
    ordered = chaid(build([levelled("c", "ordered", 6, cells)], classes, 2))
    assert children(ordered) == [["00", "01", "02"], ["03", "04", "05"]]
    free = chaid(build([levelled("c", "category", 6, cells)], classes, 2))
    assert children(free) == [["01"], ["03", "04"]]
    assert free.nodes.unseen_to[0] == -1 and free.nodes.missing_to[0] == 1  # the heavier


def test_weights_are_counts() -> None:
    """A weight of 10 is ten rows: 8:2 and 7:3 differ (p = 0.1) once there are 100 of each."""
    codes, classes = rows_of((8, 2), (7, 3), (2, 8))
    table = build([levelled("c", "category", 3, codes)], classes, 2, [10.0] * 30)
    assert p_of_two(80, 20, 70, 30) == pytest.approx(0.1025, abs=1e-4)
    assert children(chaid(table, merge_p=0.2)) == [["00"], ["01"], ["02"]]
    light = build([levelled("c", "category", 3, codes)], classes, 2, [0.1] * 30)
    assert children(chaid(light)) == [["00", "01"], ["02"]]
    assert light.weights is not None and chaid(light).nodes.p_value[0] == pytest.approx(
        p_of_two(1.5, 0.5, 0.2, 0.8)
    )


# ---- the multiplier and the stop -----------------------------------------------------------------


@pytest.mark.parametrize("levels", range(2, 8))
def test_ways_are_counted_one_by_one(levels: int) -> None:
    """Every way to give the levels numbers, those that only rename groups taken as one."""
    free: dict[int, set[Any]] = {}
    for numbers in product(range(levels), repeat=levels):
        groups = frozenset(
            frozenset(at for at in range(levels) if numbers[at] == n) for n in set(numbers)
        )
        free.setdefault(len(groups), set()).add(groups)

    def in_order(groups: Any, last: int) -> bool:
        inside = [sorted(at for at in group if at < last) for group in groups]
        return all(not group or group[-1] - group[0] + 1 == len(group) for group in inside)

    for r in range(2, levels + 1):
        assert len(free[r]) == ref.ways_free(levels, r)
        ordered = [groups for groups in free[r] if in_order(groups, levels)]
        assert len(ordered) == math.comb(levels - 1, r - 1)
        floating = [groups for groups in free[r] if in_order(groups, levels - 1)]
        assert len(floating) == ref.ways_floating(levels, r)


def test_a_number_column_counts_its_cuts() -> None:
    """1 … 10, the class changes after 4: five cuts would do as well as none; nine were tried, p of
    4:0 against 0:6 is erfc √5 = 0.00157, times 9 is 0.0141."""
    table = build([number("x", list(range(1, 11)))], [0] * 4 + [1] * 6, 2)
    tree = chaid(table)
    assert tree.nodes.threshold[0] == 4.5
    assert adjusted_p(tree) == pytest.approx(9 * math.erfc(math.sqrt(5)))


@pytest.mark.parametrize(("policy", "ways"), [("own", 10), ("learned", 19)])
def test_missing_cells_of_a_number_column(policy: str, ways: int) -> None:
    """Nine cuts and known | missing; where missing cells may join either side each cut counts
    twice. Own: three children, 4:0, 0:6 and 2:2; 6/14 and 8/14 of each are expected, so
    χ² = 5.333 + 4.5 + 0.083 = 9.917 with two degrees of freedom: p = e^(−χ²/2)."""
    cells = [*range(1, 11), None, None, None, None]
    table = build([number("x", cells)], [0] * 4 + [1] * 6 + [0, 0, 1, 1], 2)
    tree = chaid(table, missing=policy)
    p = float(tree.nodes.p_value[0])
    assert adjusted_p(tree) == pytest.approx(ways * p)
    if policy == "own":
        assert p == pytest.approx(math.exp(-(16 / 3 + 9 / 2 + 1 / 12) / 2))


def test_the_least_adjusted_p_wins_not_the_largest_chi2() -> None:
    """Column a has ten levels and parts the classes better; 511 ways to make two groups of ten make
    its p larger than that of the yes/no column b."""
    a = [*range(10)] * 4
    y = [int(code >= 5) for code in a]
    y[0] = 1
    b = [int(code >= 5) for code in a]
    for at in (5, 16, 27, 30):
        b[at] = 1 - b[at]
    table = build([levelled("a", "category", 10, a), levelled("b", "category", 2, b)], y, 2)
    by_chi2 = grow_table(
        table, options_for("classification", "cart", {"criterion": "chi2", "max_depth": 1})
    )
    assert by_chi2.nodes.column[0] == 0
    assert chaid(table).nodes.column[0] == 1


def test_growing_stops_where_nothing_is_significant() -> None:
    """The adjusted p of 8:2, 7:3 | 2:8 is 0.01248."""
    table = one_column("category", (8, 2), (7, 3), (2, 8))
    assert len(chaid(table, max_adjusted_p=0.013)) == 3
    assert len(chaid(table, max_adjusted_p=0.012)) == 1
    assert len(chaid(table, max_adjusted_p=0.0)) == 1


def test_p_too_small_for_a_float_still_ranks() -> None:
    """100,000 rows: p of either column is below 10⁻³⁰⁸, and the better one is asked."""
    n = 100_000
    y = np.arange(n) % 2
    good, better = y.copy(), y.copy()
    good[: n // 10], better[: n // 20] = 0, 0
    columns = [levelled("good", "category", 2, good.tolist()),
               levelled("better", "category", 2, better.tolist())]  # fmt: skip
    tree = chaid(build(columns, y.tolist(), 2))
    assert tree.nodes.column[0] == 1 and tree.nodes.p_value[0] == 0
    assert 10_000 < tree.nodes.gain[0] < math.inf


# ---- known tables --------------------------------------------------------------------------------


def test_restaurant() -> None:
    """Patrons: None 2:0, Some 0:4, Full 4:2 (No:Yes). None and Full: 8·(2·2 − 0·4)²/(2·6·6·2) =
    0.89, p = 0.35: together 6:2. Against Some: 12·(6·4)²/(8·4·6·6) = 6, p = 0.0143, 3 ways: 0.0429.
    In order None < Some < Full all three differ: χ² = 6.67, 2 degrees of freedom, p = e^(−3.33) =
    0.0357, one way. Below, 6:2 has nothing significant."""
    restaurant = datasets.path("restaurant")
    tree = bough.grow(restaurant, "WillWait", recipe="chaid", min_rows_leaf=1)
    assert tree.n_leaves == 2 and str(tree.split(0).ask(0)) == "Pat in {Full, None}"  # type: ignore[union-attr]
    assert adjusted_p(tree) == pytest.approx(3 * p_of_two(6, 2, 0, 4))
    assert adjusted_p(tree) == pytest.approx(0.0429, abs=1e-4)
    order = {"Pat": ["None", "Some", "Full"]}
    tree = bough.grow(restaurant, "WillWait", recipe="chaid", min_rows_leaf=1, ordered=order)
    assert tree.n_leaves == 3
    assert adjusted_p(tree) == pytest.approx(math.exp(-20 / 6))


def test_titanic() -> None:
    """Died:lived. Sex: female 81:233, male 468:109, one way. Embarked: C 75:93, Q 47:30, S 427:217,
    missing 0:2. Q and S: p = 0.357, together 474:247; C and missing: p = 0.206; then C (with
    missing) 75:95 and Q, S differ. The women by class as an ordered column: first 3:91, second
    6:70, third 72:72: the first two do not differ (p = 0.17), so 9:161 against 72:72, 2 ways."""
    classes = {"Pclass": ["1", "2", "3"]}
    tree = bough.grow(datasets.path("titanic"), "Survived", recipe="chaid", ordered=classes)
    assert str(tree.split(0).ask(0)) == "Sex = female"  # type: ignore[union-attr]
    chi2 = 891 * (81 * 109 - 233 * 468) ** 2 / (314 * 577 * 549 * 342)
    tail = math.erfc(math.sqrt(chi2 / 2))
    assert adjusted_p(tree) == pytest.approx(tail, rel=1e-9) and 1e-60 < tail < 1e-57
    assert p_of_two(3, 91, 6, 70) == pytest.approx(0.173, abs=0.001)
    assert [str(tree.split(1).ask(child)) for child in (0, 1)] == ["Pclass ≤ 2", "Pclass = 3"]  # type: ignore[union-attr]
    assert adjusted_p(tree, 1) == pytest.approx(2 * p_of_two(9, 161, 72, 72), rel=1e-9)
    port, fate = _ports()
    by_port = bough.grow(
        {"Embarked": port, "Survived": fate},
        "Survived", recipe="chaid", min_rows_leaf=1,
    )  # fmt: skip
    assert children_of_port(by_port) == [["C", "missing"], ["Q", "S"]]
    assert adjusted_p(by_port) == pytest.approx(7 * p_of_two(75, 95, 474, 247), rel=1e-9)


def _ports() -> tuple[list[str | None], list[str]]:
    counts = {"C": (75, 93), "Q": (47, 30), "S": (427, 217), None: (0, 2)}
    port = [name for name, pair in counts.items() for _ in range(sum(pair))]
    fate = [
        "died" if at < pair[0] else "lived" for pair in counts.values() for at in range(sum(pair))
    ]
    return port, fate


def children_of_port(tree: Tree) -> list[list[str]]:
    split = tree.split(0)
    assert split is not None
    found = [split.levels_of(child) for child in range(2)]  # type: ignore[union-attr]
    found[split.missing_to].append("missing")
    return found


# ---- many levels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["category", "ordered"])
@pytest.mark.parametrize("missing", [False, True])
def test_more_than_128_levels_as_the_judge_says(kind: str, missing: bool) -> None:
    random = Random(f"{kind} {missing}")
    levels, n = 160, 1200
    codes: list[int | None] = [
        *range(levels),
        *(random.randrange(levels) for _ in range(n - levels)),
    ]
    y = [int(random.random() < (0.2, 0.5, 0.9)[code % 3 if kind == "category" else code // 60])
         for code in codes if code is not None]  # fmt: skip
    if missing:
        codes = [None if random.random() < 0.1 else code for code in codes]
    table = build([levelled("c", kind, levels, codes)], y, 2)
    tree = check(
        table, options_for("classification", "chaid", {"max_depth": 1, "max_adjusted_p": None})
    )
    assert 2 <= len(tree.children(0)) <= 12
    assert any("more than 128 levels" in note for note in tree.report["notes"])


def test_more_than_128_levels_and_three_classes() -> None:
    """The judge does not know the order of the first principal component; the tree is sound, finds
    the three kinds of levels, and is the same for any order of rows."""
    random = Random(4)
    levels, n = 400, 6000
    codes = [random.randrange(levels) for _ in range(n)]
    y = [code % 3 if random.random() < 0.8 else random.randrange(3) for code in codes]
    table = build([levelled("c", "category", levels, codes)], y, 3)
    options = options_for("classification", "chaid", {"max_depth": 1})
    tree = grow_table(table, options)
    assert 3 <= len(tree.children(0)) <= 20 and tree.nodes.gain[0] > 100
    leaf = apply_table(tree, table)
    assert np.mean(tree.nodes.stats[leaf].argmax(axis=1) == np.array(y)) > 0.8
    other = grow_table(table.take(np.array(random.sample(range(n), n))), options)
    assert tree == other


def test_a_hundred_thousand_levels_end() -> None:
    """One row each, more levels than branches can have: bounded, and nothing is significant."""
    n = 100_000
    y = [code % 2 for code in range(n)]
    tree = grow_table(
        build([levelled("c", "category", n, list(range(n)))], y, 2),
        options_for("classification", "chaid", {}),
    )
    assert len(tree) == 1


# ---- refused -------------------------------------------------------------------------------------


def test_regression_is_refused_kindly() -> None:
    with pytest.raises(OptionError) as caught:
        bough.grow({"a": [1, 2, 3, 4], "y": [0.5, 1.5, 2.5, 9.5]}, "y", recipe="chaid")
    assert str(caught.value).startswith('The recipe "chaid" does not grow regression trees.')
