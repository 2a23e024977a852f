"""bough compare"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bough.cli.flags import need_data, need_target, read_flags, read_how, task_flag
from bough.data.schema import Task

if TYPE_CHECKING:
    from bough.bundles import Bundle
    from bough.compare import Plan
    from bough.comparison import Comparison, Contender

STOPPED = 130
"""The exit code of a program that was interrupted."""


@click.command()
@click.argument("data", required=False)
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--recipes", metavar="NAME,NAME", help="Only these; none: no recipe. Default: all.")
@click.option(
    "--bundle",
    "texts",
    multiple=True,
    metavar="NAME=OPTIONS",
    help='Options of your own, as in small="recipe=cart max_depth=4". Repeatable.',
)
@click.option("--bundles", "file", metavar="FILE", help="A TOML file of bundles.")
@click.option("--folds", type=int, default=10, show_default=True, help="Parts of the rows.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another one, other folds.")
@click.option("--learning-curve", is_flag=True, help="Also grow from shares of the rows.")
@click.option(
    "--costs",
    metavar="FILE",
    help="Grow for and judge by what mistakes cost: row actual, column answer.",
)
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@click.option("--threads", type=click.IntRange(1), help="Threads to grow with.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@task_flag
@read_flags
def compare(
    data: str | None,
    target: str | None,
    recipes: str | None,
    texts: tuple[str, ...],
    file: str | None,
    folds: int,
    seed: int,
    learning_curve: bool,
    costs: str | None,
    weights: str | None,
    threads: int | None,
    as_json: bool,
    task: Task | None,
    category: tuple[str, ...],
    number: tuple[str, ...],
    ordered: tuple[str, ...],
    ignore: tuple[str, ...],
    marks: str | None,
    sql: str | None,
) -> int:
    """Cross-validate recipes, and bundles of your own, on DATA: all on the same folds.

    Ctrl-C stops it and shows what has finished.
    """
    from bough.cli import screen
    from bough.compare import make_plan
    from bough.data.read import read_table

    need_data(data, sql)
    need_target(target)
    own = _own(texts, file)  # a slip here is said before the table is read
    how = read_how(category, number, ordered, marks)
    table = read_table(
        data, target=target, task=task, weights=weights, ignore=ignore, sql=sql, **how
    )
    screen.notes(table.notes)
    plan = make_plan(
        table,
        recipes=_names(recipes),
        bundles=own,
        folds=folds,
        seed=seed,
        learning_curve=learning_curve,
        costs=costs,
        threads=threads,
    )
    found = _run(plan)
    if as_json:
        _print_json(found)
    else:
        _print(found)
    if not found.complete:
        done, all_of_them = len(found.contenders), len(plan.bundles) - 1
        screen.note(f"bough: stopped; {done} of {all_of_them} bundles had finished")
        return STOPPED
    return 0 if found.best is not None else 1  # 1: none of them could be judged


def _own(texts: tuple[str, ...], file: str | None) -> list[Bundle]:
    from bough.bundles import parse_bundle, read_bundles

    return [*(read_bundles(file) if file else []), *map(parse_bundle, texts)]


def _names(recipes: str | None) -> list[str] | None:
    if recipes is None:
        return None
    if recipes.lower() == "none":
        return []
    return [name.strip() for name in recipes.split(",")]


def _run(plan: Plan) -> Comparison:
    from bough.cli.screen import progress_bar
    from bough.compare import run, summary

    found: list[Contender] = []
    try:
        with progress_bar("comparing") as progress:
            for contender in run(plan, progress):
                found.append(contender)  # noqa: PERF402 (an interrupt keeps those before it)
    except KeyboardInterrupt:
        if not found:
            raise
    return summary(plan, found)


# ---- what is printed -----------------------------------------------------------------------------


def _print_json(found: Comparison) -> None:
    import json

    from bough.comparison import as_json

    click.echo(json.dumps(as_json(found), indent=2, ensure_ascii=False))


def _print(found: Comparison) -> None:
    from bough.cli.screen import table
    from bough.view.cells import clean

    what = {
        "error": "share of wrong answers",
        "cost": "mean cost of the answers",
        "root_mean_squared_error": "root mean squared error",
    }[found.measure]
    click.echo(
        f"{clean(found.target)}: {what} on held-out rows "
        f"({found.rows:,} rows, {found.folds} folds, seed {found.seed})\n"
    )
    head = _head(found)
    ran = [one for one in found.contenders if one.failed is None]
    rows = [_row(one, found) for one in sorted(ran, key=lambda one: _key(one, found))]
    rows += [_row(found.baseline, found)] if found.baseline.failed is None else []
    click.echo(table([head, *rows], right=range(2, len(head))))
    for one in (found.baseline, *found.contenders):
        if one.failed is not None:
            click.echo(f"\n{clean(one.name)} failed: {clean(one.failed)}")
        elif one.unknown:
            click.echo(f"\n{clean(one.name)} has no answer for {one.unknown:,.10g} rows")
    _print_winners(found)
    if found.contenders and any(one.curve for one in found.contenders):
        click.echo("\n" + _curves(found))


def _key(one: Contender, found: Comparison) -> tuple[float, float]:
    value = one.cost if found.measure == "cost" and one.cost is not None else one.error
    return (value, one.leaves)


def _head(found: Comparison) -> list[str]:
    numbers = ["R²"] if found.task == "regression" else []
    costs = ["cost", "± dev."] if found.measure == "cost" else []
    name = "RMSE" if found.task == "regression" else "error"
    return [
        "",
        "bundle",
        *costs,
        name,
        "± dev.",
        *numbers,
        "training",
        "leaves",
        "depth",
        "seconds",
    ]


def _row(one: Contender, found: Comparison) -> list[str]:
    from bough.view.cells import clean, cut

    costs = []
    if found.measure == "cost":
        costs = [f"{one.cost or 0.0:.4g}", f"{one.cost_deviation or 0.0:.3g}"]
    return [
        "*" if one.name == found.best else "",
        cut(clean(one.name), 40),
        *costs,
        _error(one.error, found),
        _error(one.deviation, found),
        *([_r2(one.r2)] if found.task == "regression" else []),
        _error(one.training_error, found),
        f"{one.leaves:,.1f}",
        f"{one.depth:.1f}",
        f"{one.seconds:.3f}",
    ]


def _error(value: float, found: Comparison) -> str:
    if value != value:
        return "–"
    return f"{value:.2%}" if found.task == "classification" else f"{value:.4g}"


def _r2(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"


def _print_winners(found: Comparison) -> None:
    from bough.view.cells import clean

    if found.best is None:
        return
    better = {"cost": "cost", "error": "error", "root_mean_squared_error": "error"}[found.measure]
    click.echo(f"\n* the smallest {better}: {clean(found.best)}")
    if found.simplest is not None and found.simplest != found.best:
        click.echo(
            f"  within one standard error of it, with the fewest leaves: {clean(found.simplest)}"
        )
    best = min(_key(one, found)[0] for one in found.contenders if one.name == found.best)
    if best >= _key(found.baseline, found)[0]:
        click.echo("  no better than the baseline, which asks nothing")


def _curves(found: Comparison) -> str:
    from bough.cli.screen import table
    from bough.view.cells import clean, cut

    shown = [one for one in (*found.contenders, found.baseline) if one.curve]
    rows = [["training rows", *(cut(clean(one.name), 20) for one in shown)]]
    for at in range(len(shown[0].curve)):
        points = [one.curve[at] for one in shown]
        errors = [
            f"{_error(point.error, found)} ({_error(point.training_error, found)})"
            for point in points
        ]
        rows.append([f"{points[0].rows:,.0f}", *errors])
    head = "error on held-out rows (on training rows), by size of the training data"
    return f"{head}\n" + table(rows, right=range(len(rows[0])))
