"""The commands as a whole, and `run`, which the other tests of commands use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from bough import __version__
from bough.cli import COMMANDS, main
from bough.cli.screen import table
from bough.options import OPTIONS
from bough.recipes import RECIPES


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


def run(*args: object, stdin: str | bytes | None = None) -> Done:
    """The program, in this process: exit code and what it printed."""
    with CliRunner().isolation(input=stdin) as (out, err, _):
        try:
            main([str(arg) for arg in args])
            code = 0
        except SystemExit as end:
            assert end.code is None or isinstance(end.code, int), "nothing else is printed at exit"
            code = end.code or 0
    return Done(code, out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8"))


def done(*args: object, stdin: str | bytes | None = None) -> Done:
    """A command that must succeed."""
    result = run(*args, stdin=stdin)
    assert result.code == 0, result.err
    return result


def refused(code: int, *args: object, stdin: str | bytes | None = None) -> str:
    """The message of a command that must fail, in one of the two forms every failure has."""
    result = run(*args, stdin=stdin)
    assert result.code == code, result
    assert result.out == ""
    # Notes on the data may come before the message, but nothing after it.
    lines = [line for line in result.err.splitlines() if not line.startswith("note: ")]
    usage = re.fullmatch(
        r"Usage: bough.*\nTry 'bough.* --help' for help\.\n\nError: (.+)", "\n".join(lines)
    )
    message = usage[1] if usage else lines[0].removeprefix("bough: ")
    assert usage or (len(lines) == 1 and lines[0].startswith("bough: ")), result.err
    return message


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_help_names_every_command() -> None:
    told = done("--help").out
    for name, what in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(what)}$", told, re.MULTILINE)
    assert done("-h").out == told
    assert done("--version").out == f"bough {__version__}\n"


def test_no_command_shows_the_help() -> None:
    result = run()
    assert result.code == 2 and "Commands:" in result.out + result.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command: str) -> None:
    told = done(command, "--help").out
    assert told.startswith(f"Usage: bough {command} ")
    assert "Show this message and exit." in told
    assert max(map(len, told.splitlines())) <= 80


def test_unknown_command() -> None:
    assert refused(2, "gorw", "x.csv") == (
        f'There is no command "gorw". Did you mean "grow"? The commands are: {", ".join(COMMANDS)}.'
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_unknown_flag(command: str) -> None:
    assert "--frobnicate" in refused(2, command, "--frobnicate")


@pytest.mark.parametrize("command", ["show", "predict", "evaluate"])
def test_commands_that_need_a_model(command: str) -> None:
    assert refused(2, command) == "Missing argument 'MODEL'."


def test_recipes() -> None:
    listed = done("recipes").out
    for recipe in RECIPES.values():
        assert re.search(rf"^{recipe.name} +{re.escape(recipe.help)}$", listed, re.MULTILINE)
        told = done("recipes", recipe.name).out
        assert told.startswith(f"{recipe.name}: {recipe.help}\n")
        for task, criterion in recipe.criterion.items():
            assert f"for {task}: --criterion {criterion}\n" in told
        for name, value in recipe.options.items():
            flag = OPTIONS[name].flag or "--" + name.replace("_", "-")
            assert f"\n{flag} {value} " in told


def test_recipes_all_lists_every_option() -> None:
    told = done("recipes", "all").out
    for option in OPTIONS.values():
        flag = option.flag or "--" + option.name.replace("_", "-")
        line = next(line for line in told.splitlines() if line.startswith(flag + " "))
        assert option.help in line and "None" not in line
    assert "--missing-policy is missing." in told


def test_a_table_folds_its_words_where_the_terminal_ends() -> None:
    rows = [["a", "some words to fold"], ["bcd", "one"]]
    assert table(rows) == "a    some words to fold\nbcd  one"
    assert table(rows, within=30) == table(rows)
    folded = table([["x" * 10, "many words " * 5], ["y", "few"]], within=40).splitlines()
    assert max(map(len, folded)) <= 40 and len(folded) == 3
    assert folded[1] == " " * 12 + "words many words many words"
    assert folded[2] == "y           few"


def test_recipes_as_json() -> None:
    import json

    assert json.loads(done("recipes", "--json").out).keys() == RECIPES.keys()
    assert json.loads(done("recipes", "c45", "--json").out) == {
        "c45": {
            "help": RECIPES["c45"].help,
            "criterion": {"classification": "gain_ratio"},
            "options": RECIPES["c45"].options,
        }
    }


def test_unknown_recipe() -> None:
    assert 'There is no recipe "c4.5". Did you mean "c45"?' in refused(2, "recipes", "c4.5")
    assert 'There is no recipe "c4.5"' in refused(2, "recipes", "c4.5", "--json")
