"""bough evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bough.cli.flags import need_data, split_marks

if TYPE_CHECKING:
    from bough.evaluate import ClassEvaluation, Evaluation, NumberEvaluation
    from bough.tree import Tree

MOST_CLASSES = 12
"""As many as a table of classes by classes is a pleasure to read for."""
MOST_MISTAKES = 20


@click.command()
@click.argument("model")
@click.argument("data", required=False)
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@click.option(
    "--costs", metavar="FILE", help="A table of what mistakes cost: row actual, column answer."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the interval.")
@click.option("--missing", "marks", metavar="TEXT,TEXT", help="Texts that mean a missing cell.")
@click.option("--sql", metavar="QUERY", help="Read the rows of a query over files or a database.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def evaluate(
    model: str,
    data: str | None,
    weights: str | None,
    costs: str | None,
    confidence: float,
    marks: str | None,
    sql: str | None,
    as_json: bool,
) -> None:
    """Compare the answers of MODEL with the target column of DATA.

    Beside it stand the error on the rows the tree was grown from, and that of the tree's root.
    """
    from bough.cli import screen
    from bough.data.read import read_cells
    from bough.errors import DataError
    from bough.evaluate import ClassEvaluation, evaluate_table, training
    from bough.predict import needed_columns
    from bough.store import load

    need_data(data, sql)
    tree = load(model)
    table = read_cells(
        data,
        tree.schema,
        missing_marks=split_marks(marks),
        sql=sql,
        need_target=True,
        needed=needed_columns(tree),
        weights=weights,
    )
    if table.n_rows == 0:
        raise DataError("The table has no rows, only the names of the columns.")
    screen.notes(table.notes)
    result = evaluate_table(tree, table, costs=costs, confidence=confidence)
    before = training(tree, costs=costs, confidence=confidence)
    if as_json:
        click.echo(_json(tree, result, before))
    elif isinstance(result, ClassEvaluation):
        assert isinstance(before, ClassEvaluation)
        _print_classes(tree, result, before)
    else:
        assert not isinstance(before, ClassEvaluation)
        _print_numbers(tree, result, before)


def _json(tree: Tree, result: Evaluation, before: Evaluation) -> str:
    import json

    from bough.evaluation import as_json

    told = tree.schema.target
    about = {
        "target": told.name,
        "task": told.task,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
    }
    found = {**about, **as_json(result), "training": as_json(before)}
    return json.dumps(found, indent=2, ensure_ascii=False)


def _size(tree: Tree) -> str:
    from bough.cli.screen import counted

    return f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth:,}"


def _print_classes(tree: Tree, result: ClassEvaluation, before: ClassEvaluation) -> None:
    from bough.cli.screen import counted, table
    from bough.data.schema import level_text
    from bough.view.cells import clean, cut

    wrong = result.error * result.weight
    names = [cut(clean(level_text(name) or ""), 40) for name in result.classes]
    click.echo(f"{counted(result.rows, 'row')}; the tree has {_size(tree)}\n")
    click.echo(f"error     {result.error:8.2%}  ({wrong:,.10g} of {result.weight:,.10g} wrong)")
    if result.interval is not None:
        low, high = result.interval.low, result.interval.high
        click.echo(f"          {low:8.2%} … {high:.2%} with {_sure(result)} confidence")
    click.echo(f"accuracy  {1 - result.error:8.2%}")
    click.echo(
        f"baseline  {result.baseline_error:8.2%}  error of always answering "
        f"{names[int(tree.answers[0])]}"
    )
    click.echo(
        f"training  {before.error:8.2%}  error on the {counted(before.rows, 'row')} "
        "it was grown from"
    )
    _print_scores(result)
    answers = [*names, "(unknown)"]
    if not result.confusion[:, -1].any():
        answers.pop()  # the tree always knew an answer
    if len(names) <= MOST_CLASSES:
        rows = _matrix(result, names, answers)
        click.echo(table(rows, right=range(1, len(rows[0]))))
        click.echo("\n" + table(_per_class(result, names), right=range(1, 5)))
        return
    if wrong:
        click.echo(table(_mistakes(result, names, answers), right=(2,)) + "\n")
    click.echo(f"All {len(names)} classes, one by one: --json")


def _print_scores(result: ClassEvaluation) -> None:
    if result.cost is not None and result.baseline_cost is not None:
        click.echo(f"cost      {result.cost:8.4g}  a row; baseline {result.baseline_cost:.4g}")
    impossible = f"{result.impossible:,.10g} had a class its leaf had never seen"
    why = f"  ({impossible})" if result.impossible else ""
    click.echo(f"log loss  {result.log_loss:8.4f}{why}")
    click.echo(f"Brier     {result.brier:8.4f}")
    if result.auc == result.auc:
        click.echo(f"AUC       {result.auc:8.4f}")
    click.echo()


def _per_class(result: ClassEvaluation, names: list[str]) -> list[list[str]]:
    rows = [["class", "precision", "recall", "F1", "rows"]]
    for name, score in zip(names, result.per_class, strict=True):
        shares = [_said(x, ".1%") for x in (score.precision, score.recall, score.f1)]
        rows.append([name, *shares, f"{score.support:,.10g}"])
    return rows


def _matrix(result: ClassEvaluation, names: list[str], answers: list[str]) -> list[list[str]]:
    """Weight by actual class and answer."""
    rows = [["actual \\ answer", *answers, "right"]]
    for i, name in enumerate(names):
        weight = result.confusion[i].sum()
        share = f"{result.confusion[i, i] / weight:.1%}" if weight else "–"
        cells = [f"{weight:,.10g}" for weight in result.confusion[i, : len(answers)]]
        rows.append([name, *cells, share])
    return rows


def _mistakes(result: ClassEvaluation, names: list[str], answers: list[str]) -> list[list[str]]:
    """What was most often taken for what."""
    wrong = result.confusion.copy()
    for i in range(len(names)):
        wrong[i, i] = 0
    most = (-wrong).ravel().argsort(kind="stable")[:MOST_MISTAKES].tolist()
    rows = [["most wrong: actual", "answer", "rows"]]
    for actual, answer in (divmod(place, wrong.shape[1]) for place in most):
        if wrong[actual, answer]:
            rows.append([names[actual], answers[answer], f"{wrong[actual, answer]:,.10g}"])
    return rows


def _print_numbers(tree: Tree, result: NumberEvaluation, before: NumberEvaluation) -> None:
    from bough.cli.screen import counted

    click.echo(f"{counted(result.rows, 'row')}; the tree has {_size(tree)}\n")
    click.echo(f"mean squared error   {_said(result.mean_squared_error)}")
    if result.interval is not None:
        low, high = _said(result.interval.low), _said(result.interval.high)
        click.echo(f"                     {low} … {high} with {_sure(result)} confidence")
    click.echo(f"its root             {_said(result.root_mean_squared_error)}")
    click.echo(f"mean absolute error  {_said(result.mean_absolute_error)}")
    click.echo(f"R²                   {_said(result.r2, '.4f')}")
    click.echo(
        f"baseline             {_said(result.baseline_mean_squared_error)}  mean squared error of "
        f"always answering {_said(float(tree.answers[0]))}"
    )
    click.echo(
        f"training             {_said(before.mean_squared_error)}  mean squared error on the "
        f"{counted(before.rows, 'row')} it was grown from"
    )
    if result.unknown:
        rows = counted(result.unknown, "row")
        click.echo(f"unknown              {rows} without an answer, left out of the errors")


def _sure(result: Evaluation) -> str:
    """`95%`"""
    assert result.interval is not None
    return f"{100 * result.interval.confidence:.10g}%"


def _said(number: float, form: str = ".6g") -> str:
    return "–" if number != number else format(number, form)
