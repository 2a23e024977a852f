"""Files and queries, read by DuckDB without ever reaching for the network."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bough.data.arrow import from_stream
from bough.data.raw import Raw, Source, names_of
from bough.errors import DataError, nearest

if TYPE_CHECKING:
    import duckdb

__all__ = ["from_file", "from_query", "quoted", "rows_of", "session"]

GZIP, PARQUET, ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"
DATABASE = b"DUCK"  # at byte 8
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


def from_file(
    path: str | os.PathLike[str],
    keep: Callable[[str], bool],
    *,
    marks: Sequence[str] = (),
    as_text: Collection[str] = (),
    sql: str | None = None,
) -> Source:
    """The columns of a CSV, Parquet or JSON file, or of a query over a database file.

    `marks` are the texts that mean a missing cell; the columns `as_text` are not guessed at.
    """
    from bough.data.csvfile import from_csv

    with _local(os.fspath(path)) as (file, shown):
        start = _first_bytes(file)
        if start[8:12] == DATABASE:
            return _from_database(file, sql)
        if sql is not None:
            raise DataError(
                f'"{shown}" is not a DuckDB database, so sql= (--sql) cannot be asked of it. To '
                f"query a file, give only the query, for example: SELECT * FROM '{shown}'."
            )
        if start.startswith(ZIP):
            raise DataError(f'"{shown}" is a zip or spreadsheet file: save it as CSV or Parquet.')
        if start.startswith(PARQUET):
            return _from_scan(
                f"read_parquet({quoted(str(file))}, hive_partitioning=false)",
                file,
                shown,
                keep,
            )
        if not start:
            raise DataError(f'"{shown}" is empty: the first line must name the columns.')
        ending = "".join(Path(shown).suffixes[-2:]).removesuffix(".gz")
        if ending.endswith(JSON_ENDINGS):
            return _from_scan(f"read_json_auto({quoted(str(file))})", file, shown, keep)
        return from_csv(file, shown, keep, marks=marks, as_text=as_text)


def from_query(sql: str) -> Source:
    """The result of one SELECT; the files it names are found from the working directory."""
    with session() as connection:
        return _ask(connection, sql)


@contextmanager
def session(
    file: Path | None = None, database: Path | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that loads no extensions and, given a file, opens no other."""
    import duckdb  # late: it takes longer to import than all of bough

    connection = duckdb.connect(
        str(database or ":memory:"),
        read_only=database is not None,
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
    try:
        connection.execute("SET TimeZone='UTC'")
        if file is not None:
            connection.execute(f"SET allowed_paths=[{quoted(str(file))}]")
            connection.execute("SET enable_external_access=false")
        yield connection
    finally:
        connection.close()


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def rows_of(columns: Sequence[Raw]) -> int:
    return next((len(column.values) for column in columns if column.unsupported is None), 0)


def _not_there(file: Path, path: str) -> DataError:
    if "://" in path:
        return DataError(
            f'"{path}" is on the network: download it first, bough reads only local files.'
        )
    folder = file.parent
    if not folder.is_dir():
        return DataError(f'There is no file "{path}", and no folder "{folder}".')
    names = [entry.name for entry in folder.iterdir()] if os.access(folder, os.R_OK) else []
    return DataError(f'There is no file "{path}".{nearest(file.name, names)}')


@contextmanager
def _local(path: str) -> Iterator[tuple[Path, str]]:
    """A regular file to read from, and the name people know it by."""
    if path == "-":
        with _copied(sys.stdin.buffer) as copy:
            yield copy, "standard input"
        return
    file = Path(path)
    if file.is_dir():
        raise DataError(f'"{path}" is a directory: give a CSV, Parquet or JSON file in it.')
    if not file.exists():
        raise _not_there(file, path)
    if file.is_file():
        with _plainly_named(file.absolute()) as plain:
            yield plain, path
        return
    with file.open("rb") as pipe, _copied(pipe) as copy:  # a pipe can be read only once
        yield copy, path


@contextmanager
def _plainly_named(file: Path) -> Iterator[Path]:
    """DuckDB takes these signs in a path for a pattern, so such a file is reached by a link."""
    if not set("*?[") & set(str(file)):
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="bough-") as folder:
        link = Path(folder) / "table"
        link.symlink_to(file)
        yield link


@contextmanager
def _copied(stream: Any) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bough-") as folder:
        copy = Path(folder) / "table"
        with copy.open("wb") as out:
            shutil.copyfileobj(stream, out, 1 << 20)
        yield copy


def _first_bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as start:
            return start.read(16)
    except OSError as error:
        raise DataError(f'"{file}" cannot be read: {error.strerror}.') from error


def _from_scan(scan: str, file: Path, shown: str, keep: Callable[[str], bool]) -> Source:
    """A file that says itself what its columns are."""
    import duckdb

    with session(file) as connection:
        try:
            everything = connection.sql(f"SELECT * FROM {scan}")
            names = tuple(everything.columns)
            wanted = [name for name in names if keep(name)] or list(names[:1])
            chosen = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
            columns = from_stream(connection.sql(f"SELECT {chosen} FROM {scan}"))
        except (duckdb.Error, DataError) as error:
            raise DataError(f'"{shown}" cannot be read: {first_line(error)}') from error
    return Source(names, tuple(c for c in columns if keep(c.name)), rows_of(columns))


def _from_database(file: Path, sql: str | None) -> Source:
    import duckdb

    try:
        with session(database=file) as connection:
            if sql is not None:
                return _ask(connection, sql)
            tables = connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()
    except duckdb.Error as error:
        raise DataError(f'The database "{file}" cannot be opened: {first_line(error)}') from error
    raise DataError(
        f'"{file}" is a database: say with sql= (--sql) what to read from it, for example '
        f"SELECT * FROM name. Its tables: {names_of([name for (name,) in tables]) or 'none'}."
    )


def _ask(connection: duckdb.DuckDBPyConnection, sql: str) -> Source:
    """Runs one SELECT; anything else could write, or fetch from the network."""
    import duckdb

    try:
        statements = connection.extract_statements(sql)
        kinds = [statement.type.name for statement in statements]
        if kinds != ["SELECT"]:
            told = ", ".join(kinds) if kinds else "nothing"
            raise DataError(f"sql= (--sql) must be one SELECT statement; this is: {told}.")
        columns = from_stream(connection.sql(sql))
    except duckdb.Error as error:
        raise DataError(f"The query failed: {first_line(error, lines=2)}") from error
    names = tuple(column.name for column in columns)
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise DataError(
            f"The query gives two columns of one name: {names_of(twice)}. Rename one with AS."
        )
    return Source(names, tuple(replace(c, guessed=False) for c in columns), rows_of(columns))


def first_line(error: Exception, lines: int = 1) -> str:
    """What DuckDB says first, without the name of its kind of error."""
    text = str(error).removeprefix("The table cannot be read: ").strip()
    if "httpfs" in text or "extension" in text:
        return "it asks for the network or for an extension; bough reads only local files."
    told = " ".join(line.strip() for line in text.splitlines()[:lines]).strip()
    told = told.partition(" Did you mean")[0]
    kind, colon, rest = told.partition(" Error: ")
    return rest if colon and kind.count(" ") < 3 else told
