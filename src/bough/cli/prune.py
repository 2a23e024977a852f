"""bough prune"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bough.cli.flags import split_marks
from bough.options import Option
from bough.prune import METHODS, check_prune_options

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.tree import Tree

MOST_TOLD = 20
"""Nodes told on the screen; all of them are in the model file's report."""

Command = TypeVar("Command", bound=Callable[..., Any])


def _options() -> dict[str, tuple[Option, list[str]]]:
    """Every option of a method once, and the methods that have it."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for method in METHODS.values():
        for option in method.options:
            found.setdefault(option.name, (option, []))[1].append(method.name)
    return found


def _method_flags(command: Command) -> Command:
    for name, (option, methods) in reversed(_options().items()):
        flag = "--" + name.replace("_", "-")
        text = f"{', '.join(methods)}: {option.help}."
        if option.type == "flag":
            command = click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=text)(
                command
            )
            continue
        metavar = f"[{'|'.join(option.choices)}]" if option.choices else "N"
        metavar = "N,N,…" if name == "max_p" else metavar
        command = click.option(flag, name, default=None, metavar=metavar, help=text)(command)
    return command


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
@_method_flags
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
    bough prune m.json --method cost_complexity --data train.csv --folds 10 --rule one_se
    bough prune m.json --data held.csv --curve errors.svg
    """
    from bough.cli import screen
    from bough.prune import prune_table
    from bough.store import load

    given = _given(options)
    _check_command(method, given, out, curve, force)
    tree = load(model)
    table = _read(tree, data, sql, weights, marks, method, given)
    pruned = None
    if method is not None:
        pruned = prune_table(tree, table, method, costs=costs, **given)
        if out is not None:
            pruned.save(out, force=force)
        if not quiet:
            _show(tree, pruned, plain)
        for doubt in pruned.report["pruning"]["doubts"]:
            screen.note(f"note: {doubt['doubt']}")
        if out is not None:
            screen.note(f"wrote {out}: {tree.n_leaves:,} → {_leaves(pruned.n_leaves)}")
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


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were on the command line, as numbers and words."""
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name == "max_p":
            parts = [_word(part) for part in split_marks(value)]
            given[name] = parts if len(parts) > 1 else parts[0]
        elif isinstance(value, str):
            given[name] = _word(value)
    return given


def _word(text: str) -> int | float | str | None:
    if text.lower() == "none":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


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


def _show(tree: Tree, pruned: Tree, plain: bool) -> None:
    from bough.cli import screen
    from bough.view.terminal import render

    plain = plain or screen.needs_plain()
    click.echo(render(pruned, width=screen.width(), plain=plain, color=screen.use_color()))
    record = pruned.report["pruning"]
    click.echo(f"{tree.n_leaves:,} → {_leaves(pruned.n_leaves)}" + _chosen(record))
    for entry in record.get("raised", ())[:MOST_TOLD]:
        click.echo(
            f"raised  node {entry['by']} to {entry['node']}: {entry['path']}: {entry['why']}"
        )
    cut = [entry for entry in record["cut"] if entry["became"] == "leaf"]
    for entry in cut[:MOST_TOLD]:
        leaves = _leaves(entry["leaves"])
        click.echo(f"cut  node {entry['node']} ({leaves}): {entry['path']}: {entry['why']}")
    if len(cut) > MOST_TOLD:
        click.echo(f"… and {len(cut) - MOST_TOLD:,} more; all are in the report of the model")
    for entry in record.get("redeemed", ())[:MOST_TOLD]:
        click.echo(
            f"kept  node {entry['node']}: {entry['path']}: p {entry['p_value']:.4g}, redeemed by "
            f"node {entry['by']} below, p {entry['by_p_value']:.4g}"
        )


def _chosen(record: Mapping[str, Any]) -> str:
    """What the method settled on, in words."""
    if "alpha" in record:
        return f"; α = {record['alpha']:.6g}"
    return f"; max_p = {record['max_p']:g}" if "max_p" in record else ""


def _leaves(count: int) -> str:
    return f"{count:,} " + ("leaf" if count == 1 else "leaves")


def _draw(
    path: str, tree: Tree, table: Table | None, costs: Any, pruned: Tree | None, force: bool
) -> None:
    from bough.files import write_text
    from bough.prune import curve
    from bough.view.curve import curve_svg

    classes = tree.schema.target.task == "classification"
    priced = costs is not None or tree.costs is not None
    measure = "mean squared error"
    if classes:
        measure = "mean cost of mistakes" if priced else "share of wrong answers"
    svg = curve_svg(
        curve(tree, table, costs=costs),
        title=f"Error against number of leaves: {tree.schema.target.name}",
        measure=measure,
        shares=classes and not priced,
        chosen=None if pruned is None else pruned.n_leaves,
    )
    write_text(path, svg, force=force)
