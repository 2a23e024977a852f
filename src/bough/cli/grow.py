"""bough grow"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bough.cli.flags import (
    flag_of,
    given_options,
    grow_flags,
    need_data,
    need_target,
    read_flags,
    read_how,
    task_flag,
    test_costs_flag,
)
from bough.cli.prune_flags import given_pruning, prune_flags
from bough.data.schema import Task

if TYPE_CHECKING:
    from bough.tree import Tree


MOST_TOLD = 5
"""Nodes that pruning cut, told below the tree; all of them are in the model file's report."""


@click.command()
@click.argument("data", required=False)
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--recipe", metavar="NAME", help="A bundle of options; see `bough recipes`.")
@click.option(
    "--out", metavar="FILE", help="Save the tree to this model file (-: standard output)."
)
@click.option("--force", is_flag=True, help="Overwrite the file if it is there.")
@click.option("--quiet", is_flag=True, help="Do not print the tree.")
@click.option("--plain", is_flag=True, help="Print the tree in plain ASCII.")
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@test_costs_flag
@task_flag
@read_flags
@grow_flags
@prune_flags
def grow(
    data: str | None,
    target: str | None,
    recipe: str | None,
    out: str | None,
    force: bool,
    quiet: bool,
    plain: bool,
    weights: str | None,
    test_costs: str | None,
    task: Task | None,
    category: tuple[str, ...],
    number: tuple[str, ...],
    ordered: tuple[str, ...],
    ignore: tuple[str, ...],
    marks: str | None,
    sql: str | None,
    **options: Any,
) -> None:
    """Grow a tree from DATA, show it, save it.

    DATA is a CSV (also .gz), Parquet or DuckDB file, or - for CSV on standard input. Without it,
    --sql gives the rows.
    """
    from bough.cli import screen
    from bough.data.read import read_table
    from bough.files import check_free
    from bough.making import make_tree
    from bough.options import check_options
    from bough.prices import test_costs as read_test_costs
    from bough.recipes import find_recipe, given_of, options_for

    need_data(data, sql)
    need_target(target)
    given = {**given_options(options), **given_pruning(options)}
    # these and the file to write: before the work, not after it
    check_options(given_of(find_recipe(recipe or "default"), given))
    if out is not None and out != "-":
        check_free(out, force=force)
    how = read_how(category, number, ordered, marks)
    table = read_table(
        data, target=target, task=task, weights=weights, ignore=ignore, sql=sql, **how
    )
    screen.notes(table.notes)
    chosen = options_for(table.schema.target.task, recipe, given)
    prices = None if test_costs is None else read_test_costs(test_costs, table.schema)
    with screen.progress_bar("growing") as progress:
        tree = make_tree(
            table, {"recipe": recipe or "default", **chosen}, progress, test_costs=prices
        )
    screen.notes(tree.report["notes"][len(table.notes) :])
    screen.notes([doubt["doubt"] for doubt in tree.report.get("pruning", {}).get("doubts", ())])
    _say_why_one_leaf(tree)
    asked_to_prune = recipe is not None or "prune" in given
    _save_and_show(tree, out, force, None if quiet else plain, asked_to_prune)


def _save_and_show(
    tree: Tree, out: str | None, force: bool, plain: bool | None, asked_to_prune: bool
) -> None:
    """To the file and the screen; `plain` is None: not to the screen."""
    from bough.cli import screen

    if out == "-":
        from bough.store import dumps

        click.echo(dumps(tree), nl=False)
        return
    if out is not None:
        tree.save(out, force=force)
    if plain is not None:
        _show(tree, plain)
        _tell_pruning(tree, plain, asked_to_prune)
    if out is not None:
        took = screen.duration(tree.report["seconds"])
        screen.note(f"wrote {out}: {screen.counted(tree.n_leaves, 'leaf', 'leaves')}, {took}")


def _show(tree: Tree, plain: bool) -> None:
    from bough.cli import screen
    from bough.view.terminal import render

    plain = plain or screen.needs_plain()
    click.echo(render(tree, width=screen.width(), plain=plain, color=screen.use_color()))


def _tell_pruning(tree: Tree, plain: bool, asked: bool) -> None:
    """What was cut; node by node, and that nothing was, to who asked for it."""
    from bough.cli import screen
    from bough.view.pruning import pruning_lines

    record = tree.report.get("pruning")
    if record is not None and (asked or record["leaves"] != record["leaves_before"]):
        plain = plain or screen.needs_plain()
        lines = pruning_lines(tree, MOST_TOLD, screen.width(), plain)
        click.echo("\n" + "\n".join(lines if asked else lines[:1]))


def _say_why_one_leaf(tree: Tree) -> None:
    """A tree without a question is rarely what was wanted: name the limits it may have met."""
    from bough.cli import screen
    from bough.options import OPTIONS

    if len(tree) > 1:
        return
    record = tree.report.get("pruning")
    if record is not None and record["leaves_before"] > 1:
        screen.note(
            f"note: {record['leaves_before']:,} leaves were grown, and {record['method']} cut them "
            "back to one; --prune none keeps them"
        )
        return
    met = [
        f"{flag_of(option)} {'none' if tree.options[name] is None else tree.options[name]}"
        for name, option in OPTIONS.items()
        if option.type in ("count", "rows", "number", "share")
        and name in tree.options
        and tree.options[name] != option.default
    ]
    met += ["--zero-gain stop"] if tree.options["zero_gain"] == "stop" else []
    limits = f" within {', '.join(met)}" if met else ""
    screen.note(f"note: no question that parts the rows was found{limits}; the tree is one leaf")
