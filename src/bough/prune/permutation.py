"""The chance of a χ² this large when the classes are dealt to the children at random.

Exact: every table with the same margins is counted as often as it is dealt. Where that would be too
many, tables are dealt, always the same ones (a fixed seed). Nothing here rests on large counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from bough.data.table import Array

__all__ = ["DEALT", "permutation_p"]

DEALT = 9_999
"""Tables dealt where they cannot all be counted; the smallest p is then 1 / 10,000."""
MOST_STATES = 20_000
SEED = 20_011

Counts = tuple[int, ...]


def permutation_p(children: Array) -> float:
    """`children`: whole counts, one row per child, one column per class."""
    table = children[children.sum(axis=1) > 0][:, children.sum(axis=0) > 0]
    if min(table.shape, default=0) < 2:
        return 1.0
    cells = tuple(tuple(int(count) for count in row) for row in table)
    return _p_of(min(_layouts(cells)))


def _layouts(cells: tuple[Counts, ...]) -> Iterator[tuple[Counts, ...]]:
    """χ² does not mind which side is which, so one small table is computed once."""
    for side in (cells, tuple(zip(*cells, strict=True))):
        yield tuple(sorted(side))


@lru_cache(maxsize=10_000)
def _p_of(cells: tuple[Counts, ...]) -> float:
    columns = tuple(zip(*cells, strict=True))
    if len(columns) > len(cells):  # few classes make few states
        cells, columns = columns, cells
    exact = _counted(cells)
    return _dealt(cells) if exact is None else exact


def _counted(cells: tuple[Counts, ...]) -> float | None:
    """Whole numbers throughout: Σ n²/(row·column) is brought to one denominator."""
    rows = [sum(row) for row in cells]
    columns = [sum(column) for column in zip(*cells, strict=True)]
    scale = math.lcm(*rows) * math.lcm(*columns)
    worth = [[scale // (row * column) for column in columns] for row in rows]
    observed = sum(
        n * n * w for row, prices in zip(cells, worth, strict=True)
        for n, w in zip(row, prices, strict=True)
    )  # fmt: skip
    states: dict[tuple[Counts, int], int] = {(tuple(columns), 0): 1}
    work = 0
    for i, size in enumerate(rows[:-1]):
        if math.prod(sorted(min(column, size) + 1 for column in columns)[:-1]) > MOST_STATES:
            return None  # even the draws of one child would be too many
        following: dict[tuple[Counts, int], int] = {}
        for (left, so_far), ways in states.items():
            for drawn, times in _draws(left, size):
                work += 1
                if work > MOST_STATES:
                    return None
                rest = tuple(a - b for a, b in zip(left, drawn, strict=True))
                value = so_far + sum(n * n * w for n, w in zip(drawn, worth[i], strict=True))
                key = (rest, value)
                following[key] = following.get(key, 0) + ways * times
        states = following
    large = total = 0
    for (left, so_far), ways in states.items():  # the last child gets what is left
        value = so_far + sum(n * n * w for n, w in zip(left, worth[-1], strict=True))
        total += ways
        large += ways if value >= observed else 0
    return large / total


def _draws(left: Counts, size: int) -> Iterator[tuple[Counts, int]]:
    """All ways to take `size` rows from classes of these sizes, and how often each is dealt."""
    partial: list[tuple[Counts, int, int]] = [((), size, 1)]
    for at, available in enumerate(left):
        room = sum(left[at + 1 :])
        partial = [
            ((*drawn, take), need - take, ways * math.comb(available, take))
            for drawn, need, ways in partial
            for take in range(max(0, need - room), min(available, need) + 1)
        ]
    for drawn, _, ways in partial:
        yield drawn, ways


def _dealt(cells: tuple[Counts, ...]) -> float:
    """Tables are dealt row by row of all children but the largest, which gets what is left."""
    table = np.array(cells)
    if table.sum() - table.sum(axis=0).max() < table.sum() - table.sum(axis=1).max():
        table = table.T
    table = table[np.argsort(table.sum(axis=1), kind="stable")]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    generator = np.random.PCG64(SEED)
    left = np.tile(columns, (DEALT, 1))
    value = np.zeros(DEALT)
    for size in rows[:-1].tolist():
        before = left.copy()
        for _ in range(size):
            # the upper 53 bits of the raw stream, which numpy promises not to change
            ticket = (generator.random_raw(DEALT) >> np.uint64(11)) * 2.0**-53
            ends = np.cumsum(left, axis=1)
            drawn = (ticket[:, None] * ends[:, -1:] >= ends).sum(axis=1)
            left[np.arange(DEALT), drawn] -= 1
        value += ((before - left) ** 2 / (size * columns)).sum(axis=1)
    value += (left**2 / (rows[-1] * columns)).sum(axis=1)
    observed = float((table**2 / (rows[:, None] * columns)).sum())
    return (1 + int((value >= observed - 1e-9).sum())) / (1 + DEALT)
