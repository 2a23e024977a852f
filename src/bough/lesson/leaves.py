"""Why a node is not split, and what a leaf answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.data.schema import short_number
from bough.lesson.columns import tolerance
from bough.lesson.facts import Answer, Check, Side, TieBreak
from bough.lesson.rows import NodeRows
from bough.predict import labels
from bough.tree import Tree

__all__ = ["answer_of", "early_checks", "gain_checks", "rows_words"]


def rows_words(n: int) -> str:
    return f"{n:,} row" if n == 1 else f"{n:,} rows"


def early_checks(
    here: Side, node: NodeRows, depth: int, options: Mapping[str, Any]
) -> tuple[Check, ...]:
    """What is looked at before any split is: purity, and the limits that were set."""
    found = [Check(*_purity(here, node))]
    deepest, least = options["max_depth"], options["min_rows_leaf"]
    if deepest is not None:
        found.append(
            Check(f"max_depth is {deepest:,}, and this node has depth {depth:,}", depth >= deepest)
        )
    if options["min_rows_split"] > 2:
        words = f"min_rows_split is {options['min_rows_split']:,}, and {_are(here.rows)} here"
        found.append(Check(words, here.rows < options["min_rows_split"]))
    if least > 1:
        words = f"min_rows_leaf is {least:,}: two sides need {2 * least:,} rows"
        found.append(Check(f"{words}, and {_are(here.rows)} here", here.rows < 2 * least))
    if not node.n_classes and options["stop_error"] > 0:
        words = f"stop_error is {options['stop_error']:g}, and the mean squared error here is"
        found.append(Check(f"{words} {here.impurity:.6g}", here.impurity < options["stop_error"]))
    return tuple(found)


def _are(rows: int) -> str:
    return f"{rows_words(rows)} {'is' if rows == 1 else 'are'}"


def _purity(here: Side, node: NodeRows) -> tuple[str, bool]:
    if not node.n_classes:
        value = here.stats[1]
        if here.stats[2] == 0:
            return (
                f"the target is {short_number(value)} in every row: nothing is left to learn",
                True,
            )
        return "the targets differ", False
    there = [code for code, weight in enumerate(here.stats) if weight > 0]
    if len(there) == 1:
        name = node.table.schema.target.classes[there[0]]
        return f"all rows are of one class ({name}): nothing is left to learn", True
    return f"{len(there)} classes are here", False


def gain_checks(
    here: Side, best_gain: float, all_weight: float, options: Mapping[str, Any]
) -> tuple[Check, ...]:
    """What is asked of the best split."""
    found = []
    shown = f"{best_gain:.6g}"
    most = options["max_adjusted_p"]
    if most is not None:
        told = f"the adjusted p of the best split is {10**-best_gain:.6g}"
        least = -math.log10(most) if most else math.inf
        found.append(Check(f"max_adjusted_p is {most:g}, and {told}", best_gain < least))
    if options["min_gain"] > 0:
        found.append(
            Check(
                f"min_gain is {options['min_gain']:g}, and the best split gains {shown}",
                best_gain < options["min_gain"],
            )
        )
    if options["min_drop"] > 0:
        drop = best_gain * here.weight / all_weight
        words = (
            f"min_drop is {options['min_drop']:g}, and the best split gains {shown} on "
            f"{here.weight / all_weight:.4g} of all weight, which makes {drop:.6g}"
        )
        found.append(Check(words, drop < options["min_drop"]))
    if best_gain <= tolerance(options["criterion"], here):
        stops = options["zero_gain"] == "stop"
        then = "so the node is a leaf" if stops else "and zero_gain=split goes on all the same"
        found.append(Check(f"no column gains anything, {then}", stops))
    return tuple(found)


def answer_of(tree: Tree, node: int, reason: str) -> Answer:
    """The answer of a node, and how it came about."""
    label = labels(tree)[node]
    unknown = label is None or label != label
    shown = "" if unknown else _shown(label)
    if _is_set(tree, node):
        return Answer(reason, shown, "set")
    if tree.nodes.weight[node] == 0:
        return Answer(reason, shown, "unknown" if unknown else "parent")
    if tree.schema.target.task == "regression":
        return Answer(reason, shown, "mean")
    ties = _ties(tree, node)
    return Answer(reason, shown, "tie" if ties else "majority", ties)


def _shown(label: Any) -> str:
    return f"{float(label):.6g}" if isinstance(label, float | np.floating) else str(label)


def _is_set(tree: Tree, node: int) -> bool:
    if tree.set_answers is None:
        return False
    given = tree.set_answers[node]
    return bool(given != -2 if tree.schema.target.classes else given == given)


def _ties(tree: Tree, node: int) -> tuple[TieBreak, ...]:
    """The tied classes at the node, and at every ancestor that was asked."""
    stats, parent, classes = tree.nodes.stats, tree.nodes.parent, tree.schema.target.classes
    tied = np.flatnonzero(stats[node] == stats[node].max())
    found: list[TieBreak] = []
    while len(tied) > 1 and node >= 0:
        weights = tuple((str(classes[code]), float(stats[node, code])) for code in tied)
        found.append(TieBreak(node, weights))
        node = int(parent[node])
        if node >= 0:
            above = stats[node][tied]
            after = tied[above == above.max()]
            if len(after) == 1:
                weights = tuple((str(classes[code]), float(stats[node, code])) for code in tied)
                found.append(TieBreak(node, weights))
            tied = after
    return tuple(found)
