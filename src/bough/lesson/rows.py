"""The rows of one node as arrays, put together by the values of a column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bough import measure
from bough.data.schema import Column
from bough.data.table import Array, Table
from bough.lesson.facts import Side
from bough.tree import Nodes

__all__ = ["Groups", "NodeRows", "side_of_node"]


@dataclass(frozen=True)
class NodeRows:
    """The rows of a node. A *sums* array holds class weights; for regression weight, Σ w·d and
    Σ w·d², d the distance of the target from `centre`: near 0 sums lose no digits."""

    table: Table
    criterion: str
    at: Array
    """Numbers of the rows in the table."""

    @cached_property
    def n_classes(self) -> int:
        return len(self.table.schema.target.classes)

    @cached_property
    def target(self) -> Array:
        assert self.table.target is not None
        found: Array = self.table.target[self.at]
        return found

    @cached_property
    def weights(self) -> Array:
        if self.table.weights is None:
            return np.ones(len(self.at))
        found: Array = self.table.weights[self.at]
        return found

    @cached_property
    def centre(self) -> float:
        return 0.0 if self.n_classes else float(np.average(self.target, weights=self.weights))

    def sums(self, group: Array, n_groups: int) -> Array:
        """One line of sums per group; `group` numbers the group of every row."""
        if self.n_classes:
            at = group * self.n_classes + self.target
            counted = np.bincount(at, self.weights, n_groups * self.n_classes)
            return counted.reshape(n_groups, self.n_classes)
        gap = self.target - self.centre
        parts = [self.weights, self.weights * gap, self.weights * gap * gap]
        return np.stack([np.bincount(group, part, n_groups) for part in parts], axis=1)

    def side(self, label: str, rows: int, sums: Array) -> Side:
        """The sums of some rows as they are shown."""
        if self.n_classes:
            weight = float(sums.sum())
            impurity = measure.impurity(sums, self.criterion) if weight else 0.0
            return Side(label, rows, weight, tuple(sums.tolist()), impurity)
        weight, total, squares = sums.tolist()
        if not weight:
            return Side(label, rows, 0.0, (0.0, 0.0, 0.0), 0.0)
        squared = max(0.0, squares - total * total / weight)
        stats = (weight, self.centre + total / weight, squared)
        return Side(label, rows, weight, stats, squared / weight)

    def gain(self, children: Array, criterion: str | None = None) -> float:
        """What a split into these children (lines of sums) wins."""
        if self.n_classes:
            return measure.gain(children, criterion or self.criterion)
        weight = children[:, 0]
        there = children[weight > 0]
        means = there[:, 1] / there[:, 0]
        mean = there[:, 1].sum() / weight.sum()
        return float((there[:, 0] * (means - mean) ** 2).sum() / weight.sum())


@dataclass(frozen=True)
class Groups:
    """The rows of a node by the value of one column."""

    values: Array
    """Numbers or codes, rising; without the missing ones."""
    rows: Array
    sums: Array
    """One line per value."""
    missing_rows: int
    missing_sums: Array

    @classmethod
    def of(cls, node: NodeRows, column: Column, place: int) -> Groups:
        cells = node.table.cells[place][node.at]
        known = ~np.isnan(cells) if column.kind == "number" else cells >= 0
        values, inverse = np.unique(cells[known], return_inverse=True)
        group = np.full(len(cells), len(values))
        group[known] = inverse
        sums = node.sums(group, len(values) + 1)
        rows = np.bincount(group, minlength=len(values) + 1)
        return cls(values, rows[:-1], sums[:-1], int(rows[-1]), sums[-1])

    @property
    def n(self) -> int:
        """Different values, missing counted as one."""
        return len(self.values) + (self.missing_rows > 0)


def side_of_node(nodes: Nodes, node: int, label: str) -> Side:
    """A node of a tree as a side."""
    stats = tuple(nodes.stats[node].tolist())
    weight, impurity = float(nodes.weight[node]), float(nodes.impurity[node])
    return Side(label, int(nodes.rows[node]), weight, stats, impurity)
