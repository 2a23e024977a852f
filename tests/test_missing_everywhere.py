"""What holds of every policy on every table: one row and many agree, order and threads do not
matter, and a table without missing cells grows the same tree under all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
from bough.data.missing import POLICIES
from bough.data.schema import MISSING, UNSEEN, Schema
from bough.data.table import Array, Table
from bough.errors import BoughError
from bough.growing import grow_table
from bough.predict import apply_table, predict, predict_proba
from bough.recipes import options_for
from bough.splits import STAYS, TO_ALL
from bough.tree import Nodes, Tree
from tables import WEIGHTS, big_table, random_table, shown, take

CRITERIA = ["gini", "entropy", "gain_ratio", "chi2", "error", "significance"]
SEARCHED = ["learned", "own", "fractional", "surrogate", "stop"]


def random_options(random: Random, table: Table, policy: str) -> dict[str, Any]:
    task = table.schema.target.task
    ways = ["subset", "one_vs_rest"] + ["branches"] * (policy != "surrogate")
    ways += ["merged"] * (policy != "surrogate" and task == "classification")
    given = {
        "missing": policy,
        "criterion": random.choice(CRITERIA) if task == "classification" else "squared_error",
        "categories": random.choice(ways),
        "empty_branch": random.choice(["parent", "unknown"]),
        "equality": random.choice(["<=", "<"]),
        "max_leaves": random.choice([None, None, 3, 6]),
        "min_rows_leaf": random.choice([1, 1, 2]),
    }
    return options_for(task, "cart", given)


def cases(policy: str, count: int) -> Iterator[tuple[Random, Table, dict[str, Any]]]:
    for seed in range(count):
        random = Random(f"{policy} {seed}")
        tasks = ["classification", "classification", "regression"]
        task: Any = "classification" if policy == "class_mean" else random.choice(tasks)
        table = random_table(random, task, weights=random.choice(list(WEIGHTS)))
        yield random, table, random_options(random, table, policy)


def new_rows(random: Random, schema: Schema, table: Table) -> Table:
    """The columns the tree knows, with more holes and with levels nobody has seen."""
    cells = []
    for column in schema.columns:
        values: Array = table.cells[table.schema.index[column.name]].copy()
        for row in range(len(values)):
            draw = random.random()
            if draw < 0.2:
                values[row] = math.nan if column.kind == "number" else MISSING
            elif draw < 0.35 and column.kind != "number":
                values[row] = random.choice([UNSEEN, random.randrange(len(column.levels))])
        cells.append(values)
    return Table(schema, tuple(cells))


def as_dict(table: Table, row: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for column, cells in zip(table.schema.columns, table.cells, strict=True):
        cell = cells[row].item()
        if column.kind == "number":
            found[column.name] = None if cell != cell else cell
        else:
            found[column.name] = {MISSING: None, UNSEEN: "?"}.get(cell) or (
                column.levels[cell] if cell >= 0 else None
            )
    return found


def grown(table: Table, options: dict[str, Any]) -> Tree | None:
    """None where a policy leaves nothing to grow from, and says so."""
    try:
        return grow_table(table, options)
    except BoughError as error:
        assert "leaves no" in str(error)
        return None


@pytest.mark.parametrize("policy", POLICIES)
def test_one_row_and_many_agree(policy: str) -> None:
    answers = 0
    for random, table, options in cases(policy, 120):
        if (tree := grown(table, options)) is None:
            continue
        rows = new_rows(random, tree.schema, table)
        many, leaves = predict(tree, rows).tolist(), apply_table(tree, rows).tolist()
        for at in range(rows.n_rows):
            row = as_dict(rows, at)
            one = tree.predict_row(row)
            assert one == many[at] or (one != one and many[at] != many[at]), shown(table)
            assert tree.path(row)[-1] == leaves[at], shown(table)
            answers += 1
    assert answers > 500


@pytest.mark.parametrize("policy", POLICIES)
def test_shares_fit_the_answers(policy: str) -> None:
    for random, table, options in cases(policy, 60):
        if table.schema.target.task == "regression" or (tree := grown(table, options)) is None:
            continue
        rows = new_rows(random, tree.schema, table)
        share, answer = predict_proba(tree, rows), predict(tree, rows)
        for at in range(rows.n_rows):
            if answer[at] is None:
                assert np.isnan(share[at]).any()
                continue
            assert share[at].sum() == pytest.approx(1.0)
            code = tree.schema.target.classes.index(answer[at])
            assert share[at, code] == pytest.approx(share[at].max(), abs=1e-9)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_order_of_the_rows_changes_nothing(policy: str) -> None:
    for random, table, options in cases(policy, 80):
        order = random.sample(range(table.n_rows), table.n_rows)
        one, other = grown(table, options), grown(take(table, order), options)
        assert (one is None) == (other is None)
        if one is None or other is None:
            continue
        assert one.fills == other.fills and one == other, shown(table)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("policy", [name for name in POLICIES if name != "class_mean"])
def test_threads_give_the_same_bytes(policy: str, task: Any) -> None:
    table = big_table(Random(5), task, 4_000)
    trees = [
        grow_table(
            table,
            options_for(task, "cart", {"missing": policy, "max_depth": 5, "threads": threads}),
        )
        for threads in (1, 2, 4)
    ]
    assert len(trees[0]) > 30
    for other in trees[1:]:
        assert trees[0] == other


@pytest.mark.parametrize("policy", ["own", "fractional", "surrogate", "stop"])
def test_a_table_without_missing_cells_grows_the_same_tree(policy: str) -> None:
    grown_splits = 0
    for seed in range(60):
        random = Random(seed)
        task: Any = random.choice(["classification", "regression"])
        # Fractional weights count in powers of two: whole ones stay what they are.
        weights = random.choice(["none", "whole"])
        table = random_table(random, task, weights=weights, missing=False)
        options = random_options(random, table, "surrogate")
        one = grow_table(table, {**options, "missing": "learned"})
        other = grow_table(table, {**options, "missing": policy})
        for field in fields(Nodes):
            a, b = getattr(one.nodes, field.name), getattr(other.nodes, field.name)
            if field.name == "missing_to":
                continue
            if a.dtype.kind == "f":
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=shown(table))
            else:
                assert a.tobytes() == b.tobytes(), f"{field.name}\n{shown(table)}"
        inner = ~one.is_leaf
        special = {"fractional": TO_ALL, "stop": STAYS}
        if policy in special:
            assert (other.nodes.missing_to[inner] == special[policy]).all()
        else:
            assert other.nodes.missing_to.tobytes() == one.nodes.missing_to.tobytes()
        grown_splits += int(inner.sum())
    assert grown_splits > 100


@pytest.mark.parametrize("policy", SEARCHED)
def test_what_a_node_holds_its_children_hold(policy: str) -> None:
    """All of it, except under "stop": there the rows that stay are the difference."""
    for _, table, options in cases(policy, 80):
        nodes = grow_table(table, options).nodes
        for node in np.flatnonzero(nodes.n_children).tolist():
            first, n = int(nodes.first_child[node]), int(nodes.n_children[node])
            children = slice(first, first + n)
            assert nodes.gain[node] >= -1e-12
            held = nodes.weight[children].sum()
            if policy == "stop":
                rows = nodes.rows[children].sum()
                assert rows == nodes.rows[node] - nodes.missing_rows[node]
                assert held <= nodes.weight[node] * (1 + 1e-12)
            else:
                assert held == pytest.approx(nodes.weight[node], rel=1e-9)


@pytest.mark.parametrize("policy", POLICIES)
def test_leaves_are_limited_under_every_policy(policy: str) -> None:
    for _, table, options in cases(policy, 40):
        tree = grown(table, {**options, "max_leaves": 3})
        assert tree is None or tree.n_leaves <= 3


@pytest.mark.parametrize("policy", SEARCHED)
def test_a_weight_of_two_is_a_repeated_row(policy: str) -> None:
    for seed in range(60):
        random = Random(f"{policy} {seed}")
        task: Any = random.choice(["classification", "regression"])
        plain = random_table(random, task)
        options = random_options(random, plain, policy) | {"max_leaves": None, "min_rows_leaf": 1}
        times = [random.randint(1, 3) for _ in range(plain.n_rows)]
        repeated = take(plain, [row for row, n in enumerate(times) for _ in range(n)])
        weighted = replace(plain, weights=np.array(times, dtype=float))
        one, other = grow_table(weighted, options), grow_table(repeated, options)
        for name in ("first_child", "column", "levels", "level_child", "missing_to"):
            assert getattr(one.nodes, name).tobytes() == getattr(other.nodes, name).tobytes(), (
                name, shown(weighted),
            )  # fmt: skip
        np.testing.assert_allclose(one.nodes.stats, other.nodes.stats, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("policy", SEARCHED)
def test_a_saved_tree_answers_the_same(policy: str, tmp_path: Any) -> None:
    for random, table, options in cases(policy, 15):
        tree = grow_table(table, options)
        tree.save(tmp_path / "tree.json", force=True)
        again = bough.load(tmp_path / "tree.json")
        rows = new_rows(random, tree.schema, table)
        assert again == tree
        assert predict(again, rows).tolist() == pytest.approx(
            predict(tree, rows).tolist(), nan_ok=True
        )
