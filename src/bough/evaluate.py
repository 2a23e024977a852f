"""Tree + rows with known answers → how good the answers are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.table import Array, Table
from bough.predict import apply_table
from bough.tree import Tree

__all__ = ["ClassEvaluation", "Evaluation", "NumberEvaluation", "evaluate", "evaluate_table"]


@dataclass(frozen=True)
class ClassEvaluation:
    """Answers that are classes."""

    rows: int
    weight: float
    error: float
    """Share of the weight that is answered wrongly; not knowing is wrong."""
    baseline_error: float
    """The error of always answering the class the tree's root would."""
    classes: tuple[Any, ...]
    confusion: Array
    """float64[classes, classes + 1]: weight by actual class (row) and answer (column); the last
    column counts rows the tree does not know an answer for."""


@dataclass(frozen=True)
class NumberEvaluation:
    """Answers that are numbers."""

    rows: int
    weight: float
    mean_squared_error: float
    mean_absolute_error: float
    r2: float
    """1 − squared error / squared error of the mean of these rows; NaN if they are all equal."""
    baseline_mean_squared_error: float
    """The error of always answering the mean at the tree's root."""
    unknown: int
    """Rows the tree does not know an answer for; they are left out of the errors."""


Evaluation = ClassEvaluation | NumberEvaluation


def evaluate(tree: Tree, data: Any, *, threads: int | None = None, **read: Any) -> Evaluation:
    """Compare the tree's answers with the target column of the data."""
    if not isinstance(data, Table):
        from bough.data.read import read_cells

        data = read_cells(data, tree.schema, need_target=True, **read)
    return evaluate_table(tree, data, threads)


def evaluate_table(tree: Tree, table: Table, threads: int | None = None) -> Evaluation:
    """`evaluate` for a Table of the tree's own schema, with its target."""
    assert table.target is not None
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    answers = tree.answers[apply_table(tree, table, threads)]
    if tree.schema.target.task == "classification":
        return _classes(tree, table.target, answers, weights)
    return _numbers(tree, table.target, answers, weights)


def _classes(tree: Tree, actual: Array, answers: Array, weights: Array) -> ClassEvaluation:
    classes = tree.schema.target.classes
    k = len(classes)
    answers = np.where(answers < 0, k, answers)
    cells = np.bincount(actual * (k + 1) + answers, weights=weights, minlength=k * (k + 1))
    confusion = cells.reshape(k, k + 1)
    weight = float(weights.sum())
    root = int(tree.answers[0])
    return ClassEvaluation(
        rows=len(actual),
        weight=weight,
        error=1.0 - float(np.trace(confusion)) / weight,
        baseline_error=1.0 - float(confusion[root].sum()) / weight,
        classes=classes,
        confusion=confusion,
    )


def _numbers(tree: Tree, actual: Array, answers: Array, weights: Array) -> NumberEvaluation:
    known = ~np.isnan(answers)
    y, w = actual[known], weights[known]
    gap = y - answers[known]

    def mean(values: Array) -> float:
        return float(np.average(values, weights=w)) if w.sum() > 0 else float("nan")

    squared, spread = mean(gap**2), mean((y - mean(y)) ** 2)
    return NumberEvaluation(
        rows=len(actual),
        weight=float(weights.sum()),
        mean_squared_error=squared,
        mean_absolute_error=mean(np.abs(gap)),
        r2=1.0 - squared / spread if spread > 0 else float("nan"),
        baseline_mean_squared_error=mean((y - tree.answers[0]) ** 2),
        unknown=int((~known).sum()),
    )
