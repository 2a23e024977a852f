"""From the nodes of a file to arrays, a batch at a time; soundness.py checks the whole."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from bough.data.schema import Column, Schema, Target
from bough.data.table import Array
from bough.modelfile.fault import Fault, quote, safe
from bough.modelfile.records import (
    BATCH,
    KIND_OF_RECORD,
    UNSET,
    LevelsRecord,
    NodeRecord,
    RawNode,
    RunnerUpRecord,
    SplitRecord,
    SurrogateRecord,
    ThresholdRecord,
    decode_nodes,
)
from bough.modelfile.soundness import (
    BY_STATS,
    DTYPES,
    MOST_CHILDREN,
    NO_NODES,
    RUNNERS_UP_DTYPES,
    SURROGATES_DTYPES,
    family,
)
from bough.splits import STAYS, TO_ALL
from bough.tree import LEAF, Nodes, RunnersUp, Surrogates

__all__ = ["ReadNodes", "read_nodes"]

Numbered = list[tuple[int, NodeRecord]]
Part = dict[str, Array]
"""Arrays of some of the nodes; levels_at and at still hold counts, not offsets."""
CHILD_OF_WORD = {"all": TO_ALL, "stay": STAYS}


class ReadNodes(NamedTuple):
    """What the nodes of a file tell; None: no node tells it."""

    nodes: Nodes
    runners_up: RunnersUp | None
    surrogates: Surrogates | None
    set_answers: Array | None


def read_nodes(raws: list[RawNode], schema: Schema) -> ReadNodes:
    """The nodes as arrays, and what else stands with them."""
    if not raws:
        raise Fault(NO_NODES)
    parts: list[Part] = []
    runner_parts: list[Part] = []
    surrogate_parts: list[Part] = []
    answer_parts: list[Part] = []
    next_child = 1
    ran = stood_in = answered = False
    for start in range(0, len(raws), BATCH):
        numbered = list(enumerate(decode_nodes(raws[start : start + BATCH], start), start))
        if start == 0:
            ran = numbered[0][1].runners_up is not UNSET
        stood_in |= any(record.surrogates is not UNSET for _, record in numbered)
        answered |= any(record.answer is not UNSET for _, record in numbered)
        parts.append(_node_arrays(numbered, next_child, schema))
        runner_parts.append(_runner_up_arrays(numbered, schema, ran))
        surrogate_parts.append(_surrogate_arrays(numbered, schema))
        answer_parts.append({"set_answers": _set_answers(numbered, schema.target)})
        next_child += int(parts[-1]["n_children"].sum(dtype=np.int64))
    if next_child != len(raws):
        raise Fault(f"there are {len(raws)} nodes, and the last child is {next_child - 1}")
    arrays = _joined(parts, "levels_at")
    return ReadNodes(
        Nodes(**arrays, **family(arrays["n_children"])),
        RunnersUp(**_joined(runner_parts, "at")) if ran else None,
        Surrogates(**_joined(surrogate_parts, "at", "levels_at")) if stood_in else None,
        _joined(answer_parts)["set_answers"] if answered else None,
    )


def _joined(parts: list[Part], *offsets: str) -> Part:
    """The parts as one, each array let go when it has been copied."""
    joined = {name: np.concatenate([part.pop(name) for part in parts]) for name in [*parts[0]]}
    for name in offsets:
        joined[name] = np.concatenate(([0], np.cumsum(joined[name], dtype=np.int64)))
    return joined


def _node_arrays(numbered: Numbered, next_child: int, schema: Schema) -> Part:
    records = [record for _, record in numbered]
    values = {
        "n_children": _child_counts(numbered, next_child),
        **_splits(numbered, schema),
        "rows": [record.rows for record in records],
        "weight": [record.weight for record in records],
        "stats": _stats(numbered, len(schema.target.classes) or 3),
        "impurity": [math.nan if r.impurity is UNSET else r.impurity for r in records],
        "gain": [0.0 if r.gain is UNSET else r.gain for r in records],
        "p_value": [math.nan if r.p_value is UNSET else r.p_value for r in records],
    }
    return {name: np.asarray(values[name], DTYPES[name]) for name in values}


def _child_counts(numbered: Numbered, next_child: int) -> list[int]:
    """How many children each node has, once it is sure which ones they are."""
    counts = []
    for i, record in numbered:
        n = len(record.children)
        if record.id != i:
            raise Fault(f"the id of node {i} is {record.id}; ids count from 0 without gaps")
        if not ((n > 0) == (record.split is not UNSET) == (record.gain is not UNSET)):
            raise Fault(f"node {i}: children, split and gain must be there together or not at all")
        if n > MOST_CHILDREN:
            raise Fault(f"node {i} has {n} children; a node can have {MOST_CHILDREN}")
        if n and record.children != list(range(next_child, next_child + n)):
            raise Fault(
                f"node {i}: its first children are {record.children[:3]}; nodes are numbered level "
                f"by level, children next to each other, so they must count up from {next_child}"
            )
        next_child += n
        counts.append(n)
    return counts


def _stats(numbered: Numbered, width: int) -> Array:
    for i, record in numbered:
        if len(record.stats) != width:
            raise Fault(f"node {i}: stats has {len(record.stats)} numbers; it must have {width}")
    numbers = chain.from_iterable(record.stats for _, record in numbered)
    return np.fromiter(numbers, np.float64, len(numbered) * width).reshape(-1, width)


# ---- splits --------------------------------------------------------------------------------------

SPLIT_NAMES = ("split_kind", "column", "threshold", "unseen_to", "missing_to", "missing_rows")
SplitRow = tuple[int, int, float, int, int, int]
NO_SPLIT: SplitRow = (LEAF, -1, math.nan, -1, -1, 0)


def _splits(numbered: Numbered, schema: Schema) -> dict[str, Any]:
    rows: list[SplitRow] = []
    counts, codes, children = [], array("i"), array("h")  # not lists: levels can be very many
    for i, record in numbered:
        split = record.split
        before = len(codes)
        rows.append(NO_SPLIT if split is UNSET else _split_row(split, schema, i))
        if isinstance(split, LevelsRecord):
            column = schema.columns[rows[-1][1]]
            for code, child in _level_children(split.levels, column, len(record.children), i):
                codes.append(code)
                children.append(child)
        counts.append(len(codes) - before)
    return {
        **dict(zip(SPLIT_NAMES, zip(*rows, strict=True), strict=True)),
        **_rising(counts, np.asarray(codes), np.asarray(children)),
    }


def _rising(counts: list[int], levels: Array, level_child: Array) -> dict[str, Any]:
    """Levels in the order of the schema, as arrays have them; a file has them child by child."""
    order = np.lexsort((levels, np.repeat(np.arange(len(counts)), counts)))
    return {"levels_at": counts, "levels": levels[order], "level_child": level_child[order]}


def _split_row(split: SplitRecord, schema: Schema, i: int) -> SplitRow:
    place = _column(schema, split.column, i)
    threshold, unseen_to = math.nan, -1
    if isinstance(split, ThresholdRecord):
        threshold = _threshold(split, schema.columns[place], i)
    elif split.unseen_to is not UNSET:
        unseen_to = split.unseen_to
    kind = KIND_OF_RECORD[type(split)]
    goes = split.missing_to
    missing_to = CHILD_OF_WORD[goes] if isinstance(goes, str) else goes
    return kind, place, threshold, unseen_to, missing_to, split.missing_rows


def _column(schema: Schema, name: str, i: int) -> int:
    if name not in schema.index:
        raise Fault(f"node {i}: the schema has no column {quote(name)}")
    return schema.index[name]


def _threshold(
    asked: ThresholdRecord | RunnerUpRecord | SurrogateRecord, column: Column, i: int
) -> float:
    at, at_level = asked.at, asked.at_level
    if at == "inf" and at_level is UNSET:
        return math.inf
    if column.kind == "number" and isinstance(at, float) and at_level is UNSET:
        return at
    if column.kind == "ordered" and at is UNSET and isinstance(at_level, str):
        return float(_code(column, at_level, i))
    by_level = column.kind == "category"
    by_level |= column.kind == "ordered" and isinstance(asked, RunnerUpRecord)  # in branches
    if by_level and at is UNSET and at_level is UNSET:
        return math.nan
    allowed = {"number": '"at"', "ordered": '"at_level" (or "at": "inf")', "category": "neither"}
    raise Fault(
        f'node {i}: the {column.kind} column {quote(column.name)} has the wrong one of "at" and '
        f'"at_level": it takes {allowed[column.kind]}'
    )


def _code(column: Column, level: str, i: int) -> int:
    if level not in column.codes:
        raise Fault(f"node {i}: the column {quote(column.name)} has no level {quote(level)}")
    return column.codes[level]


def _level_children(
    listed: list[list[str]], column: Column, n: int, i: int
) -> Iterator[tuple[int, int]]:
    """Of every level that is listed the code, and the child it goes to."""
    if len(listed) != n:
        raise Fault(f"node {i}: levels are listed for {len(listed)} children; it has {n}")
    for child, levels in enumerate(listed):
        for level in levels:
            yield _code(column, level, i), child


# ---- runners-up ----------------------------------------------------------------------------------


def _runner_up_arrays(numbered: Numbered, schema: Schema, kept: bool) -> Part:
    values: dict[str, list[Any]] = {name: [] for name in RUNNERS_UP_DTYPES}
    for i, record in numbered:
        runners = record.runners_up
        if (runners is not UNSET) != kept:
            raise Fault(f"node {i}: either every node has runners_up or none has")
        for runner in () if runners is UNSET else runners:
            column = _column(schema, runner.column, i)
            values["column"].append(column)
            values["gain"].append(runner.gain)
            values["threshold"].append(_threshold(runner, schema.columns[column], i))
        values["at"].append(0 if runners is UNSET else len(runners))
    return {name: np.asarray(values[name], dtype) for name, dtype in RUNNERS_UP_DTYPES.items()}


# ---- surrogates and answers ----------------------------------------------------------------------


def _surrogate_arrays(numbered: Numbered, schema: Schema) -> Part:
    values: dict[str, Any] = {name: [] for name in SURROGATES_DTYPES}
    for i, record in numbered:
        surrogates = [] if record.surrogates is UNSET else record.surrogates
        values["at"].append(len(surrogates))
        for surrogate in surrogates:
            place = _column(schema, surrogate.column, i)
            column = schema.columns[place]
            values["column"].append(place)
            values["threshold"].append(_threshold(surrogate, column, i))
            values["flipped"].append(surrogate.flipped)
            values["agreement"].append(surrogate.agreement)
            levels = _surrogate_levels(surrogate, column, i)
            values["levels_at"].append(len(levels))
            values["levels"] += [code for code, _ in levels]
            values["level_child"] += [child for _, child in levels]
    codes, children = (np.asarray(values[name], np.int64) for name in ("levels", "level_child"))
    values |= _rising(values["levels_at"], codes, children)
    return {name: np.asarray(values[name], dtype) for name, dtype in SURROGATES_DTYPES.items()}


def _surrogate_levels(surrogate: SurrogateRecord, column: Column, i: int) -> list[tuple[int, int]]:
    by_level = column.kind == "category"
    if (surrogate.levels is not UNSET) != by_level:
        raise Fault(
            f"node {i}: a surrogate that asks the {column.kind} column {quote(column.name)} "
            f"{'needs' if by_level else 'has no'} levels"
        )
    if surrogate.levels is UNSET:
        return []
    return list(_level_children(surrogate.levels, column, 2, i))


def _set_answers(numbered: Numbered, target: Target) -> Array:
    if target.classes:
        # True equals 1, and is another class.
        codes = {(isinstance(c, bool), c): code for code, c in enumerate(target.classes)}
        return np.array([_class_code(r.answer, codes, i) for i, r in numbered], np.int32)
    return np.array([_number(r.answer, i) for i, r in numbered], np.float64)


def _class_code(answer: Any, codes: Mapping[tuple[bool, Any], int], i: int) -> int:
    if answer is UNSET or answer is None:
        return BY_STATS
    code = codes.get((isinstance(answer, bool), answer))
    if code is None:
        raise Fault(f"node {i}: the target has no class {quote(str(answer))} to answer")
    return code


def _number(answer: Any, i: int) -> float:
    if answer is UNSET or answer is None:
        return math.nan
    if isinstance(answer, bool | str) or abs(answer) > sys.float_info.max:
        raise Fault(f"node {i}: the answer is {safe(repr(answer))}; it must be a number")
    return float(answer)
