"""The estimators: the same trees as scikit-learn's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bough.sklearn import TreeClassifier, TreeRegressor
from samples import numbers

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
    X, wave, weights = numbers(1)
    y = np.digitize(wave, [-1.0, 0.5])
    new = numbers(2)[0]
    ours = TreeClassifier(criterion=criterion, **limits).fit(X, y, weights)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
    _assert_same(ours, theirs.fit(X, y, weights), X, new)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_regressor(weighted: bool, limits: dict[str, Any]) -> None:
    X, y, weights = numbers(3)
    given = weights if weighted else None
    ours = TreeRegressor(**limits).fit(X, y, given)
    theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y, given)
    _assert_same(ours, theirs, X, numbers(4)[0])
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y))


@pytest.mark.parametrize("seed", range(4))
def test_the_same_with_missing_cells(seed: int) -> None:
    X, y, _ = numbers(seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    limits = {"min_samples_leaf": 12}
    theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y)
    _assert_same(TreeRegressor(**limits).fit(X, y), theirs, X, X)


def test_fully_grown_both_remember_everything() -> None:
    X, y, _ = numbers(5)
    ours, theirs = TreeRegressor().fit(X, y), DecisionTreeRegressor(random_state=0).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves() == len(y)
    np.testing.assert_array_equal(ours.predict(X), y)


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0, "b": 0.25}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_with_class_weight(weighted: bool, class_weight: Any) -> None:
    X, wave, weights = numbers(6)
    y = np.array(["a", "b", "c"])[np.digitize(wave, [-1.0, 1.0])]
    given = weights if weighted else None
    settings = {"class_weight": class_weight, "max_depth": 3, "min_samples_leaf": 5}
    ours = TreeClassifier(**settings).fit(X, y, given)
    theirs = DecisionTreeClassifier(random_state=0, **settings).fit(X, y, given)
    new = numbers(7)[0]
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)


def test_a_weight_is_a_number_of_rows() -> None:
    X, wave, _ = numbers(8, rows=150)
    y = (wave > 0).astype(int)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = TreeClassifier(max_depth=5).fit(X, y, times)
    repeated = TreeClassifier(max_depth=5).fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    np.testing.assert_allclose(weighted.feature_importances_, repeated.feature_importances_)
    present = times > 0
    left_out = TreeClassifier(max_depth=5).fit(X[present], y[present], times[present])
    assert weighted.tree_ == left_out.tree_
