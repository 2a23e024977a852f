"""Pruning as people ask for it: while growing, on the command line, as a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import bough
from bough import datasets
from bough.cli.prune import prune as command
from bough.errors import DataError, OptionError
from bough.folds import fold_numbers, held_out
from bough.prune import METHODS, curve, prune
from bough.view.curve import curve_svg

PLAIN: Any = {"recipe": "cart", "missing": "learned", "prune": None}
"""What is pruned here; `prune` on top of it."""


def grown_and_pruned(table: Any, asked: Any, **more: Any) -> bough.Tree:
    return bough.grow(table, **PLAIN | {"prune": asked} | more)


# ---- while growing -------------------------------------------------------------------------------


def test_a_share_is_held_out() -> None:
    table = datasets.load("titanic")
    tree = grown_and_pruned(table, {"method": "reduced_error", "holdout": 0.25, "seed": 4})
    apart = held_out(table, 0.25, 4)
    whole = bough.grow(table.take(~apart), **PLAIN)
    assert tree == prune(whole, "reduced_error", table.take(apart))
    assert tree.report["pruning"]["held_out_rows"] == int(apart.sum())
    assert "223 of 891 rows were held out to prune by" in tree.report["notes"]


def test_the_name_alone_holds_out_three_rows_in_ten() -> None:
    table = datasets.load("titanic")
    for method in ("reduced_error", "chi_square", "cost_complexity"):
        tree = grown_and_pruned(table, method)
        apart = held_out(table, 0.3, 0)
        assert tree == prune(bough.grow(table.take(~apart), **PLAIN), method, table.take(apart))


def test_reduced_error_holds_out_one_fold() -> None:
    table = datasets.load("titanic")
    tree = grown_and_pruned(table, {"method": "reduced_error", "folds": 3})
    apart = fold_numbers(table, 3) == 0
    assert tree.nodes.rows[0] == int((~apart).sum())


@pytest.mark.parametrize("method", ["chi_square", "cost_complexity"])
def test_with_folds_all_rows_grow_the_tree(method: str) -> None:
    table = datasets.load("titanic")
    tree = grown_and_pruned(table, {"method": method, "folds": 4, "seed": 2})
    whole = bough.grow(table, **PLAIN)
    assert (
        tree
        == prune(whole, method, table, folds=4, seed=2)
        == whole.prune(method, table, folds=4, seed=2)
    )
    assert tree.nodes.rows[0] == table.n_rows


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("pessimistic", {}),
        ("pessimistic", {"raising": True}),
        ("chi_square", {"max_p": 0.05}),
        ("cost_complexity", {"alpha": 0.01}),
    ],
)
def test_what_needs_no_other_rows(method: str, options: dict[str, Any]) -> None:
    table = datasets.load("titanic")
    tree = grown_and_pruned(table, {"method": method, **options})
    rows = table if options.get("raising") else None
    assert tree == prune(bough.grow(table, **PLAIN), method, rows, **options)
    with pytest.raises(OptionError, match=r"would only waste rows|has no option"):
        grown_and_pruned(table, {"method": method, **options, "holdout": 0.3})


def test_columns_dropped_while_growing_are_no_trouble() -> None:
    table = datasets.load("titanic")
    for how in ({"holdout": 0.3}, {"folds": 3}):
        asked = {"method": "cost_complexity", **how}
        tree = grown_and_pruned(table, asked, missing="drop_columns", missing_share=0.1)
        assert "Cabin" not in tree.schema.names and "Age" not in tree.schema.names


def test_costs_are_those_of_the_tree() -> None:
    costs = np.array([[0.0, 4.0], [1.0, 0.0]])
    table = datasets.load("titanic")
    tree = grown_and_pruned(table, {"method": "cost_complexity", "folds": 3}, costs=costs)
    assert tree.costs is not None and tree.costs.tolist() == costs.tolist()
    assert tree == prune(bough.grow(table, **PLAIN, costs=costs), "cost_complexity", table, folds=3)


def test_rows_of_weight_0_decide_nothing() -> None:
    table = datasets.load("titanic")
    weights = (np.arange(891) % 3 > 0).astype(float)
    some = table.take(weights > 0)
    for asked in (
        {"method": "cost_complexity", "folds": 5},
        {"method": "reduced_error", "holdout": 0.2},
    ):
        weighed = grown_and_pruned(replace(table, weights=weights), asked)
        assert weighed == grown_and_pruned(replace(some, weights=weights[weights > 0]), asked)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"method": "reduced_error", "holdout": 0.3, "folds": 3}, OptionError, "Give one of the"),
        ({"method": "reduced_error", "holdout": 1.3}, OptionError, "between 0 and 1"),
        ({"method": "chi_square", "holdout": 0}, OptionError, "between 0 and 1"),
        ({"method": "cost_complexity", "folds": 1000}, DataError, "1000 folds need at least 1000"),
        ({"method": "cost_complexity", "folds": 3, "alpha": 0.1}, OptionError, "chooses in one"),
        ({"method": "pessimistic", "cf": 1.5}, OptionError, "cf=1.5 is out of range"),
        ({"method": "pessimistic", "folds": 3}, OptionError, "has no option"),
        ({"method": "pesimistic"}, OptionError, 'Did you mean "pessimistic"'),
        ({"method": ["pessimistic"]}, OptionError, "The methods are"),
        ({"max_p": 0.1}, OptionError, "cost_complexity has no option"),
        (3, OptionError, "prune=3 is not allowed"),
        ("chisquare", OptionError, 'Did you mean "chi_square"'),
    ],
)
def test_what_growing_refuses(asked: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        grown_and_pruned(datasets.load("titanic"), asked)


def test_a_method_that_does_not_know_the_task() -> None:
    data = {"a": [1.0, 2.0, 3.0]}
    table = bough.read_table(data, target=[1.0, 2.0, 4.0], task="regression")
    with pytest.raises(OptionError, match=r"pessimistic is for classes.*there are: reduced_error"):
        bough.grow(table, prune="pessimistic")


def test_the_tree_says_how_it_was_pruned(tmp_path: Path) -> None:
    table = datasets.load("titanic")
    tree = grown_and_pruned(table, {"method": "chi_square", "max_p": [0.1, 0.01], "folds": 3})
    assert tree.options["prune"] == {
        "method": "chi_square", "max_p": [0.1, 0.01], "p_value": "chi2", "folds": 3, "seed": 0,
        "holdout": None,
    }  # fmt: skip
    tree.save(tmp_path / "m.json")
    kept = bough.load(tmp_path / "m.json")
    assert kept == tree and kept.options == tree.options
    assert kept.report["pruning"] == tree.report["pruning"]
    assert bough.grow(table, **PLAIN).options["prune"] is None


def test_progress_counts_the_rows_of_all_trees() -> None:
    table, told = datasets.load("titanic"), list[tuple[int, int]]()
    asked = {"method": "cost_complexity", "folds": 4}
    grown_and_pruned(table, asked, progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {891 * 4}  # once all rows, four times three quarters
    assert told == sorted(told) and told[-1][0] == 891 * 4


def test_the_methods_of_a_tree() -> None:
    table = datasets.load("titanic")
    apart = held_out(table, 0.3)
    tree = bough.grow(table.take(~apart), **PLAIN)
    held = table.take(apart)
    assert tree.prune("reduced_error", held) == prune(tree, "reduced_error", held)
    assert tree.curve(held) == curve(tree, held)
    assert tree.curve()[0] == (tree.n_leaves, tree.curve(held)[0][1], None)


def test_any_kind_of_rows() -> None:
    path = datasets.path("titanic")
    frame = pd.read_csv(path)
    table = datasets.load("titanic")
    tree = bough.grow(table, recipe="cart", prune=None, max_depth=6)
    one = prune(tree, "reduced_error", table)
    assert prune(tree, "reduced_error", path) == one
    assert prune(tree, "reduced_error", frame) == one
    assert prune(tree, "reduced_error", sql=f"SELECT * FROM '{path}'") == one
    weights = np.arange(891) % 3
    by_weight = prune(tree, "reduced_error", frame, weights=weights)
    assert by_weight == prune(tree, "reduced_error", frame.iloc[np.repeat(np.arange(891), weights)])
    assert curve(tree, path) == curve(tree, table)


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    bough.grow(datasets.load("restaurant"), recipe="id3").save(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_the_command_prunes_and_draws(model: Path, tmp_path: Path) -> None:
    out, svg, before = tmp_path / "pruned.json", tmp_path / "out.svg", model.read_bytes()
    data = datasets.path("restaurant")
    done = run(
        model, "--method", "chi_square", "--max-p", "0.1", "--out", out, "--curve", svg,
        "--data", data,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "8 → 3 leaves; max_p = 0.1" in done.output
    assert "Pat = Full: p 0.2207 > 0.1" in done.output
    assert "doubtful at 4 splits of 4" in done.output
    saved = bough.load(out)
    assert saved == prune(bough.load(model), "chi_square", max_p=0.1)
    assert saved.report["pruning"]["cut"][-1]["node"] == 1
    assert model.read_bytes() == before
    assert "this tree: 3 leaves" in svg.read_text("utf-8")
    again = run(model, "--method", "chi_square", "--max-p", "0.1", "--out", out)
    assert "already there" in str(again.exception)


def test_the_curve_shows_the_folds_by_which_the_pruning_chose(model: Path, tmp_path: Path) -> None:
    out, svg = tmp_path / "pruned.json", tmp_path / "out.svg"
    done = run(
        model, "--method", "cost_complexity", "--folds", 3, "--out", out, "--curve", svg,
        "--data", datasets.path("restaurant"),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    drawn = svg.read_text("utf-8")
    assert "on 3 left-out folds" in drawn and "held-out" not in drawn
    for step in bough.load(out).report["pruning"]["curve"]:
        assert f": {100 * step['cross_validated_error']:.4g} %</title>" in drawn


def test_options_become_numbers_words_and_lists(model: Path) -> None:
    data = datasets.path("restaurant")
    for arguments, words in (
        (("chi_square", "--max-p", ".2,0.02", "--folds", 3, "--data", data), "max_p = 0.02"),
        (("cost_complexity", "--leaves", 3), "3 leaves"),
        (("cost_complexity", "--alpha", "1e-9"), "8 → 8 leaves; α = 0"),
        (("pessimistic", "--slack", "0", "--raising", "--data", data), "raised  node 8 to 5"),
        (("reduced_error", "--equal", "keep", "--label", "pruning", "--data", data), "8 → 8"),
    ):
        done = run(model, "--method", *arguments)
        assert done.exit_code == 0, done.output
        assert words in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Say how to prune"),
        (("--max-p", "0.1"), "Say how to prune"),
        (("--method", "chisquare"), 'Did you mean "chi_square"'),
        (("--method", "reduced_error"), "--data"),
        (("--method", "chi_square", "--cf", "0.1"), "belongs to pessimistic"),
        (("--method", "chi_square", "--max-p", "often"), "not a number"),
        (("--method", "cost_complexity", "--rule", "1se"), "one_se"),
    ],
)
def test_what_the_command_refuses(model: Path, arguments: tuple[str, ...], words: str) -> None:
    done = run(model, *arguments)
    assert done.exit_code != 0
    assert words in done.output + str(done.exception)


def test_every_option_has_its_flag() -> None:
    flags = {flag for parameter in command.params for flag in parameter.opts}
    for method in METHODS.values():
        for option in method.options:
            assert "--" + option.name.replace("_", "-") in flags


# ---- the picture ---------------------------------------------------------------------------------


def test_the_picture_is_one_svg_without_scripts() -> None:
    table = datasets.load("titanic")
    apart = held_out(table, 0.3)
    points = curve(bough.grow(table.take(~apart), recipe="cart", prune=None), table.take(apart))
    svg = curve_svg(points, title='Errors <of> "Survived" & more', chosen=points[3][0])
    root = ET.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert root[0].text == 'Errors <of> "Survived" & more'
    for word in ("<script", "http://", "https://", "onload", "href"):
        assert word not in svg.replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme: dark" in svg
    training, other = root.iter(f"{space}polyline")
    for line, which in ((training, 1), (other, 2)):
        places = [tuple(map(float, place.split(","))) for place in line.get("points", "").split()]
        assert len(places) == len(points)
        xs, ys = zip(*places, strict=True)
        assert list(xs) == sorted(xs)
        errors = [point[which] for point in sorted(points)]
        lowest = errors.index(min(errors))
        assert ys[lowest] == max(ys)  # downwards in a picture
    assert f"this tree: {points[3][0]} leaves" in svg


@pytest.mark.parametrize(
    "points",
    [
        [(1, 0.0, None)],
        [(2, 0.0, 0.0), (1, 0.0, 0.0)],
        [(5000, 1e-9, None), (1, 4e12, None)],
        [(3, 0.1, 1e-300), (1, 0.2, 5e-324)],
    ],
)
def test_odd_curves(points: list[tuple[int, float, float | None]]) -> None:
    svg = curve_svg(points, shares=False)
    ET.fromstring(svg)
    assert "nan" not in svg and "inf" not in svg


def test_a_curve_without_points() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        curve_svg([])
