"""Codes made once for a table serve the trees of its parts, and change nothing about them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
from bough import core
from bough.compare import compare
from bough.comparison import as_json
from bough.data.table import Table
from bough.growing import grow_table
from bough.prune import prune
from bough.recipes import options_for
from tables import big_table

CASES: list[tuple[Any, dict[str, Any]]] = [
    ("classification", {"criterion": "gini", "max_depth": 6}),
    ("classification", {"criterion": "gain_ratio", "max_depth": 5, "categories": "branches"}),
    ("classification", {"criterion": "entropy", "max_leaves": 20, "missing": "own"}),
    ("classification", {"criterion": "gini", "max_depth": 4, "missing": "surrogate"}),
    ("classification", {"criterion": "gini", "max_depth": 4, "missing": "fractional"}),
    ("classification", {"criterion": "gini", "max_depth": 4, "missing": "mean"}),
    ("regression", {"max_depth": 6}),
    ("regression", {"max_leaves": 20, "missing": "stop"}),
]


@pytest.mark.parametrize(("task", "given"), CASES, ids=str)
def test_the_same_tree_with_codes_of_the_whole_table(task: Any, given: dict[str, Any]) -> None:
    random = Random(str(given))
    table = big_table(random, task, n=24_000)
    rows = np.flatnonzero(np.array([random.random() < 0.85 for _ in range(table.n_rows)]))
    part = table.take(rows)
    options = options_for(task, "cart", {"missing": "learned", **given})
    codes = core.encode(table, 2)
    assert codes is not None
    alone = grow_table(part, options)
    for threads in (1, 2):
        some = core.take_codes(codes, rows, threads)
        assert grow_table(part, {**options, "threads": threads}, codes=some) == alone
    assert alone.n_leaves > 4


def test_few_rows_have_no_codes() -> None:
    table = big_table(Random(0), n=100)
    assert core.encode(table, 1) is None
    assert core.take_codes(None, np.arange(3), 1) is None


def test_codes_of_another_table_are_refused() -> None:
    table = big_table(Random(0))
    codes = core.encode(table, 1)
    assert codes is not None
    options = options_for("classification", "cart", {"max_depth": 1})
    with pytest.raises(ValueError, match="other columns or rows"):
        grow_table(table.take(np.arange(9_000)), options, codes=codes)
    fewer = replace(
        table,
        schema=replace(table.schema, columns=table.schema.columns[1:]),
        cells=table.cells[1:],
    )
    with pytest.raises(ValueError, match="other columns or rows"):
        grow_table(fewer, options, codes=codes)
    for row in (-1, table.n_rows):
        with pytest.raises(ValueError, match=f"row {row} is not among those that were coded"):
            core.take_codes(codes, np.array([0, row]), 1)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_folds_choose_the_same_with_codes_and_without(
    task: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = big_table(Random(1), task, n=21_000)
    tree = bough.grow(table, recipe="default", prune=None)
    with_codes = prune(tree, "cost_complexity", table, folds=3)
    monkeypatch.setattr(core, "FEW_ROWS", 10**9)
    without = prune(tree, "cost_complexity", table, folds=3)
    assert with_codes == without
    assert with_codes.report["pruning"] == without.report["pruning"]


class Encoding:
    """Counts how often a table is coded; can be told to leave it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tables, self.encode, self.idle = 0, core.encode, False
        monkeypatch.setattr(core, "encode", self)

    def __call__(self, table: Table, threads: int | None) -> core.Codes | None:
        self.tables += 1
        return None if self.idle else self.encode(table, threads)


@pytest.mark.parametrize("missing", ["learned", "mean", "drop_columns"])
def test_a_tree_and_its_folds_share_the_codes(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = big_table(Random(2), n=21_000)
    first = np.where(np.arange(table.n_rows) % 5 > 0, np.nan, table.cells[0])  # to be dropped
    table = replace(table, cells=(first, *table.cells[1:]))
    encoding = Encoding(monkeypatch)
    prune = {"method": "cost_complexity", "folds": 3}
    given: dict[str, Any] = {"missing": missing, "prune": prune}
    tree = bough.grow(table, recipe="cart", **given)
    assert (encoding.tables, tree.n_leaves > 4) == (2 if missing == "drop_columns" else 1, True)
    encoding.idle = True
    assert tree == bough.grow(table, recipe="cart", **given)


def test_rows_without_weight_have_no_part_in_the_codes_of_folds() -> None:
    """Folds are of the rows that count, so the codes of the whole table are not theirs."""
    table = big_table(Random(3), n=21_500)
    rows = np.arange(table.n_rows) % 50 > 0
    weighted = replace(table, weights=rows.astype(float))
    prune = {"method": "cost_complexity", "folds": 3}
    given: dict[str, Any] = {"recipe": "cart", "missing": "learned", "prune": prune}
    tree, fewer = bough.grow(weighted, **given), bough.grow(weighted.take(rows), **given)
    assert np.array_equal(tree.nodes.threshold, fewer.nodes.threshold, equal_nan=True)
    assert tree.n_leaves > 4


def test_compare_codes_the_table_once_and_finds_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = big_table(Random(4), n=21_000)
    bundles = {
        "plain": {"recipe": "cart", "prune": None, "missing": "learned", "max_depth": 5},
        "filled": {"recipe": "cart", "prune": None, "missing": "mean", "max_depth": 5},
        "balanced": {"recipe": "id3", "max_depth": 4, "class_weight": "balanced"},
        "held_out": {"recipe": "id3", "max_depth": 4, "prune": "reduced_error"},
    }
    encoding = Encoding(monkeypatch)

    def results() -> dict[str, Any]:
        found = compare(table, recipes=[], bundles=bundles, folds=3, learning_curve=True)
        assert not any(contender.failed for contender in found.contenders)
        return without_seconds(as_json(found))

    with_codes = results()
    assert encoding.tables == 1
    encoding.idle = True
    assert results() == with_codes


def without_seconds(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: without_seconds(v) for key, v in found.items() if key != "seconds"}
    return [without_seconds(one) for one in found] if isinstance(found, list | tuple) else found
