"""The one place that calls the compiled core: what it takes and gives, as typed Python."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from bough import _core
from bough.data.table import Array, Table

__all__ = ["apply", "columns_of", "grow", "thread_count"]


def thread_count(threads: int | None) -> int:
    """The threads to use: those asked for, else as many as this process may run on."""
    if threads is not None:
        return threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def columns_of(table: Table) -> list[tuple[Array, str, int]]:
    """The columns as the core takes them: cells, kind, number of levels."""
    return [
        (cells, column.kind, len(column.levels))
        for cells, column in zip(table.cells, table.schema.columns, strict=True)
    ]


def grow(
    table: Table, options: dict[str, Any], progress: Callable[[int], object] | None
) -> dict[str, Any]:
    """Grows; `options` as the core reads them (no None, no shares)."""
    return _core.grow(
        columns_of(table),
        table.target,
        len(table.schema.target.classes),
        table.weights,
        options,
        progress,
    )


def apply(table: Table, strict: bool, nodes: Any, threads: int | None) -> Array:
    """The leaf of every row, int32."""
    return _core.apply(
        columns_of(table),
        table.n_rows,
        strict,
        nodes.first_child,
        nodes.n_children,
        nodes.column,
        nodes.split_kind,
        nodes.threshold,
        nodes.levels_at,
        nodes.levels,
        nodes.level_child,
        nodes.unseen_to,
        nodes.missing_to,
        thread_count(threads),
    )
