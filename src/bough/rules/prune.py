"""Rule post-pruning: conditions go as long as the error does not rise (S1:232–242).

A rule is shortened on its own: of all ways to drop one condition the one with the least error is
taken, as long as that error is not larger than before; halt when every shorter rule is worse. The
answer of a rule never changes. Equal ways: the condition asked last in the tree goes first.

A rule that covers no row has no error that is known. Any rule that covers a row is taken to be
better: a claim that nobody can check is not kept where a shorter one can be. A rule of which
nothing would be left is removed: it claims no more than the default answer, which takes over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bough.data.table import Array
from bough.rules.rule import Rule
from bough.rules.scoring import Rows

__all__ = [
    "Cut",
    "Estimate",
    "accuracy_order",
    "observed",
    "pessimistic",
    "shortened",
    "unique",
]

Estimate = Callable[[Array, Array], Array]
"""(weights of the rows covered, their losses) → the errors; NaN where nothing is covered."""

TOLERANCE = 1e-12
"""Sums in another order round differently; so small a rise is none."""


@dataclass(frozen=True)
class Cut:
    """What pruning did to the rule of one leaf."""

    rule: Rule
    dropped: tuple[int, ...]
    """The conditions that went, as places in the rule before, in the order they went."""
    before: float
    after: float
    """The estimated errors."""
    removed: bool
    """Nothing was left of the rule."""


def observed(weights: Array, losses: Array) -> Array:
    """The error on the rows themselves."""
    with np.errstate(invalid="ignore", divide="ignore"):
        errors: Array = losses / weights
    errors[weights <= 0] = math.nan
    return errors


def shortened(rule: Rule, rows: Rows, estimate: Estimate) -> tuple[Rule | None, Cut]:
    """The rule after pruning, None when it is removed, and what was done."""
    losses = rows.losses(rule.answer)
    failing = _failing(rule, rows)
    fails = failing.sum(axis=0, dtype=np.int32)
    kept = list(range(len(rule.conditions)))
    error = before = _one(rows, losses, np.equal(fails, 0), estimate)
    dropped: list[int] = []
    while kept:
        errors = _without_each(rows, losses, failing[kept], fails, estimate)
        place = _best(errors)
        if not _no_worse(float(errors[place]), error, rows):
            break
        error = float(errors[place])
        gone = kept.pop(place)
        dropped.append(gone)
        fails -= failing[gone]
    removed = not kept
    cut = Cut(rule, tuple(dropped), before, error, removed)
    left = tuple(rule.conditions[place] for place in kept)
    return None if removed else replace(rule, conditions=left, score=None), cut


def _failing(rule: Rule, rows: Rows) -> Array:
    """bool[conditions, rows]: which conditions a row does not meet."""
    failing = np.empty((len(rule.conditions), len(rows)), dtype=bool)
    for place, one in enumerate(rule.conditions):
        cells = rows.cells[rows.schema.index[one.column.name]]
        np.logical_not(one.mask(cells), out=failing[place])
    return failing


def _one(rows: Rows, losses: Array, covered: Array, estimate: Estimate) -> float:
    weight, loss = rows.weights[covered].sum(), losses[covered].sum()
    return float(estimate(np.array([weight]), np.array([loss]))[0])


def _without_each(
    rows: Rows, losses: Array, failing: Array, fails: Array, estimate: Estimate
) -> Array:
    """The error of the rule without each of its conditions.

    Without a condition the rule covers what it covers now, and the rows that fail only there.
    """
    now, near = np.flatnonzero(fails == 0), np.flatnonzero(fails == 1)
    only = failing[:, near].argmax(axis=0)
    n = len(failing)
    weights = rows.weights[now].sum() + np.bincount(only, rows.weights[near], n)
    lost = losses[now].sum() + np.bincount(only, losses[near], n)
    return estimate(weights, lost)


def _best(errors: Array) -> int:
    """The smallest error, of equal ones the last; unknown ones come after all others."""
    known = np.where(np.isnan(errors), math.inf, errors)
    return len(errors) - 1 - int(known[::-1].argmin())


def _no_worse(error: float, before: float, rows: Rows) -> bool:
    if math.isnan(before):
        return True
    scale = rows.stats[2] / rows.weight if rows.is_regression else 1.0
    return error <= before + TOLERANCE * scale  # False when the error is not known


# ---- the set -------------------------------------------------------------------------------------


def unique(rules: Sequence[Rule]) -> tuple[list[Rule], int]:
    """Of rules with the same conditions the first, which is the one that answers; how many went."""
    kept: dict[frozenset[object], Rule] = {}
    for rule in rules:
        kept.setdefault(frozenset(rule.conditions), rule)
    return list(kept.values()), len(rules) - len(kept)


def accuracy_order(rules: Sequence[Rule], errors: Sequence[float]) -> list[int]:
    """Places from the smallest error up; equal: the larger weight, then the order given.

    A rule whose error is not known comes after all others.
    """

    def key(place: int) -> tuple[float, float]:
        score = rules[place].score
        error = errors[place]
        return (math.inf if error != error else error, -score.weight if score else 0.0)

    return sorted(range(len(rules)), key=key)


# ---- the pessimistic estimate --------------------------------------------------------------------


def pessimistic(cf: float) -> Estimate:
    """C4.5's estimate: the largest error rate at which so few wrong rows have the chance `cf`.

    The p with P(X ≤ wrong) = cf for X binomial, as in `bough.prune.bound`; by the incomplete beta
    function also for weights that are not whole numbers. For classes only.
    """
    from scipy.special import betaincinv  # late: it takes its time, and few need it

    def estimate(weights: Array, losses: Array) -> Array:
        # Sums that differ by rounding only must not differ in the estimate.
        n, wrong = np.round(weights, 9), np.round(losses, 9)
        rates = np.full(len(n), math.nan)
        rates[n > 0] = 1.0
        asked = (n > 0) & (wrong < n)
        rates[asked] = betaincinv(wrong[asked] + 1.0, n[asked] - wrong[asked], 1.0 - cf)
        return rates

    return estimate
