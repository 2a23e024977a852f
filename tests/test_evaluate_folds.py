"""Folds: every row once, classes alike, the same for ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.schema import Column, Schema, Target
from bough.data.table import Table
from bough.errors import DataError, OptionError
from bough.folds import each_fold, fold_numbers, held_out, shuffled, spread


def table_of(values: Any, classes: int) -> Table:
    """A table with one column; `classes` 0: a number target."""
    names = tuple(f"c{i}" for i in range(classes))
    target = Target("y", "classification" if classes else "regression", names)
    values = np.asarray(values, dtype=np.int32 if classes else np.float64)
    return Table(Schema((Column("x", "number"),), target), (np.arange(len(values)) * 1.0,), values)


def test_the_order_is_pinned() -> None:
    """Folds decide reports and pruned trees: a change here is a change of published results."""
    assert shuffled(10, 0).tolist() == [3, 2, 1, 8, 6, 0, 7, 4, 5, 9]
    assert shuffled(10, 7).tolist() == [6, 3, 4, 9, 0, 2, 8, 7, 5, 1]
    folds = fold_numbers(table_of([0, 1, 0, 1, 0, 1, 0, 0, 0, 1], 2), 3, seed=0)
    order = [2, 8, 6, 0, 7, 4, 3, 1, 5, 9]  # the order of seed 0, class 0 before class 1
    assert folds[order].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 12), st.integers(0, 2**70)
)
def test_folds_are_even_and_classes_are_spread(codes: list[int], k: int, seed: int) -> None:
    k = min(k, len(codes))
    table = table_of(codes, 4)
    folds = fold_numbers(table, k, seed)
    sizes = np.bincount(folds, minlength=k)
    assert len(folds) == len(codes)
    assert sizes.max() - sizes.min() <= 1
    for code in range(4):
        of_class = np.bincount(folds[np.array(codes) == code], minlength=k)
        assert of_class.max() - of_class.min() <= 1
    assert (folds == fold_numbers(table, k, seed)).all()


def test_another_seed_gives_other_folds() -> None:
    table = table_of(np.zeros(100), 0)
    assert (fold_numbers(table, 5, 0) != fold_numbers(table, 5, 1)).any()


def test_every_row_is_judged_once_and_never_by_a_tree_that_saw_it() -> None:
    folds = fold_numbers(table_of(np.arange(23), 0), 4)
    judged = np.zeros(23, dtype=int)
    for learn, test in each_fold(folds):
        assert (learn ^ test).all()
        judged += test
    assert (judged == 1).all()


@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=80), st.floats(0.01, 0.99), st.integers(0, 99)
)
def test_a_held_out_share_is_that_share_of_every_class(
    codes: list[int], share: float, seed: int
) -> None:
    mask = held_out(table_of(codes, 3), share, seed)
    assert 0 < mask.sum() < len(codes)
    if 1 <= share * len(codes) <= len(codes) - 1:
        assert abs(mask.sum() - share * len(codes)) <= 0.5 + 1e-9
        for code in range(3):
            of_class = np.array(codes) == code
            assert abs(mask[of_class].sum() - share * of_class.sum()) <= 1 + 1e-9


@given(st.lists(st.integers(0, 3), min_size=1, max_size=80), st.integers(0, 99), st.integers(0, 80))
def test_every_beginning_of_spread_rows_holds_the_classes_as_all_do(
    codes: list[int], seed: int, first: int
) -> None:
    table = table_of(codes, 4)
    order = shuffled(len(codes), seed)
    rows = spread(table, order)
    assert sorted(rows.tolist()) == list(range(len(codes)))
    first = min(first, len(codes))
    for code in range(4):
        share = codes.count(code) / len(codes)
        found = sum(codes[row] == code for row in rows[:first])
        # Half a row off by its own rounding, and by that of the four classes together.
        assert abs(found - share * first) <= 0.5 + 4 * 0.5 * share + 1e-9


def test_spread_numbers_stay_as_they_are() -> None:
    order = shuffled(20, 3)
    assert spread(table_of(np.arange(20), 0), order).tolist() == order.tolist()


@pytest.mark.parametrize("k", [1, 0, -3, 2.0, True, "ten", None])
def test_a_number_of_folds_that_is_none_is_refused(k: Any) -> None:
    with pytest.raises(OptionError, match="whole number from 2 up"):
        fold_numbers(table_of([0, 1, 0, 1], 2), k)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "luck"])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(OptionError, match="whole number from 0 up"):
        fold_numbers(table_of([0, 1, 0, 1], 2), 2, seed)


def test_more_folds_than_rows_are_refused() -> None:
    with pytest.raises(DataError, match="5 folds need at least 5 rows, and the table has 4"):
        fold_numbers(table_of([0, 1, 0, 1], 2), 5)


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.1, True, "half"])
def test_a_share_that_is_none_is_refused(share: Any) -> None:
    with pytest.raises(OptionError, match="between 0 and 1"):
        held_out(table_of([0, 1, 0, 1], 2), share)


def test_one_row_cannot_be_parted() -> None:
    with pytest.raises(DataError, match="at least 2 rows"):
        held_out(table_of([0], 2), 0.5)
