"""Every parameter of growing, written once: its default, what is allowed, what it does.

The signatures of `bough.grow` and of the command line and the reference page are made from, or
compared with, this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from bough.data.policies import POLICIES
from bough.errors import OptionError, nearest
from bough.option import Option, check_option
from bough.prune_checks import check_pruning

__all__ = ["OPTIONS", "GrowOptions", "check_options"]

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
            "max_adjusted_p",
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
        Option(
            "cost_rule",
            "choice",
            "nunez",
            "with test costs: columns are compared by gain / cost (norton), gain² / cost (tan), or "
            "(2^gain − 1) / (cost + 1) (nunez)",
            choices=("norton", "tan", "nunez"),
        ),
        Option("runners_up", "flag", False, "keep the best split of every other column"),
        Option(
            "exact",
            "flag",
            True,
            "look at every threshold; otherwise nodes of more than 2,048 rows are cut between "
            "parts of about equal size only",
        ),
        Option(
            "threads", "count", None, "threads to use; the tree is the same", least=1, optional=True
        ),
        Option(
            "prune",
            "pruning",
            None,
            "how the grown tree is cut back: a method of docs/pruning.md, its options beside it",
            optional=True,
            nothing="for no pruning",
        ),
    )
}


class GrowOptions(TypedDict, total=False):
    """The same options as keywords of `bough.grow`, for editors and type checkers."""

    criterion: str
    ratio_among: str
    categories: str
    merge_p: float
    max_adjusted_p: float | None
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
    cost_rule: str
    runners_up: bool
    exact: bool
    threads: int | None
    prune: str | Mapping[str, Any] | None


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
    return check_pruning(value) if option.type == "pruning" else check_option(option, value)
