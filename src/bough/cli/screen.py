"""What commands print: notes on standard error, progress, numbers in words."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

__all__ = [
    "counted",
    "duration",
    "needs_plain",
    "note",
    "notes",
    "progress_bar",
    "table",
    "use_color",
    "width",
]

FEWEST_CELLS = 20
"""A column of words is never folded to less."""


def use_color() -> bool:
    """Colour where the terminal has it and NO_COLOR is not set (to anything but nothing)."""
    import os

    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """The terminal's width; None when the output goes elsewhere."""
    return shutil.get_terminal_size().columns if _is_terminal() else None


def needs_plain() -> bool:
    """Whether the output cannot hold the lines and bars of a tree."""
    try:
        "├─│└ ≤ █▏░●…".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _folded(row: Sequence[str], room: int) -> Iterator[Sequence[str]]:
    """The row, and below it what does not fit into its last cell."""
    import textwrap

    first, *rest = textwrap.wrap(row[-1], room) or [""]
    yield [*row[:-1], first]
    yield from ([""] * (len(row) - 1) + [text] for text in rest)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # None: closed by the caller


def note(text: str) -> None:
    click.echo(text, err=True)


def notes(texts: Sequence[str]) -> None:
    """What the reader of the data should know, one line each."""
    for text in texts:
        note(f"note: {text}")


def counted(number: int, one: str, many: str = "") -> str:
    """`1 row`, `2 rows`"""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.{0 if seconds >= 0.01 else 1}f} ms"


@contextmanager
def progress_bar(words: str) -> Iterator[Callable[[int, int], object] | None]:
    """A bar on standard error, if that is a terminal and there is time to see it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    import time

    started = time.monotonic()
    bar: list[object] = []

    def told(done: int, total: int) -> None:
        if time.monotonic() - started < 0.5:
            return
        if not bar:
            from rich.console import Console
            from rich.progress import Progress

            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            bar.extend([shown, shown.add_task(words, total=total)])
        bar[0].update(bar[1], completed=done)  # type: ignore[attr-defined]

    try:
        yield told
    finally:
        if bar:
            bar[0].stop()  # type: ignore[attr-defined]


def table(
    rows: Sequence[Sequence[str]], right: Sequence[int] = (), within: int | None = None
) -> str:
    """Rows as aligned columns; those numbered in `right` are set to the right.

    `within` so many cells the words of the last column go on, on lines of their own.
    """
    from rich.cells import cell_len

    wide = [max(cell_len(row[i]) for row in rows) for i in range(len(rows[0]))]
    if within is not None:
        room = max(FEWEST_CELLS, within - sum(wide[:-1]) - 2 * (len(wide) - 1))
        rows = [line for row in rows for line in _folded(row, room)]

    def pad(text: str, i: int) -> str:
        space = " " * (wide[i] - cell_len(text))
        return space + text if i in right else text + space

    return "\n".join("  ".join(pad(text, i) for i, text in enumerate(row)).rstrip() for row in rows)
