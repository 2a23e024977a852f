"""Tree + nodes that shall be leaves → the smaller tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bough.data.table import Array
from bough.errors import OptionError
from bough.tree import LEAF, Nodes, RunnersUp, Surrogates, Tree

__all__ = ["below_any", "cut", "select_nodes", "select_runners_up", "select_surrogates"]

_IN_A_LEAF: dict[str, Any] = {
    "n_children": 0,
    "split_kind": LEAF,
    "column": -1,
    "threshold": np.nan,
    "unseen_to": -1,
    "missing_to": -1,
    "missing_rows": 0,
    "gain": 0.0,
    "p_value": np.nan,
}
_BY_LEVEL = ("levels_at", "levels", "level_child")
_FAMILY = ("first_child", "parent")


def cut(tree: Tree, nodes: Iterable[int] | Array) -> Tree:
    """The tree in which these nodes are leaves: what was below them is gone.

    Nodes keep their stats and their answers and are numbered anew, level by level. The tree given
    is not touched; it is what comes back when there is nothing to cut.
    """
    stop = np.zeros(len(tree), dtype=bool)
    stop[_checked(tree, nodes)] = True
    stop &= ~tree.is_leaf
    if not stop.any():
        return tree
    kept = np.flatnonzero(~below_any(tree.nodes.parent, stop))
    # What is left stands in the old order, and that is level by level, left to right.
    answers = tree.set_answers
    return replace(
        tree,
        nodes=select_nodes(tree.nodes, kept, stop),
        runners_up=select_runners_up(tree.runners_up, np.where(stop[kept], -1, kept)),
        set_answers=None if answers is None else answers[kept],
        surrogates=select_surrogates(tree.surrogates, np.where(stop[kept], -1, kept)),
    )


def _checked(tree: Tree, nodes: Iterable[int] | Array) -> Array:
    chosen = np.asarray(nodes if isinstance(nodes, np.ndarray) else list(nodes))
    if chosen.size == 0:
        return np.empty(0, dtype=np.int64)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise OptionError(f"The nodes to cut are {nodes!r}: give a list of node numbers.")
    wrong = chosen[(chosen < 0) | (chosen >= len(tree))]
    if len(wrong):
        raise OptionError(
            f"There is no node {wrong[0]} to cut: the nodes of this tree are 0 to {len(tree) - 1}."
        )
    return chosen


def below_any(parent: Array, chosen: Array) -> Array:
    """bool per node: does it have a chosen node above it?

    Every round looks twice as far up, so a tree of any depth takes few rounds.
    """
    up = np.maximum(parent, 0)
    below: Array = chosen[up]
    below[0] = False
    while up.any():
        below = below | below[up]
        up = up[up]
    return below


def select_nodes(nodes: Nodes, kept: Array, leaf: Array) -> Nodes:
    """Some nodes, in an order that is level by level; those marked in `leaf` become leaves."""
    stops = leaf[kept]
    chosen: dict[str, Array] = {}
    for item in fields(Nodes):
        if item.name not in _BY_LEVEL and item.name not in _FAMILY:
            chosen[item.name] = getattr(nodes, item.name)[kept]
            if item.name in _IN_A_LEAF:
                chosen[item.name][stops] = _IN_A_LEAF[item.name]
    inner = np.where(stops, -1, kept)
    picked, chosen["levels_at"] = _ranges(nodes.levels_at, inner)
    chosen["levels"], chosen["level_child"] = nodes.levels[picked], nodes.level_child[picked]
    chosen |= _family(chosen["n_children"])
    return Nodes(**chosen)


def _family(n_children: Array) -> dict[str, Array]:
    """Children stand in the order of their parents, so their counts say where."""
    last = np.cumsum(n_children, dtype=np.int64)
    first = np.where(n_children > 0, 1 + last - n_children, -1).astype(np.int32)
    parents = np.repeat(np.arange(len(n_children), dtype=np.int32), n_children)
    return {
        "first_child": first,
        "parent": np.concatenate((np.array([-1], dtype=np.int32), parents)),
    }


def _ranges(at: Array, nodes: Array) -> tuple[Array, Array]:
    """Which records belong to these nodes (−1: a node without any), and where each one's begin."""
    counts = np.where(nodes >= 0, np.diff(at)[nodes], 0)
    begins = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)))
    shift = np.repeat(at[nodes] - begins[:-1], counts)
    return np.arange(begins[-1], dtype=np.int64) + shift, begins


def select_runners_up(runners: RunnersUp | None, nodes: Array) -> RunnersUp | None:
    """Those of some nodes; −1: a leaf, whose runners-up ran against a split that is gone."""
    if runners is None:
        return None
    picked, at = _ranges(runners.at, nodes)
    return RunnersUp(at, runners.column[picked], runners.gain[picked], runners.threshold[picked])


def select_surrogates(surrogates: Surrogates | None, nodes: Array) -> Surrogates | None:
    """Those of some nodes; −1: a leaf, which has none."""
    if surrogates is None:
        return None
    picked, at = _ranges(surrogates.at, nodes)
    levels, levels_at = _ranges(surrogates.levels_at, picked)
    return Surrogates(
        at=at,
        column=surrogates.column[picked],
        threshold=surrogates.threshold[picked],
        flipped=surrogates.flipped[picked],
        agreement=surrogates.agreement[picked],
        levels_at=levels_at,
        levels=surrogates.levels[levels],
        level_child=surrogates.level_child[levels],
    )
