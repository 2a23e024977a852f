"""The shipped tables: their rows, targets and kinds, and the page that describes them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bough import datasets
from bough.data.schema import MISSING
from bough.errors import DataError

# rows, target, classes, how many columns of each kind, rows of each class
EXPECTED = {
    "restaurant": (12, "WillWait", ("No", "Yes"), {"category": 10}, (6, 6)),
    "restaurant_csce": (12, "WillWait", ("No", "Yes"), {"category": 10}, (6, 6)),
    "food5": (5, "Sick", (0, 1), {"number": 6}, (1, 4)),
    "food6": (6, "Sick", (0, 1), {"number": 3}, (3, 3)),
    "food11": (11, "Sick", (0, 1), {"number": 2}, (4, 7)),
    "allergies": (5, "Sick", (0, 1), {"number": 6}, (1, 4)),
    "mpg18": (18, "mpg", ("bad", "good"), {"category": 7}, (12, 6)),
    "xor": (4, "y", (0, 1), {"number": 2}, (2, 2)),
    "titanic": (891, "Survived", (0, 1), {"number": 5, "category": 2}, (549, 342)),
}


def test_every_table_is_expected_here() -> None:
    assert datasets.names() == tuple(EXPECTED)


def test_every_file_has_a_name() -> None:
    folder = datasets.path("xor").parent
    assert sorted(file.stem for file in folder.glob("*.csv")) == sorted(datasets.names())


@pytest.mark.parametrize("name", EXPECTED)
def test_load(name: str) -> None:
    rows, target, classes, kinds, of_class = EXPECTED[name]
    table = datasets.load(name)
    assert table.n_rows == rows
    assert table.schema.target.name == target
    assert table.schema.target.task == "classification"
    assert table.schema.target.classes == classes
    assert Counter(column.kind for column in table.schema.columns) == kinds
    assert table.target is not None
    assert tuple(np.bincount(table.target)) == of_class


@pytest.mark.parametrize("name", EXPECTED)
def test_columns_come_in_the_order_of_the_file(name: str) -> None:
    with datasets.path(name).open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    left_out = {EXPECTED[name][1]}
    if name == "titanic":
        left_out |= {"PassengerId", "Name", "Ticket", "Cabin"}
    assert datasets.load(name).schema.names == tuple(c for c in header if c not in left_out)


def test_nobody_is_there_is_a_level() -> None:
    table = datasets.load("restaurant")
    patrons = table.schema.columns[table.schema.index["Pat"]]
    assert patrons.levels == ("Full", "None", "Some")
    assert all(int(codes.min()) > MISSING for codes in table.cells)


def test_europe_is_one_level() -> None:
    table = datasets.load("mpg18")
    maker = table.schema.columns[table.schema.index["maker"]]
    assert maker.levels == ("america", "asia", "europe")


def test_missing_cells_of_the_titanic() -> None:
    table = datasets.load("titanic")
    missing = {
        column.name: int(
            np.isnan(cells).sum() if column.kind == "number" else (cells == MISSING).sum()
        )
        for column, cells in zip(table.schema.columns, table.cells, strict=True)
    }
    assert {name: n for name, n in missing.items() if n} == {
        "Age": 177,
        "Embarked": 2,
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_about_is_one_line_with_the_target(name: str) -> None:
    text = datasets.about(name)
    assert text.startswith(f"{name}: ")
    assert f"Target {EXPECTED[name][1]}. Source: " in text
    assert "\n" not in text


@pytest.mark.parametrize("ask", [datasets.load, datasets.path, datasets.about])
def test_an_unknown_name_is_answered_with_the_nearest(ask) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError, match=r"no dataset 'restarant'\. Did you mean \"restaurant\"\?"):
        ask("restarant")
    with pytest.raises(DataError, match=r"no dataset 'iris'\. The datasets are: restaurant, rest"):
        ask("iris")
    with pytest.raises(DataError, match=r"no dataset '\.\./titanic'"):
        ask("../titanic")
    with pytest.raises(DataError, match="no dataset None"):
        ask(None)


def test_the_page_says_the_same() -> None:
    page = (Path(__file__).parent.parent / "docs" / "datasets.md").read_text(encoding="utf-8")
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if re.match(r"\| \w+ \| \d+ \|", line)
    ]
    assert [line[:5] for line in lines] == [
        [
            name,
            str(rows),
            target,
            ", ".join(map(str, classes)),
            ", ".join(f"{n} {kind}" for kind, n in kinds.items()),
        ]
        for name, (rows, target, classes, kinds, _) in EXPECTED.items()
    ]
    for name, line in zip(EXPECTED, lines, strict=True):
        assert datasets.about(name).endswith(f"Source: {line[5]}.")
