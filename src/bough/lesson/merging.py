"""How the levels of a column were merged, and how many ways there were: asked of the core."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import core
from bough.data.schema import Column
from bough.lesson.facts import Meeting
from bough.lesson.rows import Groups
from bough.splits import Branches, Split, Subset, Threshold

__all__ = ["meetings_of", "ways_to"]

MOST_MEETINGS = 128
"""Groups whose merging is told; of more the core puts some together before it compares pairs."""
OUTCOMES = ("alike", "few rows", "differ")


def meetings_of(column: Column, groups: Groups, options: Mapping[str, Any]) -> tuple[Meeting, ...]:
    """Every two groups that differed least, in the order they met."""
    if groups.n > MOST_MEETINGS:
        return ()
    names = [column.levels[int(code)] for code in groups.values.tolist()]
    stats, rows = groups.sums, groups.rows
    if groups.missing_rows:
        names.append("missing")
        stats = np.vstack([stats, groups.missing_sums])
        rows = np.append(rows, groups.missing_rows)
    held = {at: [name] for at, name in enumerate(names)}
    found = []
    ordered, missing = column.kind == "ordered", groups.missing_rows > 0
    for one, other, p, outcome in core.meetings(stats, rows, ordered, missing, options):
        found.append(Meeting(_named(held[one]), _named(held[other]), p, OUTCOMES[outcome]))
        if OUTCOMES[outcome] != "differ":
            held[one] += held.pop(other)
    return tuple(found)


def _named(levels: list[str]) -> str:
    return levels[0] if len(levels) == 1 else f"{{{', '.join(levels)}}}"


def ways_to(split: Split, groups: Groups, options: Mapping[str, Any]) -> float:
    """The number of candidates of a column (docs/splits.md, "Gain"); infinite beyond a float."""
    missing, joins = groups.missing_rows > 0, options["missing"] == "learned"
    if isinstance(split, Threshold):
        cuts = len(groups.values) - 1
        return float(cuts if not missing else (2 if joins else 1) * cuts + 1)
    if isinstance(split, Subset) and options["categories"] == "one_vs_rest":
        return float(groups.n + (groups.n - 1 if missing and joins else 0))
    if isinstance(split, Branches) and options["categories"] == "branches":
        return float(groups.n - 1 if missing and joins and groups.n > 2 else 1)
    children = {*split.child_of.values(), *([split.missing_to] if missing else [])}
    ordered = split.column.kind == "ordered"
    log_ways = core.log_ways(groups.n, len(children), ordered, missing)
    return float(round(math.exp(log_ways))) if log_ways < 600 else math.inf
