"""Trees for tests: by hand, at random (any size, every kind of split, odd names), and very large.

Every function gives a tree that is sound: counts add up, children follow their parents.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from bough.data.schema import Column, Schema, Target, Task
from bough.data.table import Array
from bough.splits import Branches, Split, Subset, Threshold
from bough.tree import BRANCHES, LEAF, SUBSET, THRESHOLD, Nodes, RunnersUp, Tree

ODD_NAMES = (
    "", " ", "age", "Größe",
    "日本語", "🌳👩‍👩‍👧", 'a "quoted" one', "back\\slash", "line\nbreak", "tab\t",
    "\x00", "\x1b[31mred", "\u2028", "\u202egnirts", "\uffff", "inf", "NaN", "null", "true", "-1",
    "1e5", "</script>", "{}", "{0}", "%s", "a,b", "café", "cafe\u0301", "x" * 300,
)  # fmt: skip
DTYPES = {
    "first_child": np.int32, "n_children": np.int32, "parent": np.int32, "split_kind": np.uint8,
    "column": np.int32, "threshold": np.float64, "levels_at": np.int64, "levels": np.int32,
    "level_child": np.int16, "unseen_to": np.int16, "missing_to": np.int16,
    "missing_rows": np.int64, "rows": np.int64, "weight": np.float64, "stats": np.float64,
    "impurity": np.float64, "gain": np.float64, "p_value": np.float64,
}  # fmt: skip


# ---- the same tree? ----


def differences(one: Tree, other: Tree) -> list[str]:
    """Names of what differs; arrays are compared bit by bit, types included."""
    plain = ("schema", "equality", "empty_branch", "options", "report")
    found = [name for name in plain if getattr(one, name) != getattr(other, name)]
    found += _array_differences(one.nodes, other.nodes, "nodes")
    if (one.runners_up is None) != (other.runners_up is None):
        found.append("runners_up")
    elif one.runners_up is not None and other.runners_up is not None:
        found += _array_differences(one.runners_up, other.runners_up, "runners_up")
    return found


def _array_differences(one: Any, other: Any, where: str) -> list[str]:
    found = []
    for item in fields(one):
        a, b = getattr(one, item.name), getattr(other, item.name)
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            found.append(f"{where}.{item.name}")
    return found


def leaf_of(tree: Tree, row: Mapping[str, Any]) -> int:
    """The leaf of a row, by the splits of bough.splits."""
    nodes, i = tree.nodes, 0
    while nodes.n_children[i]:
        i = int(nodes.first_child[i]) + split_of(tree, i).route(row.get(_asked(tree, i).name))
    return i


def _asked(tree: Tree, i: int) -> Column:
    return tree.schema.columns[int(tree.nodes.column[i])]


def split_of(tree: Tree, i: int) -> Split:
    """The question of an inner node."""
    nodes, column = tree.nodes, _asked(tree, i)
    missing = (int(nodes.missing_to[i]), int(nodes.missing_rows[i]))
    if nodes.split_kind[i] == THRESHOLD:
        return Threshold(column, float(nodes.threshold[i]), tree.equality == "<", *missing)
    seen = slice(int(nodes.levels_at[i]), int(nodes.levels_at[i + 1]))
    pairs = zip(nodes.levels[seen].tolist(), nodes.level_child[seen].tolist(), strict=True)
    child_of = {column.levels[code]: child for code, child in pairs}
    kind = Subset if nodes.split_kind[i] == SUBSET else Branches
    return kind(column, child_of, int(nodes.unseen_to[i]), *missing)


# ---- building by hand ----


@dataclass
class Node:
    """A node while a tree is being built; `stats` of an inner node come from its children."""

    rows: int = 0
    stats: tuple[float, ...] = ()
    kind: int = LEAF
    column: int = -1
    threshold: float = np.nan
    level_child: dict[int, int] = field(default_factory=dict)
    unseen_to: int = -1
    missing_to: int = -1
    missing_rows: int = 0
    p_value: float = np.nan
    children: list[Node] = field(default_factory=list)


def build(schema: Schema, root: Node, **others: Any) -> Tree:
    """A Tree of nested nodes: numbered level by level, stats and rows added up, gains computed."""
    order = [root]
    for node in order:
        order.extend(node.children)
    regression = schema.target.task == "regression"
    for node in reversed(order):
        if node.children:
            node.rows = sum(child.rows for child in node.children)
            merge = _merge_moments if regression else _merge_counts
            node.stats = merge([child.stats for child in node.children])
    return Tree(schema, _arrays(order, regression), **others)


def _merge_counts(stats: list[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(float(sum(column)) for column in zip(*stats, strict=True))


def _merge_moments(stats: list[tuple[float, ...]]) -> tuple[float, ...]:
    """Weight, mean and sum of squared deviations of several sets of rows together."""
    weight = float(sum(w for w, _, _ in stats))
    if weight == 0:
        return (0.0, 0.0, 0.0)
    mean = sum(w * m for w, m, _ in stats) / weight
    return weight, float(mean), float(sum(s + w * (m - mean) ** 2 for w, m, s in stats))


def _arrays(order: list[Node], regression: bool) -> Nodes:
    n_children = np.array([len(node.children) for node in order])
    stats = np.array([node.stats for node in order], float)
    told: dict[str, Any] = {
        "n_children": n_children,
        "split_kind": [node.kind for node in order],
        "levels_at": np.cumsum([0] + [len(node.level_child) for node in order]),
        "levels": [code for node in order for code in sorted(node.level_child)],
        "level_child": [node.level_child[c] for node in order for c in sorted(node.level_child)],
        "stats": stats,
        **_family(n_children),
        **measures(stats, n_children, regression),
    }
    for name in ("column", "threshold", "unseen_to", "missing_to", "missing_rows", "rows"):
        told[name] = [getattr(node, name) for node in order]
    told["p_value"] = [node.p_value for node in order]
    return Nodes(**{name: np.asarray(told[name], DTYPES[name]) for name in DTYPES})


def _family(n_children: Array) -> dict[str, Array]:
    first, parent = np.full(len(n_children), -1), np.full(len(n_children), -1)
    inner = np.flatnonzero(n_children)
    first[inner] = 1 + np.cumsum(n_children[inner]) - n_children[inner]
    parent[1:] = np.repeat(inner, n_children[inner])
    return {"first_child": first, "parent": parent}


def measures(stats: Array, n_children: Array, regression: bool) -> dict[str, Array]:
    """Weight, Gini impurity or mean squared error, and gain, from the stats."""
    weight = stats[:, 0] if regression else stats.sum(axis=1)
    some = np.where(weight > 0, weight, 1.0)
    if regression:
        impurity = stats[:, 2] / some
    else:
        impurity = np.where(weight > 0, 1 - ((stats / some[:, None]) ** 2).sum(axis=1), 0.0)
    inner = np.flatnonzero(n_children)
    gain = np.zeros(len(weight))
    if len(inner):
        starts = np.cumsum(n_children[inner]) - n_children[inner]
        kept = np.add.reduceat((weight * impurity)[1:], starts)
        gain[inner] = impurity[inner] - kept / some[inner]
    return {"weight": weight, "impurity": impurity, "gain": gain}


def passengers() -> Tree:
    """Classification with every kind of split, every place for missing cells, an empty leaf."""
    columns = (
        Column("ticket", "category", ("A", "B", "C", "D"), "text"),
        Column("age", "number"),
        Column("class", "ordered", ("first", "second", "third"), "text"),
        Column("port", "category", ("Cherbourg", "Queenstown", "Southampton"), "text"),
    )
    schema = Schema(columns, Target("survived", "classification", ("no", "yes")))

    def leaf(no: float, yes: float) -> Node:
        return Node(int(no + yes), (no, yes))

    port = Node(kind=SUBSET, column=3, level_child={0: 0, 1: 1, 2: 1}, missing_to=1, p_value=0.03)
    port.children = [leaf(2, 17), leaf(9, 5)]
    age = Node(kind=THRESHOLD, column=1, threshold=30.5, missing_to=1, missing_rows=3)
    age.p_value, age.children = 1e-12, [port, leaf(30, 3)]
    rank = Node(kind=THRESHOLD, column=2, threshold=1.0, missing_to=2, missing_rows=4)
    rank.p_value, rank.children = 0.5, [leaf(1, 11), leaf(7, 2), leaf(4, 0)]
    known = Node(kind=THRESHOLD, column=1, threshold=np.inf, missing_to=1, missing_rows=6)
    known.p_value, known.children = 1.0, [leaf(5, 5), leaf(6, 0)]
    root = Node(kind=BRANCHES, column=0, level_child={0: 0, 1: 1}, unseen_to=3, missing_to=2)
    root.missing_rows, root.p_value = 16, 0.25
    root.children = [age, rank, known, leaf(0, 0)]
    options = {"criterion": "gini", "max_depth": 3, "min_rows_leaf": 0.01, "runners_up": False}
    report = {"ties": 1, "notes": ["name: all different, ignored"]}
    return build(schema, root, options=options, report=report)


def houses() -> Tree:
    """Regression: "<" thresholds, a date, one level against the rest, runners-up."""
    columns = (
        Column("area", "number"),
        Column("sold", "number", (), "date"),
        Column("district", "category", ("north", "Süd", "west"), "text"),
        Column("state", "ordered", ("poor", "fair", "good"), "text"),
    )
    schema = Schema(columns, Target("price", "regression"))
    one = Node(kind=SUBSET, column=2, level_child={1: 0, 0: 1}, missing_to=0)
    one.children = [Node(3, (3.0, 310.5, 12.5)), Node(5, (4.5, 240.25, 0.125))]
    sold = Node(kind=THRESHOLD, column=1, threshold=18262.0, missing_to=0)
    sold.children = [one, Node(2, (2.0, 500.0, 200.0))]
    root = Node(kind=THRESHOLD, column=0, threshold=72.35, missing_to=1, missing_rows=1)
    root.children = [Node(4, (4.0, 120.1, 33.3)), sold]
    tree = build(schema, root, equality="<", empty_branch="unknown", options={"max_leaves": 4})
    runners = RunnersUp(
        np.array([0, 3, 3, 4, 5, 5, 5, 5], np.int64),
        np.array([1, 2, 3, 0, 3], np.int32),
        np.array([120.5, 64.0, 0.1, 88.0, 0.0]),
        np.array([17000.5, np.nan, 1.0, 80.25, np.inf]),
    )
    return replace(tree, runners_up=runners)


# ---- at random ----


def random_tree(
    seed: int,
    *,
    splits: int = 10,
    task: Task | None = None,
    deep: bool = False,
    runners_up: bool | None = None,
) -> Tree:
    """Any tree: `splits` inner nodes; the seed decides all else that is not given."""
    rng = np.random.default_rng(seed)
    task = task or ("classification", "regression")[int(rng.integers(2))]
    schema = random_schema(rng, task)
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
    if not wanted:
        return tree
    return replace(tree, runners_up=random_runners_up(tree, rng))


def random_schema(rng: np.random.Generator, task: Task) -> Schema:
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


def random_runners_up(tree: Tree, rng: np.random.Generator) -> RunnersUp:
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


# ---- very large ----


def chain(n_nodes: int, task: Task = "classification") -> Tree:
    """As deep as can be: one child of every inner node is a leaf. An odd number of nodes."""
    inner = np.arange(n_nodes) % 2 == 0
    inner[-1] = False
    return _large(np.where(inner, 2, 0), task)


def bushy(n_nodes: int, task: Task = "classification") -> Tree:
    """As flat as two-way splits can be. An odd number of nodes."""
    return _large(np.where(np.arange(n_nodes) < n_nodes // 2, 2, 0), task)


def _large(n_children: Array, task: Task) -> Tree:
    """Numeric two-way splits, with one row per leaf or a few; everything by whole arrays."""
    n, inner = len(n_children), n_children > 0
    if n % 2 == 0:
        raise ValueError(f"{n} nodes: a tree of two-way splits has an odd number of nodes")
    rng = np.random.default_rng(0)
    family = _family(n_children)
    own = np.where(inner[:, None], 0, rng.integers(1, 4, (n, 2)))
    counts = _added_up(own, family["parent"], family["first_child"])
    if task == "regression":
        total = counts.sum(axis=1).astype(float)
        stats = np.column_stack((total, rng.normal(size=n), total))
    else:
        stats = counts.astype(float)
    told = {
        "n_children": n_children,
        "split_kind": np.where(inner, THRESHOLD, LEAF),
        "column": np.where(inner, rng.integers(0, 4, n), -1),
        "threshold": np.where(inner, rng.normal(size=n), np.nan),
        "levels_at": np.zeros(n + 1),
        "levels": [],
        "level_child": [],
        "unseen_to": np.full(n, -1),
        "missing_to": np.where(inner, rng.integers(0, 2, n), -1),
        "missing_rows": np.zeros(n),
        "rows": counts.sum(axis=1),
        "stats": stats,
        "p_value": np.where(inner & (task == "classification"), rng.random(n), np.nan),
        **family,
        **measures(stats, n_children, task == "regression"),
    }
    nodes = Nodes(**{name: np.asarray(told[name], DTYPES[name]) for name in DTYPES})
    columns = tuple(Column(f"x{i}", "number") for i in range(4))
    classes = ("no", "yes") if task == "classification" else ()
    return Tree(Schema(columns, Target("y", task, classes)), nodes)


def _added_up(own: Array, parent: Array, first_child: Array) -> Array:
    """For every node the sum over its leaves. Two shapes only, each without a loop over nodes."""
    counts = own.copy()
    chained = bool((first_child[::2][:-1] >= 0).all())
    if chained:  # the leaves below node 2k are 2k+1, 2k+3, … and the last node
        counts[:-1:2] = own[1::2][::-1].cumsum(axis=0)[::-1] + own[-1]
        return counts
    bounds = [0]  # where the levels of the tree start
    while first_child[bounds[-1]] >= 0:
        bounds.append(int(first_child[bounds[-1]]))
    bounds.append(len(own))
    for level in range(len(bounds) - 2, 0, -1):
        cut = slice(bounds[level], bounds[level + 1])
        np.add.at(counts, parent[cut], counts[cut])
    return counts
