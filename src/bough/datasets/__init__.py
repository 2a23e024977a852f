"""Small tables to learn with, as CSV files beside this one; their story is in docs/datasets.md.

A new table is its CSV file, one entry here and one line in docs/datasets.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bough.errors import DataError, nearest

if TYPE_CHECKING:
    from bough.data.table import Table

__all__ = ["about", "load", "names", "path"]


@dataclass(frozen=True)
class _Dataset:
    target: str
    what: str
    source: str
    """Document and line, as docs/datasets.md names them."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """What `read_table` must be told beyond the target."""


_DATASETS: dict[str, _Dataset] = {
    "restaurant": _Dataset(
        "WillWait", "twelve guests: is this table worth waiting for?", "S1:9–20"
    ),
    "restaurant_csce": _Dataset(
        "WillWait", "the same guests in another copy: Rain differs in row 4.", "S3:80–91"
    ),
    "food5": _Dataset("Sick", "five days of a food journal, amounts eaten.", "S4:47–51"),
    "food6": _Dataset("Sick", "six days, for decision stumps by hand.", "S4:187–192"),
    "food11": _Dataset("Sick", "eleven days; rows 4 and 10 contradict each other.", "S4:263–273"),
    "allergies": _Dataset(
        "Sick", "food5 as a matrix: Fish differs in rows 3 and 5.", "S4:225, S4:236"
    ),
    "mpg18": _Dataset(
        "mpg",
        "the eighteen printed cars of forty: good or bad mileage?",
        "S3:260–267, S3:271–280",
        {"kinds": {"cylinders": "category"}},
    ),
    "xor": _Dataset("y", "exclusive or: neither column tells anything alone.", "S3:411–414"),
    "titanic": _Dataset(
        "Survived",
        "891 passengers of the Titanic: who survived? Cells are missing.",
        "the public passenger list",
        {"ignore": ["PassengerId", "Name", "Ticket"]},
    ),
}


def names() -> tuple[str, ...]:
    """The names of all tables."""
    return tuple(_DATASETS)


def path(name: str) -> Path:
    """The CSV file of a table."""
    _get(name)
    return Path(str(files(__name__).joinpath(f"{name}.csv")))


def load(name: str) -> Table:
    """A table with its target, ready to grow a tree from."""
    dataset = _get(name)
    from bough.data.read import read_table  # here, so that names and paths cost no reader

    return read_table(path(name), target=dataset.target, **dataset.reading)


def about(name: str) -> str:
    """One line: what the table is, what it predicts, where it is printed."""
    dataset = _get(name)
    return f"{name}: {dataset.what} Target {dataset.target}. Source: {dataset.source}."


def _get(name: str) -> _Dataset:
    if not isinstance(name, str) or name not in _DATASETS:
        close = nearest(name, _DATASETS) if isinstance(name, str) else ""
        raise DataError(
            f"There is no dataset {name!r}.{close} The datasets are: {', '.join(_DATASETS)}."
        )
    return _DATASETS[name]
