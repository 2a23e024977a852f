"""The command line: `bough COMMAND`. One small file per command, imported when called."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from bough import __version__
from bough.cli.interrupt import Interrupt
from bough.errors import BoughError, OptionError, nearest

__all__ = ["COMMANDS", "bough", "main"]

COMMANDS: dict[str, str] = {
    "data": "what bough sees in a table: kinds, levels, missing cells, oddities",
    "grow": "grow a tree from a table, show it, save it",
    "show": "print a saved tree",
    "predict": "answer for every row of a table",
    "evaluate": "how often a saved tree is right on a table",
    "prune": "cut back a saved tree, say why, draw error against leaves",
    "rules": "the tree as rules: pruned, scored, checked, saved",
    "compare": "all recipes on the same folds of a table",
    "lesson": "every number of every split, worked out step by step",
    "count": "how many functions, stumps, trees and splits there are",
    "recipes": "the named bundles of options, and the options themselves",
}


class _Lazy(click.Group):
    """Knows the commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"bough.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(
                f'There is no command "{args[0]}".{nearest(args[0], COMMANDS)} '
                f"The commands are: {', '.join(COMMANDS)}."
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # caught here because click would make a failure of it
            _forget_stdout()  # the reader, say `head`, has seen enough
            ctx.exit(0)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="bough %(version)s")
def bough() -> None:
    """Grow decision trees that people can read, defend and ship.

    \b
    bough grow titanic.csv --target Survived --out titanic.json
    bough show titanic.json
    bough predict titanic.json new.csv --out answers.csv
    """


def main(args: list[str] | None = None) -> None:
    """The program. Exit codes: 0 done, 1 the data or a file is at fault, 2 the command line is,
    130 stopped by Ctrl-C."""
    if hasattr(sys.stdout, "reconfigure"):  # a sign this terminal cannot show is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    interrupt = Interrupt()
    try:
        interrupt.on()
        status = bough.main(args=args, prog_name="bough", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:
        interrupt.off()
        asked = interrupt.asked or isinstance(error, click.Abort | KeyboardInterrupt)
        status = _stopped() if asked else _explained(error)
    finally:
        interrupt.off()
    sys.exit(status if isinstance(status, int) else 0)


def _stopped() -> int:
    click.echo("bough: stopped; no file was left half written", err=True)
    return 130


def _explained(error: BaseException) -> int:
    """Says what went wrong and gives the exit code; what is nobody's fault but ours goes on."""
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, OSError):  # a full disk; what can be foreseen was said in our own words
        _forget_stdout()
        about = f' ("{os.fsdecode(error.filename)}")' if error.filename is not None else ""
        text = f"the system refused: {error.strerror or error}{about}"
    elif isinstance(error, MemoryError):
        text = "there is not enough memory for this"
    elif isinstance(error, BoughError):
        text = str(error)
    else:
        raise error
    click.echo(f"bough: {text}", err=True)
    return 2 if isinstance(error, OptionError) else 1


def _forget_stdout() -> None:
    """What is still in its buffer goes nowhere, or Python would complain about it at the end."""
    with suppress(OSError, ValueError, AttributeError):  # no real file behind it, or none at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
