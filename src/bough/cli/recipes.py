"""bough recipes"""

from __future__ import annotations

import click


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
    from bough.options import OPTIONS
    from bough.recipes import find_recipe

    recipe = find_recipe(name)
    click.echo(f"{recipe.name}: {recipe.help}\n")
    for task, criterion in recipe.criterion.items():
        click.echo(f"for {task}: --criterion {criterion}")
    rows = [
        [f"{flag_of(OPTIONS[key])} {_word(value)}", OPTIONS[key].help]
        for key, value in recipe.options.items()
    ]
    if rows:
        click.echo(table(rows, within=width()))


def _options() -> None:
    from bough.cli.flags import flag_of
    from bough.cli.screen import table, width
    from bough.options import OPTIONS

    rows = [["option", "default", "what it does, what is allowed"]]
    for option in OPTIONS.values():
        allowed = ", ".join(option.choices) if option.choices else option.allowed
        allowed = allowed.replace("None", "none")
        told = f"{option.help}. Allowed: {allowed}"
        rows.append([flag_of(option), _word(option.default), told])
    click.echo(table(rows, within=width()))
    renamed = [
        f", but {option.flag} is {option.name}" for option in OPTIONS.values() if option.flag
    ]
    click.echo(f"\nIn Python the names have _ for -{''.join(renamed)}.")


def _word(value: object) -> str:
    """A value as the command line takes it."""
    words = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
