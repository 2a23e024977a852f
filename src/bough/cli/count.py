"""bough count"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

WHOLE = 400
"""A number of more digits is shown by its ends, unless --digits asks for all of it."""
ENDS = 24

_SOURCES = {
    "functions": "S1:107, S3:136–140",
    "stumps": "S3:141–145",
    "trees": "S0:130",
    "concepts": "S0:104–109",
    "subsets": "S1:176",
    "hyperplanes": "S1:320",
}
"""Where the textbooks ask; docs/datasets.md names the documents."""


@dataclass(frozen=True)
class _Shown:
    digits: bool


class _Counted(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """-1 is a number to be refused in words, not an option that does not exist."""
        ctx.ignore_unknown_options = any(arg[:1] == "-" and arg[1:2].isdecimal() for arg in args)
        return super().parse_args(ctx, args)


class _Counts(click.Group):
    command_class = _Counted


@click.group(cls=_Counts)
@click.option("--digits", is_flag=True, help="Every digit, however many.")
@click.pass_context
def count(ctx: click.Context, digits: bool) -> None:
    """How many there are: functions, stumps, trees, splits. Exact whole numbers.

    They are the reason why a tree is grown by a greedy search, and not by trying them all.

    \b
    bough count functions 6
    bough count trees 6 --depth 2
    bough count concepts 3,3,2,2
    """
    ctx.obj = _Shown(digits)


@count.command()
@click.argument("n", type=int)
@click.pass_obj
def functions(shown: _Shown, n: int) -> None:
    """Functions of N yes/no columns."""
    from bough.counting import boolean_functions

    _say(
        shown, "functions", boolean_functions(n),
        f"Different functions of {_columns(n)}: a truth table has 2^{n} rows and each may be "
        f"answered yes or no, so 2^(2^{n}). A decision tree can express every one of them.",
    )  # fmt: skip


@count.command()
@click.argument("n", type=int)
@click.pass_obj
def stumps(shown: _Shown, n: int) -> None:
    """Trees of one question over N yes/no columns."""
    from bough.counting import stumps as counted

    found = counted(n)
    _say(
        shown, "stumps", found.counted,
        f"Trees of one question over {_columns(n)}: a column and an answer for each of its two "
        f"sides, so 4·{n}. They are {_grouped(found.different)} different functions: always yes "
        "and always no come once with every column.",
    )  # fmt: skip


@count.command()
@click.argument("n", type=int)
@click.option("--depth", type=int, required=True, metavar="D", help="Longest path, in questions.")
@click.pass_obj
def trees(shown: _Shown, n: int, depth: int) -> None:
    """Trees of at most D questions per path over N yes/no columns."""
    from bough.counting import trees as counted

    _say(
        shown, "trees", counted(n, depth),
        f"Trees over {_columns(n)} with at most {_grouped(depth)} "
        f"{'question' if depth == 1 else 'questions'} on a path, no column twice on one: a leaf "
        "(yes or no), or a column and two trees over the others. The number is squared with "
        "every question more.",
    )  # fmt: skip


@count.command()
@click.argument("levels", metavar="LEVELS")
@click.option("--classes", type=int, default=2, show_default=True, metavar="K", help="Classes.")
@click.pass_obj
def concepts(shown: _Shown, levels: str, classes: int) -> None:
    """Ways to classify the rows of a domain; LEVELS as in 3,3,2,2, one number per column."""
    from bough.counting import concepts as counted
    from bough.counting import instances

    each = _levels(levels)
    rows = instances(each)
    _say(
        shown, "concepts", counted(each, classes),
        f"Columns of {'·'.join(map(_grouped, each))} levels make {_grouped(rows)} different rows, "
        f"and each may be of any of {_grouped(classes)} classes, so {classes}^{rows}.",
    )  # fmt: skip


@count.command()
@click.argument("v", type=int)
@click.pass_obj
def subsets(shown: _Shown, v: int) -> None:
    """Ways to part V levels into two sides."""
    from bough.counting import subset_partitions

    _say(
        shown, "subsets", subset_partitions(v),
        f"Ways to part {_grouped(v)} {'level' if v == 1 else 'levels'} of a category column into "
        f"two sides: each level on one side or the other, mirror images once, none empty, so "
        f"2^({v}−1) − 1.",
    )  # fmt: skip


@count.command()
@click.argument("n", type=int)
@click.argument("d", type=int)
@click.pass_obj
def hyperplanes(shown: _Shown, n: int, d: int) -> None:
    """Oblique splits of N points in D dimensions."""
    from bough.counting import hyperplanes as counted

    _say(
        shown, "hyperplanes", counted(n, d),
        f"Oblique splits of {_grouped(n)} points in {_grouped(d)} "
        f"{'dimension' if d == 1 else 'dimensions'}: planes through {d} of the points, each of "
        f"those on either side, so 2^{d}·C({n}, {d}).",
    )  # fmt: skip


# ---- words and numbers ---------------------------------------------------------------------------


def _say(shown: _Shown, what: str, number: int, meaning: str) -> None:
    with _any_length():
        digits = len(str(abs(number)))
        whole = f"{number:,}" if shown.digits or digits <= WHOLE else ""
        ends = "" if whole else f"{str(number)[:ENDS]}…{str(number)[-ENDS:]}"
    click.echo(whole or ends)
    if digits > 21:
        more = "" if whole else " (bough count --digits … prints them all)"
        click.echo(f"{digits:,} digits{more}")
    click.echo(meaning)
    click.echo(f"Source: {_SOURCES[what]}")


@contextmanager
def _any_length() -> Iterator[None]:
    """Python refuses to print very long numbers, in case they come from strangers."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _grouped(number: int) -> str:
    return f"{number:,}"


def _columns(n: int) -> str:
    return f"{n:,} yes/no {'column' if n == 1 else 'columns'}"


def _levels(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not part.isdecimal() or int(part) < 1:
            raise click.UsageError(
                f"LEVELS is {text!r}, and {part!r} is not a number of levels: give one whole "
                "number from 1 up per column, as in 3,3,2,2."
            )
    return [int(part) for part in parts]
