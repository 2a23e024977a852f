"""Subtree raising: the largest branch of a node takes its place, and all its rows go there.

The tree being changed is a set of slots. A slot asks the question of one node of the tree
that was given (`source`) and holds slots below it; raising gives a slot the question and the slots
of its largest branch. The rows of the other branches are then sent down again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bough import measure
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError
from bough.predict import apply_table, shares_rows_out
from bough.prune.bound import upper_errors
from bough.prune.cut import below_any, select_nodes, select_runners_up, select_surrogates
from bough.prune.losses import TOLERANCE, endings, seen_by
from bough.prune.record import path_words
from bough.splits import STAYS
from bough.tree import Tree

__all__ = ["Raised", "raise_subtrees"]


@dataclass
class Raised:
    """The result, and what was done; nodes are those of the tree given."""

    tree: Tree
    cut: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Node cut → expected errors of the leaf and of what was below."""
    told: list[dict[str, Any]] = field(default_factory=list)


def raise_subtrees(tree: Tree, table: Table, cf: float, slack: float) -> Raised:
    """C4.5's pruning with subtree raising; `table` holds the rows the tree was grown from."""
    work = _Work(tree, table, cf, slack)
    work.run()
    order = work.below(0)
    if len(order) == len(tree) and not work.told:
        return Raised(tree)
    return Raised(work.finish(order), work.cut, work.told)


_Ends = tuple[Array, Array]
"""Rows that end in a leaf, and the share of each."""


def _together(parts: list[_Ends]) -> _Ends:
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([s for _, s in parts])


class _Work:
    def __init__(self, tree: Tree, table: Table, cf: float, slack: float) -> None:
        self.tree, self.table, self.cf, self.slack = tree, table, cf, slack
        self.source = list(range(len(tree)))
        self.slots = [list(tree.children(node)) for node in range(len(tree))]
        self.is_leaf = tree.is_leaf.copy()  # by source
        self.stats = tree.nodes.stats.copy()
        self.ends = self._ends()
        self.expected = [0.0] * len(tree)
        self.known: dict[tuple[float, float], float] = {}
        self.cut: dict[int, tuple[float, float]] = {}
        self.told: list[dict[str, Any]] = []

    def _ends(self) -> dict[int, _Ends]:
        """The rows of every leaf."""
        nodes = self.tree.nodes
        if (nodes.missing_to[~self.tree.is_leaf] == STAYS).any():
            raise OptionError(
                'raising=True does not go with missing="stop": rows that stop at a question have '
                "no place when a branch takes over. Prune with raising=False."
            )
        seen = seen_by(self.tree, self.table).passing
        if not np.allclose(seen, self.tree.nodes.stats, rtol=1e-6, atol=1e-9):
            raise DataError(
                f"raising=True needs the rows the tree was grown from ({self.tree.nodes.rows[0]:,} "
                f"rows), and these {self.table.n_rows:,} rows do not fall into it the same way. "
                "Give the training rows, with the same weights."
            )
        row, share, leaf = endings(self.tree, self.table)
        order = np.argsort(leaf, kind="stable")
        at = np.searchsorted(leaf[order], np.arange(len(self.tree) + 1))
        parts = {n: order[at[n] : at[n + 1]] for n in np.flatnonzero(self.tree.is_leaf).tolist()}
        return {node: (row[part], share[part]) for node, part in parts.items()}

    # ---- one slot after the other, from the bottom ----

    def run(self) -> None:
        waiting = [(0, False)]
        while waiting:
            slot, ready = waiting.pop()
            if not self.slots[slot]:
                self.expected[slot] = self._expect(self.stats[[slot]])
            elif not ready:
                waiting.append((slot, True))
                waiting.extend((below, False) for below in self.slots[slot])
            elif self._judge(slot):
                waiting.append((slot, False))  # its subtree is another one now: judge it again

    def _expect(self, stats: Array) -> float:
        """The errors to expect of leaves with these stats."""
        weight = stats.sum(axis=1)
        pairs = list(zip(weight.tolist(), (weight - stats.max(axis=1)).tolist(), strict=True))
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        if new:
            asked = np.array(new)
            bounds = upper_errors(asked[:, 0], asked[:, 1], self.cf).tolist()
            self.known.update(zip(new, bounds, strict=True))
        return sum(self.known[pair] for pair in pairs)

    def _judge(self, slot: int) -> bool:
        """Cuts or raises; tells whether a branch was raised."""
        slots = self.slots[slot]
        leaf = self._expect(self.stats[[slot]])
        below = sum(self.expected[s] for s in slots)
        largest = max(slots, key=lambda s: (float(self.stats[s].sum()), -s))
        branch, ends = self._as_branch(slot, largest)
        if leaf <= min(below, branch) + self.slack:
            self._cut(slot, leaf, below)
        elif branch <= below + self.slack:
            self._raise(slot, largest, ends, branch, below)
            return True
        else:
            self.expected[slot] = below
        return False

    def below(self, slot: int) -> list[int]:
        """The slots of a subtree, level by level, itself first."""
        order = [slot]
        for at in order:
            order.extend(self.slots[at])
        return order

    def _as_branch(self, slot: int, largest: int) -> tuple[float, dict[int, _Ends]]:
        """What the largest branch would do with all rows of the slot, and where they would end."""
        if not self.slots[largest]:
            return float("inf"), {}  # no better than the slot as a leaf
        order = self.below(largest)
        ends = self._send(order, *_together([self.ends[s] for s in self._leaves(slot)]))
        return self._expect(np.array([self._count(part) for part in ends.values()])), ends

    def _send(self, order: list[int], rows: Array, shares: Array) -> dict[int, _Ends]:
        """Where rows end that start at the first of these slots."""
        leaves = [s for s in order if not self.slots[s]]
        if shares_rows_out(self.tree):
            arrived = {order[0]: (rows, shares)}
            for s in order:
                if self.slots[s]:
                    parts = self._share_out(s, *arrived.pop(s))
                    arrived.update(zip(self.slots[s], parts, strict=True))
            return arrived
        place = apply_table(self._tree(order), self.table.take(rows))
        sort = np.argsort(place, kind="stable")
        at = np.searchsorted(place[sort], np.arange(len(order) + 1))
        here = {s: sort[at[i] : at[i + 1]] for i, s in enumerate(order)}
        return {s: (rows[here[s]], shares[here[s]]) for s in leaves}

    def _share_out(self, slot: int, rows: Array, shares: Array) -> list[_Ends]:
        """Rows with a missing cell go to all children, by the weight of those that know theirs."""
        question = self._tree([slot, *self.slots[slot]], stop_at_children=True)
        question.nodes.missing_to[0] = STAYS
        child = apply_table(question, self.table.take(rows)) - 1
        parts = [(rows[child == i], shares[child == i]) for i in range(len(self.slots[slot]))]
        known = np.array([self._count(part).sum() for part in parts])
        if not known.any():
            known = np.array([self.stats[s].sum() for s in self.slots[slot]])
        unknown = (rows[child < 0], shares[child < 0])
        return [
            _together([part, (unknown[0], unknown[1] * share)]) if share > 0 else part
            for part, share in zip(parts, (known / known.sum()).tolist(), strict=True)
        ]

    def _leaves(self, slot: int) -> list[int]:
        return [s for s in self.below(slot) if not self.slots[s]]

    def _tree(self, order: list[int], stop_at_children: bool = False) -> Tree:
        """Slots, level by level, as a tree; its stats are those of the nodes they come from."""
        sources = np.array([self.source[s] for s in order])
        is_leaf = self.is_leaf
        if stop_at_children:
            is_leaf = np.ones(len(self.tree), dtype=bool)
            is_leaf[sources[0]] = False
        asking = np.where(is_leaf[sources], -1, sources)
        return replace(
            self.tree,
            nodes=select_nodes(self.tree.nodes, sources, is_leaf),
            runners_up=select_runners_up(self.tree.runners_up, asking),
            surrogates=select_surrogates(self.tree.surrogates, asking),
            set_answers=None if self.tree.set_answers is None else self.tree.set_answers[sources],
        )

    def _count(self, ends: _Ends) -> Array:
        rows, shares = ends
        assert self.table.target is not None
        weights = shares if self.table.weights is None else shares * self.table.weights[rows]
        return np.bincount(self.table.target[rows], weights, minlength=self.stats.shape[1])

    def _cut(self, slot: int, leaf: float, below: float) -> None:
        self.ends[slot] = _together([self.ends.pop(s) for s in self._leaves(slot)])
        self.slots[slot] = []
        self.is_leaf[self.source[slot]] = True
        self.expected[slot] = leaf
        self.cut[self.source[slot]] = (leaf, below)

    def _raise(
        self, slot: int, largest: int, ends: dict[int, _Ends], branch: float, below: float
    ) -> None:
        node, taken = self.source[slot], self.source[largest]
        self.told.append(
            {
                "node": node,
                "path": path_words(self.tree, node),
                "by": taken,
                "why": f"expected errors of its largest branch {branch:.6g} ≤ {below:.6g} "
                f"+ {self.slack:g}",
                "as_branch": branch,
                "as_subtree": below,
            }
        )
        for leaf in self._leaves(slot):
            del self.ends[leaf]
        self.ends.update(ends)
        for s in reversed(self.below(largest)):  # children before their parents
            slots = self.slots[s]
            self.stats[s] = self.stats[slots].sum(axis=0) if slots else self._count(self.ends[s])
        self.slots[slot], self.source[slot] = self.slots[largest], taken

    # ---- the tree it makes ----

    def finish(self, order: list[int]) -> Tree:
        """The slots as a tree, with the numbers of nodes that got more rows set right."""
        tree = self._tree(order)
        nodes, stats = tree.nodes, self.stats[order]  # fresh arrays, so they may be written to
        changed = (np.abs(stats - nodes.stats) > TOLERANCE * nodes.weight[0]).any(axis=1)
        nodes.stats[changed] = stats[changed]
        nodes.weight[changed] = stats[changed].sum(axis=1)
        row, _, place = endings(tree, self.table)
        if self.table.weights is not None:
            counts = self.table.weights[row] > 0
            row, place = row[counts], place[counts]
        for node in np.flatnonzero(changed).tolist():
            chosen = np.arange(len(tree)) == node
            here = row[(chosen | below_any(nodes.parent, chosen))[place]]
            _measure(tree, node, self.table, np.unique(here))
        kept = np.array([self.source[s] for s in order])
        same = np.where(changed | tree.is_leaf, -1, kept)  # the others ran for other rows
        return replace(tree, runners_up=select_runners_up(self.tree.runners_up, same))


def _measure(tree: Tree, node: int, table: Table, rows: Array) -> None:
    """Rows, impurity, gain, p value and missing cells of a node that got more rows."""
    nodes, criterion = tree.nodes, str(tree.options.get("criterion", "gini"))
    criterion = "gini" if criterion == "cost_gini" else criterion
    nodes.rows[node] = len(rows)
    nodes.impurity[node] = measure.impurity(nodes.stats[node], criterion)
    if tree.is_leaf[node]:
        return
    children = nodes.stats[list(tree.children(node))]
    nodes.gain[node] = measure.gain(children[children.any(axis=1)], criterion)
    nodes.p_value[node] = measure.chi_square(children).p_value
    cells = table.cells[int(nodes.column[node])][rows]
    missing = np.isnan(cells) if cells.dtype.kind == "f" else cells < 0
    nodes.missing_rows[node] = int(missing.sum())
