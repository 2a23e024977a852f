"""Trees at random: any size, every kind of split, odd names."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.schema import Column, Schema, Target, Task
from bough.tree import BRANCHES, SUBSET, THRESHOLD, Nodes, RunnersUp, Tree
from trees.building import Node, build
from trees.extras import with_extras

__all__ = ["random_tree"]

ODD_NAMES = (
    "", " ", "age", "Größe",
    "日本語", "🌳👩‍👩‍👧", 'a "quoted" one', "back\\slash", "line\nbreak", "tab\t",
    "\x00", "\x1b[31mred", "\u2028", "\u202egnirts", "\uffff", "inf", "NaN", "null", "true", "-1",
    "1e5", "</script>", "{}", "{0}", "%s", "a,b", "café", "cafe\u0301", "x" * 300,
)  # fmt: skip


def random_tree(
    seed: int,
    *,
    splits: int = 10,
    task: Task | None = None,
    deep: bool = False,
    runners_up: bool | None = None,
    extras: bool = False,
) -> Tree:
    """Any tree: `splits` inner nodes; the seed decides all else that is not given.

    extras: also what most trees do not have, such as surrogates and costs.
    """
    rng = np.random.default_rng(seed)
    task = task or ("classification", "regression")[int(rng.integers(2))]
    schema = _random_schema(rng, task)
    root = Node()
    open_nodes = deque([root])
    for _ in range(splits):  # a deep tree splits what was made last
        node = open_nodes.pop() if deep or rng.random() < 0.3 else open_nodes.popleft()
        _split(node, schema, rng)
        open_nodes.extend(node.children)
    for place, leaf in enumerate(open_nodes):
        _fill(leaf, schema.target, rng, empty=place > 0 and rng.random() < 0.15)
    tree = build(
        schema,
        root,
        equality=("<=", "<")[int(rng.integers(2))],
        empty_branch=("parent", "unknown")[int(rng.integers(2))],
        options={"criterion": "gini", "max_depth": None, "min_gain": float(rng.random())},
        report={"ties": int(rng.integers(9)), "notes": ["a note", str(rng.choice(ODD_NAMES))]},
    )
    _spread_missing_rows(tree.nodes, rng)
    wanted = bool(rng.integers(2)) if runners_up is None else runners_up
    if wanted:
        tree = replace(tree, runners_up=_random_runners_up(tree, rng))
    return with_extras(tree, rng) if extras else tree


def _random_schema(rng: np.random.Generator, task: Task) -> Schema:
    """Number, ordered and category columns, at least one of each, in any order."""
    n = int(rng.integers(3, 9))
    names = _names(rng, n)
    kinds = ["number", "ordered", "category"]
    kinds += [str(kind) for kind in rng.choice(kinds, n - 3)]
    rng.shuffle(kinds)
    columns = tuple(_column(rng, name, kind) for name, kind in zip(names, kinds, strict=True))
    classes: tuple[Any, ...] = ()
    if task == "classification":
        k = int(rng.integers(1, 7))
        classes = [tuple(_names(rng, k)), tuple(range(-2, k - 2)), (False, True)][rng.integers(3)]
    return Schema(columns, Target(str(rng.choice(ODD_NAMES)), task, classes))


def _column(rng: np.random.Generator, name: str, kind: str) -> Column:
    if kind == "number":
        form = str(rng.choice(["float", "int", "date", "datetime"]))
        return Column(name, "number", (), form)  # type: ignore[arg-type]
    form = str(rng.choice(["text", "int", "bool"]))
    levels = _names(rng, int(rng.integers(2, 12)))
    return Column(name, kind, tuple(levels), form)  # type: ignore[arg-type]


def _names(rng: np.random.Generator, n: int) -> list[str]:
    """Different names, odd ones and plain ones."""
    odd = rng.choice(len(ODD_NAMES), min(n, len(ODD_NAMES)), replace=False)
    return [ODD_NAMES[i] if rng.random() < 0.4 else f"name {place}" for place, i in enumerate(odd)]


def _split(node: Node, schema: Schema, rng: np.random.Generator) -> None:
    node.column = int(rng.integers(len(schema.columns)))
    column = schema.columns[node.column]
    if column.kind == "category":
        _split_by_level(node, column, rng)
    else:
        _split_by_threshold(node, column, rng)
    if schema.target.task == "classification":
        node.p_value = float(rng.random() ** 20)


def _split_by_threshold(node: Node, column: Column, rng: np.random.Generator) -> None:
    node.kind, form = THRESHOLD, rng.random()
    n = 3 if form < 0.2 else 2
    node.missing_to = 2 if n == 3 else int(rng.integers(2))
    if form > 0.85:
        node.threshold, node.missing_to = np.inf, 1
    elif column.kind == "ordered":
        node.threshold = float(rng.integers(len(column.levels)))
    else:
        odd = [-0.0, 0.0, 5e-324, -1.7976931348623157e308, 0.1, 1e22, 2.0**53 + 2, -7.0]
        common = float(rng.normal() * 10.0 ** rng.integers(-12, 12))
        node.threshold = odd[rng.integers(len(odd))] if rng.random() < 0.3 else common
    node.children = [Node() for _ in range(n)]


def _split_by_level(node: Node, column: Column, rng: np.random.Generator) -> None:
    n_levels = len(column.levels)
    seen = sorted(rng.choice(n_levels, int(rng.integers(2, n_levels + 1)), replace=False).tolist())
    if rng.random() < 0.5:
        node.kind, n = SUBSET, 2
        sides = rng.integers(0, 2, len(seen)).tolist()
        node.level_child = dict(zip(seen, sides, strict=True))
    else:
        node.kind, n = BRANCHES, len(seen)
        node.level_child = {code: child for child, code in enumerate(seen)}
        n += int(rng.integers(2))  # a child for missing cells
        if len(seen) < n_levels:  # and one for the levels no row has
            node.unseen_to, n = n, n + 1
    node.missing_to = int(rng.integers(n))
    node.children = [Node() for _ in range(n)]


def _fill(leaf: Node, target: Target, rng: np.random.Generator, *, empty: bool) -> None:
    regression = target.task == "regression"
    leaf.rows = 0 if empty else int(rng.integers(1, 50))
    if empty:
        leaf.stats = (0.0,) * (3 if regression else len(target.classes))
        return
    weight = float(leaf.rows) if rng.random() < 0.5 else float(leaf.rows * rng.random() + 0.1)
    if regression:
        leaf.stats = (weight, float(rng.normal() * 1000), float(rng.random() * weight))
    else:
        shares = rng.dirichlet(np.full(len(target.classes), 0.5))
        leaf.stats = tuple((shares * weight).tolist())


def _spread_missing_rows(nodes: Nodes, rng: np.random.Generator) -> None:
    some = (nodes.n_children > 0) & (rng.random(len(nodes)) < 0.5)
    nodes.missing_rows[some] = rng.integers(0, nodes.rows[some] + 1)


def _random_runners_up(tree: Tree, rng: np.random.Generator) -> RunnersUp:
    """For every inner node a split of some of the other columns."""
    at, columns, thresholds = [0], [], []
    for chosen in tree.nodes.column.tolist():
        for c, column in enumerate(tree.schema.columns):
            if chosen < 0 or c == chosen or rng.random() < 0.4:
                continue
            columns.append(c)
            number = {
                "number": float(rng.normal()),
                "ordered": float(rng.integers(max(1, len(column.levels)))),
                "category": np.nan,
            }[column.kind]
            known = column.kind != "category" and rng.random() < 0.1
            thresholds.append(np.inf if known else number)
        at.append(len(columns))
    return RunnersUp(
        np.array(at, np.int64),
        np.array(columns, np.int32),
        rng.random(len(columns)),
        np.array(thresholds, np.float64),
    )
