"""Growing that feels what asking costs (docs/costs.md), judged by tests/reference.py."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
import reference as ref
from bough.data.table import Table
from bough.growing import grow_table
from bough.prices import TestCosts
from bough.recipes import options_for
from bough.store import dumps, loads
from bough.tree import Tree
from tables import (
    WEIGHTS,
    big_table,
    build,
    levelled,
    number,
    plain_cart,
    random_table,
    shown,
    tables,
)
from test_core_against_reference import CRITERIA, check, options_at, random_limits, task_of

RULES = ["norton", "tan", "nunez"]


def costs_of(
    cost: list[float], group: list[int] | None = None, shared: list[float] | None = None
) -> TestCosts:
    groups = [-1] * len(cost) if group is None else group
    return TestCosts(
        np.array(cost, float), np.array(groups, np.int32), np.array(shared or [], float)
    )


def random_costs(random: Random, columns: int) -> TestCosts:
    """Many are equal, some are free, some bought together; so ties and zeros are common."""
    some = random.choice([[0.0, 1.0, 3.0], [1.0], [0.25, 17.6, 1000.0], [0.0]])
    shared = [random.choice([0.0, 2.0, 5.5]) for _ in range(2)]
    group = [random.choice([-1, 0, 0, 1]) for _ in range(columns)]
    return costs_of([random.choice(some) for _ in range(columns)], group, shared)


# ---- the judge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_random_tables(criterion: str, rule: str) -> None:
    """Every kind, weights, missing cells, limits: node by node the split the judge chooses."""
    splits = priced = 0
    for seed in range(80):
        random = Random(f"{criterion} {rule} {seed}")
        table = random_table(random, task_of(criterion), weights=random.choice(list(WEIGHTS)))
        given = random_limits(random, criterion) if seed % 2 else {}
        two_sides = criterion == "twoing"
        given["categories"] = "subset" if two_sides else random.choice(
            ["subset", "branches", "one_vs_rest"]
        )  # fmt: skip
        given["missing"] = "learned" if two_sides else random.choice(["learned", "own"])
        given |= {"criterion": criterion, "cost_rule": rule}
        options = plain_cart(task_of(criterion), given)
        costs = random_costs(random, len(table.schema.columns))
        tree = check(table, options, costs)
        splits += int((tree.nodes.n_children > 0).sum())
        priced += same_columns(tree, grow_table(table, options)) is False
    assert splits > 80 and priced > 2  # there was something to do, and costs changed trees


def same_columns(one: Tree, other: Tree) -> bool:
    return one.nodes.column.tolist() == other.nodes.column.tolist()


@settings(max_examples=250, deadline=None, derandomize=True)
@given(table=tables(), data=st.data())
def test_tables_that_shrink(table: Table, data: st.DataObject) -> None:
    """The same check on tables that hypothesis makes smaller when they fail."""
    columns = len(table.schema.columns)
    amounts = st.sampled_from([0.0, 1.0, 2.5, 1e-9, 1e12])
    costs = costs_of(
        data.draw(st.lists(amounts, min_size=columns, max_size=columns)),
        data.draw(st.lists(st.integers(-1, 0), min_size=columns, max_size=columns)),
        [data.draw(amounts)],
    )
    task = table.schema.target.task
    given = {"cost_rule": data.draw(st.sampled_from(RULES)), "criterion": "squared_error"}
    if task == "classification":
        given["criterion"] = data.draw(st.sampled_from(["entropy", "gini", "chi2", "gain_ratio"]))
    check(table, plain_cart(task, given), costs)


def check_by_ranking(tree: Tree, costs: TestCosts) -> int:
    """At every node no column the core looked at is ahead of the one it chose, by the figures the
    core gives and the judge's formulas; counts the nodes where another gained more."""
    runners, given_up = tree.runners_up, 0
    assert runners is not None
    criterion, rule = tree.options["criterion"], tree.options["cost_rule"]
    for node in np.flatnonzero(tree.nodes.n_children).tolist():
        scale = {
            "chi2": float(tree.nodes.weight[node]),
            **dict.fromkeys(["entropy", "gain_ratio", "twoing"], 1.0),
        }.get(criterion, float(tree.nodes.impurity[node]))
        here = options_at(tree, node, {"test_costs": costs})

        def weighed(column: int, gain: float) -> tuple[int, float]:
            return ref.weigh(rule, gain / scale, ref.price(here, column))  # noqa: B023

        own = float(tree.nodes.gain[node])
        rank, figure = weighed(int(tree.nodes.column[node]), own)
        span = slice(int(runners.at[node]), int(runners.at[node + 1]))
        for column, gain in zip(runners.column[span], runners.gain[span], strict=True):
            other_rank, other = weighed(int(column), float(gain))
            ahead = (other_rank, other * (1 - 2e-9)) > (rank, figure)
            assert not ahead or gain < -1e-12, (node, int(column), gain, other, figure)
            given_up += gain > own + 1e-6 * scale
    return given_up


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("missing", ["fractional", "surrogate", "stop", "mean", "drop_columns"])
def test_other_policies_for_missing_cells(missing: str, rule: str) -> None:
    given_up = 0
    for seed in range(60):
        random = Random(f"{missing} {rule} {seed}")
        criterion = random.choice(["entropy", "gini", "chi2", "squared_error", "error"])
        table = random_table(random, task_of(criterion), weights=random.choice(list(WEIGHTS)))
        given = {"criterion": criterion, "cost_rule": rule, "missing": missing, "runners_up": True}
        if missing == "drop_columns":
            given["missing_share"] = 0.5
        costs = random_costs(random, len(table.schema.columns))
        try:
            tree = grow_table(table, plain_cart(task_of(criterion), given), test_costs=costs)
        except bough.DataError as error:
            assert "leaves no column" in str(error)
            continue
        assert tree.test_costs is not None
        try:
            given_up += check_by_ranking(tree, tree.test_costs)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{given}\n{costs}\n{shown(table)}") from error
    assert given_up > 0


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("rule", RULES)
def test_large_nodes(task: Any, rule: str) -> None:
    """20,000 rows are searched by histograms first: each column's own best is found, and threads
    change nothing."""
    random = Random(f"{task} {rule}")
    table = big_table(random, task)
    costs = costs_of([4, 1, 2, 8, 1, 3], [0, -1, 0, -1, -1, -1], [2])
    given = {"cost_rule": rule, "max_depth": 6, "runners_up": True}
    grown = [
        grow_table(table, plain_cart(task, {**given, "threads": threads}), test_costs=costs)
        for threads in (1, 2, 4)
    ]
    assert check_by_ranking(grown[0], costs) > 0
    assert len({dumps(tree) for tree in grown}) == 1
    limited = plain_cart(task, {**given, "max_leaves": 20})
    check_by_ranking(grow_table(table, limited, test_costs=costs), costs)


# ---- what must hold of all costs -----------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_columns_that_are_all_free_are_compared_by_gain(rule: str) -> None:
    for seed in range(60):
        random = Random(f"free {rule} {seed}")
        table = random_table(random, weights=random.choice(list(WEIGHTS)))
        options = plain_cart("classification", {"cost_rule": rule})
        free = costs_of([0.0] * len(table.schema.columns))
        tree = grow_table(table, options, test_costs=free)
        assert same_columns(tree, grow_table(table, options))
        assert tree.asking_cost == 0.0


@pytest.mark.parametrize("rule", ["norton", "tan"])
def test_the_unit_of_costs_does_not_matter_to_norton_and_tan(rule: str) -> None:
    for seed in range(60):
        random = Random(f"unit {rule} {seed}")
        table = random_table(random)
        options = plain_cart("classification", {"cost_rule": rule})
        costs = random_costs(random, len(table.schema.columns))
        cents = TestCosts(costs.cost * 128, costs.group, costs.group_cost * 128)
        one = grow_table(table, options, test_costs=costs)
        assert same_columns(one, grow_table(table, options, test_costs=cents))


@pytest.mark.parametrize("rule", RULES)
def test_the_unit_of_the_target_does_not_matter(rule: str) -> None:
    for seed in range(40):
        random = Random(f"target {rule} {seed}")
        table = random_table(random, "regression")
        assert table.target is not None
        larger = build(
            list(zip(table.schema.columns, table.cells, strict=True)), (table.target * 64).tolist()
        )
        options = plain_cart("regression", {"cost_rule": rule})
        costs = random_costs(random, len(table.schema.columns))
        one = grow_table(table, options, test_costs=costs)
        assert same_columns(one, grow_table(larger, options, test_costs=costs))


def test_the_costs_are_saved_with_the_tree() -> None:
    for seed in range(20):
        random = Random(seed)
        table = random_table(random)
        costs = random_costs(random, len(table.schema.columns))
        tree = grow_table(table, plain_cart("classification", {}), test_costs=costs)
        back = loads(dumps(tree))
        assert back == tree and back.asking_cost == tree.asking_cost
        assert back != grow_table(table, plain_cart("classification", {}))


# ---- by hand -------------------------------------------------------------------------------------

# Eight rows, four of each class. Which is which:
#   full  tells all:     4 0 | 0 4                  gain 1 bit
#   most  errs once:     4 1 | 0 3                  gain 1 − 5/8 · H(4, 1) = 1 − 0.4512 = 0.5488
#   half  errs twice:    3 1 | 1 3                  gain 1 − H(3, 1) = 1 − 0.8113 = 0.1887
FULL = [0, 0, 0, 0, 1, 1, 1, 1]
MOST = [0, 0, 0, 0, 0, 1, 1, 1]
HALF = [0, 0, 0, 1, 0, 1, 1, 1]
HAND = build([number("full", FULL), number("most", MOST), number("half", HALF)], FULL, 2)


def root(costs: TestCosts, rule: str, **given: Any) -> str:
    options = {"criterion": "entropy", "cost_rule": rule, "max_depth": 1, **given}
    tree = grow_table(HAND, plain_cart("classification", options), test_costs=costs)
    return HAND.schema.names[int(tree.nodes.column[0])]


@pytest.mark.parametrize(
    ("rule", "cost", "chosen"),
    [
        # 1 / 10 = 0.1; 0.5488 / 5 = 0.1098; 0.1887 / 2 = 0.0944
        ("norton", [10, 5, 2], "most"),
        ("norton", [9, 5, 2], "full"),  # 0.1111
        ("norton", [10, 5, 1.5], "half"),  # 0.1258
        # 1 / 10 = 0.1; 0.3012 / 5 = 0.0602; 0.0356 / 2 = 0.0178
        ("tan", [10, 5, 2], "full"),
        ("tan", [17, 5, 2], "most"),  # 0.0588
        ("tan", [17, 5, 0.5], "half"),  # 0.0712
        # (2 − 1) / 11 = 0.0909; (2^0.5488 − 1) / 6 = 0.4629 / 6 = 0.0772; 0.1397 / 3 = 0.0466
        ("nunez", [10, 5, 2], "full"),
        ("nunez", [12, 5, 2], "most"),  # 0.0769
        ("nunez", [12, 5, 0.5], "half"),  # 0.1397 / 1.5 = 0.0931
        # What is free comes first where the rule divides by the cost, and by its gain elsewhere:
        # 0.1397 / 1 against 1 / 7 = 0.1429
        ("norton", [0.001, 5, 0], "half"),
        ("tan", [0.001, 5, 0], "half"),
        ("nunez", [6, 5, 0], "full"),
        ("nunez", [7, 5, 0], "half"),  # 1 / 8 = 0.125
    ],
)
def test_the_rules_by_hand(rule: str, cost: list[float], chosen: str) -> None:
    assert root(costs_of(cost), rule) == chosen


def test_other_criteria_are_weighed_as_a_share_of_their_scale() -> None:
    """Gini at the root 0.5: full drops all of it (1), most 0.3 (0.6), half 0.125 (0.25). nunez:
    1 / 11 = 0.0909 for full; (2^0.6 − 1) / 5 = 0.5157 / 5 = 0.1031 for most. By the plain drop full
    would have (2^0.5 − 1) / 11 = 0.0377 against (2^0.3 − 1) / 5 = 0.0462; with 12 and 7 the two
    readings part: 1 / 12 = 0.0833 and 0.5157 / 7 = 0.0737, but 0.0345 and 0.0330."""
    assert root(costs_of([10, 4, 9]), "nunez", criterion="gini") == "most"
    assert root(costs_of([11, 6, 9]), "nunez", criterion="gini") == "full"
    # χ² is 8 for full, 8 · 0.6 = 4.8 for most, of a weight of 8: the same shares, 1 and 0.6
    assert root(costs_of([10, 4, 9]), "nunez", criterion="chi2") == "most"
    assert root(costs_of([8, 4, 9]), "nunez", criterion="chi2") == "full"  # 0.1111


def test_a_cheap_column_that_gains_too_little_hides_no_other() -> None:
    """half is best for its price (0.1887 / 0.1), but min_gain asks for more: most is asked."""
    assert root(costs_of([100, 5, 0.1]), "norton") == "half"
    assert root(costs_of([100, 5, 0.1]), "norton", min_gain=0.3) == "most"
    assert root(costs_of([100, 5, 0.1]), "norton", min_drop=0.6) == "full"


def test_where_nothing_gains_the_cheapest_is_asked() -> None:
    """XOR: no column gains anything at the root."""
    columns = [number(name, values) for name, values in
               (("a", [0, 0, 1, 1]), ("b", [0, 1, 0, 1]), ("c", [0, 1, 1, 0]))]  # fmt: skip
    table = build(columns[:2], [0, 1, 1, 0], 2)
    options = plain_cart("classification", {"criterion": "entropy"})
    for rule in RULES:
        tree = grow_table(table, {**options, "cost_rule": rule}, test_costs=costs_of([2, 1]))
        assert table.schema.names[int(tree.nodes.column[0])] == "b"
        assert tree.asking_cost == 3.0 and tree.n_leaves == 4
        stopped = {**options, "cost_rule": rule, "zero_gain": "stop"}
        assert len(grow_table(table, stopped, test_costs=costs_of([2, 1]))) == 1


def test_a_column_is_paid_once_and_then_free() -> None:
    """y is 1 for x in the middle. At the root x gains more for its price; below it is free, so it
    is asked again although z would tell all there (0.5 bits at a price of 1 against free)."""
    x, y = [1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 0, 0]
    table = build([number("x", x), number("z", [0, 0, 1, 1, 0, 0])], y, 2)
    options = plain_cart("classification", {"criterion": "entropy", "cost_rule": "norton"})
    # z gains 0.9183 for 9: 0.102. x ≤ 2 gains 0.2516 for 2: 0.126.
    tree = grow_table(table, options, test_costs=costs_of([2, 9]))
    assert [c for c in tree.nodes.column.tolist() if c >= 0] == [0, 0]
    assert tree.asking_cost == 2.0
    # At 3 it is 0.084: z.
    assert grow_table(table, options, test_costs=costs_of([3, 9])).nodes.column[0] == 1


def test_what_is_bought_together_is_paid_once() -> None:
    """half and most are one blood sample of 4, each analysis 1: 5 at the root, 1 below."""
    costs = costs_of([30, 1, 1], [-1, 0, 0], [4])
    options = options_for(
        "classification",
        "cart",
        {"criterion": "entropy", "cost_rule": "norton", "runners_up": True},
    )
    tree = grow_table(HAND, options, test_costs=costs)
    asked = [(HAND.schema.names[int(c)], n) for n, c in enumerate(tree.nodes.column) if c >= 0]
    assert asked[0] == ("most", 0)  # 0.5488 / 5; full 1 / 30
    # Left are rows 0 to 4, classes 4 and 1; full tells all of H(4, 1) = 0.7219 for 30: 0.0241;
    # half leaves rows 0 1 2 4 | 3: gain 0.7219 − 4/5 · H(3, 1) = 0.0729, for 1: 0.0729
    assert [name for name, _ in asked] == ["most", "half", "full"]
    (left, *others) = tree.ranking(asked[1][1])
    assert (left.column, left.price) == ("half", 1.0)
    assert left.gain == pytest.approx(0.0729, abs=5e-5) and left.weighed == left.gain
    (other,) = others
    assert (other.column, other.price) == ("full", 30.0)
    assert other.weighed == pytest.approx(0.7219 / 30, abs=5e-6)
    # Three rows pay 5; of the five others one ends after half (6), four are asked for full (36).
    assert tree.asking_cost == pytest.approx((3 * 5 + 6 + 4 * 36) / 8)


def test_the_ranking_shows_both_figures() -> None:
    given = {"criterion": "entropy", "cost_rule": "tan", "runners_up": True}
    tree = grow_table(HAND, plain_cart("classification", given), test_costs=costs_of([17, 5, 0]))
    by_column = {ranked.column: ranked for ranked in tree.ranking(0)}
    assert list(by_column) == ["half", "most", "full"]
    assert by_column["half"].weighed == math.inf and by_column["half"].price == 0.0
    assert by_column["most"].weighed == pytest.approx(0.5488**2 / 5, abs=1e-5)
    assert (by_column["full"].gain, by_column["full"].weighed) == (1.0, pytest.approx(1 / 17))
    plain = grow_table(HAND, plain_cart("classification", {"runners_up": True}))
    assert [ranked.weighed for ranked in plain.ranking(0)] == [None] * 3
    assert plain.ranking(1) == []
    with pytest.raises(bough.OptionError, match="runners_up=True"):
        grow_table(HAND, plain_cart("classification", {})).ranking(0)


def test_levels_and_limits() -> None:
    """A category column and best-first growth: the leaf that wins most is split first, whatever
    its question costs; costs only say which question a leaf asks."""
    table = build(
        [levelled("c", "category", 3, [0, 0, 1, 1, 2, 2]), number("x", [1, 2, 3, 4, 5, 6])],
        [0, 0, 1, 1, 2, 2],
        3,
    )
    for leaves in (1, 2, 3):
        options = plain_cart("classification", {"max_leaves": leaves, "cost_rule": "tan"})
        tree = check(table, options, costs_of([1, 3]))
        assert tree.n_leaves == leaves
        assert set(tree.nodes.column.tolist()) <= {-1, 0}
