"""A table ready to be learned from: columns as arrays, schema, target, weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.schema import Schema

__all__ = ["Array", "Table"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Table:
    """Columns + schema + target + weights. Nothing is learned yet.

    `cells` holds one 1-d array per column of the schema, strided views allowed:
    * number: float64 or float32, NaN where missing;
    * ordered, category: int32 codes, MISSING (−1) or UNSEEN (−2) where there is no level.
    """

    schema: Schema
    cells: tuple[Array, ...]
    target: Array | None = None
    """int32 class codes, or float64; None when there are only cells to predict from."""
    weights: Array | None = None
    """float64; None when every row counts once."""
    notes: tuple[str, ...] = ()
    """What the reader of the data should know: ignored columns, guessed kinds, dropped rows."""

    def take(self, rows: Array) -> Table:
        """Some of the rows, by number or by mask, in the order given; the schema stays whole."""
        if getattr(rows, "dtype", None) == np.bool_:
            rows = np.flatnonzero(rows)  # once, not once per column
        return replace(
            self,
            cells=tuple(cells[rows] for cells in self.cells),
            target=None if self.target is None else self.target[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    @property
    def n_rows(self) -> int:
        if self.cells:
            return len(self.cells[0])
        return 0 if self.target is None else len(self.target)
