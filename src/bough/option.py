"""One parameter: its default, what is allowed, what it does; and the check of a value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bough.errors import OptionError, nearest

__all__ = ["Option", "check_option"]

Type = Literal["choice", "policy", "count", "rows", "number", "share", "flag", "pruning"]


@dataclass(frozen=True)
class Option:
    """One parameter. `type` says how a value is checked:

    choice: one of `choices`; policy: the same, or a dict of them by column;
    count: whole number ≥ `least`, or None for no limit;
    rows: whole number ≥ `least`, or a share between 0 and 1; number: ≥ `least`; share: from 0 to 1;
    flag: yes or no;
    pruning: a method's name, or a dict with its options (bough.prune_options checks it).
    """

    name: str
    type: Type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    optional: bool = False
    """None is allowed."""
    nothing: str = "for no limit"
    """What None means."""
    flag: str = ""
    """On the command line, where it is not `--name-with-dashes`."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.type in ("choice", "policy"):
            return "one of " + ", ".join(self.choices)
        least = f"{self.least:g}"
        words = {
            "flag": "yes or no",
            "count": f"a whole number from {least} up",
            "rows": f"a whole number from {least} up, or a share of the rows above 0 and up to 1.0",
            "number": f"a number from {least} up",
            "share": "a number from 0 to 1",
            "pruning": "the name of a pruning method, or a dict with its options",
        }[self.type]
        return words + (f", or None {self.nothing}" if self.optional else "")


def check_option(option: Option, value: Any) -> Any:
    """The value, if it is allowed."""
    if value is None and option.optional:
        return None
    if option.type == "policy" and isinstance(value, Mapping):
        return {column: _choice(option, word) for column, word in value.items()}
    if option.type in ("choice", "policy"):
        return _choice(option, value)
    if option.type == "flag":
        if not isinstance(value, bool) and type(value).__name__ != "bool":
            raise OptionError(f"{option.name}={value!r} is not allowed: give True or False.")
        return bool(value)
    return _checked_number(option, value)


def _choice(option: Option, value: Any) -> str:
    if not isinstance(value, str) or value not in option.choices:
        close = nearest(value, option.choices) if isinstance(value, str) else ""
        raise OptionError(
            f"{option.name}={value!r} is not allowed.{close} "
            f"Choose one of: {', '.join(option.choices)}."
        )
    return value


def _checked_number(option: Option, value: Any) -> int | float:
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool) or not isinstance(number, int | float) or math.isnan(number):
        raise OptionError(f"{option.name}={value!r} is not a number. Allowed: {option.allowed}.")
    whole = isinstance(number, int) or (option.type == "count" and number.is_integer())
    fits = {
        "count": whole and number >= option.least,
        "rows": number >= option.least if whole else 0.0 < number <= 1.0,
        "number": number >= option.least and not math.isinf(number),
        "share": 0.0 <= number <= 1.0,
    }[option.type]
    if not fits:
        raise OptionError(f"{option.name}={value!r} is out of range. Allowed: {option.allowed}.")
    return int(number) if whole and option.type not in ("number", "share") else float(number)
