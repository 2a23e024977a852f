"""Table + options → Tree: the story in one page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Unpack

import numpy as np

from bough import core
from bough.costs import altered_priors, cost_matrix, weigh_classes
from bough.data.missing import Prepared, prepare
from bough.data.schema import Kind, Task
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError
from bough.options import GrowOptions
from bough.recipes import options_for
from bough.restat import with_stats_of
from bough.tree import Nodes, RunnersUp, Surrogates, Tree

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
    costs: Any = None,
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
    priors     the share of each class where the tree will be used
    class_weight   a factor for the weight of each class, or "balanced"
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
    matrix = None if costs is None else cost_matrix(costs, table.schema.target)
    table = weigh_classes(table, priors, class_weight)
    return grow_table(table, {"recipe": recipe or "default", **chosen}, progress, matrix)


def grow_table(
    table: Table,
    options: Mapping[str, Any],
    progress: Progress | None = None,
    costs: Array | None = None,
) -> Tree:
    """Grow from a Table with a whole set of options, as `bough.recipes.options_for` gives it."""
    if table.target is None:
        raise DataError("The table has no target, so there is nothing to learn from.")
    if table.n_rows == 0:
        raise DataError("The table has no rows.")
    if not table.cells:
        raise DataError("The table has no column to ask about, only the target.")
    started = time.perf_counter()
    prepared = prepare(table, options["missing"], options["missing_share"])
    table = prepared.table
    options, feels = _feel_costs(options, costs)
    weighed = table
    if feels == "priors" and costs is not None:
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        weighed = replace(table, weights=weights * altered_priors(costs)[table.target])
    n = table.n_rows
    counted = n if weighed.weights is None else int((weighed.weights > 0).sum())
    grown = core.grow(
        weighed,
        prepared.core,
        _for_core(options, counted),
        costs,
        progress and (lambda done: progress(done, n)),
    )
    tree = _tree(grown, table, options, prepared, costs)
    if weighed is not table:
        tree = with_stats_of(tree, table)
    notes = [*table.notes, *prepared.notes, *_notes(table, options, grown)]
    report = {"seconds": time.perf_counter() - started, "ties": grown["ties"], "notes": notes}
    return replace(tree, report=report)


def _feel_costs(options: Mapping[str, Any], costs: Array | None) -> tuple[dict[str, Any], str]:
    """The options with the criterion that feels the costs, and where they are felt."""
    criterion, use = options["criterion"], options["cost_use"]
    if costs is None:
        if criterion == "cost_gini":
            raise OptionError('criterion="cost_gini" weighs mistakes by costs: give costs=.')
        return dict(options), "answers"
    if use == "auto":
        use = "criterion" if criterion in ("gini", "cost_gini") else "priors"
    if use == "criterion" and criterion not in ("gini", "cost_gini"):
        raise OptionError(
            f'cost_use="criterion" needs criterion="gini", not "{criterion}". '
            'Use cost_use="priors", or criterion="gini".'
        )
    if use == "criterion":
        criterion = "cost_gini"
    return {**options, "criterion": criterion}, use


def _tree(
    grown: Mapping[str, Any],
    table: Table,
    options: Mapping[str, Any],
    prepared: Prepared,
    costs: Array | None,
) -> Tree:
    surrogates = grown["surrogates"]
    return Tree(
        schema=table.schema,
        nodes=Nodes(**{field.name: grown[field.name] for field in fields(Nodes)}),
        equality=options["equality"],
        empty_branch=options["empty_branch"],
        # Threads are left out: they change the time, never the tree.
        options={name: value for name, value in options.items() if name != "threads"},
        runners_up=_runners_up(grown) if options["runners_up"] else None,
        surrogates=None if surrogates is None else Surrogates(**surrogates),
        fills=prepared.fills,
        costs=costs,
    )


def _for_core(options: Mapping[str, Any], n_rows: int) -> dict[str, Any]:
    """Shares become rows, "no limit" a number."""

    def rows(value: int | float) -> int:
        return min(value, most) if isinstance(value, int) else max(1, math.ceil(value * n_rows))

    most = 2**31 - 1  # as many as a table may have rows
    return {
        **options,
        "max_depth": -1 if options["max_depth"] is None else min(options["max_depth"], most),
        "max_p": 1.0 if options["max_p"] is None else options["max_p"],
        "max_leaves": min(options["max_leaves"] or 0, most),
        "min_rows_split": rows(options["min_rows_split"]),
        "min_rows_leaf": rows(options["min_rows_leaf"]),
        "threads": core.thread_count(options["threads"]),
    }


def _notes(table: Table, options: Mapping[str, Any], grown: Mapping[str, Any]) -> list[str]:
    notes = [
        f'column "{table.schema.names[column]}" was left out: it has more than 32,000 levels, too '
        'many for one branch each; use categories="subset"'
        for column in grown["too_many_levels"]
    ]
    if grown["ordered_subsets"] and options["categories"] == "merged":
        notes.append(
            f"{grown['ordered_subsets']} searches over more than 128 levels put those most "
            "alike together first, into at most 128 groups, and merged these"
        )
    elif grown["ordered_subsets"]:
        notes.append(
            f"{grown['ordered_subsets']} searches over more than 10 levels and more than two "
            "classes looked at the levels in one order (first principal component), not at all "
            "subsets"
        )
    return notes


def _runners_up(grown: Mapping[str, Any]) -> RunnersUp:
    return RunnersUp(
        at=grown["runner_at"],
        column=grown["runner_column"],
        gain=grown["runner_gain"],
        threshold=grown["runner_threshold"],
    )
