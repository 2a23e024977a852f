"""Small tables made at random, for the tests that hold of every table.

`random_table` is quick and seeded: thousands of tables in a loop. `tables` is a hypothesis
strategy: fewer of them, and a failing one is shrunk to the smallest that still fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bough.data.schema import MISSING, Column, Schema, Target, Task
from bough.data.table import Array, Table
from bough.recipes import options_for

MOST_LEVELS = 9
"""With missing cells at most 10 groups: the core's search of subsets is exhaustive up to there."""

Cells = list[Any]
"""Numbers or codes; None is missing."""


# ---- building ----------------------------------------------------------------------------------


def number(
    name: str, values: Sequence[float | None] | Array, dtype: str = "float64"
) -> tuple[Column, Array]:
    cells = np.array([math.nan if value is None else value for value in values], dtype=dtype)
    return Column(name, "number"), cells


def levelled(
    name: str, kind: Any, n_levels: int, codes: Sequence[int | None]
) -> tuple[Column, Array]:
    cells = [MISSING if code is None else code for code in codes]
    column = Column(name, kind, tuple(f"{name}{i:02}" for i in range(n_levels)), "text")
    return column, np.array(cells, dtype=np.int32)


def build(
    columns: Sequence[tuple[Column, Array]],
    target: Sequence[float],
    n_classes: int = 0,
    weights: Sequence[float] | None = None,
) -> Table:
    """`n_classes` 0: regression."""
    task: Task = "classification" if n_classes else "regression"
    goal = Target("y", task, tuple(f"class{i}" for i in range(n_classes)))
    return Table(
        Schema(tuple(column for column, _ in columns), goal),
        tuple(cells for _, cells in columns),
        np.array(target, dtype=np.int32 if n_classes else np.float64),
        None if weights is None else np.array(weights, dtype=np.float64),
    )


def take(table: Table, rows: Sequence[int] | Array) -> Table:
    """The table with these rows, in this order; a row may come twice."""
    at = np.asarray(rows, dtype=np.int64)
    return replace(
        table,
        cells=tuple(cells[at] for cells in table.cells),
        target=None if table.target is None else table.target[at],
        weights=None if table.weights is None else table.weights[at],
    )


def shown(table: Table) -> str:
    """A table as text that can be pasted into a report."""
    lines = [f"{column.name} {column.kind} {column.levels}: {cells.tolist()}"
             for column, cells in zip(table.schema.columns, table.cells, strict=True)]  # fmt: skip
    target = None if table.target is None else table.target.tolist()
    weights = None if table.weights is None else table.weights.tolist()
    return "\n".join([*lines, f"y {table.schema.target.classes}: {target}", f"weights: {weights}"])


# ---- seeded ------------------------------------------------------------------------------------


def _few(random: Random, n: int) -> list[float]:
    return [float(random.randrange(4)) for _ in range(n)]


def _many(random: Random, n: int) -> list[float]:
    return [random.gauss(0, 1) for _ in range(n)]


def _decimals(random: Random, n: int) -> list[float]:
    return [random.randrange(-12, 12) / 10 for _ in range(n)]


def _wild(random: Random, n: int) -> list[float]:
    """Zeros of both signs, neighbouring floats, the tiny and the huge."""
    values = [0.0, -0.0, 1.0, math.nextafter(1.0, 2.0), 5e-324, 1e300, -1e300, 0.1, 1 / 3]
    return [random.choice(values) for _ in range(n)]


def _constant(random: Random, n: int) -> list[float]:
    return [7.25] * n


NUMBERS: dict[str, Callable[[Random, int], list[float]]] = {
    "few": _few, "many": _many, "decimals": _decimals, "wild": _wild, "constant": _constant,
}  # fmt: skip


def _random_column(random: Random, at: int, n: int, missing: bool) -> tuple[Column, Array]:
    kind = random.choice(["number", "number", "ordered", "category", "category"])
    gaps = random.choice([0.0, 0.1, 0.4]) if missing else 0.0
    if missing and random.random() < 0.03:
        gaps = 1.0  # every cell missing
    maker = random.choice(list(NUMBERS))
    n_levels = random.choice([1, 2, 2, 3, 3, 4, 5, MOST_LEVELS])
    used = random.randint(1, n_levels)  # levels no row has are part of a schema's life
    values: Cells
    if kind == "number":
        values = list(NUMBERS[maker](random, n))
    else:
        levels = random.sample(range(n_levels), used)
        values = [random.choice(levels) for _ in range(n)]
    values = [None if random.random() < gaps else value for value in values]
    if kind == "number":
        single = maker in ("few", "many") and random.random() < 0.2
        return number(f"n{at}", values, "float32" if single else "float64")
    return levelled(f"{kind[0]}{at}", kind, n_levels, values)


WEIGHTS: dict[str, Callable[[Random, int], list[float] | None]] = {
    "none": lambda random, n: None,
    "whole": lambda random, n: [float(random.randrange(4)) for _ in range(n)],
    "tenths": lambda random, n: [random.randrange(1, 5) / 10 for _ in range(n)],
    "uneven": lambda random, n: [random.choice([0.0, random.uniform(0.01, 3)]) for _ in range(n)],
}
"""Whole and uneven weights hold zeros; tenths add up differently in every order of floats."""


def _random_weights(random: Random, n: int, name: str) -> list[float] | None:
    weights = WEIGHTS[name](random, n)
    if weights is not None and not any(weights):
        weights[random.randrange(n)] = 1.0
    return weights


def _random_numbers(random: Random, n: int) -> list[float]:
    style = random.choice(["whole", "whole", "tenths", "real", "far", "alike"])
    if style == "whole":
        return [float(random.randrange(5)) for _ in range(n)]
    if style == "tenths":
        return [random.randrange(-9, 9) / 10 for _ in range(n)]
    if style == "far":  # squares of these do not fit a float
        return [1e9 + random.randrange(4) for _ in range(n)]
    if style == "alike":
        return [random.choice([3.7, 3.7, 3.7, 3.8]) for _ in range(n)]
    return [random.gauss(0, 100) for _ in range(n)]


def _random_classes(random: Random, n: int, n_classes: int, first: Array) -> list[int]:
    """Half of the time the first column has something to say."""
    if random.random() < 0.5:
        return [random.randrange(n_classes) for _ in range(n)]
    ranks = np.unique(first, return_inverse=True)[1] // random.choice([1, 2, 4])
    return [
        int(rank) % n_classes if random.random() < 0.8 else random.randrange(n_classes)
        for rank in ranks
    ]


def random_table(
    random: Random,
    task: Task = "classification",
    *,
    weights: str = "none",
    missing: bool = True,
    most_rows: int = 40,
) -> Table:
    n = min(most_rows, random.choice([1, 2, 4, 7, 10, 12, 15, 18, 22, 27, 33, 40]))
    places = range(random.choice([1, 2, 2, 3, 3, 4]))
    columns = [_random_column(random, at, n, missing) for at in places]
    n_classes = random.choice([2, 2, 2, 3, 4, 5]) if task == "classification" else 0
    target: Sequence[float]
    if n_classes:
        target = _random_classes(random, n, n_classes, columns[0][1])
    else:
        target = _random_numbers(random, n)
    return build(columns, target, n_classes, _random_weights(random, n, weights))


def big_table(random: Random, task: Task = "classification", n: int = 20_000) -> Table:
    """Enough rows for several threads: every kind, missing cells, a target worth learning."""
    rng = np.random.default_rng(random.randrange(2**32))
    x = rng.normal(size=(n, 4))
    x[rng.random(x.shape) < 0.05] = math.nan
    codes = rng.integers(-1, 8, size=(n, 2)).astype(np.int32)
    columns = [number(f"n{at}", x[:, at]) for at in range(4)]
    columns += [levelled("o", "ordered", 8, [None if c < 0 else int(c) for c in codes[:, 0]])]
    columns += [levelled("c", "category", 8, [None if c < 0 else int(c) for c in codes[:, 1]])]
    signal = np.nan_to_num(x[:, 0]) + np.nan_to_num(x[:, 1]) ** 2 + 0.3 * codes[:, 1]
    noisy = signal + rng.normal(size=n)
    weights = rng.random(n).tolist()
    if task == "regression":
        return build(columns, noisy.tolist(), 0, weights)
    return build(columns, np.digitize(noisy, [0.5, 2.0]).tolist(), 3, weights)


# ---- hypothesis --------------------------------------------------------------------------------


def _holes(cells: st.SearchStrategy[Any], missing: bool) -> st.SearchStrategy[Any]:
    return st.none() | cells if missing else cells


@st.composite
def columns(draw: st.DrawFn, at: int, n: int, missing: bool = True) -> tuple[Column, Array]:
    kind = draw(st.sampled_from(["number", "ordered", "category"]))
    if kind == "number":
        values = draw(
            st.sampled_from(
                [
                    st.integers(0, 3).map(float),
                    st.integers(-20, 20).map(lambda whole: whole / 10),
                    st.floats(-1e9, 1e9, allow_subnormal=False),
                ]
            )
        )
        return number(f"n{at}", draw(st.lists(_holes(values, missing), min_size=n, max_size=n)))
    n_levels = draw(st.integers(1, MOST_LEVELS))
    codes = _holes(st.integers(0, n_levels - 1), missing)
    chosen = draw(st.lists(codes, min_size=n, max_size=n))
    return levelled(f"{kind[0]}{at}", kind, n_levels, chosen)


def weights_of(n: int) -> st.SearchStrategy[list[float] | None]:
    whole = st.integers(0, 3).map(float)
    tenths = st.integers(0, 5).map(lambda part: part / 10)
    lists = [st.lists(one, min_size=n, max_size=n).filter(any) for one in (whole, tenths)]
    return st.none() | lists[0] | lists[1]


@st.composite
def tables(
    draw: st.DrawFn, task: Task | None = None, missing: bool = True, most_rows: int = 16
) -> Table:
    task = task or draw(st.sampled_from(["classification", "regression"]))
    n = draw(st.integers(1, most_rows))
    made = [draw(columns(at, n, missing)) for at in range(draw(st.integers(1, 3)))]
    n_classes = draw(st.integers(2, 4)) if task == "classification" else 0
    targets: st.SearchStrategy[Any] = st.integers(0, 5).map(float)
    if n_classes:
        targets = st.integers(0, n_classes - 1)
    else:
        targets = draw(st.sampled_from([targets, targets.map(lambda y: 1e9 + y / 10)]))
    target = draw(st.lists(targets, min_size=n, max_size=n))
    return build(made, target, n_classes, draw(weights_of(n)))


def plain_cart(task: Any, given: dict[str, Any]) -> dict[str, Any]:
    """As CART grows, missing cells by a policy the judge knows."""
    return options_for(task, "cart", {"missing": "learned", **given})
