"""How high the error of a leaf may really be: the upper confidence bound of a share."""

from __future__ import annotations

import math

import numpy as np

from bough.data.table import Array

__all__ = ["upper_errors"]


def upper_errors(weight: Array, errors: Array, cf: float) -> Array:
    """The errors to expect of leaves that made `errors` among `weight` rows.

    Weight × the share p at which so few errors or fewer have the chance cf: the p with
    P(X ≤ errors) = cf for X binomial (Quinlan 1993, 4.2). No errors: weight × (1 − cf^(1/weight)).
    Weights that are not whole numbers use the same curve, the incomplete beta function.
    """
    pairs, place = np.unique(np.column_stack((weight, errors)), axis=0, return_inverse=True)
    n, e = pairs[:, 0], np.clip(pairs[:, 1], 0.0, pairs[:, 0])
    bound = np.where((n > 0) & (e >= n), 1.0, 0.0)
    none = (n > 0) & (e == 0)
    bound[none] = -np.expm1(math.log(cf) / n[none])
    asked = (e > 0) & (e < n)
    bound[asked] = _share(n[asked], e[asked], cf)
    return np.asarray((n * bound)[place.ravel()])


def _share(n: Array, e: Array, cf: float) -> Array:
    """Newton's steps towards P(X ≤ e) = cf, kept between bounds that close in."""
    a, b = n - e, e + 1.0
    constant = np.array(
        [math.lgamma(x + y) - math.lgamma(x) - math.lgamma(y) for x, y in zip(a, b, strict=True)]
    )
    low, high, p = np.zeros(len(n)), np.ones(len(n)), b / (n + 1.0)
    open_ = np.arange(len(n))  # those that still move
    for _ in range(100):
        here, a_, b_, k = p[open_], a[open_], b[open_], constant[open_]
        excess = _at_most(here, a_, b_, k) - cf
        low[open_] = np.where(excess > 0, here, low[open_])
        high[open_] = np.where(excess > 0, high[open_], here)
        slope = np.exp(k + (a_ - 1.0) * np.log1p(-here) + (b_ - 1.0) * np.log(here))
        step = here + excess / np.maximum(slope, 1e-300)
        inside = (step > low[open_]) & (step < high[open_])
        p[open_] = np.where(inside, step, 0.5 * (low[open_] + high[open_]))
        open_ = open_[np.abs(p[open_] - here) > 1e-12 * here]
        if not len(open_):
            break
    return p


def _at_most(p: Array, a: Array, b: Array, constant: Array) -> Array:
    """P(X ≤ e) = I_{1−p}(a, b), the regularised incomplete beta function; a = n − e, b = e + 1.

    `constant` is ln Γ(a+b) − ln Γ(a) − ln Γ(b). The continued fraction converges fast on the near
    side of the mean; the far side is 1 − I_p(b, a).
    """
    x = 1.0 - p
    near = x < (a + 1.0) / (a + b + 2.0)
    front = np.exp(constant + a * np.log1p(-p) + b * np.log(p))
    first, second = np.where(near, a, b), np.where(near, b, a)
    part = front * _fraction(np.where(near, x, p), first, second) / first
    return np.asarray(np.where(near, part, 1.0 - part))


def _fraction(x: Array, a: Array, b: Array) -> Array:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's way."""
    found = np.zeros(len(x))
    open_ = np.arange(len(x))
    c = np.ones(len(x))
    value = d = 1.0 / _guarded(1.0 - (a + b) * x / (a + 1.0))
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = value
        for term in (even, odd):
            d = 1.0 / _guarded(1.0 + term * d)
            c = _guarded(1.0 + term / c)
            value = value * d * c
        done = np.abs(value - before) <= 1e-14 * np.abs(value)
        found[open_] = value
        if done.all():
            break
        if done.any():
            still = ~done
            open_, x, a, b = open_[still], x[still], a[still], b[still]
            c, d, value = c[still], d[still], value[still]
    return found


def _guarded(number: Array) -> Array:
    """Lentz's way divides by these: never by 0."""
    return np.asarray(np.where(np.abs(number) < 1e-300, 1e-300, number))
