"""Weakest-link pruning: for every node the price per leaf, α, from which on it is a leaf.

Breiman et al. cut the weakest link, look again, cut again. Here every node is visited once, from
the bottom. What the best pruned subtree below a node t costs, R + α·leaves, is a line in pieces:
each piece ends where some node below collapses. t itself collapses at the α where its own R(t) + α
is no dearer. Seen from large α all nodes below are leaves; undoing their collapses from the
latest to the earlier ones, until the next one lies before t's own α, finds it. A collapse that is
undone lies after t's and never matters again, so each is undone at most once.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from bough.data.table import Array
from bough.prune.losses import TOLERANCE, Losses
from bough.prune.nested import least_above
from bough.tree import Tree

__all__ = ["collapse_at", "price_steps"]

_Heap = list[tuple[float, int]]


def collapse_at(tree: Tree, risk: Losses) -> Array:
    """float64 per node: the smallest α at which it is a leaf; −inf for leaves.

    `risk`: what nodes lose, as leaves R(t), as a share of all weight.
    """
    n = len(tree)
    first, count = tree.nodes.first_child.tolist(), tree.nodes.n_children.tolist()
    own, ending = risk.as_leaf.tolist(), risk.ending.tolist()
    alphas = [-np.inf] * n
    saved_leaves, added_risk = [0] * n, [0.0] * n
    heaps: dict[int, _Heap] = {}
    for node in range(n - 1, -1, -1):
        if count[node] == 0:
            continue
        children = range(first[node], first[node] + count[node])
        collapses = _merged([heaps.pop(child) for child in children if child in heaps])
        leaves, below = count[node], ending[node] + sum(own[child] for child in children)
        alpha = (own[node] - below) / (leaves - 1)
        while collapses and -collapses[0][0] > alpha:
            undone = heappop(collapses)[1]
            leaves += saved_leaves[undone]
            below -= added_risk[undone]
            alpha = (own[node] - below) / (leaves - 1)
        alphas[node], saved_leaves[node], added_risk[node] = alpha, leaves - 1, own[node] - below
        heappush(collapses, (-alpha, node))
        heaps[node] = collapses
    return _merge_equal(np.array(alphas), TOLERANCE * max(own[0], TOLERANCE))


def _merged(heaps: list[_Heap]) -> _Heap:
    """The small ones are poured into the largest: every entry moves at most log n times."""
    if not heaps:
        return []
    largest = max(heaps, key=len)
    for heap in heaps:
        if heap is not largest:
            for entry in heap:
                heappush(largest, entry)
    return largest


def _merge_equal(alphas: Array, tolerance: float) -> Array:
    """Prices that differ by rounding only become one; what costs nothing collapses at 0."""
    inner = np.flatnonzero(alphas > -np.inf)
    inner = inner[np.argsort(alphas[inner], kind="stable")]
    if not len(inner):
        return alphas
    price = np.where(alphas[inner] <= tolerance, 0.0, alphas[inner])
    begins = np.flatnonzero(np.concatenate(([True], np.diff(price) > tolerance)))
    largest = price[np.concatenate((begins[1:], [len(price)])) - 1]
    alphas[inner] = np.repeat(largest, np.diff(np.concatenate((begins, [len(price)]))))
    return alphas


def price_steps(tree: Tree, cut_at: Array) -> Array:
    """The α at which the tree gets smaller, rising from 0."""
    seen = (cut_at > -np.inf) & (cut_at < least_above(tree.nodes.parent, cut_at))
    return np.unique(np.concatenate(([0.0], cut_at[seen])))
