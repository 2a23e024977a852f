"""Bundles to compare: the recipes, and the user's own under names of their own."""

from __future__ import annotations

import inspect
import os
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bough.data.schema import Task
from bough.errors import DataError, OptionError, nearest
from bough.making import grow
from bough.options import OPTIONS, check_options
from bough.prune_checks import in_words, pruning_options
from bough.recipes import RECIPES, find_recipe, given_of

__all__ = [
    "BASELINE",
    "Bundle",
    "bundle_of",
    "gather",
    "more_keywords",
    "parse_bundle",
    "read_bundles",
]


@dataclass(frozen=True)
class Bundle:
    """A recipe with options on top, under a name."""

    name: str
    recipe: str = "default"
    options: Mapping[str, Any] = field(default_factory=dict)


BASELINE = Bundle("baseline", "stump", {"max_depth": 0})
"""No question at all: the mode of the classes, or the mean."""


READING = {
    "data", "target", "recipe", "task", "kinds", "ordered", "ignore", "weights", "missing_marks",
    "sql", "progress", "options",
}  # fmt: skip
"""Keywords of bough.grow that say what is grown from, which is the same for all bundles."""


@cache
def more_keywords() -> tuple[str, ...]:
    """What bough.grow takes besides OPTIONS that may differ from bundle to bundle."""
    return tuple(name for name in inspect.signature(grow).parameters if name not in READING)


def gather(
    task: Task, recipes: Sequence[str] | None, own: Iterable[Bundle] | Mapping[str, Any] | None
) -> list[Bundle]:
    """The recipes named (None: all that know the task) and the user's own bundles."""
    if isinstance(recipes, str):
        raise OptionError(f'recipes takes a list of names, such as ["{recipes}"], not one text.')
    names = [name for name, recipe in RECIPES.items() if task in recipe.criterion]
    if recipes is not None:
        names = [find_recipe(name).name for name in recipes]
    found = [*(Bundle(name, name) for name in names), *_own(own)]
    if not found:
        raise OptionError("There is nothing to compare: name at least one recipe or bundle.")
    _check_names([bundle.name for bundle in found])
    return found


def _own(given: Any) -> list[Bundle]:
    if isinstance(given, Mapping):
        return [bundle_of(name, options) for name, options in given.items()]
    found = list(given or ()) if isinstance(given, Iterable | None) else [given]
    if not all(isinstance(bundle, Bundle) for bundle in found):
        raise OptionError(
            f'bundles={given!r} is not allowed: give a dict, as in {{"small": {{"max_depth": 3}}}}.'
        )
    return found


def _check_names(names: Sequence[str]) -> None:
    taken = {BASELINE.name}
    for name in names:
        if name in taken:
            what = "is the row every comparison has" if name == BASELINE.name else "stands twice"
            raise OptionError(f'The name "{name}" {what}. Give each bundle a name of its own.')
        taken.add(name)


def bundle_of(name: str, given: Any) -> Bundle:
    """A bundle from a dict of options, `recipe` among them if it builds on one."""
    if not isinstance(given, Mapping):
        raise OptionError(
            f'The bundle "{name}" is {given!r}: give its options, as in {{"max_depth": 4}}.'
        )
    options = dict(given)
    recipe = options.pop("recipe", "default")
    try:
        # now, not after the others have run
        given = {key: options[key] for key in options if key not in more_keywords()}
        check_options(given_of(find_recipe(recipe), given))
    except OptionError as error:
        raise OptionError(f'The bundle "{name}" cannot be used. {error}') from None
    return Bundle(name, recipe, options)


def parse_bundle(text: str) -> Bundle:
    """`name=criterion=gini max_depth=4`: what the command line is given."""
    name, equals, rest = text.partition("=")
    words = _words(rest)
    if not equals or not name.strip() or not all("=" in word for word in words) or not words:
        raise OptionError(
            f'--bundle "{text}" is not a bundle: give a name and its options, as in '
            '--bundle small="criterion=gini max_depth=4".'
        )
    given: dict[str, Any] = {}
    for key, value in (word.split("=", 1) for word in words):
        if key in given:
            raise OptionError(f'The bundle "{name}" names {key} twice.')
        given[key] = _value(name, key, value)
    return bundle_of(name.strip(), _with_pruning(given))


def _with_pruning(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of pruning stand beside the others in text; bough.grow takes them as one."""
    words = {key: given[key] for key in pruning_options(growing=True) if key in given}
    rest = {key: value for key, value in given.items() if key not in words and key != "prune"}
    if not words and "prune" not in given:
        return rest
    return {**rest, "prune": in_words(given.get("prune"), words)}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:  # a quote that is not closed
        raise OptionError(f'The bundle "{text}" cannot be read: {error}.') from None


def _value(bundle: str, key: str, text: str) -> Any:
    """An option's value from text. Text that is no such value is left for the check to name."""
    pruning = pruning_options(growing=True)
    if key in ("recipe", "prune") or key in more_keywords() or key in pruning:
        return text
    if key not in OPTIONS:
        known = ["recipe", *OPTIONS, *pruning, *more_keywords()]
        raise OptionError(
            f'The bundle "{bundle}" has the option "{key}", which does not exist.'
            f"{nearest(key, known)} The options are: {', '.join(known)}."
        )
    option = OPTIONS[key]
    if option.optional and text.lower() == "none":
        return None
    if option.type == "flag":
        return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
    if option.type in ("count", "rows", "number"):
        # 1 means one row, 1.0 all of them: only text without a point is a whole number
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def read_bundles(path: str | os.PathLike[str]) -> list[Bundle]:
    """A TOML file: one table per bundle, one line per option; the text "none" lifts a limit."""
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f'There is no file "{path}" to read bundles from.') from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f'The bundles in "{path}" cannot be read: {error}.') from None
    loose = [name for name, table in tables.items() if not isinstance(table, Mapping)]
    if loose or not tables:
        at = f'"{loose[0]}" stands outside of a bundle' if loose else "there is none"
        raise DataError(
            f'The bundles in "{path}" cannot be read: {at}. Begin each with its name, as in '
            "[small], and put its options below it, as in max_depth = 4."
        )
    return [bundle_of(name, _without_none(table)) for name, table in tables.items()]


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no word for nothing."""
    limits = {name for name, option in OPTIONS.items() if option.optional}
    return {
        key: None if key in limits and value == "none" else value for key, value in table.items()
    }
