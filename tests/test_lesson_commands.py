"""bough lesson, bough count"""

from __future__ import annotations

from pathlib import Path

import pytest

from bough.counting import boolean_functions
from bough.datasets import path
from test_cli_commands import done, refused

RESTAURANT = path("restaurant")


def lesson(*more: object) -> str:
    return done("lesson", RESTAURANT, "--target", "WillWait", *more).out


def test_a_lesson_in_the_terminal() -> None:
    told = lesson("--recipe", "id3")
    assert "gain = 1 − (6/12)·0.918296 − (2/12)·0 − (4/12)·0 ≈ 0.540852" in told
    assert "Decision: ask Pat" in told
    assert told.count("\nStep ") == 12
    assert max(map(len, told.split("\n"))) <= 100


def test_options_of_growing_are_those_of_the_lesson() -> None:
    assert "twoing = (W₀/W)" in lesson("--criterion", "twoing", "--max-depth", "1")
    assert "max_depth is 1" in lesson("--recipe", "id3", "--max-depth", "1")


def test_steps_and_nodes() -> None:
    assert lesson("--recipe", "id3", "--steps", "2").count("\nStep ") == 2
    assert lesson("--recipe", "id3", "--steps", "all").count("\nStep ") == 12
    chosen = lesson("--recipe", "id3", "--node", "5", "--node", "1")
    assert "node 1 " in chosen and "node 5 " in chosen and chosen.count("\nStep ") == 2
    shown = refused(2, "lesson", RESTAURANT, "--target", "WillWait", "--node", "99")
    assert "There is no node 99" in shown


@pytest.mark.parametrize("steps", ["0", "-1", "some", "1.5"])
def test_wrong_steps(steps: str) -> None:
    message = refused(2, "lesson", RESTAURANT, "--target", "WillWait", f"--steps={steps}")
    assert "a number from 1 up, or all" in message


def test_plain_and_full() -> None:
    assert lesson("--plain", "--recipe", "id3").isascii()
    titanic = ("lesson", path("titanic"), "--target", "Survived", "--steps", "1")
    brief, full = done(*titanic).out, done(*titanic, "--full").out
    assert "more ways to split" in brief and "more ways to split" not in full
    assert len(full) > 3 * len(brief)


def test_the_page_is_written_once(tmp_path: Path) -> None:
    page = tmp_path / "lesson.html"
    written = done("lesson", RESTAURANT, "--target", "WillWait", "--recipe", "id3", "--html", page)
    assert written.out == ""
    assert "12 steps" in written.err
    assert page.read_text("utf-8").startswith("<!doctype html>")
    again = ("lesson", RESTAURANT, "--target", "WillWait", "--html", page)
    assert "already there" in refused(1, *again)
    done(*again, "--force")


def test_a_lesson_needs_a_target() -> None:
    assert "--target COLUMN" in refused(2, "lesson", RESTAURANT)
    assert "Give a data file" in refused(2, "lesson", "--target", "y")


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("functions", 6), "18,446,744,073,709,551,616"),
        (("stumps", 6), "24"),
        (("trees", 6, "--depth", 1), "26"),
        (("concepts", "3,3,2,2"), "68,719,476,736"),
        (("concepts", "2, 2", "--classes", 3), "81"),
        (("subsets", 3), "3"),
        (("subsets", 4), "7"),
        (("hyperplanes", 4, 2), "24"),
    ],
)
def test_counts(words: tuple[object, ...], number: str) -> None:
    first, *rest = done("count", *words).out.splitlines()
    assert first == number
    assert rest[-1].startswith("Source: S")


def test_stumps_name_the_different_ones_S3_145() -> None:
    assert "14 different functions" in done("count", "stumps", 6).out


def test_huge_numbers_tell_their_digits_S1_107() -> None:
    first, second, *_ = done("count", "functions", 10).out.splitlines()
    assert int(first.replace(",", "")) == 2**1024
    assert second == "309 digits"


def test_numbers_nobody_reads_show_their_ends() -> None:
    first, second, *_ = done("count", "functions", 14).out.splitlines()
    assert "…" in first and len(first) < 60
    assert second.startswith("4,933 digits")
    whole = done("count", "--digits", "functions", 14).out.splitlines()[0].replace(",", "")
    assert len(whole) == 4933
    assert int(whole[-18:]) == boolean_functions(14) % 10**18


def test_numbers_that_cannot_be_counted() -> None:
    assert "larger than 2^" in refused(2, "count", "functions", 64)
    assert "'x' is not a number of levels" in refused(2, "count", "concepts", "3,x")
    assert "from 1 up" in refused(2, "count", "subsets", 0)
    assert "n=-1 is not allowed: give a whole number" in refused(2, "count", "functions", -1)
    assert "'-3' is not a number of levels" in refused(2, "count", "concepts", "-3,2")
    assert "No such option '-x'" in refused(2, "count", "functions", "-x")
    assert "depth" in refused(2, "count", "trees", 3)
