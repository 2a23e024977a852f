"""Bad input: each message says what was given, what is allowed and what to do."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bough.data.read import read_cells, read_table
from bough.data.table import Table
from bough.errors import BoughError, DataError, OptionError

NOTHING = "there is nothing to learn. Choose another target, or give rows of other values."
"""How the message about a target of one value ends."""


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(BoughError) as caught:
        read()
    assert isinstance(caught.value, DataError | OptionError)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", '"{}" is empty: the first line must name the columns.'),
        ("\n\n", '"{}" is empty: the first line must name the columns.'),
        (gzip.compress(b"", mtime=0), '"{}" is empty: the first line must name the columns.'),
        ("a,y\n", "The table has no rows, only the names of the columns."),
        ("y\n1\n2\n", 'The table has no column besides the target "y".'),
        (
            "a,Y\n1,2\n",
            'There is no column "y" to be the target. Did you mean "Y"? The columns are: "a", "Y".',
        ),
        ("a,y\n1,u\n2,u\n", 'The target "y" has one value, "u": ' + NOTHING),
        ("a,y\n1,7\n2,7\n", 'The target "y" has one value, 7: ' + NOTHING),
        ("a,y\n1,0.5\n2,0.5\n", 'The target "y" has one value, 0.5: ' + NOTHING),
        ("a,y\n1,true\n2,true\n", 'The target "y" has one value, True: ' + NOTHING),
        ("a,y\n1,u\n2,\n", 'The target "y" has one value, "u": ' + NOTHING),
        ("a,y\n1,\n2,\n", 'The target "y" is missing in every row.'),
        ("a,b,a,y\n1,2,3,4\n", '"{}" names two columns alike: "a". Rename one of them.'),
        (
            "a,y\n1,2\n1,2,3\n",
            '"{}", line 3: 3 cells where the header names 2 columns. Look for a missing or extra '
            '"," or quote there.',
        ),
        (
            "a;b;y\n1;2;3\n\n1\n",
            '"{}", line 4: 1 cell where the header names 3 columns. Look for a missing or extra '
            '";" or quote there.',
        ),
        (
            "a,y\n" + "1,2\n" * 40_000 + "1,2,3\n",
            '"{}", line 40002: 3 cells where the header names 2 columns. Look for a missing or '
            'extra "," or quote there.',
        ),
        (
            'a,y\n1,2\n1,"2\n3,4\n',
            '"{}", line 3: a quote (") is opened and not closed, or stands inside a quoted cell. '
            'Inside quotes, write a quote twice ("").',
        ),
        (
            b"a,y\n1,x\ncaf\xe9,y\n",
            '"{}", line 3: the byte 0xe9 is not UTF-8. Save the file as UTF-8 (it may be Latin-1 '
            "or Windows-1252 now).",
        ),
        (
            b"a,y\n" + b"1,x\n" * 40_000 + b"caf\xe9,y\n",
            '"{}", line 40002: the byte 0xe9 is not UTF-8. Save the file as UTF-8 (it may be '
            "Latin-1 or Windows-1252 now).",
        ),
        ("a,y\n1,2\n".encode("utf-16"), '"{}" is UTF-16 text: save it as UTF-8.'),
        (
            b"PK\x03\x04 spreadsheet",
            '"{}" is a zip or spreadsheet file: save it as CSV or Parquet.',
        ),
        (
            gzip.compress(b"a,y\n" * 999, mtime=0)[:30],
            '"{}" cannot be unpacked: Compressed file ended before the end-of-stream marker was '
            "reached.",
        ),
        (
            "a,y\n1,u\ninf,v\n",
            'Column "a" has an infinite number in row 2. Give a finite number or leave the cell '
            "empty (missing).",
        ),
        (
            "a,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(10)),
            'No column is left to learn from. Ignored "a": a different text in every row, so '
            "probably an identifier. To use it all the same, make it a category.",
        ),
    ],
)
def test_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert refusal(lambda: read_table(path, target="y")) == message.replace("{}", str(path), 1)


def test_paths(tmp_path: Path) -> None:
    path = str(tmp_path / "none.csv")
    assert refusal(lambda: read_table(path, target="y")) == f'There is no file "{path}".'
    assert refusal(lambda: read_table(tmp_path, target="y")) == (
        f'"{tmp_path}" is a directory: give a CSV, Parquet or JSON file in it.'
    )
    assert refusal(lambda: read_table("s3://bucket/t.csv", target="y")) == (
        '"s3://bucket/t.csv" is on the network: download it first, bough reads only local files.'
    )
    assert refusal(lambda: read_table(target="y")) == (
        "There is nothing to read: give a path, a table, or a query (sql=)."
    )
    broken = tmp_path / "t.parquet"
    broken.write_bytes(b"PAR1 and then nothing of the kind")
    assert refusal(lambda: read_table(broken, target="y")).startswith(
        f'"{broken}" cannot be read: '
    )


def test_queries(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,2\n")
    both = refusal(lambda: read_table(path, target="y", sql="SELECT 1"))
    assert both.startswith(f'"{path}" is not a DuckDB database, so sql= (--sql) cannot be asked ')
    for sql, message in {
        "COPY (SELECT 1) TO 'x'": "sql= (--sql) must be one SELECT statement; this is: COPY.",
        "SELECT 1; SELECT 2": "sql= (--sql) must be one SELECT statement; this is: SELECT, SELECT.",
        "FROM nowhere": "The query failed: Table with name nowhere does not exist!",
        "SELECT 1 AS a, 2 AS a": (
            'The query gives two columns of one name: "a". Rename one with AS.'
        ),
        "FROM 'http://localhost:1/t.csv'": "The query failed: it asks for the network or for an "
        "extension; bough reads only local files.",
        "FROM df": "The query failed: Table with name df does not exist!",
    }.items():
        df = pd.DataFrame({"a": [1], "y": [2]})  # a query does not reach into Python's variables
        assert refusal(lambda sql=sql: read_table(sql=sql, target="y")) == message
        assert len(df) == 1
    frame = {"a": [1], "y": [2]}
    assert refusal(lambda: read_table(frame, target="y", sql="SELECT 1")) == (
        "sql= reads files or a database file; it cannot query a table in memory."
    )


TABLE = {"a": [1, 2, 3], "c": ["u", "v", "u"], "y": ["p", "q", "p"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, 'Say which column is the target: target="name" (--target name).'),
        (
            {"target": "y", "kinds": {"A": "category"}},
            'kinds (--category, --number) names "A", which is not a column. Did you mean "a"? '
            'The columns are: "a", "c", "y".',
        ),
        (
            {"target": "y", "ordered": {"cc": ["u"]}},
            'ordered (--ordered) names "cc", which is not a column. Did you mean "c"? '
            'The columns are: "a", "c", "y".',
        ),
        (
            {"target": "y", "ignore": ["zzz"]},
            'ignore (--ignore) names "zzz", which is not a column. The columns are: "a", "c", "y".',
        ),
        (
            {"target": "y", "ignore": "a"},
            "ignore='a' is not allowed: give a list of texts, as ['a'].",
        ),
        (
            {"target": "y", "missing_marks": 5},
            "missing_marks=5 is not allowed: give a list of texts, as ['a'].",
        ),
        (
            {"target": "y", "kinds": ["a"]},
            'kinds=[\'a\'] is not allowed: give a dict by column, such as {"zip": "category"}.',
        ),
        (
            {"target": "y", "ordered": 5},
            'ordered=5 is not allowed: give a dict by column, such as {"grade": ["low", "mid", '
            '"high"]}.',
        ),
        ({"target": "y", "ordered": {"c": 5}}, 'ordered must list the levels of "c" once each: 5.'),
        (
            {"target": "y", "kinds": {"a": "categories"}},
            'kinds says "a" is \'categories\'. Did you mean "category"? The kinds are: number, '
            "ordered, category.",
        ),
        (
            {"target": "y", "kinds": {"c": "category"}, "ordered": {"c": ["u", "v"]}},
            '"c" has an order in ordered= but kind "category" in kinds=.',
        ),
        (
            {"target": "y", "kinds": {"c": "number"}},
            'Column "c" must hold numbers, but row 1 has "u". If that means missing, say '
            'missing_marks=["u"] (--missing "u").',
        ),
        (
            {"target": "y", "kinds": {"c": "ordered"}},
            "Column \"c\" is text, so its order must be given: ordered={\"c\": ['u', 'v', …]} "
            "(--ordered c=u,v,…).",
        ),
        (
            {"target": "y", "ordered": {"c": ["u", "w"]}},
            'The order given for "c" lacks "v" (row 2). It lists: "u", "w".',
        ),
        (
            {"target": "y", "ordered": {"c": ["u", "v", "u"]}},
            "ordered must list the levels of \"c\" once each: ['u', 'v', 'u'].",
        ),
        ({"target": "y", "ignore": ["y"]}, '"y" is the target and cannot be ignored.'),
        ({"target": "y", "ignore": ["a", "c"]}, "No column is left to learn from."),
        (
            {"target": "y", "task": "regression"},
            'Regression needs a target of numbers. Column "y" must hold numbers, but row 1 has '
            '"p". If that means missing, say missing_marks=["p"] (--missing "p").',
        ),
        (
            {"target": "y", "task": "regresion"},
            "task='regresion' is not allowed. Did you mean \"regression\"? Choose one of: "
            "classification, regression; or leave it out to have it inferred.",
        ),
        (
            {"target": 3},
            "target=3 is a number: give the name of a column, as text, or one value for every row. "
            'The columns are: "a", "c", "y".',
        ),
        ({"target": [1, 2]}, "2 entries were given as the target, the table has 3 rows."),
        (
            {"target": [1.5, np.inf, 2]},
            'Column "target" has an infinite number in row 2. Give a finite number or leave the '
            "cell empty (missing).",
        ),
        (
            {"target": np.zeros((3, 2))},
            '"target" must be one column, not an array of shape (3, 2).',
        ),
        ({"target": [[1], [2], [3]]}, "The target holds cells of type list."),
        (
            {"target": "y", "weights": "b"},
            'There is no column "b" to hold the weights. The columns are: "a", "c", "y".',
        ),
        ({"target": "y", "weights": "c"}, 'The weights "c" must be numbers, not text.'),
        (
            {"target": "y", "weights": [1, 2]},
            "2 entries were given as the weights, the table has 3 rows.",
        ),
        (
            {"target": "y", "weights": [1, -2, 3]},
            'The weights "weights" are negative in row 2: a weight must be a number from 0 up.',
        ),
        (
            {"target": "y", "weights": [1, 2, None]},
            'The weights "weights" are missing in row 3: a weight must be a number from 0 up.',
        ),
        (
            {"target": "y", "weights": [np.inf, 2, 1]},
            'The weights "weights" are infinite in row 1: a weight must be a number from 0 up.',
        ),
        (
            {"target": "y", "weights": [0, 0, 0]},
            'The weights "weights" are all 0: no row would count.',
        ),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    assert refusal(lambda: read_table(TABLE, **options)) == message


def test_rows_are_numbered_as_in_the_source() -> None:
    columns = {"a": [1.0, 2.0, np.inf], "c": ["1", "x", "y"], "y": [None, "p", "q"]}
    assert "row 3" in refusal(lambda: read_table(columns, target="y"))
    told = refusal(lambda: read_table(columns, target="y", ignore=["a"], kinds={"c": "number"}))
    assert 'row 2 has "x"' in told
    told = refusal(lambda: read_table(columns, target="y", ignore=["a"], ordered={"c": ["x"]}))
    assert 'lacks "y" (row 3)' in told


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.zeros(3), "An array of 1 dimension is not a table: give rows × columns (one column: "
         "X.reshape(-1, 1), one row: X.reshape(1, -1))."),
        (np.zeros((0, 2)), "The table has no rows, only the names of the columns."),
        ([[1, 2], [3]], "A list of rows needs the same number of cells in every row."),
        ([1, 2, 3], "A list of rows needs the same number of cells in every row."),
        ({"a": [1, 2], "b": [1]}, 'The columns have different numbers of cells: "a" has 2, "b" has '
         "1."),
        ({"a": 1}, "A column must be a sequence of cells, not int; one row is written "
         "{'column': [value], …}."),
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]),
            'The table has two columns of one name: "a". Rename one of them.',
        ),
        (
            object(),
            "object is not a table bough can read. Give a path, a DataFrame, an Arrow table, a "
            "dict of columns, or an array of rows.",
        ),
    ],
)  # fmt: skip
def test_tables(source: Any, message: str) -> None:
    assert refusal(lambda: read_table(source, target=[1, 2, 3])) == message


def test_new_rows() -> None:
    schema = read_table(
        {
            "size": [1.5, 2, 3],
            "colour": ["u", "v", "u"],
            "day": np.array(["2020-01-01", "2020-01-02", "NaT"], "M8[D]"),
            "y": ["p", "q", "p"],
        },
        target="y",
    ).schema
    good = {"size": [1, 2], "colour": ["u", "v"], "day": [None, None], "y": ["p", "q"]}

    def told(need_target: bool = False, **change: Any) -> str:
        rows = {name: cells for name, cells in {**good, **change}.items() if cells is not None}
        return refusal(lambda: read_cells(rows, schema, need_target=need_target))

    assert told(size=None, colour=None, Size=[1, 2]) == (
        'The table lacks "size", "colour", which the tree needs. Did you mean "Size"? It has: '
        '"day", "y", "Size".'
    )
    assert told(size=["1", "large"]) == (
        'Column "size" must hold numbers, but row 2 has "large". If that means missing, say '
        'missing_marks=["large"] (--missing "large").'
    )
    assert told(day=[1, 2]) == 'Column "day" holds numbers; the tree was grown from dates.'
    assert told(colour=[[1], [2]]) == (
        'Column "colour" holds cells of type list; the tree was grown from levels such as "u", "v".'
    )
    assert told(need_target=True, y=["p", "r"]) == (
        'The target "y" has the class "r" in row 2, which the tree does not know. It knows: p, q.'
    )
    assert told(need_target=True, y=None).startswith('There is no column "y" to be the target.')
    assert refusal(lambda: read_cells(np.zeros((2, 2)), schema)) == (
        "The array has 2 columns, the tree was grown from 3: give the same columns in the same "
        "order, or a table with names."
    )


def test_rows_without_a_target_are_not_judged_by_their_cells() -> None:
    grown = read_table({"c": ["a", "b", "a"], "n": [1, 2, 3], "y": [0, 1, 0]}, target="y").schema

    def judged(numbers: list[Any]) -> Table:
        cells = {"c": ["z", "b", "a"], "n": numbers, "y": [None, 1, 0]}
        return read_cells(cells, grown, need_target=True)

    assert judged([1, 2, 3]).notes == ('1 row has no target "y" and is left out.',)
    assert refusal(lambda: judged(["1", "2", "x"])).startswith(
        'Column "n" must hold numbers, but row 3 has "x".'
    )
