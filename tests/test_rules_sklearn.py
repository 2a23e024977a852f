"""RuleClassifier by scikit-learn's own checks, and what is our own."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks

from bough import datasets
from bough.errors import OptionError
from bough.sklearn import RuleClassifier, TreeClassifier

WHY_NOT = {
    "check_class_weight_classifiers": "as for TreeClassifier, see test_sklearn.py: the check needs "
    "min_weight_fraction_leaf; pessimistic pruning does without"
}
HELD_OUT = {
    "check_sample_weight_equivalence_on_dense_data": "which samples are held out is drawn sample "
    "by sample: one of weight 2 is held out or not, two of weight 1 may be parted",
}
EXPECTED: dict[str | None, dict[str, str]] = {
    "pessimistic": {},
    "holdout": WHY_NOT | HELD_OUT,
    None: WHY_NOT,
}


@parametrize_with_checks(
    [RuleClassifier(prune=prune) for prune in EXPECTED],
    expected_failed_checks=lambda rules: EXPECTED[rules.prune],
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_without_pruning_it_is_the_tree() -> None:
    X, y = load_iris(return_X_y=True)
    rules, tree = RuleClassifier(prune=None).fit(X, y), TreeClassifier().fit(X, y)
    assert rules.tree_ == tree.tree_
    assert (rules.predict(X) == tree.predict(X)).all()
    assert np.array_equal(rules.predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize("prune", ["pessimistic", "holdout"])
def test_pruned_rules_are_about_as_good_and_shorter(prune: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(RuleClassifier(prune=prune), X, y, cv=5).mean() > 0.88
    X_train, X_test, y_train, _ = train_test_split(X, y, random_state=0)
    rules = RuleClassifier(prune=prune).fit(X_train, y_train)
    whole = RuleClassifier(prune=None).fit(X_train, y_train)

    def size(model: RuleClassifier) -> int:
        return sum(len(rule.conditions) for rule in model.rules_.rules)

    assert size(rules) < size(whole)
    assert (rules.predict(X_test) == rules.rules_.predict(X_test)).all()
    assert np.array_equal(rules.predict_proba(X_test), rules.rules_.predict_proba(X_test))


def test_held_out_samples_do_not_grow_the_tree() -> None:
    X, y = load_iris(return_X_y=True)
    model = RuleClassifier(prune="holdout", validation_fraction=0.2, random_state=3).fit(X, y)
    assert int(model.tree_.nodes.rows[0]) == 120
    assert model.rules_.scored_on == "held-out rows"
    score = [rule.score for rule in (*model.rules_.rules, model.rules_.default)]
    assert sum(one.first for one in score if one) == 30
    again = RuleClassifier(prune="holdout", validation_fraction=0.2, random_state=3).fit(X, y)
    assert again.rules_ == model.rules_


def test_data_frames_with_words_and_missing_cells() -> None:
    frame = pd.read_csv(datasets.path("titanic"))[["Pclass", "Sex", "Age", "Embarked", "Survived"]]
    X, y = frame.drop(columns="Survived"), frame["Survived"]
    model = RuleClassifier(max_depth=4).fit(X, y)
    assert model.score(X, y) > 0.79
    assert "Sex = female" in str(model.rules_)
    assert model.rules_.schema.target.name == "Survived"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"prune": "c45"}, "prune='c45' is not allowed"),
        ({"prune": "holdout", "validation_fraction": 1.0}, "between 0 and 1"),
        ({"prune": "holdout", "validation_fraction": 0.01}, "leaves no sample on one side"),
        ({"cf": 2}, "cf=2 is not allowed"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(OptionError, match=message):
        RuleClassifier(**wrong).fit(X[45:55], y[45:55])


def test_it_stands_beside_the_trees_and_takes_what_they_take_but_costs() -> None:
    from bough import sklearn, sklearn_rules

    assert sklearn.RuleClassifier is sklearn_rules.RuleClassifier
    with pytest.raises(AttributeError, match="has no attribute 'RuleRegressor'"):
        _ = sklearn.RuleRegressor  # type: ignore[attr-defined]
    of_trees, of_rules = (
        set(inspect.signature(one).parameters) for one in (TreeClassifier, RuleClassifier)
    )
    assert of_trees - of_rules == {"costs", "cost_use", "test_costs", "cost_rule"}
    assert of_rules - of_trees == {"cf", "validation_fraction", "random_state"}
