"""What each column is: its kind, its levels, and what is odd about it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from bough.data.raw import Raw, as_levels, names_of, numbers_if_all, parse_number, recode, row_of
from bough.data.schema import KINDS, Column, Kind, level_text
from bough.data.table import Array
from bough.errors import DataError, OptionError, nearest

__all__ = ["Oddities", "by_column", "check_overrides", "infer_column", "number_values"]

EXACT_INTS = float(2**53)
MANY_LEVELS = 1000
SOME_LEVELS = 20
"""More levels than this are too many when they have fewer than two rows each on average."""
IDENTIFIER_ROWS = 10
RISING_ROWS = 20
"""In so few rows whole numbers may rise or fall by chance, or in a table made by hand."""
MOST_MARKS = 5
MOST_TOLD = 5
"""Columns that a note about each of them, or flags for each of them, name."""
DATE_LIKE = re.compile(r"\d{1,2}([/.-])\d{1,2}\1\d{2,4}(\D|$)")


@dataclass
class Oddities:
    """Names of columns by what is odd about them; told together, not one by one."""

    identifiers: list[str] = field(default_factory=list)
    nearly_unique: list[str] = field(default_factory=list)
    unsupported: list[tuple[str, str]] = field(default_factory=list)
    all_missing: list[str] = field(default_factory=list)
    constant: list[str] = field(default_factory=list)
    rising: list[str] = field(default_factory=list)
    many_levels: list[tuple[str, int, int]] = field(default_factory=list)
    rounded: list[str] = field(default_factory=list)
    marked: list[tuple[str, list[str]]] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)

    def notes(self) -> tuple[str, ...]:
        return tuple(
            note
            for note in (
                *_about_ignored(self),
                _about(self.all_missing, "Every cell is missing in {}."),
                _about(self.constant, "Only one value in {}: no question can be asked of it."),
                *_about_rising(self.rising),
                *_about_levels(self),
                _about(
                    self.rounded,
                    "Whole numbers beyond 9,007,199,254,740,992 are rounded in {}. "
                    "An identifier is better ignored, or given as text.",
                ),
                _about(
                    self.dates,
                    "The cells of {} look like dates but are read as text: write dates as "
                    "year-month-day (2013-02-01), since 1/2/2013 is read in two ways.",
                ),
                *(_about_marks(name, marks) for name, marks in self.marked),
            )
            if note
        )


def _about(names: Sequence[str], text: str) -> str:
    return text.format(names_of(names)) if names else ""


def _about_ignored(odd: Oddities) -> list[str]:
    notes = [
        _about(
            odd.identifiers,
            "Ignored {}: a different text in every row, so probably an identifier. "
            "To use it all the same, make it a category.",
        ),
        _about(
            odd.nearly_unique,
            "Ignored {}: nearly all texts differ (fewer than two rows each on average), so a tree "
            "would learn rows by heart. To use it all the same, make it a category.",
        ),
    ]
    if odd.unsupported:
        types = sorted({kind for _, kind in odd.unsupported})
        names = names_of([name for name, _ in odd.unsupported])
        notes.append(f"Ignored {names}: cells of type {', '.join(types)} cannot be used.")
    return notes


def _about_rising(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    flags = " ".join(f"--ignore {name}" for name in names[:MOST_TOLD])
    return [
        f"{names_of(names)}: another whole number in every row, in order, so perhaps an "
        f"identifier. To leave it out: ignore={list(names[:MOST_TOLD])!r} ({flags})."
    ]


def _about_levels(odd: Oddities) -> list[str]:
    return [
        f'The category column "{name}" has {n:,} levels in {rows:,} rows: splits on it may only '
        f'fit these rows. To leave it out: ignore=["{name}"] (--ignore {name}).'
        for name, n, rows in odd.many_levels[:MOST_TOLD]
    ]


def _about_marks(name: str, marks: Sequence[str]) -> str:
    told = ", ".join(f'"{mark}"' for mark in marks)
    return (
        f'"{name}" is read as a category, though its cells are numbers but for {told}. '
        f'If that means missing, say missing_marks={list(marks)!r} (--missing "{",".join(marks)}").'
    )


def by_column(option: str, given: Any) -> Mapping[Any, Any]:
    """What was said column by column; None is nothing."""
    if given is not None and not isinstance(given, Mapping):
        example = {"kinds": '{"zip": "category"}', "ordered": '{"grade": ["low", "mid", "high"]}'}
        raise OptionError(
            f"{option}={given!r} is not allowed: give a dict by column, such as {example[option]}."
        )
    return given or {}


def check_overrides(
    names: Sequence[str],
    kinds: Mapping[str, Kind],
    ordered: Mapping[str, Sequence[str]],
    ignore: Sequence[str],
) -> None:
    """Every name given by hand must be a column, every kind one of the three."""
    known = set(names)
    for option, given in (
        ("kinds (--category, --number)", kinds),
        ("ordered (--ordered)", ordered),
        ("ignore (--ignore)", ignore),
    ):
        for name in given:
            if name not in known:
                raise DataError(
                    f'{option} names "{name}", which is not a column.{nearest(name, names)} '
                    f"The columns are: {names_of(names, 12)}."
                )
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise OptionError(
                f'kinds says "{name}" is {kind!r}.{nearest(str(kind), KINDS)} '
                f"The kinds are: {', '.join(KINDS)}."
            )
        if name in ordered and kind != "ordered":
            raise OptionError(f'"{name}" has an order in ordered= but kind "{kind}" in kinds=.')


def infer_column(
    raw: Raw, odd: Oddities, kind: Kind | None, order: Sequence[str] | None, rows: Array | None
) -> tuple[Column, Array] | None:
    """The column and its cells; None when it is ignored. `rows` numbers the rows of the source."""
    if raw.unsupported is not None:
        if kind is not None or order is not None:
            raise DataError(
                f'Column "{raw.name}" holds cells of type {raw.unsupported}, which cannot be used.'
            )
        odd.unsupported.append((raw.name, raw.unsupported))
        return None
    if raw.guessed and (order is not None or kind is not None):
        raw = numbers_if_all(raw)  # read as text, lest "02139" lost its zero
    if order is not None:
        return _ordered(raw, order, rows)
    if kind == "number" or (kind is None and raw.levels is None):
        return _number(raw, odd, rows)
    if kind == "ordered" or (kind is None and raw.ordered):
        return _ordered(_own_order(raw), None, rows)
    return _category(raw, odd, guess=kind is None)


def _number(raw: Raw, odd: Oddities, rows: Array | None) -> tuple[Column, Array]:
    raw = number_values(raw, rows)
    low, high = raw.limits()
    if math.isinf(low) or math.isinf(high):
        raise infinite(raw, rows)
    if low != low:
        odd.all_missing.append(raw.name)
    elif low == high and not np.isnan(raw.values).any():
        odd.constant.append(raw.name)
    if raw.form == "int" and max(-low, high) > EXACT_INTS:
        odd.rounded.append(raw.name)
    if raw.form == "int" and _rises_or_falls(raw.values):
        odd.rising.append(raw.name)
    return Column(raw.name, "number", form=raw.form), raw.values


def _rises_or_falls(values: Array) -> bool:
    """Whether every row has a larger number than the one before it, or every row a smaller one."""
    if len(values) <= RISING_ROWS:
        return False
    up = 1.0 if values[1] > values[0] else -1.0
    # Most columns give themselves away early.
    return all(bool((np.diff(part) * up > 0).all()) for part in (values[:1000], values))


def infinite(raw: Raw, rows: Array | None) -> DataError:
    row = row_of(np.isinf(raw.values), rows)
    return DataError(
        f'Column "{raw.name}" has an infinite number in row {row}. Give a finite number or leave '
        "the cell empty (missing)."
    )


def number_values(raw: Raw, rows: Array | None) -> Raw:
    """A column as numbers; an error names the first text that is none."""
    if raw.levels is None:
        return raw
    if raw.form == "bool":
        values = np.where(raw.values < 0, np.nan, raw.values)
        return replace(raw, values=values, levels=None, form="int")
    numbers = [parse_number(level) for level in raw.levels]
    wrong = [code for code, number in enumerate(numbers) if number is None]
    if wrong:
        bad = np.isin(raw.values, wrong)
        if bad.any():
            text = raw.levels[raw.values[int(np.argmax(bad))]]
            raise DataError(
                f'Column "{raw.name}" must hold numbers, but row {row_of(bad, rows)} has "{text}". '
                f'If that means missing, say missing_marks=["{text}"] (--missing "{text}").'
            )
    table = [math.nan if number is None else number for number in numbers]
    whole = all(number is not None and number.is_integer() for number in numbers)
    values = np.array([*table, math.nan], np.float64)[raw.values]
    return replace(raw, values=values, levels=None, form="int" if whole else "float")


def _own_order(raw: Raw) -> Raw:
    """The order a column has of itself: that of numbers, or the one the source declares."""
    if raw.levels is None or raw.ordered or raw.form in ("int", "float", "bool"):
        return _sorted_numbers(as_levels(raw))
    raise DataError(
        f'Column "{raw.name}" is text, so its order must be given: '
        f'ordered={{"{raw.name}": [{", ".join(repr(level) for level in raw.levels[:3])}, …]}} '
        f"(--ordered {raw.name}={','.join(raw.levels[:3])},…)."
    )


def _sorted_numbers(raw: Raw) -> Raw:
    if raw.ordered or raw.form not in ("int", "float"):
        return raw
    levels = tuple(sorted(raw.levels or (), key=float))
    return replace(raw, values=recode(raw, levels), levels=levels)


def _ordered(raw: Raw, order: Sequence[str] | None, rows: Array | None) -> tuple[Column, Array]:
    raw = as_levels(raw)
    levels = cast("tuple[str, ...]", raw.levels)
    if order is not None:
        listed = isinstance(order, Collection) and not isinstance(order, str)
        levels = tuple(str(level_text(level)) for level in order) if listed else ()
        if not listed or len(set(levels)) < len(levels):
            raise DataError(f'ordered must list the levels of "{raw.name}" once each: {order!r}.')
    values = recode(raw, levels, other=-2)
    wrong = values == -2
    if wrong.any():
        lacking = [raw.levels[code] for code in np.unique(raw.values[wrong])]  # type: ignore[index]
        raise DataError(
            f'The order given for "{raw.name}" lacks {names_of(lacking, 3)} '
            f"(row {row_of(wrong, rows)}). It lists: {names_of(levels, 12)}."
        )
    return Column(raw.name, "ordered", levels, raw.form), values


def _category(raw: Raw, odd: Oddities, guess: bool) -> tuple[Column, Array] | None:
    raw = used_levels(as_levels(raw))
    levels = cast("tuple[str, ...]", raw.levels)
    is_text = raw.form == "text" and not raw.declared
    if guess and is_text and levels and all(map(DATE_LIKE.match, levels)):
        odd.dates.append(raw.name)
    marks = _marks(raw) if guess and is_text else []
    if guess and is_text and not marks and _is_identifier(raw):
        odd.identifiers.append(raw.name)
        return None
    if not len(raw.values) or raw.values.max() < 0:
        odd.all_missing.append(raw.name)
    elif (raw.values == raw.values[0]).all():
        odd.constant.append(raw.name)
    n_known = int(np.count_nonzero(raw.values >= 0))
    nearly_unique = len(levels) > SOME_LEVELS and 2 * len(levels) > n_known
    if guess and is_text and not marks and nearly_unique:
        odd.nearly_unique.append(raw.name)
        return None
    if len(levels) > MANY_LEVELS or nearly_unique:
        odd.many_levels.append((raw.name, len(levels), n_known))
    if marks:
        odd.marked.append((raw.name, marks))
    return Column(raw.name, "category", levels, raw.form), raw.values


def used_levels(raw: Raw) -> Raw:
    """Levels in their order: sorted and used ones only, unless the source declares them."""
    if raw.declared or raw.form == "bool":
        return raw
    levels = cast("tuple[str, ...]", raw.levels)
    used = np.zeros(len(levels) + 1, bool)
    used[raw.values] = True
    kept = [level for level, is_used in zip(levels, used, strict=False) if is_used]
    if raw.form == "text":
        kept.sort()
    elif raw.form in ("int", "float"):
        kept.sort(key=float)
    if tuple(kept) == levels:
        return raw
    return replace(raw, values=recode(raw, kept), levels=tuple(kept))


def _is_identifier(raw: Raw) -> bool:
    n_known = len(raw.levels or ())
    return n_known >= IDENTIFIER_ROWS and n_known == np.count_nonzero(raw.values >= 0)


def _marks(raw: Raw) -> list[str]:
    """The few texts that keep a column from being numeric; none if it is just text."""
    marks: list[int] = []
    levels = raw.levels or ()
    for code, level in enumerate(levels):
        if parse_number(level) is None:
            marks.append(code)
            if len(marks) > MOST_MARKS:
                return []
    if len(levels) < 2 * len(marks) + 3:
        return []
    known = np.count_nonzero(raw.values >= 0)
    marked = np.count_nonzero(np.isin(raw.values, marks))
    return [levels[code] for code in marks] if 2 * marked <= known else []
