"""The fast core against the judge, on thousands of small tables.

At every node of the core's tree the judge looks at the very rows that reach it, lists every legal
split and says which one docs/splits.md chooses; the core must have chosen that one, and written
down its gain, its children and where missing cells go. So two trees agree whole when every node
does, and a difference is reported where it starts. Only where equally good partings of a category
column have no order on that page (more than two classes) may the core take any of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference as ref
from bough.data.schema import MISSING, UNSEEN
from bough.data.table import Table
from bough.growing import grow_table
from bough.predict import apply_table
from bough.prices import TestCosts
from bough.recipes import RECIPES, options_for
from bough.tree import SPLIT_KINDS, Tree
from reference import Candidate, Rows, Sample
from tables import WEIGHTS, build, levelled, number, random_table, shown, tables

CRITERIA = [
    "entropy", "gain_ratio", "gini", "twoing", "error", "chi2", "significance", "squared_error",
]  # fmt: skip
CATEGORIES = ["subset", "branches", "one_vs_rest", "merged"]
TABLES_EACH = 50


# ---- the tables and the options ----------------------------------------------------------------


def often(random: Random, usual: Any, *others: Any) -> Any:
    return usual if random.random() < 0.65 else random.choice(others)


def random_limits(random: Random, criterion: str) -> dict[str, Any]:
    """Numbers such as 0.0371 are never met exactly, so rounding cannot decide."""
    limits = {
        "max_depth": often(random, None, 0, 1, 2, 3),
        "max_leaves": often(random, None, 1, 2, 3, 4, 6),
        "min_rows_split": often(random, 2, 3, 5, 0.25),
        "min_rows_leaf": often(random, 1, 2, 3, 0.15),
        "min_gain": often(random, 0.0, 0.0371, 0.171),
        "min_drop": often(random, 0.0, 0.0123),
        "zero_gain": often(random, "split", "stop"),
        "empty_branch": often(random, "parent", "unknown"),
        "equality": random.choice(["<=", "<"]),
        "threshold": random.choice(["midpoint", "observed", "short"]),
        "ratio_among": random.choice(["average", "all"]),
        "runners_up": random.random() < 0.3,
        "threads": random.choice([1, 2]),
    }
    if criterion == "significance":
        limits["max_adjusted_p"] = often(random, None, 0.0507, 0.31)
    limits["merge_p"] = often(random, 0.05, 0.0, 0.307, 0.9, 1.0)
    if criterion == "squared_error":
        limits["stop_error"] = often(random, 0.0, 0.3337)
    return limits


def task_of(criterion: str) -> Any:
    return "regression" if criterion == "squared_error" else "classification"


# ---- what the core may choose ------------------------------------------------------------------


def searched(table: Table, options: dict[str, Any]) -> dict[str, Any]:
    """Two classes and regression: the page promises the cuts of the ordered groups, in order."""
    cuts = len(table.schema.target.classes) in (0, 2)
    return {**options, "subsets": "cuts" if cuts else "all"}


def acceptable(sample: Sample, rows: Rows, options: dict[str, Any]) -> list[Candidate]:
    """The chosen split; several where partings of a category column tie."""
    open_order = options["subsets"] == "all"
    columns = [
        found if open_order and found[0].kind == "subset" else found[:1]
        for found in ref.finalists(sample, rows, options)
    ]
    least = [min(found, key=lambda candidate: candidate.gain) for found in columns]
    ahead = partial(ref.is_ahead, sample, rows, options)
    return [
        candidate
        for at, found in enumerate(columns)
        for candidate in found
        if all(ahead(candidate, other) for other in least[:at])
        and not any(ahead(other, candidate) for other in least[at + 1 :])
    ]


# ---- checking one tree -------------------------------------------------------------------------


def check(table: Table, options: dict[str, Any], test_costs: TestCosts | None = None) -> Tree:
    tree = grow_table(table, options, test_costs=test_costs)
    judged = {**searched(table, options), "test_costs": test_costs}
    try:
        check_arrays(tree)
        rows_of = check_routes(table, tree)
        check_nodes(table, tree, rows_of, judged)
        check_strangers(table, tree)
        check_ties(table, tree, rows_of, judged)
        if options["max_leaves"] is not None:
            check_leaves(table, tree, rows_of, judged)
        if options["runners_up"]:
            check_runners_up(table, tree, rows_of, judged)
    except AssertionError as error:
        raise AssertionError(
            f"{error}\n\noptions: {options}\ntest costs: {test_costs}\n{shown(table)}"
        ) from error
    return tree


def options_at(tree: Tree, node: int, options: dict[str, Any]) -> dict[str, Any]:
    """The options, and what the path to this node has asked for."""
    asked = []
    while node > 0:
        node = int(tree.nodes.parent[node])
        asked.append(int(tree.nodes.column[node]))
    return {**options, "asked": asked}


def check_arrays(tree: Tree) -> None:
    """Level by level, children next to each other, a leaf with nothing a split has."""
    nodes, next_child = tree.nodes, 1
    assert nodes.parent[0] == -1
    for node in range(len(nodes)):
        n = int(nodes.n_children[node])
        is_leaf = SPLIT_KINDS[int(nodes.split_kind[node])] == "leaf"
        assert is_leaf == (n == 0) == (tree.split(node) is None), node
        if is_leaf:
            nothing = (nodes.first_child[node], nodes.column[node], nodes.missing_to[node])
            assert nothing == (-1, -1, -1) and nodes.gain[node] == 0, node
            assert math.isnan(nodes.threshold[node]) and math.isnan(nodes.p_value[node]), node
            continue
        assert nodes.first_child[node] == next_child, node
        assert (nodes.parent[next_child : next_child + n] == node).all(), node
        assert 0 <= nodes.missing_to[node] < n and nodes.gain[node] >= -1e-12, node
        next_child += n
    assert next_child == len(nodes)


def shown_cell(table: Table, column: int, row: int) -> Any:
    """A cell as people write it: a number, the name of a level, None when missing."""
    cell = table.cells[column][row]
    known = table.schema.columns[column]
    if known.kind == "number":
        return None if math.isnan(cell) else float(cell)
    if cell == MISSING:
        return None
    return "a level never seen" if cell == UNSEEN else known.levels[cell]


def routed(table: Table, tree: Tree, row: int) -> Iterator[int]:
    """The nodes a row passes, by the Python `route`, the leaf last."""
    node = 0
    while True:
        yield node
        split = tree.split(node)
        if split is None:
            return
        child = split.route(shown_cell(table, int(tree.nodes.column[node]), row))
        assert 0 <= child < tree.nodes.n_children[node], (node, row, child)
        node = int(tree.nodes.first_child[node]) + child


def check_routes(table: Table, tree: Tree) -> list[Rows]:
    """The core's `apply` and the Python `route` agree; the training rows of every node."""
    leaves = apply_table(tree, table)
    reach: list[list[int]] = [[] for _ in range(len(tree.nodes))]
    for row in range(table.n_rows):
        path = list(routed(table, tree, row))
        assert leaves[row] == path[-1], f"row {row}: apply {leaves[row]}, route {path}"
        for node in path if table.weights is None or table.weights[row] > 0 else ():
            reach[node].append(row)
    return [tuple(rows) for rows in reach]


def check_strangers(table: Table, tree: Tree) -> None:
    """Rows the tree has not seen: the thresholds themselves, missing cells, unknown levels."""
    random, n = Random(len(tree.nodes)), 12
    edges = [float(t) for t in tree.nodes.threshold if math.isfinite(t)]
    numbers = [*edges, *(math.nextafter(edge, math.inf) for edge in edges), math.nan, 0.0, 1e12]
    cells = []
    for column in table.schema.columns:
        codes = [MISSING, UNSEEN, *range(len(column.levels))]
        pool, dtype = (numbers, "f8") if column.kind == "number" else (codes, "i4")
        cells.append(np.array([random.choice(pool) for _ in range(n)], dtype=dtype))
    new = Table(table.schema, tuple(cells))
    leaves = apply_table(tree, new)
    for row in range(n):
        assert leaves[row] == list(routed(new, tree, row))[-1], [c[row] for c in cells]


def check_nodes(table: Table, tree: Tree, rows_of: list[Rows], options: dict[str, Any]) -> None:
    sample = ref.read(table)
    twin: list[ref.Node] = []
    for node in range(len(tree.nodes)):
        parent = int(tree.nodes.parent[node])
        above = twin[parent] if parent >= 0 else None
        twin.append(ref.Node(rows_of[node], above.depth + 1 if above else 0, above))
        check_numbers(sample, tree, node, rows_of[node], options)
        check_answer(sample, tree, node, twin[node], options)
        first, n = int(tree.nodes.first_child[node]), int(tree.nodes.n_children[node])
        here = options_at(tree, node, options)
        check_choice(sample, tree, node, twin[node], rows_of[first : first + n], here)


def check_numbers(
    sample: Sample, tree: Tree, node: int, rows: Rows, options: dict[str, Any]
) -> None:
    nodes, stats = tree.nodes, sample.stats(rows)
    assert nodes.rows[node] == len(rows), node
    weight = float(sample.weight(rows) * sample.weight_unit)
    tiny = 1e-12 * float(sample.weight(sample.rows) * sample.weight_unit)
    assert nodes.weight[node] == pytest.approx(weight, rel=1e-12, abs=tiny), node
    if not rows:
        return
    criterion = options["criterion"]
    inside, at_root = sample.impurity(criterion, rows), sample.impurity(criterion, sample.rows)
    off = 1e-12 * at_root * sample.weight(sample.rows) / sample.weight(rows)
    if not sample.classes:  # deviations are taken from a mean that is a float
        off += math.ulp(float(stats[1] * sample.target_unit / stats[0])) ** 2
    assert nodes.impurity[node] == pytest.approx(inside, rel=1e-9, abs=off), node
    if sample.classes:
        expected = [float(part * sample.weight_unit) for part in stats]
        assert nodes.stats[node].tolist() == pytest.approx(expected, rel=1e-12, abs=tiny), node
    else:
        mean = float(stats[1] * sample.target_unit / stats[0])
        assert nodes.stats[node][:2].tolist() == pytest.approx([weight, mean], rel=1e-12), node
        squares = pytest.approx(weight * inside, rel=1e-9, abs=weight * off)
        assert nodes.stats[node][2] == squares, node


def check_answer(
    sample: Sample, tree: Tree, node: int, twin: ref.Node, options: dict[str, Any]
) -> None:
    expected = ref.answer(sample, twin, options)
    if expected is None:
        assert tree.answers[node] == -1 if sample.classes else math.isnan(tree.answers[node])
    elif not sample.classes:
        assert tree.answers[node] == pytest.approx(expected, rel=1e-12), (node, twin.rows)
    elif tree.answers[node] != expected:
        # the sums of weights such as 0.1 + 0.2 and 0.3 differ, but only by their rounding
        assert is_near_tie(sample, twin, int(tree.answers[node]), int(expected)), (node, twin.rows)


def is_near_tie(sample: Sample, node: ref.Node, given: int, expected: int) -> bool:
    """The two classes weigh the same at the node or above but for rounding, and not exactly."""
    at: ref.Node | None = node
    while at is not None:
        stats = sample.stats(at.rows)
        if stats[given] != stats[expected]:
            return abs(stats[given] - stats[expected]) <= 1e-14 * sample.weight(sample.rows)
        at = at.parent
    return False


def check_choice(
    sample: Sample,
    tree: Tree,
    node: int,
    twin: ref.Node,
    children: list[Rows],
    options: dict[str, Any],
) -> None:
    decided = ref.decide(sample, twin.rows, twin.depth, options) if twin.rows else None
    if not children:
        assert decided is None or options["max_leaves"], f"node {node} is a leaf: {decided}"
        return
    assert decided is not None, f"node {node} should be a leaf: {children}"
    allowed = acceptable(sample, twin.rows, options)
    same = [c for c in allowed if is_same(sample, tree, node, children, c)]
    assert same, f"node {node}: core {tree.split(node)} {children}, reference {decided}"
    check_split(sample, tree, node, twin.rows, same[0], options)
    check_best_of_all(sample, tree, node, twin.rows, options)


def check_best_of_all(
    sample: Sample, tree: Tree, node: int, rows: Rows, options: dict[str, Any]
) -> None:
    """The best cut is the best of all partings, where the page says so. C4.5's rule may choose
    between partings that tie in gain and differ in ratio, so it is left out."""
    averaged = options["criterion"] == "gain_ratio" and options["ratio_among"] == "average"
    exact = ref.row_limit(options["min_rows_leaf"], sample) == 1
    if options["subsets"] == "all" or options["categories"] != "subset" or averaged or not exact:
        return
    best = ref.best(sample, rows, {**options, "subsets": "all"})
    scale = ref.tolerance(options["criterion"], sample, rows) / ref.TOLERANCE
    assert best is not None
    assert tree.nodes.gain[node] == pytest.approx(best.gain, rel=1e-9, abs=1e-9 * scale), node


def is_same(
    sample: Sample, tree: Tree, node: int, children: list[Rows], candidate: Candidate
) -> bool:
    """The same column, the same rows in the same children, missing cells to the same child."""
    to = int(tree.nodes.missing_to[node])
    weights = [sample.weight(rows) for rows in candidate.children]
    slack = 1e-14 * sample.weight(sample.rows)
    saw_none = tree.nodes.missing_rows[node] == 0
    if to != candidate.missing_to and not (saw_none and 0 < max(weights) - weights[to] <= slack):
        return False
    return (
        tree.nodes.column[node] == candidate.column
        and SPLIT_KINDS[int(tree.nodes.split_kind[node])] == candidate.kind
        and [sorted(rows) for rows in children] == [sorted(rows) for rows in candidate.children]
    )


def check_split(
    sample: Sample, tree: Tree, node: int, rows: Rows, chosen: Candidate, options: dict[str, Any]
) -> None:
    nodes, scale = tree.nodes, ref.tolerance(options["criterion"], sample, rows) / ref.TOLERANCE
    assert nodes.gain[node] == pytest.approx(chosen.gain, rel=1e-9, abs=1e-9 * scale), node
    missing = sum(1 for row in rows if sample.cells[chosen.column][row] is None)
    assert nodes.missing_rows[node] == missing, node
    span = slice(int(nodes.levels_at[node]), int(nodes.levels_at[node + 1]))
    child_of = zip(nodes.levels[span].tolist(), nodes.level_child[span].tolist(), strict=True)
    assert list(child_of) == sorted(chosen.child_of.items()), node
    if chosen.kind == "threshold":
        check_threshold(sample, rows, float(nodes.threshold[node]), chosen, options)
    else:
        assert nodes.unseen_to[node] == chosen.unseen_to, node
        assert math.isnan(nodes.threshold[node]), node
    if sample.classes:
        p = ref.p_value(sample, chosen.children)
        assert nodes.p_value[node] == pytest.approx(p, rel=1e-6, abs=1e-12), node
    else:
        assert math.isnan(nodes.p_value[node])


def digits_of(number: float) -> int:
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


def check_threshold(
    sample: Sample, rows: Rows, at: float, chosen: Candidate, options: dict[str, Any]
) -> None:
    """`short` may settle two decimals equally far from the midpoint either way."""
    if options["threshold"] != "short" or chosen.threshold == math.inf or at == chosen.threshold:
        assert at == chosen.threshold
        return
    values = [v for row in rows if (v := sample.cells[chosen.column][row]) is not None]
    low = max(v for v in values if v < at or (v == at and options["equality"] == "<="))
    high = min(v for v in values if v > low)
    middle = low + (high - low) / 2
    apart, best_apart = abs(at - middle), abs(chosen.threshold - middle)
    assert digits_of(at) == digits_of(chosen.threshold), (at, chosen.threshold)
    assert apart == pytest.approx(best_apart, rel=1e-9), (at, chosen.threshold)


def check_leaves(table: Table, tree: Tree, rows_of: list[Rows], options: dict[str, Any]) -> None:
    """Best first: the same leaves, unless two were as worthwhile or partings tied."""
    sample, judged = ref.read(table), ref.grow(table, options)
    assert (tree.nodes.n_children == 0).sum() <= options["max_leaves"]
    for node in judged.walk():
        tied = node.split and len(acceptable(sample, node.rows, node.options(options))) > 1
        if node.close_call or tied:
            return
    expected = sorted(sorted(node.rows) for node in judged.walk())
    assert sorted(sorted(rows) for rows in rows_of) == expected


def check_ties(table: Table, tree: Tree, rows_of: list[Rows], options: dict[str, Any]) -> None:
    """The report counts the splits that another column would have done as well."""
    sample, met = ref.read(table), 0
    if options["subsets"] == "all" and options["criterion"] == "gain_ratio":
        return  # which of several tied partings stands for its column is open
    for node in np.flatnonzero(tree.nodes.n_children):
        here = options_at(tree, int(node), options)
        met += len(ref.as_good_as_the_best(sample, rows_of[node], here)) > 1
    assert tree.report["ties"] == met


def check_runners_up(
    table: Table, tree: Tree, rows_of: list[Rows], options: dict[str, Any]
) -> None:
    """At every split, what each other column could have won."""
    sample, runners = ref.read(table), tree.runners_up
    assert runners is not None and len(runners.at) == len(tree.nodes) + 1
    if options["criterion"] == "gain_ratio" and options["ratio_among"] == "average":
        return  # a column's best is chosen by another measure than the one reported
    for node in np.flatnonzero(tree.nodes.n_children):
        span = slice(int(runners.at[node]), int(runners.at[node + 1]))
        gains = dict(zip(runners.column[span].tolist(), runners.gain[span].tolist(), strict=True))
        expected = {}
        for column in range(len(sample.columns)):
            found = ref.candidates(sample, rows_of[node], column, options)
            if found and column != tree.nodes.column[node]:
                if options["criterion"] == "significance":  # the column's best is that by χ²
                    slack = ref.tolerance("chi2", sample, rows_of[node])
                    found = ref.within(found, slack, "first_by")[:1]
                expected[column] = max(candidate.gain for candidate in found)
        scale = ref.tolerance(options["criterion"], sample, rows_of[node]) / ref.TOLERANCE
        assert gains == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale), node


# ---- the tests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("missing", ["learned", "own"])
@pytest.mark.parametrize("categories", CATEGORIES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_random_tables(criterion: str, categories: str, missing: str, weights: str) -> None:
    if criterion == "twoing" and (categories in ("branches", "merged") or missing == "own"):
        pytest.skip("twoing compares two sides")
    if criterion == "squared_error" and categories == "merged":
        pytest.skip("levels are merged by their classes")
    splits = 0
    for seed in range(TABLES_EACH):
        random = Random(f"{criterion} {categories} {missing} {weights} {seed}")
        table = random_table(random, task_of(criterion), weights=weights)
        limits = random_limits(random, criterion) if seed % 2 else {}
        given = {"criterion": criterion, "categories": categories, "missing": missing, **limits}
        tree = check(table, options_for(task_of(criterion), "cart", given))
        splits += int((tree.nodes.n_children > 0).sum())
    assert splits > TABLES_EACH / 2  # the tables gave the core something to do


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes(recipe: str) -> None:
    """As they grow before they prune; missing cells by a policy that the judge knows."""
    for seed in range(40):
        random = Random(f"{recipe} {seed}")
        table = random_table(random, weights=random.choice(list(WEIGHTS)))
        check(table, options_for("classification", recipe, {"missing": "learned"}))


@settings(max_examples=250, deadline=None, derandomize=True)
@given(table=tables(), data=st.data())
def test_tables_that_shrink(table: Table, data: st.DataObject) -> None:
    """The same check on tables that hypothesis makes smaller when they fail."""
    regression = not table.schema.target.classes
    criteria = ["squared_error"] if regression else CRITERIA[:-1]
    criterion = data.draw(st.sampled_from(criteria))
    able = CATEGORIES[:-1] if regression else CATEGORIES
    given = {
        "criterion": criterion,
        "categories": "subset" if criterion == "twoing" else data.draw(st.sampled_from(able)),
        "missing": "learned" if criterion == "twoing" else data.draw(
            st.sampled_from(["learned", "own"])
        ),
        "min_rows_leaf": data.draw(st.sampled_from([1, 2])),
        "equality": data.draw(st.sampled_from(["<=", "<"])),
    }  # fmt: skip
    check(table, options_for(task_of(criterion), "cart", given))


@pytest.mark.parametrize("criterion", CRITERIA[:-1])
def test_more_groups_than_can_be_parted_in_every_way(criterion: str) -> None:
    """Eleven to thirty groups and three classes: legal, measured rightly, at most the best cut."""
    for seed in range(8):
        random = Random(f"{criterion} {seed}")
        levels, n = random.randint(11, 30), 120
        codes = [*range(levels), *(random.randrange(levels) for _ in range(n - levels))]
        target = [(code + random.choice([0, 0, 1])) % 3 for code in codes]
        table = build([levelled("c", "category", levels, codes)], target, 3)
        options = options_for("classification", "cart", {"criterion": criterion, "max_depth": 1})
        tree = grow_table(table, options)
        sides = check_routes(table, tree)[1:]
        sample = ref.read(table)
        assert len(sides) == 2 and all(sides) and 0 in sides[0]
        won = ref.gain(criterion, [sample.stats(side) for side in sides])
        if criterion == "significance":
            won = ref.significance(ref.p_value(sample, sides), ref.ways_free(levels, 2))
        assert tree.nodes.gain[0] == pytest.approx(float(won), rel=1e-9)
        assert won > 0 or criterion == "significance"
        # one level against the rest is a poor cut: the order found must not be worse than all
        single = {**options, "categories": "one_vs_rest"}
        worst = min(c.gain for c in ref.candidates(sample, sample.rows, 0, single))
        assert tree.nodes.gain[0] > worst or criterion == "significance"  # other ways, other p


def test_far_targets_and_tiny_weights_keep_their_digits() -> None:
    """Targets near 1e9 and weights of very different size: sums of squares would lose them."""
    random = Random(0)
    for _ in range(40):
        n = random.randint(3, 25)
        codes = [random.randrange(5) for _ in range(n)]
        target = [1e9 + random.randrange(1000) / 1000 for _ in range(n)]
        weights = [random.choice([0.001, 1.0, 1000.0]) for _ in range(n)]
        table = build([levelled("o", "ordered", 5, codes)], target, 0, weights)
        check(table, options_for("regression", "cart", {}))


# ---- sentences of the page that random tables meet rarely ----------------------------------------


@pytest.mark.parametrize(
    ("equality", "low", "high", "at"),
    [("<", 2.0, 3.0, 3.0), ("<=", 1.0, 2.0, 1.0), ("<=", 3.0, 4.0, 3.0), ("<", 0.0, 1.0, 0.5)],
)
def test_short_has_the_fewest_digits(equality: str, low: float, high: float, at: float) -> None:
    """Halfway between 2 and 3, "< 3" separates with one digit; 2.5 needs two."""
    table = build([number("x", [low, high])], [0, 1], 2)
    given = {"threshold": "short", "equality": equality}
    tree = grow_table(table, options_for("classification", "cart", given))
    assert at == ref.threshold_between(low, high, "short", equality, ordered=False)
    assert digits_of(float(tree.nodes.threshold[0])) == digits_of(at)


def test_a_share_of_the_rows_counts_no_row_of_weight_zero() -> None:
    """Half of the four rows that count is two; of all eight it would be four."""
    table = build([number("x", list(range(8)))], [0, 1] * 4, 2, [1, 1, 1, 1, 0, 0, 0, 0])
    check(table, options_for("classification", "cart", {"min_rows_leaf": 0.5}))


def test_weights_that_tie_exactly_are_a_tie() -> None:
    """0.1 + 0.1 + 0.2 is 0.4 in every floating-point order, so the earlier class answers."""
    table = build([number("x", [1, 1, 1, 1])], [1, 1, 0, 1], 2, [0.1, 0.2, 0.4, 0.1])
    check(table, options_for("classification", "cart", {}))
    sides = build([number("x", [1, 2, 2, 2])], [0, 1, 1, 1], 2, [0.4, 0.1, 0.2, 0.1])
    check(sides, options_for("classification", "cart", {}))


@pytest.mark.parametrize("far", [1e3, 1e5, 1e6])
def test_ties_hold_in_a_node_far_from_the_middle_of_the_table(far: float) -> None:
    """far | far + ⅛ | far: parting it after the first or before the last row wins the same, so the
    first counts; three rows near 0 move the middle of the table away."""
    target = [far, far + 0.125, far, 0.0, 0.0, 0.0]
    table = build([number("x", list(range(6)))], target, 0)
    check(table, options_for("regression", "cart", {}))


def test_groups_of_equal_mean_keep_the_order_of_their_levels() -> None:
    """Rows 0 | 3 | 0 0: in the order of means, equal ones by level, no cut leaves two and two."""
    weights = [2.5071035104955484, 2.043886142600806, 0.979768681705461, 1.8039837578163225]
    table = build([levelled("c", "category", 3, [0, 1, 2, 2])], [0.0, 3.0, 0.0, 0.0], 0, weights)
    check(table, options_for("regression", "cart", {"min_rows_leaf": 2}))
