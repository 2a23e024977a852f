"""Columns of anything that offers an Arrow C stream; the work is done in the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.raw import BOOL_LEVELS, Raw
from bough.data.schema import level_text
from bough.errors import DataError

__all__ = ["from_stream"]


def from_stream(source: Any, *, guessed: bool = False) -> list[Raw]:
    """Reads `source.__arrow_c_stream__()`, a table or a single column."""
    from bough import _core  # late: a plain array needs no core

    try:
        columns = _core.read_arrow(source.__arrow_c_stream__())
    except RuntimeError as error:
        raise DataError(f"The table cannot be read: {error}.") from error
    return [_raw(*column, guessed=guessed) for column in columns]


def _raw(
    name: str,
    form: Any,
    values: Any,
    levels: list[Any] | None,
    declared: bool,
    ordered: bool,
    unsupported: str | None,
    *,
    guessed: bool,
) -> Raw:
    if unsupported is not None:
        return Raw(name, form, np.empty(0), unsupported=unsupported)
    if levels is None and form == "bool":
        return Raw(name, "bool", values.astype(np.int32), BOOL_LEVELS, guessed=guessed)
    if levels is None:
        return Raw(name, form, values, guessed=guessed)
    if form == "bool":
        texts = tuple("true" if level else "false" for level in levels)
    else:
        texts = tuple(str(level_text(level)) for level in levels)
    return Raw(name, form, values, texts, declared, ordered, guessed=guessed)
