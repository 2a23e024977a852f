"""What is to be reached, and what a run has reached of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Results = Mapping[str, Any]


@dataclass(frozen=True)
class Goal:
    """At least so many times the peer's time over bough's."""

    words: str
    peer: str
    least: float
    part: str
    match: Mapping[str, Any]
    """What the rows of that part must hold."""
    what: str = "seconds"
    """Or peak, the memory over the input."""


MILLION = {"table": "made-1000000x28", "depth": 8}
WORDS = "1,000,000 × 28, depth 8"
SKLEARN, LIGHTGBM, HIST = "scikit-learn", "LightGBM", "XGBoost hist"
TENTH = {"table": "made-100000x28", "depth": None}

GOALS = (
    Goal(WORDS, SKLEARN, 60, "tables", MILLION),
    Goal(WORDS, LIGHTGBM, 3, "tables", MILLION),
    Goal(WORDS, HIST, 3, "tables", MILLION),
    Goal(f"{WORDS}, peak memory over the input", LIGHTGBM, 1, "tables", MILLION, "peak"),
    Goal(f"{WORDS}, peak memory over the input", HIST, 1, "tables", MILLION, "peak"),
    Goal(f"{WORDS}, a second thread", "bough", 1.7, "tables", MILLION),
    Goal("100,000 × 28, fully grown", SKLEARN, 25, "tables", TENTH),
    Goal("nycflights13, depth 8", SKLEARN, 25, "tables", {"table": "nycflights13", "depth": 8}),
    Goal("covtype50k, 54 columns, depth 10", SKLEARN, 15, "tables",
         {"table": "covtype50k_onehot", "depth": 10}),
    Goal("kddcup99, depth 10", SKLEARN, 20, "tables", {"table": "kddcup99_10pct", "depth": 10}),
    Goal("iris 150 × 4, fully grown", SKLEARN, 1, "small", {"name": "iris"}),
    Goal(f"predict {WORDS}", SKLEARN, 3, "predict", {"depth": 8, "threads": 2}),
    Goal(f"predict {WORDS}, one thread", SKLEARN, 1, "predict", {"depth": 8, "threads": 1}),
)  # fmt: skip


def as_table(results: Results) -> str:
    lines = ["| what | against | goal | measured | reached |", "|---|---|--:|--:|---|"]
    for goal in GOALS:
        figure = _figure(goal, results["results"].get(goal.part, []))
        told = "not measured" if figure is None else f"{figure:.2f} ×"
        reached = "" if figure is None else "yes" if figure >= goal.least else "**no**"
        peer = "one thread" if goal.peer == "bough" else goal.peer
        lines.append(f"| {goal.words} | {peer} | {goal.least:g} × | {told} | {reached} |")
    return "\n".join(lines)


def _figure(goal: Goal, rows: list[Row]) -> float | None:
    fits = [row for row in rows if all(row.get(k, "") == v for k, v in goal.match.items())]
    if goal.part != "tables":
        return fits[0]["ratio"] if fits else None
    alone = goal.peer in ("bough", "scikit-learn")
    mine = _of(fits, "bough", 2).get(goal.what)
    other = _of(fits, goal.peer, 1 if alone else 2).get(goal.what)
    return other / max(mine, 1e-9) if mine is not None and other is not None else None


def _of(rows: list[Row], contender: str, threads: int) -> Row:
    wanted = (contender, threads)
    return next((row for row in rows if (row["contender"], row["threads"]) == wanted), {})
