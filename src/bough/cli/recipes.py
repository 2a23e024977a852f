"""bough recipes"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from bough.options import OPTIONS
from bough.prune_checks import find_method, pruning_options
from bough.prune_options import METHODS


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def recipes(name: str | None, as_json: bool) -> None:
    """List the recipes; with NAME, the options of one; `all` lists every option."""
    from bough.recipes import RECIPES, find_recipe

    if as_json:
        import json

        chosen = RECIPES.values() if name in (None, "all") else [find_recipe(str(name))]
        listed = {
            r.name: {"help": r.help, "criterion": r.criterion, "options": r.options} for r in chosen
        }
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
    elif name is None:
        _list()
    elif name == "all":
        _options()
    else:
        _one(name)


def _list() -> None:
    from bough.cli.screen import table, width
    from bough.recipes import RECIPES

    listed = [[recipe.name, recipe.help] for recipe in RECIPES.values()]
    click.echo(table(listed, within=width()))
    click.echo("\nbough recipes NAME shows what a recipe sets, bough recipes all every option.")
    click.echo("Every option can be overridden: bough grow … --recipe c45 --max-depth 5")


def _one(name: str) -> None:
    from bough.cli.flags import flag_of
    from bough.cli.screen import table, width
    from bough.recipes import find_recipe

    recipe = find_recipe(name)
    click.echo(f"{recipe.name}: {recipe.help}\n")
    for task, criterion in recipe.criterion.items():
        click.echo(f"for {task}: --criterion {criterion}")
    rows = [
        [f"{flag_of(OPTIONS[key])} {_word(value)}", OPTIONS[key].help]
        for key, value in recipe.options.items()
        if key != "prune"
    ]
    rows += _pruning(recipe.options.get("prune", {}))
    if rows:
        click.echo(table(rows, within=width()))


def _pruning(own: Mapping[str, Any]) -> list[list[str]]:
    """How a recipe prunes, as flags."""
    if not own:
        return []
    method = find_method(own["method"])
    told = {option.name: option.help for option in method.options}
    options = [
        [f"--{name.replace('_', '-')} {_word(value)}", told[name]]
        for name, value in own.items()
        if name != "method"
    ]
    return [[f"--prune {method.name}", method.help], *options]


def _options() -> None:
    from bough.cli.flags import flag_of
    from bough.cli.screen import table, width

    rows = [["option", "default", "what it does, what is allowed"]]
    for option in OPTIONS.values():
        if option.type == "pruning":
            continue  # it has a table of its own
        allowed = ", ".join(option.choices) if option.choices else option.allowed
        allowed = allowed.replace("None", "none")
        told = f"{option.help}. Allowed: {allowed}"
        rows.append([flag_of(option), _word(option.default), told])
    click.echo(table(rows, within=width()))
    renamed = [
        f", but {option.flag} is {option.name}" for option in OPTIONS.values() if option.flag
    ]
    click.echo(f"\nIn Python the names have _ for -{''.join(renamed)}.\n")
    click.echo(table(_pruning_options(), within=width()))
    click.echo('\nIn Python they are one option: prune={"method": "chi_square", "max_p": 0.1}.')


def _pruning_options() -> list[list[str]]:
    """--prune, its methods and their options."""
    words = f"{OPTIONS['prune'].help}. Allowed: {', '.join(METHODS)}, none"
    rows = [["pruning", "default", "what it does, what is allowed"], ["--prune", "none", words]]
    rows += [["", "", f"{method.name}: {method.help}"] for method in METHODS.values()]
    for name, (option, methods) in pruning_options(growing=True).items():
        allowed = ", ".join(option.choices) if option.choices else option.allowed
        told = f"{', '.join(methods)}: {option.help}. Allowed: {allowed.replace('None', 'none')}"
        rows.append(["--" + name.replace("_", "-"), _word(option.default), told])
    return rows


def _word(value: object) -> str:
    """A value as the command line takes it."""
    words = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
