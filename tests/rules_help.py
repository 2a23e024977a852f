"""Rows for the tests of rules: cells that sit on, beside and far from everything a tree asks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bough.data.schema import MISSING, UNSEEN, Schema
from bough.data.table import Array, Table
from bough.rules import RuleSet
from bough.tree import Tree


def rows_for(tree: Tree, rng: np.random.Generator, n: int = 200, **told: Any) -> Table:
    """Any cells: thresholds and their neighbours, missing ones, levels the schema lacks."""
    schema = tree.schema
    cells = tuple(_cells(tree, i, rng, n) for i in range(len(schema.columns)))
    return Table(schema, cells, _target(schema, rng, n), **told)


def _cells(tree: Tree, i: int, rng: np.random.Generator, n: int) -> Array:
    column = tree.schema.columns[i]
    if column.kind != "number":
        return rng.integers(UNSEEN, len(column.levels), n).astype(np.int32)
    asked = tree.nodes.threshold[tree.nodes.column == i]
    asked = asked[np.isfinite(asked)]
    with np.errstate(over="ignore"):  # beside the largest float
        beside = [np.nextafter(asked, -math.inf), np.nextafter(asked, math.inf)]
    pool = np.concatenate([asked, *beside, rng.normal(size=5)])
    values = rng.choice(pool, n)
    values[rng.random(n) < 0.2] = math.nan
    values[np.isinf(values)] = 0.0  # tables hold no infinity
    return values


def _target(schema: Schema, rng: np.random.Generator, n: int) -> Array:
    if schema.target.task == "regression":
        return rng.normal(size=n)
    return rng.integers(0, len(schema.target.classes), n).astype(np.int32)


def as_dict(table: Table, row: int) -> dict[str, Any]:
    """One row as a person would give it; a level nobody knows is a text nobody knows."""
    found: dict[str, Any] = {}
    for column, cells in zip(table.schema.columns, table.cells, strict=True):
        value = cells[row].item()
        if column.kind == "number":
            found[column.name] = None if math.isnan(value) else value
        else:
            told = {MISSING: None, UNSEEN: "a level of another world"}
            found[column.name] = told[value] if value < 0 else column.levels[value]
    return found


def same(one: Any, other: Any) -> bool:
    """Equal answers; NaN and None (does not know) equal themselves."""
    both = zip(np.asarray(one).tolist(), np.asarray(other).tolist(), strict=True)
    return all(a == b or (a != a and b != b) for a, b in both)


def words(rules: RuleSet) -> list[str]:
    """`A and B → answer` for every rule."""
    from bough.rules.words import answer_words, rule_words

    return [f"{' and '.join(rule_words(r))} → {answer_words(rules, r)}" for r in rules.rules]
