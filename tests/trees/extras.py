"""What most trees do not have, at random: surrogates, fills, costs, answers set by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.schema import Column
from bough.data.table import Array
from bough.splits import STAYS, TO_ALL
from bough.tree import BRANCHES, THRESHOLD, Nodes, Surrogates, Tree

__all__ = ["with_extras"]

DTYPES = {
    "at": np.int64, "column": np.int32, "threshold": np.float64, "flipped": np.uint8,
    "agreement": np.float64, "levels_at": np.int64, "levels": np.int32, "level_child": np.int16,
}  # fmt: skip


def with_extras(tree: Tree, rng: np.random.Generator) -> Tree:
    """The tree with some of them, or with all; its missing_to and branches are changed in place."""
    _loosen_missing(tree.nodes, rng)
    _merge_branches(tree.nodes, rng)
    others: dict[str, Any] = {"fills": _fills(tree, rng)}
    if rng.random() < 0.7:
        others["surrogates"] = _surrogates(tree, rng, often=rng.choice([0.0, 0.3, 1.0]))
    if rng.random() < 0.7:
        others["set_answers"] = _set_answers(tree, rng, often=rng.choice([0.0, 0.1, 1.0]))
    k = len(tree.schema.target.classes)
    if k and rng.random() < 0.7:
        others["costs"] = np.round(rng.random((k, k)) * 10, 1) * (1 - np.eye(k))
    return replace(tree, **others)


def _loosen_missing(nodes: Nodes, rng: np.random.Generator) -> None:
    """Missing cells go to all children, or stay, where they have no child to themselves."""
    own = (nodes.split_kind == THRESHOLD) & ((nodes.n_children == 3) | np.isinf(nodes.threshold))
    some = (nodes.n_children > 0) & ~own & (rng.random(len(nodes)) < 0.5)
    nodes.missing_to[some] = rng.choice([TO_ALL, STAYS], int(some.sum()))


def _merge_branches(nodes: Nodes, rng: np.random.Generator) -> None:
    """Several levels go to one child."""
    owner = np.repeat(np.arange(len(nodes)), np.diff(nodes.levels_at))
    some = (nodes.split_kind[owner] == BRANCHES) & (rng.random(len(owner)) < 0.5)
    nodes.level_child[some] = rng.integers(0, nodes.n_children[owner[some]])


def _fills(tree: Tree, rng: np.random.Generator) -> dict[str, float | str]:
    found: dict[str, float | str] = {}
    for place in rng.permutation(len(tree.schema.columns)).tolist():
        column = tree.schema.columns[place]
        if rng.random() < 0.5:
            continue
        if column.kind == "number":
            found[column.name] = float(rng.normal())
        else:
            found[column.name] = column.levels[rng.integers(len(column.levels))]
    return found


def _set_answers(tree: Tree, rng: np.random.Generator, often: float) -> Array:
    n, k = len(tree), len(tree.schema.target.classes)
    chosen = rng.random(n) < often
    if k:
        return np.where(chosen, rng.integers(0, k, n), -2).astype(np.int32)
    return np.where(chosen, rng.normal(size=n) * 1000, np.nan)


def _surrogates(tree: Tree, rng: np.random.Generator, often: float) -> Surrogates:
    """Of some of the splits in two, for some of the other columns."""
    values: dict[str, list[Any]] = {name: [] for name in DTYPES}
    values["at"], values["levels_at"] = [0], [0]
    for n_children, own in zip(tree.nodes.n_children, tree.nodes.column, strict=True):
        for place, column in enumerate(tree.schema.columns):
            if n_children != 2 or place == own or rng.random() >= often:
                continue
            values["column"].append(place)
            values["agreement"].append(rng.choice([0.0, 1.0, rng.random()]))
            _ask(column, values, rng)
        values["at"].append(len(values["column"]))
    return Surrogates(**{name: np.array(values[name], DTYPES[name]) for name in DTYPES})


def _ask(column: Column, values: dict[str, list[Any]], rng: np.random.Generator) -> None:
    by_level, n = column.kind == "category", len(column.levels)
    codes = sorted(rng.choice(n, int(rng.integers(1, n + 1)), replace=False)) if by_level else []
    number = float(rng.integers(n)) if column.kind == "ordered" else float(rng.normal())
    values["threshold"].append(np.nan if by_level else number)
    values["flipped"].append(0 if by_level else rng.integers(2))
    values["levels"] += codes
    values["level_child"] += rng.integers(0, 2, len(codes)).tolist()
    values["levels_at"].append(len(values["levels"]))
