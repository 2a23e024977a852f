"""Tables in memory: arrays, dicts and lists, pandas, polars, pyarrow and their relatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.arrow import from_stream
from bough.data.objects import from_array, from_cells
from bough.data.raw import BOOL_LEVELS, MOST_ROWS, Raw, Source, names_of
from bough.data.schema import level_text
from bough.data.table import Array
from bough.errors import DataError

__all__ = ["column_from", "from_frame", "from_matrix"]

Keep = Callable[[str], bool]
"""Which columns are wanted, by name."""


def from_matrix(source: Any, names: Sequence[str] | None = None, *, limits: bool = True) -> Source:
    """A two-dimensional array or a list of rows; number columns are views, not copies.

    Who will not ask for the limits of the columns saves a pass over the array."""
    array = source if isinstance(source, np.ndarray) else _matrix(source)
    if array.ndim != 2:
        raise DataError(
            f"An array of {array.ndim} dimension{'s' * (array.ndim != 1)} is not a table: give "
            "rows × columns (one column: X.reshape(-1, 1), one row: X.reshape(1, -1))."
        )
    _check_rows(array.shape[0])
    if names is None:
        titles = tuple(f"x{i}" for i in range(array.shape[1]))
    else:
        titles = tuple(map(str, names))
        if len(titles) != array.shape[1]:
            raise DataError(f"{len(titles)} names are given for {array.shape[1]} columns.")
    columns = _float_columns(titles, array, limits)
    if columns is None:
        columns = [from_array(name, array[:, i]) for i, name in enumerate(titles)]
    return Source(titles, tuple(columns), array.shape[0], positional=names is None)


def _matrix(rows: Any) -> Array:
    """A list of rows, each cell kept as the object it is."""
    if hasattr(rows, "__array__"):
        return np.asarray(rows)
    rows = [list(row) if isinstance(row, Iterable) else row for row in rows]
    widths = {len(row) if isinstance(row, list) else -1 for row in rows}
    if len(widths) > 1 or widths == {-1}:
        raise DataError("A list of rows needs the same number of cells in every row.")
    array = np.empty((len(rows), widths.pop() if widths else 0), object)
    for i, row in enumerate(rows):
        array[i] = row
    return array


def _float_columns(names: Sequence[str], array: Array, limits: bool) -> list[Raw] | None:
    """The direct way for plain floats: one pass over the whole array for all columns."""
    if array.dtype not in (np.float64, np.float32) or not array.size:
        return None
    if not limits:
        return [Raw(name, "float", cells) for name, cells in zip(names, array.T, strict=True)]
    from bough import _core  # late: other tables need no core

    spans = zip(*(ends.tolist() for ends in _core.limits(array)), strict=True)
    return [
        Raw(name, "float", cells, span=span)
        for name, cells, span in zip(names, array.T, spans, strict=True)
    ]


def from_frame(source: Any, keep: Keep) -> Source | None:
    """A table of named columns; None when this is no such thing."""
    if type(source).__module__.startswith("narwhals."):
        source = source.to_native()
    home = type(source).__module__.split(".")[0]
    if isinstance(source, Mapping):
        return _from_mapping(source, keep)
    if home == "pandas":
        return _from_pandas(source, keep)
    if home == "polars" and type(source).__name__ == "LazyFrame":
        source = source.collect()
    if hasattr(source, "__arrow_c_stream__"):
        return _from_stream(source, home, keep)
    if isinstance(source, Sequence) and source and isinstance(source[0], Mapping):
        return _from_mapping(_columns_of(source), keep)
    if hasattr(source, "__array__") or isinstance(source, Sequence):
        return None
    return _from_narwhals(source, keep)


def _from_mapping(source: Mapping[Any, Any], keep: Keep) -> Source:
    names = _unique(source)
    columns = [column_from(str(name), cells) for name, cells in source.items() if keep(str(name))]
    lengths = {name: _length(cells) for name, cells in source.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f'"{name}" has {n}' for name, n in list(lengths.items())[:5])
        raise DataError(f"The columns have different numbers of cells: {told}.")
    return Source(names, tuple(columns), next(iter(lengths.values()), 0))


def _columns_of(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Rows as dicts, turned into columns; what a row does not name is missing."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _length(cells: Any) -> int:
    if isinstance(cells, str) or not hasattr(cells, "__len__"):
        raise DataError(
            f"A column must be a sequence of cells, not {type(cells).__name__}; "
            "one row is written {'column': [value], …}."
        )
    return len(cells)


def column_from(name: str, cells: Any) -> Raw:
    """One column of a sequence, a numpy array or a Series of any library."""
    if type(cells).__module__.split(".")[0] == "pandas":
        return _pandas_column(name, cells)
    if isinstance(cells, np.ndarray):
        if cells.ndim == 2 and cells.shape[1] == 1:
            cells = cells[:, 0]
        if cells.ndim != 1:
            raise DataError(f'"{name}" must be one column, not an array of shape {cells.shape}.')
        return from_array(name, cells)
    if hasattr(cells, "__arrow_c_stream__"):
        columns = from_stream(cells)
        if len(columns) != 1:
            raise DataError(f'"{name}" must be one column, not a table of {len(columns)}.')
        return replace(columns[0], name=name)
    if hasattr(cells, "__array__"):
        return column_from(name, np.asarray(cells))
    _length(cells)
    return from_cells(name, list(cells))


def _from_pandas(source: Any, keep: Keep) -> Source:
    names = _unique(source.columns)
    _check_rows(len(source))
    columns = [
        _pandas_column(name, series)
        for name, (_, series) in zip(names, source.items(), strict=True)
        if keep(name)
    ]
    return Source(names, tuple(columns), len(source))


def _pandas_column(name: str, series: Any) -> Raw:
    """A pandas Series or Index, by way of numpy: pyarrow need not be there."""
    dtype = series.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        return _pandas_levels(name, series)
    if isinstance(dtype, np.dtype):
        return from_array(name, series.to_numpy())
    if type(dtype).__name__ == "DatetimeTZDtype":
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return from_array(name, series.to_numpy())
    is_arrow = getattr(dtype, "storage", "") == "pyarrow" or hasattr(dtype, "pyarrow_dtype")
    if is_arrow and hasattr(series, "__arrow_c_stream__"):
        return replace(from_stream(series)[0], name=name)
    kind = getattr(dtype, "kind", "O")
    if kind in "iuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Raw(name, "float" if kind == "f" else "int", values)
    if kind == "b":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        return Raw(name, "bool", codes, BOOL_LEVELS)
    return from_cells(name, list(series.astype(object)))


def _pandas_levels(name: str, series: Any) -> Raw:
    categories = series.cat.categories
    codes = np.asarray(series.cat.codes).astype(np.int32)
    plain = from_cells(name, list(categories))
    if plain.unsupported is not None or plain.form in ("date", "datetime"):
        plain = replace(plain, form="text", unsupported=None)
    levels = tuple(str(level_text(level)) for level in categories)
    return Raw(name, plain.form, codes, levels, declared=True, ordered=bool(series.cat.ordered))


def _from_stream(source: Any, home: str, keep: Keep) -> Source:
    if home in ("polars", "pyarrow") and hasattr(source, "select"):
        titles = _unique(source.columns if home == "polars" else source.schema.names)
        wanted = [name for name in titles if keep(name)]
        columns = from_stream(source.select(wanted))
        return Source(titles, tuple(columns), len(source) if hasattr(source, "__len__") else 0)
    columns = from_stream(source)
    titles = _unique(column.name for column in columns)
    rows = next((len(column.values) for column in columns if not column.unsupported), 0)
    return Source(titles, tuple(column for column in columns if keep(column.name)), rows)


def _from_narwhals(source: Any, keep: Keep) -> Source:
    import narwhals as nw  # late: only the less common libraries need it

    try:
        frame = nw.from_native(source)
    except TypeError:
        raise DataError(
            f"{type(source).__name__} is not a table bough can read. Give a path, a DataFrame, an "
            "Arrow table, a dict of columns, or an array of rows."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    titles = _unique(frame.columns)
    columns = [
        from_array(name, np.asarray(frame[name].to_numpy())) for name in titles if keep(name)
    ]
    return Source(titles, tuple(columns), len(frame))


def _unique(names: Iterable[Any]) -> tuple[str, ...]:
    """The names as texts; two columns of one name would be told apart by nobody."""
    titles = tuple(map(str, names))
    if len(set(titles)) < len(titles):
        twice = [name for i, name in enumerate(titles) if name in titles[:i]]
        raise DataError(
            f"The table has two columns of one name: {names_of(list(dict.fromkeys(twice)))}. "
            "Rename one of them."
        )
    return titles


def _check_rows(n_rows: int) -> None:
    if n_rows > MOST_ROWS:
        raise DataError(f"The table has {n_rows:,} rows; at most {MOST_ROWS:,} can be used.")
