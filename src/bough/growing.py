"""Table + options → Tree: the story in one page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Unpack

from bough import core
from bough.data.schema import Kind, Task
from bough.data.table import Table
from bough.errors import DataError
from bough.options import GrowOptions
from bough.recipes import options_for
from bough.tree import Nodes, RunnersUp, Tree

__all__ = ["grow", "grow_table"]

Progress = Callable[[int, int], object]
"""Told now and then how many rows have reached their leaf, and of how many."""


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
    options    see bough.OPTIONS: max_depth, criterion, missing, …
    """
    if isinstance(data, Table):
        table = data
    else:
        from bough.data.read import read_table

        table = read_table(
            data,
            target=target,
            task=task,
            kinds=kinds,
            ordered=ordered,
            ignore=ignore,
            weights=weights,
            missing_marks=missing_marks,
            sql=sql,
        )
    chosen = options_for(table.schema.target.task, recipe, options)
    return grow_table(table, {"recipe": recipe or "default", **chosen}, progress)


def grow_table(table: Table, options: Mapping[str, Any], progress: Progress | None = None) -> Tree:
    """Grow from a Table with a whole set of options, as `bough.recipes.options_for` gives it."""
    if table.target is None:
        raise DataError("The table has no target, so there is nothing to learn from.")
    if table.n_rows == 0:
        raise DataError("The table has no rows.")
    if not table.cells:
        raise DataError("The table has no column to ask about, only the target.")
    started = time.perf_counter()
    n = table.n_rows
    counted = n if table.weights is None else int((table.weights > 0).sum())
    grown = core.grow(
        table, _for_core(options, counted), progress and (lambda done: progress(done, n))
    )
    seconds = time.perf_counter() - started
    return Tree(
        schema=table.schema,
        nodes=Nodes(**{field.name: grown[field.name] for field in fields(Nodes)}),
        equality=options["equality"],
        empty_branch=options["empty_branch"],
        # Threads are left out: they change the time, never the tree.
        options={name: value for name, value in options.items() if name != "threads"},
        report=_report(table, grown, seconds),
        runners_up=_runners_up(grown) if options["runners_up"] else None,
    )


def _for_core(options: Mapping[str, Any], n_rows: int) -> dict[str, Any]:
    """Shares become rows, "no limit" a number."""

    def rows(value: int | float) -> int:
        return value if isinstance(value, int) else max(1, math.ceil(value * n_rows))

    return {
        **options,
        "max_depth": -1 if options["max_depth"] is None else min(options["max_depth"], 2**31 - 1),
        "max_leaves": options["max_leaves"] or 0,
        "min_rows_split": rows(options["min_rows_split"]),
        "min_rows_leaf": rows(options["min_rows_leaf"]),
        "threads": core.thread_count(options["threads"]),
    }


def _report(table: Table, grown: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    notes = list(table.notes)
    for column in grown["too_many_levels"]:
        name = table.schema.names[column]
        notes.append(
            f'column "{name}" was left out: it has more than 32,000 levels, too many for one '
            'branch each; use categories="subset"'
        )
    if grown["ordered_subsets"]:
        notes.append(
            f"{grown['ordered_subsets']} searches over more than 10 levels and more than two "
            "classes looked at the levels in one order (first principal component), not at all "
            "subsets"
        )
    return {"seconds": seconds, "ties": grown["ties"], "notes": notes}


def _runners_up(grown: Mapping[str, Any]) -> RunnersUp:
    return RunnersUp(
        at=grown["runner_at"],
        column=grown["runner_column"],
        gain=grown["runner_gain"],
        threshold=grown["runner_threshold"],
    )
