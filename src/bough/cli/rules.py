"""bough rules"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bough.cli.flags import split_marks

if TYPE_CHECKING:
    from bough.data.schema import Schema
    from bough.data.table import Table
    from bough.rules import RuleCheck, RuleSet


@click.command()
@click.argument("model")
@click.option("--data", metavar="FILE", help="Rows with known answers to score or prune with.")
@click.option(
    "--prune",
    metavar="[holdout|pessimistic]",
    help="Drop conditions: judged on rows the tree was not grown from, or by C4.5's estimate on "
    "the rows it was grown from.",
)
@click.option(
    "--cf",
    type=float,
    default=0.25,
    show_default=True,
    metavar="N",
    help="Confidence factor of the pessimistic estimate, between 0 and 1; less drops more.",
)
@click.option(
    "--order",
    metavar="[accuracy|tree]",
    help="The best rule first (the default), or as in the tree. Saved rules keep their order.",
)
@click.option("--drop-idle", is_flag=True, help="Leave out rules that answer for no row of --data.")
@click.option("--out", metavar="FILE", help="Save the rules to this file.")
@click.option("--force", is_flag=True, help="Overwrite the file if it is there.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, the same as in a saved file.")
@click.option("--all", "everything", is_flag=True, help="Show every rule, however many.")
@click.option("--exact", is_flag=True, help="Name missing cells wherever a rule takes them.")
@click.option("--plain", is_flag=True, help="Plain ASCII.")
@click.option("--weights", metavar="COLUMN", help="How much each row of --data counts.")
@click.option("--missing", "marks", metavar="TEXT,TEXT", help="Texts that mean a missing cell.")
@click.option("--sql", metavar="QUERY", help="Read the rows of a query over files or a database.")
def rules(
    model: str,
    data: str | None,
    prune: str | None,
    cf: float,
    order: str | None,
    drop_idle: bool,
    out: str | None,
    force: bool,
    as_json: bool,
    everything: bool,
    exact: bool,
    plain: bool,
    weights: str | None,
    marks: str | None,
    sql: str | None,
) -> None:
    """The tree in MODEL as rules: one per path, pruned if asked for, scored, saved.

    MODEL may also be a file of saved rules: they are shown, and with --data scored anew.
    """
    from bough.cli import screen
    from bough.files import check_free

    has_rows = data is not None or sql is not None
    if drop_idle and not has_rows:
        raise click.UsageError("--drop-idle needs --data: which rows should be answered?")
    if out is not None:
        check_free(out, force=force)
    how = {"missing_marks": split_marks(marks), "sql": sql, "weights": weights}
    reader = _Reader(data, how) if has_rows else None
    made, rows = _made(model, reader, prune, cf, order)
    if drop_idle:
        made = made.drop_idle(rows, name=made.scored_on)
    if out is not None:
        made.save(out, force=force)
    if as_json:
        from bough.rules.store import dumps

        click.echo(dumps(made).decode(), nl=False)
    else:
        _print(made, everything, exact, plain or screen.needs_plain())
        if rows is not None:
            _print_check(made.check(rows), made.error(rows), plain or screen.needs_plain())
    if out is not None:
        screen.note(f"wrote {out}: {screen.counted(len(made), 'rule')}")


class _Reader:
    """The rows, once it is known which columns they are to have."""

    def __init__(self, data: str | None, how: dict[str, Any]) -> None:
        self.data, self.how = data, how

    def table(self, schema: Schema, needed: frozenset[str] | set[str]) -> Table:
        from bough.cli import screen
        from bough.data.read import read_cells

        found = read_cells(self.data, schema, need_target=True, needed=needed, **self.how)
        screen.notes(found.notes)
        return found


def _made(
    model: str, reader: _Reader | None, prune: Any, cf: float, order: Any
) -> tuple[RuleSet, Table | None]:
    """The rules of a tree, or saved ones; and the rows they were scored on."""
    from bough.rules import store

    if not store.is_rules(model):
        from bough.predict import needed_columns
        from bough.rules import rules_of
        from bough.store import load

        tree = load(model)
        rows = None if reader is None else reader.table(tree.schema, needed_columns(tree))
        order = order or "accuracy"
        return rules_of(tree, rows, prune=prune, cf=cf, order=order), rows
    if prune is not None or order is not None:
        raise click.UsageError(
            f'"{model}" holds rules already; --prune and --order are for a tree. Give the tree.'
        )
    saved = store.load(model)
    if reader is None:
        return saved, None
    rows = reader.table(saved.schema, saved.needed)
    return saved.score(rows), rows


def _print(made: RuleSet, everything: bool, exact: bool, plain: bool) -> None:
    from bough.cli import screen
    from bough.rules.words import render

    most = None if everything else 200
    click.echo(render(made, width=screen.width(), plain=plain, exact=exact, most=most))


def _print_check(found: RuleCheck, error: float, plain: bool) -> None:
    from bough.view.cells import to_ascii

    is_regression = found.rules.schema.target.task == "regression"
    whole = f"mean squared error {error:.6g}" if is_regression else f"error {error:.2%}"
    text = f"\n{whole} over all rows\n{found}"
    click.echo(to_ascii(text) if plain else text)
