"""Flags that several commands share: how to read a table, how to grow, what to print."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bough.data.schema import TASKS, Kind
from bough.errors import OptionError, nearest
from bough.option import Option
from bough.options import OPTIONS, check_options

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # not generic before click 8.3

__all__ = [
    "ReadHow",
    "flag_of",
    "given_options",
    "grow_flags",
    "need_data",
    "need_target",
    "read_flags",
    "read_how",
    "split_marks",
    "task_flag",
    "test_costs_flag",
]

WIDEST = 70
"""Signs of choices that stand beside a flag in the help; more of them are told below it."""

Command = TypeVar("Command", bound=Callable[..., Any])
ReadHow = dict[str, Any]


# ---- how to read a table -------------------------------------------------------------------------


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


def need_data(data: str | None, sql: str | None) -> None:
    """Every command that reads a table wants one of the two."""
    if data is None and sql is None:
        raise click.UsageError("Give a data file, - for standard input, or --sql.")


def need_target(target: str | None) -> None:
    """Every command that grows trees."""
    if target is None:
        raise click.UsageError(
            "Say which column to predict: --target COLUMN. `bough data` lists the columns of a "
            "table."
        )


def read_how(
    category: Sequence[str], number: Sequence[str], ordered: Sequence[str], marks: str | None
) -> ReadHow:
    """The flags as read_table takes them."""
    levels = dict(map(_order, ordered))
    named = [
        *dict.fromkeys(category),
        *dict.fromkeys(number),
        *(_order(text)[0] for text in ordered),
    ]
    for name in named:
        if named.count(name) > 1:
            raise click.UsageError(
                f'"{name}" is given more than one kind: name it in one of --category, --number '
                "and --ordered, once."
            )
    kinds: dict[str, Kind] = {
        **dict.fromkeys(category, "category"),
        **dict.fromkeys(number, "number"),
    }
    return {"kinds": kinds, "ordered": levels, "missing_marks": split_marks(marks)}


def _order(text: str) -> tuple[str, list[str]]:
    name, equals, listed = text.partition("=")
    if not name or not equals or not listed:
        raise click.UsageError(
            f"--ordered {text}: give the levels from low to high, as in --ordered grade=A,B,C"
        )
    return name, _listed(listed)


def split_marks(marks: str | None) -> list[str]:
    return [] if marks is None else _listed(marks)


def _listed(text: str) -> list[str]:
    """Texts between commas, without the spaces around them; one with a comma in it is quoted."""
    cells: list[str] = next(csv.reader([text], skipinitialspace=True), [])
    return [cell.strip() for cell in cells]


class _Word(ParamType):
    """One of a few words; a wrong one is answered with the nearest."""

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.words:
            close, words = nearest(value, self.words), ", ".join(self.words)
            self.fail(f"{value!r} is not allowed.{close} Choose one of: {words}.", param, ctx)
        return value


def task_flag(command: Command) -> Command:
    return click.option(
        "--task",
        type=_Word(TASKS),
        metavar=_either(TASKS),
        help="Take the target as classes or as a number.",
    )(command)


def test_costs_flag(command: Command) -> Command:
    return click.option(
        "--test-costs",
        metavar="FILE",
        help="What asking costs: a CSV with column, cost and, for what is bought together, group, "
        "shared.",
    )(command)


# ---- how to grow ---------------------------------------------------------------------------------


class _Value(ParamType):
    """The value of one option of growing, checked before any table is read."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.name = option.type

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self.option.optional and value.lower() == "none":
            return "none"
        given = value if self.option.choices else _number(value)
        try:
            check_options({self.option.name: given})
        except OptionError as error:
            reason = str(error).removeprefix(f"{self.option.name}={given!r} ")
            self.fail(f"{value!r} {reason.replace('None', 'none')}", param, ctx)
        return given


def _number(text: str) -> int | float | str:
    """1 means one row, 1.0 all of them: only text without a point is a whole number."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def grow_flags(command: Command) -> Command:
    """One flag for every entry of bough.options.OPTIONS but pruning: see prune_flags.py."""
    for option in reversed(OPTIONS.values()):
        if option.type != "pruning":
            command = _flag(option)(command)
    return command


def flag_of(option: Option) -> str:
    """The name of an option on the command line."""
    return option.flag or "--" + option.name.replace("_", "-")


def _flag(option: Option) -> Callable[[Command], Command]:
    name = flag_of(option)
    text = option.help[0].upper() + option.help[1:] + "."
    if option.type == "flag":
        return click.option(f"{name}/--no-{name[2:]}", option.name, default=None, help=text)
    metavar = "N|none" if option.optional else "N"
    if option.choices:
        metavar = _either(option.choices)
    if len(metavar) > WIDEST:
        metavar, text = "NAME", f"{text} One of: {', '.join(option.choices)}."
    return click.option(
        name, option.name, type=_Value(option), default=None, metavar=metavar, help=text
    )


def _either(words: Sequence[str]) -> str:
    return f"[{'|'.join(words)}]"


def given_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were on the command line; the word none is no limit."""
    return {
        name: None if values[name] == "none" else values[name]
        for name, option in OPTIONS.items()
        if option.type != "pruning" and values.get(name) is not None
    }
