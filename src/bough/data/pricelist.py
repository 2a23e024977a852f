"""What asking for columns costs, as people keep it in a file: a dict as `prices.test_costs` takes.

    column,cost,group,shared
    age,0
    glucose,17.6
    T3,9,blood,2.1
    T4,6,blood,2.1

Columns of one group are bought together: `shared` is paid once, with the first of them.
"""

from __future__ import annotations

from typing import Any

from bough.data.matrix import read_lines
from bough.errors import DataError, nearest

__all__ = ["read_price_list"]

HEADS = ("column", "cost", "group", "shared")

Line = dict[str, str]


def read_price_list(path: Any) -> dict[Any, Any]:
    """{"glucose": "17.6", ("T3", "T4"): {"shared": "2.1", "T3": "9", "T4": "6"}}: still texts."""
    lines = _lines(path)
    found: dict[Any, Any] = {}
    groups: dict[str, list[Line]] = {}
    for line in lines:
        if [line["column"] for line in lines].count(line["column"]) > 1:
            raise DataError(f'The column "{line["column"]}" stands twice in "{path}".')
        if line["group"]:
            groups.setdefault(line["group"], []).append(line)
        elif line["shared"]:
            raise DataError(
                f'In "{path}" the column "{line["column"]}" has a shared cost '
                f"({line['shared']}) and no group to share it with: name its group."
            )
        else:
            found[line["column"]] = line["cost"]
    for name, members in groups.items():
        costs = {line["column"]: line["cost"] for line in members}
        found[tuple(costs)] = {"shared": _shared(path, name, members), **costs}
    return found


def _shared(path: Any, group: str, members: list[Line]) -> str:
    """What a group costs: every line that says so says the same."""
    said = {line["shared"] for line in members} - {""}
    if len(said) != 1:
        raise DataError(
            f'In "{path}" the group "{group}" has '
            f"{'no shared cost' if not said else 'the shared costs ' + ', '.join(sorted(said))}: "
            "give one, the same in every line of the group."
        )
    return said.pop()


def _lines(path: Any) -> list[Line]:
    rows = [[cell.strip() for cell in row] for row in read_lines(path, "test costs")]
    heads = rows[0] if rows else []
    _check_heads(path, heads)
    for row in rows[1:]:
        if len(row) > len(heads):
            raise DataError(
                f'In "{path}" the line {",".join(row)!r} has {len(row)} cells, and the first line '
                f"names {len(heads)}: {', '.join(heads)}."
            )
    empty = dict.fromkeys(HEADS, "")
    return [{**empty, **dict(zip(heads, row, strict=False))} for row in rows[1:]]


def _check_heads(path: Any, heads: list[str]) -> None:
    told = f"It names {', '.join(HEADS[:2])} and, for columns bought together, group, shared."
    for head in heads:
        if head not in HEADS or heads.count(head) > 1:
            raise DataError(
                f'The first line of the test costs in "{path}" names "{head}".'
                f"{nearest(head, HEADS)} {told}"
            )
    if not {"column", "cost"} <= {*heads}:
        raise DataError(
            f'The first line of the test costs in "{path}" is {",".join(heads)!r}. {told}'
        )
