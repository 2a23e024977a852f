"""Data + recipe + options → Tree: read, grow, prune; the story in one page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from bough import core
from bough.costs import cost_matrix, weigh_classes
from bough.data.match import as_read
from bough.data.schema import Kind, Task
from bough.data.table import Array, Table
from bough.errors import DataError
from bough.folds import fold_numbers, held_out, rows_that_count
from bough.growing import Progress, grow_table, shifted
from bough.options import GrowOptions
from bough.prices import TestCosts
from bough.prices import test_costs as read_test_costs
from bough.prune import prune_table
from bough.prune_options import METHODS
from bough.recipes import is_own_pruning, options_for
from bough.tree import Tree

__all__ = ["grow", "grow_from", "make_tree"]

HELD_OUT = 0.3
"""The share of the rows that is held out where rows must be and nothing else is said."""

Pruning = Mapping[str, Any]


def grow(
    data: Any,
    target: Any = None,
    *,
    recipe: str | None = None,
    task: Task | None = None,
    kinds: Mapping[str, Kind] | None = None,
    ordered: Mapping[str, Sequence[str]] | None = None,
    ignore: Sequence[str] = (),
    weights: Any = None,
    missing_marks: Sequence[str] = (),
    sql: str | None = None,
    costs: Any = None,
    test_costs: Any = None,
    priors: Mapping[Any, float] | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    progress: Progress | None = None,
    **options: Unpack[GrowOptions],
) -> Tree:
    """Grow a tree.

    data       a path (CSV, Parquet …), DataFrame, Arrow table, dict, 2-d array, or a bough Table
    target     name of the column to predict, or the values themselves
    recipe     a bundle of options (see bough.RECIPES); single options override it
    task       "classification" or "regression"; by default read off the target
    kinds      {"zip": "category"}: the kind of a column, where the guess is wrong
    ordered    {"grade": ["low", "mid", "high"]}: levels with an order
    ignore     columns to leave out
    weights    name of a column, or one weight per row
    missing_marks   texts that mean a missing cell, such as "?" or "NA"
    sql        a query over files, or over the DuckDB database given as data
    costs      what mistakes cost: {"actual": {"answer": 5}}, a DataFrame, a CSV file or a matrix
    test_costs what asking for a column costs: {"glucose": 17.6}, or a CSV file; see docs/costs.md
    priors     the share of each class where the tree will be used
    class_weight   a factor for the weight of each class, or "balanced"
    options    see bough.OPTIONS: max_depth, criterion, missing, prune, …
    """
    read: dict[str, Any] = {
        "task": task,
        "kinds": kinds,
        "ordered": ordered,
        "ignore": ignore,
        "weights": weights,
        "missing_marks": missing_marks,
        "sql": sql,
    }
    if isinstance(data, Table):
        table = as_read(data, target, read)
    else:
        from bough.data.read import read_table

        table = read_table(data, target=target, **read)
    return grow_from(
        table,
        recipe=recipe,
        costs=costs,
        test_costs=test_costs,
        priors=priors,
        class_weight=class_weight,
        progress=progress,
        **options,
    )


def grow_from(
    table: Table,
    *,
    recipe: str | None = None,
    costs: Any = None,
    test_costs: Any = None,
    priors: Mapping[Any, float] | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    progress: Progress | None = None,
    codes: core.Codes | None = None,
    **options: Unpack[GrowOptions],
) -> Tree:
    """`grow` from a table that has been read. `codes`: of its cells, if known."""
    chosen = options_for(table.schema.target.task, recipe, options)
    matrix = None if costs is None else cost_matrix(costs, table.schema.target)
    prices = None if test_costs is None else read_test_costs(test_costs, table.schema)
    table = weigh_classes(table, priors, class_weight)
    named = {"recipe": recipe or "default", **chosen}
    return make_tree(table, named, progress, matrix, prices, codes)


def make_tree(
    table: Table,
    options: Mapping[str, Any],
    progress: Progress | None = None,
    costs: Array | None = None,
    test_costs: TestCosts | None = None,
    codes: core.Codes | None = None,
) -> Tree:
    """Grow and prune, as a whole set of options says: `bough.recipes.options_for` gives it.
    `codes`: of the table's cells, if known; trees grown for folds share them.

    Pruning that was asked for fails where it cannot be done. The recipe's own does what it can and
    says so in the report's notes.
    """
    asked, own, notes = options["prune"], is_own_pruning(options), list[str]()
    if table.target is None:
        raise DataError("The table has no target, so there is nothing to learn from.")
    if own:
        asked, notes = _within_reach(options, table)
    if asked is None:
        tree = grow_table(table, options, progress, costs, codes, test_costs)
        return _noted(tree, notes)
    started = time.perf_counter()
    learn, judging, told = _parts(table, asked)
    in_folds = 0 if judging is None else _rows_of_folds(judging, asked)
    total, threads = learn.n_rows + in_folds, options["threads"]
    watch = shifted(progress, 0, total)
    if codes is None and in_folds:
        codes = core.encode(table, threads)  # once for the tree and those of the folds
    tree = grow_table(learn, options, watch, costs, codes if learn is table else None, test_costs)
    run = {"threads": threads, "codes": codes if judging is table else None}
    try:
        tree = _pruned(tree, judging, asked, progress=shifted(progress, learn.n_rows, total), **run)
    except DataError as error:
        if not own:
            raise
        notes.append(f"{_own_words(options)}, which cannot be done here: {error}")
    tree = _noted(tree, [*told, *notes])
    return replace(tree, report={**tree.report, "seconds": time.perf_counter() - started})


def _pruned(tree: Tree, judging: Table | None, asked: Pruning, **run: Any) -> Tree:
    named = {option.name: asked[option.name] for option in METHODS[asked["method"]].options}
    pruned = prune_table(tree, judging, asked["method"], **run, **named)
    return replace(pruned, options={**pruned.options, "prune": dict(asked)})


def _noted(tree: Tree, notes: Sequence[str]) -> Tree:
    if not notes:
        return tree
    return replace(tree, report={**tree.report, "notes": [*tree.report["notes"], *notes]})


# ---- which rows grow, which prune ----------------------------------------------------------------


def _parts(table: Table, asked: Pruning) -> tuple[Table, Table | None, list[str]]:
    """The rows to grow from; those to prune by, if the method looks at any; what to tell."""
    how = METHODS[asked["method"]]
    if not how.held_out(asked):
        return table, rows_that_count(table) if how.trained(asked) else None, []
    table = rows_that_count(table)
    held = _held_out(table, asked)
    note = f"{int(held.sum()):,} of {table.n_rows:,} rows were held out to prune by"
    return table.take(~held), table.take(held), [note]


def _held_out(table: Table, asked: Pruning) -> Array:
    """bool per row: a share of them, or the first of the folds."""
    folds, seed = asked["folds"], asked["seed"]
    if folds is None:
        return held_out(table, HELD_OUT if asked["holdout"] is None else asked["holdout"], seed)
    return np.equal(fold_numbers(table, folds, seed), 0)


def _rows_of_folds(judging: Table, asked: Pruning) -> int:
    """Rows of all the trees that are grown to prune by, for who watches the progress."""
    trained = METHODS[asked["method"]].trained(asked)
    return judging.n_rows * (asked["folds"] - 1) if trained and asked.get("folds") else 0


# ---- the recipe's own pruning --------------------------------------------------------------------


def _within_reach(options: Mapping[str, Any], table: Table) -> tuple[Pruning | None, list[str]]:
    """As much of the recipe's pruning as the table allows, and what was changed."""
    asked = options["prune"]
    task, words = table.schema.target.task, _own_words(options)
    if task not in METHODS[asked["method"]].tasks:
        return None, [f"{words}, which is for classes; this tree of numbers is not pruned"]
    folds, rows = asked.get("folds"), rows_that_count(table).n_rows
    if folds is None or folds <= rows:
        return asked, []
    if rows < 2:
        return None, [f"{words} with {folds} folds; with one row there is nothing to prune"]
    return {**asked, "folds": rows}, [f"{words} with {folds} folds; with {rows} rows it is {rows}"]


def _own_words(options: Mapping[str, Any]) -> str:
    return f"the recipe {options['recipe']} prunes by {options['prune']['method']}"
