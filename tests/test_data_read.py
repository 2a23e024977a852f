"""Every source gives the same Table: files, queries, frames of all libraries, arrays."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bough.data.contradictions import contradictions
from bough.data.describe import describe
from bough.data.read import read_cells, read_cells_and, read_table
from bough.data.table import Table
from bough.errors import DataError

NAN = float("nan")
CSV = "size,colour,wet,day,y\n1.5,red,true,2020-01-01,no\n,blue,false,,yes\n3,,true,2020-01-03,no\n"


def file(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def same(left: Table, right: Table) -> None:
    assert left.schema == right.schema
    for a, b in zip(left.cells, right.cells, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(left.target, right.target)


def check(table: Table, day_form: str = "date") -> None:
    """The table of CSV, from wherever it came."""
    size, colour, wet, day = table.schema.columns
    assert (size.kind, size.form) == ("number", "float")
    assert (colour.kind, colour.form, colour.levels) == ("category", "text", ("blue", "red"))
    assert (wet.kind, wet.form, wet.levels) == ("category", "bool", ("false", "true"))
    assert (day.kind, day.form) == ("number", day_form)
    assert table.schema.target.classes == ("no", "yes")
    np.testing.assert_array_equal(table.cells[0], [1.5, NAN, 3])
    assert table.cells[1].tolist() == [1, 0, -1] and table.cells[1].dtype == np.int32
    assert table.cells[2].tolist() == [1, 0, 1]
    days = np.array([18262, NAN, 18264]) * (86400 if day_form == "datetime" else 1)
    np.testing.assert_array_equal(table.cells[3], days)
    assert table.target is not None and table.target.tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", ["t.csv", "t", "we'ird [1]*?.csv", "höhe.csv", "year=2020.csv"])
def test_csv(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("bough.data.csvfile._second_try")  # such files are read at once
    file(tmp_path, "other,file\n1,2\n", "we'ird 1x.csv")  # what a pattern would also match
    check(read_table(file(tmp_path, CSV, name), target="y"))


@pytest.mark.parametrize(
    "text",
    [
        CSV.replace(",", ";"),
        CSV.replace(",", "\t"),
        CSV.replace(",", "|"),
        "\ufeff" + CSV,
        CSV.replace("\n", "\r\n"),
        CSV.replace("\n", "\r\n", 2),  # both line ends in one file
        CSV.replace("red", '"red"').replace("size", '"size"'),
        "\n\n" + CSV,
        CSV.rstrip("\n"),
        CSV.replace("true", "TRUE").replace("false", "False"),
        CSV.replace("no\n", "no,\n").replace("yes\n", "yes,\n"),
    ],
)
def test_csv_dialects(tmp_path: Path, text: str) -> None:
    check(read_table(file(tmp_path, text), target="y"))


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    text = CSV.replace(",", ";").replace(".", ",")
    path = file(tmp_path, text)
    check(read_table(path, target="y"))
    same(
        read_table(path, target="y"),
        read_cells(path, read_table(path, target="y").schema, need_target=True),
    )
    mixed = read_table(file(tmp_path, "a;b;y\n1,5;1,2;1\n2;x;2\n"), target="y")
    assert [column.kind for column in mixed.schema.columns] == ["number", "category"]


def test_gzip_whatever_its_name(tmp_path: Path) -> None:
    for name in ("t.csv.gz", "t.csv"):
        check(read_table(file(tmp_path, gzip.compress(CSV.encode()), name), target="y"))


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    check(read_table("-", target="y"))


def test_parquet_json_and_queries(tmp_path: Path) -> None:
    csv = file(tmp_path, CSV)
    query = f"SELECT * FROM read_csv('{csv}', types={{'y': 'VARCHAR'}})"
    check(read_table(sql=query, target="y"))
    for name in ("t.parquet", "t [x].parquet", "t.json"):
        duckdb.sql(f"COPY ({query}) TO '{tmp_path / name}'")
        check(read_table(tmp_path / name, target="y"))
    database = tmp_path / "t.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE t AS {query}")
    check(read_table(database, sql="FROM t", target="y"))


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "size": [1.5, None, 3],
            "colour": ["red", "blue", None],
            "wet": [True, False, True],
            "day": pd.to_datetime(["2020-01-01", None, "2020-01-03"]),
            "y": ["no", "yes", "no"],
        }
    )


def test_frames_of_all_libraries() -> None:
    check(read_table(frame(), target="y"), "datetime")
    check(read_table(nw.from_native(frame()), target="y"), "datetime")
    check(read_table(frame().convert_dtypes(), target="y"), "datetime")
    check(read_table(frame().convert_dtypes(dtype_backend="pyarrow"), target="y"), "datetime")
    check(read_table(frame().astype(object), target="y"), "datetime")
    polars = pl.from_pandas(frame())
    check(read_table(polars, target="y"), "datetime")
    check(read_table(polars.lazy(), target="y"), "datetime")
    check(read_table(nw.from_native(polars), target="y"), "datetime")
    check(read_table(polars.to_arrow(), target="y"), "datetime")
    check(read_table(pa.Table.from_pandas(frame()).to_reader(), target="y"), "datetime")
    check(read_table(duckdb.from_arrow(polars.to_arrow()), target="y"), "datetime")


def test_dicts_and_lists() -> None:
    columns = {name: list(frame()[name].astype(object)) for name in frame()}
    check(read_table(columns, target="y"), "datetime")
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    check(read_table(rows, target="y"), "datetime")
    plain = [list(row.values())[:4] for row in rows]
    table = read_table(plain, target=columns["y"], names=["size", "colour", "wet", "day"])
    check(table, "datetime")


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_float_arrays_are_views(kind: str, order: str) -> None:
    X = np.asarray([[1, 2], [np.nan, 4], [5, 6]], kind, order)
    table = read_table(X, target=[1.5, 2.5, 3.5])
    assert table.schema.names == ("x0", "x1") and table.schema.target.task == "regression"
    for i, cells in enumerate(table.cells):
        assert np.shares_memory(cells, X) and cells.dtype == kind
        np.testing.assert_array_equal(cells, X[:, i])
    for i, cells in enumerate(read_cells(X, table.schema).cells):
        assert np.shares_memory(cells, X)
        np.testing.assert_array_equal(cells, X[:, i])


def test_float_columns_of_frames_are_views() -> None:
    pandas = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "y": [0, 1]})
    cells = read_table(pandas, target="y").cells
    assert np.shares_memory(cells[0], pandas["a"].to_numpy())
    polars = pl.DataFrame({"a": [1.0, 2.0], "y": [0, 1]})
    cells = read_table(polars, target="y").cells
    assert np.shares_memory(cells[0], polars["a"].to_numpy())


def test_arrays_of_other_types() -> None:
    whole = read_table(np.array([[1, 2], [3, 4]]), target=[0, 1])
    assert [c.form for c in whole.schema.columns] == ["int", "int"]
    assert [c.tolist() for c in whole.cells] == [[1, 3], [2, 4]]
    mixed = read_table(np.array([[1, "a"], [None, "b"]], object), target=["p", "q"])
    assert [c.kind for c in mixed.schema.columns] == ["number", "category"]
    text = read_table(np.array([["b"], ["a"], ["b"]]), target=[1, 0, 1])
    assert text.schema.columns[0].levels == ("a", "b") and text.cells[0].tolist() == [1, 0, 1]
    truth = read_table(np.array([[True], [False]]), target=[1, 0])
    assert truth.schema.columns[0].form == "bool"
    half = read_table(np.array([[1.5], [2.5]], np.float16), target=[1, 0])
    assert half.cells[0].tolist() == [1.5, 2.5]
    days = read_table({"d": np.array(["1970-01-03", "NaT"], "M8[D]")}, target=[1, 0])
    assert days.schema.columns[0].form == "date" and days.cells[0][0] == 2


def test_a_name_for_the_target_given_as_an_array() -> None:
    X = {"target": [1, 2], "y": [3, 4]}
    assert read_table(X, target=pd.Series([1.5, 2.5], name="price")).schema.target.name == "price"
    assert read_table(X, target=[1, 2]).schema.target.name == "target_"
    assert read_table(np.eye(2), target=np.array([[1], [2]])).schema.target.classes == (1, 2)


def test_rows_without_a_target_are_left_out(tmp_path: Path) -> None:
    path = file(tmp_path, "a,b,w,y\n1,u,1,p\n2,v,2,\n3,u,3,q\n4,w,4,\n")
    table = read_table(path, target="y", weights="w")
    assert table.cells[0].tolist() == [1, 3] and table.cells[1].tolist() == [0, 0]
    assert table.schema.columns[1].levels == ("u",)  # v and w went with their rows
    assert table.weights is not None and table.weights.tolist() == [1, 3]
    assert table.notes[0] == '2 rows have no target "y" and are left out.'


def test_the_last_column_as_target() -> None:
    table = read_table({"a": [1, 2], "b": ["p", "q"]}, last_is_target=True)
    assert table.schema.target.name == "b" and table.schema.names == ("a",)


def test_types_that_change_after_the_first_rows(tmp_path: Path) -> None:
    lines = "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(30_000))
    path = file(tmp_path, "a,b,y\n" + lines + "x,1.5,1\n")
    a, b = read_table(path, target="y").schema.columns
    assert (a.kind, b.kind, b.form) == ("category", "number", "float")
    assert a.levels == ("0", "1", "2", "3", "4", "5", "6", "x")


def test_cells_are_taken_as_they_are_written(tmp_path: Path) -> None:
    text = 'zip,note,t,y\n02139,"a, ""b""\nc",NA,1\n10001, d ,None,2\n02139,#x,null,3\n'
    table = read_table(file(tmp_path, text), target="y")
    zips, note, marks = table.schema.columns
    assert zips.levels == ("02139", "10001")
    assert note.levels == (" d ", "#x", 'a, "b"\nc')
    assert marks.levels == ("NA", "None", "null")


# ---- read_cells ----------------------------------------------------------------------------------


@pytest.fixture
def grown(tmp_path: Path) -> Table:
    text = "n,c,k,b,d,y\n1,u,1,true,2020-01-01,p\n2,v,2,false,2020-01-02,q\n"
    return read_table(file(tmp_path, text, "g.csv"), target="y", kinds={"k": "category"})


def test_the_same_cells_again(tmp_path: Path) -> None:
    path = file(tmp_path, CSV)
    table = read_table(path, target="y")
    same(table, read_cells(path, table.schema, need_target=True))
    from_pandas = read_cells(frame(), table.schema, need_target=True)  # moments become days
    same(table, from_pandas)
    assert from_pandas.notes == ()


def test_columns_are_matched_by_name(tmp_path: Path, grown: Table) -> None:
    text = "extra,d,b,k,c,n\n9,2020-01-02,TRUE,1.0,v,7\n9,,,,,\n"
    cells = read_cells(file(tmp_path, text), grown.schema)
    assert [column[0] for column in cells.cells] == [7, 1, 0, 1, 18263]
    assert np.isnan(cells.cells[0][1]) and cells.cells[1][1] == -1
    assert cells.notes == ('The tree does not know and does not use "extra".',)
    assert cells.target is None


def test_levels_never_seen_are_counted_and_named(tmp_path: Path, grown: Table) -> None:
    text = "n,c,k,b,d\n1,z,7,true,\n1,w,1,false,\n1,z,01,maybe,\n1,y,1,,\n1,x,1,,\n"
    cells = read_cells(file(tmp_path, text), grown.schema)
    assert cells.cells[1].tolist() == [-2] * 5
    assert cells.cells[2].tolist() == [-2, 0, -2, 0, 0]
    assert cells.cells[3].tolist() == [1, 0, -2, -1, -1]
    told = '5 cells of "c" with a level the tree has not seen: "z", "w", "y" and 1 more'
    assert cells.notes[0].startswith(told)


def test_columns_the_tree_does_not_ask_about_may_be_absent(tmp_path: Path, grown: Table) -> None:
    cells = read_cells({"c": ["u", "v"]}, grown.schema, needed={"c"})
    assert cells.n_rows == 2 and np.isnan(cells.cells[0]).all()
    assert cells.cells[1].tolist() == [0, 1] and (cells.cells[2] == -1).all()


def test_arrays_are_matched_by_position(grown: Table) -> None:
    X = np.array([[1.0, "u", 2, False, None], [5.0, "v", 1.0, True, None]], object)
    cells = read_cells(X, grown.schema)
    assert [c.tolist()[1] for c in cells.cells[:4]] == [5, 1, 0, 1]
    cells = read_cells([[1, "u", 2, 0, None]], grown.schema)
    assert [c.tolist()[0] for c in cells.cells[:4]] == [1, 0, 1, 0]


def test_arrays_of_which_a_column_was_ignored() -> None:
    X = np.array([[f"name {i}", i % 3] for i in range(12)], object)
    table = read_table(X, target=np.arange(12) % 2)
    assert table.schema.names == ("x1",)
    assert read_cells(X, table.schema).cells[0].tolist() == table.cells[0].tolist()


def test_no_rows_are_no_answers(tmp_path: Path, grown: Table) -> None:
    assert read_cells(file(tmp_path, "n,c,k,b,d\n"), grown.schema).n_rows == 0


def test_columns_to_keep_are_given_as_written(tmp_path: Path, grown: Table) -> None:
    path = file(tmp_path, "id,n,c,k,b,d\n007,1,u,1,true,2020-01-01\n,,v,2,,\n")
    cells, kept = read_cells_and(path, grown.schema, keep=["id", "n", "d"])
    assert kept == [["007", None], ["1", None], ["2020-01-01", None]]
    assert cells.cells[1].tolist() == [0, 1]
    with pytest.raises(DataError, match='no column "ids" to keep'):
        read_cells_and(path, grown.schema, keep=["ids"])


def test_target_weights_and_missing_marks_of_new_rows(tmp_path: Path, grown: Table) -> None:
    path = file(tmp_path, "n,c,k,b,d,w,y\n?,u,1,true,,1,q\n2,?,1,true,,2,?\n3,v,1,true,,3,p\n")
    cells = read_cells(path, grown.schema, need_target=True, weights="w", missing_marks=["?"])
    assert cells.target is not None and cells.target.tolist() == [1, 0]
    assert cells.weights is not None and cells.weights.tolist() == [1, 3]
    np.testing.assert_array_equal(cells.cells[0], [NAN, 3])


def test_classes_of_another_form_are_recognised(tmp_path: Path) -> None:
    table = read_table({"a": [1, 2, 3], "y": [0, 1, 2]}, target="y")
    for answers in (["2", "0", "1"], [2.0, 0.0, 1.0], pl.Series([2, 0, 1])):
        cells = read_cells({"a": [1, 2, 3], "y": answers}, table.schema, need_target=True)
        assert cells.target is not None and cells.target.tolist() == [2, 0, 1]
    table = read_table({"a": [1, 2], "y": ["1", "2"]}, target="y")
    path = file(tmp_path, "a,y\n1,2\n2,1\n")
    assert read_cells(path, table.schema, need_target=True).target.tolist() == [1, 0]  # type: ignore[union-attr]


# ---- contradictions and describe -----------------------------------------------------------------


def test_contradictions_are_counted() -> None:
    columns = {
        "a": [1.0, 1.0, 0.0, -0.0, None, None, 7.0],
        "b": ["u", "u", "v", "v", None, None, "u"],
        "y": ["p", "q", "p", "q", "p", "q", "p"],
    }
    assert contradictions(read_table(columns, target="y")) == (6, 3)
    columns["y"] = ["p", "p", "q", "q", "p", "p", "p"]
    assert contradictions(read_table(columns, target="y")) == (0, 0)
    columns["y"] = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert contradictions(read_table(columns, target="y")) == (0, 0)


def test_contradictions_agree_with_counting_by_hand() -> None:
    rng = np.random.default_rng(7)
    X = rng.integers(0, 4, (3000, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 3000) * (rng.random(3000) < 0.1)
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, answer in zip(X.tolist(), y.tolist(), strict=True):
        groups.setdefault(tuple(map(str, row)), []).append(answer)
    mixed = [answers for answers in groups.values() if len(set(answers)) > 1]
    assert contradictions(read_table(X, target=y)) == (sum(map(len, mixed)), len(mixed))


def test_contradictions_survive_rows_that_share_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_table({"a": [1, 1, 2, 2, 3], "y": ["p", "q", "p", "p", "q"]}, target="y")
    monkeypatch.setattr(
        "bough.data.contradictions._groups", lambda cells, n: (np.arange(n), np.array([0]))
    )
    assert contradictions(table) == (2, 1)


def test_describe(tmp_path: Path) -> None:
    text = "n,c,d,e,y\n1,u,2020-01-01,,p\n2,v,2020-03-01,,q\n,u,,,p\n4,u,,,p\n"
    facts = describe(read_table(file(tmp_path, text), target="y"))
    n, c, d, e = facts.columns
    assert (n.n_distinct, n.n_missing, n.missing_share, n.low, n.high) == (3, 1, 0.25, "1", "4")
    assert (c.n_distinct, c.n_levels, c.common) == (2, 2, (("u", 3), ("v", 1)))
    assert (d.form, d.low, d.high, d.oddities) == (
        "date",
        "2020-01-01",
        "2020-03-01",
        ("mostly missing",),
    )
    assert e.oddities == ("all missing",) and e.n_missing == 4
    assert facts.classes == (("p", 3), ("q", 1)) and facts.target_range is None
    assert facts.n_rows == 4 and facts.weight is None
    numbers = describe(read_table({"a": [1, 1], "y": [0.5, 2.5]}, target="y", weights=[1, 2]))
    assert numbers.target_range == (0.5, 1.5, 2.5) and numbers.weight == 3
    assert numbers.columns[0].oddities == ("one value",)


def test_reading_an_array_imports_neither_duckdb_nor_narwhals() -> None:
    program = (
        "import sys, numpy as np\n"
        "from bough.data.read import read_table\n"
        "read_table(np.eye(3), target=[1, 2, 3])\n"
        "print([m for m in ('duckdb', 'narwhals', 'pandas', 'pyarrow') if m in sys.modules])\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stderr
