"""Tree + the table it was grown from → Lesson: the walk, node by node."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bough.data.schema import Schema
from bough.data.table import Array, Table
from bough.errors import OptionError
from bough.lesson.arithmetic import Equation, Number, Ratio, plus
from bough.lesson.columns import Best, best_split, column_facts, few_values, tolerance
from bough.lesson.contradicting import contradicting
from bough.lesson.facts import Answer, Check, ColumnFacts, Lesson, Limits, Rank, Step
from bough.lesson.formulas import impurity_equation
from bough.lesson.grown import Grown, grown_from, resolved_options
from bough.lesson.leaves import answer_of, early_checks, gain_checks
from bough.lesson.rows import NodeRows, side_of_node
from bough.options import OPTIONS
from bough.predict import apply_table
from bough.splits import Branches
from bough.tree import Tree

__all__ = ["lesson_of"]

Progress = Callable[[int, int], object]
"""Told now and then how many steps are done, and of how many."""


def lesson_of(
    tree: Tree,
    table: Table,
    *,
    nodes: Sequence[int] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Lesson:
    """The lesson of a tree on the table it was grown from.

    `nodes`: only these nodes. The rest of what is left out is up to `limits`.
    """
    limits = limits or Limits()
    walk = _Walk(tree, grown_from(tree, table), limits)
    chosen = list(order_of_growing(tree))
    numbers = {node: number for number, node in enumerate(chosen, 1)}
    if nodes is not None:
        for node in nodes:
            _check_node(tree, node)
        chosen = sorted(nodes, key=numbers.__getitem__)
    elif limits.steps is not None:
        chosen = chosen[: limits.steps]
    steps = []
    for done, node in enumerate(chosen):
        steps.append(walk.step(node, numbers[node]))
        if progress:
            progress(done + 1, len(chosen))
    return walk.lesson(tuple(steps))


def _check_node(tree: Tree, node: int) -> None:
    if not 0 <= node < len(tree):
        raise OptionError(
            f"There is no node {node}: the tree has {len(tree):,} nodes, from 0 (the root) to "
            f"{len(tree) - 1:,}."
        )


def order_of_growing(tree: Tree) -> Iterator[int]:
    """The nodes in the order they were grown: one branch after the other, or, where the leaves
    are limited, always the split that wins most."""
    if not tree.options.get("max_leaves"):
        yield from tree.walk()
        return
    by_gain = tree.options.get("criterion") in ("chi2", "significance")
    nodes = tree.nodes
    queue: list[tuple[float, int, int]] = [(0.0, 0, 0)]
    made = 0
    while queue:
        node = heapq.heappop(queue)[2]
        yield node
        for child in tree.children(node):
            if tree.is_leaf[child]:
                yield child
                continue
            made += 1
            won = float(nodes.gain[child] * (1.0 if by_gain else nodes.weight[child]))
            heapq.heappush(queue, (-won, made, child))


@dataclass(frozen=True)
class _Choice:
    """How the columns of a node compare."""

    ranking: tuple[Rank, ...]
    places: tuple[int, ...]
    """Columns of the ranking, in its order."""
    tied: tuple[str, ...]
    average: Equation | None


class _Walk:
    """What all steps share."""

    def __init__(self, tree: Tree, grown: Grown, limits: Limits) -> None:
        self.tree, self.limits = tree, limits
        self.table, self.numbers, self.policies = grown.table, grown.numbers, grown.policies
        self.options = resolved_options(tree, self.table)
        self.criterion: str = self.options["criterion"]
        self.root = side_of_node(tree.nodes, 0, "")

    @property
    def schema(self) -> Schema:
        return self.tree.schema

    # ---- the rows of a node ----------------------------------------------------------------------

    @cached_property
    def _by_leaf(self) -> tuple[Array, Array, Array]:
        """Rows in the order the leaves are walked, and where the rows of every node begin and end
        in that order: a node's rows are one stretch."""
        leaf = apply_table(self.tree, self.table, threads=1)
        position = np.empty(len(self.tree), np.int64)
        position[np.fromiter(self.tree.walk(), np.int64)] = np.arange(len(self.tree))
        rows = np.argsort(position[leaf], kind="stable")
        count = np.bincount(leaf, minlength=len(self.tree))
        parent = self.tree.nodes.parent
        for node in range(len(self.tree) - 1, 0, -1):  # children come after their parents
            count[parent[node]] += count[node]
        begin = np.zeros(len(self.tree), np.int64)
        for node in np.flatnonzero(~self.tree.is_leaf).tolist():
            at = begin[node]
            for child in self.tree.children(node):
                begin[child] = at
                at += count[child]
        return rows, begin, begin + count

    def rows_of(self, node: int) -> NodeRows:
        rows, begin, end = self._by_leaf
        return NodeRows(self.table, self.criterion, np.sort(rows[begin[node] : end[node]]))

    def options_of(self, place: int) -> dict[str, Any]:
        """The options as they hold for one column."""
        return {**self.options, "missing": self.policies[place]}

    # ---- one step --------------------------------------------------------------------------------

    def step(self, node: int, number: int) -> Step:
        here = side_of_node(self.tree.nodes, node, "")
        depth = int(self.tree.depths[node])
        rows = self.rows_of(node)
        step = Step(
            number, node, depth, self.path(node), here, (), None, n_columns=len(self.schema.columns)
        )
        if here.rows == 0:
            return replace(step, answer=answer_of(self.tree, node, "no training row comes here"))
        few = here.rows <= self.limits.row_numbers
        step = replace(
            step,
            row_numbers=tuple(self.numbers[rows.at].tolist()) if few else (),
            impurity=impurity_equation(self.criterion, here, few_values(rows)),
            checks=early_checks(here, rows, depth, self.options),
        )
        if any(check.stops for check in step.checks):
            return self.as_leaf(step, rows)
        return self.compared(step, rows)

    def path(self, node: int) -> tuple[str, ...]:
        asked = []
        while (parent := int(self.tree.nodes.parent[node])) >= 0:
            split = self.tree.split(parent)
            assert split is not None
            asked.append(split.ask(node - int(self.tree.nodes.first_child[parent])))
            node = parent
        return tuple(reversed(asked))

    def compared(self, step: Step, rows: NodeRows) -> Step:
        """A step at which columns are compared."""
        places = range(len(self.schema.columns))
        best = {place: best_split(rows, place, self.options_of(place)) for place in places}
        able = [place for place in places if best[place].candidate]
        if not able:
            step = replace(step, columns=self.facts(step, rows, best, list(places)))
            values = max(best[place].groups.n for place in places)
            words = "no column has two values here, so nothing is left to ask"
            if values > 1:
                words = "no column has a split that min_rows_leaf allows"
            return self.as_leaf(replace(step, checks=(*step.checks, Check(words, True))), rows)
        choice = self.choice(step, best, able)
        # Columns are worked out in their own order; those at the top of the ranking, if too many.
        detailed = list(choice.places[: self.limits.columns])
        idle = [place for place in places if place not in able]
        if self.limits.columns is None or len(detailed) + len(idle) <= self.limits.columns:
            detailed += idle
        gain = choice.ranking[0].gain
        step = replace(
            step,
            columns=self.facts(step, rows, best, sorted(detailed)),
            ranking=choice.ranking[: self.limits.ranked],
            n_ranked=len(choice.ranking),
            average=choice.average,
            tied=choice.tied,
            checks=(*step.checks, *gain_checks(step.here, gain, self.root.weight, self.options)),
        )
        if self.tree.is_leaf[step.node]:
            return self.as_leaf(step, rows)
        return self.as_split(step)

    def facts(
        self, step: Step, rows: NodeRows, best: Mapping[int, Best], places: list[int]
    ) -> tuple[ColumnFacts, ...]:
        return tuple(
            column_facts(rows, step.here, place, best[place], self.options_of(place), self.limits)
            for place in places[: self.limits.columns]
        )

    # ---- comparing -------------------------------------------------------------------------------

    def choice(self, step: Step, best: Mapping[int, Best], able: list[int]) -> _Choice:
        """Ranks the columns by the tree's own numbers and says what became of each."""
        gains = self.gains(step.node, best, able)
        entropy = {place: _candidate(best, place).entropy_gain for place in able}
        average = self.average(entropy)
        out = set()
        if average is not None:
            least = average.value - 1e-12
            out = {place for place in able if (entropy[place] or 0.0) < least}
        running = [place for place in able if place not in out]
        top = max(gains[place] for place in running)
        tied = [p for p in running if gains[p] >= top - tolerance(self.criterion, step.here)]
        chosen = int(self.tree.nodes.column[step.node])
        won = chosen if chosen >= 0 else tied[0]

        def rank(place: int) -> tuple[Any, ...]:
            return place != won, place in out, place not in tied, -gains[place], place

        order = sorted(able, key=rank)
        standing = {place: "below" if place in out else "" for place in able}
        standing |= dict.fromkeys(tied, "tied")
        standing[won] = "chosen" if chosen >= 0 else "best"
        ranking = tuple(
            Rank(self.schema.names[p], gains[p], entropy[p], standing[p]) for p in order
        )
        names = tuple(self.schema.names[place] for place in tied)
        return _Choice(ranking, tuple(order), names if len(tied) > 1 else (), average)

    def gains(self, node: int, best: Mapping[int, Best], able: list[int]) -> dict[int, float]:
        """What every column won while the tree grew; for a leaf, what it could have won."""
        gains = {place: _candidate(best, place).gain for place in able}
        nodes, runners = self.tree.nodes, self.tree.runners_up
        if nodes.column[node] >= 0:
            gains[int(nodes.column[node])] = float(nodes.gain[node])
        if runners is not None:
            here = slice(int(runners.at[node]), int(runners.at[node + 1]))
            records = zip(runners.column[here].tolist(), runners.gain[here].tolist(), strict=True)
            gains |= {place: gain for place, gain in records if place in gains}
        return gains

    def average(self, entropy: Mapping[int, float | None]) -> Equation | None:
        if self.criterion != "gain_ratio" or self.options["ratio_among"] != "average":
            return None
        # What is left of nothing gained is rounding.
        won = [gain if gain > 1e-12 else 0.0 for gain in entropy.values() if gain is not None]
        mean = Ratio(plus(*map(Number, won)), Number(float(len(won))))
        return Equation("average gain", "", mean, mean.value)

    # ---- deciding --------------------------------------------------------------------------------

    def as_split(self, step: Step) -> Step:
        nodes, split = self.tree.nodes, self.tree.split(step.node)
        assert split is not None
        children = tuple(
            (child, side_of_node(nodes, child, self._asked(split, place)))
            for place, child in enumerate(self.tree.children(step.node))
        )
        p_value = float(nodes.p_value[step.node])
        return replace(
            step,
            children=children,
            chosen=split.column.name,
            p_value=p_value if p_value == p_value else None,
        )

    @staticmethod
    def _asked(split: Any, place: int) -> str:
        empty = isinstance(split, Branches) and place == split.unseen_to
        return f"{split.ask(place)} (no row here has it)" if empty else str(split.ask(place))

    def as_leaf(self, step: Step, rows: NodeRows) -> Step:
        reason = next((check.text for check in step.checks if check.stops), "")
        if not reason:
            limit = self.options["max_leaves"]
            reason = "it was cut back after growing, or another rule stopped it"
            if limit is not None:
                reason = (
                    f"max_leaves is {limit:,}: other splits gained more (gain × weight), and this "
                    "one would pass the limit"
                )
                measure = {"chi2": "χ²", "significance": "significance"}.get(self.criterion)
                reason = reason.replace("gain × weight", measure or "gain × weight")
            step = replace(step, checks=(*step.checks, Check(reason, True)))
        answer = answer_of(self.tree, step.node, reason)
        return replace(step, answer=self._contradicted(answer, step, rows))

    def _contradicted(self, answer: Answer, step: Step, rows: NodeRows) -> Answer:
        """Leaves where no question is left name the rows that contradict each other."""
        if step.ranking or sum(weight > 0 for weight in step.here.stats) < 2:
            return answer
        shown, n_groups, _ = contradicting(
            self.table, rows.at, self.numbers, self.limits.contradictions
        )
        return replace(answer, contradictions=shown, n_contradictions=n_groups)

    # ---- the whole -------------------------------------------------------------------------------

    def lesson(self, steps: tuple[Step, ...]) -> Lesson:
        target = self.schema.target
        shown, n_groups, n_rows = contradicting(
            self.table, np.arange(self.table.n_rows), self.numbers, self.limits.contradictions
        )
        return Lesson(
            target=target.name,
            task=target.task,
            classes=tuple(str(name) for name in target.classes),
            criterion=self.criterion,
            recipe=str(self.tree.options.get("recipe", "")),
            options=_different(self.tree.options),
            rows=self.root.rows,
            columns=len(self.schema.columns),
            weighted=self.table.weights is not None,
            n_nodes=len(self.tree),
            n_leaves=self.tree.n_leaves,
            steps=steps,
            contradictions=shown,
            n_contradictions=n_groups,
            n_contradicting_rows=n_rows,
            notes=tuple(self.tree.report.get("notes", ())),
        )


def _candidate(best: Mapping[int, Best], place: int) -> Any:
    candidate = best[place].candidate
    assert candidate is not None
    return candidate


def _different(options: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Options that are not at their defaults and that a reader of the lesson should know."""
    told = OPTIONS.keys() - {"criterion", "runners_up"}
    return tuple(
        (name, str(value))
        for name, value in options.items()
        if name in told and value != OPTIONS[name].default
    )
