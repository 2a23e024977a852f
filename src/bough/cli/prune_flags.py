"""Flags of pruning: those of the methods, and --prune where a tree is grown first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from bough.options import OPTIONS
from bough.prune_checks import in_words, pruning_options
from bough.prune_options import METHODS

__all__ = ["given_pruning", "method_flags", "prune_flags"]

Command = TypeVar("Command", bound=Callable[..., Any])


def method_flags(command: Command, growing: bool = False) -> Command:
    """One flag for every option of a pruning method."""
    for name, (option, methods) in reversed(pruning_options(growing).items()):
        flag = "--" + name.replace("_", "-")
        text = f"{', '.join(methods)}: {option.help}."
        if option.type == "flag":
            flag, metavar = f"{flag}/--no-{flag[2:]}", None
        else:
            metavar = f"[{'|'.join(option.choices)}]" if option.choices else "N"
            metavar = "N,N,…" if name == "max_p" else metavar
        command = click.option(flag, name, default=None, metavar=metavar, help=text)(command)
    return command


def prune_flags(command: Command) -> Command:
    """--prune, and the options of its methods."""
    text = OPTIONS["prune"].help
    return click.option(
        "--prune",
        default=None,
        metavar="NAME|none",
        help=f"{text[0].upper()}{text[1:]}. One of: {', '.join(METHODS)}. Options without it are "
        "for the method of the recipe.",
    )(method_flags(command, growing=True))


def given_pruning(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was on the command line, as the option `prune`; nothing, if nothing was."""
    words = {name: values[name] for name in pruning_options(True) if values.get(name) is not None}
    method = values.get("prune")
    if method is None and not words:
        return {}
    return {"prune": in_words(method, words)}
