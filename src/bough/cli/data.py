"""bough data"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bough.cli.flags import need_data, read_flags, read_how, task_flag
from bough.data.schema import Task

if TYPE_CHECKING:
    from bough.data.describe import ColumnFacts, TableFacts

MOST_CELLS, LONG_LEVEL = 60, 30
"""Terminal cells for the levels of a column, and for the name of one of them."""


@click.command()
@click.argument("data", required=False)
@click.option("--target", metavar="COLUMN", help="The column to predict (default: the last one).")
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@task_flag
@read_flags
def data(
    data: str | None,
    target: str | None,
    weights: str | None,
    as_json: bool,
    task: Task | None,
    category: tuple[str, ...],
    number: tuple[str, ...],
    ordered: tuple[str, ...],
    ignore: tuple[str, ...],
    marks: str | None,
    sql: str | None,
) -> None:
    """What bough sees in DATA: kinds, levels, missing cells, oddities, contradictions."""
    from bough.data.describe import describe
    from bough.data.read import read_table

    need_data(data, sql)
    how = read_how(category, number, ordered, marks)
    facts = describe(
        read_table(
            data,
            target=target,
            task=task,
            weights=weights,
            ignore=ignore,
            sql=sql,
            last_is_target=True,
            **how,
        )
    )
    if as_json:
        import json
        from dataclasses import asdict

        click.echo(json.dumps(asdict(facts), indent=2, ensure_ascii=False))
    else:
        _print(facts)


def _print(facts: TableFacts) -> None:
    from bough.cli.screen import counted, table
    from bough.view.cells import clean, cut

    weight = "" if facts.weight is None else f", weight {facts.weight:,.10g}"
    columns = counted(len(facts.columns), "column")
    click.echo(f"{counted(facts.n_rows, 'row')}{weight}, {columns} besides the target\n")
    rows = [["column", "kind", "different", "missing", "values", ""]]
    for column in facts.columns:
        missing = f"{column.n_missing:,} ({column.missing_share:.1%})" if column.n_missing else "–"
        name, odd = cut(clean(column.name), 40), "; ".join(column.oddities)
        rows.append([name, column.kind, f"{column.n_distinct:,}", missing, _values(column), odd])
    click.echo(table(rows, right=(2, 3)))
    click.echo("")
    _print_target(facts)
    same = facts.contradictions
    if same.n_rows:
        click.echo(
            f"{counted(same.n_rows, 'row')} contradict others: they agree in every column and "
            f"differ in class ({counted(same.n_groups, 'group')}). No tree can be right on all of "
            "them."
        )
    for note in facts.notes:
        click.echo(f"note: {note}")


def _values(column: ColumnFacts) -> str:
    if column.kind == "number":
        return f"{column.low} … {column.high}" if column.low else ""
    return _levels(column)


def _levels(column: ColumnFacts) -> str:
    """The most common levels with their rows, as many as fit, none of them broken off."""
    from bough.view.cells import clean, cut, width

    text = ""
    for level, rows in column.common:
        more = f"{', ' if text else ''}{cut(clean(level), LONG_LEVEL)} ({rows:,})"
        if width(text + more) > MOST_CELLS:
            return f"{text}, …"
        text += more
    return text + (", …" if column.n_distinct > len(column.common) else "")


def _print_target(facts: TableFacts) -> None:
    from bough.cli.screen import table
    from bough.data.schema import level_text, short_number
    from bough.view.cells import clean, cut

    target = facts.target
    if facts.target_range is not None:
        low, mean, high = facts.target_range
        span = f"{short_number(low)} … {short_number(high)}"
        click.echo(f'target "{clean(target.name)}": a number, {span}, mean {mean:.6g}')
        return
    click.echo(f'target "{clean(target.name)}": {len(facts.classes)} classes')
    shown = sorted(facts.classes, key=lambda pair: -pair[1])[:20]
    rows = [
        ["", cut(clean(level_text(name) or ""), 40), f"{n:,}", f"{n / facts.n_rows:.1%}"]
        for name, n in shown
    ]
    click.echo(table(rows, right=(2, 3)))
    if len(facts.classes) > len(shown):
        click.echo(f"  … {len(facts.classes) - len(shown):,} more classes")
