"""What an evaluation holds, and the same as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bough.data.table import Array

__all__ = [
    "ClassEvaluation",
    "ClassScore",
    "Evaluation",
    "Interval",
    "NumberEvaluation",
    "as_json",
    "finite",
]


@dataclass(frozen=True)
class Interval:
    """Where the error on all rows of this kind would lie, were these rows drawn at random."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class ClassScore:
    """One class against the rest. NaN where there is nothing to divide by."""

    name: Any
    precision: float
    """Of the rows answered with this class, the share that has it."""
    recall: float
    """Of the rows that have this class, the share answered with it."""
    f1: float
    """The harmonic mean of the two."""
    support: float
    """Weight of the rows that have this class."""
    answered: float
    """Weight of the rows answered with it."""


@dataclass(frozen=True)
class ClassEvaluation:
    """Answers that are classes."""

    rows: int
    weight: float
    error: float
    """Share of the weight that is answered wrongly; not knowing is wrong."""
    interval: Interval | None
    """Wilson's interval for the error."""
    baseline_error: float
    """The error of always answering the class the tree's root would."""
    classes: tuple[Any, ...]
    confusion: Array
    """float64[classes, classes + 1]: weight by actual class (row) and answer (column); the last
    column counts rows the tree does not know an answer for."""
    per_class: tuple[ClassScore, ...]
    log_loss: float
    """Mean of −ln(share of the actual class), the shares kept 2.2e-16 away from 0 and 1."""
    impossible: float
    """Weight of the rows whose actual class had the share 0: each adds 36.04 to the sum."""
    brier: float
    """Mean of half the squared distance between the shares and the truth: 0 right, 1 wrong."""
    auc: float
    """Two classes: the chance that a row of the second class has a larger share of it than a row
    of the first; equal shares count half. NaN otherwise, or where a class is absent."""
    cost: float | None
    """Mean cost of the answers by the matrix given; None without one. Not knowing costs as much as
    the dearest answer."""
    baseline_cost: float | None
    """The mean cost of always answering as the tree's root."""
    asking_cost: float | None = None
    """Mean cost of what a row is asked for; None without test costs."""

    @property
    def unknown(self) -> float:
        """Weight of the rows without an answer."""
        return float(self.confusion[:, -1].sum())


@dataclass(frozen=True)
class NumberEvaluation:
    """Answers that are numbers."""

    rows: int
    weight: float
    mean_squared_error: float
    interval: Interval | None
    """For the mean squared error, from the spread of the squares; None from stats alone."""
    mean_absolute_error: float
    """NaN from a tree's stats alone: they hold squares."""
    r2: float
    """1 − squared error / squared error of the mean of these rows; NaN if they are all equal."""
    baseline_mean_squared_error: float
    """The error of always answering the mean at the tree's root."""
    unknown: int
    """Rows the tree does not know an answer for; they are left out of the errors."""
    asking_cost: float | None = None
    """Mean cost of what a row is asked for; None without test costs."""

    @property
    def root_mean_squared_error(self) -> float:
        return math.sqrt(self.mean_squared_error)


Evaluation = ClassEvaluation | NumberEvaluation


def as_json(found: Evaluation) -> dict[str, Any]:
    """Plain values under stable keys (docs/evaluation.md); what is not defined is None."""
    same: dict[str, Any] = {
        "rows": found.rows,
        "weight": found.weight,
        "interval": _interval(found.interval),
        "asking_cost": found.asking_cost,
    }
    if isinstance(found, NumberEvaluation):
        numbers = {
            "mean_squared_error": found.mean_squared_error,
            "root_mean_squared_error": found.root_mean_squared_error,
            "mean_absolute_error": found.mean_absolute_error,
            "r2": found.r2,
            "baseline_mean_squared_error": found.baseline_mean_squared_error,
        }
        return {
            **same,
            **{name: finite(value) for name, value in numbers.items()},
            "unknown": found.unknown,
        }
    return {
        **same,
        "error": found.error,
        "baseline_error": found.baseline_error,
        "classes": list(found.classes),
        "confusion": found.confusion.tolist(),
        "per_class": [_score(score) for score in found.per_class],
        "log_loss": found.log_loss,
        "impossible": found.impossible,
        "brier": found.brier,
        "auc": finite(found.auc),
        "cost": found.cost,
        "baseline_cost": found.baseline_cost,
        "unknown": found.unknown,
    }


def _interval(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {"low": interval.low, "high": interval.high, "confidence": interval.confidence}


def _score(score: ClassScore) -> dict[str, Any]:
    return {
        "class": score.name,
        "precision": finite(score.precision),
        "recall": finite(score.recall),
        "f1": finite(score.f1),
        "support": score.support,
        "answered": score.answered,
    }


def finite(value: float) -> float | None:
    """A number as JSON knows it: what is not one is null."""
    return value if math.isfinite(value) else None
