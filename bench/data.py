"""The tables that are timed: made ones of any size, and public ones from ../shared/data.

A table is prepared once and kept in build/bench-data, so that every contender, each in a process
of its own, is given the same bytes. Names:

    made-1000000x28         rows × columns, two classes, every column numbers
    adult                   a public table as numbers: categories by their place in the alphabet
    adult:categories        the same as a DataFrame, categories as they are
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
PUBLIC = ROOT.parent / "shared" / "data"
KEPT = ROOT / "build" / "bench-data" / f"{zlib.crc32(Path(__file__).read_bytes()):08x}"
"""By the text of this file: when it changes, the tables are made again."""
STEP = 2.0**-20
"""Every made number is a multiple of this. scikit-learn works in float32 and takes values closer
than 1e-7 as the same; this way it sees the numbers the others see, and impurities compare."""


@dataclass(frozen=True)
class Data:
    x: Any
    """Rows × columns in float64, row-major; or a DataFrame with category columns."""
    y: Any
    """Classes as 0, 1, …; or numbers (float64)."""

    @property
    def task(self) -> str:
        return "regression" if self.y.dtype.kind == "f" else "classification"

    @property
    def bytes(self) -> int:
        frame = hasattr(self.x, "memory_usage")
        return int(self.x.memory_usage(deep=True).sum() if frame else self.x.nbytes)

    def some(self, rows: int) -> Data:
        """A few rows from everywhere, to warm up with."""
        at = np.unique(np.linspace(0, len(self.y) - 1, rows).astype(np.int64))
        return Data(self.x.iloc[at] if hasattr(self.x, "iloc") else self.x[at], self.y[at])


def load(name: str) -> Data:
    """A table that was prepared."""
    folder = KEPT / name.replace(":", "-")
    y = np.load(folder / "y.npy")
    if (folder / "x.parquet").exists():
        import pandas

        return Data(pandas.read_parquet(folder / "x.parquet"), y)
    return Data(np.load(folder / "x.npy"), y)


def prepare(name: str) -> str:
    """Puts the table where `load` finds it; says why it could not, or nothing."""
    folder = KEPT / name.replace(":", "-")
    if folder.exists():
        return ""
    size = re.fullmatch(r"made-(\d+)x(\d+)", name)
    if not size and not (PUBLIC / "index.json").exists():
        return f"there is no {PUBLIC.name}/index.json beside the checkout"
    data = made(int(size[1]), int(size[2])) if size else public(*name.split(":"))
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    fresh.mkdir(parents=True)
    np.save(fresh / "y.npy", data.y)
    if isinstance(data.x, np.ndarray):
        np.save(fresh / "x.npy", data.x)
    else:
        data.x.to_parquet(fresh / "x.parquet")
    fresh.rename(folder)
    return ""


def tidy(most: int = 512 << 20) -> None:
    """Drops large tables, quickly made again, and those of earlier texts of this file."""
    for folder in [*KEPT.parent.iterdir(), *KEPT.iterdir()]:
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        if folder != KEPT and (size > most or folder.parent != KEPT):
            shutil.rmtree(folder)


# ---- made ----------------------------------------------------------------------------------------


def made(rows: int, columns: int, seed: int = 0) -> Data:
    """Like HIGGS: correlated numbers, two classes (53 % of one), none of which tells much alone.

    By turns of seven: momenta (skewed, above 0), angles, masses (a function of the two columns
    before), and one column of three values. The classes differ in six hidden numbers.
    """
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.53).astype(np.int64)
    hidden = rng.normal(size=(6, rows)) + y * rng.normal(scale=0.3, size=(6, 1))
    x = np.empty((rows, columns))
    for j in range(columns):
        noise = rng.normal(size=rows)
        mixed = rng.normal(scale=0.4, size=6) @ hidden + noise
        if j % 7 == 6:
            values = np.digitize(mixed, [0.2, 1.1]) * 1.09
        elif j % 7 in (1, 4):
            values = 3.14 * np.tanh(noise + 0.2 * hidden[j % 6] * hidden[(j + 1) % 6])
        elif j % 7 in (2, 5):
            values = np.sqrt(np.abs(x[:, j - 2] * x[:, j - 1])) + 0.2 * np.abs(mixed)
        else:
            values = np.exp(0.5 * mixed)
        x[:, j] = np.round(np.minimum(values, 15.0) / STEP) * STEP
    return Data(x, y)


# ---- public --------------------------------------------------------------------------------------


def public(name: str, form: str = "numbers") -> Data:
    """Rows without a target are left out, and columns the index calls identifiers."""
    import pandas

    about = json.loads((PUBLIC / "index.json").read_text())[name]
    kinds = {column: kind["kind"] for column, kind in about["kinds"].items()}
    texts = {column: str for column, kind in kinds.items() if kind in ("nominal", "ordinal")}
    frame = pandas.read_csv(
        PUBLIC / about["file"], dtype=texts, keep_default_na=False, na_values=[""]
    )
    target = about["target"]
    frame = frame[frame[target].notna()].reset_index(drop=True)
    if about["task"] == "regression":
        y = frame[target].to_numpy(np.float64)
    else:
        y = pandas.Categorical(frame[target]).codes.astype(np.int64)
    frame = frame[[c for c in frame if c != target and kinds[c] != "id"]]
    frame = frame.astype({c: "category" if c in texts else np.float64 for c in frame})
    if form == "categories":
        return Data(frame, y)
    return Data(np.column_stack([_numbers(frame[column]) for column in frame]), y)


def _numbers(column: Any) -> Any:
    """A category as its place in the alphabet, NaN where the cell is missing."""
    if column.dtype != "category":
        return column.to_numpy()
    codes = column.cat.codes.to_numpy(np.float64)
    return np.where(codes < 0, np.nan, codes)
