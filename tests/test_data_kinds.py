"""What each column is taken for: kinds, levels, targets, overrides, and what is said about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bough.data.read import read_table
from bough.data.schema import Column
from bough.data.table import Table

NAN = float("nan")


def read(columns: Mapping[str, Any] | str, folder: Path | None = None, **options: Any) -> Table:
    """A table with the target y; text is the content of a CSV file."""
    source: Any = columns
    if isinstance(columns, str):
        assert folder is not None
        source = folder / "t.csv"
        source.write_text(columns)
    return read_table(source, target="y", **options)


def column(cells: Any, **options: Any) -> tuple[Column, np.ndarray]:
    """The column c of a table of nothing else."""
    answers = [i % 2 for i in range(len(cells))]
    table = read({"c": cells, "y": answers}, **options)
    return table.schema.columns[0], table.cells[0]


@pytest.mark.parametrize(
    ("cells", "kind", "form", "levels", "values"),
    [
        ([3, 1, None], "number", "int", (), [3, 1, NAN]),
        ([3, 1.5, NAN], "number", "float", (), [3, 1.5, NAN]),
        (["b", "a", None], "category", "text", ("a", "b"), [1, 0, -1]),
        (["B", "a", "É"], "category", "text", ("B", "a", "É"), [0, 1, 2]),
        ([True, False, None], "category", "bool", ("false", "true"), [1, 0, -1]),
        (["b", 1, 2.0, True], "category", "text", ("1", "2", "b", "true"), [2, 0, 1, 3]),
        ([None, NAN, None], "number", "float", (), [NAN, NAN, NAN]),
        ([pd.Timestamp("1970-01-02"), pd.NaT], "number", "datetime", (), [86400, NAN]),
        (
            pd.Categorical(["b", None, "a"], ["c", "b", "a"]),
            "category", "text", ("c", "b", "a"), [1, -1, 2],
        ),
        (
            pd.Categorical(["hi", "lo"], ["lo", "hi"], ordered=True),
            "ordered", "text", ("lo", "hi"), [1, 0],
        ),
        (pd.Categorical([30, 4, 30]), "category", "int", ("4", "30"), [1, 0, 1]),
        (pl.Series(["hi", "lo"], dtype=pl.Enum(["lo", "hi"])), "ordered", "text", ("lo", "hi"),
         [1, 0]),
        (pl.Series(["hi", "lo"], dtype=pl.Categorical), "category", "text", ("hi", "lo"), [0, 1]),
        (pd.array([1, None], dtype="Int64"), "number", "int", (), [1, NAN]),
        (pd.array([True, None], dtype="boolean"), "category", "bool", ("false", "true"), [1, -1]),
    ],
)  # fmt: skip
def test_kinds(cells: Any, kind: str, form: str, levels: tuple[str, ...], values: list) -> None:
    if isinstance(cells, pd.Categorical | pd.api.extensions.ExtensionArray):
        cells = pd.Series(cells)
    found, codes = column(cells)
    assert (found.kind, found.form, found.levels) == (kind, form, levels)
    np.testing.assert_array_equal(codes, values)
    assert codes.dtype == (np.float64 if kind == "number" else np.int32)


def test_numbers_as_categories(tmp_path: Path) -> None:
    found, codes = column([10, 9, None, 10], kinds={"c": "category"})
    assert (found.kind, found.form, found.levels) == ("category", "int", ("9", "10"))
    assert codes.tolist() == [1, 0, -1, 1]
    found, _ = column([1.5, 2.0, -0.5], kinds={"c": "category"})
    assert (found.form, found.levels) == ("float", ("-0.5", "1.5", "2"))
    text = "c,y\n10,1\n9,2\n,3\n10,4\n"
    table = read(text, tmp_path, kinds={"c": "category"})
    assert table.schema.columns[0].levels == ("9", "10")
    assert table.cells[0].tolist() == [1, 0, -1, 1]


def test_codes_with_leading_zeros_keep_them(tmp_path: Path) -> None:
    table = read("zip,y\n02139,1\n10001,2\n", tmp_path, kinds={"zip": "category"})
    assert table.schema.columns[0].levels == ("02139", "10001")


def test_dates_as_categories(tmp_path: Path) -> None:
    for source in (
        "c,y\n2020-01-02,1\n2020-01-01,2\n",
        {"c": np.array(["2020-01-02", "2020-01-01"], "M8[D]"), "y": [1, 2]},
    ):
        table = read(source, tmp_path, kinds={"c": "category"})
        assert table.schema.columns[0].levels == ("2020-01-01", "2020-01-02")
        assert table.cells[0].tolist() == [1, 0]


def test_an_order_by_hand() -> None:
    found, codes = column(["mid", "low", None], ordered={"c": ["low", "mid", "high"]})
    assert (found.kind, found.levels) == ("ordered", ("low", "mid", "high"))
    assert codes.tolist() == [1, 0, -1]
    found, codes = column([2, 1, 3], ordered={"c": ["3", "2", "1"]})
    assert (found.levels, codes.tolist()) == (("3", "2", "1"), [1, 2, 0])


def test_an_order_that_is_there_already(tmp_path: Path) -> None:
    found, codes = column([10, 9, None], kinds={"c": "ordered"})
    assert (found.kind, found.levels, codes.tolist()) == ("ordered", ("9", "10"), [1, 0, -1])
    table = read("c,y\n10,1\n9,2\n", tmp_path, kinds={"c": "ordered"})
    assert table.schema.columns[0].levels == ("9", "10")
    grades = pd.Categorical(["b", "a"], ["b", "a"], ordered=True)
    found, _ = column(pd.Series(grades), kinds={"c": "ordered"})
    assert found.levels == ("b", "a")
    found, _ = column(pd.Series(grades), kinds={"c": "category"})
    assert found.kind == "category"


def test_text_and_truth_as_numbers() -> None:
    found, values = column(["1.5", None, " 2 "], kinds={"c": "number"})
    assert (found.kind, found.form) == ("number", "float")
    np.testing.assert_array_equal(values, [1.5, NAN, 2])
    found, values = column([True, None, False], kinds={"c": "number"})
    np.testing.assert_array_equal(values, [1, NAN, 0])


def test_marks_that_mean_missing(tmp_path: Path) -> None:
    marks = ["?", "-99"]
    cells = ["?", "1", "2.5", "-99"]
    found, values = column(cells, missing_marks=marks)
    assert (found.kind, found.form) == ("number", "float")
    np.testing.assert_array_equal(values, [NAN, 1, 2.5, NAN])
    table = read("c,d,y\n?,a,1\n1,?,2\n2.5,b,3\n-99,c,?\n", tmp_path, missing_marks=marks)
    np.testing.assert_array_equal(table.cells[0], [NAN, 1, 2.5])
    assert table.schema.columns[1].levels == ("a", "b")
    _, values = column([1.0, -99, 3], missing_marks=marks)
    np.testing.assert_array_equal(values, [1, NAN, 3])
    _, codes = column(["a", "?", "b"], missing_marks=marks)
    assert codes.tolist() == [0, -1, 1]


def test_ignored_columns_are_not_looked_at() -> None:
    table = read({"a": [1, 2], "bad": [np.inf, 1], "y": [1, 2]}, ignore=["bad"])
    assert table.schema.names == ("a",) and table.notes == ()


def test_weights_are_no_predictor() -> None:
    table = read({"a": [1, 2], "w": [1, 0], "y": [1, 2]}, weights="w")
    assert table.schema.names == ("a",)
    assert table.weights is not None and table.weights.tolist() == [1, 0]
    table = read({"a": [1, 2], "y": [1, 2]}, weights=np.array([0.5, 2]))
    assert table.weights is not None and table.weights.tolist() == [0.5, 2]


# ---- the target ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "classes", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        ([True, False, True], (False, True), [1, 0, 1]),
        ([2, -1, 2], (-1, 2), [1, 0, 1]),
        ([2.0, 10.0, 2.0], (2, 10), [0, 1, 0]),
        (pd.Series(pd.Categorical(["b", "a", "b"], ["c", "b", "a"])), ("a", "b"), [1, 0, 1]),
        (pd.Series(pd.Categorical([10, 9, 9])), (9, 10), [1, 0, 0]),
        (np.array(["b", "a", "a"]), ("a", "b"), [1, 0, 0]),
        (pl.Series([3, 1, 3], dtype=pl.Int8), (1, 3), [1, 0, 1]),
    ],
)
def test_classes_are_sorted_and_of_their_type(answers: Any, classes: tuple, codes: list) -> None:
    table = read_table({"a": [1, 2, 3]}, target=answers)
    target = table.schema.target
    assert target.task == "classification" and target.classes == classes
    assert [type(c) for c in target.classes] == [type(c) for c in classes]
    assert table.target is not None and table.target.tolist() == codes
    assert table.target.dtype == np.int32


@pytest.mark.parametrize(
    "answers", [[0.5, 1, 2], list(range(21)), pd.to_datetime(["2020", "2021"])]
)
def test_other_numbers_mean_regression(answers: Any) -> None:
    table = read_table({"a": range(len(answers))}, target=pd.Series(answers))
    assert table.schema.target.task == "regression" and table.schema.target.classes == ()
    assert table.target is not None and table.target.dtype == np.float64


def test_twenty_whole_numbers_are_classes() -> None:
    assert read_table({"a": range(20)}, target=list(range(20))).schema.target.task == (
        "classification"
    )


def test_the_task_can_be_forced() -> None:
    table = read_table({"a": [1, 2, 3]}, target=[0, 1, 1], task="regression")
    assert table.target is not None and table.target.tolist() == [0.0, 1.0, 1.0]
    table = read_table({"a": [1, 2]}, target=[True, False], task="regression")
    assert table.target is not None and table.target.tolist() == [1.0, 0.0]
    table = read_table({"a": [1, 2, 3]}, target=[0.5, 2.0, 0.5], task="classification")
    assert table.schema.target.classes == (0.5, 2.0)
    many = read_table({"a": range(200)}, target=list(range(200)), task="classification")
    assert many.notes[0].startswith('The target "target" has 200 classes. To predict it as a')


# ---- what is said --------------------------------------------------------------------------------


def test_identifiers_are_ignored_and_said_so() -> None:
    names = [f"n{i}" for i in range(10)]
    table = read({"name": names, "a": range(10), "y": [0, 1] * 5})
    assert table.schema.names == ("a",)
    assert table.notes[0].startswith('Ignored "name": a different text in every row')
    kept = read({"name": names, "a": range(10), "y": [0, 1] * 5}, kinds={"name": "category"})
    assert kept.schema.names == ("name", "a") and kept.notes == ()
    for almost in (names[:9], [*names[:9], "n0"], [*names[:9], None]):  # too few, one twice, a gap
        cells = {"name": almost, "a": range(len(almost)), "y": [i % 2 for i in range(len(almost))]}
        assert read(cells).schema.names == ("name", "a")
    assert read({"id": range(10), "y": [0, 1] * 5}).schema.names == ("id",)


def test_whole_numbers_that_count_the_rows_are_told() -> None:
    answers = [0, 1] * 15
    for counting in (range(30), range(900, 600, -10)):
        table = read({"no": counting, "a": [*range(29), 28], "b": [9, *range(29)], "y": answers})
        assert table.schema.names == ("no", "a", "b")  # it may be a year, or a length
        assert table.notes == (
            '"no": another whole number in every row, in order, so perhaps an identifier. '
            "To leave it out: ignore=['no'] (--ignore no).",
        )
    for other in (np.arange(30) / 2, [*range(29), None], [1, 0, *range(2, 30)]):
        assert read({"a": other, "y": answers}).notes == ()
    assert read({"no": range(20), "y": answers[:20]}).notes == ()  # so few may stand so by chance


def test_marks_in_a_numeric_column_are_named(tmp_path: Path) -> None:
    cells = [*map(str, range(8)), "NA", "?", "NA"]
    text = "a,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    for source in (text, {"a": cells, "y": [i % 2 for i in range(len(cells))]}):
        (note,) = read(source, tmp_path).notes
        assert note == (
            '"a" is read as a category, though its cells are numbers but for "?", "NA". If that '
            "means missing, say missing_marks=['?', 'NA'] (--missing \"?,NA\")."
        )
        assert read(source, tmp_path, missing_marks=["?", "NA"]).schema.columns[0].kind == "number"


def test_odd_columns_are_named_together() -> None:
    table = read(
        {
            "a": [1, 1, 1],
            "b": ["u", "u", "u"],
            "c": [None, None, None],
            "d": [[1], [2], [3]],
            "e": [1j, 2, 3],
            "f": [1, 2, 3],
            "g": [2**53 + 2, 1, 2],
            "y": [1, 2, 2],
        }
    )
    assert table.schema.names == ("a", "b", "c", "f", "g")
    assert table.notes == (
        'Ignored "d", "e": cells of type complex, list cannot be used.',
        'Every cell is missing in "c".',
        'Only one value in "a", "b": no question can be asked of it.',
        'Whole numbers beyond 9,007,199,254,740,992 are rounded in "g". An identifier is better '
        "ignored, or given as text.",
    )


def test_very_many_levels_are_said() -> None:
    cells = [f"v{i % 1001}" for i in range(3003)]
    (note,) = read({"a": cells, "y": [i % 2 for i in range(3003)]}).notes
    assert note == (
        'The category column "a" has 1,001 levels in 3,003 rows: splits on it may only fit these '
        'rows. To leave it out: ignore=["a"] (--ignore a).'
    )
    tickets = [f"v{min(i, 24)}" for i in range(40)]  # few, but most of them once
    table = {"a": tickets, "b": [1, 2] * 20, "y": [i % 2 for i in range(40)]}
    (note,) = read(table).notes
    assert note.startswith('Ignored "a": nearly all texts differ')
    (note,) = read(table, kinds={"a": "category"}).notes
    assert note.startswith('The category column "a" has 25 levels in 40 rows')
    assert read({"a": tickets * 2, "y": [i % 2 for i in range(80)]}).notes == ()


def test_dates_that_can_be_read_in_two_ways_stay_text(tmp_path: Path) -> None:
    table = read("a,y\n1/2/2013,1\n13/2/2013,2\n", tmp_path)
    assert table.schema.columns[0].kind == "category"
    assert table.notes[0].startswith('The cells of "a" look like dates but are read as text')


def test_moments_with_and_without_a_zone(tmp_path: Path) -> None:
    table = read(
        "a,b,y\n2013-01-01T10:00:00Z,2013-01-01 10:00:00,1\n"
        "2013-01-01T12:00:00+02:00,2013-01-01 10:00:01.5,2\n",
        tmp_path,
    )
    assert [c.form for c in table.schema.columns] == ["datetime", "datetime"]
    assert table.cells[0].tolist() == [1357034400, 1357034400]
    assert table.cells[1].tolist() == [1357034400, 1357034401.5]
