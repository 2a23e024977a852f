"""How a tree was grown: the table it saw and the options as the core read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.data.missing import prepare
from bough.data.schema import Column
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError
from bough.lesson.formulas import FORMULAS
from bough.lesson.rows import NodeRows
from bough.options import OPTIONS
from bough.tree import Tree

__all__ = ["Grown", "grown_from", "resolved_options"]

SHOWN_POLICIES = ("learned", "own")
"""What the core may do with missing cells in a lesson; cells filled or left out before are no
matter."""
ROW = "\0row"
"""A column that no file can have; it keeps the numbers of the rows while some are left out."""


@dataclass(frozen=True)
class Grown:
    """The table as the tree saw it, without rows of weight 0."""

    table: Table
    numbers: Array
    """What the rows are called: from 1, as they stood in the table given."""
    policies: tuple[str, ...]
    """What the core does with missing cells, column by column: learned or own."""


def grown_from(tree: Tree, table: Table) -> Grown:
    """Prepares the table as it was before growing; an error when it is another one."""
    if table.target is None:
        raise DataError("The table has no target. A lesson needs the rows the tree was grown from.")
    _refuse_costs(tree)
    options = tree.options
    share = options.get("missing_share", 0.7)
    prepared = prepare(_with_numbers(table), options.get("missing", "learned"), share)
    table, numbers = _without_numbers(prepared.table)
    if table.weights is not None:
        counted = table.weights > 0
        table, numbers = table.take(counted), numbers[counted]
    if table.schema != tree.schema:
        raise DataError(
            "The table has other columns than the tree. Give the one it was grown from."
        )
    if not _is_the_same(tree, table):
        raise DataError(
            "The tree was grown from other rows, or from other weights. Give the table it was "
            "grown from."
        )
    return Grown(table, numbers, _policies(table, prepared.core[:-1]))


def _with_numbers(table: Table) -> Table:
    columns = (*table.schema.columns, Column(ROW, "number"))
    numbers = np.arange(1, table.n_rows + 1, dtype=np.float64)
    schema = replace(table.schema, columns=columns)
    return replace(table, schema=schema, cells=(*table.cells, numbers))


def _without_numbers(table: Table) -> tuple[Table, Array]:
    schema = replace(table.schema, columns=table.schema.columns[:-1])
    plain = replace(table, schema=schema, cells=table.cells[:-1])
    return plain, table.cells[-1].astype(np.int64)


def _refuse_costs(tree: Tree) -> None:
    criterion = tree.options.get("criterion")
    given = {"costs": tree.costs, "test costs": tree.test_costs}
    found = [word for word, costs in given.items() if costs is not None]
    if found or criterion not in FORMULAS:
        what = " and ".join(found) or f'criterion="{criterion}"'
        raise OptionError(
            f"Lessons do not work out {what}. Leave it out to get a lesson; these criteria have "
            f"one: {', '.join(FORMULAS)}."
        )


def _policies(table: Table, words: Sequence[str]) -> tuple[str, ...]:
    found = []
    for word, column, cells in zip(words, table.schema.columns, table.cells, strict=True):
        missing = np.isnan(cells) if column.kind == "number" else cells < 0
        if word not in SHOWN_POLICIES and missing.any():
            raise OptionError(
                f'Lessons do not work out missing="{word}", and cells of "{column.name}" are '
                f"missing. Give missing= (--missing-policy) one of: {', '.join(SHOWN_POLICIES)}, "
                "or one that fills cells or leaves them out, such as mean or drop_rows."
            )
        found.append(word if word in SHOWN_POLICIES else "learned")
    return tuple(found)


def _is_the_same(tree: Tree, table: Table) -> bool:
    """Do the rows weigh at the root what the tree says?"""
    at = np.arange(table.n_rows)
    if len(at) != int(tree.nodes.rows[0]):
        return False
    node = NodeRows(table, str(tree.options["criterion"]), at)
    root = node.side("", len(at), node.sums(np.zeros(len(at), np.int64), 1)[0])
    slack = 1e-9 * max(abs(value) for value in tree.nodes.stats[0].tolist())
    return bool(np.allclose(root.stats, tree.nodes.stats[0], rtol=1e-6, atol=slack))


def resolved_options(tree: Tree, table: Table) -> dict[str, Any]:
    """The options the tree was grown with; shares of rows as rows. `table`: without rows of
    weight 0."""
    options = {name: option.default for name, option in OPTIONS.items()} | dict(tree.options)
    for name in ("min_rows_split", "min_rows_leaf"):
        if not isinstance(options[name], int):
            options[name] = max(1, math.ceil(options[name] * table.n_rows))
    return options
