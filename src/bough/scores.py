"""The scores, as arithmetic on arrays.

`held` is float64[groups, classes]: the weight of the rows of each actual class in groups of rows
that get the same answer and the same class shares (the leaves of a tree, or single rows).
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from bough.data.table import Array
from bough.errors import OptionError
from bough.evaluation import Interval

__all__ = [
    "SMALLEST_SHARE",
    "auc",
    "brier",
    "check_confidence",
    "confusion_of",
    "effective_rows",
    "log_loss",
    "mean_interval",
    "mean_with",
    "wilson",
]

SMALLEST_SHARE = float(np.finfo(np.float64).eps)
"""A share of 0 counts as this in the log loss, or one row would make it infinite."""


def confusion_of(answer: Array, held: Array) -> Array:
    """float64[k, k+1]: weight by actual class and answer; the answer −1 (unknown) comes last."""
    k = held.shape[1]
    confusion = np.zeros((k + 1, k))
    np.add.at(confusion, answer, held)  # −1 is the last row
    return np.ascontiguousarray(confusion.T)


def log_loss(share: Array, held: Array) -> float:
    kept = np.clip(share, SMALLEST_SHARE, 1.0 - SMALLEST_SHARE)
    return float(-(held * np.log(kept)).sum() / held.sum())


def brier(share: Array, held: Array) -> float:
    """½ Σ_c (p_c − y_c)² = ½ (Σ_c p_c² − 2 p_actual + 1), averaged."""
    distance = (share**2).sum(axis=1, keepdims=True) - 2.0 * share + 1.0
    return float((held * distance).sum() / held.sum() / 2.0)


def auc(score: Array, held: Array) -> float:
    """The chance that a row of the second class has the larger score; equal ones count half."""
    _, place = np.unique(score, return_inverse=True)
    first = np.bincount(place, weights=held[:, 0])
    second = np.bincount(place, weights=held[:, 1])
    pairs = first.sum() * second.sum()
    if pairs == 0.0:
        return math.nan
    below = np.cumsum(first) - first
    return float((second * (below + first / 2.0)).sum() / pairs)


def effective_rows(weights: Array | None, n_rows: int) -> float:
    """(Σw)² / Σw²: as many equal weights tell as much (Kish). Equal weights: the rows."""
    if weights is None:
        return float(n_rows)
    return float(weights.sum() ** 2 / (weights**2).sum())


def mean_with(values: Array, weights: Array) -> float:
    """The weighted mean; NaN of nothing."""
    return float(np.average(values, weights=weights)) if weights.sum() > 0.0 else math.nan


def wilson(error: float, n: float, confidence: float) -> Interval:
    """Wilson's score interval: stays within 0 and 1 and is honest for few rows and small errors."""
    z2 = _z(confidence) ** 2
    middle = (error + z2 / (2.0 * n)) / (1.0 + z2 / n)
    half = math.sqrt(z2) / (1.0 + z2 / n) * math.sqrt(error * (1 - error) / n + z2 / (4 * n * n))
    low = 0.0 if error == 0.0 else max(0.0, middle - half)
    high = 1.0 if error == 1.0 else min(1.0, middle + half)
    return Interval(low, high, confidence)


def mean_interval(
    values: Array, weights: Array | None, confidence: float, least: float
) -> Interval | None:
    """Mean ± z standard errors, by the normal approximation; None for fewer than two rows."""
    n = effective_rows(weights, len(values)) if len(values) else 0.0
    if n <= 1.0:
        return None
    w = np.ones(len(values)) if weights is None else weights
    mean = mean_with(values, w)
    half = _z(confidence) * math.sqrt(mean_with((values - mean) ** 2, w) / (n - 1.0))
    return Interval(max(least, mean - half), mean + half, confidence)


def check_confidence(confidence: float) -> float:
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise OptionError(f"confidence={confidence!r} is not a number: give one such as 0.95.")
    if not 0.0 < confidence < 1.0:
        raise OptionError(f"confidence={confidence!r} is out of range: give one between 0 and 1.")
    return float(confidence)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2.0)
