"""The target and the weights: what is predicted, and how much a row counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.infer import infinite, number_values, used_levels
from bough.data.raw import Raw, row_of
from bough.data.schema import TASKS, Target, Task
from bough.data.table import Array
from bough.errors import DataError, OptionError, nearest

__all__ = ["class_codes", "target_of", "weights_of"]

MOST_INT_CLASSES = 20
MANY_CLASSES = 100
LARGEST = 1e150
MOST_SPAN = 100_000
"""Whole numbers as far apart as this are counted in a table."""


def target_of(raw: Raw, task: Task | None, rows: Array | None) -> tuple[Target, Array, list[str]]:
    """The target and its values: int32 class codes, or float64. No cell may be missing."""
    if task is not None and task not in TASKS:
        raise OptionError(
            f"task={task!r} is not allowed.{nearest(str(task), TASKS)} Choose one of: "
            f"{', '.join(TASKS)}; or leave it out to have it inferred."
        )
    if task == "regression":
        raw = _for_regression(raw, rows)
    if raw.levels is not None:
        return _classes(raw)
    if np.isinf(raw.values).any():
        raise infinite(raw, rows)
    if np.abs(raw.values).max(initial=0.0) > LARGEST:
        raise DataError(
            f'The target "{raw.name}" has numbers beyond ±{LARGEST:g}, whose squares no computer '
            "number can hold. Divide it by a power of ten."
        )
    if task == "regression" or (task is None and not _few_whole_numbers(raw)):
        if raw.values.min() == raw.values.max():
            raise _constant(raw.name, repr(float(raw.values[0])))
        return Target(raw.name, "regression"), raw.values.astype(np.float64), []
    return _number_classes(raw)


def _for_regression(raw: Raw, rows: Array | None) -> Raw:
    try:
        return number_values(raw, rows)
    except DataError as error:
        raise DataError(f"Regression needs a target of numbers. {error}") from error


def _few_whole_numbers(raw: Raw) -> bool:
    if raw.form not in ("int", "float"):
        return False  # dates
    values = raw.values
    for part in (values[:1000], values):  # most targets give themselves away early
        if (part != np.floor(part)).any() or len(np.unique(part)) > MOST_INT_CLASSES:
            return False
    return True


def _number_classes(raw: Raw) -> tuple[Target, Array, list[str]]:
    numbers, codes = _distinct(raw.values)
    if len(numbers) == 1:
        raise _constant(raw.name, f"{numbers[0]:g}")
    whole = bool((numbers == np.floor(numbers)).all())
    classes = tuple(int(n) if whole else float(n) for n in numbers)
    return Target(raw.name, "classification", classes), codes, _many(raw, classes)


def _distinct(values: Array) -> tuple[Array, Array]:
    """The distinct numbers, rising, and the place of every value among them as int32."""
    low, high = values.min(), values.max()
    if high - low < MOST_SPAN and (values == np.floor(values)).all():  # no need to sort
        place = (values - low).astype(np.int32)
        present = np.bincount(place) > 0
        code = np.cumsum(present, dtype=np.int32) - 1
        return low + np.flatnonzero(present), code[place]
    numbers, codes = np.unique(values, return_inverse=True)
    return numbers, codes.astype(np.int32)


def _classes(raw: Raw) -> tuple[Target, Array, list[str]]:
    raw = replace(raw, declared=False)
    if raw.form == "bool":
        present = np.unique(raw.values)
        if len(present) == 1:
            raise _constant(raw.name, raw.labels()[present[0]])
    raw = used_levels(raw)
    classes = raw.labels()
    if len(classes) == 1:
        raise _constant(raw.name, f'"{classes[0]}"' if raw.form == "text" else str(classes[0]))
    return Target(raw.name, "classification", classes), raw.values, _many(raw, classes)


def _many(raw: Raw, classes: tuple[Any, ...]) -> list[str]:
    if len(classes) <= MANY_CLASSES:
        return []
    note = f'The target "{raw.name}" has {len(classes):,} classes.'
    if raw.levels is None:
        note += ' To predict it as a number, say task="regression".'
    return [note]


def _constant(name: str, value: Any) -> DataError:
    return DataError(
        f'The target "{name}" has one value, {value}: there is nothing to learn. Choose another '
        "target, or give rows of other values."
    )


def class_codes(raw: Raw, target: Target, rows: Array | None) -> Array:
    """The target of new rows as codes of known classes, or as numbers."""
    if target.task == "regression":
        raw = _for_regression(raw, rows)
        if np.isinf(raw.values).any():
            raise infinite(raw, rows)
        return raw.values.astype(np.float64)
    if raw.levels is None:
        labels, codes = np.unique(raw.values, return_inverse=True)
        names: tuple[Any, ...] = tuple(labels.tolist())
    else:
        codes, names = raw.values, raw.labels()
    table = np.array([_class_code(name, target) for name in names], np.int32)
    out = table[codes] if len(table) else codes.astype(np.int32)
    unknown = out < 0
    if unknown.any():
        name = names[codes[int(np.argmax(unknown))]]
        shown = ", ".join(str(known) for known in target.classes[:12])
        raise DataError(
            f'The target "{target.name}" has the class "{name}" in row {row_of(unknown, rows)}, '
            f"which the tree does not know. It knows: {shown}"
            f"{', …' if len(target.classes) > 12 else ''}."
        )
    return out


def _class_code(label: Any, target: Target) -> int:
    """The place of a class; the text "1" is the class 1, and the other way round."""
    if label in target.classes:
        return target.classes.index(label)
    shown = int(label) if isinstance(label, float) and label.is_integer() else label
    texts = [
        str(known).lower() if isinstance(known, bool) else str(known) for known in target.classes
    ]
    text = str(shown).lower() if isinstance(shown, bool) else str(shown)
    return texts.index(text) if text in texts else -1


def weights_of(raw: Raw, n_rows: int) -> Array:
    """Weights as float64, each finite and not negative, and not all zero."""
    given = f'The weights "{raw.name}"'
    if raw.unsupported is not None or raw.levels is not None:
        raise DataError(f"{given} must be numbers, not {raw.unsupported or raw.form}.")
    weights = raw.values.astype(np.float64)
    if len(weights) != n_rows:
        raise DataError(f"{given} have {len(weights)} entries for {n_rows} rows.")
    for wrong, what in (
        (np.isnan(weights), "missing"),
        (np.isinf(weights), "infinite"),
        (weights < 0, "negative"),
    ):
        if wrong.any():
            row = row_of(wrong)
            raise DataError(
                f"{given} are {what} in row {row}: a weight must be a number from 0 up."
            )
    if not weights.any():
        raise DataError(f"{given} are all 0: no row would count.")
    return weights
