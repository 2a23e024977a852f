"""What a comparison holds, and the same as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bough.data.schema import Task
from bough.evaluation import ClassEvaluation, Evaluation, finite

__all__ = [
    "Comparison",
    "Contender",
    "CurvePoint",
    "FoldResult",
    "Measure",
    "as_json",
]

Measure = Literal["error", "root_mean_squared_error", "cost"]


@dataclass(frozen=True)
class FoldResult:
    """One tree, grown without the rows it is judged by."""

    rows: int
    """It was grown from so many."""
    test: Evaluation
    training: Evaluation
    leaves: int
    depth: int
    seconds: float


@dataclass(frozen=True)
class CurvePoint:
    """Trees grown from fewer rows."""

    rows: float
    """They were grown from so many, on average over the folds."""
    error: float
    deviation: float
    training_error: float
    leaves: float


@dataclass(frozen=True)
class Contender:
    """One bundle and how its trees did. `error` is the share of wrong answers, or for numbers the
    root mean squared error, over all rows, each answered by the tree that has not seen it."""

    name: str
    recipe: str
    options: Mapping[str, Any]
    failed: str | None = None
    """Why there is no result; the numbers are NaN then."""
    error: float = math.nan
    deviation: float = math.nan
    """The standard deviation of the error between folds."""
    training_error: float = math.nan
    """The same trees on the rows they were grown from."""
    r2: float = math.nan
    cost: float | None = None
    cost_deviation: float | None = None
    log_loss: float = math.nan
    brier: float = math.nan
    leaves: float = math.nan
    depth: float = math.nan
    seconds: float = math.nan
    """To grow one tree, on average."""
    unknown: float = 0.0
    """Weight of the rows without an answer."""
    folds: tuple[FoldResult, ...] = ()
    curve: tuple[CurvePoint, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """All contenders on the same folds, in the order they were named."""

    target: str
    task: Task
    rows: int
    folds: int
    seed: int
    measure: Measure
    """What the best is chosen by."""
    contenders: tuple[Contender, ...]
    baseline: Contender
    best: str | None
    """The smallest error (cost), then the fewest leaves; None if all failed."""
    simplest: str | None
    """The fewest leaves among those within one standard error of the best."""
    complete: bool = True
    """False if it was stopped before all had their turn."""


def as_json(found: Comparison) -> dict[str, Any]:
    """Plain values under stable keys (docs/evaluation.md); what is not defined is None."""
    return {
        "target": found.target,
        "task": found.task,
        "rows": found.rows,
        "folds": found.folds,
        "seed": found.seed,
        "measure": found.measure,
        "best": found.best,
        "simplest": found.simplest,
        "complete": found.complete,
        "baseline": _contender(found.baseline),
        "contenders": [_contender(one) for one in found.contenders],
    }


def _contender(one: Contender) -> dict[str, Any]:
    numbers = ("error", "deviation", "training_error", "r2", "log_loss", "brier")
    sizes = ("leaves", "depth", "seconds")
    return {
        "name": one.name,
        "recipe": one.recipe,
        "options": dict(one.options),
        "failed": one.failed,
        **{name: finite(getattr(one, name)) for name in numbers},
        "cost": one.cost,
        "cost_deviation": one.cost_deviation,
        **{name: finite(getattr(one, name)) for name in sizes},
        "unknown": one.unknown,
        "folds": [_fold(fold) for fold in one.folds],
        "curve": [_point(point) for point in one.curve],
    }


def _fold(fold: FoldResult) -> dict[str, Any]:
    return {
        "rows": fold.rows,
        "test_rows": fold.test.rows,
        "error": _error(fold.test),
        "training_error": _error(fold.training),
        "leaves": fold.leaves,
        "depth": fold.depth,
        "seconds": fold.seconds,
    }


def _error(found: Evaluation) -> float | None:
    if isinstance(found, ClassEvaluation):
        return found.error
    return finite(found.root_mean_squared_error)


def _point(point: CurvePoint) -> dict[str, float | None]:
    return {
        "rows": point.rows,
        "error": finite(point.error),
        "deviation": finite(point.deviation),
        "training_error": finite(point.training_error),
        "leaves": point.leaves,
    }
