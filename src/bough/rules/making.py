"""Tree (+ rows) → RuleSet: the story in one page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from bough.errors import DataError, OptionError, nearest
from bough.predict import needed_columns
from bough.rules.paths import path_rules, root_rule
from bough.rules.prune import (
    Cut,
    accuracy_order,
    observed,
    pessimistic,
    shortened,
    unique,
)
from bough.rules.rule import NO_ROWS, Rule
from bough.rules.ruleset import RuleSet, known_answers
from bough.rules.scoring import Rows, first_fits, majority, scored

if TYPE_CHECKING:
    from bough.tree import Tree

__all__ = ["ORDERS", "PRUNERS", "Order", "RulePruner", "rules_of"]

RulePruner = Literal["holdout", "pessimistic"]
Order = Literal["accuracy", "tree"]
PRUNERS: tuple[str, ...] = get_args(RulePruner)
ORDERS: tuple[str, ...] = get_args(Order)


def rules_of(
    tree: Tree,
    data: Any = None,
    *,
    prune: RulePruner | None = None,
    cf: float = 0.25,
    order: Order = "accuracy",
    **read: Any,
) -> RuleSet:
    """One rule per path of a tree.

    data    rows with known answers to score the rules on, and to prune them with; without them
            the scores are those of the training rows
    prune   "holdout": drop conditions as long as the error on `data`, rows the tree was not grown
            from, does not rise; "pessimistic": the same with C4.5's estimate, where `data` are the
            training rows; None: the rules answer exactly like the tree
    cf      confidence factor of the pessimistic estimate: a smaller one drops more
    order   "accuracy": the best rule first; "tree": from left to right
    read    how to read `data`, as in bough.grow
    """
    _check(tree, data, prune, cf, order)
    rules, impossible = path_rules(tree)
    report: dict[str, Any] = {"prune": prune, "order": order, "paths": len(rules) + impossible}
    if impossible:
        report["impossible"] = impossible  # paths whose conditions exclude one another
    report |= _unlike_tree(tree)
    default = replace(root_rule(tree), score=None)
    if data is None:
        default = replace(default, score=NO_ROWS)
        made = RuleSet(tree.schema, tuple(rules), default, "training rows", report)
        return made if order == "tree" else _sorted(made, [_error(rule) for rule in rules])
    rows = Rows.of(known_answers(data, tree.schema, needed_columns(tree), read))
    if prune is None:
        judged, default = scored(rules, default, rows)
        made = RuleSet(tree.schema, judged, default, "given rows", report)
        return made if order == "tree" else _sorted(made, [_error(rule) for rule in judged])
    return _pruned(tree, rules, default, rows, prune, cf, order, report)


def _unlike_tree(tree: Tree) -> dict[str, Any]:
    """A row that goes several ways, or by another column, has no single path."""
    policy = tree.options.get("missing")
    words = list(policy.values()) if isinstance(policy, Mapping) else [policy]
    found = [word for word in ("fractional", "surrogate") if word in words]
    if not found:
        return {}
    note = (
        f'The tree treats missing cells as "{found[0]}". Rules cannot: a row with a missing cell '
        "that the tree asks about may get another answer than from the tree."
    )
    return {"notes": [note]}


def _check(tree: Tree, data: Any, prune: Any, cf: Any, order: Any) -> None:
    for name, given, allowed in (("prune", prune, PRUNERS), ("order", order, ORDERS)):
        if given not in allowed and not (name == "prune" and given is None):
            close = nearest(given, allowed) if isinstance(given, str) else ""
            more = "; or None to keep every condition" if name == "prune" else ""
            raise OptionError(
                f"{name}={given!r} is not allowed.{close} Choose one of: "
                f"{', '.join(allowed)}{more}."
            )
    number = isinstance(cf, int | float) and not isinstance(cf, bool)
    if not number or not 0.0 < cf < 1.0:
        raise OptionError(f"cf={cf!r} is not allowed: give a number between 0 and 1.")
    if prune == "pessimistic" and tree.schema.target.task == "regression":
        raise OptionError(
            'prune="pessimistic" counts wrong answers, and this tree predicts a number. Use '
            'prune="holdout" with rows the tree was not grown from.'
        )
    if prune is not None and data is None:
        rows = (
            "the rows the tree was grown from"
            if prune == "pessimistic"
            else ("rows the tree was not grown from")
        )
        raise OptionError(f'prune="{prune}" needs rows with known answers: give data, {rows}.')


def _pruned(
    tree: Tree,
    rules: Sequence[Rule],
    default: Rule,
    rows: Rows,
    prune: RulePruner,
    cf: float,
    order: Order,
    report: dict[str, Any],
) -> RuleSet:
    if not len(rows):
        raise DataError("There are no rows of weight above 0 to prune the rules with.")
    estimate = observed if prune == "holdout" else pessimistic(cf)
    cuts = [shortened(rule, rows, estimate) for rule in rules]
    kept = [_relearned(rule, rows) for rule, _ in cuts if rule is not None]
    errors = [cut.after for rule, cut in cuts if rule is not None]
    judged, _ = scored(kept, default, rows)
    if order == "accuracy":
        judged = tuple(judged[place] for place in accuracy_order(judged, errors))
    final, duplicates = unique(judged)
    left = np.flatnonzero(first_fits(final, rows) < 0)
    answer, stats = majority(rows, left, default.answer)
    ranked, default = scored(final, replace(default, answer=answer, stats=stats, node=-1), rows)
    report |= _told([cut for _, cut in cuts], duplicates, prune, cf)
    on = "held-out rows" if prune == "holdout" else "training rows"
    return RuleSet(tree.schema, ranked, default, on, report)


def _relearned(rule: Rule, rows: Rows) -> Rule:
    """The evidence of a shortened rule is what it covers now; without any, that of its leaf."""
    covered = rows.covered(rule)
    return replace(rule, stats=rows.stats_of(covered)) if len(covered) else rule


def _told(cuts: Sequence[Cut], duplicates: int, prune: str, cf: float) -> dict[str, Any]:
    """What pruning did, rule by rule, in words."""
    from bough.rules.words import words_of

    told: dict[str, Any] = {
        "dropped_conditions": sum(len(cut.dropped) for cut in cuts),
        "removed_rules": sum(cut.removed for cut in cuts),
        "duplicates": duplicates,
        "cuts": [
            {
                "node": cut.rule.node,
                "dropped": [words_of(cut.rule.conditions[place]) for place in cut.dropped],
                "error_before": None if math.isnan(cut.before) else cut.before,
                "error_after": None if math.isnan(cut.after) else cut.after,
                "removed": cut.removed,
            }
            for cut in cuts
            if cut.dropped or cut.removed
        ],
    }
    return told | ({"cf": cf} if prune == "pessimistic" else {})


def _error(rule: Rule) -> float:
    return math.nan if rule.score is None else rule.score.error


def _sorted(made: RuleSet, errors: Sequence[float]) -> RuleSet:
    order = accuracy_order(made.rules, errors)
    return replace(made, rules=tuple(made.rules[place] for place in order))
