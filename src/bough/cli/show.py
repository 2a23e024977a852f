"""bough show"""

from __future__ import annotations

import click


@click.command()
@click.argument("model")
@click.option("--max-depth", type=click.IntRange(min=0), metavar="N", help="Hide what is deeper.")
@click.option("--all", "everything", is_flag=True, help="Show every node, however many.")
@click.option("--plain", is_flag=True, help="Plain ASCII, without bars or colour.")
@click.option(
    "--width", type=click.IntRange(min=40), metavar="N", help="Columns of text to use, 40 or more."
)
def show(
    model: str, max_depth: int | None, everything: bool, plain: bool, width: int | None
) -> None:
    """Print the tree in MODEL."""
    from bough.cli import screen
    from bough.store import load
    from bough.view.terminal import render

    click.echo(
        render(
            load(model),
            width=width or screen.width(),
            max_depth=max_depth,
            max_nodes=None if everything else 200,
            plain=plain or screen.needs_plain(),
            color=screen.use_color(),
        )
    )
