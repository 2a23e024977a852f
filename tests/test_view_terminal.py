"""The tree in the terminal. Golden texts are rewritten by running this file as a program."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import trees
from bough.data.schema import Column, Schema, Target
from bough.errors import OptionError
from bough.tree import BRANCHES, SUBSET, THRESHOLD, Tree
from bough.view.answers import class_at, mean_at
from bough.view.terminal import render
from trees import Node, build

GOLDEN = Path(__file__).parent / "golden"
SGR = re.compile(r"\x1b\[[0-9;]*m")


# ---- trees by hand ----


def category(name: str, *levels: str) -> Column:
    return Column(name, "category", levels, "text")


def leaf(*stats: float, rows: int | None = None) -> Node:
    return Node(rows=int(sum(stats)) if rows is None else rows, stats=stats)


def branches(column: int, *children: Node, unseen: bool = False) -> Node:
    """One child per level, in the order of the levels; with `unseen` the last for all others."""
    seen = len(children) - unseen
    return Node(
        kind=BRANCHES,
        column=column,
        level_child={code: code for code in range(seen)},
        unseen_to=seen if unseen else -1,
        missing_to=0,
        children=list(children),
    )


def below(column: int, threshold: float, *children: Node, missing_rows: int = 0) -> Node:
    return Node(
        kind=THRESHOLD,
        column=column,
        threshold=threshold,
        missing_to=1,
        missing_rows=missing_rows,
        children=list(children),
    )


def restaurant(empty_branch: str = "parent") -> Tree:
    """The ID3 tree of the restaurant table."""
    schema = Schema(
        (
            category("Patrons", "None", "Some", "Full"),
            category("Hungry", "No", "Yes"),
            category("Type", "Italian", "Burger", "Thai", "French"),
            category("Fri", "No", "Yes"),
        ),
        Target("WillWait", "classification", ("No", "Yes")),
    )
    friday = branches(3, leaf(1, 0), leaf(0, 1))
    kind = branches(2, leaf(1, 0), leaf(0, 1), friday, leaf(0, 0), unseen=True)
    hungry = branches(1, leaf(2, 0), kind)
    root = branches(0, leaf(2, 0), leaf(0, 4), hungry)
    return build(schema, root, options={"recipe": "id3"}, empty_branch=empty_branch)


def houses() -> Tree:
    """Regression with missing cells, a date and an ordered column."""
    schema = Schema(
        (
            Column("rooms", "number"),
            Column("sold", "number", (), "date"),
            Column("state", "ordered", ("poor", "fair", "good", "new"), "text"),
        ),
        Target("price", "regression"),
    )

    def homes(rows: int, mean: float, sd: float) -> Node:
        return Node(rows=rows, stats=(rows, mean, rows * sd * sd))

    small = below(2, 1, homes(120, 95_250, 21_000), homes(80, 141_000, 25_500), missing_rows=7)
    large = below(1, 14_610, homes(9, 310_000, 0), homes(1_031, 402_750.5, 98_000))
    return build(schema, below(0, 5.5, small, large), options={"recipe": None})


def letters(weight: float = 1.0) -> Tree:
    """26 classes."""
    names = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    schema = Schema(
        (Column("width", "number"), category("shape", "round", "square", "tall", "thin", "wide")),
        Target("letter", "classification", names),
    )
    rng = np.random.default_rng(5)

    def some(*large: int) -> Node:
        counts = rng.integers(0, 6, 26)
        counts[list(large)] += 40
        return Node(rows=int(counts.sum()), stats=tuple((counts * weight).tolist()))

    one = leaf(*(7.0 * weight if name == "Q" else 0.0 for name in names), rows=7)
    sides = Node(
        kind=SUBSET,
        column=1,
        level_child={0: 0, 1: 1, 2: 1, 3: 0, 4: 0},
        missing_to=1,
        missing_rows=2,
        children=[some(0, 3), some(12)],
    )
    return build(schema, below(0, 4.25, sides, below(0, 7.5, some(4, 5, 6, 7), one)))


def odd_names() -> Tree:
    """Wide, combining and hostile characters, long names and long level lists."""
    levels = (
        "タイ料理",
        "Cafe\u0301",
        "\x1b[2J\x1b[31mred",
        "",
        *map("level {}".format, range(40)),
    )
    schema = Schema(
        (
            category("料理の種類", *levels),
            Column(
                "a name so long that nobody would want to see all of it in every line", "number"
            ),
            Column("line\nbreak\r\x07", "ordered", ("🌳👩‍👩‍👧", "\u202egnirts"), "text"),
        ),
        Target("🌲 \x1b]0;title\x07", "classification", ("はい", "いいえ", "\u0301 maybe")),
    )
    side = {code: 0 if code in (0, 1, 2) else 1 for code in range(len(levels))}
    deeper = below(1, -1234.5678, leaf(8, 1, 1), below(2, 0, leaf(0, 5, 0), leaf(1, 1, 5)))
    root = Node(
        kind=SUBSET, column=0, level_child=side, missing_to=0, children=[leaf(2, 9, 2), deeper]
    )
    return build(schema, root)


def many_branches(count: int = 40) -> Tree:
    schema = Schema(
        (category("town", *(f"town {i}" for i in range(count))), Column("age", "number")),
        Target("votes", "classification", (False, True)),
    )
    inner = [below(1, i + 0.5, leaf(i, 2), leaf(1, i)) for i in range(count)]
    return build(schema, branches(0, *inner))


def one_leaf(classes: int = 2) -> Tree:
    schema = Schema((Column("x", "number"),), Target("y", "classification", tuple(range(classes))))
    return build(schema, leaf(*map(float, range(1, classes + 1))))


CASES: dict[str, tuple[Tree, dict[str, Any]]] = {
    "restaurant": (restaurant(), {}),
    "restaurant_plain": (restaurant(), {"plain": True}),
    "restaurant_narrow": (restaurant(), {"width": 40}),
    "restaurant_unknown": (restaurant("unknown"), {}),
    "restaurant_cut": (restaurant(), {"max_depth": 2}),
    "houses": (houses(), {}),
    "houses_plain": (houses(), {"plain": True}),
    "houses_narrow": (houses(), {"width": 40}),
    "letters": (letters(), {}),
    "letters_plain": (letters(), {"plain": True}),
    "letters_weighted": (letters(0.37), {"width": 80}),
    "odd_names": (odd_names(), {"width": 120}),
    "odd_names_narrow": (odd_names(), {"width": 40}),
    "odd_names_plain": (odd_names(), {"plain": True, "width": 100}),
    "many_branches": (many_branches(), {"max_nodes": 45}),
    "chain": (trees.chain(121), {"width": 60}),
    "one_leaf": (one_leaf(), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    tree, options = CASES[name]
    assert render(tree, **options) + "\n" == (GOLDEN / f"{name}.txt").read_text("utf-8")


def rewrite_golden() -> None:
    for name, (tree, options) in CASES.items():
        (GOLDEN / f"{name}.txt").write_text(render(tree, **options) + "\n", "utf-8")


# ---- what holds for every tree ----


def body(text: str) -> list[str]:
    """The lines from "all rows" to the footer."""
    lines = SGR.sub("", text).split("\n")
    first = next(at for at, line in enumerate(lines) if line.startswith("all rows"))
    rest = lines[first:]
    return rest[: rest.index("")] if "" in rest else rest


any_tree = st.builds(
    trees.random_tree,
    st.integers(0, 10**6),
    splits=st.sampled_from([0, 1, 4, 12, 40]),
    deep=st.booleans(),
)
any_options = st.fixed_dictionaries(
    {
        "width": st.none() | st.integers(40, 200),
        "max_depth": st.none() | st.integers(0, 6),
        "max_nodes": st.none() | st.integers(1, 60),
        "plain": st.booleans(),
        "color": st.booleans(),
    }
)


@settings(max_examples=300, deadline=None)
@given(any_tree, any_options)
def test_no_line_is_too_wide_or_acts_on_the_terminal(tree: Tree, options: dict[str, Any]) -> None:
    text = SGR.sub("", render(tree, **options))
    most = options["width"] or (10**9 if options["plain"] else 100)
    for line in text.split("\n"):
        assert cell_len(line) <= most
        assert line == line.rstrip()
        for char in line:
            joiner = char in "\u200c\u200d"  # only between letters; see test_clean
            assert joiner or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
    if options["plain"]:
        assert text.isascii()


@settings(max_examples=200, deadline=None)
@given(any_tree, st.none() | st.integers(40, 200), st.booleans(), st.booleans())
def test_every_node_has_its_line(tree: Tree, width: int | None, plain: bool, color: bool) -> None:
    text = render(tree, width=width, max_nodes=None, plain=plain, color=color)
    assert len(body(text)) == len(tree.nodes)
    assert "more node" not in text


@settings(max_examples=200, deadline=None)
@given(any_tree, st.integers(1, 60), st.none() | st.integers(0, 6))
def test_what_is_hidden_is_counted(tree: Tree, max_nodes: int, max_depth: int | None) -> None:
    text = render(tree, max_nodes=max_nodes, max_depth=max_depth, plain=True)
    shown = [line for line in body(text) if " more branch" not in line]
    assert len(shown) <= max_nodes
    footer = re.search(r"^\.\.\. ([\d,]+) more nodes? below: bough show", text, re.M)
    hidden = int(footer[1].replace(",", "")) if footer else 0
    assert len(shown) + hidden == len(tree.nodes)
    # … and line by line it adds up to the same
    below_lines = re.findall(r" \.\.\. ([\d,]+) nodes? below$|, ([\d,]+) nodes?\)$", text, re.M)
    assert sum(int((a or b).replace(",", "")) for a, b in below_lines) == hidden


@settings(max_examples=100, deadline=None)
@given(any_tree)
def test_numbers_are_the_nodes_own(tree: Tree) -> None:
    """Plain lines name the rows of every node, in reading order."""
    told = [
        int(match[1].replace(",", ""))
        if (match := re.search(r" \(([\d,]+) rows?[,:]", line))
        else 0
        for line in body(render(tree, max_nodes=None, plain=True))
    ]
    assert told == [int(tree.nodes.rows[node]) for node in tree.walk()]


@settings(max_examples=100, deadline=None)
@given(any_tree)
def test_answers_are_those_of_the_tree(tree: Tree) -> None:
    nodes = range(len(tree.nodes))
    one = mean_at if tree.schema.target.task == "regression" else class_at
    np.testing.assert_array_equal([one(tree, node) for node in nodes], tree.answers)


@settings(max_examples=100, deadline=None)
@given(any_tree, any_options)
def test_same_text_every_time_and_colour_adds_only_colour(
    tree: Tree, options: dict[str, Any]
) -> None:
    text = render(tree, **options)
    assert text == render(tree, **options)
    assert ("\x1b" in text) == (options["color"] and not options["plain"])
    # Stacked bars need no light ground, so the lines agree but for bars and swatches.
    bars = str.maketrans(dict.fromkeys("█▉▊▋▌▍▎▏░", " "))
    if tree.schema.target.task == "regression":
        assert SGR.sub("", text) == render(tree, **{**options, "color": False})
    elif "\x1b" in text:
        bare = render(tree, **{**options, "color": False})
        assert [line.translate(bars).split() for line in body(text)] == [
            line.translate(bars).split() for line in body(bare)
        ]


# ---- columns ----


def test_counts_line_up() -> None:
    for tree in (restaurant(), letters(), odd_names(), houses()):
        lines = [line for line in body(render(tree)) if "no rows" not in line]
        assert len({cell_len(line) for line in lines}) == 1


def test_weights_only_where_they_differ_from_rows() -> None:
    assert "weight" not in render(letters())
    assert "weight" in render(letters(0.5))
    assert ", weight 3.5: Q 100%)" in render(letters(0.5), plain=True)


def test_a_branch_without_rows_says_what_it_answers() -> None:
    parent = next(line for line in body(render(restaurant())) if "French" in line)
    assert re.search(r"French +No +no rows; answers like the parent$", parent)
    unknown = next(line for line in body(render(restaurant("unknown"))) if "French" in line)
    assert re.search(r"French +\? +no rows; does not know$", unknown)
    assert "French -> No (no rows; answers like the parent)" in render(restaurant(), plain=True)
    plain = render(restaurant("unknown"), plain=True)
    assert "French -> does not know (no rows)" in plain


def test_a_branch_without_rows_in_regression() -> None:
    schema = Schema((category("c", "a", "b"),), Target("y", "regression"))
    for empty_branch, shown, told in (
        ("parent", "2.00  no rows; answers like the parent", "2.00 (no rows; answers like the"),
        ("unknown", "?  no rows; does not know", "does not know (no rows)"),
    ):
        root = branches(0, leaf(2, 2, 18, rows=2), leaf(0, 0, 0), unseen=True)
        tree = build(schema, root, empty_branch=empty_branch)
        assert body(render(tree))[-1] == f"└─ c = b  {shown}"
        assert f"c = b -> {told}" in render(tree, plain=True)


def test_small_shares_are_not_rounded_away() -> None:
    schema = one_leaf().schema
    text = render(build(schema, leaf(9_999, 1)))
    assert "  <1% ▏░░░░░░░░░" in text
    assert " >99% █████████▉" in render(build(schema, leaf(1, 9_999)))
    assert " 100% ██████████" in render(build(schema, leaf(0, 9_999)))


def test_many_classes_show_the_largest_three() -> None:
    line = body(render(one_leaf(26)))[0]
    assert line.endswith("25 7%, 24 7%, 23 7% …   351")


def test_many_branches_are_folded_unless_all_are_wanted() -> None:
    text = render(many_branches(), max_nodes=45)
    fold = next(line for line in body(text) if "more branches" in line)
    assert "└─ … 20 more branches" in fold
    rows = sum(int(rows) for rows in many_branches().nodes.rows[21:41])
    assert f"{rows:,}" in fold and fold.endswith(" 60")  # 20 branches of three nodes
    assert "more branches" not in render(many_branches(), max_nodes=None)
    assert "more branches" not in render(many_branches(24))
    few = render(many_branches(), max_nodes=6)  # the root shows what fits
    assert "└─ … 35 more branches" in few


def test_long_level_lists_are_cut_and_counted() -> None:
    text = render(odd_names(), plain=True)
    seven = ", ".join(f"level {i}" for i in range(7))
    assert f' in {{"", {seven}, ... 33 more}} (' in text


def test_levels_that_look_alike_when_cut_stay_two() -> None:
    long = "x" * 50
    schema = Schema(
        (category("c", long + "1" + long, long + "2" + long, "z"),),
        Target("y", "classification", ("a", "b")),
    )
    sides = Node(kind=SUBSET, column=0, level_child={0: 0, 1: 0, 2: 1}, missing_to=0)
    sides.children = [leaf(1, 0), leaf(0, 1)]
    line = body(render(build(schema, sides), width=200))[1]
    assert line.count("xxx…xxx") == 2


def test_a_date_beyond_the_calendar_is_shown_as_a_number() -> None:
    schema = Schema(
        (Column("day", "number", (), "date"),), Target("y", "classification", ("a", "b"))
    )
    assert "day ≤ 1e+22" in render(build(schema, below(0, 1e22, leaf(1, 0), leaf(0, 1))))


def test_a_plain_line_depends_on_its_own_node_only() -> None:
    tree = restaurant()
    columns = list(tree.schema.columns)
    columns[3] = dataclasses.replace(columns[3], name="a much longer name than it was")
    renamed = dataclasses.replace(tree, schema=dataclasses.replace(tree.schema, columns=columns))
    before, after = render(tree, plain=True), render(renamed, plain=True)
    changed = [
        new for old, new in zip(before.split("\n"), after.split("\n"), strict=True) if old != new
    ]
    assert len(changed) == 2 and all("a much longer name" in line for line in changed)


# ---- size ----


@pytest.mark.parametrize("make", [trees.bushy, trees.chain])
def test_all_of_a_deep_or_wide_tree(make: Any) -> None:
    """3,001 nodes: deeper than Python's own recursion limit."""
    text = render(make(3_001), max_nodes=None)
    assert len(body(text)) == 3_001
    assert max(map(cell_len, text.split("\n"))) <= 100


@pytest.mark.parametrize("make", [trees.bushy, trees.chain])
def test_a_million_nodes_cost_what_is_shown(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, asked = make(1_000_001), 0
    split = Tree.split

    def counting(self: Tree, node: int) -> Any:
        nonlocal asked
        asked += 1
        return split(self, node)

    monkeypatch.setattr(Tree, "split", counting)
    text = render(tree)
    assert len(body(text)) in (199, 200)
    assert asked <= 300
    assert f"… {1_000_001 - len(body(text)):,} more nodes below: bough show --all" in text


def test_the_note_says_how_to_see_the_rest() -> None:
    assert render(restaurant(), max_depth=1).endswith(
        "\n… 8 more nodes below: bough show --max-depth 4, --all"
    )
    assert render(restaurant(), max_nodes=4).endswith("\n… 8 more nodes below: bough show --all")


@pytest.mark.parametrize("wrong", [{"max_nodes": 0}, {"max_depth": -1}])
def test_limits_out_of_range(wrong: dict[str, int]) -> None:
    (name, value), *_ = wrong.items()
    with pytest.raises(OptionError, match=rf"{name}={value} is too small\. Allowed: \d or more"):
        render(restaurant(), **wrong)


if __name__ == "__main__":
    rewrite_golden()
