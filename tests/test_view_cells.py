"""Text in terminal cells and the small bars."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bough.view.cells import Paint, clean, cut, share_bar, stacked_bar, track, width

SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("", '""'),
        (" padded", '" padded"'),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnirts\u2066", "\\u202egnirts\\u2066"),
        ("\ud800", "\\ud800"),
        ("\u2028", '"\\u2028"'),
        ("日本語", "日本語"),
        ("cafe\u0301", "cafe\u0301"),
        ("\u0301x", "◌\u0301x"),
        ("z" + "\u0301" * 50, "z" + "\u0301" * 4),
        ("👩\u200d👧 ❤\ufe0f", "👩👧 ❤"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200db", "a\u200db"),
        ("\u200d", ""),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(max_size=40), st.integers(0, 30))
def test_cut_fits_and_keeps_both_ends(text: str, cells: int) -> None:
    shown = clean(text)
    short = cut(shown, cells)
    assert width(short) <= cells
    assert cell_len(short) <= cells
    if width(shown) <= cells:
        assert short == shown
    elif cells >= 4:
        head, tail = short.split("…")[0], short.split("…")[-1]
        assert shown.startswith(head) and shown.endswith(tail)


def test_a_name_of_a_million_characters_is_not_read_whole() -> None:
    assert len(clean("\x1b" * 1_000_000)) < 20_000


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(5, 10))
def test_stacked_bars_fill_their_cells(sizes: list[float], cells: int) -> None:
    total = sum(sizes)
    shares = [size / total for size in sizes] if total > 1e-3 else [1.0]
    parts = [(share, f"38;5;{number}") for number, share in enumerate(shares)]
    drawn = stacked_bar(parts, cells, Paint(True))
    assert len(SGR.sub("", drawn)) == cells
    for share, style in parts:  # what has a share of a cell is seen
        if share >= 2 / cells:
            assert style in drawn or style.replace("38;", "48;") in drawn


def test_bars_to_an_eighth_of_a_cell() -> None:
    bare = Paint(False)
    assert share_bar(0.0, "", 4, bare) == "░░░░"
    assert share_bar(0.5, "", 4, bare) == "██░░"
    assert share_bar(1 / 32, "", 4, bare) == "▏░░░"
    assert share_bar(0.999, "", 4, bare) == "███▉"
    assert share_bar(1.0, "", 4, bare) == "████"
    red, blue = "38;5;1", "38;5;2"
    assert stacked_bar([(0.25, red), (0.75, blue)], 2, Paint(True)) == (
        "\x1b[38;5;1;48;5;2m▌\x1b[0m\x1b[38;5;2m█\x1b[0m"
    )


def test_track_marks_mean_and_spread() -> None:
    assert track(50, 20, 0, 100, 10) == "···──●──··"
    assert track(0, 0, 0, 100, 10) == "●·········"
    assert track(100, 500, 0, 100, 10) == "─────────●"
    assert track(3, 0, 3, 3, 10) == "·····●····"


def test_ascii_names_need_no_tables_of_widths() -> None:
    """rich is asked for widths only when a name needs it: it takes longer to import than we do."""
    code = (
        "import sys; import bough.view.terminal; from bough.view.cells import clean, width;"
        "width(clean('petal length') + '├─ ≤ █▍░ ±…'); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
