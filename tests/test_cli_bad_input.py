"""Bad input: a message that helps, the right exit code, and no file touched."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import trees
from bough import datasets
from test_cli_commands import done, refused, run, write

GOOD = "size,colour,when,y\n1,red,a,u\n2,blue,b,v\n3,red,a,u\n4,blue,b,v\n"
"""A small table; `y` is the target."""

# ---- tables: exit code 1, the data is at fault ---------------------------------------------------

TABLES: dict[str, tuple[str | bytes, str]] = {
    "empty file": ("", '"t.csv" is empty: the first line must name the columns.'),
    "blank lines": ("\n\n\n", '"t.csv" is empty: the first line must name the columns.'),
    "empty gzip": (gzip.compress(b""), '"t.csv" is empty: the first line must name the columns.'),
    "header only": ("a,y\n", "The table has no rows, only the names of the columns."),
    "one column": ("y\nu\nv\n", 'The table has no column besides the target "y".'),
    "other columns": ("a,Y\n1,u\n2,v\n", 'There is no column "y" to be the target. Did you mean'),
    "constant target": ("a,y\n1,u\n2,u\n", 'The target "y" has one value, "u"'),
    "no target at all": ("a,y\n1,\n2,\n", 'The target "y" is missing in every row.'),
    "one row": ("a,y\n1,u\n", 'The target "y" has one value, "u"'),
    "names twice": ("a,a,y\n1,2,u\n", '"t.csv" names two columns alike: "a". Rename one of them.'),
    "ragged": ("a,y\n1,u\n2,v,3\n", '"t.csv", line 3: 3 cells where the header names 2 columns.'),
    "short line": ("a,b,y\n1,2,u\n3\n", '"t.csv", line 3: 1 cell where the header names 3'),
    "open quote": ('a,y\n1,u\n"2,v\n', '"t.csv", line 3: a quote (") is opened and not closed'),
    "latin-1": (b"a,y\n1,u\n\xe9,v\n", '"t.csv", line 3: the byte 0xe9 is not UTF-8.'),
    "utf-16": (GOOD.encode("utf-16"), '"t.csv" is UTF-16 text: save it as UTF-8.'),
    "spreadsheet": (b"PK\x03\x04 and so on", '"t.csv" is a zip or spreadsheet file'),
    "damaged gzip": (gzip.compress(GOOD.encode() * 99)[:40], '"t.csv" cannot be unpacked'),
    "infinite": ("a,y\n1,u\ninf,v\n", 'Column "a" has an infinite number in row 2.'),
    "infinite first": ("a,y\ninf,u\n2,v\n", 'Column "a" has an infinite number in row 1.'),
    "infinity": ("a,y\n1,u\n-Infinity,v\n", 'Column "a" has an infinite number in row 2.'),
    "identifier only": (
        "a,y\n" + "".join(f"n{i},{'uv'[i % 2]}\n" for i in range(12)),
        'No column is left to learn from. Ignored "a": a different text in every row',
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, message = TABLES[case]
    write(tmp_path, "t.csv", content)
    told = refused(1, "grow", "t.csv", "--target", "y", "--out", "m.json")
    assert told.startswith(message)
    assert not Path("m.json").exists()


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good table, good.csv."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "good.csv", GOOD)
    return tmp_path


@pytest.mark.parametrize("command", [("grow", "--target", "y"), ("data",)])
def test_no_such_table(good: Path, command: tuple[str, ...]) -> None:
    assert refused(1, *command, "god.csv") == (
        'There is no file "god.csv". Did you mean "good.csv"?'
    )
    assert refused(1, *command, "no/good.csv") == (
        'There is no file "no/good.csv", and no folder "no".'
    )
    assert refused(1, *command, good).startswith(f'"{good}" is a directory: give a CSV')
    assert refused(1, *command, "https://example.org/t.csv").startswith(
        '"https://example.org/t.csv" is on the network: download it first'
    )
    empty = refused(1, *command, "-", stdin="")
    assert empty == '"standard input" is empty: the first line must name the columns.'


@pytest.mark.parametrize("command", ["grow", "data"])
def test_no_table_given(command: str) -> None:
    assert refused(2, command) == "Give a data file, - for standard input, or --sql."


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Y", 'There is no column "Y" to be the target. Did you mean "y"? The columns are: "size"'),
        ("colur", 'There is no column "colur" to be the target. Did you mean "colour"?'),
        ("", 'There is no column "" to be the target. The columns are: '),
    ],
)
def test_target_that_is_not_there(good: Path, target: str, message: str) -> None:
    assert refused(1, "grow", "good.csv", "--target", target).startswith(message)


def test_no_target_given(good: Path) -> None:
    assert refused(2, "grow", "good.csv") == (
        "Say which column to predict: --target COLUMN. `bough data` lists the columns of a table."
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("1,-3", 'The weights "w" are negative in row 2: a weight must be a number from 0 up.'),
        ("1,nan", 'The weights "w" are missing in row 2: a weight must be a number from 0 up.'),
        ("1,", 'The weights "w" are missing in row 2: a weight must be a number from 0 up.'),
        ("0,0", 'The weights "w" are all 0: no row would count.'),
        ("1,many", 'The weights "w" must be numbers, not text.'),
    ],
)
def test_weights(tmp_path: Path, weights: str, message: str) -> None:
    first, second = weights.split(",")
    path = write(tmp_path, "t.csv", f"a,w,y\n1,{first},u\n2,{second},v\n")
    assert refused(1, "grow", path, "--target", "y", "--weights", "w") == message
    assert refused(1, "data", path, "--target", "y", "--weights", "w") == message


def test_weights_that_are_no_column(good: Path) -> None:
    assert refused(1, "grow", "good.csv", "--target", "y", "--weights", "Size").startswith(
        'There is no column "Size" to hold the weights. Did you mean "size"?'
    )


# ---- flags ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--category", "--number", "--ignore", "--ordered"])
@pytest.mark.parametrize("command", ["grow", "data"])
def test_columns_that_are_not_there(good: Path, command: str, flag: str) -> None:
    given = "Size=1,2,3,4" if flag == "--ordered" else "Size"
    told = refused(1, command, "good.csv", "--target", "y", flag, given)
    assert flag in told, "in the words of the one who typed it"
    assert '"Size", which is not a column. Did you mean "size"?' in told


@pytest.mark.parametrize(
    ("code", "flags", "message"),
    [
        (1, ["--number", "colour"], 'Column "colour" must hold numbers, but row 1 has "red".'),
        (1, ["--ordered", "colour=red,green"], 'The order given for "colour" lacks "blue" (row 2)'),
        (1, ["--ordered", "colour=red,blue,red"], 'ordered must list the levels of "colour" once'),
        (2, ["--ordered", "colour"], "--ordered colour: give the levels from low to high, as in"),
        (2, ["--ordered", "colour="], "--ordered colour=: give the levels from low to high"),
        (2, ["--ordered", "=red,blue"], "--ordered =red,blue: give the levels from low to high"),
        (2, ["--number", "size", "--category", "size"], '"size" is given more than one kind'),
        (2, ["--ordered", "when=a,b", "--category", "when"], '"when" is given more than one kind'),
        (2, ["--ordered", "when=a,b", "--ordered", "when=b,a"], '"when" is given more than one ki'),
        (1, ["--ignore", "y"], '"y" is the target and cannot be ignored.'),
        (1, ["--ignore", "size", "--ignore", "colour", "--ignore", "when"], "No column is left"),
        (1, ["--weights", "y"], '"y" is the target and cannot be the weights, too.'),
        (1, ["--category", "y"], '"y" is the target: say what it is with'),
        (1, ["--task", "regression"], "Regression needs a target of numbers."),
        (2, ["--task", "regresion"], "Invalid value for '--task': 'regresion' is not allowed. "
         'Did you mean "regression"? Choose one of: classification, regression.'),
        (2, ["--recipe", "c4.5"], 'There is no recipe "c4.5". Did you mean "c45"?'),
        (2, ["--criterion", "ginni"], "Invalid value for '--criterion': 'ginni' is not allowed. "
         'Did you mean "gini"? Choose one of: auto, entropy, '),
        (2, ["--criterion", "squared_error"], 'criterion="squared_error" does not fit classificat'),
        (2, ["--criterion", "twoing", "--categories", "branches"], 'criterion="twoing" compares'),
        (2, ["--stop-error", "0.5"], "stop_error=0.5 is for regression"),
        (2, ["--max-depth", "-1"], "Invalid value for '--max-depth': '-1' is out of range. "
         "Allowed: a whole number from 0 up, or none for no limit."),
        (2, ["--max-depth", "2.5"], "Invalid value for '--max-depth': '2.5' is out of range."),
        (2, ["--max-depth", "nan"], "Invalid value for '--max-depth': 'nan' is not a number."),
        (2, ["--max-depth", "deep"], "Invalid value for '--max-depth': 'deep' is not a number. "
         "Allowed: a whole number from 0 up, or none for no limit."),
        (2, ["--max-leaves", "0"], "Invalid value for '--max-leaves': '0' is out of range."),
        (2, ["--min-rows-split", "1"], "Invalid value for '--min-rows-split': '1' is out of range"),
        (2, ["--min-rows-leaf", "0"], "Invalid value for '--min-rows-leaf': '0' is out of range."),
        (2, ["--min-rows-leaf", "none"], "Invalid value for '--min-rows-leaf': 'none' is not a nu"),
        (2, ["--min-rows-leaf", "1.5"], "Invalid value for '--min-rows-leaf': '1.5' is out of ran"),
        (2, ["--min-gain", "-1"], "Invalid value for '--min-gain': '-1' is out of range."),
        (2, ["--min-gain", "inf"], "Invalid value for '--min-gain': 'inf' is out of range."),
        (2, ["--threads", "0"], "Invalid value for '--threads': '0' is out of range."),
        (2, ["--max-dept", "3"], "No such option"),
        (2, ["other.csv"], "Got unexpected extra argument"),
    ],
)  # fmt: skip
def test_flags(good: Path, code: int, flags: list[str], message: str) -> None:
    told = refused(code, "grow", "good.csv", "--target", "y", "--out", "m.json", *flags)
    assert told.startswith(message)
    assert [path.name for path in good.iterdir()] == ["good.csv"]


def test_recipe_and_criterion_of_another_task(good: Path) -> None:
    numbers = ("grow", "good.csv", "--target", "size", "--task", "regression")
    assert refused(2, *numbers, "--recipe", "id3").startswith(
        'The recipe "id3" does not grow regression trees. These do: '
    )
    assert refused(2, *numbers, "--criterion", "gini") == (
        'criterion="gini" does not fit regression. Criteria for regression: squared_error.'
    )


def test_flags_are_checked_before_the_table_is_read() -> None:
    for flags in (["--recipe", "c4.5"], ["--max-depth", "x"], ["--out", "no folder/m.json"]):
        result = run("grow", "no-such.csv", "--target", "y", *flags)
        assert "no-such.csv" not in result.err and result.code in (1, 2)


def test_queries(good: Path) -> None:
    assert refused(1, "grow", "--target", "y", "--sql", "DROP TABLE x").startswith(
        "sql= (--sql) must be one SELECT statement; this is: DROP."
    )
    assert refused(1, "grow", "--target", "y", "--sql", "FROM nowhere").startswith(
        "The query failed: "
    )
    assert refused(1, "grow", "good.csv", "--target", "y", "--sql", "SELECT 1").startswith(
        '"good.csv" is not a DuckDB database'
    )


# ---- model files ---------------------------------------------------------------------------------

MODEL_COMMANDS = [("show", "m.json"), ("predict", "m.json", "good.csv"),
                  ("evaluate", "m.json", "good.csv")]  # fmt: skip


@pytest.fixture
def model(good: Path) -> bytes:
    """A good model file, m.json, of the good table."""
    done("grow", "good.csv", "--target", "y", "--recipe", "cart", "--out", "m.json", "--quiet")
    return Path("m.json").read_bytes()


@pytest.mark.parametrize("command", MODEL_COMMANDS, ids=lambda command: command[0])
def test_model_files(good: Path, model: bytes, command: tuple[str, ...]) -> None:
    told = json.loads(model)
    newer = {**told, "version": 99}
    nodes = told["nodes"]
    bad_index = [{**nodes[0], "children": [1, 999]}, *nodes[1:]]
    for content, message in {
        model[: len(model) // 2]: "it is cut off",
        b"": "the file is empty",
        b"not JSON": "it is not valid JSON",
        b"{}": "it is not a bough tree",
        b"\xff\xfe": "",
        json.dumps(newer).encode(): "it was written by a newer bough (format version 99)",
        json.dumps({**told, "nodes": bad_index}).encode(): "",
        json.dumps({**told, "nodes": []}).encode(): "",
    }.items():
        write(good, "m.json", content)
        assert refused(1, *command).startswith(f'Cannot load "m.json": {message}'), content[:50]
    Path("m.json").unlink()
    assert refused(1, *command).startswith('There is no file "m.json".')
    Path("m.json").mkdir()
    assert refused(1, *command).startswith('"m.json" is not a file.')


def test_a_chain_as_deep_as_it_is_long(tmp_path: Path) -> None:
    tree = trees.chain(200_001)
    tree.save(tmp_path / "m.json")
    table = write(tmp_path, "t.csv", "x0,x1,x2,x3\n0,0,0,0\n,,,\n9,9,9,9\n")
    assert "depth 100,000" in done("show", tmp_path / "m.json").out
    assert len(done("predict", tmp_path / "m.json", table, "--leaf").out.splitlines()) == 4


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_new_rows(good: Path, model: bytes, command: str) -> None:
    def told(text: str) -> str:
        return refused(1, command, "m.json", write(good, "new.csv", text))

    asked = json.loads(model)["nodes"][0]["split"]["column"]
    assert told("Size,Colour,When,y\n1,red,a,u\n").startswith(f'The table lacks "{asked}"')
    assert f'Did you mean "{asked.title()}"?' in told(f"{asked.title()},y\n1,u\n")
    assert told("").endswith("is empty: the first line must name the columns.")
    assert told("size,colour,when,y\n1\n").startswith(f'"{good / "new.csv"}", line 2: 1 cell')
    assert refused(1, command, "m.json", "xyz.csv") == 'There is no file "xyz.csv".'
    assert refused(2, command, "m.json") == "Give a data file, - for standard input, or --sql."


def test_texts_where_numbers_were(good: Path) -> None:
    done("grow", "good.csv", "--target", "y", "--ignore", "colour", "--ignore", "when",
         "--recipe", "cart", "--out", "m.json")  # fmt: skip
    write(good, "new.csv", "size\n1\nlarge\n")
    assert refused(1, "predict", "m.json", "new.csv").startswith(
        'Column "size" must hold numbers, but row 2 has "large". If that means missing, say'
    )
    assert done("predict", "m.json", "new.csv", "--missing", "large").out.startswith("y\nu\n")


def test_evaluate_needs_answers_it_knows(good: Path, model: bytes) -> None:
    def told(text: str) -> str:
        return refused(1, "evaluate", "m.json", write(good, "new.csv", text))

    assert told("size,colour,when\n1,red,a\n").startswith('There is no column "y" to be the target')
    assert told("size,colour,when,y\n1,red,a,\n") == 'The target "y" is missing in every row.'
    assert told("size,colour,when,y\n1,red,a,u\n1,red,a,w\n").startswith(
        'The target "y" has the class "w" in row 2, which the tree does not know. It knows: u, v.'
    )
    assert told("size,colour,when,y\n") == "The table has no rows, only the names of the columns."
    weighted = write(good, "new.csv", "size,colour,when,y,w\n1,red,a,u,-1\n")
    assert refused(1, "evaluate", "m.json", weighted, "--weights", "w").startswith(
        'The weights "w" are negative in row 1'
    )


def test_keep_of_no_column(good: Path, model: bytes) -> None:
    assert refused(1, "predict", "m.json", "good.csv", "--keep", "colur").startswith(
        'There is no column "colur" to keep. Did you mean "colour"? The columns are: '
    )


def test_shares_of_a_number(good: Path) -> None:
    done("grow", "good.csv", "--target", "size", "--task", "regression", "--out", "m.json")
    assert refused(2, "predict", "m.json", "good.csv", "--shares") == (
        "--shares is for classes; this tree predicts a number."
    )


# ---- files to write ------------------------------------------------------------------------------


def _writers(out: object) -> list[list[object]]:
    return [
        ["grow", "good.csv", "--target", "y", "--out", out],
        ["predict", "m.json", "good.csv", "--out", out],
    ]


def test_places_that_cannot_be_written(good: Path, model: bytes) -> None:
    for command in _writers("none/x"):
        assert refused(1, *command).startswith('Cannot write "none/x": there is no folder')
    for command in _writers(good):
        assert refused(1, *command, "--force").startswith(f'Cannot write "{good}": it is a folder.')
    for command in _writers("good.csv/x"):
        assert refused(1, *command).startswith('Cannot write "good.csv/x"')
    for command in _writers(""):
        assert refused(1, *command).startswith("Cannot write ")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_folders_without_permission(good: Path, model: bytes) -> None:
    (good / "closed").mkdir(mode=0o500)
    for command in _writers("closed/x"):
        assert "permission denied" in refused(1, *command)


def test_files_already_there(good: Path, model: bytes) -> None:
    write(good, "there", "precious")
    for command in _writers("there"):
        assert refused(1, *command) == (
            '"there" is already there. Choose another name, or allow replacing it (force=True, on '
            "the command line --force)."
        )
        assert Path("there").read_text() == "precious"
    for command in _writers("there"):
        done(*command, "--force")
        assert Path("there").read_text() != "precious"
        write(good, "there", "precious")


def test_a_failed_command_leaves_what_was_there(good: Path, model: bytes) -> None:
    write(good, "there", "precious")
    write(good, "bad.csv", "size,colour,when,y\n1,red,a,u\n2,blue\n")
    for command in (
        ["grow", "bad.csv", "--target", "y"],
        ["grow", "good.csv", "--target", "none"],
        ["grow", "good.csv", "--target", "y", "--criterion", "squared_error"],
        ["predict", "m.json", "bad.csv"],
        ["predict", "m.json", "good.csv", "--keep", "none"],
    ):
        before = sorted(good.iterdir())
        assert run(*command, "--out", "there", "--force").code in (1, 2)
        assert Path("there").read_text() == "precious"
        assert sorted(good.iterdir()) == before, "no temporary file is left"


def test_a_model_is_not_a_table(good: Path, model: bytes) -> None:
    """The two arguments the wrong way round."""
    assert refused(1, "predict", "good.csv", "m.json").startswith('Cannot load "good.csv": ')
    titanic = datasets.path("titanic")
    assert refused(1, "show", titanic).startswith(f'Cannot load "{titanic}": ')
