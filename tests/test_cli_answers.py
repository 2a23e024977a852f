"""`bough show`, `bough predict` and `bough evaluate` on good input."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
import trees
from bough import datasets
from bough.view.terminal import render
from test_cli_commands import Done, done, run, write

TITANIC = str(datasets.path("titanic"))


def read(path: Path | str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def cells(result: Done) -> list[list[str]]:
    return list(csv.reader(io.StringIO(result.out)))


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "titanic.json"
    done("grow", TITANIC, "--target", "Survived", "--ignore", "PassengerId", "--quiet",
         "--out", path)  # fmt: skip
    return path


# ---- show ----------------------------------------------------------------------------------------


def test_show(titanic: Path) -> None:
    tree = bough.load(titanic)
    assert done("show", titanic).out == str(tree) + "\n"
    assert done("show", titanic, "--plain").out == render(tree, plain=True) + "\n"
    assert done("show", titanic, "--max-depth", "1").out == render(tree, max_depth=1) + "\n"
    narrow = done("show", titanic, "--width", "40").out
    assert narrow == render(tree, width=40) + "\n"


def test_show_all(tmp_path: Path) -> None:
    trees.bushy(2047).save(tmp_path / "m.json")
    folded, whole = (
        done("show", tmp_path / "m.json").out,
        done("show", tmp_path / "m.json", "--all"),
    )
    assert len(folded.splitlines()) < 300 and "more nodes below: bough show --all" in folded
    assert len(whole.out.splitlines()) > 2047


def test_plain_where_the_encoding_lacks_the_signs(titanic: Path) -> None:
    result = run("show", titanic)
    assert "├─" in result.out
    assert "\x1b" not in result.out, "no colour where there is no terminal"


# ---- predict -------------------------------------------------------------------------------------


def test_predict(titanic: Path, tmp_path: Path) -> None:
    tree = bough.load(titanic)
    told = cells(done("predict", titanic, TITANIC))
    assert told[0] == ["Survived"]
    assert [row[0] for row in told[1:]] == [str(a) for a in tree.predict(TITANIC).tolist()]
    out = tmp_path / "a.csv"
    result = done("predict", titanic, TITANIC, "--out", out)
    assert result.out == "" and result.err.endswith(f"wrote {out}: 891 rows\n")
    assert list(csv.reader(out.read_text().splitlines())) == told
    assert cells(done("predict", titanic, TITANIC, "--out", "-")) == told
    assert cells(done("predict", titanic, "-", stdin=Path(TITANIC).read_text())) == told
    assert cells(done("predict", titanic, "--sql", f"FROM '{TITANIC}'")) == told


def test_predict_with_shares_leaf_and_kept_columns(titanic: Path) -> None:
    tree = bough.load(titanic)
    told = cells(done("predict", titanic, TITANIC, "--shares", "--leaf", "--keep", "Name",
                      "--keep", "Age", "--keep", "Name"))  # fmt: skip
    assert told[0] == ["Name", "Age", "Survived", "share of 0", "share of 1", "leaf"]
    table = read(TITANIC)
    assert [row[0] for row in told[1:]] == [row["Name"] for row in table]
    ages = [float(row[1]) if row[1] else None for row in told[1:]]
    assert ages == [float(row["Age"]) if row["Age"] else None for row in table]
    np.testing.assert_array_equal(
        np.array([row[3:5] for row in told[1:]], float), tree.predict_proba(TITANIC)
    )
    np.testing.assert_array_equal([int(row[5]) for row in told[1:]], tree.apply(TITANIC))


def test_kept_columns_keep_their_names_apart(titanic: Path) -> None:
    told = cells(done("predict", titanic, TITANIC, "--keep", "Survived"))
    assert told[0] == ["Survived", "Survived (predicted)"]
    assert {row[0] for row in told[1:]} == {row[1] for row in told[1:]} == {"0", "1"}


def test_notes_name_what_is_not_used(titanic: Path, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "t.csv",
        "Sex,Pclass,Age,SibSp,Fare,Embarked,Parch,shoe\nMale,1,2,0,9,S,0,44\n,1,,0,9,S,0,\n",
    )
    result = done("predict", titanic, path, "--keep", "shoe")
    assert result.err.splitlines() == [
        'note: 1 cell of "Sex" with a level the tree has not seen: "Male"; treated like missing.'
    ]
    assert done("predict", titanic, path).err.endswith(
        'note: The tree does not know and does not use "shoe".\n'
    )


def test_columns_the_tree_ignores_may_be_absent(titanic: Path, tmp_path: Path) -> None:
    tree = bough.load(titanic)
    asked = {tree.schema.names[c] for c in tree.nodes.column.tolist() if c >= 0}
    table = read(TITANIC)
    page = io.StringIO()
    writer = csv.DictWriter(page, sorted(asked), extrasaction="ignore")
    writer.writeheader()
    writer.writerows(table)
    path = write(tmp_path, "t.csv", page.getvalue())
    assert cells(done("predict", titanic, path)) == cells(done("predict", titanic, TITANIC))


def test_no_rows_no_answers(titanic: Path, tmp_path: Path) -> None:
    head = Path(TITANIC).read_text().splitlines()[0]
    assert done("predict", titanic, write(tmp_path, "t.csv", head + "\n")).out == "Survived\n"


@pytest.mark.parametrize(
    ("target", "answers"),
    [
        (["2", "7"], ["2", "7"]),
        (["true", "false"], ["true", "false"]),
        (["TRUE", "FALSE"], ["true", "false"]),
        (["yes", "no, never"], ["yes", "no, never"]),
        (["-1", "1"], ["-1", "1"]),
        (["007", "042"], ["007", "042"]),
    ],
)
def test_answers_look_like_the_target(
    target: list[str], answers: list[str], tmp_path: Path
) -> None:
    page = io.StringIO()
    csv.writer(page).writerows([["a", "y"], *([i, target[i >= 10]] for i in range(20))])
    path, model = write(tmp_path, "t.csv", page.getvalue()), tmp_path / "m.json"
    done("grow", path, "--target", "y", "--out", model)
    told = [row[0] for row in cells(done("predict", model, path))]
    assert told == ["y", *[answers[i >= 10] for i in range(20)]]
    assert "error        0.00%" in done("evaluate", model, path).out


def test_unknown_answers_are_empty_cells(tmp_path: Path) -> None:
    rows = [(c, d, "uvw"[("abc".index(c) + "xyz".index(d)) % 3]) for c in "abc" for d in "xyz"]
    rows = [row for row in rows if row[:2] != ("a", "z")] * 3
    path = write(tmp_path, "t.csv", "c,d,y\n" + "".join(",".join(row) + "\n" for row in rows))
    new = write(tmp_path, "new.csv", "c,d,y\na,z,u\nb,y,w\n")
    model = tmp_path / "m.json"
    grow = ("grow", path, "--target", "y", "--recipe", "id3", "--out", model, "--force")
    done(*grow, "--empty-branch", "unknown", "--zero-gain", "split")
    told = cells(done("predict", model, new, "--shares"))
    assert told[1] == ["", "", "", ""] and told[2][0] == "w"
    judged = done("evaluate", model, new).out
    assert "(unknown)" in judged and "50.00%  (1 of 2 wrong)" in judged
    assert json.loads(done("evaluate", model, new, "--json").out)["error"] == 0.5
    done(*grow, "--empty-branch", "parent", "--zero-gain", "split")
    assert cells(done("predict", model, new))[1][0] in ("u", "v", "w")


def test_numbers_are_predicted_in_full(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,y\n" + "".join(f"{i},{i / 3}\n" for i in range(40)))
    model = tmp_path / "m.json"
    done("grow", path, "--target", "y", "--recipe", "cart", "--prune", "none", "--out", model)
    told = [float(row[0]) for row in cells(done("predict", model, path))[1:]]
    assert told == bough.load(model).predict(path).tolist()


# ---- evaluate ------------------------------------------------------------------------------------


def test_evaluate(titanic: Path) -> None:
    told = done("evaluate", titanic, TITANIC).out
    tree = bough.load(titanic)
    actual = [int(row["Survived"]) for row in read(TITANIC)]
    wrong = int((tree.predict(TITANIC) != actual).sum())
    assert told.startswith(f"891 rows; the tree has {tree.n_leaves} leaves, depth {tree.depth}\n")
    assert f"({wrong} of 891 wrong)" in told
    assert "error of always answering 0" in told
    as_json = json.loads(done("evaluate", titanic, TITANIC, "--json").out)
    assert as_json["error"] == pytest.approx(wrong / 891)
    assert np.sum(as_json["confusion"]) == 891


def test_evaluate_counts_weights(titanic: Path, tmp_path: Path) -> None:
    lines = Path(TITANIC).read_text().splitlines()
    text = "\n".join([lines[0] + ",w", *(line + ",2" for line in lines[1:])])
    path = write(tmp_path, "t.csv", text)
    assert "of 1,782 wrong" in done("evaluate", titanic, path, "--weights", "w").out
    assert "of 891 wrong" in done("evaluate", titanic, path).out


def test_rows_without_an_answer_are_left_out(titanic: Path, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "t.csv",
        "Sex,Pclass,Age,SibSp,Fare,Embarked,Parch,Survived\nmale,1,2,0,9,S,0,\nmale,1,9,0,9,S,0,1",
    )
    result = done("evaluate", titanic, path)
    assert result.out.startswith("1 row; ")
    assert 'note: 1 row has no target "Survived" and is left out.' in result.err


def test_evaluate_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,y\n" + "".join(f"{i},{i // 10 + 0.5}\n" for i in range(40)))
    model = tmp_path / "m.json"
    done("grow", path, "--target", "y", "--out", model)
    told = done("evaluate", model, path).out
    assert "mean squared error   0\n" in told and "R²                   1.0000\n" in told
    assert "always answering 2\n" in told
    same = write(tmp_path, "s.csv", "a,y\n1,3\n2,3\n")
    assert "R²                   –\n" in done("evaluate", model, same).out
    assert json.loads(done("evaluate", model, same, "--json").out)["r2"] is None


def test_hundreds_of_classes_are_not_a_table_of_squares(tmp_path: Path) -> None:
    rows = "".join(f"{i % 300},c{i % 300}\n" for i in range(600)) + "5,c9\n5,c9\n5,c9\n"
    path, model = write(tmp_path, "t.csv", "a,y\n" + rows), tmp_path / "m.json"
    done("grow", path, "--target", "y", "--recipe", "cart", "--prune", "none", "--out", model)
    told = done("evaluate", model, path).out
    assert max(map(len, told.splitlines())) < 100
    assert ["c5", "c9", "2"] in map(str.split, told.splitlines())
    assert np.shape(json.loads(done("evaluate", model, path, "--json").out)["confusion"])[0] == 300


def test_truth_values_are_shown_as_they_are_written(tmp_path: Path) -> None:
    rows: list[Any] = [f"{i},{str(i > 9).lower()}\n" for i in range(20)]
    path, model = write(tmp_path, "t.csv", "a,y\n" + "".join(rows)), tmp_path / "m.json"
    done("grow", path, "--target", "y", "--out", model)
    assert "false" in done("evaluate", model, path).out
    assert "  false  10  50.0%\n" in done("data", path).out
