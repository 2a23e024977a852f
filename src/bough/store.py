"""Save and load a tree: versioned JSON, one node per line; docs/model-file.md describes it.

Reading trusts nothing: whatever is wrong with a file becomes one ModelFileError. Nodes pass through
in batches, so a million of them never stand in memory as Python objects, and nothing recurses.
"""

from __future__ import annotations

import math
import stat
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType

from bough import __version__
from bough.data.schema import Column, Form, Kind, Schema, Target, Task
from bough.data.table import Array
from bough.errors import ModelFileError
from bough.files import AnyPath, write_bytes
from bough.tree import BRANCHES, LEAF, SPLIT_KINDS, SUBSET, THRESHOLD, Nodes, RunnersUp, Tree

__all__ = ["FORMAT", "VERSION", "dumps", "json_schema", "load", "loads", "save"]

FORMAT = "bough tree"
VERSION = 1

BATCH = 8192
"""Nodes that are Python objects at the same time."""
MOST_CHILDREN = 2**15 - 1
"""The number of a child within its node is an int16."""
DEEPEST = 32
"""How deep lists and maps may be nested in options and report."""
TOLERANCE = 1e-6
"""How far, relatively, stats may be from the weight: sums in another order round differently."""

# ---- the records: what stands in the file, and where the JSON Schema comes from ----

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
NodeId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Place = Annotated[
    int, Meta(ge=0, le=MOST_CHILDREN, description="a child of this node: 0 is the first")
]
At = Annotated[
    float | Literal["inf"],
    Meta(description='the threshold of a number column; "inf" asks whether the cell is known'),
]
AtLevel = Annotated[str, Meta(description="the threshold of an ordered column: one of its levels")]
Levels = Annotated[list[list[str]], Meta(description="for each child the levels that go to it")]


class Record(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """Unknown fields are errors: in a file nobody tampered with, they mean a newer format."""


class ColumnRecord(Record, kw_only=True):
    name: str
    kind: Kind
    form: Form
    levels: list[str] = []


class TargetRecord(Record, kw_only=True):
    name: str
    task: Task
    classes: list[str | int | float | bool] = []


class SchemaRecord(Record, kw_only=True):
    target: TargetRecord
    columns: list[ColumnRecord]


class ThresholdRecord(Record, kw_only=True, tag_field="kind", tag="threshold"):
    column: str
    at: At | UnsetType = UNSET
    at_level: AtLevel | UnsetType = UNSET
    missing_to: Place
    missing_rows: Count = 0


class LevelsRecord(Record, kw_only=True):
    column: str
    levels: Levels
    unseen_to: Place | UnsetType = UNSET
    missing_to: Place
    missing_rows: Count = 0


class SubsetRecord(LevelsRecord, kw_only=True, tag_field="kind", tag="subset"):
    pass


class BranchesRecord(LevelsRecord, kw_only=True, tag_field="kind", tag="branches"):
    pass


class RunnerUpRecord(Record, kw_only=True):
    column: str
    at: At | UnsetType = UNSET
    at_level: AtLevel | UnsetType = UNSET
    gain: float


class NodeRecord(Record, kw_only=True):
    id: NodeId
    children: list[NodeId] = []
    split: ThresholdRecord | SubsetRecord | BranchesRecord | UnsetType = UNSET
    rows: Count
    weight: Annotated[float, Meta(ge=0)]
    stats: Annotated[
        list[float],
        Meta(description="weight per class; regression: weight, mean, sum of squared deviations"),
    ]
    impurity: float | UnsetType = UNSET
    gain: float | UnsetType = UNSET
    p_value: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    runners_up: list[RunnerUpRecord] | UnsetType = UNSET


class Header(Record, kw_only=True):
    format: Literal["bough tree"]
    version: Literal[1]
    bough: Annotated[str, Meta(description="the version of bough that wrote the file")]
    schema: SchemaRecord
    equality: Literal["<=", "<"]
    empty_branch: Literal["parent", "unknown"]
    options: dict[str, Any]
    report: dict[str, Any]


class ModelFile(Header, kw_only=True):
    """A decision tree written by bough."""

    nodes: Annotated[list[NodeRecord], Meta(min_length=1)]


class Envelope(Header, kw_only=True):
    """The same file with its nodes still unread."""

    nodes: list[msgspec.Raw]


class Stamp(msgspec.Struct):
    """What every version of the format has: enough to say what a file is."""

    format: str = ""
    version: int = 0


SPLIT_RECORDS = {THRESHOLD: ThresholdRecord, SUBSET: SubsetRecord, BRANCHES: BranchesRecord}
KIND_OF_RECORD = {record: kind for kind, record in SPLIT_RECORDS.items()}
ENCODER = msgspec.json.Encoder()
NODE_DECODER = msgspec.json.Decoder(NodeRecord)


def json_schema() -> bytes:
    """The JSON Schema of a model file; src/bough/model.schema.json holds the same bytes."""
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(ModelFile),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


# ---- the four doors ----


def save(tree: Tree, path: AnyPath, *, force: bool = False) -> None:
    """Write a tree to a file; `force` replaces a file that is there."""
    write_bytes(path, _pieces(tree), force=force)


def dumps(tree: Tree) -> bytes:
    """The bytes of the model file; the same tree always gives the same bytes."""
    return b"".join(_pieces(tree))


def load(path: AnyPath) -> Tree:
    """The tree in a model file."""
    file = Path(path)
    data = None
    try:
        mode = file.stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):  # a device may never end
            data = file.read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f'There is no file "{file}". Give the path of a saved tree.') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f'Cannot read "{file}": {reason}.') from None
    if data is None:
        raise ModelFileError(f'"{file}" is not a file. Give the path of a saved tree.')
    return loads(data, str(file))


def loads(data: bytes, name: str = "the model file") -> Tree:
    """The tree in the bytes of a model file; `name` is what messages call it."""
    shown = name if name == "the model file" else _quote(name, most=400)
    try:
        return READERS[_version(data, shown)](data)
    except Fault as fault:
        raise ModelFileError(
            f"Cannot load {shown}: {fault}. Use an undamaged copy, or save the tree again."
        ) from None


class Fault(Exception):
    """What is wrong with a tree; the public functions say with which file, and what to do."""


def _version(data: bytes, shown: str) -> int:
    """The format version of a file that some bough can read; anything else is an error."""
    if not data:
        raise Fault("the file is empty")
    try:
        stamp = msgspec.json.decode(data, type=Stamp)
    except msgspec.ValidationError:
        stamp = Stamp()
    except (ValueError, RecursionError) as error:
        raise Fault(_reason(error, len(data))) from None
    if stamp.format != FORMAT or stamp.version < 1:
        raise ModelFileError(
            f'Cannot load {shown}: it is not a bough tree (its "format" is not "{FORMAT}", or its '
            '"version" is not a whole number from 1). Give a file that bough has saved.'
        )
    if stamp.version not in READERS:
        raise ModelFileError(
            f"Cannot load {shown}: it was written by a newer bough (format version "
            f"{_quote(str(stamp.version))[1:-1]}); this one reads up to {VERSION}: upgrade bough."
        )
    return stamp.version


def _reason(error: Exception, size: int | None = None) -> str:
    """What the JSON decoder found, in words; `size` is given when it read the whole file."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply to be a tree"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text ({error.reason})"
    if isinstance(error, msgspec.ValidationError):
        what, _, where = str(error).partition(" - at `$")
        place = where.strip(".`")
        return _quote(f"{place}: {what}" if place else what, most=200)[1:-1]
    found = str(error)
    if size is not None and ("truncated" in found or f"(byte {size})" in found):
        return "it is cut off: the JSON text ends in the middle"
    return f"it is not valid JSON ({_quote(found)[1:-1]})"


def _quote(text: str, most: int = 60) -> str:
    """A name from a file, safe to print: short, and without control characters."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
    return f'"{safe}"'


# ---- writing ----


def _pieces(tree: Tree) -> Iterator[bytes]:
    """The file, piece by piece; nothing is given before the whole tree is found sound."""
    try:
        head = _header(tree)
        _read_header(head + b'"nodes":[]}')
        check(tree)
    except Fault as fault:
        raise ModelFileError(f"This tree cannot be saved: {fault}.") from None
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"This tree cannot be saved: the text {_quote(str(error.object))} holds half a "
            "character (a lone surrogate), which no file can hold. Correct it in the data."
        ) from None
    yield head + b'"nodes":[\n'
    n = len(tree.nodes)
    for start in range(0, n, BATCH):
        stop = min(start + BATCH, n)
        lines = ENCODER.encode_lines(_node_records(tree, start, stop))
        # Inside JSON a line end is always escaped, so each one here ends a node.
        yield lines[:-1].replace(b"\n", b",\n") + (b",\n" if stop < n else b"\n]}\n")


def _header(tree: Tree) -> bytes:
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "bough": __version__,
        "schema": msgspec.Raw(_schema_text(tree.schema)),
        "equality": tree.equality,
        "empty_branch": tree.empty_branch,
        "options": _plain(tree.options, "options"),
        "report": _plain(tree.report, "report"),
    }
    lines = (ENCODER.encode(name) + b":" + ENCODER.encode(fields[name]) for name in fields)
    return b"{" + b"".join(line + b",\n" for line in lines)


def _schema_text(schema: Schema) -> bytes:
    target = TargetRecord(
        name=schema.target.name,
        task=schema.target.task,
        classes=_plain(schema.target.classes, "classes"),
    )
    columns = (
        ColumnRecord(name=c.name, kind=c.kind, form=c.form, levels=list(c.levels))
        for c in schema.columns
    )
    head = b'{"target":' + ENCODER.encode(target) + b',"columns":[\n'
    return head + b",\n".join(ENCODER.encode(column) for column in columns) + b"\n]}"


def _is_volatile(key: str) -> bool:
    """Times and threads differ from run to run and never change the tree: not for the file."""
    return key in ("seconds", "threads") or key.endswith("_seconds")


def _plain(value: Any, where: str, depth: int = 0) -> Any:
    """Options or report as JSON has them: keys sorted, numbers that are not finite left out."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if depth > DEEPEST:
        raise Fault(f"{where} is nested more than {DEEPEST} deep")
    if isinstance(value, Mapping):
        named = sorted(((str(key), inner) for key, inner in value.items()), key=itemgetter(0))
        return {
            key: _plain(inner, where, depth + 1)
            for key, inner in named
            if not (isinstance(inner, float) and not math.isfinite(inner))
            and not (depth == 0 and _is_volatile(key))  # deeper, a key may be a column's name
        }
    if isinstance(value, list | tuple):
        return [_plain(inner, where, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Fault(f"a whole number in {where} does not fit 64 bits")
    if value is None or isinstance(value, str | int | float):
        return value
    raise Fault(f"{where} holds a value of type {type(value).__name__}, which JSON cannot hold")


def _node_records(tree: Tree, start: int, stop: int) -> list[NodeRecord]:
    nodes, cut = tree.nodes, slice(start, stop)
    whole = (nodes.first_child, nodes.n_children, nodes.rows, nodes.weight, nodes.stats)
    others = (nodes.impurity, nodes.gain, nodes.p_value)
    return [
        NodeRecord(
            id=i,
            children=list(range(first, first + n)),
            split=split,
            rows=rows,
            weight=weight,
            stats=stats,
            impurity=impurity if impurity == impurity else UNSET,
            gain=gain if n else UNSET,
            p_value=p_value if p_value == p_value else UNSET,
            runners_up=runners_up,
        )
        for i, split, runners_up, first, n, rows, weight, stats, impurity, gain, p_value in zip(
            range(start, stop),
            _split_records(tree, start, stop),
            _runner_up_records(tree, start, stop),
            *(told[cut].tolist() for told in whole + others),
            strict=True,
        )
    ]


def _split_records(tree: Tree, start: int, stop: int) -> Iterator[Any]:
    nodes, columns, cut = tree.nodes, tree.schema.columns, slice(start, stop)
    names = ("split_kind", "column", "n_children", "threshold", "unseen_to", "missing_to")
    told = [getattr(nodes, name)[cut].tolist() for name in (*names, "missing_rows")]
    at = nodes.levels_at[start : stop + 1].tolist()
    for i, (kind, c, n, threshold, unseen_to, to, rows) in enumerate(zip(*told, strict=True)):
        if kind not in SPLIT_RECORDS:
            yield UNSET
            continue
        column = columns[c]
        asked = (
            _at(column, threshold)
            if kind == THRESHOLD
            else {
                "levels": _levels_by_child(nodes, at[i], at[i + 1], n, column),
                "unseen_to": unseen_to if unseen_to >= 0 else UNSET,
            }
        )
        yield SPLIT_RECORDS[kind](column=column.name, missing_to=to, missing_rows=rows, **asked)


def _at(column: Column, threshold: float) -> dict[str, Any]:
    """A threshold as the file has it: nothing for NaN, "inf", a level, or a number."""
    if threshold != threshold:
        return {}
    if threshold == math.inf:
        return {"at": "inf"}
    if column.kind == "ordered":
        return {"at_level": column.levels[int(threshold)]}
    return {"at": threshold}


def _levels_by_child(
    nodes: Nodes, start: int, stop: int, n: int, column: Column
) -> list[list[str]]:
    groups: list[list[str]] = [[] for _ in range(n)]
    codes, children = nodes.levels[start:stop].tolist(), nodes.level_child[start:stop].tolist()
    for code, child in zip(codes, children, strict=True):
        groups[child].append(column.levels[code])
    return groups


def _runner_up_records(tree: Tree, start: int, stop: int) -> Iterator[Any]:
    """Every node has the field when the tree kept runners-up, and none when it did not."""
    runners = tree.runners_up
    if runners is None:
        yield from (UNSET for _ in range(start, stop))
        return
    at = runners.at[start : stop + 1].tolist()
    arrays = (runners.column, runners.gain, runners.threshold)
    records = []
    for c, gain, threshold in zip(*(a[at[0] : at[-1]].tolist() for a in arrays), strict=True):
        column = tree.schema.columns[c]
        records.append(RunnerUpRecord(column=column.name, gain=gain, **_at(column, threshold)))
    yield from (records[a - at[0] : b - at[0]] for a, b in pairwise(at))


# ---- reading ----


def _read_version_1(data: bytes) -> Tree:
    envelope, schema = _read_header(data)
    nodes, runners_up = _read_nodes(envelope.nodes, schema)
    tree = Tree(
        schema=schema,
        nodes=nodes,
        equality=envelope.equality,
        empty_branch=envelope.empty_branch,
        options=_plain(envelope.options, "options"),
        report=_plain(envelope.report, "report"),
        runners_up=runners_up,
    )
    check(tree)
    return tree


READERS: dict[int, Callable[[bytes], Tree]] = {1: _read_version_1}
"""One entry per format version; an old one stays for ever, for its files do."""


def _read_header(data: bytes) -> tuple[Envelope, Schema]:
    try:
        envelope = msgspec.json.decode(data, type=Envelope)
    except (ValueError, RecursionError) as error:
        raise Fault(_reason(error)) from None
    told = envelope.schema
    schema = Schema(
        tuple(Column(c.name, c.kind, tuple(c.levels), c.form) for c in told.columns),
        Target(told.target.name, told.target.task, tuple(told.target.classes)),
    )
    _check_schema(schema)
    return envelope, schema


def _check_schema(schema: Schema) -> None:
    _check_distinct(schema.names, "column")
    for column in schema.columns:
        _check_distinct(column.levels, f"level of the column {_quote(column.name)}")
        if column.kind == "number" and column.levels:
            raise Fault(f"the number column {_quote(column.name)} has levels; it can have none")
    classes = schema.target.classes
    _check_distinct(classes, "class")
    _plain(classes, "classes")
    if (schema.target.task == "classification") != bool(classes):
        raise Fault(f"{schema.target.task} with {len(classes)} classes: regression has none")


def _check_distinct(names: Sequence[Any], what: str) -> None:
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise Fault(f"the {what} {_quote(str(twice))} is listed twice")


Ints = MutableSequence[int]
Part = dict[str, Any]
"""Arrays by their name in Nodes (in RunnersUp: after RUNNER_UP), for some nodes; levels_at and at
still hold counts."""
RUNNER_UP = "runners_up."


def _read_nodes(raws: list[msgspec.Raw], schema: Schema) -> tuple[Nodes, RunnersUp | None]:
    if not raws:
        raise Fault("it has no nodes; a tree has at least a root")
    parts: list[Part] = []
    next_child = 1
    kept = False
    for start in range(0, len(raws), BATCH):
        records = _decode(raws[start : start + BATCH], start)
        if start == 0:
            kept = records[0].runners_up is not UNSET
        parts.append(_read_part(records, start, next_child, schema, kept))
        next_child += int(parts[-1]["n_children"].sum(dtype=np.int64))
    if next_child != len(raws):
        raise Fault(f"there are {len(raws)} nodes, and the last child is {next_child - 1}")
    joined = {name: np.concatenate([part.pop(name) for part in parts]) for name in [*parts[0]]}
    runners = {name: joined.pop(RUNNER_UP + name) for name in RUNNERS_UP_DTYPES if kept}
    if kept:
        runners["at"] = _offsets(runners["at"])
    joined["levels_at"] = _offsets(joined["levels_at"])
    joined |= family(joined["n_children"])
    return Nodes(**joined), RunnersUp(**runners) if kept else None


def _offsets(counts: Array) -> Array:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def family(n_children: Array) -> dict[str, Array]:
    """first_child and parent of nodes numbered level by level: the counts say it all."""
    last = np.cumsum(n_children, dtype=np.int64)
    first = np.where(n_children > 0, 1 + last - n_children, -1).astype(np.int32)
    ids = np.arange(len(n_children), dtype=np.int32)
    parent = np.concatenate((np.array([-1], np.int32), np.repeat(ids, n_children)))
    return {"first_child": first, "parent": parent}


def _decode(raws: list[msgspec.Raw], start: int) -> list[NodeRecord]:
    records: list[NodeRecord] = []
    try:
        for raw in raws:
            records.append(NODE_DECODER.decode(raw))  # noqa: PERF401 (counts how far it came)
    except (ValueError, RecursionError) as error:
        raise Fault(f"node {start + len(records)}: {_reason(error)}") from None
    return records


def _read_part(
    records: list[NodeRecord], start: int, next_child: int, schema: Schema, kept: bool
) -> Part:
    told = {
        "n_children": _read_children(records, start, next_child),
        **_read_splits(records, start, schema),
        "rows": [record.rows for record in records],
        "weight": [record.weight for record in records],
        "stats": _read_stats(records, start, len(schema.target.classes) or 3),
        "impurity": [math.nan if r.impurity is UNSET else r.impurity for r in records],
        "gain": [0.0 if r.gain is UNSET else r.gain for r in records],
        "p_value": [math.nan if r.p_value is UNSET else r.p_value for r in records],
    }
    part = {name: np.asarray(values, DTYPES[name]) for name, values in told.items()}
    runners = _read_runners_up(records, start, schema, kept)
    for name in RUNNERS_UP_DTYPES if kept else ():
        part[RUNNER_UP + name] = np.asarray(runners[name], RUNNERS_UP_DTYPES[name])
    return part


def _read_children(records: list[NodeRecord], start: int, next_child: int) -> list[int]:
    """How many children each node has, once it is sure which ones they are."""
    counts = []
    for i, record in enumerate(records, start):
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


def _read_stats(records: list[NodeRecord], start: int, width: int) -> Array:
    for i, record in enumerate(records, start):
        if len(record.stats) != width:
            raise Fault(f"node {i}: stats has {len(record.stats)} numbers; it must have {width}")
    numbers = chain.from_iterable(record.stats for record in records)
    return np.fromiter(numbers, np.float64, len(records) * width).reshape(-1, width)


def _read_splits(records: list[NodeRecord], start: int, schema: Schema) -> Part:
    names = ("split_kind", "column", "threshold", "unseen_to", "missing_to", "missing_rows")
    rows: list[tuple[int, int, float, int, int, int]] = []
    counts, codes, children = [], array("i"), array("h")  # not lists: levels can be very many
    for i, record in enumerate(records, start):
        split = record.split
        before = len(codes)
        if split is UNSET:
            rows.append((LEAF, -1, math.nan, -1, -1, 0))
        else:
            place = _column(schema, split.column, i)
            column = schema.columns[place]
            rows.append(_split_row(split, column, place, i))
            if isinstance(split, LevelsRecord):
                _read_levels(split, column, len(record.children), i, codes, children)
        counts.append(len(codes) - before)
    node = np.repeat(np.arange(len(records)), counts)
    told = {"levels": np.asarray(codes), "level_child": np.asarray(children)}
    rising = np.lexsort((told["levels"], node))
    return {
        **dict(zip(names, zip(*rows, strict=True), strict=True)),
        "levels_at": counts,
        **{name: values[rising] for name, values in told.items()},
    }


def _split_row(
    split: ThresholdRecord | LevelsRecord, column: Column, place: int, i: int
) -> tuple[int, int, float, int, int, int]:
    kind, threshold, unseen_to = KIND_OF_RECORD[type(split)], math.nan, -1
    if isinstance(split, ThresholdRecord):
        threshold = _threshold(split, column, i)
    elif split.unseen_to is not UNSET:
        unseen_to = split.unseen_to
    return kind, place, threshold, unseen_to, split.missing_to, split.missing_rows


def _column(schema: Schema, name: str, i: int) -> int:
    if name not in schema.index:
        raise Fault(f"node {i}: the schema has no column {_quote(name)}")
    return schema.index[name]


def _threshold(asked: ThresholdRecord | RunnerUpRecord, column: Column, i: int) -> float:
    at, at_level = asked.at, asked.at_level
    if at == "inf" and at_level is UNSET:
        return math.inf
    if column.kind == "number" and isinstance(at, float) and at_level is UNSET:
        return at
    if column.kind == "ordered" and at is UNSET and isinstance(at_level, str):
        return float(_code(column, at_level, i))
    if column.kind == "category" and at is UNSET and at_level is UNSET:
        return math.nan
    allowed = {"number": '"at"', "ordered": '"at_level" (or "at": "inf")', "category": "neither"}
    raise Fault(
        f'node {i}: the {column.kind} column {_quote(column.name)} has the wrong one of "at" and '
        f'"at_level": it takes {allowed[column.kind]}'
    )


def _code(column: Column, level: str, i: int) -> int:
    if level not in column.codes:
        raise Fault(f"node {i}: the column {_quote(column.name)} has no level {_quote(level)}")
    return column.codes[level]


def _read_levels(
    split: LevelsRecord, column: Column, n: int, i: int, codes: Ints, children: Ints
) -> None:
    if len(split.levels) != n:
        raise Fault(f"node {i}: levels are listed for {len(split.levels)} children; it has {n}")
    for child, levels in enumerate(split.levels):
        codes.extend(_code(column, level, i) for level in levels)
        children.extend([child] * len(levels))


def _read_runners_up(
    records: list[NodeRecord], start: int, schema: Schema, kept: bool
) -> dict[str, list[Any]]:
    told: dict[str, list[Any]] = {name: [] for name in RUNNERS_UP_DTYPES}
    for i, record in enumerate(records, start):
        runners = record.runners_up
        if (runners is not UNSET) != kept:
            raise Fault(f"node {i}: either every node has runners_up or none has")
        for runner in () if runners is UNSET else runners:
            column = _column(schema, runner.column, i)
            told["column"].append(column)
            told["gain"].append(runner.gain)
            told["threshold"].append(_threshold(runner, schema.columns[column], i))
        told["at"].append(0 if runners is UNSET else len(runners))
    return told


# ---- what makes a tree sound: the same for one to be written and one just read ----

DTYPES: dict[str, str] = {
    name: dtype
    for dtype, names in {
        "uint8": "split_kind",
        "int16": "level_child unseen_to missing_to",
        "int32": "first_child n_children parent column levels",
        "int64": "levels_at missing_rows rows",
        "float64": "threshold weight stats impurity gain p_value",
    }.items()
    for name in names.split()
}
RUNNERS_UP_DTYPES = {"at": "int64", "column": "int32", "gain": "float64", "threshold": "float64"}
IN_A_LEAF = {"n_children": 0, "column": -1, "missing_to": -1, "unseen_to": -1, "missing_rows": 0}
IN_A_LEAF |= {"gain": 0}


def check(tree: Tree) -> None:
    """Raise a Fault unless every array of the tree says something possible."""
    schema, nodes = tree.schema, tree.nodes
    with np.errstate(all="ignore"):  # sums of absurd numbers are found out, not warned about
        _check_arrays(nodes, schema)
        _check_family(nodes)
        _check_splits(nodes, schema)
        _check_thresholds(nodes, schema)
        _check_levels(nodes, schema)
        _check_numbers(nodes, schema)
        if tree.runners_up is not None:
            _check_runners_up(tree.runners_up, len(nodes), schema)


def _refuse(wrong: Array, text: str, *shown: Array, ids: Array | None = None) -> None:
    """A Fault for the first node that is wrong; {} in the text stand for what is there."""
    if wrong.any():
        i = int(wrong.argmax())
        there = text.format(*(" ".join(str(told[i])[:200].split()) for told in shown))
        raise Fault(f"node {i if ids is None else ids[i]}: {there}")


def _check_array(told: Array, name: str, dtype: str, shape: tuple[int, ...]) -> None:
    if told.dtype != dtype or told.shape != shape:
        raise Fault(f"{name} is {told.dtype}{[*told.shape]}; it must be {dtype}{[*shape]}")


def _check_offsets(offsets: Array, name: str, total: int) -> None:
    if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
        raise Fault(f"{name} must rise from 0 to {total}")


def _check_arrays(nodes: Nodes, schema: Schema) -> None:
    n, seen = len(nodes), len(nodes.levels)
    if n == 0:
        raise Fault("it has no nodes; a tree has at least a root")
    shapes = {
        "stats": (n, len(schema.target.classes) or 3),
        "levels_at": (n + 1,),
        "levels": (seen,),
        "level_child": (seen,),
    }
    for name, dtype in DTYPES.items():
        _check_array(getattr(nodes, name), name, dtype, shapes.get(name, (n,)))
    _check_offsets(nodes.levels_at, "levels_at", seen)


def _check_family(nodes: Nodes) -> None:
    n = nodes.n_children
    _refuse((n < 0) | (n > MOST_CHILDREN), "it has {} children", n)
    children = int(n.sum(dtype=np.int64))
    if children + 1 != len(nodes):
        raise Fault(f"there are {len(nodes)} nodes, {children} of them children; only one has none")
    due = family(n)
    for name, told in (("first_child", nodes.first_child), ("parent", nodes.parent)):
        text = f"{name} is {{}}, and in a tree numbered level by level it is {{}}"
        _refuse(told != due[name], text, told, due[name])
    # Children after their parents: only so does every path end, at a leaf or at the root.
    early = (n > 0) & (nodes.first_child <= np.arange(len(nodes)))
    _refuse(early, "its first child is {}, which does not come after it", nodes.first_child)


def _check_splits(nodes: Nodes, schema: Schema) -> None:
    kind, n, to = nodes.split_kind, nodes.n_children, nodes.missing_to
    _refuse(~np.isin(kind, [*SPLIT_KINDS]), "there is no split kind {}", kind)
    for name, value in IN_A_LEAF.items():
        told = getattr(nodes, name)
        _refuse((kind == LEAF) & (told != value), f"{name} is {{}}; in a leaf it is {value}", told)
    ids = np.flatnonzero(kind != LEAF)
    kind, n, to, unseen, column = (
        told[ids] for told in (kind, n, to, nodes.unseen_to, nodes.column)
    )
    columns = len(schema.columns)
    _refuse((column < 0) | (column >= columns), f"column {{}} of {columns}", column, ids=ids)
    by_level = np.array([c.kind == "category" for c in schema.columns], bool)[column]
    fits = "a threshold needs a number or ordered column, levels a category; column {} is not that"
    _refuse((kind == THRESHOLD) == by_level, fits, column, ids=ids)
    most = np.array([0, 3, 2, MOST_CHILDREN])[kind]
    _refuse((n < 2) | (n > most), "{} children, and this kind has 2 to {}", n, most, ids=ids)
    _refuse((to < 0) | (to >= n), "missing_to is {}; there are {} children", to, n, ids=ids)
    lost = (unseen < -1) | (unseen >= np.where(kind == THRESHOLD, 0, n))
    _refuse(lost, "unseen_to is {}; there are {} children", unseen, n, ids=ids)
    third = (kind == THRESHOLD) & (n == 3) & (to != 2)
    _refuse(third, "missing_to is {}; a third child is for missing cells", to, ids=ids)


def _check_thresholds(nodes: Nodes, schema: Schema) -> None:
    at = nodes.threshold
    idle = (nodes.split_kind != THRESHOLD) & (at == at)
    _refuse(idle, "the threshold is {}, and the node asks for none", at)
    ids = np.flatnonzero(nodes.split_kind == THRESHOLD)
    at, known = at[ids], nodes.threshold[ids] == math.inf
    _refuse(~_possible(at, nodes.column[ids], schema), "the threshold is {}", at, ids=ids)
    wrong = known & ((nodes.n_children[ids] != 2) | (nodes.missing_to[ids] != 1))
    _refuse(wrong, 'a threshold of "inf" has two children: 0 known, 1 missing', ids=ids)


def _possible(at: Array, column: Array, schema: Schema) -> Array:
    """Whether a threshold can be asked of its column: a number, or the code of a level."""
    ordered = np.array([c.kind == "ordered" for c in schema.columns], bool)[column]
    n_levels = np.array([len(c.levels) for c in schema.columns], np.int64)[column]
    is_code = (at >= 0) & (at < n_levels) & (at == np.floor(at))
    possible: Array = (at == math.inf) | np.where(ordered, is_code, np.isfinite(at))
    return possible


def _check_levels(nodes: Nodes, schema: Schema) -> None:
    counts = np.diff(nodes.levels_at)
    by_level = (nodes.split_kind == SUBSET) | (nodes.split_kind == BRANCHES)
    _refuse(by_level != (counts > 0), "it lists {} levels", counts)
    ids = np.repeat(np.arange(len(nodes)), counts)
    code, child, column = nodes.levels, nodes.level_child, nodes.column[ids]
    n_levels = np.array([len(c.levels) for c in schema.columns], np.int64)[column]
    _refuse((code < 0) | (code >= n_levels), "level {} of {}", code, n_levels, ids=ids)
    astray = (child < 0) | (child >= nodes.n_children[ids])
    _refuse(astray, "level {} goes to child {}, which is not there", code, child, ids=ids)
    falls = (np.diff(code) <= 0) & (np.diff(ids) == 0)
    _refuse(falls, "level {} is listed twice, or out of order", code[1:], ids=ids[1:])
    order = np.lexsort((child, ids))
    shared = (np.diff(child[order]) == 0) & (np.diff(ids[order]) == 0)
    shared &= nodes.split_kind[ids[order][1:]] == BRANCHES
    _refuse(shared, "branches send two levels to child {}", child[order][1:], ids=ids[order][1:])


def _check_numbers(nodes: Nodes, schema: Schema) -> None:
    rows, weight, stats, p = nodes.rows, nodes.weight, nodes.stats, nodes.p_value
    _refuse(rows < 0, "{} rows", rows)
    few = (nodes.missing_rows < 0) | (nodes.missing_rows > rows)
    _refuse(few, "missing_rows is {}, of {} rows", nodes.missing_rows, rows)
    _refuse(~((weight >= 0) & np.isfinite(weight)), "the weight is {}", weight)
    if not weight[0] > 0:
        raise Fault("node 0: the weight is 0, so the tree has no answer")
    least = np.zeros(stats.shape[1])
    if schema.target.task == "regression":
        least[1] = -math.inf  # the mean
    fine = np.isfinite(stats) & (stats >= least)
    _refuse(np.asarray(~fine.all(axis=1)), "the stats are {}", stats)
    total = stats[:, 0] if schema.target.task == "regression" else stats.sum(axis=1)
    off: Array = ~(np.abs(total - weight) <= TOLERANCE * weight)
    _refuse(off, "the stats hold a weight of {}, and the weight is {}", total, weight)
    _refuse(np.isinf(nodes.impurity), "the impurity is {}", nodes.impurity)
    _refuse(~np.isfinite(nodes.gain), "the gain is {}", nodes.gain)
    _refuse((p < 0) | (p > 1), "the p_value is {}, outside 0 to 1", p)


def _check_runners_up(runners: RunnersUp, n: int, schema: Schema) -> None:
    kept = len(runners.column)
    for name, dtype in RUNNERS_UP_DTYPES.items():
        shape = (n + 1,) if name == "at" else (kept,)
        _check_array(getattr(runners, name), f"runners_up.{name}", dtype, shape)
    _check_offsets(runners.at, "runners_up.at", kept)
    ids = np.repeat(np.arange(n), np.diff(runners.at))
    column, at = runners.column, runners.threshold
    lost: Array = (column < 0) | (column >= len(schema.columns))
    _refuse(lost, "a runner-up asks column {}, which is not there", column, ids=ids)
    by_level = np.array([c.kind == "category" for c in schema.columns], bool)[column]
    unfit: Array = np.where(by_level, at == at, ~_possible(at, column, schema))
    _refuse(unfit, "the threshold of a runner-up is {}", at, ids=ids)
    _refuse(~np.isfinite(runners.gain), "the gain of a runner-up is {}", runners.gain, ids=ids)
