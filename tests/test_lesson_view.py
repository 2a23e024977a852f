"""Lessons as text and as a page. Golden texts are rewritten by running this file as a program."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len

from bough.data.read import read_table
from bough.lesson.arithmetic import Log2, Number, Product, Ratio, Square, Sum, minus, plus
from bough.lesson.facts import Lesson, Limits
from bough.view import lesson_html, lesson_text
from bough.view.lesson_math import equals, fixed, mathml_terms, number, text
from lessons import EVERYTHING, ID3, line, taught

GOLDEN = Path(__file__).parent / "golden"
SGR = re.compile("\x1b\\[[0-9;]*m")


def titanic(**options: object) -> Lesson:
    limits = Limits(steps=3, columns=4, candidates=4)
    return taught("titanic", limits, criterion="gini", threshold="short", max_depth=2, **options)


GOLDENS: dict[str, Callable[[], str]] = {
    "restaurant-entropy": lambda: lesson_text.render(taught("restaurant", **ID3)),
    "restaurant-gain-ratio": lambda: lesson_text.render(
        taught("restaurant", Limits(steps=2), **{**ID3, "criterion": "gain_ratio"})
    ),
    "restaurant-gini": lambda: lesson_text.render(
        taught("restaurant", Limits(steps=2), criterion="gini")
    ),
    "restaurant-chi2-plain": lambda: lesson_text.render(
        taught("restaurant", Limits(steps=1), criterion="chi2"), plain=True
    ),
    "restaurant-twoing": lambda: lesson_text.render(
        taught("restaurant", Limits(steps=1), criterion="twoing", categories="one_vs_rest")
    ),
    "restaurant-chaid": lambda: lesson_text.render(
        taught(
            "restaurant",
            Limits(steps=1),
            criterion="significance",
            categories="merged",
            max_adjusted_p=0.05,
        )
    ),
    "food11": lambda: lesson_text.render(taught("food11", criterion="entropy")),
    "regression": lambda: lesson_text.render(taught(line(), criterion="squared_error")),
    "xor": lambda: lesson_text.render(taught("xor", criterion="error", zero_gain="stop"), width=60),
    "titanic": lambda: lesson_text.render(titanic()),
    "titanic-own": lambda: lesson_text.render(titanic(missing="own"), width=80),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name: str) -> None:
    assert GOLDENS[name]() + "\n" == (GOLDEN / f"lesson-{name}.txt").read_text(encoding="utf-8")


# ---- hostile and odd tables ----------------------------------------------------------------------


def odd_lesson(criterion: str, **options: object) -> Lesson:
    """Names that would act in a page or a terminal, many levels, six classes, weights, holes."""
    rng = np.random.default_rng(1)
    n = 300
    names = ["<b>x", "\x1b[31mred", "a\nb", "שלום\u202e", "=1", "&amp;"]
    frame = pd.DataFrame({
        "<script>alert(1)</script>": rng.choice(names, n),
        "x": rng.normal(size=n).round(2),
        '" onload="x': rng.choice([f"level {i}" for i in range(60)], n),
        "w": rng.random(n).round(2),
        "y": rng.choice(["<img src=x onerror=1>", "b & c", 'q"uote', "d'", "e", "f\x07"], n),
    })  # fmt: skip
    frame.loc[5:40, "x"] = np.nan
    table = read_table(frame, target="y", weights="w")
    return taught(table, Limits(steps=4), criterion=criterion, max_depth=2, **options)


ODD: dict[str, Callable[[], Lesson]] = {
    "ratio": lambda: odd_lesson("gain_ratio", categories="branches"),
    "chi2": lambda: odd_lesson("chi2", missing="own"),
    "one": lambda: odd_lesson("entropy", categories="one_vs_rest"),
    "titanic": titanic,
    "line": lambda: taught(line(), criterion="squared_error"),
    "id3": lambda: taught("restaurant", **ID3),
}


@pytest.mark.parametrize("name", ODD)
def test_no_line_is_wider_than_the_page(name: str) -> None:
    lesson = ODD[name]()
    for width in (40, 41, 60, 80, 100, 160):
        for color in (False, True):
            shown = lesson_text.render(lesson, width=width, color=color)
            widest = max(shown.split("\n"), key=lambda row: cell_len(SGR.sub("", row)))
            assert cell_len(SGR.sub("", widest)) <= width, widest


@pytest.mark.parametrize("name", ODD)
def test_nothing_in_a_name_acts_on_a_terminal(name: str) -> None:
    lesson = ODD[name]()
    shown = lesson_text.render(lesson)
    assert "\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown
    assert lesson_text.render(lesson, plain=True).isascii()
    colored = lesson_text.render(lesson, color=True)
    assert "\x1b[" in colored and "\x1b[31m" not in colored
    assert "\x1b" not in lesson_text.render(lesson, plain=True, color=True)


class _Page(HTMLParser):
    """Reads a page: what is opened is closed, and nothing unknown is in it."""

    ALONE = ("meta", "!doctype", "br")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data


TAGS = set(
    re.findall(
        r"\w+",
        "html head meta title style body main header h1 h2 h3 h4 p code span i b bdi nav ol ul li "
        "a section div table thead tbody tr th td strong math mrow mo mn mi mtext mfrac msub msup",
    )
)


@pytest.mark.parametrize("name", ODD)
def test_the_page_is_whole_and_needs_nothing(name: str) -> None:
    lesson = ODD[name]()
    html = lesson_html.render(lesson)
    page = _Page()
    page.feed(html)
    page.close()
    assert not page.open
    assert page.tags <= TAGS
    for attribute, value in page.attributes:
        assert not attribute.startswith("on")
        assert attribute not in ("src", "srcset", "action")
        if attribute == "href":
            assert re.fullmatch(r"#node-\d+", value)
        if attribute == "style":
            assert re.fullmatch(r"(--c:var\(--(c\d|other)\)|--depth:\d+|width:[\d.e-]+%|;)+", value)
    assert "url(" not in html and "@import" not in html and "http://" not in html
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", html)
    targets = {value for attribute, value in page.attributes if attribute == "id"}
    assert all(value[1:] in targets for attribute, value in page.attributes if attribute == "href")


def test_page_and_text_say_the_same_numbers() -> None:
    lesson = taught("restaurant", EVERYTHING, **ID3)
    page = _Page()
    page.feed(lesson_html.render(lesson))
    for word in ("0.540852", "0.918296", "0.251629", "0.207519", "Pat", "Thai"):
        assert word in page.text
        assert word in lesson_text.render(lesson)


def test_small_lessons_have_no_list_of_steps() -> None:
    one = taught("restaurant", Limits(steps=1), **ID3)
    assert "<nav" not in lesson_html.render(one)
    assert "11 of 12 nodes are not shown" in lesson_html.render(one)
    assert "<nav" in lesson_html.render(taught("restaurant", **ID3))


# ---- numbers and formulas ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown", "sign"),
    [
        (0.0, "0", "="),
        (-0.0, "0", "="),
        (12.0, "12", "="),
        (1234567.0, "1,234,567", "="),
        (0.5, "0.5", "="),
        (0.1 + 0.2, "0.3", "="),
        (0.9182958340544896, "0.918296", "≈"),
        (1234.5678, "1,234.57", "≈"),
        (-3.25, "−3.25", "="),
        (7.7e-6, "7.7·10⁻⁶", "="),
        (3.7123e-59, "3.712·10⁻⁵⁹", "≈"),
        (0.99999999999, "1", "≈"),
        (2.5e15, "2.5·10¹⁵", "="),
    ],
)
def test_numbers(value: float, shown: str, sign: str) -> None:
    assert (number(value), equals(value)) == (shown, sign)


def test_fixed_numbers_line_up() -> None:
    assert [fixed(value, 0.6) for value in (0.540852083, 0.0)] == ["0.540852", "0.000000"]
    assert fixed(1234.5, 56789.0) == "1,234.50"
    assert fixed(5e15, 5e15) == "5e+15"


def third() -> Ratio:
    return Ratio(Number(1), Number(3))


def test_formulas_bracket_what_must_hold_together() -> None:
    assert text(Product((third(), Log2(third())))) == "(1/3)·log₂(1/3)"
    assert text(minus(Number(1), third(), Square(third()))) == "1 − 1/3 − (1/3)²"
    assert text(Ratio(plus(Number(1), Number(2)), Number(4))) == "(1 + 2)/4"
    assert text(minus(Number(1), Number(-4))) == "1 − (−4)"
    assert text(Square(Number(-4))) == "(−4)²"
    assert text(Product((Number(1e-7), Number(2)))) == "(1·10⁻⁷)·2"
    assert text(Sum(((-1, Number(2)), (1, Number(3))))) == "−2 + 3"
    assert text(minus(Number(9), plus(Number(1), Number(2)))) == "9 − (1 + 2)"


def test_a_long_sum_shows_both_ends_and_counts_all() -> None:
    long = plus(*(Number(float(i)) for i in range(1, 21)))
    assert text(long) == "1 + 2 + 3 + 4 + … + 19 + 20"
    assert long.value == 210
    assert len(mathml_terms(long)) == 7


if __name__ == "__main__":
    for golden, make in GOLDENS.items():
        (GOLDEN / f"lesson-{golden}.txt").write_text(make() + "\n", encoding="utf-8")
