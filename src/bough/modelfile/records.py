"""What stands in a model file, record by record: the only module that uses msgspec.

The JSON Schema is made from these classes. What a schema cannot say, soundness.py checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from bough.data.schema import Form, Kind, Task
from bough.modelfile.fault import Fault, safe
from bough.modelfile.soundness import MOST_CHILDREN
from bough.tree import BRANCHES, SUBSET, THRESHOLD

__all__ = [
    "BATCH",
    "KIND_OF_RECORD",
    "SPLIT_RECORDS",
    "UNSET",
    "ColumnRecord",
    "GroupRecord",
    "Header",
    "LevelsRecord",
    "NodeRecord",
    "RawNode",
    "RunnerUpRecord",
    "SplitRecord",
    "Stamp",
    "SurrogateRecord",
    "TargetRecord",
    "TestCostsRecord",
    "ThresholdRecord",
    "decode_file",
    "decode_nodes",
    "decode_stamp",
    "encode",
    "encode_lines",
    "json_schema",
]

BATCH = 8192
"""Nodes that are Python objects at the same time."""

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
NodeId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
ChildNumber = Annotated[
    int, Meta(ge=0, le=MOST_CHILDREN, description="a child of this node: 0 is the first")
]
MissingTo = Annotated[
    ChildNumber | Literal["all", "stay"],
    Meta(
        description="where a missing cell goes: a child of this node, "
        'to "all" of them in proportion, or it may "stay" here'
    ),
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
    missing_to: MissingTo
    missing_rows: Count = 0


class LevelsRecord(Record, kw_only=True):
    column: str
    levels: Levels
    unseen_to: ChildNumber | UnsetType = UNSET
    missing_to: MissingTo
    missing_rows: Count = 0


class SubsetRecord(LevelsRecord, kw_only=True, tag_field="kind", tag="subset"):
    pass


class BranchesRecord(LevelsRecord, kw_only=True, tag_field="kind", tag="branches"):
    pass


SplitRecord = ThresholdRecord | SubsetRecord | BranchesRecord
SPLIT_RECORDS = {THRESHOLD: ThresholdRecord, SUBSET: SubsetRecord, BRANCHES: BranchesRecord}
KIND_OF_RECORD = {record: kind for kind, record in SPLIT_RECORDS.items()}


class RunnerUpRecord(Record, kw_only=True):
    column: str
    at: At | UnsetType = UNSET
    at_level: AtLevel | UnsetType = UNSET
    gain: float


class SurrogateRecord(Record, kw_only=True):
    column: str
    at: Annotated[float, Meta(description="the threshold of a number column")] | UnsetType = UNSET
    at_level: AtLevel | UnsetType = UNSET
    levels: Levels | UnsetType = UNSET
    flipped: Annotated[bool, Meta(description="the low side goes to child 1, not 0")] = False
    agreement: Annotated[
        float,
        Meta(ge=0, le=1, description="share of the weight sent as the split itself sends it"),
    ]


class NodeRecord(Record, kw_only=True):
    id: NodeId
    children: list[NodeId] = []
    split: SplitRecord | UnsetType = UNSET
    surrogates: list[SurrogateRecord] | UnsetType = UNSET
    rows: Count
    weight: Annotated[float, Meta(ge=0)]
    stats: Annotated[
        list[float],
        Meta(description="weight per class; regression: weight, mean, sum of squared deviations"),
    ]
    answer: (
        Annotated[
            str | int | float | bool | None,
            Meta(description="set by hand or by pruning; without it, or null, the stats decide"),
        ]
        | UnsetType
    ) = UNSET
    impurity: float | UnsetType = UNSET
    gain: float | UnsetType = UNSET
    p_value: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    runners_up: list[RunnerUpRecord] | UnsetType = UNSET


Cost = Annotated[float, Meta(ge=0)]


class GroupRecord(Record, kw_only=True):
    columns: list[str]
    shared: Annotated[Cost, Meta(description="paid once, with the first of them")]


class TestCostsRecord(Record, kw_only=True):
    __test__ = False  # the name is not for pytest

    columns: Annotated[dict[str, Cost], Meta(description="those not named are free")]
    groups: Annotated[list[GroupRecord], Meta(description="columns bought together")] = []


class Header(Record, kw_only=True):
    format: Literal["bough tree"]
    version: Literal[1]
    bough: Annotated[str, Meta(description="the version of bough that wrote the file")]
    schema: SchemaRecord
    equality: Literal["<=", "<"]
    empty_branch: Literal["parent", "unknown"]
    fills: Annotated[
        dict[str, float | str],
        Meta(description="by column: the number or level that stands for a missing cell"),
    ] = {}
    costs: (
        Annotated[
            list[list[Cost]],
            Meta(description="what a mistake costs: row = actual class, column = answer"),
        ]
        | UnsetType
    ) = UNSET
    test_costs: (
        Annotated[TestCostsRecord, Meta(description="what asking for a column costs")] | UnsetType
    ) = UNSET
    options: dict[str, Any]
    report: dict[str, Any]


class ModelFile(Header, kw_only=True):
    """A decision tree written by bough."""

    nodes: Annotated[list[NodeRecord], Meta(min_length=1)]


RawNode = msgspec.Raw


class Envelope(Header, kw_only=True):
    """The same file with its nodes still unread."""

    nodes: list[RawNode]


class Stamp(msgspec.Struct):
    """What every version of the format has: enough to say what a file is."""

    format: str = ""
    version: int = 0


ENCODER = msgspec.json.Encoder()
NODE_DECODER = msgspec.json.Decoder(NodeRecord)

encode = ENCODER.encode
encode_lines = ENCODER.encode_lines


def decode_stamp(data: bytes) -> Stamp:
    """The stamp of a JSON text; an empty one when it has none."""
    try:
        return msgspec.json.decode(data, type=Stamp)
    except msgspec.ValidationError:
        return Stamp()
    except (ValueError, RecursionError) as error:
        raise Fault(_reason(error, len(data))) from None


def decode_file(data: bytes) -> tuple[Header, list[RawNode]]:
    """What holds for the whole tree, and the nodes still unread."""
    try:
        envelope = msgspec.json.decode(data, type=Envelope)
    except (ValueError, RecursionError) as error:
        raise Fault(_reason(error)) from None
    return envelope, envelope.nodes


def decode_nodes(raws: Sequence[RawNode], start: int) -> list[NodeRecord]:
    """The records of the nodes from `start` on."""
    records: list[NodeRecord] = []
    try:
        for raw in raws:
            records.append(NODE_DECODER.decode(raw))  # noqa: PERF401 (counts how far it came)
    except (ValueError, RecursionError) as error:
        raise Fault(f"node {start + len(records)}: {_reason(error)}") from None
    return records


def json_schema() -> bytes:
    """The JSON Schema of a model file; src/bough/model.schema.json holds the same bytes."""
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(ModelFile),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _reason(error: Exception, size: int | None = None) -> str:
    """What the JSON decoder found, in words; `size` is given when it read the whole file."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply to be a tree"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text ({error.reason})"
    if isinstance(error, msgspec.ValidationError):
        what, _, where = str(error).partition(" - at `$")
        field = where.strip(".`")
        return safe(f"{field}: {what}" if field else what, most=200)
    found = str(error)
    if size is not None and ("truncated" in found or f"(byte {size})" in found):
        return "it is cut off: the JSON text ends in the middle"
    return f"it is not valid JSON ({safe(found)})"
