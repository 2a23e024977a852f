"""CSV files. The header and the separator are read here, the types and cells by DuckDB."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bough.data.arrow import from_stream
from bough.data.files import GZIP, first_line, quoted, rows_of, session
from bough.data.raw import BOOL_LEVELS, Raw, Source, names_of, parse_number, recode
from bough.errors import DataError

__all__ = ["from_csv"]

SEPARATORS = (",", ";", "\t", "|")
UTF16 = (b"\xff\xfe", b"\xfe\xff")
DECIMAL_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?", re.ASCII)
INFINITE = re.compile(r"\s*[+-]?inf(inity)?\s*", re.ASCII | re.IGNORECASE)
# Truth values and times are left to bough; dates only as year-month-day, since 1/2/2013 may be two.
TYPES = ("BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "VARCHAR")


@dataclass(frozen=True)
class _File:
    path: Path
    shown: str
    separator: str
    names: tuple[str, ...]
    blank: int = 0
    """Empty lines before the header."""
    decimal: str = "."

    @property
    def is_gzip(self) -> bool:
        with self.path.open("rb") as start:
            return start.read(2) == GZIP


def from_csv(
    path: Path,
    shown: str,
    keep: Callable[[str], bool],
    *,
    marks: Sequence[str] = (),
    as_text: Collection[str] = (),
) -> Source:
    file = _open(path, shown)
    wanted = [i for i, name in enumerate(file.names) if keep(name)] or [0]
    texts = {i for i, name in enumerate(file.names) if name in as_text}
    columns = _read_somehow(file, wanted, marks, texts)
    if file.separator == ";" and any(map(_has_decimal_comma, columns)):
        columns = _read_somehow(replace(file, decimal=","), wanted, marks, texts)
    named = [
        replace(_truths(column if i in texts else _infinities(column)), name=file.names[i])
        for i, column in zip(wanted, columns, strict=True)
        if keep(file.names[i])
    ]
    return Source(file.names, tuple(named), rows_of(columns))


def _has_decimal_comma(raw: Raw) -> bool:
    """Where ; stands between the cells, the comma often stands in the numbers: 1,5."""
    levels = raw.levels or ()
    return "," in "".join(levels[:100]) and all(map(DECIMAL_COMMA.fullmatch, levels))


def _open(path: Path, shown: str) -> _File:
    """Reads the header: the names, and which sign stands between them."""
    with path.open("rb") as start:
        if start.read(2) in UTF16:
            raise DataError(f'"{shown}" is UTF-16 text: save it as UTF-8.')
    try:
        with _lines(path, errors="replace") as lines:
            blank, first = next(
                ((i, line) for i, line in enumerate(lines) if line.strip("\r\n")), (0, "")
            )
            separator = _separator(first)
            header = next(csv.reader(_chain(first, lines), delimiter=separator), [])
    except (OSError, EOFError) as error:
        raise DataError(f'"{shown}" cannot be unpacked: {error}.') from error
    if not header:
        raise DataError(f'"{shown}" is empty: the first line must name the columns.')
    names = tuple(name or f"column{i}" for i, name in enumerate(header, 1))
    twice = sorted({name for name in names if names.count(name) > 1}) if _repeats(names) else []
    if twice:
        raise DataError(
            f'"{shown}" names two columns alike: {names_of(twice)}. Rename one of them.'
        )
    return _File(path, shown, separator, names, blank)


def _repeats(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)


def _separator(header: str) -> str:
    """The candidate that stands most often outside quotes; the comma when none does."""
    bare = re.sub(r'"[^"]*"?', "", header)
    return max(SEPARATORS, key=bare.count)


@contextmanager
def _lines(path: Path, errors: str = "strict") -> Iterator[io.TextIOBase]:
    with path.open("rb") as raw:
        packed = raw.read(2) == GZIP
        raw.seek(0)
        data = gzip.GzipFile(fileobj=raw) if packed else raw
        # newline="" leaves line ends inside quoted cells alone, as the csv module asks for
        with io.TextIOWrapper(data, "utf-8-sig", errors=errors, newline="") as text:
            yield text


def _chain(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _read_somehow(
    file: _File, wanted: Sequence[int], marks: Sequence[str], texts: Collection[int]
) -> list[Raw]:
    try:
        return _read(file, wanted, marks, texts)
    except _Refused as error:
        return _second_try(file, wanted, marks, texts, error)


def _read(
    file: _File, wanted: Sequence[int], marks: Sequence[str], texts: Collection[int]
) -> list[Raw]:
    """The wanted columns. Types guessed from the first rows are guessed again when they fail."""
    import duckdb

    texts, sample = set(texts), 20480
    with session(file.path) as connection:
        while True:
            try:
                query = _query(file, wanted, marks, texts, sample)
                columns = from_stream(connection.sql(query), guessed=True)
                endless = {i for i, c in zip(wanted, columns, strict=True) if _is_endless(c)}
                if endless <= texts:
                    return columns
                texts |= endless
            except (duckdb.Error, DataError) as error:
                column = re.search(r'converting column "c(\d+)"', str(error))
                if column is None or int(column[1]) in texts:
                    raise _Refused(str(error)) from error
                if sample < 0:  # even a look at the whole file guessed wrong
                    texts.add(int(column[1]))
                sample = -1


def _is_endless(raw: Raw) -> bool:
    """DuckDB takes the text "inf" for a moment after all others."""
    low, high = raw.limits() if raw.levels is None and raw.unsupported is None else (0.0, 0.0)
    return max(-low, high) > {"date": 1e9, "datetime": 9.2e12}.get(raw.form, math.inf)


class _Refused(Exception):
    """DuckDB's own words, to be made into ours."""


def _query(
    file: _File, wanted: Sequence[int], marks: Sequence[str], texts: Collection[int], sample: int
) -> str:
    chosen = ", ".join(f"c{i}" for i in wanted)
    signs = {file.separator, '"', "\r", "\n"}
    options = {
        "header": "true",
        "skip": str(file.blank),
        "delim": quoted(file.separator),
        "quote": "'\"'",
        "escape": "'\"'",
        "comment": "''",
        "compression": "'gzip'" if file.is_gzip else "'none'",
        "hive_partitioning": "false",
        "decimal_separator": quoted(file.decimal),
        "dateformat": "'%Y-%m-%d'",
        "names": _list(f"c{i}" for i in range(len(file.names))),
        # Others are dropped after reading: DuckDB refuses such signs here.
        "nullstr": _list(["", *(mark for mark in marks if not signs & set(mark))]),
        "auto_type_candidates": _list(TYPES),
        "sample_size": str(sample),
    }
    if texts:
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in sorted(texts))
        options["types"] = f"{{{types}}}"
    told = ", ".join(f"{name}={value}" for name, value in options.items())
    return f"SELECT {chosen} FROM read_csv({quoted(str(file.path))}, {told})"


def _list(texts: Iterable[str]) -> str:
    return "[" + ", ".join(quoted(text) for text in texts) + "]"


def _infinities(raw: Raw) -> Raw:
    """Numbers and infinities, read as text, as the numbers they are: they are refused as such."""
    levels = raw.levels or ()
    endless = [level for level in levels if INFINITE.fullmatch(level)]
    if not endless:
        return raw
    numbers = [float(x) if x in endless else parse_number(x) for x in levels]
    if any(number is None for number in numbers):
        return raw
    values = np.array([*numbers, math.nan], np.float64)[raw.values]
    return replace(raw, form="float", values=values, levels=None)


def _truths(raw: Raw) -> Raw:
    """Text that says true and false, however written, as truth values."""
    levels = raw.levels or ()
    if not levels or len(levels) > 6 or not {x.lower() for x in levels} <= set(BOOL_LEVELS):
        return raw
    lower = replace(raw, levels=tuple(level.lower() for level in levels))
    return replace(raw, form="bool", values=recode(lower, BOOL_LEVELS), levels=BOOL_LEVELS)


def _second_try(
    file: _File,
    wanted: Sequence[int],
    marks: Sequence[str],
    texts: Collection[int],
    error: _Refused,
) -> list[Raw]:
    """Finds the line that is wrong; if none is, the file is only unusual and is written anew."""
    with tempfile.TemporaryDirectory(prefix="bough-") as folder:
        clean = Path(folder) / "table.csv"
        with clean.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerows(_checked_rows(file))
        try:
            return _read(replace(file, path=clean, separator=",", blank=0), wanted, marks, texts)
        except _Refused:
            raise DataError(f'"{file.shown}" cannot be read: {first_line(error)}') from error


def _checked_rows(file: _File) -> Iterator[list[str]]:
    width, line = len(file.names), 1
    try:
        with _lines(file.path) as lines:
            reader = csv.reader(lines, delimiter=file.separator, strict=True)
            for cells in reader:
                if len(cells) == width + 1 and not cells[-1]:
                    cells.pop()  # a separator at the end of the line
                if cells and len(cells) != width:
                    raise DataError(_ragged(file, line, len(cells)))
                if cells:
                    yield cells
                line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f'"{file.shown}", line {line}: a quote (") is opened and not closed, or stands inside '
            'a quoted cell. Inside quotes, write a quote twice ("").'
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(_not_utf8(file, error)) from error
    except (OSError, EOFError) as error:
        raise DataError(f'"{file.shown}" cannot be unpacked: {error}.') from error


def _ragged(file: _File, line: int, cells: int) -> str:
    width = len(file.names)
    sign = "tab" if file.separator == "\t" else f'"{file.separator}"'
    return (
        f'"{file.shown}", line {line}: {cells} cell{"s" * (cells != 1)} where the header names '
        f"{width} column{'s' * (width != 1)}. Look for a missing or extra {sign} or quote there."
    )


def _not_utf8(file: _File, error: UnicodeDecodeError) -> str:
    line = 1
    with _lines(file.path, errors="surrogateescape") as lines:
        for line, text in enumerate(lines, 1):  # noqa: B007
            if any("\udc80" <= sign <= "\udcff" for sign in text):
                break
    byte = error.object[error.start]
    return (
        f'"{file.shown}", line {line}: the byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8 '
        "(it may be Latin-1 or Windows-1252 now)."
    )
