"""Tree + rows → answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bough import core
from bough.data.match import as_row, fit_table, no_cell, refuse_reading
from bough.data.missing import fill_cells
from bough.data.table import Array, Table
from bough.errors import DataError
from bough.splits import STAYS, TO_ALL, UNKNOWN, Split
from bough.tree import Nodes, Surrogates, Tree

__all__ = [
    "RowRouter",
    "answers",
    "apply",
    "apply_table",
    "labels",
    "needed_columns",
    "pieces",
    "predict",
    "predict_proba",
    "shares",
]

ROUNDING = 1e-12
"""Costs and mixtures are sums of decimals: what differs by less than this share of them ties."""


def apply(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Array:
    """The number of the leaf every row reaches. `read`: how to read data, as in bough.grow."""
    return apply_table(tree, _cells(tree, data, read), threads)


def predict(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Array:
    """The answer for every row, as the target was written."""
    table = _cells(tree, data, read)
    leaf = apply_table(tree, table, threads)
    found: Array = labels(tree)[leaf]
    if shares_rows_out(tree):  # the others answer like their leaf, ties included
        mixed = np.flatnonzero(_first_stops(tree, table, threads) != leaf)
        answer = mixed_labels(tree, mixture(tree, table.take(mixed), threads))
        if answer.dtype == object:  # some do not know
            found = found.astype(object)
        found[mixed] = answer
    return found


def predict_proba(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Array:
    """float64[rows, classes]: the class shares of every row's leaf (or of all it goes to)."""
    if tree.schema.target.task == "regression":
        raise DataError(
            f'The target "{tree.schema.target.name}" is a number, so there are no class shares. '
            "Use predict."
        )
    table = _cells(tree, data, read)
    if shares_rows_out(tree):
        return mixture(tree, table, threads)
    found: Array = tree.shares[apply_table(tree, table, threads)]
    return found


def shares_rows_out(tree: Tree) -> bool:
    """Does the tree send rows with missing cells down all branches?"""
    nodes = tree.nodes
    return bool(((nodes.missing_to == TO_ALL) & (nodes.n_children > 0)).any())


def apply_table(tree: Tree, table: Table, threads: int | None = None) -> Array:
    """`apply` for rows that are a Table of the tree's own schema. A row that would go down all
    branches goes down the heaviest."""
    nodes = tree.nodes
    if shares_rows_out(tree):
        nodes = replace(nodes, missing_to=_heaviest_instead(tree))
    return _walk(tree, nodes, _filled(tree, table), threads)


def _walk(
    tree: Tree, nodes: Nodes, table: Table, threads: int | None, start: Array | None = None
) -> Array:
    kept = tree.surrogates
    surrogates = kept and {f.name: getattr(kept, f.name) for f in fields(Surrogates)}
    return core.apply(table, tree.equality == "<", nodes, surrogates or None, threads, start)


def _filled(tree: Tree, table: Table) -> Table:
    if not tree.fills:
        return table
    return replace(table, cells=fill_cells(tree.schema, table.cells, tree.fills))


def _waiting(tree: Tree) -> Nodes:
    """Nodes at which rows wait where they would go to all children."""
    missing_to = np.where(tree.nodes.missing_to == TO_ALL, STAYS, tree.nodes.missing_to)
    return replace(tree.nodes, missing_to=missing_to.astype(np.int16))


def _first_stops(tree: Tree, table: Table, threads: int | None) -> Array:
    """Per row its leaf, or the first node that sends it to all children."""
    return _walk(tree, _waiting(tree), _filled(tree, table), threads)


def _heaviest_instead(tree: Tree) -> Array:
    missing_to = tree.nodes.missing_to.copy()
    for node in np.flatnonzero((missing_to == TO_ALL) & (tree.nodes.n_children > 0)).tolist():
        missing_to[node] = _heaviest(tree, node)
    return missing_to


def _heaviest(tree: Tree, node: int) -> int:
    """The child of largest weight, the first of equal ones: pieces of rows add up roughly."""
    below = tree.children(node)
    weight = tree.nodes.weight[below.start : below.stop]
    return int(np.argmax(weight >= weight.max() * (1 - 1e-9)))


def mixture(tree: Tree, table: Table, threads: int | None = None) -> Array:
    """What all leaves a row goes to say together, each by its share of the weight: class shares
    (float64[rows, classes]), or means (float64[rows, 1])."""
    contents = _contents(tree)
    total = np.zeros((table.n_rows, contents.shape[1]))
    for row, weight, at in pieces(tree, table, threads):
        np.add.at(total, row, weight[:, None] * contents[at])
    return total


def pieces(
    tree: Tree, table: Table, threads: int | None = None
) -> Iterator[tuple[Array, Array, Array]]:
    """Where the rows end: (row, share of it, node); the shares of a row add up to 1.

    Rows walk until they would go to all children, wait there, and go on from every child."""
    table = _filled(tree, table)
    waiting = _waiting(tree)
    row, weight = np.arange(table.n_rows), np.ones(table.n_rows)
    start = np.zeros(table.n_rows, np.int32)
    while len(row):
        at = _walk(tree, waiting, table.take(row), threads, start)
        stays = ~_may_share_out(tree)[at]
        yield row[stays], weight[stays], at[stays]
        row, weight, start = _shared_out(tree, row[~stays], weight[~stays], at[~stays])


def _shared_out(tree: Tree, row: Array, weight: Array, at: Array) -> tuple[Array, Array, Array]:
    """Every waiting row once for each child of its node."""
    n_children = tree.nodes.n_children[at]
    which = np.repeat(np.arange(len(at)), n_children)
    place = np.arange(len(which)) - np.repeat(np.cumsum(n_children) - n_children, n_children)
    child = (tree.nodes.first_child[at][which] + place).astype(np.int32)
    child_weight = tree.nodes.weight[child]
    together = np.bincount(which, child_weight, len(at))
    share = weight[which] * child_weight / together[which]
    kept = share > 0
    return row[which][kept], share[kept], child[kept]


def _may_share_out(tree: Tree) -> Array:
    """Per node: does a missing cell go on from here? Not where no row has been below."""
    nodes = tree.nodes
    below = np.bincount(nodes.parent[1:], nodes.weight[1:], len(tree))
    found: Array = (nodes.n_children > 0) & (nodes.missing_to == TO_ALL) & (below > 0)
    return found


def _contents(tree: Tree) -> Array:
    """What every node adds to a mixture: its class shares, or its mean."""
    if tree.schema.target.task == "regression":
        means: Array = tree.answers[:, None]
        return means
    return tree.shares


def mixed_labels(tree: Tree, mixed: Array) -> Array:
    """The answers that mixtures give, as the user wrote the classes: of equal ones the earlier
    class; None where part of the mixture does not know."""
    if tree.schema.target.task == "regression":
        means: Array = mixed[:, 0]
        return means
    loss = mixed @ tree.costs if tree.costs is not None else -mixed
    found: Array = np.array(tree.schema.target.classes)[_least(loss).argmax(axis=1)]
    unknown = np.isnan(mixed).any(axis=1)
    if unknown.any():
        found = found.astype(object)
        found[unknown] = None
    return found


def _least(loss: Array, slack: float = ROUNDING) -> Array:
    """Which answers of every row cost least, up to a share of the largest cost."""
    size = np.abs(loss).max(axis=1, keepdims=True)
    near: Array = loss <= loss.min(axis=1, keepdims=True) + slack * size
    return near


def _cells(tree: Tree, data: Any, read: Mapping[str, Any]) -> Table:
    if isinstance(data, Table):
        refuse_reading(read)
        return fit_table(data, tree.schema)
    from bough.data.read import read_cells

    return read_cells(data, tree.schema, needed=needed_columns(tree), **read)


def needed_columns(tree: Tree) -> set[str]:
    """The columns the tree asks about; the others may be absent."""
    asked = np.unique(tree.nodes.column[tree.nodes.column >= 0])
    return {tree.schema.names[column] for column in asked.tolist()}


# ---- what a node answers -------------------------------------------------------------------------


def answers(tree: Tree) -> Array:
    """Per node: the class of largest weight (int32; −1 unknown), or the mean (float64).

    A tie goes to the tied class that is larger at the parent, and so on up, then to the earlier.
    With costs the cheapest answer takes the place of the largest class.
    """
    stats, parent = tree.nodes.stats, tree.nodes.parent
    empty = tree.nodes.weight == 0
    if tree.schema.target.task == "regression":
        mean = stats[:, 1].copy()
        for node in np.flatnonzero(empty).tolist():  # parents come first, so theirs is known
            mean[node] = np.nan if tree.empty_branch == "unknown" else mean[parent[node]]
        if tree.set_answers is not None:
            mean = np.where(np.isnan(tree.set_answers), mean, tree.set_answers)
        return mean
    # What each answer costs; without costs, less for more weight.
    loss = stats @ tree.costs if tree.costs is not None else -stats
    slack = ROUNDING if tree.costs is not None else 0.0
    least = _least(loss, slack)
    answer: Array = least.argmax(axis=1).astype(np.int32)
    for node in np.flatnonzero((least.sum(axis=1) > 1) & ~empty).tolist():
        answer[node] = _break_tie(loss, tree.nodes.parent, node, slack)
    for node in np.flatnonzero(empty).tolist():
        answer[node] = -1 if tree.empty_branch == "unknown" else answer[parent[node]]
    if tree.set_answers is not None:
        answer = np.where(tree.set_answers == -2, answer, tree.set_answers)
    return answer


def _break_tie(loss: Array, parent: Array, node: int, slack: float) -> int:
    candidates = np.flatnonzero(_least(loss[[node]], slack))
    while len(candidates) > 1 and parent[node] >= 0:
        node = parent[node]
        candidates = candidates[_least(loss[[node]][:, candidates], slack)[0]]
    return int(candidates[0])


def shares(tree: Tree) -> Array:
    """Per node: the class shares, float64[n, k]."""
    nodes = tree.nodes
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Array = nodes.stats / nodes.stats.sum(axis=1, keepdims=True)
    for node in np.flatnonzero(nodes.weight == 0).tolist():
        share[node] = np.nan if tree.empty_branch == "unknown" else share[nodes.parent[node]]
    return share


def labels(tree: Tree) -> Array:
    """Per node: the answer as the user wrote it; None (classes) or NaN (numbers) when unknown."""
    answer = tree.answers
    classes = tree.schema.target.classes
    if not classes:
        return answer
    if (answer < 0).any():
        table = np.array([*classes, None], dtype=object)  # −1 is the last
        return table[answer]
    return np.array(classes)[answer]


# ---- one row at a time ---------------------------------------------------------------------------


class RowRouter:
    """Sends single rows down a tree, without arrays. Splits are made ready when first met."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._labels = labels(tree).tolist()
        self._first_child = tree.nodes.first_child.tolist()
        self._splits: dict[int, Split] = {}

    def answer(self, row: Mapping[str, Any]) -> Any:
        if type(row) is not dict:
            row = as_row(row)
        node = 0
        first_child = self._first_child
        while first_child[node] >= 0:
            child = self.child(node, row)
            if child == TO_ALL:
                return self._mixed(node, row)
            if child < 0:
                break
            node = first_child[node] + child
        return self._labels[node]

    def path(self, row: Mapping[str, Any]) -> list[int]:
        """The nodes a row passes; where it would go to all children, the heaviest."""
        row = as_row(row)
        nodes = [0]
        while self._first_child[nodes[-1]] >= 0:
            child = self.child(nodes[-1], row)
            if child == TO_ALL:
                child = _heaviest(self._tree, nodes[-1])
            if child < 0:
                break
            nodes.append(self._first_child[nodes[-1]] + child)
        return nodes

    def child(self, node: int, row: Mapping[str, Any]) -> int:
        """Where a row goes on from a node: a child, TO_ALL or STAYS."""
        split = self._splits.get(node) or self.split(node)
        name = split.column.name
        if name not in row:
            raise no_cell(row, name, "tree asks")
        child = split.known(row[name])
        if child != UNKNOWN:
            return child
        fills = self._tree.fills
        if name in fills:
            return split.route(fills[name])
        for surrogate in split.surrogates:
            child = surrogate.known(row.get(surrogate.question.column.name))
            if child != UNKNOWN:
                return child
        return split.missing_to

    def _mixed(self, node: int, row: Mapping[str, Any]) -> Any:
        """The answer of all the leaves a row reaches, added in the order `mixture` adds them, so
        that one row and many agree to the last bit."""
        contents = _contents(self._tree)
        total = np.zeros(contents.shape[1])
        wave = [(node, 1.0)]
        while wave:
            following: list[tuple[int, float]] = []
            for start, weight in wave:
                at, child = self._stop(start, row)
                if child != TO_ALL:
                    total += weight * contents[at]
                    continue
                below = self._tree.children(at)
                held = self._tree.nodes.weight[below.start : below.stop].tolist()
                together = sum(held)
                parts = [weight * part / together for part in held]
                following += [(c, part) for c, part in zip(below, parts, strict=True) if part > 0]
            wave = following
        return mixed_labels(self._tree, total[None, :]).tolist()[0]

    def _stop(self, node: int, row: Mapping[str, Any]) -> tuple[int, int]:
        """Where a row ends that starts at a node, and TO_ALL if it would go on to all children."""
        while self._first_child[node] >= 0:
            child = self.child(node, row)
            if child < 0:
                return node, child
            node = self._first_child[node] + child
        return node, STAYS

    def split(self, node: int) -> Split:
        """The question of an inner node."""
        if node not in self._splits:
            split = self._tree.split(node)
            assert split is not None
            self._splits[node] = split
        return self._splits[node]
