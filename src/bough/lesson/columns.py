"""What one column could do at a node: its values, the ways to split by it, the best worked out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.data.schema import Column, Schema, Target
from bough.data.table import Array, Table
from bough.growing import grow_table
from bough.lesson.arithmetic import Equation
from bough.lesson.candidates import MOST_PARTED, Listed, Way, key_of, list_ways
from bough.lesson.facts import Candidate, ColumnFacts, Limits, Side
from bough.lesson.formulas import FORMULAS, gain_equations, impurity_equation
from bough.lesson.merging import meetings_of, ways_to
from bough.lesson.rows import Groups, NodeRows, side_of_node
from bough.measure import chi_square
from bough.options import OPTIONS
from bough.splits import Branches, Split, Subset, Threshold
from bough.tree import Tree

__all__ = ["MOST_WRITTEN", "Best", "best_split", "column_facts", "few_values", "tolerance"]

_KEPT = (
    "criterion", "ratio_among", "categories", "merge_p", "min_rows_leaf", "equality", "threshold",
)  # fmt: skip
_BY_CHI2 = ("chi2", "significance")
MOST_WRITTEN = 8
"""Targets written out one by one in a mean squared error."""


@dataclass(frozen=True)
class Best:
    """The best split of one column at a node, as the core finds it, and its rows by value."""

    groups: Groups
    stump: Tree | None
    """A tree of this one question; None when the column has no legal split."""
    candidate: Candidate | None


def best_split(node: NodeRows, place: int, options: Mapping[str, Any]) -> Best:
    """Grown by the core from the node's rows and this column alone.

    `options`: as the core reads them, shares as rows, `missing` "learned" or "own".
    """
    column = node.table.schema.columns[place]
    groups = Groups.of(node, column, place)
    if groups.n < 2:
        return Best(groups, None, None)
    cells = node.table.cells[place][node.at]
    stump = _stump(column, cells, node.target, node.weights, node.table.schema.target, options)
    split = stump.split(0)
    if split is None:
        return Best(groups, None, None)
    sides = tuple(
        side_of_node(stump.nodes, child, _label(split, child - 1))
        for child in stump.children(0)
        if stump.nodes.rows[child] > 0
    )
    won = float(stump.nodes.gain[0])
    candidate = Candidate(sides, won, _entropy_gain(options, sides), is_best=True)
    if options["criterion"] == "significance":
        p, ways = float(stump.nodes.p_value[0]), ways_to(split, groups, options)
        candidate = replace(candidate, p_value=p, ways=ways)
    return Best(groups, stump, candidate)


def _stump(
    column: Column,
    cells: Array,
    target: Array,
    weights: Array,
    goal: Target,
    options: Mapping[str, Any],
) -> Tree:
    """One question, whatever it gains."""
    table = Table(Schema((column,), goal), (cells,), target, weights)
    kept = {name: options[name] for name in (*_KEPT, "missing")}
    defaults = {name: option.default for name, option in OPTIONS.items()}
    return grow_table(table, {**defaults, **kept, "max_depth": 1, "threads": 1})


def _entropy_gain(options: Mapping[str, Any], sides: tuple[Side, ...]) -> float | None:
    if options["criterion"] != "gain_ratio":
        return None
    from bough.measure import gain

    return gain([side.stats for side in sides], "entropy")


def _label(split: Split, child: int) -> str:
    """The question of a child without the column's name: "≤ 3.5", "= Thai", "is missing"."""
    label = split.ask(child).removeprefix(f"{split.column.name} ")
    return label.removeprefix("= ") if isinstance(split, Branches) else label


def tolerance(criterion: str, node: Side) -> float:
    """Gains closer than this are the same (docs/splits.md, "Gain")."""
    scale = {"entropy": 1.0, "gain_ratio": 1.0, "twoing": 1.0, "chi2": node.weight}
    scale["significance"] = max(1.0, node.weight)
    return 1e-12 * scale.get(criterion, node.impurity)


# ---- the facts -----------------------------------------------------------------------------------


def column_facts(
    node: NodeRows, here: Side, place: int, best: Best, options: Mapping[str, Any], limits: Limits
) -> ColumnFacts:
    """Everything there is to say about a column at a node."""
    column = node.table.schema.columns[place]
    groups, criterion = best.groups, node.criterion
    facts = ColumnFacts(column.name, column.kind, n_values=groups.n)
    merges = options["categories"] == "merged" and column.kind != "number"
    if column.kind == "category" or merges:
        facts = replace(facts, values=_values(node, column, groups, limits.values))
    if best.stump is None or best.candidate is None:
        return replace(facts, note=_why_none(column, groups, options))
    split = best.stump.split(0)
    assert split is not None
    listed = list_ways(node, groups, split, options, limits.measured)
    ways = _Ways(node, column, groups, split, best.candidate, options)
    by = ways.gains(listed)
    sides = best.candidate.sides
    return replace(
        facts,
        split=type(split).__name__.lower(),
        candidates=ways.shown(listed, by, limits.candidates),
        n_candidates=listed.total,
        n_illegal=listed.illegal,
        n_equal=_count_equal(listed, by, criterion, here),
        best=best.candidate,
        impurities=_impurities(node, criterion, column, best)[: limits.values],
        gains=gain_equations(criterion, here, best.candidate, tolerance(criterion, here)),
        chi_square=chi_square([s.stats for s in sides]) if criterion in _BY_CHI2 else None,
        meetings=meetings_of(column, groups, options) if merges else (),
        note=_left_out(node, groups, listed, split),
    )


def _values(node: NodeRows, column: Column, groups: Groups, limit: int | None) -> tuple[Side, ...]:
    """The levels here, missing cells last; of too many the first ones."""
    most = len(groups.values) if limit is None else limit
    sides = [
        node.side(column.levels[int(code)], int(groups.rows[at]), groups.sums[at])
        for at, code in enumerate(groups.values[:most].tolist())
    ]
    if groups.missing_rows:
        sides.append(node.side("missing", groups.missing_rows, groups.missing_sums))
    return tuple(sides)


def _why_none(column: Column, groups: Groups, options: Mapping[str, Any]) -> str:
    if groups.n < 2:
        return "one value here, so there is nothing to ask"
    if options["categories"] == "branches" and len(column.levels) > 32_000:
        return "more than 32,000 levels, too many for one branch each"
    return (
        f"no split leaves two sides of at least {options['min_rows_leaf']:,} rows (min_rows_leaf)"
    )


def _left_out(node: NodeRows, groups: Groups, listed: Listed, best: Split) -> str:
    if not listed.complete:
        return f"{len(listed.ways):,} of {listed.total:,} thresholds were measured for this list"
    many = node.n_classes > 2 and groups.n > MOST_PARTED
    if isinstance(best, Subset) and many and len(listed.ways) == 1:
        return (
            f"{groups.n} levels and {node.n_classes} classes: the levels were tried in one order "
            "(first principal component), and only the best cut is listed"
        )
    return ""


def _count_equal(listed: Listed, by: list[float], criterion: str, here: Side) -> int:
    """How many gain as much as the best; 1 where not all were measured."""
    if not listed.complete or not by:
        return 1
    least = max(by) - tolerance("chi2" if criterion == "significance" else criterion, here)
    return max(1, sum(gain >= least for gain in by))


def _impurities(node: NodeRows, criterion: str, column: Column, best: Best) -> tuple[Equation, ...]:
    """The impurity of every child written out, for criteria whose gain is made of them."""
    assert best.candidate is not None and best.stump is not None
    if not FORMULAS[criterion].uses_impurity:
        return ()
    if node.n_classes:
        return tuple(impurity_equation(criterion, side) for side in best.candidate.sides)
    place = node.table.schema.index[column.name]
    part = Table(best.stump.schema, (node.table.cells[place][node.at],), node.target)
    leaf = best.stump.apply(part, threads=1)
    children = [child for child in best.stump.children(0) if best.stump.nodes.rows[child] > 0]
    return tuple(
        impurity_equation(criterion, side, few_values(node, leaf == child))
        for side, child in zip(best.candidate.sides, children, strict=True)
    )


def few_values(node: NodeRows, mask: Array | None = None) -> tuple[float, ...]:
    """The targets of some rows, when they are few, numbers and count once each."""
    chosen = node.target if mask is None else node.target[mask]
    if node.n_classes or len(chosen) > MOST_WRITTEN or np.any(node.weights != 1.0):
        return ()
    return tuple(chosen.tolist())


# ---- the list of ways ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ways:
    """Puts the ways of one column in words."""

    node: NodeRows
    column: Column
    groups: Groups
    split: Split
    best: Candidate
    options: Mapping[str, Any]

    def gains(self, listed: Listed) -> list[float]:
        """What the ways of a column are compared by: its best is the first of the largest."""
        average = self.options["ratio_among"] == "average"
        by = "entropy" if self.node.criterion == "gain_ratio" and average else None
        if self.node.criterion == "significance":
            by = "chi2"
        return [self.node.gain(way.sums, by) for way in listed.ways]

    def shown(self, listed: Listed, by: list[float], limit: int | None) -> tuple[Candidate, ...]:
        """The best and the ways that gain most, in their order."""
        best_key = key_of(self.groups, self.split)
        chosen = sorted(
            range(len(by)), key=lambda at: (listed.ways[at].key != best_key, -by[at], at)
        )
        return tuple(
            self.best if way.key == best_key else self.candidate(way)
            for way in (listed.ways[at] for at in sorted(chosen[:limit]))
        )

    def candidate(self, way: Way) -> Candidate:
        split = self.split_of(way)
        sides = tuple(
            self.node.side(_label(split, child), rows, way.sums[child])
            for child, rows in enumerate(way.rows)
        )
        ratio = self.node.criterion == "gain_ratio"
        entropy_gain = self.node.gain(way.sums, "entropy") if ratio else None
        gain = self.node.gain(way.sums)
        if self.best.ways is not None:
            gain = max(0.0, gain - math.log10(self.best.ways))
        return Candidate(sides, gain, entropy_gain)

    def split_of(self, way: Way) -> Split:
        lost = self.groups.missing_rows
        if isinstance(self.split, Threshold):
            cut, missing_to = way.key
            at = self.threshold(cut)
            return Threshold(self.column, at, self.split.strict, missing_to, lost)
        if isinstance(self.split, Branches):
            return replace(self.split, missing_to=way.key[1], unseen_to=-1)
        one = set(way.key)
        child_of = {
            self.column.levels[int(code)]: 0 if at in one else 1
            for at, code in enumerate(self.groups.values.tolist())
        }
        missing_to = 0 if len(self.groups.values) in one else 1
        return Subset(self.column, child_of, -1, missing_to, lost)

    def threshold(self, cut: int) -> float:
        """The number the core writes between two neighbours: it is asked with two rows."""
        if cut == len(self.groups.values):
            return math.inf
        cells = self.groups.values[cut - 1 : cut + 1]
        target = np.array([0, 1], dtype=self.node.target.dtype)
        options = {**self.options, "min_rows_leaf": 1}
        goal = self.node.table.schema.target
        stump = _stump(self.column, cells, target, np.ones(2), goal, options)
        return float(stump.nodes.threshold[0])
