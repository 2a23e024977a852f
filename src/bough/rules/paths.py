"""Tree → one rule per path, each with what its leaf answers.

Where a missing cell ends the way (its place is no child), it gets a rule of its own: the path so
far, the cell is missing, the answer of the node.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.schema import Column
from bough.data.table import Array
from bough.rules.conditions import Condition, Interval, Levels, join, nothing_known
from bough.rules.rule import NO_ROWS, Rule, Score, answer_of
from bough.tree import THRESHOLD, Tree

__all__ = ["path_rules", "root_rule"]

Path = tuple[Condition, ...]


def path_rules(tree: Tree) -> tuple[list[Rule], int]:
    """The rules in the order of the leaves, and how many paths no row can take."""
    rules, impossible = [], 0
    for node, path in _paths(tree):
        if all(one.any_known or one.missing for one in path):
            rules.append(_rule(tree, node, path))
        elif tree.is_leaf[node]:
            impossible += 1
    return rules, impossible


def root_rule(tree: Tree) -> Rule:
    """What the tree would answer without a question."""
    return _rule(tree, 0, ())


def _rule(tree: Tree, node: int, path: Path) -> Rule:
    stats = tuple(tree.nodes.stats[_source(tree, node)].tolist())
    answer = answer_of(tree.answers[node])
    whole = bool(tree.is_leaf[node]) or not path
    score = _training_score(tree, node, answer) if whole else _score_of_the_rest(tree, node)
    return Rule(path, answer, stats, node, score)


def _score_of_the_rest(tree: Tree, node: int) -> Score | None:
    """Of the rows whose missing cell ends their way at a node: if there were any, the tree does not
    know which."""
    return None if tree.nodes.missing_rows[node] > 0 else NO_ROWS


def _source(tree: Tree, node: int) -> int:
    """The node whose stats stand behind the answer: an empty one has its parent's."""
    while tree.empty_branch == "parent" and tree.nodes.weight[node] == 0 and node > 0:
        node = int(tree.nodes.parent[node])
    return node


def _training_score(tree: Tree, node: int, answer: float) -> Score:
    """The rows of a node, from the stats the tree keeps; the paths of a tree do not overlap."""
    weight, whole = float(tree.nodes.weight[node]), float(tree.nodes.weight[0])
    stats, root = tree.nodes.stats[node].tolist(), tree.nodes.stats[0].tolist()
    error, lift = math.nan, math.nan
    unknown = answer == -1 if tree.schema.target.task == "classification" else answer != answer
    if weight > 0 and tree.schema.target.task == "regression":
        error = math.nan if unknown else stats[2] / weight + (stats[1] - answer) ** 2
    elif weight > 0:
        right = 0.0 if unknown else stats[int(answer)] / weight
        error = 1.0 - right
        base = 0.0 if unknown else root[int(answer)] / whole
        lift = right / base if base > 0 else math.nan
    share = weight / whole if whole > 0 else math.nan
    return Score(int(tree.nodes.rows[node]), weight, share, error, lift, weight)


def _paths(tree: Tree) -> Iterator[tuple[int, Path]]:
    """Every end of a way, from left to right, with its conditions; an own stack, so depth has no
    limit."""
    stack: list[tuple[int, Path]] = [(0, ())]
    while stack:
        node, path = stack.pop()
        if tree.is_leaf[node]:
            yield node, path
            continue
        asked = [_filled(one, tree.fills) for one in _questions(tree, node)]
        if tree.nodes.missing_to[node] < 0:
            yield node, join((*path, _the_rest(asked)))
        children = tree.children(node)
        stack.extend(
            (child, join((*path, one)))
            for child, one in zip(reversed(children), reversed(asked), strict=True)
        )


def _filled(one: Condition, fills: Mapping[str, Any]) -> Condition:
    """A missing cell of a column that is filled goes where its stand-in goes."""
    name = one.column.name
    return replace(one, missing=one.holds(fills[name])) if name in fills else one


def _the_rest(asked: list[Condition]) -> Condition:
    """The cells that go to no child: missing ones, and levels that travel like them."""
    one = asked[0]
    if isinstance(one, Interval):
        return replace(nothing_known(one.column, missing=True), missing_named=True)
    taken = frozenset().union(*(other.codes for other in asked if isinstance(other, Levels)))
    left = frozenset(range(len(one.column.levels))) - taken
    return Levels(one.column, left, missing=True, missing_named=True)


def _questions(tree: Tree, node: int) -> list[Condition]:
    """For every child of a node the cells that go there."""
    column = tree.schema.columns[int(tree.nodes.column[node])]
    if tree.nodes.split_kind[node] != THRESHOLD:
        return [
            _levels(tree, node, place, column, codes)
            for place, codes in enumerate(_codes_by_child(tree, node, column))
        ]
    at, strict = float(tree.nodes.threshold[node]), tree.equality == "<"
    places = range(int(tree.nodes.n_children[node]))
    if column.kind == "number":
        return [_interval(tree, node, place, column, at, strict) for place in places]
    order = np.arange(len(column.levels))
    low = order < at if strict else order <= at
    sides = [np.flatnonzero(low), np.flatnonzero(~low), order[:0]]
    return [_levels(tree, node, place, column, sides[place]) for place in places]


def _missing(tree: Tree, node: int, place: int) -> tuple[bool, bool]:
    """Whether a missing cell goes to this child, and whether training met one."""
    met = bool(tree.nodes.missing_rows[node] > 0)
    return int(tree.nodes.missing_to[node]) == place, met


def _levels(tree: Tree, node: int, place: int, column: Column, codes: Array) -> Levels:
    return Levels(column, frozenset(codes.tolist()), *_missing(tree, node, place))


def _interval(
    tree: Tree, node: int, place: int, column: Column, at: float, strict: bool
) -> Interval:
    missing, named = _missing(tree, node, place)
    if place > 1 or (at == math.inf and place == 1):  # +inf asks whether the cell is known
        return replace(nothing_known(column, missing), missing_named=named)
    if at == math.inf:
        return Interval(column, missing=missing, missing_named=named)
    if place == 0:
        return Interval(column, -math.inf, True, at, not strict, missing, named)
    return Interval(column, at, strict, math.inf, True, missing, named)


def _codes_by_child(tree: Tree, node: int, column: Column) -> list[Array]:
    """The levels of every child: those seen at the node, and where all others go."""
    nodes = tree.nodes
    here = slice(int(nodes.levels_at[node]), int(nodes.levels_at[node + 1]))
    codes, child = nodes.levels[here], nodes.level_child[here].astype(np.int64)
    n = int(nodes.n_children[node])
    by_child = codes[np.argsort(child, kind="stable")]  # one sort, however many branches
    parts = np.split(by_child, np.cumsum(np.bincount(child, minlength=n))[:-1])
    unseen = np.ones(len(column.levels), dtype=bool)
    unseen[codes] = False
    to = int(nodes.unseen_to[node])
    to = to if to >= 0 else int(nodes.missing_to[node])
    if to >= 0:
        parts[to] = np.concatenate([parts[to], np.flatnonzero(unseen)])
    return parts
