"""The one place that calls the compiled core: what it takes and gives, as typed Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from bough import _core
from bough.data.table import Array, Table
from bough.prices import TestCosts

__all__ = [
    "Codes",
    "apply",
    "columns_of",
    "encode",
    "grow",
    "log_ways",
    "meetings",
    "take_codes",
    "thread_count",
    "weigh",
]


MOST_THREADS = 1024
FEW_ROWS = 20_000

Codes = _core.Codes


def thread_count(threads: int | None) -> int:
    """The threads to use: those asked for, else as many as this process may run on."""
    if threads is not None:
        return min(threads, MOST_THREADS)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def columns_of(
    table: Table, policies: Sequence[str] | None = None
) -> list[tuple[Array, str, int, str]]:
    """The columns as the core takes them: cells, kind, number of levels, missing policy."""
    policies = policies or ["learned"] * len(table.cells)
    return [
        (cells, column.kind, len(column.levels), policy)
        for cells, column, policy in zip(table.cells, table.schema.columns, policies, strict=True)
    ]


def encode(table: Table, threads: int | None) -> Codes | None:
    """The cells as the search for splits of large nodes takes them, for trees of many parts of
    the table; None where there are so few rows that it is not worth while."""
    if table.n_rows < FEW_ROWS:
        return None
    return _core.encode(columns_of(table), table.n_rows, thread_count(threads))


def take_codes(codes: Codes | None, rows: Array, threads: int | None) -> Codes | None:
    """The codes of some of the rows, by number."""
    if codes is None:
        return None
    return _core.take_codes(codes, rows.astype(np.int64), thread_count(threads))


def grow(
    table: Table,
    policies: Sequence[str],
    options: dict[str, Any],
    costs: Array | None,
    test_costs: TestCosts | None,
    progress: Callable[[int], object] | None,
    codes: Codes | None = None,
) -> dict[str, Any]:
    """Grows; `options` as the core reads them (no None, no shares); `codes` of this very table."""
    return _core.grow(
        columns_of(table, policies),
        table.target,
        len(table.schema.target.classes),
        table.weights,
        options,
        costs,
        None
        if test_costs is None
        else {f.name: getattr(test_costs, f.name) for f in fields(TestCosts)},
        progress,
        codes,
    )


def weigh(
    rule: str, criterion: str, gain: float, impurity: float, weight: float, price: float
) -> tuple[int, float]:
    """A gain weighed against a price, as growing compares columns: what ranks higher is better,
    then the larger figure. 0: nothing gained; 1: by the rule; 2: free, by gain."""
    return _core.weigh(rule, criterion, gain, impurity, weight, price)


def apply(
    table: Table,
    strict: bool,
    nodes: Any,
    surrogates: dict[str, Array] | None,
    threads: int | None,
    start: Array | None = None,
) -> Array:
    """The leaf every row reaches from its node of `start` (default: the root), int32; the node it
    stays at, if it comes no further."""
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
        surrogates,
        start,
        thread_count(threads),
    )


def meetings(
    stats: Array,
    rows: Array,
    ordered: bool,
    missing: bool,
    options: Mapping[str, Any],
) -> list[tuple[int, int, float, int]]:
    """How levels are merged: of every two groups that differed least their first levels, p, and
    whether they were alike (0), had too few rows (1) or differ (2). Class weights and rows per
    level, missing cells last."""
    return _core.meetings(
        np.ascontiguousarray(stats, np.float64),
        np.ascontiguousarray(rows, np.int64),
        ordered,
        missing,
        options["merge_p"],
        options["min_rows_leaf"],
    )


def log_ways(levels: int, groups: int, ordered: bool, missing: bool) -> float:
    """ln of the number of ways to merge levels into so many groups."""
    return _core.log_ways(levels, groups, ordered, missing)
