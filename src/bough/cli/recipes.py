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

        chosen = RECIPES.values() if name is None else [find_recipe(name)]
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
    from bough.cli.screen import table
    from bough.recipes import RECIPES

    click.echo(table([[recipe.name, recipe.help] for recipe in RECIPES.values()]))
    click.echo("\nbough recipes NAME shows what a recipe sets, bough recipes all every option.")
    click.echo("Every option can be overridden: bough grow … --recipe c45 --max-depth 5")


def _one(name: str) -> None:
    from bough.cli.screen import table
    from bough.options import OPTIONS
    from bough.recipes import find_recipe

    recipe = find_recipe(name)
    click.echo(f"{recipe.name}: {recipe.help}\n")
    for task, criterion in recipe.criterion.items():
        click.echo(f"for {task}: --criterion {criterion}")
    rows = [
        [f"--{key.replace('_', '-')} {value}", OPTIONS[key].help]
        for key, value in recipe.options.items()
    ]
    if rows:
        click.echo(table(rows))


def _options() -> None:
    from bough.cli.screen import table
    from bough.options import OPTIONS

    rows = [["option", "default", "allowed", "what it does"]]
    for option in OPTIONS.values():
        allowed = ", ".join(option.choices) if option.choices else option.allowed
        rows.append([option.name, str(option.default), allowed, option.help])
    click.echo(table(rows))
