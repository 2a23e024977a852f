"""The measures, by hand: what a teacher or a reader needs to check a tree with a pencil.

The numbers come from the core that grows the trees; this file only checks what is asked.
A *child* is a list of class counts (or weights), one per class; under `squared_error` it is
the list of target values of its rows.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.costs import cost_matrix
from bough.data.schema import Target
from bough.errors import DataError, OptionError, nearest
from bough.options import OPTIONS

__all__ = [
    "ChiSquare",
    "chi_square",
    "gain",
    "impurity",
    "remainder",
    "split_information",
    "twoing_reciprocal",
]

Numbers = Sequence[float] | NDArray[np.float64]
Children = Sequence[Numbers] | NDArray[np.float64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's χ² of children × classes: could chance alone have made the children differ so?"""

    statistic: float
    df: int
    p_value: float
    smallest_expected: float
    """The smallest expected count; below about 5 the p value is rough."""


def impurity(counts: Numbers, criterion: str = "entropy", costs: Any = None) -> float:
    """How mixed a node is: 0 when pure. `squared_error` takes the target values themselves.

    `cost_gini` takes the costs: row = actual class, column = answer, in the order of the counts.
    """
    _check_criterion(criterion)
    if criterion == "squared_error":
        values = _values(counts, "values")
        if not len(values):
            raise DataError("There are no values: give the target values of at least one row.")
        return float(_core.impurity(criterion, _moments(values - values.mean())))
    node = _node(counts)
    return float(_core.impurity(criterion, node, _costs(costs, criterion, len(node))))


def gain(children: Children, criterion: str = "entropy", costs: Any = None) -> float:
    """What a split into these children wins, as it is compared while a tree grows."""
    _check_criterion(criterion)
    table = _children(children, criterion)
    matrix = _costs(costs, criterion, table.shape[1])
    if criterion == "twoing" and len(children) != 2:
        given = "1 child was" if len(children) == 1 else f"{len(children)} children were"
        raise DataError(f"twoing compares two sides, and {given} given: give two.")
    if len(table) == 1:  # all rows in one child: nothing was asked
        return 0.0
    return float(_core.gain(criterion, table, matrix))


def remainder(children: Children, criterion: str = "entropy", costs: Any = None) -> float:
    """The impurity left after the split: the children's, weighted by their share of the rows."""
    _check_criterion(criterion)
    table = _children(children, criterion)
    weights = table[:, 0] if criterion == "squared_error" else table.sum(axis=1)
    matrix = _costs(costs, criterion, table.shape[1])
    left = [
        w * _core.impurity(criterion, child, matrix)
        for w, child in zip(weights, table, strict=True)
    ]
    return math.fsum(left) / math.fsum(weights)


def split_information(sizes: Numbers) -> float:
    """Entropy of the children's sizes, in bits: what the gain ratio divides by."""
    return float(_core.impurity("entropy", _node(sizes, "sizes")))


def twoing_reciprocal(children: Children) -> float:
    """1 / twoing, as some books use it for an impurity; infinite when the sides are alike."""
    value = gain(children, "twoing")
    return 1.0 / value if value > 0.0 else math.inf


def chi_square(children: Children) -> ChiSquare:
    """Pearson's χ² with its degrees of freedom, p value and smallest expected count.

    Children without rows and classes without rows say nothing: they add no degree of freedom.
    """
    table = _children(children, "chi2")
    table = table[:, table.sum(axis=0) > 0.0]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = float(rows.min() * columns.min() / rows.sum())
    df = (len(rows) - 1) * (len(columns) - 1)
    if df == 0:
        return ChiSquare(0.0, 0, 1.0, expected)
    statistic = float(_core.gain("chi2", np.ascontiguousarray(table)))
    return ChiSquare(statistic, df, float(_core.chi2_p(statistic, df)), expected)


def _check_criterion(criterion: str) -> None:
    allowed = [choice for choice in OPTIONS["criterion"].choices if choice != "auto"]
    if criterion not in allowed:
        close = nearest(criterion, allowed) if isinstance(criterion, str) else ""
        raise OptionError(
            f"criterion={criterion!r} is not allowed.{close} Choose one of: {', '.join(allowed)}."
        )


def _costs(given: Any, criterion: str, k: int) -> _Floats | None:
    """The costs as the core takes them; the classes have no names here, only places."""
    if criterion != "cost_gini":
        if given is not None:
            raise OptionError(
                f'criterion="{criterion}" does not look at costs; criterion="cost_gini" does.'
            )
        return None
    if given is None:
        raise OptionError('criterion="cost_gini" weighs mistakes by costs: give costs=.')
    return cost_matrix(given, Target("counts", "classification", tuple(range(k))))


def _children(children: Children, criterion: str) -> _Floats:
    """One row per child that holds anything, as the core takes them."""
    if not hasattr(children, "__len__"):
        raise DataError(
            f"children is {reprlib.repr(children)}: give a list of lists, one per child."
        )
    if not len(children):
        raise DataError("There are no children: give at least one list.")
    if criterion == "squared_error":
        return _moments_of(children)
    counts = [_counts(child, f"children[{i}]") for i, child in enumerate(children)]
    for i, child in enumerate(counts):
        if len(child) != len(counts[0]):
            noun = "class" if len(child) == 1 else "classes"
            raise DataError(
                f"children[{i}] counts {len(child)} {noun} and children[0] counts "
                f"{len(counts[0])}. Give every child one count per class, 0 for an absent class."
            )
    table = np.array([child for child in counts if child.any()], dtype=np.float64)
    if not len(table):
        raise DataError("All children are empty: at least one count must be above 0.")
    return table


def _moments_of(children: Children) -> _Floats:
    values = [_values(child, f"children[{i}]") for i, child in enumerate(children)]
    known = [child for child in values if len(child)]
    if not known:
        raise DataError("All children are empty: give the target values of at least one row.")
    # Errors do not change when all values move together; near 0 their squares lose no digits.
    middle = np.concatenate(known).mean()
    return np.array([_moments(child - middle) for child in known])


def _moments(values: _Floats) -> _Floats:
    total, squares = math.fsum(values), math.fsum(values * values)
    return np.array([float(len(values)), total, squares])


def _node(counts: Numbers, what: str = "counts") -> _Floats:
    """The counts of a node that holds at least one row."""
    checked = _counts(counts, what)
    if not checked.any():
        raise DataError(f"{what} are all 0: at least one must be above 0.")
    return checked


def _counts(given: Numbers, what: str) -> _Floats:
    counts = _values(given, what)
    if not len(counts):
        raise DataError(f"{what} is empty: give one count per class.")
    for i, count in enumerate(counts):
        if count < 0.0:
            raise DataError(f"{what}[{i}] is {count:g}, and a count cannot be below 0.")
    return counts


def _values(given: Numbers, what: str) -> _Floats:
    try:
        values = np.asarray(given)
        if values.dtype.kind not in "biufO":  # numpy would read the text "12" as a number
            raise TypeError
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} is {reprlib.repr(given)}: give a list of numbers.") from None
    if values.ndim != 1:
        raise DataError(f"{what} is {reprlib.repr(given)}: give a flat list of numbers.")
    for i, value in enumerate(values):
        if not math.isfinite(value):
            raise DataError(f"{what}[{i}] is {value}: give finite numbers.")
    return values
