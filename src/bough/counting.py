"""How many there are: functions, stumps, trees, splits. Exact whole numbers, and the reason why
growing a tree is a greedy search."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bough.errors import OptionError

__all__ = [
    "Stumps",
    "boolean_functions",
    "concepts",
    "hyperplanes",
    "instances",
    "stumps",
    "subset_partitions",
    "trees",
]

LARGEST_EXPONENT = 1 << 20
"""Answers up to about 2 to this power: beyond, a number fills megabytes and tells no more."""


@dataclass(frozen=True)
class Stumps:
    """Trees of one question over yes/no columns."""

    counted: int
    """A column and an answer for each of its two sides, as the books count: 4n."""
    different: int
    """Functions among them: the two constants come once, not once per column."""


def boolean_functions(n: int) -> int:
    """Functions of n yes/no columns, one per truth table of 2ⁿ rows: 2^(2ⁿ)."""
    n = _whole("n", n, 0)
    _check_size("n", n, n, 2)
    return 1 << (1 << n)


def stumps(n: int) -> Stumps:
    """Decision stumps over n yes/no columns: 4n, of which 2n + 2 are different functions."""
    n = _whole("n", n, 0)
    return Stumps(counted=4 * n, different=2 * n + 2 if n else 0)


def trees(n: int, depth: int) -> int:
    """Trees of at most `depth` questions per path over n yes/no columns, no column twice on a path.

    Either a leaf (two answers), or a column and two trees over the other columns, one question
    shallower. `trees(n, d) − trees(n, d − 1)` have depth d.
    """
    n = _whole("n", n, 0)
    depth = min(_whole("depth", depth, 0), n)
    _check_size("depth", depth, depth, 2 * n + 2)
    count = 2
    for unused in range(n - depth + 1, n + 1):
        count = 2 + unused * count * count
    return count


def instances(levels: Iterable[int]) -> int:
    """Different rows of a domain whose columns have this many levels each: their product."""
    return math.prod(_whole(f"levels[{i}]", level, 1) for i, level in enumerate(levels))


def concepts(levels: Iterable[int], classes: int = 2) -> int:
    """Ways to give every row of the domain a class: classes ^ instances."""
    rows = instances(levels)
    classes = _whole("classes", classes, 1)
    _check_size("the number of instances", rows, rows.bit_length() - 1, classes)
    return int(classes**rows)


def subset_partitions(levels: int) -> int:
    """Ways to part the levels of a category column into two sides: 2^(v−1) − 1."""
    levels = _whole("levels", levels, 1)
    _check_size("levels", levels, levels.bit_length() - 1, 2)
    return (1 << (levels - 1)) - 1


def hyperplanes(points: int, dimensions: int) -> int:
    """Oblique splits: planes through d of N points, each of the d on either side: 2^d · C(N, d)."""
    points = _whole("points", points, 0)
    dimensions = _whole("dimensions", dimensions, 1)
    _check_size("dimensions", dimensions, dimensions.bit_length() - 1, max(2, points))
    return (1 << dimensions) * math.comb(points, dimensions)


def _whole(name: str, given: int, least: int) -> int:
    number = given.item() if hasattr(given, "item") else given
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise OptionError(f"{name}={given!r} is not allowed: give a whole number from {least} up.")
    return number


def _check_size(name: str, given: int, doublings: int, base: int) -> None:
    """Refuse an answer of about base ^ (2 ^ doublings) that nobody could print."""
    if doublings >= 64 or (1 << doublings) * math.log2(base) > LARGEST_EXPONENT:
        raise OptionError(
            f"{name}={given} asks for a number larger than 2^{LARGEST_EXPONENT}. Give less."
        )
