"""One rule: conditions, an answer, the evidence behind it, and how good it is on some rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bough.data.table import Array
from bough.rules.conditions import Condition

__all__ = ["NO_ROWS", "Rule", "Score", "answer_of"]


@dataclass(frozen=True)
class Score:
    """What a rule is worth on the rows it was scored on."""

    rows: int
    """Rows of weight above 0 that meet every condition, whatever other rules say."""
    weight: float
    coverage: float
    """Their share of all weight."""
    error: float
    """Share of their weight that is answered wrongly; regression: mean squared error. NaN when the
    rule covers nothing: then nothing is known of it."""
    lift: float
    """How many times as often the answer is right here as it would be for all rows; NaN for
    regression, for a rule that covers nothing, and where no row has the answer's class."""
    first: float
    """Weight of the rows for which this is the first rule that fits: those it answers."""

    @property
    def accuracy(self) -> float:
        """1 − error, for classes."""
        return 1.0 - self.error


NO_ROWS = Score(0, 0.0, 0.0, math.nan, math.nan, 0.0)
"""Of a rule that covers nothing."""


@dataclass(frozen=True)
class Rule:
    """If every condition holds, the answer. Without conditions it always fits."""

    conditions: tuple[Condition, ...]
    """At most one per column, in the order a tree asks them."""
    answer: float
    """The code of a class (−1: does not know), or a number (NaN: does not know)."""
    stats: tuple[float, ...]
    """The target of the rows behind the answer: weight of each class; or weight, mean, sum of
    squared deviations."""
    node: int = -1
    """The leaf it comes from; −1 when there is none."""
    score: Score | None = None
    """None when the rule was changed after it was scored."""

    def covered(self, cells: tuple[Array, ...], index: Mapping[str, int], rows: Array) -> Array:
        """Those of the rows (by number) that meet every condition."""
        for one in self.conditions:
            if not len(rows):
                break
            rows = rows[one.mask(cells[index[one.column.name]][rows])]
        return rows

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether one row, given as a dict, meets every condition."""
        return all(one.holds(row[one.column.name]) for one in self.conditions)

    def shadowed_by(self, other: Rule) -> bool:
        """Every row that fits this rule fits the other one too."""
        mine = self._by_name
        if not mine.keys() >= other._by_name.keys():
            return False
        return all(mine[name].within(one) for name, one in other._by_name.items())

    @cached_property
    def _by_name(self) -> dict[str, Condition]:
        return {one.column.name: one for one in self.conditions}

    @property
    def shares(self) -> Array:
        """Class shares of the rows behind the answer; NaN when there are none."""
        stats = np.array(self.stats)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Array = stats / stats.sum(keepdims=True)
        return shares

    @property
    def spread(self) -> float:
        """Regression: the standard deviation of the rows behind the answer; NaN without any."""
        weight, _, squares = self.stats
        return math.sqrt(max(0.0, squares) / weight) if weight > 0 else math.nan


def answer_of(value: Any) -> float:
    """An entry of `tree.answers` as a rule keeps it: a whole number stays one."""
    plain: float = value.item() if hasattr(value, "item") else value
    return plain
