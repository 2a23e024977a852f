"""The checks of what is asked of pruning.

While growing, the whole of it is one option, `prune`:

    prune="pessimistic"
    prune={"method": "cost_complexity", "folds": 10, "rule": "one_se"}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bough.data.schema import Task
from bough.errors import OptionError, nearest
from bough.option import Option, check_option
from bough.prune_options import METHODS, Method, Options

__all__ = [
    "check_prune_options",
    "check_pruning",
    "check_task",
    "find_method",
    "from_words",
    "in_words",
    "pruning_options",
    "with_own",
]

WAYS = ("alpha", "leaves", "max_p", "folds", "holdout")
"""Options that say by what a method chooses; of several only one can be."""


def pruning_options(growing: bool) -> dict[str, tuple[Option, list[str]]]:
    """Every option of a method once, and the methods that have it; while growing there are more."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for method in METHODS.values():
        for option in (*method.options, *(method.growing if growing else ())):
            found.setdefault(option.name, (option, []))[1].append(method.name)
    return found


def in_words(method: str | None, words: Mapping[str, Any]) -> Any:
    """The option `prune` from its parts as they were written down: the method, if one was, or
    none; and options, each by itself."""
    if method == "none":
        if words:
            raise OptionError(
                f"{', '.join(words)} says nothing where nothing is pruned: leave out either that "
                "or none."
            )
        return None
    return {**({} if method is None else {"method": method}), **from_words(words)}


def from_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """Options of pruning that were written down, as numbers, truth values and lists.

    What is no such value is left for the checks to name.
    """
    known = pruning_options(growing=True)
    return {name: _from_text(known[name][0], text) for name, text in words.items()}


def _from_text(option: Option, text: Any) -> Any:
    if not isinstance(text, str) or option.choices:
        return text
    if option.type == "flag":
        return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
    if option.name == "max_p" and "," in text:
        return [_number(part.strip()) for part in text.split(",")]
    return _number(text)


def _number(text: str) -> int | float | str | None:
    if text.lower() == "none":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def find_method(name: str) -> Method:
    """The method of that name."""
    if not isinstance(name, str) or name not in METHODS:
        close = nearest(name, METHODS) if isinstance(name, str) else ""
        raise OptionError(
            f'There is no pruning method "{name}".{close} The methods are: {", ".join(METHODS)}.'
        )
    return METHODS[name]


def check_task(method: Method, task: Task, target: str = "") -> None:
    """Refuses a method for classes where the target is a number."""
    if task not in method.tasks:
        able = ", ".join(other.name for other in METHODS.values() if task in other.tasks)
        named = f'the target "{target}"' if target else "the target"
        raise OptionError(
            f"{method.name} is for classes, and {named} is a number. For {task} there are: {able}."
        )


def check_prune_options(method: str, given: Options) -> dict[str, Any]:
    """All options of the method, the given ones checked, the others at their defaults."""
    how = find_method(method)
    return _checked(how, how.options, given)


def _checked(how: Method, options: Iterable[Option], given: Options) -> dict[str, Any]:
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise OptionError(_no_such(how, name, known))
    chosen = {name: option.default for name, option in known.items()}
    for name, value in given.items():
        if name == "max_p" and isinstance(value, Iterable) and not isinstance(value, str):
            chosen[name] = [check_option(known[name], one) for one in value]
        else:
            chosen[name] = check_option(known[name], value)
    how.check(chosen)
    return chosen


def _no_such(how: Method, name: str, known: Mapping[str, Option]) -> str:
    _, able = pruning_options(growing=True).get(name, (None, []))
    if how.name in able:
        belongs = " It belongs to pruning while growing."
    else:
        belongs = f" It belongs to {', '.join(able)}." if able else nearest(name, known)
    return f'{how.name} has no option "{name}".{belongs} Its options are: {", ".join(known)}.'


# ---- pruning while growing -----------------------------------------------------------------------


def with_own(given: Any, own: Options | None) -> Any:
    """What was asked for, and where it names no method that of the recipe: `own` and this on top.

    Another way to choose takes the place of the recipe's. Nothing is checked yet.
    """
    if not isinstance(given, Mapping) or "method" in given or own is None:
        return given
    other = any(way in given for way in WAYS)
    kept = {name: value for name, value in own.items() if not (other and name in WAYS)}
    return {**kept, **given}


def check_pruning(given: Any) -> dict[str, Any] | None:
    """The option `prune` of growing: the method and all its options; None: not at all."""
    if given is None or (isinstance(given, str) and given == "none"):
        return None
    if isinstance(given, str):
        given = {"method": given}
    if not isinstance(given, Mapping):
        raise OptionError(
            f"prune={given!r} is not allowed. Give one of {', '.join(METHODS)}; a dict with "
            'options, such as {"method": "chi_square", "max_p": 0.1}; or None.'
        )
    if "method" not in given:
        raise OptionError(
            f"{', '.join(given) or 'prune={}'} says nothing without a pruning method: name one of "
            f"{', '.join(METHODS)} (prune=, on the command line --prune)."
        )
    how = find_method(given["method"])
    rest = {name: value for name, value in given.items() if name != "method"}
    named = [option.name for option in how.options]
    more = tuple(option for option in how.growing if option.name not in named)
    options = _checked(how, (*how.options, *more), rest)
    _check_held_out(how, options)
    return {"method": how.name, **options}


def _check_held_out(how: Method, options: Options) -> None:
    """Rows are held out in one way, and only where they are looked at."""
    share = options.get("holdout")
    if share is None:
        return
    if not 0.0 < share < 1.0:
        raise OptionError(f"holdout={share:g} is out of range. Give a share between 0 and 1.")
    if options.get("folds") is not None:
        raise OptionError(
            f"holdout={share:g} and folds={options['folds']} are given, and rows are held out in "
            "one way. Give one of the two."
        )
    if not how.held_out(options):
        raise OptionError(
            f"{how.name} with these options looks at no held-out rows, so holdout={share:g} would "
            "only waste rows. Leave it out."
        )
