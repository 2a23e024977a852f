"""Rules + rows with known answers → how good every rule is, and which are in each other's way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bough.data.schema import Schema
from bough.data.table import Array, Table
from bough.rules.rule import Rule, Score

__all__ = ["Overlap", "Rows", "first_fits", "majority", "overlaps", "scored"]

CHUNK = 8192
"""Rows looked at together where every rule is held against every row."""
BLOCK = 1024
"""Rules held against every rule at a time."""


@dataclass(frozen=True)
class Rows:
    """A table with its target, without the rows that do not count."""

    schema: Schema
    cells: tuple[Array, ...]
    target: Array
    weights: Array

    @classmethod
    def of(cls, table: Table) -> Rows:
        assert table.target is not None
        weights = table.weights
        if weights is not None and not (weights > 0).all():
            table = table.take(weights > 0)
            weights = table.weights
        assert table.target is not None
        if weights is None:
            weights = np.ones(len(table.target))
        return cls(table.schema, table.cells, table.target, weights)

    def __len__(self) -> int:
        return len(self.target)

    @property
    def is_regression(self) -> bool:
        return self.schema.target.task == "regression"

    @cached_property
    def weight(self) -> float:
        return float(self.weights.sum())

    @cached_property
    def everyone(self) -> Array:
        return np.arange(len(self.target))

    @cached_property
    def stats(self) -> tuple[float, ...]:
        """The target of all rows."""
        return self.stats_of(self.everyone)

    def covered(self, rule: Rule, among: Array | None = None) -> Array:
        """The numbers of the rows that meet every condition of a rule."""
        rows = self.everyone if among is None else among
        return rule.covered(self.cells, self.schema.index, rows)

    def losses(self, answer: float) -> Array:
        """What an answer costs on every row: its weight where wrong; squared error × weight."""
        if self.is_regression:
            return np.asarray(self.weights * (self.target - answer) ** 2)
        return np.where(self.target == answer, 0.0, self.weights)

    def stats_of(self, rows: Array) -> tuple[float, ...]:
        """The target of some rows: weight of each class; or weight, mean, squared deviations."""
        target, weights = self.target[rows], self.weights[rows]
        if not self.is_regression:
            classes = len(self.schema.target.classes)
            return tuple(np.bincount(target, weights, classes).tolist())
        weight = float(weights.sum())
        if weight == 0.0:
            return (0.0, 0.0, 0.0)
        mean = float((weights * target).sum()) / weight
        return weight, mean, float((weights * (target - mean) ** 2).sum())

    def score(self, rule: Rule, rows: Array, first: float) -> Score:
        """The score of a rule that covers these rows and answers for `first` of their weight."""
        weight = float(self.weights[rows].sum())
        coverage = weight / self.weight if self.weight > 0 else math.nan
        if weight == 0.0:
            return Score(0, 0.0, coverage, math.nan, math.nan, first)
        if self.is_regression:
            error = float((self.weights[rows] * (self.target[rows] - rule.answer) ** 2).sum())
            return Score(len(rows), weight, coverage, error / weight, math.nan, first)
        right = float(self.weights[rows[self.target[rows] == rule.answer]].sum()) / weight
        base = self.stats[int(rule.answer)] / self.weight if rule.answer >= 0 else 0.0
        lift = right / base if base > 0 else math.nan
        return Score(len(rows), weight, coverage, 1.0 - right, lift, first)


def first_fits(rules: Sequence[Rule], table: Table | Rows) -> Array:
    """int32: for every row the place of the first rule that fits; −1 where none does."""
    n = len(table) if isinstance(table, Rows) else table.n_rows
    first = np.full(n, -1, dtype=np.int32)
    open_rows = np.arange(n)
    for place, rule in enumerate(rules):
        if not len(open_rows):
            break
        first[rule.covered(table.cells, table.schema.index, open_rows)] = place
        open_rows = open_rows[first[open_rows] < 0]
    return first


def scored(rules: Sequence[Rule], default: Rule, rows: Rows) -> tuple[tuple[Rule, ...], Rule]:
    """The rules and the default with their scores on these rows."""
    first = first_fits(rules, rows)
    answered = np.bincount(first + 1, rows.weights, len(rules) + 1).tolist()
    judged = tuple(
        replace(rule, score=rows.score(rule, rows.covered(rule), answered[place]))
        for place, rule in enumerate(rules, start=1)
    )
    left = np.flatnonzero(first < 0)
    return judged, replace(default, score=rows.score(default, left, answered[0]))


def majority(rows: Rows, some: Array, fallback: float) -> tuple[float, tuple[float, ...]]:
    """The best single answer for some of the rows (all, if there are none), and their stats.

    A tie goes to the tied class that is larger among all rows, then to the earlier one.
    """
    if not len(rows):
        return fallback, (0.0,) * (3 if rows.is_regression else len(rows.schema.target.classes))
    stats = rows.stats_of(some) if len(some) else rows.stats
    if rows.is_regression:
        return stats[1], stats
    return max(range(len(stats)), key=lambda code: (stats[code], rows.stats[code], -code)), stats


# ---- rules in each other's way -------------------------------------------------------------------


@dataclass(frozen=True)
class Overlap:
    """Two rules that fit the same rows."""

    first: int
    second: int
    """Places in the rule set; the first one answers."""
    rows: int
    weight: float
    conflict: bool
    """Their answers differ: another class, or numbers further apart than the larger of the two
    standard deviations."""


def overlaps(rules: Sequence[Rule], rows: Rows) -> list[Overlap]:
    """Every pair of rules that share a row, those that share most weight first."""
    found: list[Overlap] = []
    for start in range(0, len(rules), BLOCK):
        counts, weights = _shared(rules, start, rows)
        later = np.triu(counts, k=start + 1)  # every pair once, the earlier rule first
        firsts, seconds = np.nonzero(later)
        shared = later[firsts, seconds].tolist(), weights[firsts, seconds].tolist()
        for i, j, n, weight in zip(
            (firsts + start).tolist(), seconds.tolist(), *shared, strict=True
        ):
            conflict = _differ(rules[i], rules[j], rows.is_regression)
            found.append(Overlap(i, j, n, weight, conflict))
    return sorted(found, key=lambda pair: (-pair.weight, pair.first, pair.second))


def _shared(rules: Sequence[Rule], start: int, rows: Rows) -> tuple[Array, Array]:
    """Rows and weight that a block of the rules (the first axis) shares with every rule."""
    n_block = min(BLOCK, len(rules) - start)
    counts = np.zeros((n_block, len(rules)), dtype=np.int64)
    weights = np.zeros((n_block, len(rules)))
    for begin in range(0, len(rows), CHUNK):
        here = np.arange(begin, min(begin + CHUNK, len(rows)))
        fits = np.zeros((len(here), len(rules)), dtype=np.float32)  # a chunk's counts fit
        for place, rule in enumerate(rules):
            fits[rows.covered(rule, here) - begin, place] = 1.0
        several = fits.sum(axis=1) > 1.0
        fits, weigh = fits[several], rows.weights[here[several]]
        block = fits[:, start : start + n_block]
        together = block.T @ fits
        counts += together.astype(np.int64)
        weights += together if (weigh == 1.0).all() else (block * weigh[:, None]).T @ fits
    return counts, weights


def _differ(one: Rule, other: Rule, is_regression: bool) -> bool:
    if not is_regression:
        return one.answer != other.answer
    known = one.answer == one.answer, other.answer == other.answer
    if not all(known):
        return known[0] != known[1]
    spreads = [s for s in (one.spread, other.spread) if s == s]
    return abs(one.answer - other.answer) > max(spreads, default=0.0)
