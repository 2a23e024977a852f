"""bough grows decision trees that people can read, defend and ship.

Names are imported when first used, so `import bough` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bough.data.read import read_cells, read_table
    from bough.data.schema import Column, Schema, Target
    from bough.data.table import Table
    from bough.errors import BoughError, DataError, ModelFileError, OptionError
    from bough.making import grow
    from bough.options import OPTIONS
    from bough.recipes import RECIPES
    from bough.store import load
    from bough.tree import Tree

__version__ = "0.1.0"

_HOMES = {
    "BoughError": "bough.errors",
    "Column": "bough.data.schema",
    "DataError": "bough.errors",
    "ModelFileError": "bough.errors",
    "OPTIONS": "bough.options",
    "OptionError": "bough.errors",
    "RECIPES": "bough.recipes",
    "Schema": "bough.data.schema",
    "Table": "bough.data.table",
    "Target": "bough.data.schema",
    "Tree": "bough.tree",
    "grow": "bough.making",
    "load": "bough.store",
    "read_cells": "bough.data.read",
    "read_table": "bough.data.read",
}

__all__ = [
    "OPTIONS",
    "RECIPES",
    "BoughError",
    "Column",
    "DataError",
    "ModelFileError",
    "OptionError",
    "Schema",
    "Table",
    "Target",
    "Tree",
    "grow",
    "load",
    "read_cells",
    "read_table",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'bough' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
