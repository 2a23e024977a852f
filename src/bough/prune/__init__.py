"""Pruning: Tree → smaller Tree. One file per method, one line per method below.

    prune(tree, "chi_square", max_p=0.1)
    prune(tree, "reduced_error", "held_out.csv")
    prune(tree, "cost_complexity", "training.csv", folds=10, rule="one_se")

The tree given is never touched. What was cut and why is in `report["pruning"]` of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.table import Array, Table
from bough.errors import DataError, OptionError, nearest
from bough.growing import grow_table
from bough.options import _checked as check_option
from bough.prune import chi_square, cost_complexity, pessimistic, reduced_error
from bough.prune.curves import Point, curve_table
from bough.prune.cut import cut
from bough.prune.fresh import HeldOut, grow_then
from bough.prune.method import Job, Method
from bough.prune.record import pruning_record
from bough.tree import Tree

__all__ = [
    "METHODS",
    "check_prune_options",
    "curve",
    "cut",
    "find_method",
    "grow_and_prune",
    "prune",
    "prune_table",
]

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        reduced_error.METHOD,
        chi_square.METHOD,
        cost_complexity.METHOD,
        pessimistic.METHOD,
    )
}


def prune(
    tree: Tree,
    method: str,
    data: Any = None,
    *,
    costs: Any = None,
    target: Any = None,
    weights: Any = None,
    missing_marks: Sequence[str] = (),
    sql: str | None = None,
    **options: Any,
) -> Tree:
    """Prune a tree.

    method     reduced_error, chi_square, cost_complexity or pessimistic
    data       rows with their target: held-out ones; with folds= or raising= those the tree was
               grown from. A path, DataFrame, … or a Table of the tree's schema
    costs      what mistakes cost, as in bough.grow, where the tree does not know
    target, weights, missing_marks, sql   how to read the data, as in bough.grow
    options    of the method: METHODS[method].options
    """
    chosen = check_prune_options(method, options)
    whole = METHODS[method].trained(chosen)
    read = {"target": target, "weights": weights, "missing_marks": missing_marks}
    table = _rows(tree, data, sql, whole, read)
    return prune_table(tree, table, method, costs=costs, **options)


def prune_table(
    tree: Tree, table: Table | None, method: str, *, costs: Any = None, **options: Any
) -> Tree:
    """`prune` by rows that are a Table of the tree's own schema, with its target."""
    chosen, how = check_prune_options(method, options), METHODS[method]
    _check_task(how, tree)
    told = _with_costs(how, tree, costs)
    job = Job(told, tree, _usable(table, tree), chosen)
    outcome = how.run(job)
    if outcome.unchanged:
        return tree
    pruned = outcome.tree
    if pruned is None:
        if outcome.set_answers is not None:
            told = replace(told, set_answers=outcome.set_answers)
        pruned = cut(told, outcome.cut)
    record = pruning_record(job, method, outcome, pruned)
    return replace(pruned, report={**tree.report, "pruning": record})


def grow_and_prune(
    table: Table,
    options: Mapping[str, Any],
    method: str,
    prune_options: Mapping[str, Any] | None = None,
    *,
    holdout: float | None = None,
    folds: int | None = None,
    seed: int = 0,
    costs: Array | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Tree:
    """Grow with a whole set of options and a cost matrix, as `grow_table` takes them, and prune.

    Where rows decide that the tree must not have seen, a share `holdout` of the table is held out
    (default 0.3). `folds`: chi_square and cost_complexity choose by cross-validation and the tree
    is grown from all rows; reduced_error holds out one of the folds.
    """
    given = dict(prune_options or {})
    how = find_method(method)
    if folds is not None and any(option.name == "folds" for option in how.options):
        given, folds = {"folds": folds, "seed": seed, **given}, None
    chosen = check_prune_options(method, given)

    def pruner(tree: Tree, rows: Table | None) -> Tree:
        return prune_table(tree, rows, method, **given)

    def grower(rows: Table) -> Tree:
        return grow_table(rows, options, progress, costs)

    return grow_then(table, how, chosen, HeldOut(holdout, folds, seed), grower, pruner)


def curve(
    tree: Tree,
    data: Any = None,
    *,
    costs: Any = None,
    target: Any = None,
    weights: Any = None,
    missing_marks: Sequence[str] = (),
    sql: str | None = None,
) -> list[Point]:
    """(leaves, training error, held-out error) of every tree on the cost-complexity path.

    From the whole tree to its root alone; without data the third is None.
    """
    read = {"target": target, "weights": weights, "missing_marks": missing_marks}
    table = _usable(_rows(tree, data, sql, False, read), tree)
    return curve_table(_with_costs(METHODS["cost_complexity"], tree, costs), table)


# ---- checks --------------------------------------------------------------------------------------


def find_method(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        close = nearest(name, METHODS) if isinstance(name, str) else ""
        raise OptionError(
            f'There is no pruning method "{name}".{close} The methods are: {", ".join(METHODS)}.'
        )
    return METHODS[name]


def check_prune_options(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of the method, the given ones checked, the others at their defaults."""
    how = find_method(method)
    known = {option.name: option for option in how.options}
    for name in given:
        if name not in known:
            able = [other.name for other in METHODS.values() if _has(other, name)]
            belongs = f" It belongs to {', '.join(able)}." if able else nearest(name, known)
            raise OptionError(
                f'{method} has no option "{name}".{belongs} Its options are: {", ".join(known)}.'
            )
    chosen = {name: option.default for name, option in known.items()}
    for name, value in given.items():
        several = name == "max_p" and isinstance(value, list | tuple | np.ndarray)
        values = value if several else [value]
        checked = [check_option(known[name], one) for one in values]
        if name == "max_p":
            _check_max_p(checked)
        chosen[name] = checked if several else checked[0]
    return chosen


def _has(method: Method, name: str) -> bool:
    return any(option.name == name for option in method.options)


def _check_max_p(values: list[float | None]) -> None:
    for value in values:
        if value is not None and value > 1.0:
            raise OptionError(f"max_p={value:g} is out of range. Allowed: a number from 0 to 1.")
    if not values or (None in values and len(values) > 1):
        raise OptionError("max_p is a number from 0 to 1, several of them, or None.")


def _check_task(method: Method, tree: Tree) -> None:
    task = tree.schema.target.task
    if task not in method.tasks:
        able = ", ".join(other.name for other in METHODS.values() if task in other.tasks)
        raise OptionError(
            f'{method.name} is for classes, and the target "{tree.schema.target.name}" is a '
            f"number. For {task} there are: {able}."
        )


def _with_costs(method: Method, tree: Tree, costs: Any) -> Tree:
    if costs is None:
        return tree
    if not method.costs:
        able = ", ".join(other.name for other in METHODS.values() if other.costs)
        raise OptionError(f"{method.name} does not know costs. These do: {able}.")
    from bough.costs import cost_matrix

    return replace(tree, costs=cost_matrix(costs, tree.schema.target))


def _rows(
    tree: Tree, data: Any, sql: str | None, whole: bool, read: Mapping[str, Any]
) -> Table | None:
    """The data as a Table; `whole`: trees will be grown from it, so no column may be absent."""
    if isinstance(data, Table) or (data is None and sql is None):
        return data
    from bough.data.read import read_cells
    from bough.predict import needed_columns

    needed = None if whole else needed_columns(tree)
    return read_cells(data, tree.schema, sql=sql, need_target=True, needed=needed, **read)


def _usable(table: Table | None, tree: Tree) -> Table | None:
    if table is None:
        return None
    columns = tree.schema.columns
    places = [table.schema.index.get(column.name, -1) for column in columns]
    fits = all(
        at >= 0 and table.schema.columns[at] == column
        for at, column in zip(places, columns, strict=True)
    )
    if not fits or table.schema.target != tree.schema.target:
        raise DataError(
            "The table's schema is not that of the tree: columns, levels or classes differ. Read "
            "the rows with bough.read_cells(data, tree.schema, need_target=True), or give them "
            "unread."
        )
    if table.target is None:
        raise DataError(
            f'The rows to prune by have no target "{tree.schema.target.name}". Read them with '
            "need_target=True."
        )
    if table.n_rows == 0:
        raise DataError("There are no rows to prune by, only the names of the columns.")
    # growing may have left out columns that are mostly missing
    return replace(table, schema=tree.schema, cells=tuple(table.cells[at] for at in places))
