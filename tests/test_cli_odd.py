"""Tables nobody expects: odd names, tiny, huge, empty, many classes, dates, colliding names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import bough
from test_cli_commands import done, write

ODD_NAMES = [
    'say "so"', "two\nlines", "😀", "x" * 300, "a=b", "a,b", " spaced ", "-dash", "--out", "'",
    "ÄÖ", "[1]", "\x1b[31mred", "leaf", "share of u", "select", "0", "null",
]  # fmt: skip


def table(folder: Path, name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    page = io.StringIO()
    csv.writer(page, lineterminator="\n").writerows([head, *rows])
    return write(folder, name, page.getvalue())


@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: repr(name)[:12])
def test_names_of_columns(name: str, tmp_path: Path) -> None:
    """As a column asked about, as one kept, and as the target."""
    path = table(tmp_path, "t.csv", [name, "y"], [[i, "uv"[i > 9]] for i in range(20)])
    model = tmp_path / "m.json"
    shown = done("grow", path, "--target", "y", "--out", model).out
    assert "\x1b" not in shown and max(map(len, shown.splitlines())) <= 100
    assert done("show", model).out == shown
    assert "\x1b" not in done("data", path).out
    told = list(csv.reader(io.StringIO(done(
        "predict", model, path, f"--keep={name}", "--leaf", "--shares").out)))  # fmt: skip
    assert told[0][0] == name and len(set(told[0])) == 5
    assert [row[:2] for row in told[1:]] == [[str(i), "uv"[i > 9]] for i in range(20)]
    assert "error        0.00%" in done("evaluate", model, path).out

    other = table(tmp_path, "o.csv", ["a", name], [[i, "uv"[i > 9]] for i in range(20)])
    done("grow", other, f"--target={name}", "--out", model, "--force")
    assert next(csv.reader(io.StringIO(done("predict", model, other).out))) == [name]


@pytest.mark.parametrize(
    "name", ["t 1.csv", "[1]*?.csv", "ünï.csv", "quo'te.csv", "-t.csv", "no ending", "t.CSV", "😀"]
)
def test_names_of_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path, name, ["a", "y"], [[i, "uv"[i > 9]] for i in range(20)])
    model = name + ".json"
    done("grow", "--target", "y", f"--out={model}", "--", name)
    done("predict", f"--out={name}.out", "--", model, name)
    assert Path(f"{name}.out").read_text().count("u\n") == 10


def test_two_rows(tmp_path: Path) -> None:
    path = table(tmp_path, "t.csv", ["a", "y"], [[1, "u"], [2, "v"]])
    told = done("grow", path, "--target", "y", "--recipe", "cart", "--prune", "none").out
    assert "├─ a ≤ 1.5  u " in told and "└─ a > 1.5  v " in told


def test_columns_without_a_value(tmp_path: Path) -> None:
    rows = [["", i, "uv"[i > 5]] for i in range(12)]
    path, model = table(tmp_path, "t.csv", ["none", "b", "y"], rows), tmp_path / "m.json"
    result = done("grow", path, "--target", "y", "--out", model)
    assert 'note: Every cell is missing in "none".' in result.err and "b ≤ 5" in result.out
    new = table(tmp_path, "n.csv", ["none", "b"], [["now there", 1], [3, 11]])
    assert done("predict", model, new).out == "y\nu\nv\n"


def test_three_hundred_classes(tmp_path: Path) -> None:
    rows = [[i % 300, f"class {i % 300:03}"] for i in range(900)]
    path, model = table(tmp_path, "t.csv", ["a", "y"], rows), tmp_path / "m.json"
    told = done(
        "grow", path, "--target", "y", "--recipe", "cart", "--prune", "none", "--out", model
    )
    assert 'note: The target "y" has 300 classes.' in told.err
    assert max(map(len, told.out.splitlines())) <= 100
    assert "error        0.00%" in done("evaluate", model, path).out
    head = done("predict", model, path, "--shares").out.splitlines()[0].split(",")
    assert len(head) == 301 and head[-1] == "share of class 299"


def test_huge_numbers(tmp_path: Path) -> None:
    rows = [[f"{(i - 20) * 8}e306", "uv"[i > 12]] for i in range(40)]
    path, model = table(tmp_path, "t.csv", ["a", "y"], rows), tmp_path / "m.json"
    done("grow", path, "--target", "y", "--recipe", "cart", "--prune", "none", "--out", model)
    tree = bough.load(model)
    assert tree.n_leaves == 2 and -6.4e307 < tree.nodes.threshold[0] < -5.6e307
    assert "error        0.00%" in done("evaluate", model, path).out


def test_dates_and_moments(tmp_path: Path) -> None:
    days = [f"2020-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(84)]
    moments = [f"2020-01-01 {i // 4:02}:{i % 4 * 15:02}:00" for i in range(84)]
    rows = [[d, m, "early" if i < 40 else "late"]
            for i, (d, m) in enumerate(zip(days, moments, strict=True))]  # fmt: skip
    path, model = table(tmp_path, "t.csv", ["day", "at", "y"], rows), tmp_path / "m.json"
    told = done("grow", path, "--target", "y", "--out", model).out
    assert "day ≤ 2020-02-12  early" in told and "day > 2020-02-12  late" in told
    assert done("show", model).out == told
    out = done("predict", model, path, "--keep", "day", "--keep", "at").out.splitlines()
    assert out[1:] == [",".join(map(str, row)) for row in rows]
    told = done(
        "grow", path, "--target", "y", "--ignore", "day", "--recipe", "cart", "--prune", "none"
    ).out
    assert "at ≤ 2020-01-01 09:52:30" in told


@pytest.mark.parametrize(("no", "yes"), [("false", "true"), ("False", "TRUE"), ("no", "yes")])
def test_truth_values(no: str, yes: str, tmp_path: Path) -> None:
    rows = [[yes if i % 2 else no, yes if i % 3 else no, yes if i % 2 and i % 3 else no]
            for i in range(60)]  # fmt: skip
    path, model = table(tmp_path, "t.csv", ["f", "g", "y"], rows), tmp_path / "m.json"
    done("grow", path, "--target", "y", "--out", model)
    out = done("predict", model, path).out.split()[1:]
    expected = [row[2] if no == "no" else row[2].lower() for row in rows]
    assert out == expected
    assert "error        0.00%" in done("evaluate", model, path).out
    lower = table(tmp_path, "l.csv", ["f", "g"], [[c.lower() for c in row[:2]] for row in rows])
    assert done("predict", model, lower).out.split()[1:] == expected


def test_whole_numbers_of_other_tools(tmp_path: Path) -> None:
    """A tool that turned 3 into 3.0 changes no answer, as a level or as a class."""
    rows = [[i % 4, "uv"[i % 4 in (1, 2)]] for i in range(40)]
    path, model = table(tmp_path, "t.csv", ["k", "y"], rows), tmp_path / "m.json"
    done("grow", path, "--target", "y", "--category", "k", "--out", model)
    floats = table(tmp_path, "f.csv", ["k", "y"], [[f"{k}.0", y] for k, y in rows])
    result = done("evaluate", model, floats)
    assert "error        0.00%" in result.out and result.err == ""


def test_levels_with_spaces_in_their_order(tmp_path: Path) -> None:
    grades = ["very low", "low", "fair enough"]
    rows = [[grades[i % 3], "uv"[i % 3 > 1]] for i in range(30)]
    path = table(tmp_path, "t.csv", ["my grade", "y"], rows)
    told = done("grow", path, "--target", "y", "--ordered",
                "my grade=very low, low , fair enough", "--max-depth", "none").out  # fmt: skip
    assert "my grade ≤ low" in told


def test_a_target_like_any_column_of_the_new_table(tmp_path: Path) -> None:
    """New rows that hold the target, too: it is no column the tree does not know."""
    path = table(tmp_path, "t.csv", ["a", "y"], [[i, "uv"[i > 9]] for i in range(20)])
    model = tmp_path / "m.json"
    done("grow", path, "--target", "y", "--out", model)
    other = table(tmp_path, "n.csv", ["y", "a"], [["nonsense", 3], ["", 15]])
    result = done("predict", model, other)
    assert result.out == "y\nu\nv\n" and result.err == ""
