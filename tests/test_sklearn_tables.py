"""The estimators: tables, targets and weights as they come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning

import bough
from bough import datasets
from bough.errors import BoughError, DataError
from bough.sklearn import TreeClassifier, TreeRegressor
from samples import people


def test_text_category_and_bool_columns_come_straight_from_a_dataframe() -> None:
    X, y = people()
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
    X, y = people()
    expected = TreeClassifier().fit(X, y)
    grade = pl.Series("grade", X["grade"].astype(str).tolist(), pl.Enum(["low", "mid", "top"]))
    in_polars = pl.from_pandas(X.drop(columns="grade")).with_columns(grade).select(list(X))
    for frame in (in_polars, pa.Table.from_pandas(X)):
        model = TreeClassifier().fit(frame, y)
        assert model.tree_ == expected.tree_
        np.testing.assert_array_equal(model.predict(frame), expected.predict(X))
    assert TreeClassifier().fit(in_polars, pl.Series("next", y.tolist())).tree_ == expected.tree_


def test_the_same_tree_as_bough_grow() -> None:
    X, y = people()
    model = TreeClassifier(max_depth=3).fit(X, y)
    data = X.assign(next=y)
    assert model.tree_ == bough.grow(
        data, target="next", recipe="cart", prune=None, missing="learned", max_depth=3
    )


def test_arrays_and_lists_of_mixed_cells() -> None:
    X, y = people()
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
    X, y = people()
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
    X, y = people()
    model = TreeClassifier().fit(X, y)
    new = pd.DataFrame({name: [None] for name in X}).astype({"age": float})
    unseen = new.assign(town="Rome")
    assert model.predict(new) == model.predict(unseen) == model.tree_.predict_row(dict.fromkeys(X))
    holes = np.random.default_rng(2).normal(size=(90, 2))
    holes[::3, 0] = np.nan
    absent = np.isnan(holes[:, 0])
    assert TreeClassifier().fit(holes, absent).score(holes, absent) == 1.0


def test_a_tree_that_does_not_know_says_so() -> None:
    town = pd.Categorical(["Ulm", "Bonn"] * 10, ["Ulm", "Bonn", "Kiel"])
    X, y = pd.DataFrame({"town": town}), ["a", "b"] * 10
    new = pd.DataFrame({"town": ["Ulm", "Kiel"]})
    settings = {"categories": "branches", "empty_branch": "unknown"}
    model = TreeClassifier(**settings).fit(X, y)
    assert model.predict(new).tolist() == ["a", None]
    np.testing.assert_array_equal(model.predict_proba(new), [[1, 0], [np.nan, np.nan]])
    assert model.predict(new[:1]).dtype == model.classes_.dtype
    np.testing.assert_array_equal(
        TreeRegressor(**settings).fit(X, [1.0, 2.0] * 10).predict(new), [1.0, np.nan]
    )


def test_names_follow_scikit_learns_rules() -> None:
    X, y = people()
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
    X, y = people()
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
        estimator.fit(pd.DataFrame({"a": [1.0, np.inf]}), [0, 1])
    with pytest.raises(ValueError, match="Input X contains infinity"):
        estimator.fit([[1.0], [np.inf]], [0, 1])
    with pytest.raises(DataError, match="kinds names the column 9, which is not there"):
        clone(estimator).set_params(kinds={9: "category"}).fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kinds": {"sise": "number"}}, "^kinds names the column 'sise', .* mean \"size\"\\?"),
        ({"ordered": {"x0": ["a"]}}, '^ordered names the column .* The names are: "size", "shop"'),
        ({"categorical_features": ["zip"]}, "^categorical_features names the column 'zip'"),
        ({"kinds": ["category"]}, r"kinds=\['category'\] is not allowed: give a dict by column"),
        ({"ordered": "size"}, "ordered='size' is not allowed: give a dict by column"),
    ],
)
def test_what_is_said_of_columns_is_checked(wrong: dict[str, Any], message: str) -> None:
    X = pd.DataFrame({"size": [1, 2, 3, 4], "shop": ["a", "b", "a", "b"]})
    with pytest.raises(BoughError, match=message):
        TreeClassifier(**wrong).fit(X, ["p", "q", "p", "q"])


def test_labels_of_two_types_are_refused() -> None:
    for y in ([1, "a", 1], np.array([1, "a", 1], dtype=object), ["a", None, "a"]):
        with pytest.raises(DataError, match="y holds labels of type"):
            TreeClassifier().fit([[1.0], [2.0], [3.0]], y)
    with pytest.raises(DataError, match="class_weight leaves no sample"):
        TreeClassifier(class_weight={0: 0, 1: 0}).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("how", [{}, {"method": "reduced_error", "label": "pruning"}])
def test_where_rows_are_shared_out_the_estimator_answers_like_its_tree(how: dict[str, Any]) -> None:
    """Ties of a leaf that a row reaches whole go to the parent's class, as in the tree."""
    frame = pd.read_csv(datasets.path("titanic"))
    X = frame[["Pclass", "Sex", "Age", "Fare", "Embarked"]]
    for y in (frame["Survived"], frame["Survived"].map({0: "drowned", 1: "saved"})):
        model = TreeClassifier(recipe="c45", prune=how or "none").fit(X, y)
        answers = model.predict(X)
        assert answers.tolist() == model.tree_.predict(X).tolist()
    if not how:  # else the tie rule would not be tried
        shares = model.predict_proba(X)
        tied = np.isclose(shares[:, 0], shares[:, 1])
        assert {"drowned", "saved"} == set(answers[tied])
