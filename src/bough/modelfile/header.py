"""What stands before the nodes: schema, equality, options, report. Written and read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from bough import __version__
from bough.data.schema import Column, Schema, Target
from bough.data.table import Array
from bough.modelfile.fault import Fault, quote
from bough.modelfile.records import (
    UNSET,
    ColumnRecord,
    GroupRecord,
    Header,
    RawNode,
    SchemaRecord,
    TargetRecord,
    TestCostsRecord,
    decode_file,
    encode,
)
from bough.prices import TestCosts
from bough.tree import Tree

__all__ = [
    "FORMAT",
    "VERSION",
    "plain_json",
    "read_costs",
    "read_header",
    "read_test_costs",
    "write_header",
]

FORMAT = "bough tree"
VERSION = 1
DEEPEST = 32
"""How deep lists and maps may be nested in options and report."""


def write_header(tree: Tree) -> bytes:
    """The file up to its nodes, a field per line."""
    fields = {
        "format": encode(FORMAT),
        "version": encode(VERSION),
        "bough": encode(__version__),
        "schema": _schema_text(tree.schema),
        "equality": encode(tree.equality),
        "empty_branch": encode(tree.empty_branch),
        **_missing_and_costs(tree),
        "options": encode(plain_json(tree.options, "options")),
        "report": encode(plain_json(tree.report, "report")),
    }
    return b"{" + b"".join(encode(name) + b":" + text + b",\n" for name, text in fields.items())


def _missing_and_costs(tree: Tree) -> dict[str, bytes]:
    """What most trees do not have, and their files leave out."""
    found = {}
    if tree.fills:
        # Not the top level, where names of columns would be taken for those of options.
        fills = plain_json(tree.fills, "fills", depth=1)
        index = tree.schema.index
        order = sorted(fills, key=lambda name: index.get(name, len(index)))
        found["fills"] = encode({name: fills[name] for name in order})
    if tree.costs is not None:
        found["costs"] = encode(plain_json(tree.costs, "costs"))
    if tree.test_costs is not None:
        found["test_costs"] = encode(_test_costs_record(tree.test_costs, tree.schema.names))
    return found


def _test_costs_record(costs: TestCosts, names: Sequence[str]) -> TestCostsRecord:
    of_column = dict(zip(names, costs.cost.tolist(), strict=False))  # soundness.py counts them
    group = list(zip(names, costs.group.tolist(), strict=False))
    return TestCostsRecord(
        columns={name: cost for name, cost in of_column.items() if cost != 0},
        groups=[
            GroupRecord(columns=[name for name, of in group if of == number], shared=shared)
            for number, shared in enumerate(costs.group_cost.tolist())
        ],
    )


def _schema_text(schema: Schema) -> bytes:
    """A column per line, so that diff shows which one is another."""
    target = TargetRecord(
        name=schema.target.name,
        task=schema.target.task,
        classes=plain_json(schema.target.classes, "classes"),
    )
    columns = (
        ColumnRecord(name=c.name, kind=c.kind, form=c.form, levels=list(c.levels))
        for c in schema.columns
    )
    head = b'{"target":' + encode(target) + b',"columns":[\n'
    return head + b",\n".join(encode(column) for column in columns) + b"\n]}"


def read_header(data: bytes) -> tuple[Header, Schema, list[RawNode]]:
    """The header of a file, its schema as bough has it, and the nodes still unread."""
    header, raws = decode_file(data)
    schema = _schema(header.schema)
    _check_schema(schema)
    return header, schema, raws


def read_costs(header: Header) -> Array | None:
    """The costs of a file; soundness.py checks their values."""
    rows, k = header.costs, len(header.schema.target.classes)
    if rows is UNSET:
        return None
    if k and (len(rows) != k or any(len(row) != k for row in rows)):
        raise Fault(f"costs must have {k} rows of {k} numbers, in the order of the classes")
    return np.array(rows if k else [], np.float64)


def read_test_costs(header: Header, schema: Schema) -> TestCosts | None:
    """The test costs of a file; soundness.py checks their values."""
    record = header.test_costs
    if record is UNSET:
        return None
    cost = np.zeros(len(schema.columns))
    group = np.full(len(schema.columns), -1, np.int32)
    for name, value in record.columns.items():
        cost[_place(name, schema)] = value
    for number, members in enumerate(record.groups):
        for name in members.columns:
            if group[_place(name, schema)] >= 0:
                raise Fault(f"test_costs have the column {quote(name)} in two groups")
            group[_place(name, schema)] = number
    return TestCosts(cost, group, np.array([g.shared for g in record.groups], np.float64))


def _place(name: str, schema: Schema) -> int:
    if name not in schema.index:
        raise Fault(f"test_costs name the column {quote(name)}, which the schema does not have")
    return schema.index[name]


def _schema(record: SchemaRecord) -> Schema:
    return Schema(
        tuple(Column(c.name, c.kind, tuple(c.levels), c.form) for c in record.columns),
        Target(record.target.name, record.target.task, tuple(record.target.classes)),
    )


def _check_schema(schema: Schema) -> None:
    _check_distinct(schema.names, "column")
    for column in schema.columns:
        _check_distinct(column.levels, f"level of the column {quote(column.name)}")
        if column.kind == "number" and column.levels:
            raise Fault(f"the number column {quote(column.name)} has levels; it can have none")
    classes = schema.target.classes
    _check_distinct(classes, "class")
    plain_json(classes, "classes")
    if (schema.target.task == "classification") != bool(classes):
        raise Fault(f"{schema.target.task} with {len(classes)} classes: regression has none")


def _check_distinct(names: Sequence[Any], what: str) -> None:
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise Fault(f"the {what} {quote(str(twice))} is listed twice")


def plain_json(value: Any, where: str, depth: int = 0) -> Any:
    """Options or report as JSON has them: keys sorted, numbers that are not finite left out."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if depth > DEEPEST:
        raise Fault(f"{where} is nested more than {DEEPEST} deep")
    if isinstance(value, Mapping):
        named = sorted(((str(key), inner) for key, inner in value.items()), key=itemgetter(0))
        return {
            key: plain_json(inner, where, depth + 1)
            for key, inner in named
            if not (isinstance(inner, float) and not math.isfinite(inner))
            and not (depth == 0 and _is_volatile(key))  # deeper, a key may be a column's name
        }
    if isinstance(value, list | tuple):
        return [plain_json(inner, where, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Fault(f"a whole number in {where} does not fit 64 bits")
    if value is None or isinstance(value, str | int | float):
        return value
    raise Fault(f"{where} holds a value of type {type(value).__name__}, which JSON cannot hold")


def _is_volatile(key: str) -> bool:
    """Times and threads differ from run to run and never change the tree: not for the file."""
    return key in ("seconds", "threads") or key.endswith("_seconds")
