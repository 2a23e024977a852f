"""Every parameter is written once, in options.py; all else agrees with it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import bough
from bough import _core
from bough.cli.flags import flag_of
from bough.cli.grow import grow as grow_command
from bough.data.schema import TASKS
from bough.errors import OptionError
from bough.option import Option
from bough.options import OPTIONS, GrowOptions, check_options
from bough.recipes import RECIPES, find_recipe, is_own_pruning, options_for

HINTS: dict[str, Any] = {
    "choice": str,
    "policy": str | Mapping[str, str],
    "count": int,
    "rows": int | float,
    "number": float,
    "share": float,
    "flag": bool,
    "pruning": str | Mapping[str, Any] | None,
}
NUMBERS = [o for o in OPTIONS.values() if o.type in ("count", "rows", "number", "share")]
CHOICES = [option for option in OPTIONS.values() if option.choices]


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(OptionError) as caught:
        call()
    return str(caught.value)


# ---- the same list everywhere ------------------------------------------------------------------


def test_keywords_of_grow() -> None:
    hints = get_type_hints(GrowOptions)
    assert list(hints) == list(OPTIONS)
    for name, hint in hints.items():
        option = OPTIONS[name]
        assert hint == (HINTS[option.type] | None if option.optional else HINTS[option.type]), name
    assert inspect.signature(bough.grow).parameters["options"].kind is inspect.Parameter.VAR_KEYWORD


def test_flags() -> None:
    flags = [p for p in grow_command.params if p.name in OPTIONS]
    assert [p.name for p in flags] == list(OPTIONS)
    for flag in flags:
        option = OPTIONS[str(flag.name)]
        assert flag.opts == [flag_of(option)]
        assert flag.default is None, "not given must be told from given"
        assert getattr(flag, "help", "").lower().startswith(option.help.lower() + ".")
    given = [name for param in grow_command.params for name in (*param.opts, *param.secondary_opts)]
    assert len(set(given)) == len(given)


def test_estimators() -> None:
    sklearn = pytest.importorskip("bough.sklearn")
    assert sorted(sklearn.OPTION_OF.values()) == sorted(OPTIONS)
    not_for = {
        sklearn.TreeClassifier: {"stop_error"},
        sklearn.TreeRegressor: {"ratio_among", "cost_use", "merge_p", "max_adjusted_p"},
    }
    for estimator, useless in not_for.items():
        told = set(inspect.signature(estimator).parameters)
        options = {sklearn.OPTION_OF[name] for name in told & set(sklearn.OPTION_OF)}
        assert options == set(OPTIONS) - useless, estimator


def test_criteria_of_the_core() -> None:
    assert sorted(OPTIONS["criterion"].choices) == sorted(["auto", *_core.criteria()])


def test_defaults_are_allowed_and_documented() -> None:
    assert check_options({}) == {name: option.default for name, option in OPTIONS.items()}
    for name, option in OPTIONS.items():
        assert check_options({name: option.default})[name] == option.default
        assert option.help[0].islower() and not option.help.endswith(".")
        assert bool(option.choices) == (option.type in ("choice", "policy"))
        assert option.allowed
        assert option.optional == option.allowed.endswith(f", or None {option.nothing}")


def test_every_option_is_kept_in_the_tree() -> None:
    tree = bough.grow({"a": [1, 2], "y": ["u", "v"]}, "y")
    assert set(tree.options) == {"recipe", *OPTIONS} - {"threads"}


# ---- recipes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_use_what_there_is(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name == name and recipe.help and recipe.criterion
    assert set(recipe.options) <= set(OPTIONS) - {"criterion"}
    for task, criterion in recipe.criterion.items():
        assert task in TASKS
        assert criterion in OPTIONS["criterion"].choices and criterion != "auto"
        options = options_for(task, name, {})
        assert options == {**check_options(recipe.options), "criterion": criterion}
        assert is_own_pruning({"recipe": name, **options}) == ("prune" in recipe.options)


@pytest.mark.parametrize("name", RECIPES)
def test_what_a_recipe_sets_can_be_overridden(name: str) -> None:
    for task in RECIPES[name].criterion:
        assert options_for(task, name, {"max_depth": 3})["max_depth"] == 3
        assert options_for(task, name, {"max_depth": None})["max_depth"] is None


def test_auto_is_the_criterion_of_the_recipe() -> None:
    assert options_for("classification", "c45", {"criterion": "auto"})["criterion"] == "gain_ratio"
    assert options_for("regression", None, {})["criterion"] == "squared_error"


def test_recipes_that_do_not_exist_or_do_not_fit() -> None:
    assert refusal(lambda: find_recipe("c4.5")).startswith(
        'There is no recipe "c4.5". Did you mean "c45"? The recipes are: default, '
    )
    assert refusal(lambda: options_for("regression", "id3", {})).startswith(
        'The recipe "id3" does not grow regression trees. These do: default, '
    )


@pytest.mark.parametrize(
    ("task", "given", "message"),
    [
        (
            "regression",
            {"criterion": "gini"},
            'criterion="gini" does not fit regression. Criteria for regression: squared_error.',
        ),
        (
            "classification",
            {"criterion": "squared_error"},
            'criterion="squared_error" does not fit classification. Criteria for classification: '
            "entropy, gain_ratio, gini, twoing, error, chi2, significance.",
        ),
        (
            "classification",
            {"criterion": "twoing", "categories": "branches"},
            'criterion="twoing" compares two sides, so categories="branches" does not go with it.',
        ),
        (
            "classification",
            {"criterion": "twoing", "categories": "merged"},
            'criterion="twoing" compares two sides, so categories="merged" does not go with it.',
        ),
        (
            "regression",
            {"categories": "merged"},
            'categories="merged" puts levels together whose classes do not differ, so it does not '
            "fit regression.",
        ),
        (
            "classification",
            {"criterion": "gini", "max_adjusted_p": 0.05},
            'max_adjusted_p=0.05 is a limit of criterion="significance", not of "gini".',
        ),
        (
            "classification",
            {"categories": "merged", "missing": "surrogate"},
            'missing="surrogate" stands in for splits with two sides, so categories="merged" does '
            "not go with it.",
        ),
        (
            "classification",
            {"criterion": "twoing", "missing": "own"},
            'criterion="twoing" compares two sides, so missing="own", which makes a third branch,',
        ),
        (
            "classification",
            {"stop_error": 0.5},
            "stop_error=0.5 is for regression: it stops at a mean squared error.",
        ),
    ],
)
def test_options_that_do_not_go_together(task: Any, given: dict[str, Any], message: str) -> None:
    assert refusal(lambda: options_for(task, None, given)).startswith(message)


# ---- limits ------------------------------------------------------------------------------------


def test_unknown_option() -> None:
    told = refusal(lambda: check_options({"max_dept": 3}))
    assert told.startswith('There is no option "max_dept". Did you mean "max_depth"? ')
    assert all(name in told for name in OPTIONS)
    told = refusal(lambda: bough.grow({"a": [1, 2], "y": ["u", "v"]}, "y", max_dept=3))  # type: ignore[call-arg]
    assert 'Did you mean "max_depth"?' in told


@pytest.mark.parametrize("option", CHOICES, ids=lambda option: option.name)
def test_wrong_choice(option: Option) -> None:
    for value in ("no such word", 3, None, True):
        assert refusal(lambda value=value: check_options({option.name: value})) == (
            f"{option.name}={value!r} is not allowed. Choose one of: {', '.join(option.choices)}."
        )
    for choice in option.choices:
        assert check_options({option.name: choice})[option.name] == choice
        if len(choice) > 3:
            told = refusal(lambda choice=choice: check_options({option.name: choice.upper()}))
            assert f'Did you mean "{choice}"?' in told


@pytest.mark.parametrize("option", NUMBERS, ids=lambda option: option.name)
def test_numbers_out_of_range(option: Option) -> None:
    for value in (option.least - 1, -1, -0.5, -np.inf, np.inf, 10.5):
        if option.type == "number" and value == 10.5:
            continue
        assert refusal(lambda value=value: check_options({option.name: value})) == (
            f"{option.name}={value!r} is out of range. Allowed: {option.allowed}."
        )


@pytest.mark.parametrize("option", NUMBERS, ids=lambda option: option.name)
def test_what_is_no_number(option: Option) -> None:
    bad: list[Any] = [float("nan"), np.float64("nan"), True, False, np.bool_(True), "3", [3], {}]
    if not option.optional:
        bad.append(None)
    for value in bad:
        assert refusal(lambda value=value: check_options({option.name: value})) == (
            f"{option.name}={value!r} is not a number. Allowed: {option.allowed}."
        )


@pytest.mark.parametrize("option", NUMBERS, ids=lambda option: option.name)
def test_numbers_in_range(option: Option) -> None:
    least = int(option.least)
    larger = () if option.type == "share" else (np.int64(least + 7), np.int8(100))
    for value in (least, least + 1, *larger):
        found = check_options({option.name: value})[option.name]
        assert found == value and type(found) in (int, float)
    if option.optional:
        assert check_options({option.name: None})[option.name] is None


def test_counts_shares_and_numbers_keep_their_type() -> None:
    assert check_options({"max_depth": 4.0})["max_depth"] == 4
    assert type(check_options({"max_depth": 4.0})["max_depth"]) is int
    assert type(check_options({"min_gain": 1})["min_gain"]) is float
    whole, share = ({"min_rows_leaf": value} for value in (1, 1.0))
    assert type(check_options(whole)["min_rows_leaf"]) is int, "one row"
    assert type(check_options(share)["min_rows_leaf"]) is float, "all rows"
    assert check_options({"min_rows_leaf": np.float32(0.25)})["min_rows_leaf"] == 0.25


def test_flag() -> None:
    for value in (1, 0, "yes", None):
        assert refusal(lambda value=value: check_options({"runners_up": value})) == (
            f"runners_up={value!r} is not allowed: give True or False."
        )
    assert check_options({"runners_up": np.bool_(True)})["runners_up"] is True


def test_numbers_without_bound_are_bounded_by_the_table() -> None:
    table = {"a": [1, 2, 3, 4], "y": ["u", "v", "u", "v"]}
    free = bough.grow(table, "y", recipe="cart")
    for name in ("max_depth", "max_leaves", "threads"):
        assert bough.grow(table, "y", recipe="cart", **{name: 10**30}) == free, name  # type: ignore[arg-type]
    for name in ("min_rows_split", "min_rows_leaf"):
        assert len(bough.grow(table, "y", recipe="cart", **{name: 10**30})) == 1, name  # type: ignore[arg-type]


def test_docs_name_no_option_that_is_not_there() -> None:
    """`name="value"` in the design's table of textbook disagreements."""
    text = (Path(__file__).parents[1] / "docs" / "design.md").read_text("utf-8")
    section = text.split("## 7.")[1].split("## 8.")[0]
    told = re.findall(r'`(\w+)="([^"]+)"`', section)
    assert len(told) >= 6
    for name, value in told:
        assert value in OPTIONS[name].choices, name
