"""C4.5's error-based pruning: a leaf's own errors, seen pessimistically (Quinlan 1993, chapter 4).

No held-out rows: the errors a leaf made in training are raised to the upper end of a confidence
interval, which is wider where rows are few. A subtree goes when the leaf in its place is expected
to make no more errors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.table import Array
from bough.prune.bound import upper_errors
from bough.prune.losses import Losses, seen_in_training, tree_losses, weight_of
from bough.prune.method import Job, Outcome, Verdict
from bough.prune.raising import raise_subtrees
from bough.tree import Tree

__all__ = ["expected_errors", "run"]


def run(job: Job) -> Outcome:
    tree, cf, slack = job.tree, job.options["cf"], job.options["slack"]
    if job.options["raising"]:
        return _with_raising(job, cf, slack)
    expected = expected_errors(tree, cf)
    leaf = expected.as_leaf
    chosen, below = _decide(tree, expected, slack)

    def verdict(node: int) -> Verdict:
        return _words(leaf[node], below[node], slack), _numbers(leaf[node], below[node])

    return Outcome(np.flatnonzero(chosen), verdict, doubts=_doubts(tree))


def _doubts(tree: Tree) -> list[dict[str, Any]]:
    if tree.costs is None:
        return []
    return [{"doubt": "pessimistic counts errors; what they cost plays no part", "nodes": []}]


def expected_errors(tree: Tree, cf: float) -> Losses:
    """The errors to expect of nodes as leaves, and of the rows that end in them now."""
    seen = seen_in_training(tree)
    made = tree_losses(replace(tree, costs=None), seen, tree.answers)  # errors, not costs
    return Losses(
        upper_errors(weight_of(tree, seen.passing), made.as_leaf, cf),
        upper_errors(weight_of(tree, seen.ending), made.ending, cf),
    )


def _decide(tree: Tree, expected: Losses, slack: float) -> tuple[Array, Array]:
    parent, inner = tree.nodes.parent.tolist(), (~tree.is_leaf).tolist()
    own, current = expected.as_leaf.tolist(), expected.ending.tolist()
    below = [0.0] * len(tree)
    chosen = [False] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        if inner[node]:
            below[node] = current[node]
            if own[node] <= current[node] + slack:
                chosen[node], current[node] = True, own[node]
        if node:
            current[parent[node]] += current[node]
    return np.array(chosen), np.array(below)


def _words(leaf: float, below: float, slack: float) -> str:
    more = f" + {slack:g}" if slack else ""
    return f"expected errors {leaf:.6g} ≤ {below:.6g}{more}"


def _numbers(leaf: float, below: float) -> dict[str, Any]:
    return {"as_leaf": float(leaf), "as_subtree": float(below)}


def _with_raising(job: Job, cf: float, slack: float) -> Outcome:
    table = job.need_table("raising=True sends the rows the tree was grown from down again.")
    raised = raise_subtrees(job.tree, table, cf, slack)

    def verdict(node: int) -> Verdict:
        leaf, below = raised.cut[node]
        return _words(leaf, below, slack), _numbers(leaf, below)

    return Outcome(
        np.array(sorted(raised.cut), dtype=np.int64),
        verdict,
        extra={"raised": raised.told},
        doubts=_doubts(job.tree),
        tree=raised.tree,
    )
