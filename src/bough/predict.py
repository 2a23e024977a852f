"""Tree + rows → answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import core
from bough.data.table import Array, Table
from bough.errors import DataError, nearest
from bough.splits import Split
from bough.tree import Tree

__all__ = [
    "RowRouter",
    "answers",
    "apply",
    "apply_table",
    "labels",
    "needed_columns",
    "predict",
    "predict_proba",
    "shares",
]


def apply(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Array:
    """The number of the leaf every row reaches. `read`: how to read data, as in bough.grow."""
    return apply_table(tree, _cells(tree, data, read), threads)


def predict(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Array:
    """The answer for every row, as the target was written."""
    found: Array = labels(tree)[apply(tree, data, threads=threads, **read)]
    return found


def predict_proba(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Array:
    """float64[rows, classes]: the class shares of every row's leaf."""
    if tree.schema.target.task == "regression":
        raise DataError(
            f'The target "{tree.schema.target.name}" is a number, so there are no class shares. '
            "Use predict."
        )
    found: Array = tree.shares[apply(tree, data, threads=threads, **read)]
    return found


def apply_table(tree: Tree, table: Table, threads: int | None = None) -> Array:
    """`apply` for rows that are a Table of the tree's own schema."""
    return core.apply(table, tree.equality == "<", tree.nodes, threads)


def _cells(tree: Tree, data: Any, read: Mapping[str, Any]) -> Table:
    if isinstance(data, Table):
        return data
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
    largest = stats.max(axis=1)
    answer: Array = stats.argmax(axis=1).astype(np.int32)
    tied = ((stats == largest[:, None]).sum(axis=1) > 1) & ~empty
    for node in np.flatnonzero(tied).tolist():
        answer[node] = _break_tie(stats, parent, node)
    for node in np.flatnonzero(empty).tolist():
        answer[node] = -1 if tree.empty_branch == "unknown" else answer[parent[node]]
    if tree.set_answers is not None:
        answer = np.where(tree.set_answers == -2, answer, tree.set_answers)
    return answer


def _break_tie(stats: Array, parent: Array, node: int) -> int:
    candidates = np.flatnonzero(stats[node] == stats[node].max())
    while len(candidates) > 1 and parent[node] >= 0:
        node = parent[node]
        above = stats[node][candidates]
        candidates = candidates[above == above.max()]
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
        node = 0
        first_child, splits = self._first_child, self._splits
        while first_child[node] >= 0:
            split = splits.get(node) or self._split(node)
            name = split.column.name
            if name not in row:
                raise self._lacks(row, name)
            node = first_child[node] + split.route(row[name])
        return self._labels[node]

    def path(self, row: Mapping[str, Any]) -> list[int]:
        nodes = [0]
        while self._first_child[nodes[-1]] >= 0:
            split = self._split(nodes[-1])
            if split.column.name not in row:
                raise self._lacks(row, split.column.name)
            nodes.append(self._first_child[nodes[-1]] + split.route(row[split.column.name]))
        return nodes

    def _split(self, node: int) -> Split:
        if node not in self._splits:
            split = self._tree.split(node)
            assert split is not None
            self._splits[node] = split
        return self._splits[node]

    def _lacks(self, row: Mapping[str, Any], name: str) -> DataError:
        return DataError(
            f'The row has no "{name}", which the tree asks about.{nearest(name, row)} '
            "Give None if the cell is missing."
        )
