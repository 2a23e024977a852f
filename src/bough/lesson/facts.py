"""What a lesson says, as plain data: no layout, no colours, names as the user wrote them."""

from __future__ import annotations

from dataclasses import dataclass

from bough.data.schema import Kind, Task
from bough.lesson.arithmetic import Equation
from bough.measure import ChiSquare

__all__ = [
    "Answer",
    "Candidate",
    "Check",
    "ColumnFacts",
    "Contradiction",
    "Lesson",
    "Limits",
    "Meeting",
    "Rank",
    "Side",
    "Step",
    "TieBreak",
]


@dataclass(frozen=True)
class Limits:
    """How much of a long list is shown; what is left out is counted. None: all of it."""

    steps: int | None = 20
    columns: int | None = 10
    """Columns worked out per node, the best ones; the ranking names more."""
    ranked: int | None = 30
    values: int | None = 12
    candidates: int | None = 8
    measured: int | None = 400
    """Thresholds of one column measured for its list, evenly spread where there are more."""
    row_numbers: int = 24
    contradictions: int = 5
    """Groups of contradicting rows, and rows of each."""


@dataclass(frozen=True)
class Side:
    """Some rows of a node: all of them, those of one value, or those of one child."""

    label: str
    rows: int
    weight: float
    stats: tuple[float, ...]
    """Class weights; for regression weight, mean, sum of squared deviations."""
    impurity: float


@dataclass(frozen=True)
class Candidate:
    """One way to split by a column."""

    sides: tuple[Side, ...]
    gain: float
    """By the criterion."""
    entropy_gain: float | None
    """Gain ratio only: what the ratio divides."""
    p_value: float | None = None
    """Significance only, as `ways`: of the χ², before it is adjusted."""
    ways: float | None = None
    """How many candidates the column had; infinite where they are too many to count."""
    is_best: bool = False


@dataclass(frozen=True)
class Meeting:
    """Two groups of levels that differed least."""

    one: str
    other: str
    p_value: float
    outcome: str
    """alike (they became one), few rows (the same), differ (they stay, and merging ends)"""


@dataclass(frozen=True)
class ColumnFacts:
    """What one column could do at a node."""

    name: str
    kind: Kind
    values: tuple[Side, ...] = ()
    """Of a category column: its levels here, missing cells last."""
    n_values: int = 0
    """Different values here, also those not listed; missing cells count as one."""
    split: str = ""
    """threshold, subset or branches; empty when there is no split."""
    candidates: tuple[Candidate, ...] = ()
    """In their order; the ones that gain most, where there are many. Includes the best."""
    n_candidates: int = 0
    n_illegal: int = 0
    """Candidates ruled out by min_rows_leaf."""
    n_equal: int = 1
    """Candidates as good as the best; the first of them was taken."""
    best: Candidate | None = None
    impurities: tuple[Equation, ...] = ()
    """Of the children of the best candidate."""
    gains: tuple[Equation, ...] = ()
    """How its gain is worked out; the last is what columns are compared by."""
    chi_square: ChiSquare | None = None
    meetings: tuple[Meeting, ...] = ()
    """How levels were merged."""
    note: str = ""
    """Why there is no split, or what is not listed."""


@dataclass(frozen=True)
class Rank:
    """A column's place among the columns."""

    name: str
    gain: float
    entropy_gain: float | None = None
    standing: str = ""
    """chosen; best (of a leaf: what would have been chosen); tied with it; below the average gain;
    or nothing."""


@dataclass(frozen=True)
class Check:
    """A limit or stopping rule, and what it said here."""

    text: str
    stops: bool


@dataclass(frozen=True)
class TieBreak:
    """The weights of the tied classes at one node on the way up."""

    node: int
    weights: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Answer:
    """What a leaf answers, and why it is a leaf."""

    reason: str
    answer: str
    """Empty: it does not know."""
    how: str
    """majority, mean, tie, parent, unknown, or set (by hand or on other rows)"""
    ties: tuple[TieBreak, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    n_contradictions: int = 0


@dataclass(frozen=True)
class Contradiction:
    """Rows that agree in every column and differ in class."""

    cells: tuple[tuple[str, str], ...]
    """Column and cell."""
    rows: tuple[tuple[int, str], ...]
    """Number of the row (from 1) and its class."""
    n_rows: int


@dataclass(frozen=True)
class Step:
    """One node: what was looked at and what was decided."""

    number: int
    node: int
    depth: int
    path: tuple[str, ...]
    here: Side
    row_numbers: tuple[int, ...]
    """From 1, as they stand in the table; empty when there are many."""
    impurity: Equation | None
    columns: tuple[ColumnFacts, ...] = ()
    """In their own order."""
    n_columns: int = 0
    ranking: tuple[Rank, ...] = ()
    n_ranked: int = 0
    average: Equation | None = None
    """C4.5: the mean entropy gain; columns below it drop out."""
    checks: tuple[Check, ...] = ()
    children: tuple[tuple[int, Side], ...] = ()
    """Node and rows of every child, empty ones included."""
    chosen: str = ""
    tied: tuple[str, ...] = ()
    """Columns as good as the chosen one, in their order, the chosen one first."""
    p_value: float | None = None
    answer: Answer | None = None
    """Of a leaf."""


@dataclass(frozen=True)
class Lesson:
    """The whole walk."""

    target: str
    task: Task
    classes: tuple[str, ...]
    criterion: str
    recipe: str
    options: tuple[tuple[str, str], ...]
    """Those that differ from their defaults."""
    rows: int
    columns: int
    weighted: bool
    n_nodes: int
    n_leaves: int
    steps: tuple[Step, ...]
    contradictions: tuple[Contradiction, ...] = ()
    n_contradictions: int = 0
    n_contradicting_rows: int = 0
    notes: tuple[str, ...] = ()
