"""The command line: `bough COMMAND`. One small file per command, imported when called."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from bough import __version__
from bough.errors import BoughError, OptionError

__all__ = ["COMMANDS", "bough", "main"]

COMMANDS: dict[str, str] = {
    "data": "what bough sees in a table: kinds, levels, missing cells, oddities",
    "grow": "grow a tree from a table, show it, save it",
    "show": "print a saved tree",
    "predict": "answer for every row of a table",
    "evaluate": "how often a saved tree is right on a table",
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
            from bough.errors import nearest

            ctx.fail(
                f'There is no command "{args[0]}".{nearest(args[0], COMMANDS)} '
                f"The commands are: {', '.join(COMMANDS)}."
            )
        return super().resolve_command(ctx, args)

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
    """The program. Exit codes: 0 done, 1 the data or the file is at fault, 2 the command is."""
    try:
        status = bough.main(args=args, prog_name="bough", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("bough: stopped; nothing was written", err=True)
        sys.exit(130)
    except OptionError as error:
        click.echo(f"bough: {error}", err=True)
        sys.exit(2)
    except BoughError as error:
        click.echo(f"bough: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:  # the reader, say `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(status if isinstance(status, int) else 0)
