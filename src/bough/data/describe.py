"""What `bough data` tells about a table: kinds, levels, missing cells, oddities, contradictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.contradictions import Contradictions, contradictions
from bough.data.infer import MANY_LEVELS
from bough.data.schema import Column, Form, Kind, Target
from bough.data.table import Array, Table

__all__ = ["ColumnFacts", "TableFacts", "describe"]

MOST_SHOWN = 5


@dataclass(frozen=True)
class ColumnFacts:
    """One column at a glance."""

    name: str
    kind: Kind
    form: Form
    n_distinct: int
    """Different known values; of an ordered or category column, levels that occur."""
    n_levels: int
    """Levels of the schema; 0 for a number column."""
    n_missing: int
    missing_share: float
    low: str
    high: str
    """Smallest and largest number as people write it; empty for levels."""
    common: tuple[tuple[str, int], ...]
    """The most common levels and their rows, most first; empty for a number column."""
    oddities: tuple[str, ...]


@dataclass(frozen=True)
class TableFacts:
    """The whole table at a glance."""

    n_rows: int
    columns: tuple[ColumnFacts, ...]
    target: Target
    classes: tuple[tuple[Any, int], ...]
    """Rows per class; empty for regression."""
    target_range: tuple[float, float, float] | None
    """Smallest, mean and largest target; None for classification."""
    weight: float | None
    """The sum of the weights; None when every row counts once."""
    contradictions: Contradictions
    notes: tuple[str, ...]


def describe(table: Table) -> TableFacts:
    """The facts about a table that was read for growing."""
    target, values = table.schema.target, table.target
    assert values is not None
    classes: tuple[tuple[Any, int], ...] = ()
    target_range = None
    if target.task == "classification":
        counts = np.bincount(values, minlength=len(target.classes))
        classes = tuple(zip(target.classes, counts.tolist(), strict=True))
    else:
        target_range = (float(values.min()), float(values.mean()), float(values.max()))
    return TableFacts(
        n_rows=table.n_rows,
        columns=tuple(map(_column_facts, table.schema.columns, table.cells)),
        target=target,
        classes=classes,
        target_range=target_range,
        weight=None if table.weights is None else float(table.weights.sum()),
        contradictions=contradictions(table),
        notes=table.notes,
    )


def _column_facts(column: Column, cells: Array) -> ColumnFacts:
    known = cells[~np.isnan(cells)] if column.kind == "number" else cells[cells >= 0]
    n_missing = len(cells) - len(known)
    low = high = ""
    common: tuple[tuple[str, int], ...] = ()
    if column.kind == "number":
        n_distinct = len(np.unique(known))
        if n_distinct:
            low, high = column.show(float(known.min())), column.show(float(known.max()))
    else:
        counts = np.bincount(known, minlength=len(column.levels))
        n_distinct = int(np.count_nonzero(counts))
        most = np.argsort(-counts, kind="stable")[: min(MOST_SHOWN, n_distinct)]
        common = tuple((column.levels[code], int(counts[code])) for code in most)
    return ColumnFacts(
        name=column.name,
        kind=column.kind,
        form=column.form,
        n_distinct=n_distinct,
        n_levels=len(column.levels),
        n_missing=n_missing,
        missing_share=n_missing / len(cells) if len(cells) else 0.0,
        low=low,
        high=high,
        common=common,
        oddities=tuple(_oddities(column, n_distinct, n_missing, len(cells))),
    )


def _oddities(column: Column, n_distinct: int, n_missing: int, n_rows: int) -> list[str]:
    odd = []
    if n_distinct == 0:
        return ["all missing"]
    if n_distinct == 1:
        odd.append("one value" if n_missing == 0 else "one value or missing")
    if 2 * n_missing >= n_rows:
        odd.append("mostly missing")
    if len(column.levels) > MANY_LEVELS:
        odd.append("very many levels")
    if column.kind == "number" and column.form == "int" and n_distinct == n_rows > 20:
        odd.append("all different: an identifier?")
    if column.kind != "number" and n_distinct < len(column.levels):
        odd.append(f"{len(column.levels) - n_distinct} levels without rows")
    return odd
