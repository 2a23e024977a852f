"""What may be asked of pruning: the methods and their options. How they prune is in bough.prune."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bough.data.schema import Task
from bough.errors import OptionError
from bough.option import Option

__all__ = ["GRID", "METHODS", "Method", "Options"]

Options = Mapping[str, Any]

GRID = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001)
"""What is tried when max_p is not given; 1 prunes nothing."""


@dataclass(frozen=True)
class Method:
    """One way of pruning."""

    name: str
    help: str
    options: tuple[Option, ...] = ()
    growing: tuple[Option, ...] = ()
    """More of them while growing: which rows the tree is not to see."""
    tasks: tuple[Task, ...] = ("classification", "regression")
    costs: bool = False
    """Whether a cost matrix can be taken into account."""
    held_out: Callable[[Options], bool] = lambda options: False
    """Whether, with these options, rows the tree has not seen decide; the others may do without."""
    trained: Callable[[Options], bool] = lambda options: False
    """Whether, with these options, the rows the tree was grown from are needed again."""
    check: Callable[[Options], None] = lambda options: None
    """Refuses options that do not go together."""


OUT = "to leave it out"
FOLDS = Option(
    "folds",
    "count",
    None,
    "choose by cross-validation with so many folds (reduced_error: hold out one of them); data is "
    "then what the tree was grown from",
    least=2,
    optional=True,
    nothing=OUT,
)
HOLDOUT = Option(
    "holdout",
    "number",
    None,
    "while growing: the share of the rows that is held out to prune by, 0.3 if nothing is said",
    optional=True,
    nothing=OUT,
)
SEED = Option("seed", "count", 0, "decides which rows go to which fold, or are held out")


# ---- what cannot be ------------------------------------------------------------------------------


def _by_number(options: Options) -> bool:
    return options["alpha"] is not None or options["leaves"] is not None


def _given_max_p(options: Options) -> bool:
    return isinstance(options["max_p"], float)


def _check_one_way(options: Options) -> None:
    ways = [name for name in ("alpha", "leaves", "folds") if options[name] is not None]
    if len(ways) > 1:
        raise OptionError(
            f"cost_complexity chooses in one way, and {' and '.join(ways)} are given. Give one: "
            "alpha, leaves, folds, or held-out rows alone."
        )


def _check_max_p(options: Options) -> None:
    given = options["max_p"]
    values = given if isinstance(given, list) else [given]
    for value in values:
        if value is not None and value > 1.0:
            raise OptionError(f"max_p={value:g} is out of range. Allowed: a number from 0 to 1.")
    if not values or (None in values and len(values) > 1):
        raise OptionError("max_p is a number from 0 to 1, several of them, or None.")


def _check_cf(options: Options) -> None:
    cf = options["cf"]
    if not 0.0 < cf < 1.0:
        raise OptionError(f"cf={cf:g} is out of range. Allowed: a number above 0 and below 1.")


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "reduced_error",
            "rows held out say whether a leaf would do as well as what is below the node",
            (
                Option(
                    "equal",
                    "choice",
                    "prune",
                    "leaf and subtree are equally good: prune (S1), or keep (S4)",
                    choices=("prune", "keep"),
                ),
                Option(
                    "label",
                    "choice",
                    "training",
                    "what a new leaf answers: the majority of its training rows (S1), or of its "
                    "pruning rows (S4)",
                    choices=("training", "pruning"),
                ),
            ),
            growing=(HOLDOUT, FOLDS, SEED),
            costs=True,
            held_out=lambda options: True,
        ),
        Method(
            "chi_square",
            "splits that chance alone could have made are deleted, unless one below is significant",
            (
                Option(
                    "max_p",
                    "number",
                    None,
                    "largest p value a split may have (from 0 to 1); several: the best of them on "
                    "the rows given; else the best of " + ", ".join(f"{p:g}" for p in GRID),
                    optional=True,
                    nothing=OUT,
                ),
                Option(
                    "p_value",
                    "choice",
                    "chi2",
                    "by the χ² distribution; or, where counts are small, by dealing the rows at "
                    "random",
                    choices=("chi2", "permutation"),
                ),
                FOLDS,
                SEED,
            ),
            growing=(HOLDOUT,),
            tasks=("classification",),
            costs=True,
            held_out=lambda options: not _given_max_p(options) and not options["folds"],
            trained=lambda options: not _given_max_p(options) and bool(options["folds"]),
            check=_check_max_p,
        ),
        Method(
            "cost_complexity",
            "the tree of least error + alpha · leaves, one of a nested path of trees",
            (
                Option(
                    "alpha",
                    "number",
                    None,
                    "what a leaf must win, as a share of error (numbers: of mean squared error)",
                    optional=True,
                    nothing=OUT,
                ),
                Option(
                    "leaves",
                    "count",
                    None,
                    "the largest tree of the path with at most so many leaves",
                    least=1,
                    optional=True,
                    nothing=OUT,
                ),
                FOLDS,
                Option(
                    "rule",
                    "choice",
                    "minimum",
                    "chosen by rows: the smallest error, or the smallest tree within one standard "
                    "error",
                    choices=("minimum", "one_se"),
                ),
                Option(
                    "measure",
                    "choice",
                    "error",
                    "what a leaf loses: its error (or cost), or its impurity as in scikit-learn",
                    choices=("error", "impurity"),
                ),
                SEED,
            ),
            growing=(HOLDOUT,),
            costs=True,
            held_out=lambda options: not _by_number(options) and not options["folds"],
            trained=lambda options: not _by_number(options) and bool(options["folds"]),
            check=_check_one_way,
        ),
        Method(
            "pessimistic",
            "C4.5: a leaf's errors are raised to a confidence bound; no held-out rows are needed",
            (
                Option(
                    "cf",
                    "number",
                    0.25,
                    "confidence factor, above 0 and below 1: the smaller, the more is pruned",
                ),
                Option(
                    "raising",
                    "flag",
                    False,
                    "subtree raising: the largest branch may take the place of its parent; data is "
                    "then what the tree was grown from",
                ),
                Option(
                    "slack",
                    "number",
                    0.1,
                    "a smaller tree may be expected to make so many errors more, as C4.5 allows",
                ),
            ),
            tasks=("classification",),
            trained=lambda options: bool(options["raising"]),
            check=_check_cf,
        ),
    )
}
