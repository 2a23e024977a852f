"""What was cut and why, node by node, as the report keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.data.table import Array
from bough.prune.losses import add_up
from bough.prune.method import Job, Outcome
from bough.splits import Split
from bough.tree import Tree

__all__ = ["LISTED", "counted", "fewest_bottom_up", "loss_word", "path_words", "pruning_record"]

LISTED = 1_000
"""Nodes told one by one; of more, those with the most rows. The others are counted."""
MOST_QUESTIONS = 30
"""Of a longer path the last ones are told."""


def loss_word(tree: Tree) -> str:
    """What is compared: errors, cost or squared error."""
    if tree.schema.target.task == "regression":
        return "squared error"
    return "errors" if tree.costs is None else "cost"


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def pruning_record(job: Job, method: str, outcome: Outcome, pruned: Tree) -> dict[str, Any]:
    """The report of one pruning; node numbers are those of the tree that was given."""
    tree = job.tree
    judged = outcome.cut[~tree.is_leaf[outcome.cut]]
    record: dict[str, Any] = {
        "method": method,
        "options": dict(job.options),
        "leaves_before": tree.n_leaves,
        "leaves": pruned.n_leaves,
        **outcome.extra,
        "cut": _cut_nodes(tree, judged, outcome),
    }
    if tree.costs is not None:
        record["costs"] = tree.costs.tolist()
    if len(judged) > LISTED:
        record["cut_not_listed"] = len(judged) - LISTED
    record["doubts"] = outcome.doubts
    earlier = earlier_records(tree)
    if earlier:
        record["earlier"] = earlier
    return record


def earlier_records(tree: Tree) -> list[dict[str, Any]]:
    """What this tree was pruned by before, the last first."""
    last = tree.report.get("pruning")
    if not isinstance(last, Mapping):
        return []
    return [{k: v for k, v in last.items() if k != "earlier"}, *last.get("earlier", ())]


def fewest_bottom_up(tree: Tree, nodes: Array) -> list[int]:
    """The nodes from the bottom up, as they are judged; of very many the largest."""
    if len(nodes) > LISTED:
        nodes = nodes[np.argsort(-tree.nodes.rows[nodes], kind="stable")[:LISTED]]
    return [int(node) for node in np.sort(nodes)[::-1]]


def _cut_nodes(tree: Tree, nodes: Array, outcome: Outcome) -> list[dict[str, Any]]:
    from bough.prune.cut import below_any

    chosen = np.zeros(len(tree), dtype=bool)
    chosen[nodes] = True
    gone = below_any(tree.nodes.parent, chosen)
    leaves = add_up(tree, tree.is_leaf.astype(np.float64))
    splits: dict[int, Split | None] = {}
    listed = []
    for node in fewest_bottom_up(tree, nodes):
        why, numbers = outcome.verdict(node)
        listed.append(
            {
                "node": node,
                "path": path_words(tree, node, splits),
                "why": why,
                **numbers,
                "leaves": int(leaves[node]),
                "rows": int(tree.nodes.rows[node]),
                "became": "gone" if gone[node] else "leaf",
            }
        )
    return listed


def path_words(tree: Tree, node: int, splits: dict[int, Split | None] | None = None) -> str:
    """The questions from the root to a node; `splits` keeps the ones already made ready."""
    splits = {} if splits is None else splits
    words: list[str] = []
    while node > 0 and len(words) < MOST_QUESTIONS:
        above = int(tree.nodes.parent[node])
        if above not in splits:
            splits[above] = tree.split(above)
        split = splits[above]
        assert split is not None
        words.append(split.ask(node - int(tree.nodes.first_child[above])))
        node = above
    if node > 0:
        words.append(f"({counted(int(tree.depths[node]), 'question')} before)")
    return " and ".join(reversed(words)) or "all rows"
