"""Repeatable folds: the same rows in the same fold on every machine, for ever.

Only the raw stream of PCG64 is used: numpy promises never to change it, which it does not for
shuffles and samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bough.data.table import Array, Table
from bough.errors import DataError, OptionError

__all__ = [
    "check_folds",
    "check_seed",
    "each_fold",
    "fold_numbers",
    "held_out",
    "shuffled",
    "spread",
]


def shuffled(n: int, seed: int = 0) -> Array:
    """int64: the numbers 0 … n−1 in an order that only the seed decides."""
    keys = np.random.PCG64(check_seed(seed)).random_raw(n)
    order: Array = np.argsort(keys, kind="stable")
    return order


def fold_numbers(table: Table, k: int, seed: int = 0) -> Array:
    """int32: the fold (0 … k−1) of every row.

    Folds differ by at most one row. With classes they are stratified: of each class, too, every
    fold holds the same number of rows, give or take one. Weights play no part.
    """
    check_folds(k, table.n_rows)
    order = _by_class(table, shuffled(table.n_rows, seed))
    folds = np.empty(table.n_rows, dtype=np.int32)
    folds[order] = np.arange(table.n_rows) % k  # dealt like cards, on from class to class
    return folds


def each_fold(folds: Array) -> Iterator[tuple[Array, Array]]:
    """For every fold: the rows to learn from, the rows to judge by; as masks."""
    for fold in range(int(folds.max()) + 1):
        judged = folds == fold
        yield ~judged, judged


def held_out(table: Table, share: float, seed: int = 0) -> Array:
    """A mask of about this share of the rows, of every class alike; of both parts at least one."""
    n = table.n_rows
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 < share < 1.0:
        raise OptionError(f"A share of {share!r} cannot be held out: give one between 0 and 1.")
    if n < 2:
        raise DataError("To hold out rows takes a table of at least 2 rows.")
    order = _by_class(table, shuffled(n, seed))
    # Every 1/share-th row of the classes laid end to end; half a step in, so small classes, too,
    # are held out as often as their size says.
    steps = np.floor(np.arange(n + 1) * share + 0.5)
    mask = np.zeros(n, dtype=bool)
    mask[order] = np.diff(steps) > 0
    if mask.all() or not mask.any():
        mask[order[0]] = not mask[order[0]]
    return mask


def spread(table: Table, order: Array) -> Array:
    """Some rows, rearranged so that every beginning of them holds the classes as all of them do,
    give or take a row; for numbers as they are."""
    if table.target is None or table.schema.target.task == "regression":
        return order
    counts = np.bincount(table.target[order])
    by_class = _by_class(table, order)
    codes = table.target[by_class]
    place = np.arange(len(order)) - (np.cumsum(counts) - counts)[codes]
    # The middle of the row's share of its class: that far into the whole belongs the row.
    spread_out: Array = by_class[np.argsort((place + 0.5) / counts[codes], kind="stable")]
    return spread_out


def _by_class(table: Table, order: Array) -> Array:
    """The order with the classes one after the other; for numbers as it is."""
    if table.target is None or table.schema.target.task == "regression":
        return order
    sorted_order: Array = order[np.argsort(table.target[order], kind="stable")]
    return sorted_order


def check_folds(k: Any, n_rows: int) -> int:
    """The number of folds, if it is one for a table of that many rows."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 2:
        raise OptionError(f"folds={k!r} is not allowed: give a whole number from 2 up, such as 10.")
    if k > n_rows:
        raise DataError(
            f"{k} folds need at least {k} rows, and the table has {n_rows}. Give fewer folds."
        )
    return int(k)


def check_seed(seed: Any) -> int:
    """The seed, if it is one."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed={seed!r} is not allowed: give a whole number from 0 up.")
    return int(seed)
