"""Lessons for the tests: shipped tables, grown with options that no recipe can change."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bough import datasets
from bough.data.read import read_table
from bough.data.table import Table
from bough.growing import grow_table
from bough.lesson.facts import ColumnFacts, Lesson, Limits, Step
from bough.lesson.steps import lesson_of
from bough.options import check_options
from bough.tree import Tree

EVERYTHING = Limits(
    steps=None, columns=None, ranked=None, values=None, candidates=None, measured=None
)
ID3 = {"criterion": "entropy", "categories": "branches", "zero_gain": "stop"}


def line() -> Table:
    """S1:288–300: x = 1..4, y = 1, 1, 5, 9."""
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1.0, 1.0, 5.0, 9.0]})
    return read_table(frame, target="y", task="regression")


def grown(table: Table | str, **options: Any) -> tuple[Tree, Table]:
    if isinstance(table, str):
        table = datasets.load(table)
    return grow_table(table, check_options({"runners_up": True, **options})), table


def taught(table: Table | str, limits: Limits | None = None, **options: Any) -> Lesson:
    return lesson_of(*grown(table, **options), limits=limits)


def column(step: Step, name: str) -> ColumnFacts:
    return next(facts for facts in step.columns if facts.name == name)


def gains(step: Step) -> dict[str, float]:
    """The ranking, best first."""
    return {rank.name: rank.gain for rank in step.ranking}
