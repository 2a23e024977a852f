"""Importance: the drop of impurity each column brought about."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bough
from bough import datasets
from bough.importance import importances
from bough.sklearn import TreeClassifier


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
