"""What must not change when the table is changed in a way that means nothing, and what must.

No expected tree is written down here: two runs of the core are compared, or the core with
scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bough.data.schema import Schema
from bough.data.table import Table
from bough.growing import grow_table
from bough.predict import apply_table
from bough.recipes import options_for
from bough.tree import Nodes, Tree
from tables import WEIGHTS, big_table, build, number, random_table, shown, tables, take

CRITERIA = [
    "entropy", "gain_ratio", "gini", "twoing", "error", "chi2", "significance", "squared_error",
]  # fmt: skip
ARRAYS = [field.name for field in fields(Nodes)]
SHAPE = ["first_child", "n_children", "parent", "split_kind", "column"]
BY_LEVEL = ["levels_at", "levels", "level_child", "unseen_to", "missing_to"]
COUNTS = ["rows", "missing_rows"]
MEASURES = ["weight", "stats", "impurity", "gain", "p_value"]


def options(table: Table, criterion: str = "auto", **more: Any) -> dict[str, Any]:
    return options_for(
        table.schema.target.task, "cart", {"criterion": criterion, "missing": "learned", **more}
    )


def fitting(criterion: str) -> Any:
    return "regression" if criterion == "squared_error" else "classification"


def random_options(random: Random, table: Table, criterion: str) -> dict[str, Any]:
    ways = ["subset"] if criterion == "twoing" else ["subset", "branches", "one_vs_rest"]
    ways += ["merged"] if criterion not in ("twoing", "squared_error") else []
    missing = ["learned"] if criterion == "twoing" else ["learned", "own"]
    return options(
        table,
        criterion,
        categories=random.choice(ways),
        missing=random.choice(missing),
        max_leaves=random.choice([None, None, 5]),
    )


def random_cases(criterion: str, count: int, **more: Any) -> Iterable[tuple[Random, Table]]:
    for seed in range(count):
        random = Random(f"{criterion} {seed} {more}")
        weights = random.choice(list(WEIGHTS))
        yield random, random_table(random, fitting(criterion), **{"weights": weights, **more})


def assert_same(one: Tree, other: Tree, names: Iterable[str], table: Table) -> None:
    """Byte for byte."""
    for name in names:
        a, b = getattr(one.nodes, name), getattr(other.nodes, name)
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), f"{name}: {a} {b}\n{shown(table)}"


def assert_close(one: Tree, other: Tree, names: Iterable[str], table: Table) -> None:
    for name in names:
        a, b = getattr(one.nodes, name), getattr(other.nodes, name)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=f"{name}\n{shown(table)}")


def same_answers(one: Tree, other: Tree) -> bool:
    return np.asarray(one.answers).tobytes() == np.asarray(other.answers).tobytes()


# ---- rows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_the_rows_changes_nothing(criterion: str) -> None:
    for random, table in random_cases(criterion, 60):
        rules = random_options(random, table, criterion)
        order = random.sample(range(table.n_rows), table.n_rows)
        one, other = grow_table(table, rules), grow_table(take(table, order), rules)
        assert_same(one, other, ARRAYS, table)
        assert same_answers(one, other)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(table=tables(), random=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing_shrinking(table: Table, random: Random) -> None:
    order = random.sample(range(table.n_rows), table.n_rows)
    one = grow_table(table, options(table))
    assert_same(one, grow_table(take(table, order), options(table)), ARRAYS, table)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_weight_of_two_is_a_repeated_row(criterion: str) -> None:
    for random, plain in random_cases(criterion, 60, weights="none"):
        rules = {**random_options(random, plain, criterion), "max_leaves": None}
        times = [random.randint(1, 3) for _ in range(plain.n_rows)]
        repeated = take(plain, [row for row, n in enumerate(times) for _ in range(n)])
        weighted = replace(plain, weights=np.array(times, dtype=float))
        one, other = grow_table(weighted, rules), grow_table(repeated, rules)
        assert_same(one, other, [*SHAPE, *BY_LEVEL, "threshold"], plain)
        assert_close(one, other, MEASURES, plain)
        assert other.nodes.rows[0] == sum(times) and one.nodes.rows[0] == plain.n_rows
        np.testing.assert_allclose(one.answers, other.answers, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_weight_of_zero_is_a_removed_row(criterion: str) -> None:
    for random, table in random_cases(criterion, 60, weights="tenths"):
        rules = random_options(random, table, criterion)
        assert table.weights is not None
        gone = np.array([random.random() < 0.4 for _ in range(table.n_rows)])
        gone[random.randrange(table.n_rows)] = False
        without = take(table, np.flatnonzero(~gone))
        ignored = replace(table, weights=np.where(gone, 0.0, table.weights))
        one, other = grow_table(ignored, rules), grow_table(without, rules)
        assert_same(one, other, ARRAYS, table)
        assert same_answers(one, other)


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "significance"])
def test_all_weights_times_four_change_only_the_weights(criterion: str) -> None:
    """Four: a power of two keeps every sum and share exact. (Four times the rows are four times the
    evidence, so what rests on a p is another matter.)"""
    for random, table in random_cases(criterion, 30, weights="uneven"):
        rules = random_options(random, table, criterion)
        if rules["categories"] == "merged":
            rules["categories"] = "branches"
        assert table.weights is not None
        heavier = replace(table, weights=table.weights * 4)
        one, other = grow_table(table, rules), grow_table(heavier, rules)
        assert_same(one, other, [*SHAPE, *BY_LEVEL, *COUNTS, "threshold"], table)
        assert_close(one, other, ["impurity"], table)
        assert (one.nodes.weight * 4).tobytes() == other.nodes.weight.tobytes()


# ---- columns -----------------------------------------------------------------------------------


def _cube(x: np.ndarray) -> np.ndarray:
    return x**3


MONOTONE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.exp,
    "cube": _cube,
    "times three and a shift": lambda x: 3 * x + 11.5,
    "ranks": lambda x: np.where(np.isnan(x), np.nan, np.unique(x, return_inverse=True)[1]),
}


@pytest.mark.parametrize("name", MONOTONE)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_monotone_transformation_keeps_the_tree(criterion: str, name: str) -> None:
    changed = 0
    for random, table in random_cases(criterion, 25):
        rules = random_options(random, table, criterion)
        tame = replace(table, cells=tuple(map(_tame, table.cells)))
        other_cells = tuple(
            MONOTONE[name](cells) if cells.dtype == np.float64 else cells for cells in tame.cells
        )
        moved = replace(tame, cells=other_cells)
        one, other = grow_table(tame, rules), grow_table(moved, rules)
        assert_same(one, other, [*SHAPE, *BY_LEVEL, *COUNTS, *MEASURES], table)
        counts = slice(None) if table.weights is None else table.weights > 0
        leaves, moved_leaves = apply_table(one, tame), apply_table(other, moved)
        assert leaves[counts].tolist() == moved_leaves[counts].tolist()
        changed += one.nodes.threshold.tobytes() != other.nodes.threshold.tobytes()
    assert changed > 0


def _tame(cells: np.ndarray) -> np.ndarray:
    """Numbers so rounded that no transformation here makes two of them equal."""
    if cells.dtype.kind != "f":
        return cells
    return np.round(np.clip(cells.astype(np.float64), -4, 4), 3) + 0.0


@pytest.mark.parametrize("criterion", CRITERIA)
def test_new_names_in_the_same_order_change_only_names(criterion: str) -> None:
    for random, table in random_cases(criterion, 30):
        rules = random_options(random, table, criterion)
        columns = tuple(
            replace(c, name=f"new {c.name}", levels=tuple(f"~{level}" for level in c.levels))
            for c in table.schema.columns
        )
        renamed = replace(table, schema=Schema(columns, table.schema.target))
        one, other = grow_table(table, rules), grow_table(renamed, rules)
        assert_same(one, other, ARRAYS, table)
        assert same_answers(one, other) and other.schema.columns == columns


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_the_columns_keeps_the_gain_of_the_root(criterion: str) -> None:
    for random, table in random_cases(criterion, 40):
        rules = {**random_options(random, table, criterion), "max_depth": 1}
        order = random.sample(range(len(table.cells)), len(table.cells))
        columns = tuple(table.schema.columns[at] for at in order)
        moved = replace(
            table,
            schema=Schema(columns, table.schema.target),
            cells=tuple(table.cells[at] for at in order),
        )
        one, other = grow_table(table, rules), grow_table(moved, rules)
        assert one.nodes.gain[0] == pytest.approx(other.nodes.gain[0], rel=1e-9, abs=1e-12)
        assert one.nodes.impurity[0] == other.nodes.impurity[0]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_column_that_says_nothing_new_changes_nothing(criterion: str) -> None:
    """A copy after the last column: every tie with it goes to the earlier one."""
    for random, table in random_cases(criterion, 30):
        rules = {**random_options(random, table, criterion), "ratio_among": "all"}
        copies = tuple(replace(c, name=f"{c.name} again") for c in table.schema.columns)
        doubled = replace(
            table,
            schema=Schema((*table.schema.columns, *copies), table.schema.target),
            cells=(*table.cells, *table.cells),
        )
        assert_same(grow_table(table, rules), grow_table(doubled, rules), ARRAYS, table)


# ---- threads, the whole tree -------------------------------------------------------------------


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_leaves": 200},
        {"max_depth": 6, "missing": "own"},
        {"criterion": "significance", "categories": "merged", "missing": "own"},
        {"criterion": "gini", "categories": "merged", "max_leaves": 150},
    ],
)
def test_threads_give_the_same_bytes(task: Any, limits: dict[str, Any]) -> None:
    if task == "regression" and "categories" in limits:
        pytest.skip("levels are merged by their classes")
    table = big_table(Random(3), task)
    trees = [
        grow_table(table, options(table, threads=threads, runners_up=True, **limits))
        for threads in (1, 2, 4, None)
    ]
    assert len(trees[0].nodes) > 60
    for other in trees[1:]:
        assert_same(trees[0], other, ARRAYS, take(table, range(0)))
        assert same_answers(trees[0], other)
        assert trees[0].runners_up is not None and other.runners_up is not None
        for field in fields(trees[0].runners_up):
            one, two = (getattr(t.runners_up, field.name) for t in (trees[0], other))
            assert one.tobytes() == two.tobytes(), field.name


def _consistent(table: Table) -> Table:
    """Only the first of the rows that agree in every column, and only rows that count."""
    seen: dict[tuple[Any, ...], int] = {}
    for row in range(table.n_rows):
        if table.weights is not None and table.weights[row] == 0:
            continue
        key = tuple(_key(cells[row]) for cells in table.cells)
        seen.setdefault(key, row)
    return take(table, sorted(seen.values()))


def _key(cell: Any) -> Any:
    return None if cell != cell else cell.item() + 0.0


@pytest.mark.parametrize("missing", ["learned", "own"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_consistent_data_grown_until_pure_has_no_training_error(
    criterion: str, missing: str
) -> None:
    """Branches with `learned` cannot tell a missing cell from the level it joined: left out."""
    if criterion == "twoing" and missing == "own":
        pytest.skip("twoing compares two sides")
    for random, raw in random_cases(criterion, 60):
        table = _consistent(raw)
        ways = ["subset", "one_vs_rest"]
        if missing == "own":
            ways.append("branches")
        rules = options(table, criterion, categories=random.choice(ways), missing=missing)
        tree = grow_table(table, rules)
        answers = np.asarray(tree.answers)[apply_table(tree, table)]
        assert (answers == table.target).all(), shown(table)
        leaves = tree.nodes.n_children == 0
        assert (tree.nodes.impurity[leaves & (tree.nodes.rows > 0)] == 0).all()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_gain_is_never_negative_and_rows_add_up(criterion: str) -> None:
    """S0:213. And what a node holds, its children hold between them."""
    for random, table in random_cases(criterion, 60):
        nodes = grow_table(table, random_options(random, table, criterion)).nodes
        assert (nodes.gain >= -1e-12).all()
        for node in np.flatnonzero(nodes.n_children):
            children = slice(
                int(nodes.first_child[node]), int(nodes.first_child[node] + nodes.n_children[node])
            )
            assert nodes.rows[children].sum() == nodes.rows[node]
            assert nodes.weight[children].sum() == pytest.approx(nodes.weight[node], rel=1e-12)


# ---- against scikit-learn ----------------------------------------------------------------------


def _tie_free(criterion: str, seed: int) -> Table:
    """Continuous cells and weights: no two splits have the same gain but those that part the rows
    alike. Whole numbers, since scikit-learn keeps cells as 32-bit floats."""
    rng = np.random.default_rng(seed)
    n = 1500
    x = np.column_stack([rng.permutation(n) for _ in range(5)]).astype(float)
    signal = np.sin(x[:, 0] / 200) + (x[:, 1] / n) ** 2 * 2 + (x[:, 2] > n / 3) + rng.normal(size=n)
    weights = rng.uniform(0.5, 2.0, n).tolist()
    columns = [number(f"x{at}", x[:, at]) for at in range(5)]
    if criterion == "squared_error":
        return build(columns, signal.tolist(), 0, weights)
    return build(columns, np.digitize(signal, [0.5, 1.7]).tolist(), 3, weights)


def _sklearn_leaves(table: Table, criterion: str, depth: int) -> tuple[np.ndarray, float]:
    trees = pytest.importorskip("sklearn.tree")
    regression = criterion == "squared_error"
    maker = trees.DecisionTreeRegressor if regression else trees.DecisionTreeClassifier
    model = maker(
        criterion=criterion,
        max_depth=depth,
        min_samples_leaf=15,
        random_state=0,
        min_impurity_decrease=1e-12,  # rounding makes it take a pure node for an impure one
    )
    model.fit(np.column_stack(table.cells), table.target, sample_weight=table.weights)
    grown = model.tree_
    at = grown.children_left == -1
    share = grown.weighted_n_node_samples[at] / grown.weighted_n_node_samples[0]
    return model.apply(np.column_stack(table.cells)), float(share @ grown.impurity[at])


def _parts(leaves: np.ndarray) -> set[bytes]:
    return {np.flatnonzero(leaves == leaf).tobytes() for leaf in np.unique(leaves)}


@pytest.mark.parametrize("depth", range(1, 7))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_the_tree_of_scikit_learn(criterion: str, depth: int) -> None:
    for seed in range(3):
        table = _tie_free(criterion, seed)
        tree = grow_table(table, options(table, criterion, max_depth=depth, min_rows_leaf=15))
        theirs, their_impurity = _sklearn_leaves(table, criterion, depth)
        at = tree.nodes.n_children == 0
        impurity = float(tree.nodes.weight[at] @ tree.nodes.impurity[at]) / tree.nodes.weight[0]
        assert impurity == pytest.approx(their_impurity, rel=1e-9)
        assert math.log2(at.sum()) > depth - 1.5  # a tree of that depth, not a stump
        assert _parts(apply_table(tree, table)) == _parts(theirs)
