"""Codes made once for a table serve the trees of its parts, and change nothing about them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
from bough import core
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
