"""Three trees to read: between them they have every kind of split, and every field."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bough.data.schema import Column, Schema, Target
from bough.splits import STAYS, TO_ALL
from bough.tree import BRANCHES, SUBSET, THRESHOLD, RunnersUp, Surrogates, Tree
from trees.building import Node, build

__all__ = ["houses", "passengers", "patients"]


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


def patients() -> Tree:
    """Classification with costs, fills, surrogates, set answers, and levels that share a branch."""
    columns = (
        Column("age", "number"),
        Column("dose", "ordered", ("low", "mid", "high"), "text"),
        Column("ward", "category", ("A", "B", "C", "D"), "text"),
        Column("smoker", "category", ("no", "yes"), "bool"),
    )
    schema = Schema(columns, Target("state", "classification", ("healthy", "ill")))
    ward = Node(kind=BRANCHES, column=2, level_child={0: 0, 1: 1, 2: 0}, missing_to=TO_ALL)
    ward.children = [Node(9, (7.0, 2.0)), Node(6, (1.0, 5.0))]
    smoker = Node(kind=SUBSET, column=3, level_child={0: 0, 1: 1}, missing_to=STAYS, missing_rows=2)
    smoker.children = [Node(8, (6.0, 2.0)), Node(7, (1.0, 6.0))]
    root = Node(kind=THRESHOLD, column=0, threshold=50.5, missing_to=1, missing_rows=4)
    root.children = [ward, smoker]
    return build(
        schema,
        root,
        options={"missing": {"*": "learned", "dose": "median"}},
        surrogates=_stand_ins(),
        set_answers=np.array([-2, -2, 1, -2, -2, 1, -2], np.int32),
        fills={"dose": "mid", "age": 29.7},
        costs=np.array([[0.0, 1.0], [5.0, 0.0]]),
    )


def _stand_ins() -> Surrogates:
    """For the age: dose ≤ low, the other way round, then ward in {A, C}; for smoker: age ≤ 61."""
    return Surrogates(
        at=np.array([0, 2, 2, 3, 3, 3, 3, 3], np.int64),
        column=np.array([1, 2, 0], np.int32),
        threshold=np.array([0.0, np.nan, 61.0]),
        flipped=np.array([1, 0, 0], np.uint8),
        agreement=np.array([0.8125, 0.7, 1.0]),
        levels_at=np.array([0, 0, 3, 3], np.int64),
        levels=np.array([0, 1, 2], np.int32),
        level_child=np.array([0, 1, 0], np.int16),
    )
