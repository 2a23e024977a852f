"""Every parameter of growing, written once: its default, what is allowed, what it does.

The signatures of `bough.grow` and of the command line and the reference page are made from, or
compared with, this table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from bough.data.policies import POLICIES
from bough.errors import OptionError, nearest

__all__ = ["OPTIONS", "GrowOptions", "Option", "check_options"]

Type = Literal["choice", "policy", "count", "rows", "number", "share", "flag"]


@dataclass(frozen=True)
class Option:
    """One parameter. `type` says how a value is checked:

    choice: one of `choices`; policy: the same, or a dict of them by column;
    count: whole number ≥ `least`, or None for no limit;
    rows: whole number ≥ `least`, or a share between 0 and 1; number: ≥ `least`; share: from 0 to 1;
    flag: yes or no.
    """

    name: str
    type: Type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    optional: bool = False
    """None is allowed and means no limit."""
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
        }[self.type]
        return words + (", or None for no limit" if self.optional else "")


OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(
            "criterion",
            "choice",
            "auto",
            "what a split is judged by; auto is gini for classes, squared_error for numbers",
            choices=(
                "auto",
                "entropy",
                "gain_ratio",
                "gini",
                "twoing",
                "error",
                "chi2",
                "squared_error",
                "cost_gini",
                "significance",
            ),
        ),
        Option(
            "ratio_among",
            "choice",
            "average",
            "gain ratio: compare only splits of at least average gain (C4.5), or all",
            choices=("average", "all"),
        ),
        Option(
            "categories",
            "choice",
            "subset",
            "category columns: two sides, one child per level, one level and the rest, or one "
            "child per group of levels whose classes do not differ (ordered columns, too)",
            choices=("subset", "branches", "one_vs_rest", "merged"),
        ),
        Option(
            "merge_p",
            "share",
            0.05,
            "merged: levels go together while p of the χ² between them is above this",
        ),
        Option(
            "max_p",
            "share",
            None,
            "significance: the largest p of a split, multiplied by the ways there were to split",
            optional=True,
        ),
        Option("max_depth", "count", None, "longest path, in questions", least=0, optional=True),
        Option(
            "max_leaves",
            "count",
            None,
            "number of leaves; the most profitable splits are made first",
            least=1,
            optional=True,
        ),
        Option(
            "min_rows_split",
            "rows",
            2,
            "fewest rows a node may be split with (or share of all)",
            least=2,
        ),
        Option("min_rows_leaf", "rows", 1, "fewest rows in a child (or share of all)", least=1),
        Option("min_gain", "number", 0.0, "least gain of a split, measured at its node"),
        Option(
            "min_drop",
            "number",
            0.0,
            "least gain of a split times the share of all weight that reaches the node",
        ),
        Option(
            "stop_error",
            "number",
            0.0,
            "regression: a node whose mean squared error is below this is a leaf",
        ),
        Option(
            "zero_gain",
            "choice",
            "split",
            "no column gains anything, yet the node is impure: split (XOR needs it) or stop",
            choices=("split", "stop"),
        ),
        Option(
            "empty_branch",
            "choice",
            "parent",
            "a branch no row takes answers like its parent, or says it does not know",
            choices=("parent", "unknown"),
        ),
        Option(
            "equality",
            "choice",
            "<=",
            "values equal to a threshold go with the smaller (<=) or the larger (<) ones",
            choices=("<=", "<"),
        ),
        Option(
            "threshold",
            "choice",
            "midpoint",
            "between two neighbours: their midpoint, the observed value, or the shortest decimal",
            choices=("midpoint", "observed", "short"),
        ),
        Option(
            "missing",
            "policy",
            "learned",
            "what becomes of missing cells, see docs/missing.md; for some columns: a dict by name",
            choices=tuple(POLICIES),
            flag="--missing-policy",
        ),
        Option(
            "missing_share",
            "number",
            0.7,
            "with drop_columns: a column missing in a larger share of the rows is left out",
        ),
        Option(
            "cost_use",
            "choice",
            "auto",
            "where costs are felt while growing: in the criterion (Gini), by altered priors, or "
            "only in the answers; auto is the criterion for gini, altered priors for others",
            choices=("auto", "criterion", "priors", "answers"),
        ),
        Option("runners_up", "flag", False, "keep the best split of every other column"),
        Option(
            "threads", "count", None, "threads to use; the tree is the same", least=1, optional=True
        ),
    )
}


class GrowOptions(TypedDict, total=False):
    """The same options as keywords of `bough.grow`, for editors and type checkers."""

    criterion: str
    ratio_among: str
    categories: str
    merge_p: float
    max_p: float | None
    max_depth: int | None
    max_leaves: int | None
    min_rows_split: int | float
    min_rows_leaf: int | float
    min_gain: float
    min_drop: float
    stop_error: float
    zero_gain: str
    empty_branch: str
    equality: str
    threshold: str
    missing: str | Mapping[str, str]
    missing_share: float
    cost_use: str
    runners_up: bool
    threads: int | None


def check_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options, the given ones checked, the others at their defaults."""
    for name in given:
        if name not in OPTIONS:
            raise OptionError(
                f'There is no option "{name}".{nearest(name, OPTIONS)} '
                f"The options are: {', '.join(OPTIONS)}."
            )
    return {
        name: _checked(option, given[name]) if name in given else option.default
        for name, option in OPTIONS.items()
    }


def _checked(option: Option, value: Any) -> Any:
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
