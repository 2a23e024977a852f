"""Flags that several commands share: how to read a table, how to grow, what to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from bough.data.schema import TASKS, Kind
from bough.options import OPTIONS, Option

__all__ = ["ReadHow", "given_options", "grow_flags", "read_flags", "read_how"]

Command = TypeVar("Command", bound=Callable[..., Any])
ReadHow = dict[str, Any]


def read_flags(command: Command) -> Command:
    """--category, --number, --ordered, --ignore, --missing, --sql: how the table is to be read."""
    for flag in reversed(_READ_FLAGS):
        command = flag(command)
    return command


_READ_FLAGS = (
    click.option(
        "--category", multiple=True, metavar="COLUMN", help="Take numbers as levels. Repeatable."
    ),
    click.option(
        "--number", multiple=True, metavar="COLUMN", help="Take the column as numbers. Repeatable."
    ),
    click.option(
        "--ordered",
        multiple=True,
        metavar="COLUMN=A,B,C",
        help="Levels with an order, from low to high. Repeatable.",
    ),
    click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave out. Repeatable."),
    click.option(
        "--missing",
        "marks",
        metavar="TEXT,TEXT",
        help="Texts that mean a missing cell, such as '?,NA'. An empty cell always does.",
    ),
    click.option(
        "--sql", metavar="QUERY", help="Read the rows of a query over files or a database."
    ),
)


def read_how(
    category: Sequence[str], number: Sequence[str], ordered: Sequence[str], marks: str | None
) -> ReadHow:
    """The flags as read_table takes them."""
    kinds: dict[str, Kind] = {
        **dict.fromkeys(category, "category"),
        **dict.fromkeys(number, "number"),
    }
    levels = {}
    for text in ordered:
        name, equals, listed = text.partition("=")
        if not equals or not listed:
            raise click.UsageError(
                f"--ordered {text}: give the levels from low to high, as in --ordered grade=A,B,C"
            )
        levels[name] = [level.strip() for level in listed.split(",")]
    return {"kinds": kinds, "ordered": levels, "missing_marks": split_marks(marks)}


def split_marks(marks: str | None) -> list[str]:
    return [] if marks is None else [mark.strip() for mark in marks.split(",")]


def task_flag(command: Command) -> Command:
    return click.option(
        "--task", type=click.Choice(TASKS), help="Take the target as classes or as a number."
    )(command)


class _Limit(click.ParamType[Any]):
    """A number, or the word none to lift a limit that the recipe sets."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "none" and self.option.optional:
            return "none"
        try:
            number = float(value)
        except ValueError:
            words = "a number or none" if self.option.optional else "a number"
            self.fail(f"{value!r} is not {words}.", param, ctx)
        # 1 means one row, 1.0 all of them: only text without a point is a whole number
        return int(value) if str(value).lstrip("+-").isdecimal() else number


def grow_flags(command: Command) -> Command:
    """One flag for every entry of bough.options.OPTIONS."""
    for option in reversed(OPTIONS.values()):
        command = _flag(option)(command)
    return command


def _flag(option: Option) -> Callable[[Command], Command]:
    name = option.flag or "--" + option.name.replace("_", "-")
    text = option.help[0].upper() + option.help[1:] + "."
    if option.type == "flag":
        return click.option(f"{name}/--no-{name[2:]}", option.name, default=None, help=text)
    if option.type == "choice":
        choice = click.Choice(option.choices)
        return click.option(name, option.name, type=choice, default=None, help=text)
    metavar = "N|none" if option.optional else "N"
    return click.option(
        name, option.name, type=_Limit(option), default=None, metavar=metavar, help=text
    )


def given_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were on the command line; the word none is no limit."""
    return {
        name: None if values[name] == "none" else values[name]
        for name in OPTIONS
        if values.get(name) is not None
    }
