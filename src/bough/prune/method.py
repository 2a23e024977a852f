"""What a pruning method gets and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.data.table import Array, Table
from bough.errors import OptionError
from bough.tree import Tree

if TYPE_CHECKING:
    from bough import core
    from bough.growing import Progress

__all__ = ["Job", "Outcome", "Verdict"]

Verdict = tuple[str, dict[str, Any]]
"""Why a node was cut: in words, and the numbers compared."""


@dataclass(frozen=True)
class Job:
    """A tree to prune, with everything checked."""

    tree: Tree
    grown: Tree
    """The tree as it was given: `tree` may know costs that it was not grown with."""
    table: Table | None
    options: Mapping[str, Any]
    progress: Progress | None = None
    """Told of the rows of the trees that are grown for folds."""
    threads: int | None = None
    """To grow those with; None: as many as there are."""
    codes: core.Codes | None = None
    """Of the table's cells, if known."""

    def need_table(self, why: str) -> Table:
        if self.table is None:
            raise OptionError(f"{why} Give rows: data= (on the command line --data).")
        return self.table


@dataclass(frozen=True)
class Outcome:
    """What a method decided."""

    cut: Array
    """Nodes judged to be leaves; one may lie below another."""
    verdict: Callable[[int], Verdict]
    set_answers: Array | None = None
    """As in Tree, for the nodes of the tree that was given; None: as they are."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What the report says besides: the curve, what was chosen, redeemed nodes."""
    doubts: list[dict[str, Any]] = field(default_factory=list)
    tree: Tree | None = None
    """The pruned tree, where it is more than cut (subtree raising)."""
    unchanged: bool = False
    """This very pruning was done before: the tree stays as it is, report and all."""

    @staticmethod
    def nothing_to_do() -> Outcome:
        return Outcome(np.empty(0, dtype=np.int64), lambda node: ("", {}), unchanged=True)
