"""The scores against scikit-learn and against published numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from bough import scores
from bough.errors import OptionError


def random_case(seed: int) -> tuple[Any, Any, Any, Any]:
    """Shares with ties and zeros, actual classes (all of them present), weights."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 6)), int(rng.integers(20, 200))
    counts = rng.integers(0, 4, size=(8, k)).astype(float)  # eight leaves: many rows tie
    counts[:, 0] += counts.sum(axis=1) == 0
    share = (counts / counts.sum(axis=1, keepdims=True))[rng.integers(0, 8, size=n)]
    actual = np.concatenate([np.arange(k), rng.integers(0, k, size=n - k)])
    return share, actual, rng.choice([0.5, 1.0, 3.0], size=n), k


def held_of(actual: Any, weights: Any, k: int) -> Any:
    """Every row a group of its own."""
    return np.eye(k)[actual] * weights[:, None]


@pytest.mark.parametrize("seed", range(25))
def test_the_scores_are_those_of_scikit_learn(seed: int) -> None:
    share, actual, weights, k = random_case(seed)
    held = held_of(actual, weights, k)
    loss = metrics.log_loss(actual, share, sample_weight=weights, labels=range(k))
    assert scores.log_loss(share, held) == pytest.approx(loss, rel=1e-12)
    brier = metrics.brier_score_loss(
        actual, share, sample_weight=weights, labels=range(k), scale_by_half=True
    )
    assert scores.brier(share, held) == pytest.approx(brier, rel=1e-12)
    answer = share.argmax(axis=1)
    confusion = metrics.confusion_matrix(actual, answer, sample_weight=weights, labels=range(k))
    assert scores.confusion_of(answer, held)[:, :k] == pytest.approx(confusion)


@pytest.mark.parametrize("seed", range(25))
def test_auc_with_ties_and_weights_is_that_of_scikit_learn(seed: int) -> None:
    share, actual, weights, _ = random_case(seed)
    actual = actual % 2
    auc = metrics.roc_auc_score(actual, share[:, 1], sample_weight=weights)
    found = scores.auc(share[:, 1], held_of(actual, weights, 2))
    assert found == pytest.approx(auc, rel=1e-12)


def test_grouping_rows_of_equal_shares_changes_no_score() -> None:
    share, actual, weights, k = random_case(3)
    rows = held_of(actual, weights, k)
    different, place = np.unique(share, axis=0, return_inverse=True)
    grouped = np.zeros((len(different), k))
    np.add.at(grouped, place, rows)
    assert len(different) < len(share)
    assert scores.log_loss(different, grouped) == pytest.approx(scores.log_loss(share, rows))
    assert scores.brier(different, grouped) == pytest.approx(scores.brier(share, rows))
    assert scores.confusion_of(different.argmax(axis=1), grouped) == pytest.approx(
        scores.confusion_of(share.argmax(axis=1), rows)
    )


def test_auc_by_hand() -> None:
    # Second class at .9 .5 .5, first at .5 .1: of 6 pairs 4 are right and 2 tie: (4 + 1) / 6.
    score = np.array([0.9, 0.5, 0.1])
    held = np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 0.0]])
    assert scores.auc(score, held) == 5 / 6
    assert scores.auc(1.0 - score, held) == pytest.approx(1 / 6)


def test_auc_needs_both_classes() -> None:
    assert math.isnan(scores.auc(np.array([0.2, 0.4]), np.array([[1.0, 0.0], [3.0, 0.0]])))


def test_a_share_of_zero_costs_as_much_as_the_smallest_number_beside_one() -> None:
    found = scores.log_loss(np.array([[1.0, 0.0]]), np.array([[3.0, 1.0]]))
    # Three rows are right with the share 1, which counts as 1 − 2.2e-16.
    assert found == pytest.approx(36.04365338911715 / 4, rel=1e-12)


def test_brier_is_0_when_right_and_1_when_wrong_for_any_number_of_classes() -> None:
    for k in (2, 3, 7):
        sure = np.eye(k)[:1]
        assert scores.brier(sure, np.eye(k)[:1]) == 0.0
        assert scores.brier(sure, np.eye(k)[1:2]) == 1.0


@pytest.mark.parametrize(
    ("wrong", "n", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: Wilson, 95 %
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(wrong: int, n: int, low: float, high: float) -> None:
    found = scores.wilson(wrong / n, n, 0.95)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    mirrored = scores.wilson(1 - wrong / n, n, 0.95)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0.5, 0.999))
def test_wilson_holds_the_error_and_stays_within_0_and_1(n: int, e: float, trust: float) -> None:
    found = scores.wilson(e, n, trust)
    assert 0.0 <= found.low <= e + 1e-12
    assert e - 1e-12 <= found.high <= 1.0


def test_more_confidence_and_fewer_rows_widen_the_interval() -> None:
    def width(n: float, confidence: float) -> float:
        found = scores.wilson(0.2, n, confidence)
        return found.high - found.low

    assert width(100, 0.99) > width(100, 0.95) > width(100, 0.8)
    assert width(50, 0.95) > width(100, 0.95) > width(1000, 0.95)


def test_weights_count_as_fewer_rows_the_more_they_differ() -> None:
    assert scores.effective_rows(None, 7) == 7.0
    assert scores.effective_rows(np.full(7, 0.3), 7) == pytest.approx(7.0)
    assert scores.effective_rows(np.array([1.0, 1.0, 0.0, 0.0]), 4) == 2.0
    # (1 + 1 + 2)² / (1 + 1 + 4) = 16/6
    assert scores.effective_rows(np.array([1.0, 1.0, 2.0]), 3) == pytest.approx(16 / 6)


def test_the_interval_of_a_mean_by_hand() -> None:
    # 1, 2, 3, 4: mean 2.5, variance (n − 1) 5/3, standard error sqrt(5/12).
    found = scores.mean_interval(np.array([1.0, 2.0, 3.0, 4.0]), None, 0.95, least=0.0)
    assert found is not None
    half = 1.959963984540054 * math.sqrt(5 / 12)
    assert (found.low, found.high) == pytest.approx((2.5 - half, 2.5 + half))
    wide = scores.mean_interval(np.array([0.0, 10.0]), None, 0.95, least=0.0)
    assert wide is not None and wide.low == 0.0
    assert scores.mean_interval(np.array([3.0]), None, 0.95, least=0.0) is None
    assert scores.mean_interval(np.array([]), None, 0.95, least=0.0) is None


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, -0.5, math.nan, "high", True])
def test_a_confidence_that_is_none_is_refused(confidence: Any) -> None:
    with pytest.raises(OptionError, match=r"confidence="):
        scores.check_confidence(confidence)
