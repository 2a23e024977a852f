"""Arrays on their way in and out of the core: every layout gives what one row at a time gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough import _core

Array = Any

LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "by row": np.ascontiguousarray,
    "by column": np.asfortranarray,
    "rows backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "part of a wide one": lambda x: np.hstack([np.zeros((len(x), 90), x.dtype), x])[:, 90:],
}


def table(dtype: Any, rows: int = 3000) -> tuple[Array, Array]:
    random = np.random.default_rng(5)
    x = random.normal(size=(rows, 6)).astype(dtype)
    x[random.random(x.shape) < 0.1] = np.nan
    y = (np.nan_to_num(x[:, 1]) + np.nan_to_num(x[:, 4]) > 0.3).astype(int)
    return x, y


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("equality", ["<=", "<"])
def test_many_rows_go_where_each_goes_alone(layout: str, dtype: Any, equality: str) -> None:
    x, y = table(dtype)
    tree = bough.grow(x, y, recipe="cart", max_depth=6, equality=equality)
    new = x[:400].copy()
    new[0], new[1], new[2] = math.inf, -math.inf, math.nan
    new[3, :] = tree.nodes.threshold[0]  # exactly on the threshold
    names = tree.schema.names
    alone = [tree.path(dict(zip(names, row, strict=True)))[-1] for row in new.tolist()]
    for threads in (1, 2):
        assert tree.apply(LAYOUTS[layout](new), threads=threads).tolist() == alone
    mixed = {name: new[:, i].astype([np.float64, dtype][i % 2]) for i, name in enumerate(names)}
    assert tree.apply(mixed).tolist() == alone


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [0, 1, 63, 64, 1000])
def test_limits_are_the_smallest_and_largest_known_numbers(
    layout: str, dtype: Any, rows: int
) -> None:
    x = table(dtype, rows)[0]
    x[:, 2] = np.nan
    x[: rows // 2, 3] = math.inf
    low, high = _core.limits(LAYOUTS[layout](x))
    for column in range(x.shape[1]):
        known = x[~np.isnan(x[:, column]), column].astype(float)
        wanted = [known.min(), known.max()] if len(known) else [math.nan, math.nan]
        np.testing.assert_array_equal([low[column], high[column]], wanted)


def test_limits_of_other_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="float64 or float32"):
        _core.limits(np.zeros((2, 2), np.int32))
