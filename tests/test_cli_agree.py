"""One row and many rows, Python and the command line: always the same answer."""

from __future__ import annotations

import csv
import datetime
import decimal
import math
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bough
from bough.data.schema import level_text
from bough.errors import DataError
from test_cli_commands import done

POLICIES = [
    {"missing": missing, "categories": categories, "equality": equality, "empty_branch": empty}
    for missing, equality in (("learned", "<="), ("own", "<"))
    for categories in ("subset", "branches", "one_vs_rest")
    for empty in ("parent", "unknown")
]
NEW_LEVELS = ["never seen", "LOW", "12", "true"]


def mixed(random: Random, n: int) -> dict[str, list[Any]]:
    """A column of every form, with missing cells."""

    def column(cell: Any, gaps: float = 0.15) -> list[Any]:
        return [None if random.random() < gaps else cell() for _ in range(n)]

    day = datetime.date(2020, 1, 1)
    start = datetime.datetime(2020, 1, 1)
    return {
        "float": column(lambda: random.gauss(0, 1)),
        "int": column(lambda: random.randrange(9)),
        "text": column(lambda: random.choice(["a", "b", "c d", "é", 'q"', "x,y"])),
        "bool": column(lambda: random.random() < 0.5),
        "day": column(lambda: day + datetime.timedelta(random.randrange(300))),
        "moment": column(lambda: start + datetime.timedelta(seconds=random.randrange(10**7))),
        "order": column(lambda: random.choice(["low", "mid", "high"])),
        "code": column(lambda: random.randrange(4)),
        "half": column(lambda: random.choice([1.0, 2.5, 3.0])),
        "cents": column(lambda: decimal.Decimal(random.randrange(100)) / 4),
    }


def with_target(random: Random, columns: dict[str, list[Any]], kind: str) -> dict[str, list[Any]]:
    n = len(columns["int"])
    makers = {
        "text": lambda: random.choice(["u", "v w", "w"]),
        "int": lambda: random.choice([2, 3, 10]),
        "bool": lambda: random.random() < 0.4,
        "number": lambda: random.gauss(0, 3),
    }
    return {**columns, "y": [makers[kind]() for _ in range(n)]}


def grown(data: Any, **options: Any) -> bough.Tree:
    return bough.grow(
        data, "y", recipe="cart", prune=None,
        kinds={"code": "category", "half": "category"}, ordered={"order": ["low", "mid", "high"]},
        **options,
    )  # fmt: skip


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    return bool(one == other)


def check_rows(tree: bough.Tree, data: Any, rows: list[dict[str, Any]]) -> None:
    """Bulk answers and leaves against those of the rows one by one, and of their paths."""
    answers, leaves = tree.predict(data).tolist(), tree.apply(data).tolist()
    for row, answer, leaf in zip(rows, answers, leaves, strict=True):
        assert same(tree.predict_row(row), answer), row
        path = tree.path(row)
        assert path[0] == 0 and path[-1] == leaf, row
        assert all(child in tree.children(node) for node, child in pairwise(path))


@pytest.mark.parametrize("options", POLICIES, ids=lambda o: " ".join(o.values()))
@pytest.mark.parametrize("target", ["text", "number"])
def test_one_row_and_many(options: dict[str, str], target: str) -> None:
    random = Random(f"{options} {target}")
    tree = grown(with_target(random, mixed(random, 120), target), **options)
    assert len(tree) > 20
    new = mixed(random, 150)
    for name in ("text", "order", "code", "bool"):
        new[name] = [random.choice(NEW_LEVELS) if random.random() < 0.1 else c for c in new[name]]
    for name in ("bool", "code"):  # a column of one source has cells of one kind
        new[name] = [c if isinstance(c, type(new[name][0])) else None for c in new[name]]
    check_rows(tree, new, rows_of(new))


def test_every_source(tmp_path: Path) -> None:
    """The same cells from anywhere, as the rows each source itself gives."""
    random = Random(1)
    columns = with_target(random, mixed(random, 150), "text")
    tree = grown(columns)
    expected = tree.apply(columns).tolist()
    frame, polars = pd.DataFrame(columns), pl.DataFrame(columns)
    typed = frame.assign(
        text=frame["text"].astype("category"), int=frame["int"].astype("Int64"),
        bool=frame["bool"].astype("boolean"), moment=pd.to_datetime(frame["moment"], utc=True),
        day=pd.to_datetime(frame["day"]),
    )  # fmt: skip
    sources: dict[str, tuple[Any, list[dict[str, Any]]]] = {
        "dict": (columns, rows_of(columns)),
        "pandas": (frame, frame.to_dict("records")),
        "pandas typed": (typed, typed.to_dict("records")),
        "pandas converted": (frame.convert_dtypes(), frame.convert_dtypes().to_dict("records")),
        "polars": (polars, polars.to_dicts()),
        "arrow": (polars.to_arrow(), polars.to_arrow().to_pylist()),
    }
    for name, (data, rows) in sources.items():
        assert tree.apply(data).tolist() == expected, name
        assert [tree.path(row)[-1] for row in rows] == expected, name


@pytest.mark.parametrize("target", ["text", "int", "bool", "number"])
def test_command_line_and_python(target: str, tmp_path: Path) -> None:
    random = Random(target)
    columns = with_target(random, mixed(random, 150), target)
    train, model = tmp_path / "t.csv", tmp_path / "m.json"
    write_csv(train, columns)
    done("grow", train, "--target", "y", "--recipe", "cart", "--prune", "none",
         "--ordered", "order=low, mid ,high", "--category", "code", "--category", "half",
         "--out", model, "--quiet",
         *(["--task", "regression"] if target == "number" else []))  # fmt: skip
    tree = bough.load(model)
    assert len(tree) > 20
    new = mixed(random, 100)
    write_csv(tmp_path / "new.csv", new)
    told = list(csv.reader(done("predict", model, tmp_path / "new.csv", "--leaf").out.splitlines()))
    leaves = tree.apply(tmp_path / "new.csv").tolist()
    assert [int(row[1]) for row in told[1:]] == leaves
    assert tree.apply(new).tolist() == leaves, "a file and the cells it was written from"
    check_rows(tree, tmp_path / "new.csv", rows_of(new))
    answers = [level_text(tree.predict_row(row)) for row in rows_of(new)]
    if target != "number":
        assert [row[0] for row in told[1:]] == answers


def write_csv(path: Path, columns: dict[str, list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        cells = zip(*columns.values(), strict=True)
        writer.writerows([["" if c is None else level_text(c) for c in row] for row in cells])


# ---- cells as people and libraries write them ----------------------------------------------------


@pytest.fixture(scope="module")
def days() -> bough.Tree:
    start = datetime.date(2020, 1, 1)
    column = [start + datetime.timedelta(i) for i in range(80)]
    return bough.grow(
        {"day": column, "y": ["early"] * 40 + ["late"] * 40}, "y", recipe="cart", prune=None
    )


@pytest.mark.parametrize(
    ("early", "late"),
    [
        (datetime.date(2020, 1, 2), datetime.date(2020, 3, 2)),
        (datetime.datetime(2020, 2, 9, 23, 59), datetime.datetime(2020, 2, 10, 0, 1)),
        (
            datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC),
            datetime.datetime(2020, 3, 2, tzinfo=datetime.UTC),
        ),
        (pd.Timestamp("2020-01-02"), pd.Timestamp("2020-03-02")),
        (np.datetime64("2020-01-02"), np.datetime64("2020-03-02")),
        (np.datetime64("2020-01-02T05:00", "ns"), np.datetime64("2020-03-02T05:00", "ns")),
        (np.datetime64("2020-01", "M"), np.datetime64("2020-03", "M")),
        ("2020-01-02", "2020-03-02"),
    ],
    ids=lambda cell: repr(cell)[:40],
)
def test_days(days: bough.Tree, early: Any, late: Any) -> None:
    for cell, answer in ((early, "early"), (late, "late")):
        assert days.predict_row({"day": cell}) == answer
        assert days.predict({"day": [cell]}).tolist() == [answer]


@pytest.mark.parametrize(
    "cell", [None, math.nan, np.nan, pd.NA, pd.NaT, np.datetime64("NaT")], ids=repr
)
def test_missing_cells(days: bough.Tree, cell: Any) -> None:
    own = bough.grow(
        {"a": [1, 1, 2, 2, None, None], "c": ["u", "v"] * 3, "y": [*"ppqqrr"]}, "y",
        recipe="cart", prune=None, missing="own",
    )  # fmt: skip
    assert own.predict_row({"a": cell, "c": "u"}) == "r"
    by_level = bough.grow(
        {"c": ["u", "u", "v", "v", None, None], "y": [*"ppqqrr"]}, "y",
        recipe="cart", prune=None, missing="own", categories="branches",
    )  # fmt: skip
    assert by_level.predict_row({"c": cell}) == "r"
    assert days.predict_row({"day": cell}) in ("early", "late")


@pytest.mark.parametrize("cell", ["abc", "", [3], object(), 1j, 10**400], ids=lambda c: repr(c)[:9])
def test_cells_that_are_no_number(cell: Any) -> None:
    tree = bough.grow({"a": [1, 2, 3, 4], "y": [*"uuvv"]}, "y", recipe="cart", prune=None)
    for call in (tree.predict_row, tree.path):
        with pytest.raises(DataError, match='"a" must be a number, but the row has'):
            call({"a": cell})
    with pytest.raises(DataError, match='"a"'):
        tree.predict({"a": [cell]})


def test_infinite_cells_are_compared_like_any_number() -> None:
    """As docs/missing.md says; in growing they are refused."""
    tree = bough.grow({"a": [1, 2, 3, 4], "y": [*"uuvv"]}, "y", recipe="cart", prune=None)
    new = {"a": [math.inf, -math.inf, 1.0]}
    assert tree.predict(new).tolist() == ["v", "u", "u"]
    check_rows(tree, new, rows_of(new))


def test_a_row_without_the_column() -> None:
    tree = bough.grow(
        {"size": [1, 2, 3, 4], "b": [1, 1, 1, 2], "y": [*"uuvv"]}, "y", recipe="cart", prune=None
    )
    message = r'The row has no "size", which the tree asks about. Did you mean "Size"\? Give None'
    with pytest.raises(DataError, match=message):
        tree.predict_row({"Size": 1})
    assert tree.predict_row({"size": 1}) == "u", "b is not asked about"
