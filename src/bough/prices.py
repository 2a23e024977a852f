"""What asking for a column costs: given as a dict or a file, kept by column."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.data.pricelist import read_price_list
from bough.data.schema import Schema
from bough.data.table import Array
from bough.errors import DataError, OptionError, nearest

__all__ = ["TestCosts", "test_costs"]


@dataclass(frozen=True)
class TestCosts:
    """What it costs to ask for each column, in the order of the schema.

    A column already asked for on the path is free. Columns of one group share `group_cost`, paid
    with the first of them (one blood sample); their own `cost` comes on top.
    """

    __test__ = False  # the name is not for pytest

    cost: Array
    """float64[columns]"""
    group: Array
    """int32[columns]; −1: none"""
    group_cost: Array
    """float64[groups]"""

    def prices(self, asked: Iterable[int]) -> Array:
        """float64[columns]: what each column costs once these have been asked for."""
        at = sorted(set(asked))
        paid = {int(self.group[c]) for c in at}
        shared = [0.0 if g in paid or g < 0 else self.group_cost[g] for g in self.group.tolist()]
        found: Array = self.cost + np.array(shared)
        found[at] = 0.0
        return found

    def of_path(self, columns: Iterable[int]) -> float:
        """What a path that asks these columns costs."""
        asked = sorted(set(columns))
        groups = {int(self.group[c]) for c in asked} - {-1}
        return float(self.cost[asked].sum() + self.group_cost[sorted(groups)].sum())

    def of_columns(self, names: Sequence[str], kept: Sequence[str]) -> TestCosts:
        """The same for some of the columns."""
        places = {name: place for place, name in enumerate(names)}
        at = [places[name] for name in kept]
        return replace(self, cost=self.cost[at], group=self.group[at])


def test_costs(given: Any, schema: Schema) -> TestCosts:
    """{"age": 0, "glucose": 17.6, ("T3", "T4"): {"shared": 2.1, "T3": 9, "T4": 6}}: by column name;
    a tuple of names is a group. Or a CSV file, see data/pricelist.py. Other columns are free."""
    if isinstance(given, TestCosts):
        if len(given.cost) != len(schema.columns):
            raise OptionError(
                f"test_costs are for {len(given.cost)} columns, and the table has "
                f"{len(schema.columns)}: give them by name."
            )
        return given
    if isinstance(given, str | os.PathLike):
        given = read_price_list(given)
    if not isinstance(given, Mapping):
        raise OptionError(
            f'test_costs={given!r} is not allowed: give a dict, as in {{"glucose": 17.6}}, or the '
            "path of a CSV file."
        )
    cost = np.zeros(len(schema.columns))
    group = np.full(len(schema.columns), -1, np.int32)
    group_cost: list[float] = []
    for names, value in given.items():
        if not isinstance(names, tuple):
            cost[_column(names, schema)] = _amount(names, value)
            continue
        _check_group(names, value)
        for name in names:
            if group[_column(name, schema)] >= 0:
                raise OptionError(f'test_costs: the column "{name}" is in two groups.')
            if name in given:
                raise OptionError(f'test_costs: the column "{name}" stands alone and in a group.')
            group[_column(name, schema)] = len(group_cost)
            cost[_column(name, schema)] = _amount(name, value.get(name, 0.0))
        group_cost.append(_amount(names, value["shared"]))
    return TestCosts(cost, group, np.array(group_cost, dtype=np.float64))


test_costs.__test__ = False  # type: ignore[attr-defined]


def _check_group(names: tuple[Any, ...], value: Any) -> None:
    if not isinstance(value, Mapping) or "shared" not in value:
        raise OptionError(
            f'test_costs[{names!r}] is {value!r}: give {{"shared": cost, …}} for a group.'
        )
    if "shared" in names:
        raise OptionError(
            f'test_costs[{names!r}]: a column named "shared" cannot be bought with others, for the '
            "word says what the group costs. Rename it."
        )
    for name in value:
        if name != "shared" and name not in names:
            raise OptionError(
                f'test_costs[{names!r}] gives a cost for "{name}", which is not in the group.'
                f"{nearest(str(name), [str(n) for n in names])}"
            )


def _column(name: Any, schema: Schema) -> int:
    if name not in schema.index:
        raise DataError(
            f'test_costs names the column "{name}", which the table does not have.'
            f"{nearest(str(name), schema.names)}"
        )
    return schema.index[name]


def _amount(name: Any, value: Any) -> float:
    try:
        amount = float(value)
    except (TypeError, ValueError):
        amount = float("nan")
    if not (amount >= 0 and np.isfinite(amount)):
        raise OptionError(
            f"test_costs: asking for {name!r} costs {value!r}; give a number from 0 up."
        )
    return amount
