"""What is timed: literal tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

FULLY = None
"""No limit of depth: grown until pure."""


@dataclass(frozen=True)
class Timed:
    table: str
    depths: tuple[int | None, ...]
    words: str = ""
    limit: float = 30.0
    """Seconds one contender may take for one depth, loading and judging included."""


@dataclass(frozen=True)
class Series:
    """Time as one thing grows; `points`: what is drawn to the right, the table, the depth."""

    name: str
    title: str
    axis: str
    points: tuple[tuple[float, str, int | None], ...]
    limit: float = 45.0


@dataclass(frozen=True)
class Plan:
    tables: tuple[Timed, ...]
    growth: tuple[Series, ...]
    contenders: tuple[str, ...]
    spend: float
    """Seconds for repeating a run that was short."""
    both: tuple[int | None, ...] = (8,)
    """Depths at which peers are timed with one thread, too."""


MADE = "correlated numbers, two classes, made by bench/data.py to resemble HIGGS"
CODES = "; categories by their place in the alphabet, as numbers"
MILLION = Timed("made-1000000x28", (4, 8), MADE, limit=90.0)
FLIGHTS = Timed("nycflights13", (4, 8), "arr_delay from all 17 other columns" + CODES)
COVTYPE = Timed("covtype50k_onehot", (4, 8, 10), "7 classes, 54 columns of numbers")
KDDCUP = Timed("kddcup99_10pct", (4, 8, 10), "23 classes" + CODES)
LETTER = Timed("letter", (4, 8), "26 classes, 16 columns of numbers")
HOUSES = Timed("california_housing", (4, 8), "medianHouseValue from 8 columns of numbers")
ADULT = Timed("adult", (4, 8), "two classes, some cells missing" + CODES)

TABLES = (
    MILLION,
    Timed("made-100000x28", (4, 8, FULLY), "the same, fewer rows", limit=20.0),
    FLIGHTS,
    COVTYPE,
    KDDCUP,
    LETTER,
    HOUSES,
    ADULT,
    Timed("nycflights13:categories", (8,), "5 of 17 columns are categories, up to 4,043 levels"),
    Timed("covtype50k:categories", (8,), "7 classes, 2 of 12 columns are categories"),
    Timed("kddcup99_10pct:categories", (8,), "23 classes, 7 of 41 columns are categories"),
    Timed("adult:categories", (8,), "two classes, 8 of 14 columns are categories"),
    Timed("made-10000000x10", (4, 8), "as the first table, more rows", limit=90.0),
)

FULLY_GROWN = (
    *(Timed(t.table, (FULLY,), limit=20.0) for t in TABLES[2:-1]),
    Timed(MILLION.table, (FULLY,), limit=120.0),
)
"""Last, and with less patience: without a limit of depth some peers take minutes."""

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
    "full": Plan((*TABLES, *FULLY_GROWN), GROWTH, ALL, spend=1.0),
    "quick": Plan(
        (
            Timed("made-100000x28", (8, FULLY), MADE, limit=15.0),
            replace(FLIGHTS, depths=(8,), limit=15.0),
            replace(COVTYPE, depths=(8,), limit=15.0),
            replace(TABLES[11], limit=15.0),
            replace(HOUSES, depths=(8,), limit=15.0),
        ),
        tuple(replace(one, points=one.points[:4:3]) for one in GROWTH),
        ALL,
        spend=0.5,
        both=(),
    ),
    "tiny": Plan(
        (Timed("made-400x5", (3,), MADE),),
        (Series("rows", "Time against rows", "rows", ((400.0, "made-400x5", 3),)),),
        ("bough", "scikit-learn"),
        spend=0.0,
        both=(),
    ),
}
