"""The judge: docs/splits.md spelled out in slow Python, sharing no code with the core.

Every legal split is written down as lists of row numbers and measured from its definition. Weights
and targets are turned into whole numbers first (every float is a whole number times a power of
two), so sums, shares and most gains are exact fractions; only logarithms are rounded.

    node = grow(table, options)                         # the tree, as linked nodes
    sample = read(table)
    for candidate in candidates(sample, rows, column, options): ...
    candidate = best(sample, rows, options)             # the one the page chooses

`options` is what `bough.recipes.options_for` gives. More keys are understood: with
`subsets="cuts"` only the cuts of the ordered groups are candidates ("How the core searches
subsets"); without it every way of parting the groups is. With `test_costs` (the arrays of
`bough.prices.TestCosts`) columns are compared as docs/costs.md says; `asked` are the columns the
path has asked for before it comes to these rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

from bough.data.schema import Column
from bough.data.table import Table

Rows = tuple[int, ...]
Stats = tuple[int, ...]
"""Class weights; for regression the sums of weight, weight × target, weight × target²."""
Real = Fraction | float
Options = Mapping[str, Any]

TOLERANCE = 1e-12


# ---- the table ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """A table as plain lists. Weights and targets are whole numbers of their unit."""

    columns: tuple[Column, ...]
    cells: list[list[float | int | None]]
    targets: list[int]
    target_unit: Fraction
    weights: list[int]
    weight_unit: Fraction
    classes: int
    """0 for regression."""
    rows: Rows
    """The rows that count: those of weight 0 are left out before anything else."""

    def stats(self, rows: Iterable[int]) -> Stats:
        if self.classes:
            sums = [0] * self.classes
            for row in rows:
                sums[self.targets[row]] += self.weights[row]
            return tuple(sums)
        weight = total = squares = 0
        for row in rows:
            w, y = self.weights[row], self.targets[row]
            weight, total, squares = weight + w, total + w * y, squares + w * y * y
        return (weight, total, squares)

    def weight(self, rows: Iterable[int]) -> int:
        return sum(self.weights[row] for row in rows)

    def unit(self, criterion: str) -> Fraction:
        """What a gain of 1 in whole numbers is worth in the user's numbers."""
        if criterion == "squared_error":
            return self.target_unit**2
        return self.weight_unit if criterion == "chi2" else Fraction(1)

    def impurity(self, criterion: str, rows: Iterable[int]) -> float:
        inside = impurity(criterion, self.stats(rows))
        return float(inside * self.target_unit**2 if criterion == "squared_error" else inside)


def read(table: Table) -> Sample:
    n = table.n_rows
    weights = [1.0] * n if table.weights is None else [float(w) for w in table.weights]
    whole_weights, weight_unit = _whole(weights)
    assert table.target is not None
    targets, target_unit = _whole([float(y) for y in table.target])
    classes = len(table.schema.target.classes)
    if classes:
        targets, target_unit = [int(y) for y in table.target], Fraction(1)
    columns = table.schema.columns
    cells = [_plain(column, array) for column, array in zip(columns, table.cells, strict=True)]
    rows = tuple(row for row in range(n) if weights[row] > 0)
    return Sample(columns, cells, targets, target_unit, whole_weights, weight_unit, classes, rows)


def _whole(numbers: Sequence[float]) -> tuple[list[int], Fraction]:
    """Whole numbers and the unit that turns them back."""
    exact = [Fraction(number) for number in numbers]
    parts = math.lcm(*(number.denominator for number in exact)) if exact else 1
    return [int(number * parts) for number in exact], Fraction(1, parts)


def _plain(column: Column, array: Iterable[Any]) -> list[float | int | None]:
    if column.kind == "number":
        return [None if cell != cell else float(cell) for cell in array]
    return [None if cell < 0 else int(cell) for cell in array]


def groups(sample: Sample, rows: Rows, column: int) -> tuple[dict[Any, Rows], Rows]:
    """The rows of every known value, rising, and the rows whose cell is missing."""
    cells = sample.cells[column]
    found: dict[Any, list[int]] = {}
    for row in rows:
        found.setdefault(cells[row], []).append(row)
    missing = tuple(found.pop(None, ()))
    return {value: tuple(found[value]) for value in sorted(found)}, missing


# ---- impurity and gain -------------------------------------------------------------------------


def mass(criterion: str, stats: Stats) -> int:
    return stats[0] if criterion == "squared_error" else sum(stats)


def impurity(criterion: str, stats: Stats) -> Real:
    weight = mass(criterion, stats)
    if weight == 0:
        return 0.0
    if criterion == "squared_error":
        _, total, squares = stats
        return Fraction(squares * weight - total**2, weight**2)
    if criterion in ("entropy", "gain_ratio"):
        return entropy(stats)
    if criterion == "error":
        return Fraction(weight - max(stats), weight)
    return Fraction(weight**2 - sum(part**2 for part in stats), weight**2)


def entropy(parts: Sequence[int]) -> float:
    """−Σ p log₂ p, written as Σ p log₂ 1/p so that it is never −0.0."""
    weight = sum(parts)
    return math.fsum(part / weight * math.log2(weight / part) for part in parts if part)


def gain(criterion: str, children: Sequence[Stats]) -> Real:
    """What parting a node into children with these stats wins. Empty children do not count."""
    children = [child for child in children if mass(criterion, child)]
    node = tuple(map(sum, zip(*children, strict=True)))
    if criterion == "twoing":
        return _twoing(node, children)
    if criterion == "chi2":
        return chi2(children)
    if criterion == "significance":
        return significance(chi2_tail(float(chi2(children)), freedom(children)), 1)
    if criterion == "gain_ratio":
        won = _drop("entropy", node, children)
        if won <= TOLERANCE:
            return 0.0
        return won / entropy([sum(child) for child in children])
    return _drop(criterion, node, children)


def _drop(criterion: str, node: Stats, children: Sequence[Stats]) -> Real:
    weight = mass(criterion, node)
    if criterion == "entropy":
        left = math.fsum(sum(child) / weight * entropy(child) for child in children)
        return max(0.0, entropy(node) - left)
    rest = sum(Fraction(mass(criterion, c), weight) * impurity(criterion, c) for c in children)
    return impurity(criterion, node) - rest


def _twoing(node: Stats, children: Sequence[Stats]) -> Fraction:
    if len(children) < 2:
        return Fraction(0)
    left, right = children
    weight, weight_left, weight_right = sum(node), sum(left), sum(right)
    apart = sum(
        abs(Fraction(a, weight_left) - Fraction(b, weight_right))
        for a, b in zip(left, right, strict=True)
    )
    return Fraction(weight_left * weight_right, weight**2) * apart**2


def chi2(children: Sequence[Stats]) -> Fraction:
    """Pearson's: Σ (observed − expected)² / expected over children × classes."""
    node = tuple(map(sum, zip(*children, strict=True)))
    total = Fraction(0)
    for child in children:
        for seen, of_class in zip(child, node, strict=True):
            if of_class and sum(child):
                expected = Fraction(sum(child) * of_class, sum(node))
                total += (seen - expected) ** 2 / expected
    return total


def p_value(sample: Sample, children: Sequence[Rows]) -> float:
    """The chance of a χ² this large if the split told nothing."""
    stats = [sample.stats(rows) for rows in children if rows]
    return chi2_tail(float(chi2(stats) * sample.weight_unit), freedom(stats))


def freedom(stats: Sequence[Stats]) -> int:
    """Degrees of freedom: (children − 1) · (classes that are there − 1)."""
    present = sum(1 for of_class in zip(*stats, strict=True) if any(of_class))
    return (len(stats) - 1) * (present - 1)


def chi2_tail(statistic: float, degrees: int) -> float:
    """P(χ² ≥ statistic), by the finite sums that hold for whole degrees of freedom."""
    half = statistic / 2
    if degrees < 1:
        return 1.0
    if degrees % 2 == 0:
        tail, term, start = 0.0, math.exp(-half), 1.0
    else:
        tail, start = math.erfc(math.sqrt(half)), 1.5
        term = 2 * math.sqrt(half / math.pi) * math.exp(-half)
    for step in range(degrees // 2):
        tail += term
        term *= half / (start + step)
    return tail


# ---- candidates --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidate:
    """One legal split: what it asks and which rows go where."""

    column: int
    kind: str
    """threshold, subset or branches"""
    children: tuple[Rows, ...]
    """An empty child (no rows) stands last."""
    missing_to: int | None
    """Child of the node's missing cells; None before the rule for nodes without any is applied."""
    threshold: float = math.nan
    child_of: Mapping[int, int] = field(default_factory=dict)
    """Of a split by levels: the child of every level seen."""
    gain: float = math.nan
    first_by: float = math.nan
    """Where a column's best is chosen by another measure than the gain: gain ratio's entropy gain
    (`ratio_among="average"`), the χ² of significance."""

    @property
    def unseen_to(self) -> int:
        """Child of a level of the schema the node has not seen; −1: like a missing cell."""
        empty = [child for child, rows in enumerate(self.children) if not rows]
        return empty[0] if empty else -1


def candidates(sample: Sample, rows: Rows, column: int, options: Options) -> list[Candidate]:
    """Every legal split of these rows by this column, in order, with its gain."""
    if options["categories"] == "merged" and sample.columns[column].kind != "number":
        found = merged(sample, rows, column, options)
    elif sample.columns[column].kind != "category":
        found = _thresholds(sample, rows, column, options)
    elif options["categories"] == "subset":
        found = _subsets(sample, rows, column, options)
    elif options["categories"] == "one_vs_rest":
        found = _one_vs_rest(sample, rows, column, options)
    else:
        found = _branches(sample, rows, column, options)
    least = row_limit(options["min_rows_leaf"], sample)
    listed = list(found)
    legal = [c for c in listed if _is_legal(c, least)]
    ways = ways_to_split(sample, rows, column, listed, options) if legal else 1
    return [_measured(sample, c, options, ways) for c in legal]


def _is_legal(candidate: Candidate, least: int) -> bool:
    """Two sides must be large enough; a child for missing cells behind a threshold's two may be
    smaller, and of branches any two will do."""
    sizes = [len(child) for child in candidate.children]
    if candidate.kind != "branches":
        sizes = sizes[:2]
    return sum(1 for size in sizes if size >= least) >= 2


def _measured(sample: Sample, candidate: Candidate, options: Options, ways: int) -> Candidate:
    stats = [sample.stats(child) for child in candidate.children]
    criterion, first_by = options["criterion"], math.nan
    if criterion == "significance":
        won = significance(p_value(sample, candidate.children), ways)
        first_by = float(chi2(stats) * sample.unit("chi2"))
    else:
        won = float(gain(criterion, stats) * sample.unit(criterion))
    if criterion == "gain_ratio":
        first_by = float(gain("entropy", stats))
    to = candidate.missing_to
    if to is None:
        weights = [sample.weight(child) for child in candidate.children]
        to = weights.index(max(weights))
    return replace(candidate, gain=won, first_by=first_by, missing_to=to)


def _thresholds(sample: Sample, rows: Rows, column: int, options: Options) -> Iterator[Candidate]:
    known, missing = groups(sample, rows, column)
    ordered = sample.columns[column].kind == "ordered"
    for a, b in pairwise(known):
        at = threshold_between(a, b, options["threshold"], options["equality"], ordered)
        low = tuple(row for value in known if value <= a for row in known[value])
        high = tuple(row for value in known if value >= b for row in known[value])
        if not missing:
            yield Candidate(column, "threshold", (low, high), None, at)
        elif options["missing"] == "own":
            yield Candidate(column, "threshold", (low, high, missing), 2, at)
        else:
            yield Candidate(column, "threshold", (low + missing, high), 0, at)
            yield Candidate(column, "threshold", (low, high + missing), 1, at)
    if missing:
        every = tuple(row for value in known for row in known[value])
        yield Candidate(column, "threshold", (every, missing), 1, math.inf)


Group = tuple[int | None, Rows]
"""A level (None: missing) and its rows."""


def _two_sides(column: int, one: Sequence[Group], other: Sequence[Group]) -> Candidate:
    child_of = {level: 0 for level, _ in one if level is not None}
    child_of |= {level: 1 for level, _ in other if level is not None}
    sides = [tuple(row for _, members in side for row in members) for side in (one, other)]
    at = [side for side, part in enumerate((one, other)) if None in [level for level, _ in part]]
    return Candidate(
        column, "subset", tuple(sides), at[0] if at else None,
        child_of=dict(sorted(child_of.items())),
    )  # fmt: skip


def _all_groups(sample: Sample, rows: Rows, column: int) -> list[Group]:
    known, missing = groups(sample, rows, column)
    return [*known.items(), *([(None, missing)] if missing else [])]


def _subsets(sample: Sample, rows: Rows, column: int, options: Options) -> Iterator[Candidate]:
    found = _all_groups(sample, rows, column)
    for side in _cuts(sample, found) if options.get("subsets") == "cuts" else _partings(found):
        one = [group for group in found if group in side]
        other = [group for group in found if group not in side]
        yield _two_sides(column, one, other) if found[0] in one else _two_sides(column, other, one)


def _partings(found: list[Group]) -> Iterator[list[Group]]:
    """Every side that holds the first group and is not everything."""
    others = found[1:]
    for choice in range(2 ** len(others) - 1):
        yield [found[0], *(group for bit, group in enumerate(others) if choice >> bit & 1)]


def _cuts(sample: Sample, found: list[Group]) -> Iterator[list[Group]]:
    """The cuts of the groups in the order of their share of the second class, or their mean."""
    assert sample.classes in (0, 2)

    def place(group: Group) -> Fraction:
        stats = sample.stats(group[1])
        return Fraction(stats[1], stats[0] + (stats[1] if sample.classes else 0))

    in_order = sorted(found, key=place)
    for size in range(1, len(found)):
        yield in_order[:size]


def _one_vs_rest(sample: Sample, rows: Rows, column: int, options: Options) -> Iterator[Candidate]:
    found = _all_groups(sample, rows, column)
    for group in found:
        rest = [other for other in found if other is not group]
        yield _two_sides(column, [group], rest)
        if found[-1][0] is None and group[0] is not None and options["missing"] == "learned":
            yield _two_sides(column, [group, found[-1]], rest[:-1])


def _branches(sample: Sample, rows: Rows, column: int, options: Options) -> Iterator[Candidate]:
    known, missing = groups(sample, rows, column)
    child_of = {level: child for child, level in enumerate(known)}
    empty: list[Rows] = [()] if len(known) < len(sample.columns[column].levels) else []
    children = list(known.values())
    if not missing:
        yield Candidate(column, "branches", (*children, *empty), None, child_of=child_of)
    elif options["missing"] == "own" or len(known) == 1:
        yield Candidate(
            column, "branches", (*children, missing, *empty), len(known), child_of=child_of
        )
    else:
        for to in range(len(known)):
            joined = [rows + missing if at == to else rows for at, rows in enumerate(children)]
            yield Candidate(column, "branches", (*joined, *empty), to, child_of=child_of)


# ---- levels that do not differ, and how many ways there were -----------------------------------

MOST_PARTS = 128
"""More groups than this are put together before pairs are compared."""


def merged(sample: Sample, rows: Rows, column: int, options: Options) -> Iterator[Candidate]:
    """At most one split: the parts that are left when no two of them are alike."""
    found, ordered = _all_groups(sample, rows, column), sample.columns[column].kind == "ordered"
    parts = [[group] for group in found]
    if len(found) > MOST_PARTS:
        parts = _stretches(sample, found, ordered)
    slack = tolerance("significance", sample, rows)
    while len(parts) > 2:
        i, j = _most_alike(sample, parts, ordered, slack, range(len(parts)))
        if pair_p(sample, parts[i], parts[j], slack) <= options["merge_p"]:
            break
        parts[i] += parts.pop(j)
    least = row_limit(options["min_rows_leaf"], sample)
    while len(parts) > 1:
        sizes = [sum(len(members) for _, members in part) for part in parts]
        small = sizes.index(min(sizes))
        if sizes[small] >= least:
            break
        i, j = _most_alike(sample, parts, ordered, slack, [small])
        parts[i] += parts.pop(j)
    if len(parts) > 1:
        yield _grouped(sample, column, parts)


def _grouped(sample: Sample, column: int, parts: list[list[Group]]) -> Candidate:
    at = {level: child for child, part in enumerate(parts) for level, _ in part}
    missing_to = at.pop(None, None)
    child_of = {level: child for level, child in sorted(at.items()) if level is not None}
    if sample.columns[column].kind == "ordered":  # a level no row has goes with the one below
        child, lowest = child_of[min(child_of)], range(len(sample.columns[column].levels))
        child_of = {level: (child := child_of.get(level, child)) for level in lowest}
    children = tuple(tuple(row for _, members in part for row in members) for part in parts)
    return Candidate(column, "branches", children, missing_to, child_of=child_of)


def _most_alike(
    sample: Sample, parts: list[list[Group]], ordered: bool, slack: float, among: Sequence[int]
) -> tuple[int, int]:
    """The first pair, one of them `among`, whose p comes within the slack of the largest."""
    alike = {}
    for i in range(len(parts)):
        for j in range(i + 1, len(parts)):
            floats = [level for level, _ in parts[j]] == [None]
            if (i in among or j in among) and (not ordered or j == i + 1 or floats):
                p = pair_p(sample, parts[i], parts[j], slack)
                alike[i, j] = math.log(p) if p else -math.inf
    top = max(alike.values())
    return next(pair for pair, log_p in alike.items() if log_p >= top - slack)


def pair_p(sample: Sample, one: list[Group], other: list[Group], slack: float) -> float:
    """p of the χ² of the table of two parts × classes; a χ² within the slack of 0 is 0."""
    sides = [tuple(row for _, members in part for row in members) for part in (one, other)]
    stats = [sample.stats(side) for side in sides]
    return 1.0 if chi2(stats) * sample.weight_unit <= slack else p_value(sample, sides)


def _stretches(sample: Sample, found: list[Group], ordered: bool) -> list[list[Group]]:
    """At most 128 parts of about equal weight, along the levels' order or their share of the second
    class. Missing cells of an ordered column stay alone."""
    alone = [group for group in found if ordered and group[0] is None]
    rest = [group for group in found if group not in alone]
    if not ordered:
        assert sample.classes == 2

        def share(group: Group) -> Fraction:
            stats = sample.stats(group[1])
            return Fraction(stats[1], sum(stats))

        rest.sort(key=share)
    whole, before = sum(sample.weight(members) for _, members in rest), 0
    most = MOST_PARTS - len(alone)
    lists: dict[int, list[Group]] = {}
    for group in rest:
        weight = sample.weight(group[1])
        lists.setdefault((2 * before + weight) * most // (2 * whole), []).append(group)
        before += weight
    place = {group[0]: at for at, group in enumerate(found)}
    parts = [sorted(part, key=lambda group: place[group[0]]) for part in lists.values()]
    parts.sort(key=lambda part: place[part[0][0]])
    return [*parts, *([group] for group in alone)]


def ways_to_split(
    sample: Sample, rows: Rows, column: int, listed: Sequence[Candidate], options: Options
) -> int:
    """How many candidates a column has, all those counted that lead to as many children."""
    found, kind = _all_groups(sample, rows, column), sample.columns[column].kind
    c = len(found)
    if kind == "number" or (kind == "ordered" and options["categories"] != "merged"):
        return len(listed)
    if options["categories"] == "subset":
        return ways_free(c, 2)
    if options["categories"] != "merged":
        return len(listed)
    r = len(listed[0].children)
    if kind == "category":
        return ways_free(c, r)
    floats = found[-1][0] is None
    return ways_floating(c, r) if floats else math.comb(c - 1, r - 1)


def ways_free(c: int, r: int) -> int:
    """Kass: c levels into r groups, any level with any other."""
    terms = ((-1) ** i * Fraction((r - i) ** c, math.factorial(i) * math.factorial(r - i))
             for i in range(r))  # fmt: skip
    return int(sum(terms, Fraction(0)))


def ways_floating(c: int, r: int) -> int:
    """Kass: neighbours only, but one of the c may join any group or be one."""
    return math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1)


def significance(p: float, ways: int) -> float:
    """−log₁₀ of p times the ways, which is at most 1."""
    return max(0.0, -math.log10(p) - math.log10(ways)) if p else math.inf


# ---- the threshold -----------------------------------------------------------------------------


def threshold_between(a: float, b: float, style: str, equality: str, ordered: bool) -> float:
    if style == "observed":
        return float(a if equality == "<=" else b)
    if ordered:
        return float(math.floor((a + b) / 2) if equality == "<=" else math.ceil((a + b) / 2))
    if style == "short":
        return _short(a, b, equality)
    middle = a + (b - a) / 2
    if equality == "<=" and middle >= b:
        return a
    if equality == "<" and middle <= a:
        return b
    return middle


def separates(at: float, a: float, b: float, equality: str) -> bool:
    return a <= at < b if equality == "<=" else a < at <= b


def _short(a: float, b: float, equality: str) -> float:
    """Fewest digits, then nearest to the exact midpoint, then the lower."""
    with localcontext(Context(prec=2000)):
        middle = (Decimal(a) + Decimal(b)) / 2
        if middle == 0:
            return 0.0
        for digits in range(1, 18):
            step = Decimal(1).scaleb(middle.adjusted() - digits + 1)
            lower = middle // step * step
            around = [lower - step, lower, lower + step]
            fits = [at for at in around if separates(float(at), a, b, equality)]
            if fits:
                return float(min(fits, key=lambda at: (abs(at - middle), at)))
    raise AssertionError("17 digits separate any two floats")


# ---- the best split, the leaf ------------------------------------------------------------------


def row_limit(limit: float, sample: Sample) -> int:
    """A share (a float) means that part of the rows, rounded up."""
    return limit if isinstance(limit, int) else math.ceil(limit * len(sample.rows))


def tolerance(criterion: str, sample: Sample, rows: Rows) -> float:
    if criterion in ("entropy", "gain_ratio", "twoing"):
        return TOLERANCE
    if criterion in ("chi2", "significance"):
        weight = float(sample.weight(rows) * sample.weight_unit)
        return TOLERANCE * (weight if criterion == "chi2" else max(1.0, weight))
    return TOLERANCE * sample.impurity(criterion, rows)


def within(found: list[Candidate], slack: float, by: str = "gain") -> list[Candidate]:
    """Those that reach the largest gain less the tolerance, in order."""
    top = max(getattr(candidate, by) for candidate in found)
    return [candidate for candidate in found if getattr(candidate, by) >= top - slack]


def finalists(sample: Sample, rows: Rows, options: Options) -> list[list[Candidate]]:
    """For every column that is still in the race, its equally good candidates, in order."""
    criterion, places = options["criterion"], range(len(sample.columns))
    found = [c for c in (candidates(sample, rows, at, options) for at in places) if c]
    if criterion == "significance":
        slack = tolerance("chi2", sample, rows)
        return [within(of_column, slack, "first_by") for of_column in found]
    if criterion != "gain_ratio" or options["ratio_among"] == "all" or not found:
        slack = tolerance(criterion, sample, rows)
        running = [within(of_column, slack) for of_column in found]
    else:
        slack = tolerance("entropy", sample, rows)
        bests = [within(of_column, slack, "first_by") for of_column in found]
        mean = math.fsum(of_column[0].first_by for of_column in bests) / len(bests)
        running = [of_column for of_column in bests if of_column[0].first_by >= mean - slack]
    if options.get("test_costs") is None:
        return running
    return [of_column for of_column in running if is_enough(sample, rows, of_column[0], options)]


def price(options: Options, column: int) -> float:
    """What asking for a column costs once the others have been asked for."""
    costs, asked = options["test_costs"], options["asked"]
    if column in asked:
        return 0.0
    group = costs.group[column]
    if group < 0 or any(costs.group[other] == group for other in asked):
        return float(costs.cost[column])
    return float(costs.cost[column] + costs.group_cost[group])


def weigh(rule: str, gain: float, cost: float) -> tuple[int, float]:
    """The larger the better. What gains nothing comes last, the cheapest first; what is free where
    the rule divides by the cost comes first, by gain."""
    if gain <= TOLERANCE:
        return 0, 1 / cost if cost else math.inf
    if rule == "nunez":
        return 1, (2 ** min(gain, 1000) - 1) / (cost + 1)
    if cost == 0:
        return 2, gain
    return 1, (gain if rule == "norton" else gain**2) / cost


def is_ahead(
    sample: Sample, rows: Rows, options: Options, one: Candidate, other: Candidate
) -> bool:
    """Is the first better than the second, a candidate of another column, by more than rounding?"""
    slack = tolerance(options["criterion"], sample, rows)
    if options.get("test_costs") is None:
        return one.gain > other.gain + slack
    (rank, figure), (other_rank, other_figure) = (
        weigh(options["cost_rule"], c.gain * TOLERANCE / slack, price(options, c.column))
        for c in (one, other)
    )
    return rank > other_rank or (rank == other_rank and figure * (1 - 1e-9) > other_figure)


def as_good_as_the_best(sample: Sample, rows: Rows, options: Options) -> list[Candidate]:
    """The bests of the columns that no other is ahead of, in the order of the columns."""
    bests = [of_column[0] for of_column in finalists(sample, rows, options)]
    return [
        one
        for one in bests
        if not any(is_ahead(sample, rows, options, other, one) for other in bests)
    ]


def best(sample: Sample, rows: Rows, options: Options) -> Candidate | None:
    """The chosen split of these rows, enough or not; None when no split is legal."""
    found = as_good_as_the_best(sample, rows, options)
    return found[0] if found else None


def is_pure(sample: Sample, rows: Rows) -> bool:
    return len({sample.targets[row] for row in rows}) <= 1


def decide(sample: Sample, rows: Rows, depth: int, options: Options) -> Candidate | None:
    """The split of a node, or None when the page says it is a leaf."""
    if is_pure(sample, rows) or depth == options["max_depth"]:
        return None
    if len(rows) < row_limit(options["min_rows_split"], sample):
        return None
    criterion = options["criterion"]
    if criterion == "squared_error" and sample.impurity(criterion, rows) < options["stop_error"]:
        return None
    chosen = best(sample, rows, options)
    return chosen if chosen and is_enough(sample, rows, chosen, options) else None


def is_enough(sample: Sample, rows: Rows, chosen: Candidate, options: Options) -> bool:
    share = sample.weight(rows) / sample.weight(sample.rows)
    if options["criterion"] == "significance" and chosen.gain < -math.log10(
        options["max_adjusted_p"] or 1
    ):
        return False
    gains = chosen.gain > tolerance(options["criterion"], sample, rows)
    return (
        chosen.gain >= options["min_gain"]
        and chosen.gain * share >= options["min_drop"]
        and (gains or options["zero_gain"] == "split")
    )


# ---- the tree ----------------------------------------------------------------------------------


@dataclass(eq=False)
class Node:
    rows: Rows
    depth: int = 0
    parent: Node | None = None
    split: Candidate | None = None
    children: list[Node] = field(default_factory=list)
    close_call: bool = False
    """`max_leaves`: another leaf was as worthwhile when this one was split."""

    def options(self, options: Options) -> Options:
        """The options, and what the path to this node has asked for."""
        asked, above = [], self.parent
        while above:
            assert above.split is not None
            asked.append(above.split.column)
            above = above.parent
        return {**options, "asked": asked}

    def walk(self) -> Iterator[Node]:
        """Level by level, left to right."""
        level = [self]
        while level:
            yield from level
            level = [child for node in level for child in node.children]


def grow(table: Table, options: Options) -> Node:
    sample = read(table)
    root = Node(sample.rows)
    waiting = _with_splits(sample, [root], options)
    leaves = 1
    while waiting:
        node, chosen, close_call = _most_worthwhile(sample, waiting, options)
        del waiting[node]
        if leaves + len(chosen.children) - 1 > (options["max_leaves"] or math.inf):
            continue
        leaves += len(chosen.children) - 1
        node.split, node.close_call = chosen, close_call
        node.children = [Node(rows, node.depth + 1, node) for rows in chosen.children]
        waiting |= _with_splits(sample, node.children, options)
    return root


def _with_splits(sample: Sample, nodes: list[Node], options: Options) -> dict[Node, Candidate]:
    splits = (
        (node, decide(sample, node.rows, node.depth, node.options(options))) for node in nodes
    )
    return {node: split for node, split in splits if split is not None}


def _most_worthwhile(
    sample: Sample, waiting: dict[Node, Candidate], options: Options
) -> tuple[Node, Candidate, bool]:
    """Largest gain × weight, the earlier made on a tie (a dict keeps that order)."""
    worth = {
        node: split.gain
        * (
            1.0
            if options["criterion"] in ("chi2", "significance")
            else float(sample.weight(node.rows))
        )
        for node, split in waiting.items()
    }
    top = max(worth.values())
    first, *others = [node for node in waiting if worth[node] >= top * (1 - TOLERANCE)]
    return first, waiting[first], bool(others)


def answer(sample: Sample, node: Node, options: Options) -> int | float | None:
    """The class or mean of a node; None when it does not know."""
    if not node.rows:
        if options["empty_branch"] == "unknown" or node.parent is None:
            return None
        return answer(sample, node.parent, options)
    stats = sample.stats(node.rows)
    if not sample.classes:
        return float(Fraction(stats[1], stats[0]) * sample.target_unit)
    tied = set(range(sample.classes))
    at: Node | None = node
    while at is not None:  # the tied classes are compared at the node, then at its parent, …
        stats = sample.stats(at.rows)
        top = max(stats[code] for code in tied)
        tied = {code for code in tied if stats[code] == top}
        at = at.parent
    return min(tied)
