"""Types of the compiled core (src/core/bindings.cpp)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = list[tuple[NDArray[Any], str, int, str]]

class Codes: ...

def encode(columns: Columns, n_rows: int, threads: int) -> Codes: ...
def take_codes(codes: Codes, rows: NDArray[np.int64], threads: int) -> Codes: ...
def grow(
    columns: Columns,
    target: NDArray[Any] | None,
    n_classes: int,
    weights: NDArray[np.float64] | None,
    options: dict[str, Any],
    costs: NDArray[np.float64] | None,
    test_costs: dict[str, NDArray[Any]] | None,
    progress: Callable[[int], object] | None,
    codes: Codes | None = None,
) -> dict[str, Any]: ...
def apply(
    columns: Columns,
    n_rows: int,
    strict: bool,
    first_child: NDArray[np.int32],
    n_children: NDArray[np.int32],
    column: NDArray[np.int32],
    split_kind: NDArray[np.uint8],
    threshold: NDArray[np.float64],
    levels_at: NDArray[np.int64],
    levels: NDArray[np.int32],
    level_child: NDArray[np.int16],
    unseen_to: NDArray[np.int16],
    missing_to: NDArray[np.int16],
    surrogates: dict[str, NDArray[Any]] | None,
    start: NDArray[np.int32] | None,
    threads: int,
) -> NDArray[np.int32]: ...
def limits(array: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def read_arrow(
    stream: object,
) -> list[tuple[str, str, NDArray[Any], list[Any] | None, bool, bool, str | None]]: ...
def impurity(
    criterion: str, stats: NDArray[np.float64], costs: NDArray[np.float64] | None = None
) -> float: ...
def gain(
    criterion: str, children: NDArray[np.float64], costs: NDArray[np.float64] | None = None
) -> float: ...
def weigh(
    rule: str, criterion: str, gain: float, impurity: float, weight: float, price: float
) -> tuple[int, float]: ...
def chi2_p(statistic: float, df: int) -> float: ...
def meetings(
    stats: NDArray[np.float64],
    rows: NDArray[np.int64],
    ordered: bool,
    missing: bool,
    merge_p: float,
    min_rows_leaf: int,
) -> list[tuple[int, int, float, int]]: ...
def log_ways(levels: int, groups: int, ordered: bool, missing: bool) -> float: ...
def criteria() -> list[str]: ...
