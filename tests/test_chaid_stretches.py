"""Branches of an ordered column, several levels each: in words, files, rules and on screen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import bough
from bough import store
from bough.data.schema import Column
from bough.data.table import Table
from bough.errors import ModelFileError
from bough.growing import grow_table
from bough.predict import apply_table, predict
from bough.recipes import options_for
from bough.splits import Branches
from bough.tree import SUBSET, Tree
from bough.view.outline import question
from bough.view.terminal import render
from tables import WEIGHTS, build, levelled, random_table

GRADES = ("A", "B", "C", "D", "E", "F", "G")


def grades(missing: bool = True) -> Table:
    """No row has C; A and B rarely say yes, D and E half of the time, F and G nearly always."""
    share = {"A": 0.1, "B": 0.1, "D": 0.5, "E": 0.5, "F": 0.9, "G": 0.9}
    random = Random(1)
    rows = [(grade, int(at < 40 * p)) for grade, p in share.items() for at in range(40)]
    cells = [None if missing and random.random() < 0.1 else GRADES.index(g) for g, _ in rows]
    column, codes = levelled("grade", "ordered", len(GRADES), cells)
    table = build([(column, codes)], [y for _, y in rows], 2)
    named = replace(table.schema.columns[0], levels=GRADES)
    return replace(table, schema=replace(table.schema, columns=(named,)))


def grown(table: Table, **given: object) -> Tree:
    return grow_table(table, options_for("classification", "chaid", given))


def questions(tree: Tree) -> list[str]:
    split = tree.split(0)
    assert isinstance(split, Branches)
    return [split.ask(child) for child in range(len(tree.children(0)))]


def test_the_words() -> None:
    tree = grown(grades())
    asked = questions(tree)
    assert [words.removesuffix(" or missing") for words in asked] == [
        "grade ≤ C", "D ≤ grade ≤ E", "grade ≥ F",
    ]  # fmt: skip
    assert sum(words.endswith(" or missing") for words in asked) == 1
    assert questions(grown(grades(missing=False))) == ["grade ≤ C", "D ≤ grade ≤ E", "grade ≥ F"]


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ("A", "g = A"),
        ("AB", "g ≤ B"),
        ("FG", "g ≥ F"),
        ("CDE", "C ≤ g ≤ E"),
        ("ACD", "g in {A, C, D}"),
        (GRADES, "g is known"),
    ],
)
def test_words_of_any_levels(levels: str, words: str) -> None:
    column = Column("g", "ordered", GRADES, "text")
    child_of = {level: int(level not in levels) for level in GRADES}
    split = Branches(column, child_of, -1, 1)
    assert split.ask(0) == words
    assert question(split, 0, 80) == words
    assert question(replace(split, column=replace(column, kind="category")), 0, 80).startswith("g ")


def test_long_names_are_cut_and_stay_apart() -> None:
    """Two ends that look the same once they are cut."""
    long = tuple(f"{'very ' * 12}long {end}" for end in "abcd")
    split = Branches(Column("g", "ordered", long, "text"), dict.fromkeys(long[1:3], 0), -1, 0)
    asked = question(split, 0, 60)
    assert " ≤ g ≤ " in asked and asked.count("…") == 2 and len(asked) <= 60
    names = ("a\x1b", "b\n", "c")
    evil = Branches(Column("g", "ordered", names, "text"), dict.fromkeys(names[:2], 0), -1, 0)
    assert not set("\x1b\n") & set(question(evil, 0, 60))


def test_on_screen_and_in_rules() -> None:
    tree = grown(grades(missing=False))
    told = render(tree, width=80, plain=True)
    assert "D <= grade <= E" in told and "grade >= F" in told
    words = str(tree.rules())
    assert "grade ≤ C" in words and "D ≤ grade ≤ E" in words and "grade ≥ F" in words


def test_every_level_has_its_place_while_predicting() -> None:
    table = grades(missing=False)
    tree = grown(table)
    _, codes = levelled("grade", "ordered", 7, [*range(7), None])
    new = Table(table.schema, (codes,))
    # C goes with B below it; a missing cell, which training never met, to the largest child
    assert apply_table(tree, new).tolist() == [1, 1, 1, 2, 2, 3, 3, 1]
    assert [tree.apply({"grade": [grade]})[0] for grade in GRADES] == [1, 1, 1, 2, 2, 3, 3]
    for grade in (*GRADES, None, "Z"):
        row = {"grade": grade}
        assert tree.predict_row(row) == tree.predict({"grade": [grade]})[0]


def test_saved_and_loaded_with_runners_up(tmp_path: Path) -> None:
    """A runner-up that is an ordered column in branches has no threshold."""
    random = Random(5)
    met = 0
    for seed in range(60):
        table = random_table(Random(f"file {seed}"), weights=random.choice(list(WEIGHTS)))
        tree = grown(table, runners_up=True, max_adjusted_p=None, min_rows_leaf=1, missing="own")
        assert tree.runners_up is not None
        kinds = [table.schema.columns[c].kind for c in tree.runners_up.column]
        met += "ordered" in kinds
        again = store.loads(store.dumps(tree))
        assert again == tree and store.dumps(again) == store.dumps(tree)
        assert predict(again, table).tolist() == predict(tree, table).tolist()
    assert met > 5
    path = tmp_path / "tree.json"
    grown(grades()).save(path)
    assert bough.load(path) == grown(grades())


def test_a_subset_of_an_ordered_column_is_refused() -> None:
    """Branches may stand on an ordered column; a subset asks a category, in the file and in the
    core."""
    table = grades(missing=False)
    two = grown(table.take(np.flatnonzero(table.cells[0] < 5)))
    assert len(two.children(0)) == 2
    text = store.dumps(two).decode().replace('"kind":"branches"', '"kind":"subset"')
    with pytest.raises(ModelFileError, match="a subset a category"):
        store.loads(text.encode())
    kind = two.nodes.split_kind.copy()
    kind[0] = SUBSET
    broken = replace(two, nodes=replace(two.nodes, split_kind=kind))
    with pytest.raises(ValueError, match="node 0: the kind of split does not fit the column"):
        apply_table(broken, table)


def test_branches_of_a_number_column_are_refused() -> None:
    told = json.loads(store.dumps(grown(grades(missing=False))))
    told["schema"]["columns"][0] = {"name": "grade", "kind": "number", "form": "float"}
    with pytest.raises(ModelFileError, match="node 0"):
        store.loads(json.dumps(told).encode())
