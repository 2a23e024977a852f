"""Rules: a tree as a list of them, pruned one by one, edited by hand, kept in a file."""

from __future__ import annotations

from bough.rules.conditions import Condition, Interval, Levels, condition
from bough.rules.making import rules_of
from bough.rules.rule import Rule, Score
from bough.rules.ruleset import Fired, RuleCheck, RuleSet
from bough.rules.scoring import Overlap
from bough.rules.store import load

__all__ = [
    "Condition",
    "Fired",
    "Interval",
    "Levels",
    "Overlap",
    "Rule",
    "RuleCheck",
    "RuleSet",
    "Score",
    "condition",
    "load",
    "rules_of",
]
