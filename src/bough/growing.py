"""Table + options → the Tree as it is grown, by the core: the story in one page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bough import core
from bough.costs import altered_priors
from bough.data.missing import Prepared, prepare
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError
from bough.prices import TestCosts
from bough.restat import with_stats_of
from bough.tree import Nodes, RunnersUp, Surrogates, Tree

__all__ = ["Progress", "grow_table", "shifted"]

Progress = Callable[[int, int], object]
"""Told now and then how many rows have reached their leaf, and of how many."""


def shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of one tree of several: rows of the trees before it, and of all together."""
    return progress and (lambda done, _: progress(before + done, total))


def grow_table(
    table: Table,
    options: Mapping[str, Any],
    progress: Progress | None = None,
    costs: Array | None = None,
    codes: core.Codes | None = None,
    test_costs: TestCosts | None = None,
) -> Tree:
    """Grow from a Table with a whole set of options, as `bough.recipes.options_for` gives it; all
    but pruning, which is not growing: bough.making does both. `codes`: of the table, if known."""
    if table.target is None:
        raise DataError("The table has no target, so there is nothing to learn from.")
    if table.n_rows == 0:
        raise DataError("The table has no rows.")
    if not table.cells:
        raise DataError("The table has no column to ask about, only the target.")
    started, given, all_rows = time.perf_counter(), table, table.n_rows
    prepared = prepare(table, options["missing"], options["missing_share"])
    if test_costs is not None:
        test_costs = test_costs.of_columns(table.schema.names, prepared.table.schema.names)
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
        test_costs,
        progress and (lambda done: progress(done, all_rows)),
        codes if _same_cells(given, table) else None,
    )
    if progress is not None:
        progress(all_rows, all_rows)
    tree = replace(_tree(grown, table, options, prepared, costs), test_costs=test_costs)
    if weighed is not table:
        tree = with_stats_of(tree, table)
    notes = [*table.notes, *prepared.notes, *_notes(table, options, grown)]
    report = {"seconds": time.perf_counter() - started, "ties": grown["ties"], "notes": notes}
    return replace(tree, report=report)


def _same_cells(one: Table, other: Table) -> bool:
    """Has nothing been filled or dropped?"""
    pairs = zip(one.cells, other.cells, strict=False)
    return len(one.cells) == len(other.cells) and all(a is b for a, b in pairs)


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
        # Threads are left out: they change the time, never the tree. It is not pruned yet.
        options={n: value for n, value in options.items() if n != "threads"} | {"prune": None},
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
        "max_adjusted_p": 1.0 if options["max_adjusted_p"] is None else options["max_adjusted_p"],
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
