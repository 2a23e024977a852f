"""bough evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bough.cli.flags import split_marks

if TYPE_CHECKING:
    from bough.evaluate import ClassEvaluation, Evaluation, NumberEvaluation
    from bough.tree import Tree


@click.command()
@click.argument("model")
@click.argument("data", required=False)
@click.option("--missing", "marks", metavar="TEXT,TEXT", help="Texts that mean a missing cell.")
@click.option("--sql", metavar="QUERY", help="Read the rows of a query over files or a database.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def evaluate(
    model: str, data: str | None, marks: str | None, sql: str | None, as_json: bool
) -> None:
    """Compare the answers of MODEL with the target column of DATA."""
    from bough.cli import screen
    from bough.data.read import read_cells
    from bough.evaluate import ClassEvaluation, evaluate_table
    from bough.store import load

    if data is None and sql is None:
        raise click.UsageError("Give a data file, - for standard input, or --sql.")
    tree = load(model)
    table = read_cells(
        data, tree.schema, missing_marks=split_marks(marks), sql=sql, need_target=True
    )
    screen.notes(table.notes)
    result = evaluate_table(tree, table)
    if as_json:
        click.echo(_json(result))
    elif isinstance(result, ClassEvaluation):
        _print_classes(tree, result)
    else:
        _print_numbers(tree, result)


def _json(result: Evaluation) -> str:
    import json
    import math
    from dataclasses import asdict

    plain = {
        name: value.tolist() if hasattr(value, "tolist") else value
        for name, value in asdict(result).items()
    }
    for name, value in plain.items():
        if isinstance(value, float) and math.isnan(value):
            plain[name] = None
    return json.dumps(plain, indent=2, ensure_ascii=False)


def _size(tree: Tree) -> str:
    return f"{tree.n_leaves:,} leaves, depth {tree.depth}"


def _print_classes(tree: Tree, result: ClassEvaluation) -> None:
    from bough.cli.screen import table
    from bough.view.cells import clean

    wrong = result.error * result.weight
    click.echo(f"{result.rows:,} rows; the tree has {_size(tree)}\n")
    click.echo(f"error     {result.error:8.2%}  ({wrong:,.10g} of {result.weight:,.10g} wrong)")
    click.echo(f"accuracy  {1 - result.error:8.2%}")
    click.echo(
        f"baseline  {result.baseline_error:8.2%}  error of always answering "
        f"{tree.schema.target.classes[int(tree.answers[0])]}\n"
    )
    names = [clean(str(name)) for name in result.classes]
    columns = list(range(len(names) + 1))
    if not result.confusion[:, -1].any():
        columns.pop()  # the tree always knew an answer
    head = ["actual \\ answer", *[[*names, "(unknown)"][c] for c in columns], "right"]
    rows = [head]
    for i, name in enumerate(names):
        weight = result.confusion[i].sum()
        share = f"{result.confusion[i, i] / weight:.1%}" if weight else "–"
        rows.append([name, *[f"{result.confusion[i, c]:,.10g}" for c in columns], share])
    click.echo(table(rows, right=range(1, len(head))))


def _print_numbers(tree: Tree, result: NumberEvaluation) -> None:
    click.echo(f"{result.rows:,} rows; the tree has {_size(tree)}\n")
    click.echo(f"mean squared error   {result.mean_squared_error:.6g}")
    click.echo(f"mean absolute error  {result.mean_absolute_error:.6g}")
    click.echo(f"R²                   {result.r2:.4f}")
    click.echo(
        f"baseline             {result.baseline_mean_squared_error:.6g}  mean squared error of "
        f"always answering {float(tree.answers[0]):.6g}"
    )
    if result.unknown:
        click.echo(f"unknown              {result.unknown:,} rows without an answer, left out")
