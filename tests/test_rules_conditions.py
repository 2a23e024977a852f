"""Conditions: what they accept, how they join, how they read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.schema import MISSING, UNSEEN, Column
from bough.errors import OptionError
from bough.rules import Condition, Interval, Levels, condition
from bough.rules.conditions import join
from bough.rules.words import words_of

AGE = Column("age", "number")
DAY = Column("day", "number", (), "date")
PORT = Column("port", "category", ("C", "Q", "S", "T"), "text")
GRADE = Column("grade", "ordered", ("low", "mid", "high", "top"), "text")

EDGES = [-math.inf, -1.0, 0.0, 1.0, math.inf]
PROBES = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, math.nan])
CODES = np.array([*range(4), MISSING, UNSEEN], np.int32)

intervals = st.builds(
    Interval,
    st.just(AGE),
    st.sampled_from(EDGES[:-1]),
    st.booleans(),
    st.sampled_from(EDGES[1:]),
    st.booleans(),
    st.booleans(),
)
level_sets = st.builds(
    Levels, st.sampled_from([PORT]), st.frozensets(st.integers(0, 3)), st.booleans()
)


def probes(one: Condition) -> Any:
    return PROBES if isinstance(one, Interval) else CODES


def cell(one: Condition, value: Any) -> Any:
    if isinstance(one, Interval):
        return None if math.isnan(value) else float(value)
    return {MISSING: None, UNSEEN: "?"}.get(int(value)) if value < 0 else PORT.levels[value]


@given(st.one_of(intervals, level_sets))
def test_a_cell_alone_and_cells_in_an_array_are_judged_alike(one: Condition) -> None:
    values = probes(one)
    assert one.mask(values).tolist() == [one.holds(cell(one, value)) for value in values]


@given(st.one_of(st.tuples(intervals, intervals), st.tuples(level_sets, level_sets)))
def test_joined_accepts_what_both_accept(pair: tuple[Any, Any]) -> None:
    one, other = pair
    joined, values = one.joined(other), probes(one)
    assert joined.mask(values).tolist() == (one.mask(values) & other.mask(values)).tolist()


@given(st.one_of(st.tuples(intervals, intervals), st.tuples(level_sets, level_sets)))
def test_within_is_true_only_of_subsets(pair: tuple[Any, Any]) -> None:
    one, other = pair
    inside = not (one.mask(probes(one)) & ~other.mask(probes(one))).any()
    # The probes stand on and between all edges, so they tell two sets apart, but for what lies
    # beyond the last edge on an open side that excludes nothing.
    assert one.within(other) == inside or (one.within(other) is False and _odd(one, other))
    assert one.within(one)


def _odd(one: Any, other: Any) -> bool:
    """An infinite bound marked open is not how bough writes "no bound"."""
    ends = [(x.low, x.low_in) for x in (one, other) if isinstance(x, Interval)]
    ends += [(x.high, x.high_in) for x in (one, other) if isinstance(x, Interval)]
    return any(math.isinf(at) and not closed for at, closed in ends)


def test_single_precision_cells_are_compared_in_double_precision() -> None:
    tenth = np.array([0.1], np.float32)  # 0.100000001490116…
    assert not condition(AGE, at_most=0.1).mask(tenth)[0]
    assert condition(AGE, above=0.1).mask(tenth)[0]


def test_what_says_nothing_is_dropped_and_one_condition_per_column_is_left() -> None:
    anything = condition(AGE, missing=True)
    older, younger = condition(AGE, above=30), condition(AGE, at_most=45)
    port = condition(PORT, levels=["Q", "C"])
    left = join([older, port, anything, younger, condition(PORT, levels=["C", "S"])])
    assert [words_of(one) for one in left] == ["30 < age ≤ 45", "port = C"]
    assert join([anything]) == ()
    assert [words_of(one) for one in join([condition(AGE)])] == ["age is known"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"above": 30, "at_most": 45}, "30 < age ≤ 45"),
        ({"at_least": 30, "below": 45.5}, "30 ≤ age < 45.5"),
        ({"at_least": 3, "at_most": 3}, "age = 3"),
        ({"below": 3}, "age < 3"),
        ({"at_most": 3, "missing": True}, "age ≤ 3 (or missing)"),
        ({"at_least": 3}, "age ≥ 3"),
        ({"above": 3}, "age > 3"),
        ({}, "age is known"),
        ({"missing": True, "known": False}, "age is missing"),
    ],
)
def test_words_of_numbers(asked: dict[str, Any], words: str) -> None:
    assert words_of(condition(AGE, **asked)) == words


@pytest.mark.parametrize(
    ("column", "levels", "words"),
    [
        (PORT, ["C"], "port = C"),
        (PORT, ["S", "C"], "port in {C, S}"),
        (GRADE, ["low", "mid"], "grade ≤ mid"),
        (GRADE, ["high", "top"], "grade ≥ high"),
        (GRADE, ["mid", "high"], "mid ≤ grade ≤ high"),
        (GRADE, ["low", "high"], "grade in {low, high}"),
        (GRADE, ["mid"], "grade = mid"),
    ],
)
def test_words_of_levels(column: Column, levels: list[str], words: str) -> None:
    assert words_of(condition(column, levels=levels)) == words


def test_words_of_many_levels() -> None:
    wide = Column("zip", "category", tuple(f"z{i:02}" for i in range(40)), "text")
    few = condition(wide, levels=wide.levels[:15])
    assert words_of(few).endswith("z10, z11, … 3 more}")
    assert words_of(condition(wide, levels=wide.levels[2:])) == "zip not in {z00, z01}"


def test_missing_cells_are_named_where_training_met_some_or_on_request() -> None:
    quiet = Interval(AGE, low=3.0, low_in=False, missing=True)
    assert words_of(quiet) == "age > 3"
    assert words_of(quiet, exact=True) == "age > 3 (or missing)"


def test_days_are_shown_as_days_even_when_a_threshold_is_at_noon() -> None:
    noon = 18262.5  # 2020-01-01, noon
    assert words_of(condition(DAY, at_most=noon)) == "day ≤ 2020-01-01"
    assert words_of(condition(DAY, below=noon)) == "day ≤ 2020-01-01"
    assert words_of(condition(DAY, above=noon)) == "day > 2020-01-01"
    assert words_of(condition(DAY, at_least=noon)) == "day > 2020-01-01"
    assert words_of(condition(DAY, below=18262.0)) == "day < 2020-01-01"


def test_odd_names_are_made_harmless() -> None:
    odd = Column("a\x1b[31m", "category", ("x\ny", " ", "日本"), "text")
    assert words_of(condition(odd, levels=odd.levels[:2])) == 'a\\x1b[31m in {x\\ny, " "}'
    assert words_of(condition(odd, levels=["日本"])) == "a\\x1b[31m = 日本"


@pytest.mark.parametrize(
    ("column", "asked", "message"),
    [
        (AGE, {"levels": ["x"]}, r'"age" is a number column and has no levels'),
        (PORT, {"above": 3}, r'"port" has levels, so above cannot bound it'),
        (PORT, {"levels": ["c"]}, r"""no level 'c'. Did you mean "C"\?"""),
        (PORT, {"levels": []}, r"at least one level"),
        (PORT, {"levels": "C"}, r"give a list"),
        (AGE, {"above": 3, "at_least": 3}, r"above or at_least, not both"),
        (AGE, {"below": 3, "at_most": 3}, r"below or at_most, not both"),
        (AGE, {"above": math.inf}, r"not finite"),
        (AGE, {"above": "3"}, r"above='3' of \"age\" is not a number"),
        (AGE, {"above": True}, r"not a number"),
        (AGE, {"above": 3, "at_most": 3}, r"No number fits above=3, at_most=3"),
        (AGE, {"known": False}, r"known=False accepts only missing cells"),
        (AGE, {"known": False, "missing": True, "above": 3}, r"neither bounds nor levels"),
    ],
)
def test_what_cannot_be_meant_is_refused(column: Column, asked: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        condition(column, **asked)
