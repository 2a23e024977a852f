"""From the arrays of a tree to lines of JSON, a batch of nodes at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from bough.data.schema import Column
from bough.data.table import Array
from bough.modelfile.header import plain_json
from bough.modelfile.records import (
    BATCH,
    SPLIT_RECORDS,
    UNSET,
    NodeRecord,
    RunnerUpRecord,
    SurrogateRecord,
    encode_lines,
)
from bough.modelfile.soundness import BY_STATS
from bough.splits import STAYS, TO_ALL
from bough.tree import THRESHOLD, Surrogates, Tree

__all__ = ["MISSING_TO", "write_nodes"]

MISSING_TO = {TO_ALL: "all", STAYS: "stay"}


def write_nodes(tree: Tree) -> Iterator[bytes]:
    """The nodes of a sound tree, each on its own line, with commas between them."""
    n = len(tree.nodes)
    for start in range(0, n, BATCH):
        stop = min(start + BATCH, n)
        lines = encode_lines(_node_records(tree, start, stop))
        # Inside JSON a line end is always escaped, so each one here ends a node.
        yield lines[:-1].replace(b"\n", b",\n") + (b",\n" if stop < n else b"\n")


def _node_records(tree: Tree, start: int, stop: int) -> list[NodeRecord]:
    nodes, here = tree.nodes, slice(start, stop)
    counted = (nodes.first_child, nodes.n_children, nodes.rows, nodes.weight, nodes.stats)
    measured = (nodes.impurity, nodes.gain, nodes.p_value)
    told = (_split_records, _surrogate_records, _set_answers, _runner_up_records)
    return [
        NodeRecord(
            id=i,
            children=list(range(first, first + n)),
            split=split,
            surrogates=surrogates,
            rows=rows,
            weight=weight,
            stats=stats,
            answer=answer,
            impurity=impurity if impurity == impurity else UNSET,
            gain=gain if n else UNSET,
            p_value=p_value if p_value == p_value else UNSET,
            runners_up=runners_up,
        )
        for (
            i,
            (split, surrogates, answer, runners_up),
            (first, n, rows, weight, stats, impurity, gain, p_value),
        ) in zip(
            range(start, stop),
            zip(*(records(tree, start, stop) for records in told), strict=True),
            zip(*(array[here].tolist() for array in counted + measured), strict=True),
            strict=True,
        )
    ]


def _split_records(tree: Tree, start: int, stop: int) -> Iterator[Any]:
    nodes, here = tree.nodes, slice(start, stop)
    names = ("split_kind", "column", "n_children", "threshold", "unseen_to", "missing_to")
    arrays = [getattr(nodes, name)[here].tolist() for name in (*names, "missing_rows")]
    spans = pairwise(nodes.levels_at[start : stop + 1].tolist())
    for kind, c, n, threshold, unseen_to, to, rows, span in zip(*arrays, spans, strict=True):
        if kind not in SPLIT_RECORDS:
            yield UNSET
            continue
        column = tree.schema.columns[c]
        asked = (
            _threshold_fields(column, threshold)
            if kind == THRESHOLD
            else {
                "levels": _levels_by_child(nodes.levels, nodes.level_child, span, n, column),
                "unseen_to": unseen_to if unseen_to >= 0 else UNSET,
            }
        )
        goes = MISSING_TO.get(to, to)
        yield SPLIT_RECORDS[kind](column=column.name, missing_to=goes, missing_rows=rows, **asked)


def _threshold_fields(column: Column, threshold: float) -> dict[str, Any]:
    """A threshold as the file has it: nothing for NaN, "inf", a level, or a number."""
    if threshold != threshold:
        return {}
    if threshold == math.inf:
        return {"at": "inf"}
    if column.kind == "ordered":
        return {"at_level": column.levels[int(threshold)]}
    return {"at": threshold}


def _levels_by_child(
    levels: Array, level_child: Array, span: tuple[int, int], n: int, column: Column
) -> list[list[str]]:
    groups: list[list[str]] = [[] for _ in range(n)]
    here = slice(*span)
    for code, child in zip(levels[here].tolist(), level_child[here].tolist(), strict=True):
        groups[child].append(column.levels[code])
    return groups


def _surrogate_records(tree: Tree, start: int, stop: int) -> Iterator[Any]:
    """The field stands where there are some; if nowhere is one, but could be, the root's is []."""
    kept = tree.surrogates
    if kept is None:
        yield from (UNSET for _ in range(start, stop))
        return
    empty_root = start == 0 and not len(kept.column)
    for i, (first, last) in enumerate(pairwise(kept.at[start : stop + 1].tolist())):
        found = [_surrogate_record(tree, kept, j) for j in range(first, last)]
        yield found if found or (empty_root and i == 0) else UNSET


def _surrogate_record(tree: Tree, kept: Surrogates, j: int) -> SurrogateRecord:
    column = tree.schema.columns[int(kept.column[j])]
    asked = _threshold_fields(column, float(kept.threshold[j]))
    if column.kind == "category":
        span = (int(kept.levels_at[j]), int(kept.levels_at[j + 1]))
        asked["levels"] = _levels_by_child(kept.levels, kept.level_child, span, 2, column)
    return SurrogateRecord(
        column=column.name,
        flipped=bool(kept.flipped[j]),
        agreement=float(kept.agreement[j]),
        **asked,
    )


def _set_answers(tree: Tree, start: int, stop: int) -> Iterator[Any]:
    """The field stands where an answer is set; if none is, but could be, the root says null."""
    answers = tree.set_answers
    if answers is None:
        yield from (UNSET for _ in range(start, stop))
        return
    classes = plain_json(tree.schema.target.classes, "classes")
    empty_root = start == 0 and bool(_by_stats(tree, answers).all())
    here = answers[start:stop]
    for i, (answer, unset) in enumerate(zip(here.tolist(), _by_stats(tree, here), strict=True)):
        if unset:
            yield None if empty_root and i == 0 else UNSET
        else:
            yield classes[answer] if classes else answer


def _by_stats(tree: Tree, answers: Array) -> Array:
    """Where the answer is not set."""
    by_stats: Array = answers == BY_STATS if tree.schema.target.classes else np.isnan(answers)
    return by_stats


def _runner_up_records(tree: Tree, start: int, stop: int) -> Iterator[Any]:
    """Every node has the field when the tree kept runners-up, and none when it did not."""
    runners = tree.runners_up
    if runners is None:
        yield from (UNSET for _ in range(start, stop))
        return
    offsets = runners.at[start : stop + 1].tolist()
    first, last = offsets[0], offsets[-1]
    arrays = (runners.column, runners.gain, runners.threshold)
    records = []
    for c, gain, threshold in zip(*(a[first:last].tolist() for a in arrays), strict=True):
        column = tree.schema.columns[c]
        fields = _threshold_fields(column, threshold)
        records.append(RunnerUpRecord(column=column.name, gain=gain, **fields))
    yield from (records[begin - first : end - first] for begin, end in pairwise(offsets))
