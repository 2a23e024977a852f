"""Prunings that lie inside each other: one number per node says from where on it is a leaf.

A node is cut at step s when cut_at[node] ≤ s: the larger s, the smaller the tree. Cost-complexity
pruning (s = α) and χ² pruning (s falls as max_p rises) are both of this kind, so one file
follows errors along them and chooses a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough import core
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError
from bough.folds import each_fold, fold_numbers, rows_that_count
from bough.growing import Progress, grow_table, shifted
from bough.options import OPTIONS, check_options
from bough.prune.cut import cut
from bough.prune.losses import TOLERANCE, Losses, row_losses, seen_by, tree_losses
from bough.prune.method import Job
from bough.tree import Tree

__all__ = [
    "Choice",
    "CutAt",
    "Judge",
    "along",
    "choose",
    "grow_like",
    "judge",
    "least_above",
    "make_judges",
]

CutAt = Callable[[Tree], Array]
"""float64 per node; −inf in leaves."""


def along(
    tree: Tree, cut_at: Array, steps: Array, as_leaf: Array, ending: Array | None = None
) -> Array:
    """At every step (rising), the sum of values over the leaves the tree then has, and of the
    values of what ends at its other nodes."""
    above = least_above(tree.nodes.parent, cut_at)
    last = np.searchsorted(steps, above, side="left")
    first = np.searchsorted(steps, cut_at, side="left")
    total = _spread(first, last, as_leaf, len(steps))
    if ending is not None:
        inner = ~tree.is_leaf
        until = np.minimum(first, last)[inner]
        total += _spread(np.zeros(len(until), dtype=np.int64), until, ending[inner], len(steps))
    return total


def _spread(first: Array, last: Array, values: Array, n_steps: int) -> Array:
    """Every value counts from its first step until before its last."""
    seen = (first < last) & (values != 0)
    comes = np.bincount(first[seen], values[seen], minlength=n_steps + 1)
    goes = np.bincount(last[seen], values[seen], minlength=n_steps + 1)
    return np.cumsum(comes - goes)[:-1]


def least_above(parent: Array, cut_at: Array) -> Array:
    """The smallest number of all nodes above each node; every round looks twice as far up."""
    up = np.maximum(parent, 0)
    least: Array = cut_at[up]
    least[0] = np.inf
    while up.any():
        least = np.minimum(least, least[up])
        up = up[up]
    return least


# ---- judging by rows the tree has not seen -------------------------------------------------------


@dataclass(frozen=True)
class Judge:
    """A tree, where it may be cut, and rows it was not grown from."""

    tree: Tree
    cut_at: Array
    table: Table
    losses: Losses

    def totals(self, steps: Array) -> Array:
        losses = self.losses
        return along(self.tree, self.cut_at, steps, losses.as_leaf, losses.ending)

    def rows(self, step: float) -> tuple[Array, Array]:
        """What each row loses at one step, and its weight."""
        smaller = cut(self.tree, np.flatnonzero(self.cut_at <= step))
        weights = np.ones(self.table.n_rows) if self.table.weights is None else self.table.weights
        return row_losses(smaller, self.table), weights


def judge(tree: Tree, cut_at: CutAt, table: Table) -> Judge:
    """The tree as rows held out see it."""
    return Judge(tree, cut_at(tree), table, tree_losses(tree, seen_by(tree, table)))


def make_judges(job: Job, cut_at: CutAt, own: Array) -> list[Judge]:
    """The tree itself before the rows held out; or for every fold a tree grown alike from the
    other folds, before that fold. `own`: what cut_at says of the tree itself."""
    table, folds = job.table, job.options["folds"]
    assert table is not None
    if folds is None:
        return [judge(job.tree, lambda _: own, table)]
    counting = rows_that_count(table)
    codes = job.codes if counting is table else None
    table, judges, grown = counting, list[Judge](), 0
    codes = codes or core.encode(table, job.threads)  # once for all folds
    for learn, held in each_fold(fold_numbers(table, folds, job.options["seed"])):
        rows = np.flatnonzero(learn)
        some = core.take_codes(codes, rows, job.threads)
        progress = shifted(job.progress, grown, table.n_rows * (folds - 1))
        tree = grow_like(job.grown, table.take(rows), progress, some, job.threads)
        judges.append(judge(replace(tree, costs=job.tree.costs), cut_at, table.take(held)))
        grown += len(rows)
    return judges


def grow_like(
    tree: Tree,
    table: Table,
    progress: Progress | None = None,
    codes: core.Codes | None = None,
    threads: int | None = None,
) -> Tree:
    """A tree from other rows, by the options this one was grown with, not pruned."""
    known = {name: tree.options[name] for name in OPTIONS if name in tree.options}
    if not known:
        raise OptionError(
            "folds= grows trees like this one, and this one does not say how it was grown. "
            "Give held-out rows instead (data=, without folds)."
        )
    fresh = {"runners_up": False, "threads": threads}
    options = {**tree.options, **check_options(known), **fresh}
    if options.get("missing") == "drop_columns":  # they are dropped; all trees ask the same ones
        options["missing"] = "learned"
    return grow_table(table, options, progress, tree.costs, codes, tree.test_costs)


@dataclass(frozen=True)
class Choice:
    """The step chosen, and what it was chosen by."""

    at: int
    """Its place among the steps."""
    errors: Array
    """Per step: loss per unit of weight."""
    smallest: float
    standard_error: float
    """Of the smallest error; NaN where the rule does not need it."""


def choose(judges: Sequence[Judge], steps: Array, rule: str = "minimum") -> Choice:
    """The smallest tree among the best, or within one standard error of the best."""
    weight = sum(_weight(judge.table) for judge in judges)
    if not weight > 0:
        raise DataError("The rows to prune by have no weight: give rows that count.")
    errors: Any = np.maximum(sum(judge.totals(steps) for judge in judges) / weight, 0.0)
    smallest = float(errors.min())
    margin = TOLERANCE * max(float(errors.max()), TOLERANCE)
    best = int(np.flatnonzero(errors <= smallest + margin)[-1])
    if rule == "minimum":
        return Choice(best, errors, smallest, float("nan"))
    error = _standard_error([judge.rows(float(steps[best])) for judge in judges])
    at = int(np.flatnonzero(errors <= smallest + error + margin)[-1])
    return Choice(at, errors, smallest, error)


def _weight(table: Table) -> float:
    return float(table.n_rows if table.weights is None else table.weights.sum())


def _standard_error(parts: Sequence[tuple[Array, Array]]) -> float:
    """Of the mean loss, from the spread of the rows' losses (Breiman et al. 1984, 3.4)."""
    losses = np.concatenate([loss for loss, _ in parts])
    weights = np.concatenate([weight for _, weight in parts])
    mean = np.average(losses, weights=weights)
    return float(np.sqrt((weights**2 * (losses - mean) ** 2).sum()) / weights.sum())
