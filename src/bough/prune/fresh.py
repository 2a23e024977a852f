"""Grow and prune in one go: rows are held out, or dealt to folds, before the tree has seen them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.data.table import Array, Table
from bough.errors import DataError, OptionError
from bough.folds import check_folds, fold_numbers, held_out
from bough.prune.method import Method
from bough.tree import Tree

__all__ = ["HeldOut", "grow_then"]

SHARE = 0.3


@dataclass(frozen=True)
class HeldOut:
    """How rows are held out: a share, or one of the folds; by default a share of 0.3."""

    share: float | None
    folds: int | None
    seed: int

    def check(self, method: Method, needed: bool) -> None:
        if self.share is not None and self.folds is not None:
            raise OptionError(
                f"holdout={self.share} and folds={self.folds} are given, and rows are held out in "
                "one way. Give one of the two."
            )
        told = f"holdout={self.share}" if self.folds is None else f"folds={self.folds}"
        if not needed and (self.share is not None or self.folds is not None):
            raise OptionError(
                f"{method.name} with these options looks at no held-out rows, so {told} would "
                "only waste rows. Leave it out."
            )

    def mask(self, table: Table) -> Array:
        if self.folds is not None:  # one of the folds prunes, the others grow
            check_folds(self.folds, table.n_rows)
            return np.equal(fold_numbers(table, self.folds, self.seed), 0)
        return held_out(table, SHARE if self.share is None else self.share, self.seed)


def grow_then(
    table: Table,
    method: Method,
    options: Mapping[str, Any],
    how: HeldOut,
    grow: Callable[[Table], Tree],
    prune: Callable[[Tree, Table | None], Tree],
) -> Tree:
    """The story of `bough.prune.grow_and_prune`."""
    if table.target is None:
        raise DataError("The table has no target, so there is nothing to learn from.")
    needed = method.held_out(options)
    how.check(method, needed)
    if not needed:
        return prune(grow(table), table if method.trained(options) else None)
    held = how.mask(table)
    learn = table.take(~held)
    if learn.weights is not None and not learn.weights.any():
        raise DataError("All rows that were not held out have weight 0. Hold out fewer rows.")
    tree = grow(learn)
    note = f"{int(held.sum()):,} of {table.n_rows:,} rows were held out to prune by"
    report = {**tree.report, "notes": [*tree.report.get("notes", ()), note]}
    return prune(replace(tree, report=report), table.take(held))
