"""Reduced-error pruning: rows held out say whether a leaf would do as well.

S1 (`equal="prune"`, `label="training"`) cuts a node when the leaf makes no more errors than what is
below it. S4 (`equal="keep"`, `label="pruning"`) cuts only when what is below makes more errors than
the majority of the held-out rows would, and lets that majority answer. A node that no held-out
row reaches has no errors either way, so S1 cuts it and S4 keeps it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.table import Array
from bough.errors import DataError
from bough.prune.losses import TOLERANCE, Losses, best_answers, seen_by, tree_losses, weight_of
from bough.prune.method import Job, Outcome, Verdict
from bough.prune.record import counted, loss_word
from bough.tree import Tree

__all__ = ["run"]


def run(job: Job) -> Outcome:
    tree = job.tree
    table = job.need_table("reduced_error prunes by rows the tree was not grown from.")
    held = seen_by(tree, table)
    weight = weight_of(tree, held.passing)
    if not weight[0] > 0:
        raise DataError("The rows to prune by have no weight: give rows that count.")
    answers: Array = tree.answers
    if job.options["label"] == "pruning":
        answers = _answers_of(tree, held.passing, weight)
    losses = tree_losses(tree, held, answers)
    as_leaf = losses.as_leaf
    margin = TOLERANCE * float(max(as_leaf.max(), losses.ending.sum()))
    chosen, below = _decide(tree, losses, margin, job.options["equal"] == "prune")
    what = loss_word(tree)

    def verdict(node: int) -> Verdict:
        if weight[node] == 0:
            why = "no held-out row comes here"
        else:
            compared = "=" if abs(as_leaf[node] - below[node]) <= margin else "<"
            why = f"held-out {what} {as_leaf[node]:.6g} {compared} {below[node]:.6g}"
        numbers = {"as_leaf": float(as_leaf[node]), "as_subtree": float(below[node])}
        return why, {**numbers, "held_out_weight": float(weight[node])}

    return Outcome(
        np.flatnonzero(chosen),
        verdict,
        _relabelled(tree, answers, np.flatnonzero(chosen)),
        {"held_out_rows": table.n_rows},
        _unreached(tree, weight),
    )


def _decide(tree: Tree, losses: Losses, margin: float, equal: bool) -> tuple[Array, Array]:
    """From the bottom up: which nodes become leaves, and what the subtrees they end lose."""
    parent, inner = tree.nodes.parent.tolist(), (~tree.is_leaf).tolist()
    leaf, current = losses.as_leaf.tolist(), losses.ending.tolist()
    below, chosen = [0.0] * len(tree), [False] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        if inner[node]:
            below[node] = current[node]
            gap = leaf[node] - current[node]
            if gap <= margin if equal else gap < -margin:
                chosen[node], current[node] = True, leaf[node]
        if node:
            current[parent[node]] += current[node]
    return np.array(chosen), np.array(below)


def _answers_of(tree: Tree, passing: Array, weight: Array) -> Array:
    """What the held-out rows of a node would answer; the training rows where there are none."""
    own: Array = tree.answers
    if tree.schema.target.task == "regression":
        return np.asarray(np.where(weight > 0, passing[:, 1], own))
    return np.asarray(np.where(weight > 0, best_answers(passing, tree.costs, own), own))


def _relabelled(tree: Tree, answers: Array, nodes: Array) -> Array | None:
    """`set_answers` once these nodes answer so; None when the stats say it all."""
    changed = nodes[answers[nodes] != tree.answers[nodes]]
    if not len(changed):
        return tree.set_answers
    if tree.set_answers is not None:
        told = tree.set_answers.copy()
    elif tree.schema.target.task == "regression":
        told = np.full(len(tree), np.nan)
    else:
        told = np.full(len(tree), -2, dtype=np.int32)
    told[changed] = answers[changed]
    return told


def _unreached(tree: Tree, weight: Array) -> list[dict[str, Any]]:
    nodes = np.flatnonzero(~tree.is_leaf & (weight == 0)).tolist()
    if not nodes:
        return []
    text = f"no held-out row reaches {counted(len(nodes), 'inner node')}: nothing was tested there"
    return [{"doubt": text, "nodes": nodes[:1000]}]
