"""The contenders: each asked for one tree of the same depth on the same table, unregularised.

A function gets the table, the longest path in questions (None: grown until pure) and the number of
threads; it returns the model and, for later, a way to find the leaf of every row (rows × trees).
What it does until it returns is what is timed: from the array to the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from data import Data

UNLIMITED = 1000
"""The depth asked for where a peer must be given a number."""


@dataclass(frozen=True)
class Grown:
    model: Any
    leaves: Callable[[], Any]


Grow = Callable[[Data, int | None, int], Grown]


@dataclass(frozen=True)
class Contender:
    grow: Grow
    package: str
    threads: tuple[int, ...] = (2, 1)
    categories: bool = True
    """Can it be given a DataFrame with category columns?"""
    words: str = ""
    """How it is asked, and where what it does is not the same."""


def ours(x: Any, y: Any, depth: int | None = None, threads: int | None = None, **more: Any) -> Any:
    """`bough.grow`, every option at its plain default, so that no recipe adds to it or prunes."""
    import bough

    plain = {name: option.default for name, option in bough.OPTIONS.items()}
    task: Any = "regression" if y.dtype.kind == "f" else "classification"
    options: Any = {**plain, "max_depth": depth, "threads": threads, **more}
    return bough.grow(x, y, task=task, recipe="cart", **options)


def grow_bough(data: Data, depth: int | None, threads: int) -> Grown:
    tree = ours(data.x, data.y, depth, threads)
    return Grown(tree, lambda: tree.apply(data.x))


def grow_sklearn(data: Data, depth: int | None, threads: int) -> Grown:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if data.task == "regression" else DecisionTreeClassifier
    model = kind(max_depth=depth, random_state=0).fit(data.x, data.y)
    return Grown(model, lambda: model.apply(data.x))


def grow_lightgbm(data: Data, depth: int | None, threads: int) -> Grown:
    import lightgbm

    options = {
        "objective": _objective(data, "regression", "binary", "multiclass"),
        **_classes(data),
        "max_depth": -1 if depth is None else depth,
        "num_leaves": 131072 if depth is None else min(2**depth, 131072),
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "lambda_l2": 0.0,
        "min_gain_to_split": 0.0,
        "feature_pre_filter": False,
        "cat_smooth": 0.0,
        "cat_l2": 0.0,
        "min_data_per_group": 1,
        "max_cat_threshold": 100_000,
        "learning_rate": 1.0,
        "num_threads": threads,
        "verbosity": -1,
    }
    model = lightgbm.train(options, lightgbm.Dataset(data.x, data.y, params=options), 1)
    return Grown(model, lambda: model.predict(data.x, pred_leaf=True, num_threads=2))


def grow_xgboost(method: str, data: Data, depth: int | None, threads: int) -> Grown:
    import xgboost

    frame = hasattr(data.x, "iloc")
    options = {
        "objective": _objective(data, "reg:squarederror", "binary:logistic", "multi:softprob"),
        **_classes(data),
        "tree_method": method,
        "max_depth": UNLIMITED if depth is None else depth,
        "reg_lambda": 0.0,
        "gamma": 0.0,
        "min_child_weight": 0.0,
        "eta": 1.0,
        "nthread": threads,
        "verbosity": 0,
    }
    if method == "hist" and "num_class" in options and not frame:
        options["multi_strategy"] = "multi_output_tree"  # one tree for all classes
    kind = xgboost.QuantileDMatrix if method == "hist" else xgboost.DMatrix
    cells = kind(data.x, data.y, nthread=threads, enable_categorical=frame)
    model = xgboost.train(options, cells, 1)

    def leaves() -> Any:
        return model.predict(xgboost.DMatrix(data.x, enable_categorical=frame), pred_leaf=True)

    return Grown(model, leaves)


def grow_ydf(data: Data, depth: int | None, threads: int) -> Grown:
    import ydf

    ydf.verbose(0)
    if hasattr(data.x, "iloc"):
        cells = {name: _column(data.x[name]) for name in data.x}
    else:
        cells = {"x": data.x}
    cells["target"] = data.y
    task = ydf.Task.REGRESSION if data.task == "regression" else ydf.Task.CLASSIFICATION
    learner = ydf.CartLearner(
        label="target",
        task=task,
        max_depth=-1 if depth is None else depth + 1,  # it counts nodes, not questions
        min_examples=1,
        validation_ratio=0.0,  # no pruning
        min_vocab_frequency=1,
        max_vocab_count=-1,
        sorting_strategy="AUTO",
        num_threads=threads,
    )
    model = learner.train(cells)
    return Grown(model, lambda: model.predict_leaves(cells))


def _column(column: Any) -> Any:
    """YDF takes texts as categories."""
    if column.dtype != "category":
        return column.to_numpy()
    return np.append(column.cat.categories.to_numpy(str), "")[column.cat.codes.to_numpy()]


def _objective(data: Data, numbers: str, two: str, many: str) -> str:
    if data.task == "regression":
        return numbers
    return two if data.y.max() < 2 else many


def _classes(data: Data) -> dict[str, int]:
    many = data.task == "classification" and data.y.max() > 1
    return {"num_class": int(data.y.max()) + 1} if many else {}


BINARY = (
    "It has no Gini; of the first tree of a logistic model all rows have the same second "
    "derivative, so its gain orders splits as Gini does."
)

CONTENDERS: Mapping[str, Contender] = {
    "bough": Contender(
        grow_bough,
        "bough",
        words="`bough.grow`, every option at its default: Gini or squared error, exact, unpruned.",
    ),
    "scikit-learn": Contender(
        grow_sklearn,
        "scikit-learn",
        threads=(1,),
        categories=False,
        words="`DecisionTreeClassifier` or `-Regressor`, `fit`: exact, one thread, numbers only.",
    ),
    "LightGBM": Contender(
        grow_lightgbm,
        "lightgbm",
        words="One round, bins, `min_data_in_leaf=1`, nothing regularised; at most 131,072 leaves. "
        + BINARY
        + " More than two classes: one tree per class, impurity not comparable.",
    ),
    "XGBoost hist": Contender(
        partial(grow_xgboost, "hist"),
        "xgboost",
        words="One round, bins, nothing regularised. As LightGBM for two classes; more classes: "
        "`multi_output_tree`, one tree for all (with category columns: one tree per class).",
    ),
    "XGBoost exact": Contender(
        partial(grow_xgboost, "exact"),
        "xgboost",
        categories=False,
        words="The same with every value a candidate, numbers only; more than two classes: one "
        "tree per class.",
    ),
    "YDF CART": Contender(
        grow_ydf,
        "ydf",
        words="`CartLearner`, exact in float32, `min_examples=1`, no pruning. Classes by "
        "information gain (it has no Gini), so its impurity differs.",
    ),
}
