"""Bundles of options: from text, from TOML, from dicts; slips are named before anything runs."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from bough import bundles
from bough.bundles import Bundle, bundle_of, gather, parse_bundle, read_bundles
from bough.datasets import load
from bough.errors import DataError, OptionError
from bough.making import grow
from bough.options import OPTIONS
from bough.recipes import RECIPES


def test_a_bundle_from_text() -> None:
    found = parse_bundle("small=recipe=cart criterion=gini max_depth=4 min_rows_leaf=0.01")
    assert found == Bundle(
        "small", "cart", {"criterion": "gini", "max_depth": 4, "min_rows_leaf": 0.01}
    )
    assert parse_bundle("deep=max_depth=none").options == {"max_depth": None}
    assert parse_bundle('x="runners_up=yes"').options == {"runners_up": True}
    assert parse_bundle("x='equality=<'").options == {"equality": "<"}


def test_pruning_in_a_bundle() -> None:
    """In text its options stand beside the others, as flags do; in a file they may have a table."""
    told = parse_bundle("x=recipe=id3 prune=chi_square max_p=0.1,0.01 folds=5").options
    assert told == {"prune": {"method": "chi_square", "max_p": [0.1, 0.01], "folds": 5}}
    assert parse_bundle("x=rule=minimum").options == {"prune": {"rule": "minimum"}}
    assert parse_bundle("x=recipe=c45 raising=yes").options == {"prune": {"raising": True}}
    assert parse_bundle("x=prune=none").options == {"prune": None}
    table = load("restaurant")
    assert grow(table, **parse_bundle("x=prune=none").options) == grow(table, prune=None)  # type: ignore[arg-type]


def test_one_row_and_all_rows_stay_apart() -> None:
    assert parse_bundle("x=min_rows_leaf=1").options == {"min_rows_leaf": 1}
    whole = parse_bundle("x=min_rows_leaf=1.0").options["min_rows_leaf"]
    assert isinstance(whole, float)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("small", "is not a bundle"),
        ("small=", "is not a bundle"),
        ("=max_depth=3", "is not a bundle"),
        ("small=max_depth", "is not a bundle"),
        ("small=max_deth=3", r'option "max_deth", which does not exist. Did you mean "max_depth"'),
        ("small=max_depth=three", r"max_depth='three'"),
        ("small=max_depth=-1", r"max_depth=-1 is out of range"),
        ("small=min_gain=none", r"min_gain='none'"),
        ("small=criterion=ginni", r'Did you mean "gini"'),
        ("small=runners_up=perhaps", r"runners_up='perhaps'"),
        ("small=recipe=carts", r'There is no recipe "carts". Did you mean "cart"'),
        ("small=max_depth=3 max_depth=4", "names max_depth twice"),
        ("small='max_depth=3", "cannot be read"),
        ("small=prune=chi_sqare", r'Did you mean "chi_square"'),
        ("small=prune=chi_square cf=0.1", r"It belongs to pessimistic"),
        ("small=recipe=id3 cf=0.1", r"cf says nothing without a pruning method"),
        ("small=recipe=c45 raising=perhaps", r"raising='perhaps'"),
        ("small=prune=none cf=0.1", r"cf says nothing where nothing is pruned"),
    ],
)
def test_a_slip_in_a_bundle_is_named(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_bundle(text)


def test_bundles_from_a_file(tmp_path: Any) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[small]\nrecipe = "cart"\nmax_depth = 3\nprune = "none"\n\n'
        '["quite deep"]\nmax_depth = "none"\nprune = {method = "chi_square", max_p = 0.1}\n'
        "[narrow.prune]\nfolds = 4\n"
    )
    assert read_bundles(file) == [
        Bundle("small", "cart", {"max_depth": 3, "prune": None}),
        Bundle(
            "quite deep",
            "default",
            {"max_depth": None, "prune": {"method": "chi_square", "max_p": 0.1}},
        ),
        Bundle("narrow", "default", {"prune": {"folds": 4}}),
    ]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", DataError, "there is none"),
        ("max_depth = 3\n", DataError, '"max_depth" stands outside of a bundle'),
        ("[small\n", DataError, "cannot be read"),
        ("[small]\nmax_deth = 3\n", OptionError, r'"small" cannot be used.*max_depth'),
        ('[small]\nmax_depth = "3"\n', OptionError, r"max_depth='3'"),
    ],
)
def test_a_slip_in_a_file_is_named(tmp_path: Any, text: str, error: Any, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(error, match=message):
        read_bundles(file)
    with pytest.raises(DataError, match="There is no file"):
        read_bundles(tmp_path / "none.toml")


def test_all_recipes_that_know_the_task() -> None:
    for task in ("classification", "regression"):
        able = [name for name, recipe in RECIPES.items() if task in recipe.criterion]
        assert [bundle.name for bundle in gather(task, None, None)] == able  # type: ignore[arg-type]


def test_own_bundles_stand_beside_the_recipes() -> None:
    found = gather("classification", ["id3"], {"mine": {"recipe": "cart", "max_depth": 2}})
    assert found == [Bundle("id3", "id3"), Bundle("mine", "cart", {"max_depth": 2})]


@pytest.mark.parametrize(
    ("recipes", "own", "message"),
    [
        ([], None, "nothing to compare"),
        ("cart", None, "takes a list"),
        (["carts"], None, 'Did you mean "cart"'),
        (["cart", "cart"], None, 'The name "cart" stands twice'),
        (["cart"], {"cart": {}}, 'The name "cart" stands twice'),
        (None, {"baseline": {}}, "the row every comparison has"),
        (None, {"mine": 3}, 'The bundle "mine" is 3'),
        (None, 5, "bundles=5 is not allowed: give a dict"),
        (None, "small", "bundles='small' is not allowed: give a dict"),
    ],
)
def test_names_must_be_clear(recipes: Any, own: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        gather("classification", recipes, own)


def test_a_bundle_keeps_what_it_was_given() -> None:
    given = {"recipe": "cart", "max_depth": 2}
    assert bundle_of("mine", given).recipe == "cart"
    assert given == {"recipe": "cart", "max_depth": 2}


def test_what_grow_takes_besides_its_options_may_be_in_a_bundle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(inspect.signature(grow).parameters) >= bundles.READING
    assert not set(bundles.more_keywords()) & (bundles.READING | set(OPTIONS))
    monkeypatch.setattr(bundles, "more_keywords", lambda: ("priors",))
    found = bundle_of("mine", {"priors": {"a": 0.5, "b": 0.5}, "max_depth": 2})
    assert found.options == {"priors": {"a": 0.5, "b": 0.5}, "max_depth": 2}
    assert parse_bundle("mine=priors=even").options == {"priors": "even"}
    with pytest.raises(OptionError, match="prior"):
        bundle_of("mine", {"prior": {"a": 0.5, "b": 0.5}})
