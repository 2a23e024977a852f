"""`bough data` and `bough grow`: what they read, what they print, what they leave behind."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import duckdb
import numpy as np
import pytest

import bough
from bough import datasets
from bough.recipes import RECIPES
from bough.view.pruning import pruning_lines
from test_cli_commands import done, refused, run, write

TITANIC = str(datasets.path("titanic"))
RESTAURANT = str(datasets.path("restaurant"))

# ---- data ----------------------------------------------------------------------------------------

ODD_TABLE = """id,size,colour,when,flag,grade,empty,same,y
n0,1,red,2020-01-01,true,low,,7,u
n1,2,red,2020-01-02,false,high,,7,v
n2,3,,2020-01-03,true,mid,,7,u
n3,1,blue,2020-01-04,true,low,,7,u
n4,2,blue,2020-01-05,,high,,7,u
n5,4,red,2020-01-06,false,mid,,7,v
n6,5,red,2020-01-07,false,low,,7,v
n7,5,red,2020-01-07,false,low,,7,u
n8,6,red,2020-01-08,false,low,,7,v
n9,7,red,2020-01-09,false,low,,7,v
"""


def test_data_tells_what_it_sees(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", ODD_TABLE)
    told = done("data", path, "--ordered", "grade=low, mid, high").out
    lines = [line.split(maxsplit=4) for line in told.splitlines()]
    assert told.startswith("10 rows, 7 columns besides the target\n")
    assert ["size", "number", "7", "–", "1 … 7"] in lines
    assert ["colour", "category", "2", "1", "(10.0%)  red (7), blue (2)"] in lines
    assert ["when", "number", "9", "–", "2020-01-01 … 2020-01-09"] in lines
    assert ["flag", "category", "2", "1", "(10.0%)  false (6), true (3)"] in lines
    assert ["grade", "ordered", "3", "–", "low (6), mid (2), high (2)"] in lines
    assert "all missing" in told and "one value" in told
    assert 'target "y": 2 classes\n  u  5  50.0%\n  v  5  50.0%\n' in told
    assert "2 rows contradict others: they agree in every column and differ in class" in told
    assert 'note: Ignored "id": a different text in every row' in told


def test_data_breaks_no_level_off(tmp_path: Path) -> None:
    long = [f"a level with a long name, the {place} of them" for place in ("first", "second")]
    rows = "".join(f'"{name}",,{name[-13:-10]}\n' for name in [*long, *long, long[0]] * 2)
    told = done("data", write(tmp_path, "t.csv", "a,b,y\n" + rows)).out.splitlines()
    assert told[3].endswith("  a level with a long …t of them (6), …")
    assert told[4].split() == ["b", "category", "0", "10", "(100.0%)", "all", "missing"]


def test_data_takes_the_last_column_for_the_target(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "y,a\nu,1\nv,2.5\nu,3\n")
    assert 'target "a": a number, 1 … 3, mean 2.16667\n' in done("data", path).out
    assert 'target "y": 2 classes' in done("data", path, "--target", "y").out


def test_data_counts_in_words(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,w,y\n1,0.5,u\n2,2,v\n")
    told = done("data", path, "--weights", "w").out
    assert told.startswith("2 rows, weight 2.5, 1 column besides the target\n")


def test_data_as_json(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", ODD_TABLE)
    told = json.loads(done("data", path, "--json", "--missing", "low,mid").out)
    assert told["n_rows"] == 10 and told["contradictions"] == [2, 1]
    by_name = {column["name"]: column for column in told["columns"]}
    assert by_name["grade"]["n_missing"] == 8
    assert by_name["when"]["low"] == "2020-01-01"
    numbers = json.loads(done("data", path, "--json", "--target", "size").out)
    assert numbers["target_range"] is None or numbers["target_range"][0] == 1


def test_data_with_hundreds_of_classes(tmp_path: Path) -> None:
    rows = "".join(f"{i},c{i % 300}\n" for i in range(600))
    told = done("data", write(tmp_path, "t.csv", "a,y\n" + rows)).out
    assert "… 280 more classes" in told and len(told.splitlines()) < 40


# ---- grow: sources -------------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, list[object]]:
    """The same small table in every form; None in place of standard input."""
    text = Path(RESTAURANT).read_text()
    write(tmp_path, "t.csv.gz", gzip.compress(text.encode()))
    write(tmp_path, "t.tsv", text.replace(",", "\t"))
    write(tmp_path, "t;.csv", text.replace(",", ";"))
    write(tmp_path, "bom.csv", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{RESTAURANT}')")
        connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
        connection.execute(f"COPY t TO '{tmp_path}/t.json'")
    return {
        "csv": [RESTAURANT],
        "standard input": ["-"],
        "gzip": [tmp_path / "t.csv.gz"],
        "tabs": [tmp_path / "t.tsv"],
        "semicolons": [tmp_path / "t;.csv"],
        "byte order mark": [tmp_path / "bom.csv"],
        "parquet": [tmp_path / "t.parquet"],
        "json": [tmp_path / "t.json"],
        "query of files": ["--sql", f"FROM '{tmp_path}/t.parquet'"],
        "query of a database": [tmp_path / "t.duckdb", "--sql", "SELECT * FROM t"],
    }


def test_sources(sources: dict[str, list[object]], tmp_path: Path) -> None:
    flags = ("--target", "WillWait", "--recipe", "id3", "--out", tmp_path / "m.json", "--force")
    trees = []
    for name, source in sources.items():
        stdin = Path(RESTAURANT).read_text() if source == ["-"] else None
        told = done("grow", *source, *flags, stdin=stdin).out
        assert "Pat = Full" in told, name
        trees.append(bough.load(tmp_path / "m.json"))
    shapes = {(tree.n_leaves, tree.depth, tuple(tree.nodes.column.tolist())) for tree in trees}
    assert len(shapes) == 1


# ---- grow: what is printed and kept --------------------------------------------------------------


def test_grow_as_python_does(tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    result = done("grow", TITANIC, "--target", "Survived", "--ordered", "Pclass=1,2,3",
                  "--category", "SibSp", "--ignore", "PassengerId", "--recipe", "c45",
                  "--max-depth", "4", "--min-rows-leaf", "0.02", "--missing", "Q",
                  "--missing-policy", "own", "--runners-up", "--cf", "0.1",
                  "--out", model)  # fmt: skip
    tree = bough.grow(
        TITANIC, "Survived", ordered={"Pclass": ["1", "2", "3"]}, kinds={"SibSp": "category"},
        ignore=["PassengerId"], recipe="c45", max_depth=4, min_rows_leaf=0.02,
        missing_marks=["Q"], missing="own", runners_up=True, prune={"cf": 0.1},
    )  # fmt: skip
    saved = bough.load(model)
    assert saved == tree
    assert saved.options == tree.options and saved.report["notes"] == tree.report["notes"]
    assert saved.runners_up is not None
    told = pruning_lines(tree, 5, None)
    assert tree.n_leaves < tree.report["pruning"]["leaves_before"] and len(told) > 1
    assert result.out == "\n".join([str(tree), "", *told]) + "\n"
    assert result.err.splitlines()[:-1] == [f"note: {note}" for note in tree.report["notes"]]
    assert result.err.splitlines()[-1].startswith(f"wrote {model}: {tree.n_leaves} leaves, ")


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe(recipe: str) -> None:
    assert f"recipe {recipe}\n" in done("grow", RESTAURANT, "--target", "WillWait",
                                        "--recipe", recipe).out  # fmt: skip


def test_quiet_plain_and_none(tmp_path: Path) -> None:
    flags = ("grow", RESTAURANT, "--target", "WillWait")
    assert done(*flags, "--quiet").out == ""
    flags = (*flags, "--prune", "none")
    plain = done(*flags, "--plain", "--min-rows-leaf", "1").out
    assert plain.isascii() and "|- Pat " in plain
    deep = done(*flags, "--max-depth", "none", "--min-rows-leaf", "1").out
    assert deep == done(*flags, "--max-depth", "NONE", "--min-rows-leaf", "1").out
    assert "depth 1 " in done(*flags, "--max-depth", "1").out
    assert "depth 1 " not in deep


def test_pruning_is_told_below_the_tree() -> None:
    flags = ("grow", RESTAURANT, "--target", "WillWait", "--recipe", "chi2")
    result = done(*flags)
    assert result.out.endswith(
        "\n\npruned by chi_square: 8 → 3 leaves; max_p = 0.1\n"
        "cut  node 1 (6 leaves): Pat = Full: p 0.2207 > 0.1\n"
    )
    assert "note: the χ² approximation is doubtful at 4 splits of 4" in result.err
    plain = done(*flags, "--plain").out
    assert plain.isascii() and "8 -> 3 leaves" in plain
    whole = done(*flags, "--max-p", "1").out
    assert "pruned by chi_square: 8 → 8 leaves; max_p = 1" in whole, "who asks is told"
    assert "pruned" not in done(*flags, "--prune", "none").out


def test_five_of_the_nodes_that_were_cut_are_told() -> None:
    told = done("grow", TITANIC, "--target", "Survived", "--recipe", "c45").out
    lines = told.split("\n\n")[-1].splitlines()
    assert len([line for line in lines if line.startswith("cut  node ")]) == 5
    assert re.fullmatch(r"… and \d+ more; the report of the model lists them", lines[-1])


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--prune", "chisquare"), 'Did you mean "chi_square"'),
        (("--prune", "chi_square", "--cf", "0.1"), "It belongs to pessimistic"),
        (("--prune", "none", "--cf", "0.1"), "cf says nothing where nothing is pruned"),
        (("--recipe", "id3", "--cf", "0.1"), "cf says nothing without a pruning method"),
        (("--prune", "pessimistic", "--cf", "much"), "cf='much' is not a number"),
        (("--prune", "chi_square", "--max-p", "2"), "max_p=2 is out of range"),
        (("--holdout", "0.3", "--folds", "4"), "rows are held out in one way"),
    ],
)
def test_slips_of_pruning_are_told_before_the_work(flags: tuple[str, ...], words: str) -> None:
    assert words in refused(2, "grow", "no such file.csv", "--target", "y", *flags)


def test_model_to_standard_output(tmp_path: Path) -> None:
    flags = ("grow", RESTAURANT, "--target", "WillWait", "--recipe", "cart", "--prune", "none")
    result = done(*flags, "--out", "-")
    done(*flags, "--out", tmp_path / "m.json")
    model = write(tmp_path, "n.json", result.out)
    assert bough.load(model) == bough.load(tmp_path / "m.json")


def test_one_leaf_is_explained(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,y\n1,u\n2,v\n3,v\n")
    assert done("grow", path, "--target", "y").err == (
        "note: the recipe default prunes by cost_complexity with 10 folds; with 3 rows it is 3\n"
        "note: no question that parts the rows was found within --max-leaves 32, --min-rows-leaf "
        "5; the tree is one leaf\n"
    )
    assert "one leaf" not in done("grow", path, "--target", "y", "--min-rows-leaf", "1").err
    empty = write(tmp_path, "t.csv", "a,y\n,u\n,v\n")
    assert "no question that parts the rows was found; the tree is one leaf" in done(
        "grow", empty, "--target", "y", "--recipe", "cart", "--prune", "none"
    ).err  # fmt: skip


def test_a_tree_pruned_to_one_leaf_is_not_said_to_lack_a_question() -> None:
    table = datasets.path("restaurant"), "--target", "WillWait", "--recipe", "chi2"
    told = done("grow", *table, "--max-p", 0.01, "--quiet").err
    assert "note: 8 leaves were grown, and chi_square cut them back to one; --prune none" in told
    assert "no question" not in told
    assert "cut them back" not in done("grow", *table, "--prune", "none", "--quiet").err


def test_weights_count(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,w,y\n1,3,u\n1,1,v\n2,1,u\n2,5,v\n")
    told = done("grow", path, "--target", "y", "--weights", "w", "--min-rows-leaf", "1").out
    assert "weight 10" in told
    kept = done("grow", path, "--target", "y", "--weights", "w", "--ignore", "w",
                "--min-rows-leaf", "1").out  # fmt: skip
    assert kept == told, "the weights are no column to ask about, so ignoring them changes nothing"


def test_huge_limits_are_no_limits() -> None:
    flags = ("grow", RESTAURANT, "--target", "WillWait", "--recipe", "cart", "--prune", "none")
    free = done(*flags).out
    huge = str(10**30)
    assert done(*flags, "--max-depth", huge, "--max-leaves", huge, "--threads", huge).out == free
    assert "1 leaf" in done(*flags, "--min-rows-leaf", huge).out


def test_levels_and_marks_may_hold_commas(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", 'g,y\n"a,b",u\nc,v\n"a,b",u\nd,v\n')
    told = done(
        "grow",
        path,
        "--target",
        "y",
        "--ordered",
        'g="a,b", c ,d',
        "--recipe",
        "cart",
        "--prune",
        "none",
    ).out
    assert "g ≤ a,b" in told
    told = done("data", path, "--target", "y", "--missing", '"a,b",?').out
    assert "2 (50.0%)" in told


def test_a_table_as_wide_as_it_is_long(tmp_path: Path) -> None:
    names = [f"x{i}" for i in range(2000)]
    rows = np.random.default_rng(0).integers(0, 9, (30, 2000)).tolist()
    text = ",".join([*names, "y"]) + "\n"
    text += "".join(",".join(map(str, [*row, "uv"[row[7] > 4]])) + "\n" for row in rows)
    told = done("grow", write(tmp_path, "t.csv", text), "--target", "y").out
    assert "x7 ≤ " in told


def test_flags_may_hold_an_equals_sign_or_a_dash(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,-y\n1,u\n2,v\n")
    assert done("grow", path, "--target=-y").out == done("grow", path, "--target", "-y").out


def test_a_command_can_be_run_twice() -> None:
    flags = ("grow", RESTAURANT, "--target", "WillWait")
    assert run(*flags) == run(*flags)
