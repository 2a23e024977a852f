"""What pruning did, in lines: how many leaves are left, what was cut and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bough.tree import Tree
from bough.view.answers import counted
from bough.view.cells import clean, cut, to_ascii

__all__ = ["pruning_lines"]

SHORTEST = 20
"""Cells a path is left, however narrow the terminal."""


def pruning_lines(tree: Tree, most: int, width: int | None, plain: bool = False) -> list[str]:
    """The last pruning of a tree: what it chose and, of each kind, at most so many nodes.

    Paths are cut where a line would be wider than `width` (None: as long as they are).
    """
    record = tree.report.get("pruning")
    if not isinstance(record, Mapping):
        return []
    lines = [
        f"pruned by {record['method']}: {record['leaves_before']:,} → {_leaves(record['leaves'])}"
        + _chosen(record)
    ]
    lines += [_raised(entry, width) for entry in record.get("raised", ())[:most]]
    leaves = [entry for entry in record["cut"] if entry["became"] == "leaf"]
    lines += [_cut(entry, width) for entry in _largest(leaves, most)]
    left = len(leaves) - most + record.get("cut_not_listed", 0)
    if left > 0:
        lines.append(f"… and {left:,} more; the report of the model lists them")
    lines += [_redeemed(entry, width) for entry in record.get("redeemed", ())[:most]]
    return [to_ascii(line) for line in lines] if plain else lines


def _largest(entries: list[Any], most: int) -> list[Any]:
    """Those with the most rows, in the order they stand in."""
    places = sorted(range(len(entries)), key=lambda at: -entries[at]["rows"])[:most]
    return [entries[at] for at in sorted(places)]


def _chosen(record: Mapping[str, Any]) -> str:
    """What the method settled on and what it was chosen by, in words."""
    name = next((name for name in ("alpha", "max_p") if name in record), None)
    if name is None:
        return ""
    words = f"; {'α' if name == 'alpha' else name} = {record[name]:.6g}"
    points = [point for point in record.get("curve", ()) if point[name] == record[name]]
    point: Mapping[str, Any] = points[0] if points else {}
    if "cross_validated_error" in point:
        error, folds = point["cross_validated_error"], record["options"]["folds"]
        return f"{words}: error {error:.4g} by {folds}-fold cross-validation"
    if "held_out_error" in point:
        return f"{words}: error {point['held_out_error']:.4g} on held-out rows"
    return words


def _raised(entry: Mapping[str, Any], width: int | None) -> str:
    return _fit(f"raised  node {entry['by']} to {entry['node']}: ", entry, entry["why"], width)


def _cut(entry: Mapping[str, Any], width: int | None) -> str:
    head = f"cut  node {entry['node']} ({_leaves(entry['leaves'])}): "
    return _fit(head, entry, entry["why"], width)


def _redeemed(entry: Mapping[str, Any], width: int | None) -> str:
    why = f"p {entry['p_value']:.4g}, redeemed by node {entry['by']}, p {entry['by_p_value']:.4g}"
    return _fit(f"kept  node {entry['node']}: ", entry, why, width)


def _fit(head: str, entry: Mapping[str, Any], why: str, width: int | None) -> str:
    path = clean(entry["path"])
    if width is not None:
        path = cut(path, max(SHORTEST, width - len(head) - len(why) - 2))
    return f"{head}{path}: {why}"


def _leaves(count: int) -> str:
    return counted(count, "leaf", "leaves")
