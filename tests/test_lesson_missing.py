"""Lessons and the policies for missing cells, costs and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bough.costs import cost_matrix
from bough.data.read import read_table
from bough.data.table import Table
from bough.errors import OptionError
from bough.growing import grow_table
from bough.lesson.steps import lesson_of
from bough.options import check_options
from lessons import column, grown, taught


def holes() -> Table:
    """docs/missing.md: x is missing in row 1."""
    frame = pd.DataFrame({
        "x": [None, 1.0, 2.0, 3.0, 4.0],
        "c": ["a", "b", None, "a", "b"],
        "y": ["no", "no", "no", "yes", "yes"],
    })  # fmt: skip
    return read_table(frame, target="y", kinds={"c": "category"})


def test_learned_tries_both_sides_for_a_missing_cell() -> None:
    root = taught(holes(), criterion="entropy").steps[0]
    x = column(root, "x")
    ways = {way.sides[0].label: way.gain for way in x.candidates}
    # 3 boundaries, twice each, and known | missing; by hand 0.971 and 0.420 bits at 2.5.
    assert x.n_candidates == 7
    assert ways["≤ 2.5 or missing"] == pytest.approx(0.970951, abs=5e-7)
    assert ways["≤ 2.5"] == pytest.approx(0.419973, abs=5e-7)
    assert "is known" in ways
    assert x.best is not None and x.best.sides[0].label == "≤ 2.5 or missing"


def test_own_gives_missing_cells_a_side() -> None:
    root = taught(holes(), criterion="entropy", missing="own").steps[0]
    x = column(root, "x")
    assert x.best is not None
    assert [side.label for side in x.best.sides] == ["≤ 2.5", "> 2.5", "is missing"]
    assert [side.stats for side in x.best.sides] == [(2, 0), (0, 2), (1, 0)]
    assert x.gains[-1].value == pytest.approx(0.970951, abs=5e-7)


def test_branches_may_take_missing_cells_in() -> None:
    root = taught(holes(), criterion="entropy", categories="branches").steps[0]
    c = column(root, "c")
    assert [side.label for side in c.values] == ["a", "b", "missing"]
    assert c.n_candidates == 2


def test_columns_may_differ_in_policy() -> None:
    options = {"criterion": "entropy", "missing": {"x": "own", "*": "learned"}}
    root = taught(holes(), **options).steps[0]
    assert column(root, "x").n_candidates == 4
    best = column(root, "x").best
    assert best is not None and len(best.sides) == 3


@pytest.mark.parametrize("policy", ["mean", "median", "mode", "class_mean"])
def test_filled_cells_are_no_longer_missing(policy: str) -> None:
    lesson = taught(holes(), criterion="gini", missing=policy)
    assert lesson.rows == 5
    for step in lesson.steps:
        assert not any("missing" in s.label for facts in step.columns for s in facts.values)


def test_dropped_rows_leave_the_others_their_numbers() -> None:
    lesson = taught(holes(), criterion="gini", missing="drop_rows")
    assert lesson.rows == 3
    assert lesson.steps[0].row_numbers == (2, 4, 5)


@pytest.mark.parametrize("policy", ["fractional", "surrogate", "stop"])
def test_other_policies_have_a_lesson_where_nothing_is_missing(policy: str) -> None:
    lesson = taught("restaurant", criterion="gini", missing=policy)
    assert lesson.steps == taught("restaurant", criterion="gini").steps
    with pytest.raises(OptionError, match=f'missing="{policy}", and cells of "x"'):
        taught(holes(), criterion="gini", missing=policy)


def test_costs_have_no_lesson() -> None:
    table = grown("restaurant", criterion="gini")[1]
    costs = cost_matrix({"Yes": {"No": 5}}, table.schema.target)
    options: dict[str, Any] = check_options({"criterion": "gini"})
    tree = grow_table(table, options, None, costs)
    with pytest.raises(OptionError, match="Lessons do not work out costs"):
        lesson_of(tree, table)


def test_weights_stand_in_the_formulas() -> None:
    frame = pd.DataFrame({"x": [1, 1, 2, 2], "w": [0.5, 1.5, 1.0, 3.0], "y": list("abab")})
    root = taught(read_table(frame, target="y", weights="w"), criterion="gini").steps[0]
    assert root.here.stats == (1.5, 4.5)
    x = column(root, "x")
    # 1 − (1.5/6)² − (4.5/6)² = .375, and both sides hold a quarter of class a.
    assert root.here.impurity == pytest.approx(0.375)
    assert x.best is not None
    assert np.allclose([side.weight for side in x.best.sides], [2, 4])
    assert x.gains[-1].value == pytest.approx(0.0, abs=1e-12)
