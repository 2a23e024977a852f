"""Every way to split a node by one column, listed and measured.

The best one is not chosen here: the core that grows trees chooses it (columns.py), and the list
shows what it was chosen from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.table import Array
from bough.lesson.rows import Groups, NodeRows
from bough.splits import Branches, Split, Subset, Threshold

__all__ = ["MOST_PARTED", "Listed", "Way", "key_of", "list_ways"]

MOST_PARTED = 10
"""Groups of which the core tries every parting when there are more than two classes."""

Key = tuple[Any, ...]
"""What tells the ways of one column apart."""


@dataclass(frozen=True)
class Way:
    """One legal split, before it is put in words."""

    key: Key
    sums: Array
    """One line per child."""
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Listed:
    """Ways in their order. `total` counts the legal ones, also those not listed."""

    ways: tuple[Way, ...]
    total: int
    illegal: int

    @property
    def complete(self) -> bool:
        return self.total == len(self.ways)


def list_ways(
    node: NodeRows,
    groups: Groups,
    best: Split,
    options: Mapping[str, Any],
    most: int | None,
) -> Listed:
    """The ways to split by a column, about `most` thresholds; `best` is always among them."""
    if isinstance(best, Threshold):
        return _thresholds(groups, best, options, most)
    ways: Iterator[Way]
    if isinstance(best, Branches) and options["categories"] == "merged":
        return Listed((_merged(groups, best),), 1, 0)
    if isinstance(best, Branches):
        ways = _branches(groups, options)
    elif options["categories"] == "one_vs_rest":
        ways = _one_vs_rest(groups, options)
    elif node.n_classes > 2 and groups.n > MOST_PARTED:
        return Listed((_side_way(groups, _first_side(groups, best)),), 1, 0)
    else:
        ways = _subsets(node, groups)
    enough: Callable[[Way], bool] = _Enough(options["min_rows_leaf"], isinstance(best, Branches))
    every = list(ways)
    legal = tuple(way for way in every if enough(way))
    illegal = len(every) - len(legal)
    if isinstance(best, Subset) and key_of(groups, best) not in {way.key for way in legal}:
        # Shares that are equal but for rounding stand in another order in the core.
        legal = (*legal, _side_way(groups, _first_side(groups, best)))
    return Listed(legal, len(legal), illegal)


def key_of(groups: Groups, split: Split) -> Key:
    """The key of the way that a split of the tree is."""
    if isinstance(split, Threshold):
        values = groups.values
        first = values < split.threshold if split.strict else values <= split.threshold
        cut = int(np.count_nonzero(first))
        return cut, split.missing_to if groups.missing_rows and cut < len(values) else -1
    if isinstance(split, Branches):
        return ("branches", split.missing_to if groups.missing_rows else -1)
    return _first_side(groups, split)


@dataclass(frozen=True)
class _Enough:
    """Two sides must be large enough; a third child, for missing cells, may be smaller."""

    least: int
    any_two: bool

    def __call__(self, way: Way) -> bool:
        sizes = way.rows if self.any_two else way.rows[:2]
        return sum(size >= self.least for size in sizes) >= 2


# ---- thresholds ----------------------------------------------------------------------------------


def _thresholds(
    groups: Groups, best: Threshold, options: Mapping[str, Any], most: int | None
) -> Listed:
    least, known = options["min_rows_leaf"], int(groups.rows.sum())
    below, lost = np.cumsum(groups.rows)[:-1], groups.missing_rows
    variants = _variants(groups, options)
    legal = np.stack(
        [
            (below + lost * (to == 0) >= least) & (known - below + lost * (to == 1) >= least)
            for to in variants
        ],
        axis=1,
    )
    keys = np.argwhere(legal)  # cut by cut, and every variant of one cut
    keys = np.stack([keys[:, 0] + 1, np.array(variants)[keys[:, 1]]], axis=1)
    illegal = legal.size - len(keys)
    if lost:
        asks_known = known >= least and lost >= least
        keys = np.vstack([keys, [[len(groups.values), -1]]]) if asks_known else keys
        illegal += not asks_known
    sides = _Sides(groups)
    shown = _spread(keys, key_of(groups, best), most)
    ways = tuple(sides.way(cut, missing_to) for cut, missing_to in shown.tolist())
    return Listed(ways, len(keys), illegal)


def _variants(groups: Groups, options: Mapping[str, Any]) -> list[int]:
    """Where missing cells may go: −1 where there are none, 2 is a child of their own."""
    if not groups.missing_rows:
        return [-1]
    return [2] if options["missing"] == "own" else [0, 1]


def _spread(keys: Array, best: Key, most: int | None) -> Array:
    """All of them, or the best, its neighbours and some of the others, evenly."""
    if most is None or len(keys) <= most:
        return keys
    at = int(np.flatnonzero((keys == best).all(axis=1))[0])
    near = np.arange(max(0, at - 3), min(len(keys), at + 4))
    far = np.linspace(0, len(keys) - 1, max(2, most - 7)).astype(int)
    found: Array = keys[np.union1d(far, near)]
    return found


class _Sides:
    """The sums below and above every cut. Both are added up: to subtract them from the whole
    would leave dust behind where weights are such as 0.1."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.below = np.cumsum(groups.sums, axis=0)
        self.above = np.cumsum(groups.sums[::-1], axis=0)[::-1]
        self.rows = np.cumsum(groups.rows)

    def way(self, cut: int, missing_to: int) -> Way:
        missing, lost = self.groups.missing_sums, self.groups.missing_rows
        low, all_rows = int(self.rows[cut - 1]), int(self.rows[-1])
        if cut == len(self.rows):  # known | missing
            return Way((cut, -1), np.stack([self.below[-1], missing]), (all_rows, lost))
        children, counted = [self.below[cut - 1], self.above[cut]], [low, all_rows - low]
        if missing_to == 2:
            children.append(missing)
            counted.append(lost)
        elif missing_to >= 0:
            children[missing_to] = children[missing_to] + missing
            counted[missing_to] += lost
        return Way((cut, missing_to), np.stack(children), tuple(counted))


# ---- levels --------------------------------------------------------------------------------------


def _all(groups: Groups) -> tuple[Array, Array]:
    """Sums and rows of every group, missing last."""
    if not groups.missing_rows:
        return groups.sums, groups.rows
    sums = np.vstack([groups.sums, groups.missing_sums])
    return sums, np.append(groups.rows, groups.missing_rows)


def _side_way(groups: Groups, one: Sequence[int]) -> Way:
    """Groups `one` in child 0, the rest in child 1."""
    sums, rows = _all(groups)
    side = np.zeros(len(rows), bool)
    side[list(one)] = True
    children = np.stack([sums[side].sum(axis=0), sums[~side].sum(axis=0)])
    return Way(tuple(sorted(one)), children, (int(rows[side].sum()), int(rows[~side].sum())))


def _merged(groups: Groups, best: Branches) -> Way:
    """The one way there is: the groups the core merged the levels into."""
    sums, rows = _all(groups)
    to = [best.child_of[best.column.levels[int(code)]] for code in groups.values.tolist()]
    child = np.array([*to, *([best.missing_to] if groups.missing_rows else [])])
    n = int(child.max()) + 1
    held = [child == at for at in range(n)]
    children = np.stack([sums[here].sum(axis=0) for here in held])
    return Way(key_of(groups, best), children, tuple(int(rows[here].sum()) for here in held))


def _first_side(groups: Groups, split: Subset | Branches | Threshold) -> tuple[int, ...]:
    assert isinstance(split, Subset)
    codes = split.column.codes
    first = {codes[level] for level, child in split.child_of.items() if child == 0}
    one = [at for at, code in enumerate(groups.values.tolist()) if code in first]
    if groups.missing_rows and split.missing_to == 0:
        one.append(len(groups.values))
    return tuple(one)


def _subsets(node: NodeRows, groups: Groups) -> Iterator[Way]:
    """The partings the core looks at: cuts of the groups in order of their share (two classes) or
    mean, else all of them. Child 0 holds the first group."""
    n = groups.n
    if node.n_classes > 2:
        for choice in range(2 ** (n - 1) - 1):
            yield _side_way(groups, [0, *(g for g in range(1, n) if choice >> (g - 1) & 1)])
        return
    sums, _ = _all(groups)
    weight = sums.sum(axis=1) if node.n_classes else sums[:, 0]
    order = np.argsort(sums[:, 1] / weight, kind="stable").tolist()
    for size in range(1, n):
        one = order[:size] if 0 in order[:size] else order[size:]
        yield _side_way(groups, one)


def _one_vs_rest(groups: Groups, options: Mapping[str, Any]) -> Iterator[Way]:
    last = groups.n - 1
    joins = groups.missing_rows > 0 and options["missing"] == "learned"
    for group in range(groups.n):
        yield _side_way(groups, [group])
        if joins and group != last and last != 1:
            yield _side_way(groups, [group, last])


def _branches(groups: Groups, options: Mapping[str, Any]) -> Iterator[Way]:
    sums, rows = _all(groups)
    counted = [int(n) for n in rows]
    alone = options["missing"] == "own" or len(groups.values) == 1
    if not groups.missing_rows or alone:
        to = len(groups.values) if groups.missing_rows else -1
        yield Way(("branches", to), sums, tuple(counted))
        return
    for to in range(len(groups.values)):
        joined, sizes = sums[:-1].copy(), counted[:-1]
        joined[to] += sums[-1]
        sizes[to] += counted[-1]
        yield Way(("branches", to), joined, tuple(sizes))
