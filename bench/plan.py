"""What is timed: literal tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FULLY = None
"""No limit of depth: grown until pure."""


@dataclass(frozen=True)
class Timed:
    table: str
    depths: tuple[int | None, ...]
    words: str = ""


@dataclass(frozen=True)
class Series:
    """Time as one thing grows; `points`: what is drawn to the right, the table, the depth."""

    name: str
    title: str
    axis: str
    points: tuple[tuple[float, str, int | None], ...]


@dataclass(frozen=True)
class Plan:
    tables: tuple[Timed, ...]
    growth: tuple[Series, ...]
    contenders: tuple[str, ...]
    limit: float
    """Seconds a contender may take for a table, loading and judging included."""
    spend: float
    """Seconds for repeating a run that was short."""
    both: tuple[int | None, ...] = (8,)
    """Depths at which peers are timed with one thread, too."""


MADE = "correlated numbers, two classes, made by bench/data.py to resemble HIGGS"
CODES = "; categories by their place in the alphabet, as numbers"

TABLES = (
    Timed("made-1000000x28", (4, 8), MADE),
    Timed("made-100000x28", (4, 8, FULLY), "the same, fewer rows"),
    Timed("nycflights13", (4, 8, FULLY), "arr_delay from all 17 other columns" + CODES),
    Timed("covtype50k_onehot", (4, 8, 10, FULLY), "7 classes, 54 columns of numbers"),
    Timed("kddcup99_10pct", (4, 8, 10, FULLY), "23 classes" + CODES),
    Timed("letter", (4, 8, FULLY), "26 classes, 16 columns of numbers"),
    Timed("california_housing", (4, 8, FULLY), "medianHouseValue from 8 columns of numbers"),
    Timed("adult", (4, 8, FULLY), "two classes, some cells missing" + CODES),
    Timed("covtype50k:categories", (8, FULLY), "7 classes, two of 12 columns are categories"),
    Timed("kddcup99_10pct:categories", (8, FULLY), "23 classes, 7 of 41 columns are categories"),
    Timed("adult:categories", (8, FULLY), "two classes, 8 of 14 columns are categories"),
    Timed("nycflights13:categories", (8,), "5 of 17 columns are categories, up to 4,043 levels"),
    Timed("made-10000000x10", (4, 8), "as the first table, more rows"),
    Timed("made-1000000x28", (FULLY,), "last, because it is slow"),
)

ROWS = tuple(
    (float(n), f"made-{n}x10", 8)
    for n in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
)
COLUMNS = tuple((float(n), f"made-10000x{n}", 8) for n in (10, 30, 100, 300, 1_000, 3_000))
DEPTHS = tuple((float(n), "made-100000x28", n) for n in (1, 2, 3, 4, 6, 8, 11, 16, 23, 32))

GROWTH = (
    Series("rows", "Time against rows: 10 columns, depth 8", "rows", ROWS),
    Series("columns", "Time against columns: 10,000 rows, depth 8", "columns", COLUMNS),
    Series("depth", "Time against depth: 100,000 rows × 28 columns", "depth", DEPTHS),
)
DRAWN = ("bough", "scikit-learn", "LightGBM")

ALL = ("bough", "scikit-learn", "LightGBM", "XGBoost hist", "XGBoost exact", "YDF CART")

PLANS: Mapping[str, Plan] = {
    "full": Plan(TABLES, GROWTH, ALL, limit=60.0, spend=2.0),
    "quick": Plan(
        (
            Timed("made-100000x28", (8, FULLY), MADE),
            Timed("nycflights13", (8,), TABLES[2].words),
            Timed("covtype50k_onehot", (8,), TABLES[3].words),
            Timed("adult:categories", (8,), TABLES[10].words),
            Timed("california_housing", (FULLY,), TABLES[6].words),
        ),
        (
            Series("rows", GROWTH[0].title, "rows", ROWS[:4:3]),
            Series("columns", GROWTH[1].title, "columns", COLUMNS[:3:2]),
            Series("depth", GROWTH[2].title, "depth", DEPTHS[1:6:4]),
        ),
        ALL,
        limit=10.0,
        spend=0.5,
        both=(),
    ),
    "tiny": Plan(
        (Timed("made-400x5", (3,), MADE),),
        (Series("rows", "Time against rows", "rows", ((400.0, "made-400x5", 3),)),),
        ("bough", "scikit-learn"),
        limit=30.0,
        spend=0.0,
        both=(),
    ),
}
