"""bough grow"""

from __future__ import annotations

from typing import Any

import click

from bough.cli.flags import given_options, grow_flags, read_flags, read_how, task_flag
from bough.data.schema import Task


@click.command()
@click.argument("data", required=False)
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--recipe", metavar="NAME", help="A bundle of options; see `bough recipes`.")
@click.option("--out", metavar="FILE", help="Save the tree to this model file.")
@click.option("--force", is_flag=True, help="Overwrite the file if it is there.")
@click.option("--quiet", is_flag=True, help="Do not print the tree.")
@click.option("--plain", is_flag=True, help="Print the tree in plain ASCII.")
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@task_flag
@read_flags
@grow_flags
def grow(
    data: str | None,
    target: str | None,
    recipe: str | None,
    out: str | None,
    force: bool,
    quiet: bool,
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
    """Grow a tree from DATA, show it, save it.

    DATA is a CSV (also .gz), Parquet or DuckDB file, or - for CSV on standard input. Without it,
    --sql gives the rows.
    """
    from bough.cli import screen
    from bough.data.read import read_table
    from bough.files import check_free
    from bough.growing import grow_table
    from bough.recipes import options_for

    if data is None and sql is None:
        raise click.UsageError("Give a data file, - for standard input, or --sql.")
    if out is not None:
        check_free(out, force=force)  # before the work, not after it
    how = read_how(category, number, ordered, marks)
    table = read_table(
        data, target=target, task=task, weights=weights, ignore=ignore, sql=sql, **how
    )
    screen.notes(table.notes)
    chosen = options_for(table.schema.target.task, recipe, given_options(options))
    with screen.progress_bar("growing") as progress:
        tree = grow_table(table, {"recipe": recipe or "default", **chosen}, progress)
    screen.notes(tree.report["notes"][len(table.notes) :])
    if out is not None:
        tree.save(out, force=force)
    if not quiet:
        from bough.view.terminal import render

        click.echo(render(tree, width=screen.width(), plain=plain, color=screen.use_color()))
    if out is not None:
        screen.note(f"wrote {out}: {tree.n_leaves} leaves, {tree.report['seconds']:.2f} s to grow")
