"""X and y for the tests of the estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def numbers(seed: int, rows: int = 400, columns: int = 6) -> tuple[Any, ...]:
    """Cells that float32 holds exactly, as scikit-learn compares in it; a target; weights whose
    sums are exact: otherwise rounding lets it find some impurity in pure nodes, and split them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32).astype(np.float64)
    wave = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * X[:, 2] + 0.5 * rng.normal(size=rows)
    return X, wave, rng.integers(512, 2048, rows) / 1024


def people(rows: int = 120) -> tuple[pd.DataFrame, pd.Series]:
    """A table with a column of every kind, two missing cells, and a target it decides."""
    rng, grades = np.random.default_rng(0), ["low", "mid", "top"]
    frame = pd.DataFrame({
        "town": rng.choice(["Ulm", "Bonn", "Kiel"], rows),
        "age": rng.normal(40, 12, rows).round(1),
        "member": rng.random(rows) < 0.5,
        "grade": pd.Categorical(rng.choice(grades, rows), grades, True),
        "visits": rng.integers(0, 9, rows),
    })  # fmt: skip
    answer = ((frame["town"] == "Ulm") ^ (frame["grade"] > "low")) & (frame["age"] > 25)
    frame.loc[3, "age"], frame.loc[5, "town"] = np.nan, None
    return frame, answer.map({True: "stays", False: "goes"}).rename("next")
