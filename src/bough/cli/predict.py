"""bough predict"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from bough.cli.flags import need_data, split_marks

if TYPE_CHECKING:
    from bough.tree import Tree


@click.command()
@click.argument("model")
@click.argument("data", required=False)
@click.option("--out", metavar="FILE", help="Write CSV here instead of to standard output.")
@click.option("--force", is_flag=True, help="Overwrite the file if it is there.")
@click.option("--shares", is_flag=True, help="Add the share of every class.")
@click.option("--leaf", is_flag=True, help="Add the number of the leaf each row reaches.")
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Copy this column of DATA. Repeatable."
)
@click.option("--missing", "marks", metavar="TEXT,TEXT", help="Texts that mean a missing cell.")
@click.option("--sql", metavar="QUERY", help="Read the rows of a query over files or a database.")
def predict(
    model: str,
    data: str | None,
    out: str | None,
    force: bool,
    shares: bool,
    leaf: bool,
    keep: tuple[str, ...],
    marks: str | None,
    sql: str | None,
) -> None:
    """Answer for every row of DATA, as CSV: one line per row, in the same order."""
    from bough.cli import screen
    from bough.files import check_free, write_bytes
    from bough.predict import apply_table, needed_columns
    from bough.store import load

    need_data(data, sql)
    keep = tuple(dict.fromkeys(keep))
    out = None if out == "-" else out
    if out is not None:
        check_free(out, force=force)
    tree = load(model)
    if shares and tree.schema.target.task == "regression":
        raise click.UsageError("--shares is for classes; this tree predicts a number.")
    from bough.data.read import read_cells_and

    table, kept = read_cells_and(
        data,
        tree.schema,
        keep=keep,
        missing_marks=split_marks(marks),
        sql=sql,
        needed=needed_columns(tree),
    )
    screen.notes(table.notes)
    leaves = apply_table(tree, table)
    pages = _pages(tree, leaves, dict(zip(keep, kept, strict=True)), shares, leaf)
    if out is None:
        for page in pages:
            click.echo(page, nl=False)
    else:
        write_bytes(out, pages, force=force)
        screen.note(f"wrote {out}: {screen.counted(len(leaves), 'row')}")


def _pages(
    tree: Tree, leaves: Any, kept: dict[str, Sequence[Any]], shares: bool, leaf: bool
) -> Iterator[bytes]:
    """CSV as UTF-8 wherever it goes, some thousands of rows at a time."""
    import csv
    import io

    from bough.predict import labels

    names = [tree.schema.target.name]
    per_node: list[list[Any]] = [[_cell(answer) for answer in labels(tree).tolist()]]
    if shares:
        names += [f"share of {_cell(name)}" for name in tree.schema.target.classes]
        per_node += [[_cell(share) for share in column] for column in tree.shares.T.tolist()]
    if leaf:
        names.append("leaf")
        per_node.append(list(range(len(tree))))

    def text(rows: Any) -> bytes:
        page = io.StringIO()
        csv.writer(page, lineterminator="\n").writerows(rows)
        return page.getvalue().encode()

    yield text([_different([*kept, *names])])
    step = 10_000
    for begin in range(0, len(leaves), step):
        here = leaves[begin : begin + step].tolist()
        columns = [values[begin : begin + step] for values in kept.values()]
        columns += [[values[node] for node in here] for values in per_node]
        yield text(zip(*columns, strict=True))


def _different(names: Sequence[str]) -> list[str]:
    """The same names, and a later one that is there already told apart: no reader likes two."""
    found: dict[str, None] = {}
    for name in names:
        while name in found:
            name = f"{name} (predicted)"
        found[name] = None
    return list(found)


def _cell(value: Any) -> Any:
    if value is None or value != value:
        return ""  # unknown
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
