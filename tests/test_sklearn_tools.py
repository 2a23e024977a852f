"""The estimators: what is fitted, and scikit-learn's tools around it."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bough.sklearn import TreeClassifier, TreeRegressor
from samples import people

# ---- what is fitted ------------------------------------------------------------------------------


def test_decision_path_names_the_nodes_every_row_passes() -> None:
    X, y = people()
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
    X, y = people()
    model = TreeClassifier(recipe="c45", kinds={"visits": "category"}).fit(X, y)
    model.predict(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    twin = clone(model)
    assert twin.get_params() == model.get_params() and not hasattr(twin, "tree_")
    assert twin.fit(X, y).tree_ == model.tree_


def test_pipeline_and_column_transformer() -> None:
    X, y = people()
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
    X, y = people()
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
