"""What mistakes cost, and how common the classes really are. What asking costs: prices.py."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.matrix import matrix_of_frame, read_matrix
from bough.data.schema import Target, level_text
from bough.data.table import Array, Table
from bough.errors import OptionError, nearest

__all__ = ["altered_priors", "cost_matrix", "weigh_classes"]

# ---- mistakes ------------------------------------------------------------------------------------


def cost_matrix(given: Any, target: Target) -> Array:
    """float64[k, k], row = actual class, column = answer, in the order of the classes.

    Takes a dict of dicts {actual: {answer: cost}} (what is left out costs 1, the right answer 0), a
    DataFrame or CSV file whose first column names the actual class, or an array.
    """
    if not target.classes:
        raise OptionError(f'costs are for classes, and the target "{target.name}" is a number.')
    if isinstance(given, str | os.PathLike):
        matrix = _from_mapping(_whole(read_matrix(given), target), target)
    elif hasattr(given, "__narwhals_dataframe__") or hasattr(given, "columns"):
        matrix = _from_mapping(_whole(matrix_of_frame(given), target), target)
    elif isinstance(given, Mapping):
        matrix = _from_mapping(given, target)
    else:
        matrix = _from_array(given, target)
    return _checked(matrix, target)


def _whole(table: dict[str, dict[str, Any]], target: Target) -> dict[str, dict[str, Any]]:
    """A table, other than a dict, gives the cost of every class."""
    lacking = [str(name) for name in target.classes if not {str(name), level_text(name)} & {*table}]
    if lacking:
        raise OptionError(
            f'The table of costs lacks the class "{lacking[0]}" of "{target.name}". It needs a '
            "row and a column for every class."
        )
    return table


def _places(target: Target) -> dict[str, int]:
    """The place of a class by its name; truth values may be written True or true."""
    names = {str(name): i for i, name in enumerate(target.classes)}
    return {str(level_text(name)): i for i, name in enumerate(target.classes)} | names


def _from_mapping(given: Mapping[Any, Any], target: Target) -> Array:
    places = _places(target)
    matrix = 1.0 - np.eye(len(target.classes))
    for actual, row in given.items():
        i = _place(actual, places, target)
        if not isinstance(row, Mapping):
            raise OptionError(
                f"costs[{actual!r}] is {row!r}: give a dict of costs by answer, as in "
                '{"bad": {"good": 5}}.'
            )
        for answer, cost in row.items():
            j = _place(answer, places, target)
            try:
                matrix[i, j] = float(cost)
            except (TypeError, ValueError):
                raise OptionError(
                    f"costs[{actual!r}][{answer!r}] is {cost!r}, which is not a number."
                ) from None
    return matrix


def _place(name: Any, places: Mapping[str, int], target: Target) -> int:
    if str(name) not in places:
        raise OptionError(
            f'costs name the class "{name}", which "{target.name}" does not have.'
            f"{nearest(str(name), places)} "
            f"The classes are: {', '.join(map(str, target.classes))}."
        )
    return places[str(name)]


def _from_array(given: Any, target: Target) -> Array:
    k = len(target.classes)
    try:
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"costs are {given!r}: give a table of numbers, or a dict.") from None
    if matrix.shape != (k, k):
        raise OptionError(
            f"costs have the shape {' × '.join(map(str, matrix.shape)) or 'of one number'}; the "
            f'{k} classes of "{target.name}" need {k} × {k}: row = actual, column = answer.'
        )
    return matrix


def _checked(matrix: Array, target: Target) -> Array:
    wrong = ~np.isfinite(matrix) | (matrix < 0)
    if wrong.any():
        i, j = (int(at) for at in np.argwhere(wrong)[0])
        raise OptionError(
            f"The cost of answering {target.classes[j]} when it is {target.classes[i]} is "
            f"{matrix[i, j]:g}. A cost is 0 or more."
        )
    if np.diag(matrix).any():
        i = int(np.flatnonzero(np.diag(matrix))[0])
        raise OptionError(
            f"Answering {target.classes[i]} when it is {target.classes[i]} costs {matrix[i, i]:g}. "
            "The right answer costs 0."
        )
    if not matrix.any():
        raise OptionError("All costs are 0, so every answer is as good as any other.")
    return matrix


def altered_priors(matrix: Array) -> Array:
    """Factors of the class weights that let any criterion feel the costs (Breiman et al. 1984):
    a class counts by what its mistakes cost together, on average 1."""
    factor: Array = matrix.sum(axis=1)
    scaled: Array = factor / factor.mean()
    return scaled


# ---- how common the classes are ------------------------------------------------------------------


def weigh_classes(
    table: Table,
    priors: Mapping[Any, float] | None,
    class_weight: Mapping[Any, float] | str | None,
) -> Table:
    """The table with the weight of every row multiplied by what its class asks for."""
    if (priors is None and class_weight is None) or table.target is None:
        return table
    target = table.schema.target
    if not target.classes:
        raise OptionError(
            f'priors and class_weight are for classes; the target "{target.name}" is a number.'
        )
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    totals = np.bincount(table.target, weights, len(target.classes))
    return replace(
        table, weights=weights * _factors(priors, class_weight, target, totals)[table.target]
    )


def _factors(
    priors: Mapping[Any, float] | None,
    class_weight: Mapping[Any, float] | str | None,
    target: Target,
    totals: Array,
) -> Array:
    """What to multiply the weight of every class with; `totals`: its weight in the table.

    priors: the share of each class where the tree will be used. class_weight: a factor per class,
    or "balanced", which gives all classes the same weight.
    """
    factor: Array = np.ones(len(target.classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise OptionError(
                f'class_weight="{class_weight}" is not allowed: "balanced" or a dict.'
            )
        factor = totals.sum() / (len(totals) * np.where(totals > 0, totals, np.inf))
    elif class_weight is not None:
        factor = _by_class(class_weight, "class_weight", target, default=1.0)
    if priors is not None:
        share = _by_class(priors, "priors", target, default=None)
        if abs(share.sum() - 1) > 1e-9:
            raise OptionError(f"priors add up to {share.sum():g}, not to 1.")
        factor = factor * share * totals.sum() / np.where(totals > 0, totals, np.inf)
    return factor


def _by_class(given: Any, word: str, target: Target, default: float | None) -> Array:
    if not isinstance(given, Mapping):
        raise OptionError(f"{word} is {given!r}: give a dict with a number for every class.")
    places = _places(target)
    values = np.full(len(target.classes), np.nan if default is None else default)
    for name, value in given.items():
        if str(name) not in places:
            raise OptionError(
                f'{word} names the class "{name}", which "{target.name}" does not have.'
                f"{nearest(str(name), places)}"
            )
        try:
            values[places[str(name)]] = float(value)
        except (TypeError, ValueError):
            raise OptionError(f"{word}[{name!r}] is {value!r}, which is not a number.") from None
    if np.isnan(values).any():
        lacking = target.classes[int(np.flatnonzero(np.isnan(values))[0])]
        raise OptionError(f'{word} gives no number for the class "{lacking}".')
    if (values < 0).any() or not np.isfinite(values).all() or not values.any():
        raise OptionError(f"{word} must be numbers from 0 up, not all 0: {dict(given)!r}.")
    return values
