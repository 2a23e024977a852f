"""The scikit-learn estimators: scikit-learn's own checks, its own trees as judge, its tools."""

from __future__ import annotations

import ast
import inspect
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

import bough
from bough import datasets
from bough.errors import DataError, OptionError
from bough.importance import importances
from bough.options import OPTIONS
from bough.recipes import options_for
from bough.sklearn import CRITERIA, OPTION_OF, TreeClassifier, TreeRegressor

Frame = pd.DataFrame

# ---- scikit-learn's own checks -------------------------------------------------------------------

WHY_NOT = {
    "check_class_weight_classifiers": (
        "Weights of 1000 : 0.0001 on noise must make nearly every answer the heavy class. The "
        "check gives trees min_weight_fraction_leaf=0.01 for that, which bough lacks; fully grown, "
        "scikit-learn's tree misses the mark as well: see the two tests below."
    )
}


@parametrize_with_checks(
    [
        TreeClassifier(),
        TreeRegressor(),
        TreeClassifier(recipe="id3"),
        TreeRegressor(missing="own"),
    ],
    expected_failed_checks=lambda estimator: WHY_NOT if is_classifier(estimator) else {},
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_without_a_limit_on_weight_scikit_learn_misses_the_mark_of_that_check_too() -> None:
    X, y = make_blobs(centers=2, random_state=0, cluster_std=20)
    train, test, y_train, _ = train_test_split(X, y, test_size=0.5, random_state=0)
    theirs = DecisionTreeClassifier(class_weight={0: 1000, 1: 0.0001}, random_state=0)
    ours = TreeClassifier(class_weight={0: 1000, 1: 0.0001})
    assert np.mean(theirs.fit(train, y_train).predict(test) == 0) <= 0.87
    assert np.mean(ours.fit(train, y_train).predict(test) == 0) <= 0.87


def test_with_a_limit_on_weight_that_check_passes() -> None:
    check_class_weight_classifiers("TreeClassifier", TreeClassifier(min_impurity_decrease=1e-6))


# ---- the parameters ------------------------------------------------------------------------------

OWN = {"recipe", "categorical_features", "kinds", "ordered"}


def _parameters(estimator: type) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(estimator).parameters.items()}


def test_every_option_of_bough_has_one_parameter() -> None:
    assert sorted(OPTION_OF.values()) == sorted(OPTIONS)
    assert _parameters(TreeClassifier).keys() == (OPTION_OF.keys() | OWN | {"class_weight"}) - {
        "stop_error"
    }
    assert _parameters(TreeRegressor).keys() == (OPTION_OF.keys() | OWN) - {"ratio_among"}


def test_parameters_have_the_names_of_bough_or_of_scikit_learn() -> None:
    theirs = _parameters(DecisionTreeClassifier).keys() | {"n_jobs"}
    renamed = {name for name, option in OPTION_OF.items() if name != option}
    assert renamed and renamed <= theirs


@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_what_is_not_given_is_left_to_the_recipe_cart(estimator: type) -> None:
    defaults = _parameters(estimator)
    assert defaults.pop("recipe") == "cart"
    assert set(defaults.values()) == {None}


@pytest.mark.parametrize(
    ("theirs", "task"),
    [(DecisionTreeClassifier(), "classification"), (DecisionTreeRegressor(), "regression")],
)
def test_the_recipe_cart_has_scikit_learns_defaults(theirs: Any, task: Any) -> None:
    cart = options_for(task, "cart", {})
    given = {n: v for n, v in theirs.get_params().items() if n in OPTION_OF}
    assert given == {n: cart[OPTION_OF[n]] for n in given}
    assert len(given) == 6


VALUES: dict[str, Any] = {
    "criterion": "entropy", "max_depth": 3, "max_leaf_nodes": 5, "min_samples_split": 4,
    "min_samples_leaf": 2, "min_impurity_decrease": 0.01, "min_gain": 0.02, "stop_error": 0.03,
    "ratio_among": "all", "categories": "one_vs_rest", "zero_gain": "stop", "threshold": "short",
    "equality": "<", "missing": "own", "empty_branch": "unknown", "runners_up": True,
}  # fmt: skip


@pytest.mark.parametrize("name", OPTION_OF.keys() - {"n_jobs"})
def test_every_parameter_arrives(name: str) -> None:
    X, y = load_iris(return_X_y=True)
    estimator = TreeRegressor if name == "stop_error" else TreeClassifier
    tree = estimator(**{name: VALUES[name]}).fit(X, y).tree_
    assert OPTIONS[OPTION_OF[name]].default != VALUES[name]
    assert tree.options[OPTION_OF[name]] == VALUES[name]


def test_the_recipe_arrives_and_a_parameter_overrides_it() -> None:
    X, y = load_iris(return_X_y=True)
    assert TreeClassifier(recipe="stump").fit(X, y).get_depth() == 1
    tree = TreeClassifier(recipe="stump", max_depth=2).fit(X, y).tree_
    assert (tree.depth, tree.options["recipe"], tree.options["criterion"]) == (2, "stump", "error")


def test_log_loss_is_another_word_for_entropy() -> None:
    X, y = load_iris(return_X_y=True)
    assert CRITERIA["log_loss"] == "entropy"
    grown = [TreeClassifier(criterion=c).fit(X, y).tree_ for c in ("log_loss", "entropy", "gini")]
    assert grown[0] == grown[1] != grown[2]


def test_threads_change_nothing() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert TreeClassifier(n_jobs=1).fit(X, y).tree_ == TreeClassifier(n_jobs=-1).fit(X, y).tree_


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 is out of range"),
        ({"max_leaf_nodes": "a"}, "max_leaf_nodes='a' is not a number"),
        ({"min_impurity_decrease": -1.0}, "min_impurity_decrease=-1.0 is out of range"),
        ({"criterion": "ginni"}, 'Did you mean "gini"'),
        ({"criterion": "squared_error"}, "does not fit classification"),
        ({"recipe": "carts"}, 'Did you mean "cart"'),
        ({"categorical_features": "all"}, "give a list of names or places"),
        ({"categorical_features": [True]}, "1 entries True or False for 4 columns"),
    ],
)
def test_a_wrong_parameter_is_told_by_the_name_it_was_given(parameters: Any, told: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(OptionError, match=told):
        TreeClassifier(**parameters).fit(X, y)


# ---- scikit-learn's own trees as judge -----------------------------------------------------------


def _numbers(seed: int, rows: int = 400, columns: int = 6) -> tuple[Any, ...]:
    """Cells that float32 holds exactly, as scikit-learn compares in it; a target; weights whose
    sums are exact: otherwise rounding lets it find some impurity in pure nodes, and split them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32).astype(np.float64)
    wave = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * X[:, 2] + 0.5 * rng.normal(size=rows)
    return X, wave, rng.integers(512, 2048, rows) / 1024


LIMITS = [  # leaves of a few rows: in smaller nodes many splits win the same
    {"min_samples_leaf": 12},
    {"min_samples_leaf": 8, "max_depth": 4},
    {"min_samples_leaf": 8, "max_leaf_nodes": 15},
    {"min_samples_leaf": 8, "min_samples_split": 40},
    {"min_samples_leaf": 0.04, "min_samples_split": 0.1},
    {"min_samples_leaf": 8, "min_impurity_decrease": 0.01},
]


def _assert_same(ours: Any, theirs: Any, X: Any, new: Any) -> None:
    assert ours.tree_.report["ties"] == 0
    assert ours.get_depth() == theirs.get_depth() > 1
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)
    leaves = set(zip(ours.apply(X).tolist(), theirs.apply(X).tolist(), strict=True))
    assert len(leaves) == ours.get_n_leaves()  # the same rows share a leaf


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_the_same_classifier(criterion: str, limits: dict[str, Any]) -> None:
    X, wave, weights = _numbers(1)
    y = np.digitize(wave, [-1.0, 0.5])
    new = _numbers(2)[0]
    ours = TreeClassifier(criterion=criterion, **limits).fit(X, y, weights)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
    _assert_same(ours, theirs.fit(X, y, weights), X, new)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_regressor(weighted: bool, limits: dict[str, Any]) -> None:
    X, y, weights = _numbers(3)
    given = weights if weighted else None
    ours = TreeRegressor(**limits).fit(X, y, given)
    theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y, given)
    _assert_same(ours, theirs, X, _numbers(4)[0])
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y))


@pytest.mark.parametrize("seed", range(4))
def test_the_same_with_missing_cells(seed: int) -> None:
    X, y, _ = _numbers(seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    limits = {"min_samples_leaf": 12}
    theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y)
    _assert_same(TreeRegressor(**limits).fit(X, y), theirs, X, X)


def test_fully_grown_both_remember_everything() -> None:
    X, y, _ = _numbers(5)
    ours, theirs = TreeRegressor().fit(X, y), DecisionTreeRegressor(random_state=0).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves() == len(y)
    np.testing.assert_array_equal(ours.predict(X), y)


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0, "b": 0.25}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_with_class_weight(weighted: bool, class_weight: Any) -> None:
    X, wave, weights = _numbers(6)
    y = np.array(["a", "b", "c"])[np.digitize(wave, [-1.0, 1.0])]
    given = weights if weighted else None
    settings = {"class_weight": class_weight, "max_depth": 3, "min_samples_leaf": 5}
    ours = TreeClassifier(**settings).fit(X, y, given)
    theirs = DecisionTreeClassifier(random_state=0, **settings).fit(X, y, given)
    new = _numbers(7)[0]
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)


def test_a_weight_is_a_number_of_rows() -> None:
    X, wave, _ = _numbers(8, rows=150)
    y = (wave > 0).astype(int)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = TreeClassifier(max_depth=5).fit(X, y, times)
    repeated = TreeClassifier(max_depth=5).fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    np.testing.assert_allclose(weighted.feature_importances_, repeated.feature_importances_)
    present = times > 0
    left_out = TreeClassifier(max_depth=5).fit(X[present], y[present], times[present])
    assert weighted.tree_ == left_out.tree_


# ---- importance ----------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gain_ratio", "twoing", "chi2", "error"])
def test_importance_is_the_drop_of_impurity_whatever_chose_the_splits(criterion: str) -> None:
    table = datasets.load("titanic")
    tree = bough.grow(table, criterion=criterion, max_depth=4)
    expected = np.zeros(len(tree.schema.columns))
    for node in range(len(tree)):
        mixed = [
            tree.nodes.weight[i] * tree.nodes.impurity[i] for i in (node, *tree.children(node))
        ]
        if len(mixed) > 1:
            expected[tree.nodes.column[node]] += mixed[0] - sum(mixed[1:])
    np.testing.assert_allclose(importances(tree), expected / expected.sum(), atol=1e-15)
    assert np.count_nonzero(expected) > 1


def test_without_a_split_nothing_is_important() -> None:
    X, y = load_iris(return_X_y=True)
    assert not TreeClassifier(max_depth=0).fit(X, y).feature_importances_.any()


# ---- tables as they come -------------------------------------------------------------------------


def _people(rows: int = 120) -> tuple[Frame, pd.Series]:
    rng, grades = np.random.default_rng(0), ["low", "mid", "top"]
    frame = Frame({
        "town": rng.choice(["Ulm", "Bonn", "Kiel"], rows),
        "age": rng.normal(40, 12, rows).round(1),
        "member": rng.random(rows) < 0.5,
        "grade": pd.Categorical(rng.choice(grades, rows), grades, True),
        "visits": rng.integers(0, 9, rows),
    })  # fmt: skip
    answer = ((frame["town"] == "Ulm") ^ (frame["grade"] > "low")) & (frame["age"] > 25)
    frame.loc[3, "age"], frame.loc[5, "town"] = np.nan, None
    return frame, answer.map({True: "stays", False: "goes"}).rename("next")


def test_text_category_and_bool_columns_come_straight_from_a_dataframe() -> None:
    X, y = _people()
    model = TreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.feature_names_in_.tolist() == list(X)
    kinds = {column.name: column.kind for column in model.tree_.schema.columns}
    assert kinds == {
        "town": "category", "age": "number", "member": "category", "grade": "ordered",
        "visits": "number",
    }  # fmt: skip
    assert model.tree_.schema.target.name == "next"
    assert model.classes_.tolist() == ["goes", "stays"] and model.n_classes_ == 2


def test_the_same_tree_from_any_kind_of_dataframe() -> None:
    X, y = _people()
    expected = TreeClassifier().fit(X, y)
    grade = pl.Series("grade", X["grade"].astype(str).tolist(), pl.Enum(["low", "mid", "top"]))
    in_polars = pl.from_pandas(X.drop(columns="grade")).with_columns(grade).select(list(X))
    for frame in (in_polars, pa.Table.from_pandas(X)):
        model = TreeClassifier().fit(frame, y)
        assert model.tree_ == expected.tree_
        np.testing.assert_array_equal(model.predict(frame), expected.predict(X))
    assert TreeClassifier().fit(in_polars, pl.Series("next", y.tolist())).tree_ == expected.tree_


def test_the_same_tree_as_bough_grow() -> None:
    X, y = _people()
    model = TreeClassifier(max_depth=3).fit(X, y)
    assert model.tree_ == bough.grow(X.assign(next=y), target="next", recipe="cart", max_depth=3)


def test_arrays_and_lists_of_mixed_cells() -> None:
    X, y = _people()
    for rows in (X.to_numpy(dtype=object), X.to_numpy(dtype=object).tolist()):
        model = TreeClassifier(ordered={3: ["low", "mid", "top"]}).fit(rows, y)
        assert [c.kind for c in model.tree_.schema.columns][3:] == ["ordered", "number"]
        assert model.score(rows, y) == 1.0
        assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    "given",
    [
        {"categorical_features": [0, 2]},
        {"categorical_features": ["x0", "x2"]},
        {"categorical_features": [True, False, True]},
        {"kinds": {0: "category", "x2": "category"}},
        {"categorical_features": [0, 1, 2], "kinds": {1: "number"}},
    ],
    ids=str,
)
def test_numbers_that_are_names_are_said_to_be_categories(given: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (200, 3)).astype(float)
    y = np.isin(X[:, 0], [0, 3]) ^ np.isin(X[:, 2], [1, 4])
    model = TreeClassifier(**given).fit(X, y)
    kinds = [column.kind for column in model.tree_.schema.columns]
    assert kinds == ["category", "number", "category"]
    assert model.score(X, y) == 1.0
    assert model.get_depth() < TreeClassifier().fit(X, y).get_depth()


def test_a_column_that_is_left_out_keeps_its_place() -> None:
    X, y = _people()
    for place in (0, 3, 5):
        wide = X.copy()
        wide.insert(place, "id", [f"p{i}" for i in range(len(X))])
        model = TreeClassifier(max_depth=3).fit(wide, y)
        assert "identifier" in model.tree_.report["notes"][0]
        assert model.n_features_in_ == 6 and model.feature_importances_[place] == 0
        narrow = TreeClassifier(max_depth=3).fit(X, y)
        expected = np.insert(narrow.feature_importances_, place, 0.0)
        np.testing.assert_array_equal(model.feature_importances_, expected)
        np.testing.assert_array_equal(model.predict(wide), narrow.predict(X))
        cells = wide.to_numpy(dtype=object)
        by_place = TreeClassifier(max_depth=3).fit(cells, y)
        assert by_place.tree_.schema.names.count(f"x{place}") == 0
        np.testing.assert_array_equal(by_place.predict(cells[:9]), by_place.predict(cells)[:9])


def test_missing_cells_and_levels_never_seen_have_an_answer() -> None:
    X, y = _people()
    model = TreeClassifier().fit(X, y)
    new = Frame({name: [None] for name in X}).astype({"age": float})
    unseen = new.assign(town="Rome")
    assert model.predict(new) == model.predict(unseen) == model.tree_.predict_row(dict.fromkeys(X))
    holes = np.random.default_rng(2).normal(size=(90, 2))
    holes[::3, 0] = np.nan
    absent = np.isnan(holes[:, 0])
    assert TreeClassifier().fit(holes, absent).score(holes, absent) == 1.0


def test_a_tree_that_does_not_know_says_so() -> None:
    town = pd.Categorical(["Ulm", "Bonn"] * 10, ["Ulm", "Bonn", "Kiel"])
    X, y = Frame({"town": town}), ["a", "b"] * 10
    new = Frame({"town": ["Ulm", "Kiel"]})
    settings = {"categories": "branches", "empty_branch": "unknown"}
    model = TreeClassifier(**settings).fit(X, y)
    assert model.predict(new).tolist() == ["a", None]
    np.testing.assert_array_equal(model.predict_proba(new), [[1, 0], [np.nan, np.nan]])
    assert model.predict(new[:1]).dtype == model.classes_.dtype
    np.testing.assert_array_equal(
        TreeRegressor(**settings).fit(X, [1.0, 2.0] * 10).predict(new), [1.0, np.nan]
    )


def test_names_follow_scikit_learns_rules() -> None:
    X, y = _people()
    model = TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[list(X)[::-1]])
    with pytest.raises(ValueError, match="yet now missing:\n- age"):
        model.predict(X.rename(columns={"age": "years"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        by_place = model.predict(X.to_numpy(dtype=object))
    np.testing.assert_array_equal(by_place, model.predict(X))


# ---- targets and weights -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([3, 7]),
        np.array([3.0, 7.0]),
        np.array([False, True]),
        np.array([False, True], dtype=object),
        np.array([3, 7], dtype=object),
        pd.Series(["no", "yes"], dtype="category"),
        pd.Series([3, 7], dtype="Int64"),
        pl.Series(["no", "yes"]),
        ["no", "yes"],
    ],
    ids=lambda labels: f"{type(labels).__name__} of {getattr(labels, 'dtype', 'str')}",
)
def test_labels_of_any_type_come_back(labels: Any) -> None:
    codes = (load_iris().target > 0).astype(int)
    y = [labels[i] for i in codes] if isinstance(labels, list) else labels[codes]
    model = TreeClassifier().fit(load_iris().data, y)
    assert model.classes_.tolist() == list(labels)
    assert model.predict(load_iris().data).tolist() == list(y)
    plain = list(labels.to_list() if hasattr(labels, "to_list") else np.asarray(labels).tolist())
    assert list(map(type, model.classes_.tolist())) == list(map(type, plain))
    known = model.tree_.schema.target.classes
    assert known == tuple(plain) and all(isinstance(c, str | int) for c in known)


def test_a_target_column_of_two_dimensions_is_used_with_a_warning() -> None:
    X, y = _people()
    expected = TreeClassifier().fit(X, y)
    for column in (y.to_frame(), pl.DataFrame({"next": y.tolist()})):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert TreeClassifier().fit(X, column).tree_ == expected.tree_


@pytest.mark.parametrize("estimator", [TreeClassifier(), TreeRegressor()])
def test_what_cannot_be_learned_from_is_refused(estimator: Any) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match="y has 2 columns, and a tree predicts one target"):
        estimator.fit(X, np.column_stack([y, y]))
    with pytest.raises(TypeError, match="Sparse data was passed for X"):
        estimator.fit(sparse.csr_array(X), y)
    with pytest.raises(DataError, match='"sample_weight" are negative in row 2'):
        estimator.fit(X, y, np.where(np.arange(150) == 1, -1.0, 1.0))
    with pytest.raises(DataError, match='"sample_weight" have 10 entries for 150 rows'):
        estimator.fit(X, y, np.ones(10))
    with pytest.raises(DataError, match='Column "a" has an infinite number in row 2'):
        estimator.fit(Frame({"a": [1.0, np.inf]}), [0, 1])
    with pytest.raises(ValueError, match="Input X contains infinity"):
        estimator.fit([[1.0], [np.inf]], [0, 1])
    with pytest.raises(DataError, match="kinds names the column 9, which is not there"):
        clone(estimator).set_params(kinds={9: "category"}).fit(X, y)


def test_labels_of_two_types_are_refused() -> None:
    for y in ([1, "a", 1], np.array([1, "a", 1], dtype=object), ["a", None, "a"]):
        with pytest.raises(DataError, match="y holds labels of type"):
            TreeClassifier().fit([[1.0], [2.0], [3.0]], y)
    with pytest.raises(DataError, match="class_weight leaves no sample"):
        TreeClassifier(class_weight={0: 0, 1: 0}).fit([[1.0], [2.0]], [0, 1])


# ---- what is fitted ------------------------------------------------------------------------------


def test_decision_path_names_the_nodes_every_row_passes() -> None:
    X, y = _people()
    model = TreeClassifier().fit(X, y)
    path = model.decision_path(X)
    assert sparse.isspmatrix_csr(path) and path.shape == (len(X), len(model.tree_))
    expected = [model.tree_.path(row) for row in X.to_dict("records")]
    assert [path[i].indices.tolist() for i in range(len(X))] == expected
    assert set(path.data.tolist()) == {1}
    assert [nodes[-1] for nodes in expected] == model.apply(X).tolist()


def test_log_proba_is_quiet_about_zero() -> None:
    X, y = load_iris(return_X_y=True)
    model = TreeClassifier(max_depth=2).fit(X, y)
    logs = model.predict_log_proba(X)
    assert np.isneginf(logs).any()
    np.testing.assert_allclose(np.exp(logs), model.predict_proba(X))


def test_before_fit_there_is_nothing_to_ask() -> None:
    for ask in ("get_depth", "get_n_leaves"):
        with pytest.raises(NotFittedError):
            getattr(TreeClassifier(), ask)()
    assert not hasattr(TreeClassifier(), "feature_importances_")
    assert is_classifier(TreeClassifier()) and is_regressor(TreeRegressor())


@pytest.mark.parametrize("layout", ["C", "F", "strided", "float32"])
def test_predict_does_not_copy_a_float_array(layout: str) -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(20_000, 60))
    X = {
        "C": wide,
        "F": np.asfortranarray(wide),
        "strided": rng.normal(size=(40_000, 120))[::2, ::2],
        "float32": wide.astype(np.float32),
    }[layout]
    model = TreeClassifier(max_depth=4).fit(X[:500], X[:500, 0] > 0.3)
    model.predict(X[:10])
    tracemalloc.start()
    try:
        model.predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 4


# ---- scikit-learn's tools ------------------------------------------------------------------------


def test_clone_and_pickle() -> None:
    X, y = _people()
    model = TreeClassifier(recipe="c45", kinds={"visits": "category"}).fit(X, y)
    model.predict(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    twin = clone(model)
    assert twin.get_params() == model.get_params() and not hasattr(twin, "tree_")
    assert twin.fit(X, y).tree_ == model.tree_


def test_pipeline_and_column_transformer() -> None:
    X, y = _people()
    mixed = ColumnTransformer(
        [
            ("town", OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["town"]),
            ("age", StandardScaler(), make_column_selector(dtype_include="float")),
        ],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(mixed, TreeClassifier()).fit(X, y)
    assert pipeline.score(X, y) == 1.0
    assert pipeline[-1].feature_names_in_.tolist()[:4] == [
        "town_Bonn", "town_Kiel", "town_Ulm", "town_nan",
    ]  # fmt: skip
    schema = pipeline[-1].tree_.schema
    assert schema.columns[schema.index["grade"]].kind == "ordered"


def test_grid_search_with_two_workers() -> None:
    X, y = _people()
    grid = {"max_depth": [1, 2, 6], "criterion": ["gini", "gain_ratio"]}
    search = GridSearchCV(TreeClassifier(), grid, cv=3, n_jobs=2).fit(X, y)
    alone = GridSearchCV(TreeClassifier(), grid, cv=3).fit(X, y)
    assert search.best_params_ == alone.best_params_ and search.best_params_["max_depth"] == 6
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
    assert (cross_val_score(TreeClassifier(max_depth=1), X, y, cv=4) < search.best_score_).all()


def test_the_picture_in_a_notebook_shows_the_parameters() -> None:
    X, y = load_iris(return_X_y=True)
    html = TreeClassifier(max_depth=3).fit(X, y)._repr_html_()
    assert "TreeClassifier" in html and "max_depth" in html
    assert repr(TreeClassifier(max_depth=3)) == "TreeClassifier(max_depth=3)"


# ---- the door ------------------------------------------------------------------------------------


def test_bough_alone_does_not_import_scikit_learn() -> None:
    program = (
        "import sys, bough, numpy\n"
        "tree = bough.grow({'a': [1, 2, 3], 'b': ['x', 'y', 'x']}, target=['u', 'v', 'u'])\n"
        "tree.predict({'a': [1], 'b': ['x']})\n"
        "assert not {'sklearn', 'joblib', 'scipy'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_one_file_imports_scikit_learn() -> None:
    home = Path(bough.__file__).parent
    importers = {
        path.relative_to(home).as_posix()
        for path in home.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in _imported(node)
        if name.split(".")[0] in ("sklearn", "joblib", "scipy")
    }
    assert importers <= {"sklearn.py", "sklearn_rules.py"}


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
