"""bough prune"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from bough.cli.flags import split_marks
from bough.cli.prune_flags import method_flags
from bough.prune_checks import check_prune_options, from_words
from bough.prune_options import METHODS

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.prune.curves import Point
    from bough.tree import Tree

MOST_TOLD = 20
"""Nodes told on the screen; all of them are in the model file's report."""


@click.command()
@click.argument("model")
@click.option("--method", metavar="NAME", help=f"One of {', '.join(METHODS)}.")
@click.option(
    "--data",
    metavar="FILE",
    help="Held-out rows with their target; with --folds or --raising the rows the tree was grown "
    "from. - for CSV on standard input.",
)
@click.option("--out", metavar="FILE", help="Save the pruned tree to this model file.")
@click.option("--curve", metavar="FILE", help="Draw error against leaves to this SVG file.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@click.option("--quiet", is_flag=True, help="Print neither the tree nor what was cut.")
@click.option("--plain", is_flag=True, help="Print the tree in plain ASCII.")
@click.option(
    "--costs", metavar="FILE", help="A table of what mistakes cost: row actual, column answer."
)
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@click.option("--missing", "marks", metavar="TEXT,TEXT", help="Texts that mean a missing cell.")
@click.option("--sql", metavar="QUERY", help="Read the rows of a query over files or a database.")
@method_flags
def prune(
    model: str,
    method: str | None,
    data: str | None,
    out: str | None,
    curve: str | None,
    force: bool,
    quiet: bool,
    plain: bool,
    costs: str | None,
    weights: str | None,
    marks: str | None,
    sql: str | None,
    **options: Any,
) -> None:
    """Prune the tree MODEL; MODEL itself stays as it is.

    \b
    bough prune m.json --method chi_square --max-p 0.1 --out pruned.json
    bough prune m.json --method reduced_error --data held.csv --out pruned.json
    bough prune m.json --method cost_complexity --data train.csv --folds 10
    bough prune m.json --data held.csv --curve errors.svg
    """
    from bough.cli import screen
    from bough.prune import prune_table
    from bough.store import load

    given = from_words({n: value for n, value in options.items() if value is not None})
    _check_command(method, given, out, curve, force)
    tree = load(model)
    table = _read(tree, data, sql, weights, marks, method, given)
    pruned = None
    if method is not None:
        with screen.progress_bar("pruning") as progress:
            pruned = prune_table(tree, table, method, costs=costs, progress=progress, **given)
        if out is not None:
            pruned.save(out, force=force)
        if not quiet:
            _show(pruned, plain)
        for doubt in pruned.report["pruning"]["doubts"]:
            screen.note(f"note: {doubt['doubt']}")
        if out is not None:
            leaves = screen.counted(pruned.n_leaves, "leaf", "leaves")
            screen.note(f"wrote {out}: {tree.n_leaves:,} → {leaves}")
    if curve is not None:
        _draw(curve, tree, table if _held_out(method, given) else None, costs, pruned, force)
        screen.note(f"wrote {curve}")


def _check_command(
    method: str | None, given: Mapping[str, Any], out: str | None, curve: str | None, force: bool
) -> None:
    """What can be refused before the work."""
    from bough.files import check_free

    if method is None and (out is not None or given or curve is None):
        raise click.UsageError(f"Say how to prune: --method, one of {', '.join(METHODS)}.")
    if method is not None:
        check_prune_options(method, given)
    for path in (out, curve):
        if path is not None:
            check_free(path, force=force)


def _held_out(method: str | None, given: Mapping[str, Any]) -> bool:
    """Whether the rows given are others than those the tree was grown from."""
    return method is None or not METHODS[method].trained(check_prune_options(method, given))


def _read(
    tree: Tree,
    data: str | None,
    sql: str | None,
    weights: str | None,
    marks: str | None,
    method: str | None,
    given: Mapping[str, Any],
) -> Table | None:
    if data is None and sql is None:
        return None
    from bough.cli import screen
    from bough.data.read import read_cells
    from bough.predict import needed_columns

    table = read_cells(
        data,
        tree.schema,
        missing_marks=split_marks(marks),
        sql=sql,
        need_target=True,
        needed=needed_columns(tree) if _held_out(method, given) else None,
        weights=weights,
    )
    screen.notes(table.notes)
    return table


def _show(pruned: Tree, plain: bool) -> None:
    from bough.cli import screen
    from bough.view.pruning import pruning_lines
    from bough.view.terminal import render

    plain = plain or screen.needs_plain()
    click.echo(render(pruned, width=screen.width(), plain=plain, color=screen.use_color()))
    click.echo("\n" + "\n".join(pruning_lines(pruned, MOST_TOLD, screen.width(), plain)))


def _draw(
    path: str, tree: Tree, table: Table | None, costs: Any, pruned: Tree | None, force: bool
) -> None:
    from bough.files import write_text
    from bough.view.curve import curve_svg

    classes = tree.schema.target.task == "classification"
    priced = costs is not None or tree.costs is not None
    measure = "mean squared error"
    if classes:
        measure = "mean cost of mistakes" if priced else "share of wrong answers"
    points, other = _points(tree, table, costs, pruned)
    svg = curve_svg(
        points,
        other=other,
        title=f"Error against number of leaves: {tree.schema.target.name}",
        measure=measure,
        shares=classes and not priced,
        chosen=None if pruned is None else pruned.n_leaves,
    )
    write_text(path, svg, force=force)


def _points(
    tree: Tree, table: Table | None, costs: Any, pruned: Tree | None
) -> tuple[list[Point], str]:
    """What is drawn, and what the second line is measured on: the folds by which the pruning chose,
    or held-out rows."""
    from bough.prune import curve

    told = {} if pruned is None else pruned.report["pruning"]
    options = told.get("options", {})
    if options.get("folds") is None or options.get("measure") != "error" or "curve" not in told:
        return curve(tree, table, costs=costs), "held-out rows"
    points = [
        (step["leaves"], step["training_error"], step["cross_validated_error"])
        for step in told["curve"]
    ]
    return points, f"{options['folds']} left-out folds"
