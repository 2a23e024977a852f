"""bough lesson"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bough.cli.flags import (
    given_options,
    grow_flags,
    need_data,
    need_target,
    read_flags,
    read_how,
    task_flag,
)
from bough.data.schema import Task

if TYPE_CHECKING:
    from bough.lesson.facts import Lesson, Limits


def _steps(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """A number of steps; None for all."""
    if value == "all":
        return None
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"{value!r} is not allowed: give a number from 1 up, or all.")
    return int(value)


@click.command()
@click.argument("data", required=False)
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--recipe", metavar="NAME", help="A bundle of options; see `bough recipes`.")
@click.option(
    "--steps",
    callback=_steps,
    default="20",
    show_default=True,
    metavar="N|all",
    help="Nodes to walk through.",
)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    type=click.IntRange(min=0),
    metavar="N",
    help="Only this node, numbered as the lesson does; the root is 0. Repeatable.",
)
@click.option("--full", is_flag=True, help="Long lists whole: columns, values, ways to split.")
@click.option("--html", metavar="FILE", help="Write one HTML page that needs nothing else.")
@click.option("--force", is_flag=True, help="Overwrite the page if it is there.")
@click.option("--plain", is_flag=True, help="Plain ASCII, without bars or colour.")
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@task_flag
@read_flags
@grow_flags
def lesson(
    data: str | None,
    target: str | None,
    recipe: str | None,
    steps: int | None,
    nodes: tuple[int, ...],
    full: bool,
    html: str | None,
    force: bool,
    plain: bool,
    weights: str | None,
    task: Task | None,
    category: tuple[str, ...],
    number: tuple[str, ...],
    ordered: tuple[str, ...],
    ignore: tuple[str, ...],
    marks: str | None,
    sql: str | None,
    **options: Any,
) -> None:
    """Grow a tree from DATA and work out every number of every split.

    For each node: how mixed it is, what every column could do, the arithmetic with the numbers put
    in, the ranking, ties, limits, and why a leaf is a leaf. --max-depth and the other limits are
    those of growing: a lesson explains the tree they make.

    \b
    bough lesson restaurant.csv --target WillWait --recipe id3
    bough lesson restaurant.csv --target WillWait --node 0 --html root.html
    """
    from bough.cli import screen
    from bough.data.read import read_table
    from bough.files import check_free, write_text
    from bough.growing import grow_table
    from bough.lesson.steps import lesson_of
    from bough.recipes import find_recipe, options_for

    need_data(data, sql)
    need_target(target)
    find_recipe(recipe or "default")  # this and the file to write: before the work, not after it
    if html is not None:
        check_free(html, force=force)
    how = read_how(category, number, ordered, marks)
    table = read_table(
        data, target=target, task=task, weights=weights, ignore=ignore, sql=sql, **how
    )
    screen.notes(table.notes)
    chosen = options_for(table.schema.target.task, recipe, given_options(options))
    if chosen["prune"] is not None:
        method = chosen["prune"]["method"]
        screen.note(f"note: a lesson shows how the tree grows; {method} prunes it afterwards")
    with screen.progress_bar("growing") as progress:
        tree = grow_table(
            table, {"recipe": recipe or "default", **chosen, "runners_up": True}, progress
        )
    with screen.progress_bar("working it out") as progress:
        made = lesson_of(
            tree, table, nodes=nodes or None, limits=_limits(steps, full), progress=progress
        )
    if html is None:
        _print(made, plain)
        return
    from bough.view.lesson_html import render

    write_text(html, render(made), force=force)
    screen.note(f"wrote {html}: {screen.counted(len(made.steps), 'step')}")


def _limits(steps: int | None, full: bool) -> Limits:
    from bough.lesson.facts import Limits

    if not full:
        return Limits(steps=steps)
    return Limits(
        steps=steps, columns=None, ranked=None, values=None, candidates=None, measured=None
    )


def _print(made: Lesson, plain: bool) -> None:
    from bough.cli import screen
    from bough.view.lesson_text import render

    plain = plain or screen.needs_plain()
    click.echo(render(made, width=screen.width(), plain=plain, color=screen.use_color()))
