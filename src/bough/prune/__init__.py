"""Pruning: Tree → smaller Tree. One file per method, one line per method in RUN below.

    prune(tree, "chi_square", max_p=0.1)
    prune(tree, "reduced_error", "held_out.csv")
    prune(tree, "cost_complexity", "training.csv", folds=10, rule="one_se")

The tree given is never touched. What was cut and why is in `report["pruning"]` of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bough.data.match import fit_table, refuse_reading
from bough.data.table import Table
from bough.errors import DataError, OptionError
from bough.prune import chi_square, cost_complexity, pessimistic, reduced_error
from bough.prune.curves import Point, curve_table
from bough.prune.cut import cut
from bough.prune.method import Job, Outcome
from bough.prune.record import pruning_record
from bough.prune_checks import check_prune_options, check_task
from bough.prune_options import METHODS, Method
from bough.tree import Tree

if TYPE_CHECKING:
    from bough import core
    from bough.growing import Progress

__all__ = ["METHODS", "RUN", "curve", "cut", "prune", "prune_table"]

RUN: dict[str, Callable[[Job], Outcome]] = {
    "reduced_error": reduced_error.run,
    "chi_square": chi_square.run,
    "cost_complexity": cost_complexity.run,
    "pessimistic": pessimistic.run,
}
"""How each of METHODS, which says what may be asked of it, prunes."""


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
    options    of the method: bough.prune.METHODS[method].options
    """
    chosen = check_prune_options(method, options)
    whole = METHODS[method].trained(chosen)
    read = {"target": target, "weights": weights, "missing_marks": missing_marks}
    table = _rows(tree, data, sql, whole, read)
    return prune_table(tree, table, method, costs=costs, **options)


def prune_table(
    tree: Tree,
    table: Table | None,
    method: str,
    *,
    costs: Any = None,
    progress: Progress | None = None,
    threads: int | None = None,
    codes: core.Codes | None = None,
    **options: Any,
) -> Tree:
    """`prune` by rows that are a Table of the tree's own schema, with its target. `codes`: of its
    cells, if known."""
    chosen, how = check_prune_options(method, options), METHODS[method]
    check_task(how, tree.schema.target.task, tree.schema.target.name)
    told = _with_costs(how, tree, costs)
    if table is not None and table.schema.columns != tree.schema.columns:
        codes = None  # growing has left out columns
    job = Job(told, tree, _usable(table, tree), chosen, progress, threads, codes)
    outcome = RUN[method](job)
    if outcome.unchanged:
        return tree
    pruned = outcome.tree
    if pruned is None:
        if outcome.set_answers is not None:
            told = replace(told, set_answers=outcome.set_answers)
        pruned = cut(told, outcome.cut)
    record = pruning_record(job, method, outcome, pruned)
    return replace(pruned, report={**tree.report, "pruning": record})


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
    if isinstance(data, Table):
        refuse_reading({**read, "sql": sql})
        return data
    if data is None and sql is None:
        return None
    from bough.data.read import read_cells
    from bough.predict import needed_columns

    needed = None if whole else needed_columns(tree)
    return read_cells(data, tree.schema, sql=sql, need_target=True, needed=needed, **read)


def _usable(table: Table | None, tree: Tree) -> Table | None:
    if table is None:
        return None
    if table.target is None:
        raise DataError(
            f'The rows to prune by have no target "{tree.schema.target.name}". Read them with '
            "need_target=True."
        )
    if table.n_rows == 0:
        raise DataError("There are no rows to prune by, only the names of the columns.")
    return fit_table(table, tree.schema)  # growing may have left out columns
