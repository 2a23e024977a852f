"""Recipes: named bundles of options. Data, not classes; every option can be overridden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bough.data.schema import Task
from bough.errors import OptionError, nearest
from bough.options import check_options
from bough.prune_checks import check_pruning, check_task, find_method, with_own

__all__ = ["RECIPES", "Recipe", "find_recipe", "given_of", "is_own_pruning", "options_for"]


@dataclass(frozen=True)
class Recipe:
    """`criterion` per task; a task it leaves out is one the method does not know."""

    name: str
    help: str
    criterion: Mapping[Task, str]
    options: Mapping[str, Any] = field(default_factory=dict)


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "default",
            "a tree to read: at most 32 leaves, cut back to the least cross-validated error",
            {"classification": "gini", "regression": "squared_error"},
            {
                "max_leaves": 32,
                "min_rows_leaf": 5,
                "threshold": "short",
                "prune": {"method": "cost_complexity", "folds": 10, "rule": "minimum"},
            },
        ),
        Recipe(
            "id3",
            "Quinlan 1986: information gain, one branch per level, stops when nothing is gained",
            {"classification": "entropy"},
            {"categories": "branches", "zero_gain": "stop"},
        ),
        Recipe(
            "c45",
            "Quinlan 1993: gain ratio, one branch per level, missing cells shared out, pessimistic "
            "pruning",
            {"classification": "gain_ratio"},
            {
                "categories": "branches",
                "min_rows_leaf": 2,
                "threshold": "observed",
                "zero_gain": "stop",
                "missing": "fractional",
                "prune": {"method": "pessimistic", "cf": 0.25},
            },
        ),
        Recipe(
            "cart",
            "Breiman et al. 1984: Gini or squared error, two sides, surrogates, cost-complexity "
            "pruning",
            {"classification": "gini", "regression": "squared_error"},
            {
                "missing": "surrogate",
                "prune": {"method": "cost_complexity", "folds": 10, "rule": "one_se"},
            },
        ),
        Recipe(
            "chi2",
            "Moore's lectures: information gain, one branch per level; splits that chance could "
            "have made are cut",
            {"classification": "entropy"},
            {"categories": "branches", "prune": {"method": "chi_square", "max_p": 0.1}},
        ),
        Recipe(
            "chaid",
            "Kass 1980: levels that do not differ share a branch; the split of least adjusted p, "
            "as long as it is significant",
            {"classification": "significance"},
            {"categories": "merged", "missing": "own", "max_adjusted_p": 0.05, "min_rows_leaf": 5},
        ),
        Recipe(
            "stump",
            "one question: the split with the fewest errors (numbers: the least squared error)",
            {"classification": "error", "regression": "squared_error"},
            {"max_depth": 1},
        ),
    )
}


def options_for(task: Task, recipe: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a recipe with the given ones on top, whole and checked for the task."""
    bundle = find_recipe(recipe or "default")
    if task not in bundle.criterion and "criterion" not in given:
        able = ", ".join(name for name, other in RECIPES.items() if task in other.criterion)
        raise OptionError(
            f'The recipe "{bundle.name}" does not grow {task} trees. These do: {able}.'
        )
    merged = {**bundle.options, **given_of(bundle, given)}
    options = check_options({"criterion": bundle.criterion.get(task, "auto"), **merged})
    if options["criterion"] == "auto":
        options["criterion"] = bundle.criterion[task]
    _check_together(task, options)
    _check_missing(options, "" if "missing" in given else f' (of the recipe "{bundle.name}")')
    if options["prune"] is not None and not is_own_pruning({"recipe": bundle.name, **options}):
        check_task(find_method(options["prune"]["method"]), task)
    return options


def given_of(recipe: Recipe, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options; pruning options without a method are for that of the recipe."""
    if "prune" not in given:
        return dict(given)
    return {**given, "prune": with_own(given["prune"], recipe.options.get("prune"))}


def is_own_pruning(options: Mapping[str, Any]) -> bool:
    """Whether a whole set of options prunes just as its recipe says."""
    own = find_recipe(options.get("recipe", "default")).options.get("prune")
    return own is not None and bool(options["prune"] == check_pruning(own))


def find_recipe(name: str) -> Recipe:
    """The recipe of that name."""
    if not isinstance(name, str) or name not in RECIPES:
        raise OptionError(
            f'There is no recipe "{name}".{nearest(str(name), RECIPES)} '
            f"The recipes are: {', '.join(RECIPES)}."
        )
    return RECIPES[name]


def _check_together(task: Task, options: Mapping[str, Any]) -> None:
    criterion = options["criterion"]
    if (criterion == "squared_error") != (task == "regression"):
        fits = (
            "squared_error"
            if task == "regression"
            else "entropy, gain_ratio, gini, twoing, error, chi2, significance"
        )
        raise OptionError(
            f'criterion="{criterion}" does not fit {task}. Criteria for {task}: {fits}.'
        )
    categories = options["categories"]
    if criterion == "twoing" and categories in ("branches", "merged"):
        raise OptionError(
            f'criterion="twoing" compares two sides, so categories="{categories}" does not go with '
            'it. Use categories="subset" or "one_vs_rest", or another criterion.'
        )
    if task == "regression" and categories == "merged":
        raise OptionError(
            'categories="merged" puts levels together whose classes do not differ, so it does not '
            'fit regression. Use categories="subset", or make the target classes.'
        )
    if options["max_adjusted_p"] is not None and criterion != "significance":
        raise OptionError(
            f'max_adjusted_p={options["max_adjusted_p"]} is a limit of criterion="significance", '
            f'not of "{criterion}". Use that criterion, or max_adjusted_p=None.'
        )
    if task == "classification" and options["stop_error"] > 0:
        raise OptionError(
            f"stop_error={options['stop_error']} is for regression: it stops at a mean squared "
            "error. For classes use min_gain or max_depth."
        )


def _check_missing(options: Mapping[str, Any], whose: str) -> None:
    given = options["missing"]
    policies = {given} if isinstance(given, str) else set(given.values())
    if options["criterion"] == "twoing" and "own" in policies:
        raise OptionError(
            'criterion="twoing" compares two sides, so missing="own", which makes a third branch, '
            'does not go with it. Use missing="learned", or another criterion.'
        )
    categories = options["categories"]
    if "surrogate" in policies and categories in ("branches", "merged"):
        raise OptionError(
            f'missing="surrogate"{whose} stands in for splits with two sides, so '
            f'categories="{categories}" does not go with it. Use categories="subset", or '
            'missing="fractional".'
        )
