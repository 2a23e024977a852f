"""The recipes are whole: what docs/recipes.md says of them, and how they fare on odd tables."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import bough
from bough import datasets
from bough.errors import DataError, OptionError
from bough.prune import prune
from bough.prune_checks import from_words
from bough.recipes import RECIPES, is_own_pruning, options_for
from tables import WEIGHTS, random_table

PAGE = (Path(__file__).parents[1] / "docs" / "recipes.md").read_text("utf-8")
SECTIONS = {
    part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in PAGE.split("\n## ")[1:]
}  # fmt: skip
PRUNING = [name for name, recipe in RECIPES.items() if "prune" in recipe.options]


# ---- the page ------------------------------------------------------------------------------------


def blocks(section: str) -> list[str]:
    return re.findall(r"```\n(.*?)\n```", SECTIONS[section], re.DOTALL)


def test_the_page_has_a_section_per_recipe() -> None:
    assert list(SECTIONS) == list(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_the_page_says_what_a_recipe_sets(name: str) -> None:
    recipe = RECIPES[name]
    told = dict(line.split(" = ") for line in blocks(name)[0].splitlines())
    assert told.pop("criterion").split(" | ") == list(recipe.criterion.values())
    method, *options = told.pop("prune", "").split() or [""]
    pruning = from_words(dict(option.split("=") for option in options))
    own = dict(recipe.options)
    assert ({"method": method, **pruning} if method else {}) == own.pop("prune", {})
    assert told == {key: str(value) for key, value in own.items()}


def test_the_default_is_what_the_evidence_speaks_for() -> None:
    """The numbers of the page are those of the evidence, in both tasks."""
    evidence = (Path(__file__).parents[1] / "docs" / "default-recipe.md").read_text("utf-8")
    for name in ("32 leaves, leaf 5, least error", "depth 5, leaf 5", "least error"):
        rows = re.findall(rf"^\| \**{name}\** \|(.*)\|$", evidence, re.MULTILINE)
        assert len(rows) == 2
        for row in rows:
            _, left, _, _, leaves, _ = (cell.strip() for cell in row.split("|"))
            assert left.replace("%", " %") in SECTIONS["default"], (name, left)
            assert re.search(rf"\b{leaves}\b", SECTIONS["default"]), (name, leaves)


# ---- what they do --------------------------------------------------------------------------------


def test_chi2_is_the_stump_of_the_textbook_S3_399() -> None:
    tree = bough.grow(datasets.load("restaurant"), recipe="chi2")
    assert tree.n_leaves == 3 and tree.report["pruning"]["leaves_before"] == 8
    assert bough.grow(datasets.load("xor"), recipe="chi2").n_leaves == 1  # k = 1: p .1573


def test_xor_is_redeemed_by_what_is_below() -> None:
    table = datasets.load("xor")
    twice = table.take(np.array([0, 1, 2, 3] * 2))
    assert bough.grow(twice, recipe="chi2").n_leaves == 4  # k = 2: p .0455 below, 1 at the root


def test_whole_recipes_are_growing_and_pruning_by_hand() -> None:
    table = datasets.load("titanic")
    for name in PRUNING:
        own = dict(RECIPES[name].options["prune"])
        whole = bough.grow(table, recipe=name, prune=None)
        rows = table if "folds" in own else None
        assert bough.grow(table, recipe=name) == prune(whole, own.pop("method"), rows, **own)


def test_threads_change_nothing() -> None:
    table = datasets.load("titanic")
    for name in PRUNING:
        one, two = (bough.grow(table, recipe=name, threads=n) for n in (1, 2))
        assert one == two and one.report["pruning"] == two.report["pruning"]


# ---- overriding ----------------------------------------------------------------------------------


def test_pruning_options_without_a_method_are_for_that_of_the_recipe() -> None:
    table = datasets.load("titanic")
    one = bough.grow(table, recipe="cart", prune={"rule": "minimum"})
    whole = {"method": "cost_complexity", "folds": 10, "rule": "minimum"}
    assert one == bough.grow(table, recipe="cart", prune=whole)
    few = bough.grow(table, recipe="cart", prune={"leaves": 4})
    assert few.n_leaves <= 4 and few.options["prune"]["folds"] is None
    with pytest.raises(OptionError, match="cf says nothing without a pruning method"):
        bough.grow(table, recipe="id3", prune={"cf": 0.1})


def test_the_text_none_prunes_nothing_either() -> None:
    table = datasets.load("titanic")
    for name in PRUNING:
        tree = bough.grow(table, recipe=name, prune="none")
        assert tree == bough.grow(table, recipe=name, prune=None)
        assert tree.options["prune"] is None and "pruning" not in tree.report


def test_an_option_of_the_recipe_that_does_not_fit_is_named_with_it() -> None:
    with pytest.raises(OptionError, match=r'missing="surrogate" \(of the recipe "cart"\)'):
        options_for("classification", "cart", {"categories": "branches"})
    with pytest.raises(OptionError, match=r'missing="surrogate" stands in'):
        options_for("classification", "id3", {"missing": "surrogate"})


def test_what_equals_the_recipes_own_is_its_own() -> None:
    for name in PRUNING:
        own = RECIPES[name].options["prune"]
        (task, *_) = RECIPES[name].criterion
        assert is_own_pruning({"recipe": name, **options_for(task, name, {"prune": dict(own)})})
        assert not is_own_pruning({"recipe": name, **options_for(task, name, {"prune": None})})


# ---- tables on which a recipe's pruning must not fail --------------------------------------------


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_any_small_table_can_be_grown(name: str, task: Any) -> None:
    if task not in RECIPES[name].criterion:
        pytest.skip("not its task")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(120):
            random = Random(f"{name} {task} {seed}")
            table = random_table(random, task, weights=random.choice(list(WEIGHTS)), most_rows=15)
            more: dict[str, Any] = {}
            if seed % 3 == 0 and task == "classification":
                k = len(table.schema.target.classes)
                more["costs"] = (1.0 - np.eye(k)) * (1 + seed % 5)
            if seed % 4 == 0:
                more["missing"] = random.choice(["learned", "own", "mean", "drop_columns"])
            tree = grown(table, name, more)
            if name in PRUNING and tree is not None and tree.options["prune"] is None:
                assert any("prunes by" in note for note in tree.report["notes"])


def grown(table: bough.Table, name: str, more: dict[str, Any]) -> bough.Tree | None:
    """None where the table cannot be grown at all, pruned or not."""
    try:
        return bough.grow(table, recipe=name, **more)
    except DataError as error:
        with pytest.raises(DataError, match=re.escape(str(error))):
            bough.grow(table, recipe=name, **more, prune=None)
        return None


@pytest.mark.parametrize("rows", [10, 9, 2])
def test_as_many_folds_as_rows(rows: int) -> None:
    data = {"a": range(rows), "y": ["u", *["v"] * (rows - 1)]}  # a class of one row
    tree = bough.grow(data, "y", recipe="cart")
    assert tree.options["prune"]["folds"] == rows
    note = f"the recipe cart prunes by cost_complexity with 10 folds; with {rows} rows it is {rows}"
    assert (note in tree.report["notes"]) == (rows < 10)
    with pytest.raises(DataError, match="11 folds need at least 11 rows"):
        bough.grow(data, "y", recipe="cart", prune={"folds": 11})


def test_one_row_that_counts_is_not_pruned() -> None:
    data = {"a": [1, 2, 3], "y": ["u", "v", "v"]}
    tree = bough.grow(data, "y", recipe="cart", weights=[0, 0, 2])
    assert len(tree) == 1 and tree.options["prune"] is None
    assert "with one row there is nothing to prune" in tree.report["notes"][-1]


def test_folds_without_a_complete_row_leave_the_tree_unpruned() -> None:
    """Rows with a missing cell are dropped: of three left, leaving one out leaves no column that
    differs, or no row at all."""
    data = {"a": [1.0, None, None, None], "y": ["u", "v", "v", "u"]}
    tree = bough.grow(data, "y", recipe="cart", missing="drop_rows")
    assert tree.options["prune"] is None
    assert re.search("cost_complexity, which cannot be done here: .*row", tree.report["notes"][-1])
    with pytest.raises(DataError):
        bough.grow(data, "y", recipe="cart", missing="drop_rows", prune={"folds": 4})


def test_a_criterion_for_numbers_in_a_recipe_for_classes() -> None:
    data = {"a": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 4.0, 8.0]}
    tree = bough.grow(data, "y", recipe="chi2", criterion="squared_error", task="regression")
    assert tree.options["prune"] is None
    assert tree.report["notes"][-1] == (
        "the recipe chi2 prunes by chi_square, which is for classes; this tree of numbers is not "
        "pruned"
    )
