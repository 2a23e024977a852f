"""scikit-learn's estimators: the only file that imports it and says X, y and n_features_in_."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import narwhals as nw
import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.costs import cost_matrix
from bough.data.frames import column_from, from_frame, from_matrix
from bough.data.infer import Oddities, by_column, check_overrides, infer_column
from bough.data.match import match_cells
from bough.data.raw import Source, names_of
from bough.data.schema import Kind, Schema, Target, Task
from bough.data.table import Array, Table
from bough.data.target import weights_of
from bough.errors import DataError, OptionError, nearest
from bough.importance import importances
from bough.making import make_tree
from bough.options import check_options
from bough.predict import apply_table, mixture, shares_rows_out
from bough.predict import predict as answers_of
from bough.prices import TestCosts, test_costs
from bough.recipes import options_for
from bough.tree import Tree

if TYPE_CHECKING:
    from bough.sklearn_rules import RuleClassifier as RuleClassifier

__all__ = [
    "AS_IN_SCIKIT_LEARN",
    "CRITERIA",
    "OPTION_OF",
    "RuleClassifier",
    "TreeClassifier",
    "TreeRegressor",
]


def __getattr__(name: str) -> Any:
    """RuleClassifier has a file of its own, which builds on this one: imported when asked for."""
    if name == "RuleClassifier":
        from bough.sklearn_rules import RuleClassifier

        return RuleClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


OPTION_OF: dict[str, str] = {
    "criterion": "criterion",
    "max_depth": "max_depth",
    "max_leaf_nodes": "max_leaves",
    "min_samples_split": "min_rows_split",
    "min_samples_leaf": "min_rows_leaf",
    "min_impurity_decrease": "min_drop",
    "min_gain": "min_gain",
    "stop_error": "stop_error",
    "ratio_among": "ratio_among",
    "categories": "categories",
    "merge_p": "merge_p",
    "max_adjusted_p": "max_adjusted_p",
    "zero_gain": "zero_gain",
    "threshold": "threshold",
    "equality": "equality",
    "missing": "missing",
    "missing_share": "missing_share",
    "cost_use": "cost_use",
    "cost_rule": "cost_rule",
    "empty_branch": "empty_branch",
    "runners_up": "runners_up",
    "exact": "exact",
    "n_jobs": "threads",
    "prune": "prune",
}
"""The parameters of the estimators, and the options of bough they stand for."""

AS_IN_SCIKIT_LEARN: dict[str, dict[str, Any]] = {"cart": {"missing": "learned", "prune": None}}
"""Where a recipe stands for scikit-learn's own tree: what it is here unless something is said."""

CRITERIA: dict[str, str] = {"log_loss": "entropy"}
"""scikit-learn's other words for criteria."""


def _keep(estimator: Any, given: dict[str, Any]) -> None:
    """What scikit-learn asks of a constructor: every parameter kept as it is, nothing else."""
    vars(estimator).update({name: value for name, value in given.items() if name != "self"})


class _TreeEstimator(BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share."""

    tree_: Tree
    n_features_in_: int
    recipe: str | None
    categorical_features: Any
    kinds: Mapping[str | int, Kind] | None
    ordered: Mapping[str | int, Sequence[str]] | None
    n_jobs: int | None

    # ---- the fitted tree ---------------------------------------------------------------------

    @property
    def feature_importances_(self) -> Array:
        """The share of each feature in the drop of impurity; see bough.importance."""
        check_is_fitted(self)
        places = {name: i for i, name in enumerate(self._names())}
        shares = np.zeros(self.n_features_in_)  # features that were left out stay 0
        shares[[places[name] for name in self.tree_.schema.names]] = importances(self.tree_)
        return shares

    def get_depth(self) -> int:
        """The longest path, in questions."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def apply(self, X: Any) -> Array:
        """The number of the leaf every sample reaches."""
        check_is_fitted(self)
        return apply_table(self.tree_, self._cells(X), effective_n_jobs(self.n_jobs))

    def _mixture(self, X: Any) -> Array:
        """Rows whose missing cells send them to several leaves: what those say together."""
        return mixture(self.tree_, self._cells(X), effective_n_jobs(self.n_jobs))

    def _mixed_answers(self, X: Any) -> Array:
        """Of a tree that shares rows out; a row that reaches just one leaf answers like it."""
        return answers_of(self.tree_, self._cells(X), threads=effective_n_jobs(self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """CSR matrix [samples, nodes]: 1 where a sample passes a node."""
        node = self.apply(X)
        depths, parent = self.tree_.depths, self.tree_.nodes.parent
        ends = np.cumsum(depths[node].astype(np.int64) + 1)
        starts = np.concatenate([[0], ends])
        passed = np.empty(starts[-1], np.int64)
        rows = np.arange(len(node))
        while len(rows):  # every row climbs one step: from its leaf to the root
            passed[starts[rows] + depths[node]] = node
            up = node > 0
            rows, node = rows[up], parent[node[up]]
        ones = np.ones(len(passed), np.int64)
        return csr_matrix((ones, passed, starts), shape=(len(ends), len(self.tree_)))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # ---- from X to a Table -------------------------------------------------------------------

    def _checked(self, X: Any, *, reset: bool, **target: Any) -> Any:
        """X as a DataFrame or a 2-d array, its names and width checked by scikit-learn's rules."""
        if isinstance(X, np.ndarray) or not nw.dependencies.is_into_dataframe(X):
            X = _as_array(X, self)
        validate_data(self, X, reset=reset, skip_check_array=True, **target)
        return X

    def _names(self) -> list[str]:
        """What the columns are called in the tree: as in the DataFrame, else by place."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else list(names)

    def _cells(self, X: Any) -> Table:
        """The cells of new rows, in the schema of the tree."""
        X = self._checked(X, reset=False)
        schema = self.tree_.schema
        if _is_float_array(X) and _only_numbers(schema, self.n_features_in_):
            return Table(schema, tuple(X.T))  # views: nothing is copied or looked at twice
        cells, _ = match_cells(_source(X, self._names()), schema, (), None)
        return Table(schema, tuple(cells))

    def _grow(self, X: Any, target: Target, values: Array, weights: Array | None) -> Self:
        names, odd = self._names(), Oddities()
        kinds, ordered = self._overrides(names)
        check_overrides(names, kinds, ordered, ())
        inferred = [
            infer_column(raw, odd, kinds.get(raw.name), ordered.get(raw.name), None)
            for raw in _source(X, names).columns
        ]
        known = [column for column in inferred if column is not None]
        if not known:
            raise DataError(f"No column is left to learn from. {' '.join(odd.notes())}".rstrip())
        schema = Schema(tuple(column for column, _ in known), target)
        cells = tuple(cells for _, cells in known)
        table = Table(schema, cells, values, weights, odd.notes())
        costs = getattr(self, "costs", None)
        matrix = None if costs is None else cost_matrix(costs, target)
        prices = self._test_costs(schema)
        options = self._options(target.task)
        self.tree_ = make_tree(table, options, costs=matrix, test_costs=prices)
        return self

    def _test_costs(self, schema: Schema) -> TestCosts | None:
        """Columns are given by name or by place; what was left out of the table costs nothing."""
        given = getattr(self, "test_costs", None)  # rules do without
        if not isinstance(given, Mapping):
            return None if given is None else test_costs(given, schema)
        names, left_out = self._names(), set(self._names()) - set(schema.names)

        def named(key: Any) -> str:
            return _name_of(key, names, "test_costs")

        found: dict[Any, Any] = {}
        for key, cost in given.items():
            if isinstance(key, tuple):
                members = tuple(name for name in map(named, key) if name not in left_out)
                found[members] = _of_group(cost, named, left_out)
            elif named(key) not in left_out:
                found[named(key)] = cost
        return test_costs(found, schema)

    # ---- from parameters to options ----------------------------------------------------------

    def _options(self, task: Task) -> dict[str, Any]:
        """A whole set of bough's options; None leaves one to the recipe."""
        given = {
            option: _checked_option(name, option, value)
            for name, option in OPTION_OF.items()
            if (value := self._said(name)) is not None
        }
        recipe = self.recipe or "default"
        given = {**AS_IN_SCIKIT_LEARN.get(recipe, {}), **given}
        return {"recipe": recipe, **options_for(task, recipe, given)}

    def _said(self, name: str) -> Any:
        value = getattr(self, name, None)
        if name == "n_jobs":
            return effective_n_jobs(value)
        return CRITERIA.get(value, value) if isinstance(value, str) else value

    def _overrides(self, names: Sequence[str]) -> tuple[dict[str, Kind], dict[str, Sequence[str]]]:
        """kinds and ordered by name, whether columns were given by name or by place."""
        kinds: dict[str, Kind] = {
            _name_of(key, names, "categorical_features"): "category" for key in self._categorical()
        }
        given = by_column("kinds", self.kinds).items()
        kinds |= {_name_of(key, names, "kinds"): kind for key, kind in given}
        orders = by_column("ordered", self.ordered).items()
        return kinds, {_name_of(key, names, "ordered"): levels for key, levels in orders}

    def _categorical(self) -> list[Any]:
        """categorical_features as a list of names or places; a mask is one of places."""
        if self.categorical_features is None:
            return []
        if isinstance(self.categorical_features, str):
            raise OptionError(
                f"categorical_features={self.categorical_features!r} is not allowed: give a list "
                "of names or places, or one True or False per column."
            )
        keys = np.asarray(self.categorical_features, dtype=object).tolist()
        if not keys or not all(isinstance(key, bool | np.bool_) for key in keys):
            return list(keys)
        if len(keys) != self.n_features_in_:
            raise OptionError(
                f"categorical_features has {len(keys)} entries True or False for "
                f"{self.n_features_in_} columns: give one per column, or a list of names."
            )
        return [place for place, is_category in enumerate(keys) if is_category]


class TreeClassifier(ClassifierMixin, _TreeEstimator):  # type: ignore[misc]
    """A decision tree that answers with a class.

    The tree itself, with everything it can do, is `tree_`. `recipe` is a bundle of parameters;
    every other parameter that is None is left to the recipe. The recipe "cart" is scikit-learn's
    own tree: it is not pruned unless `prune` says how. See docs/sklearn.md for the parameters and
    the fitted attributes.
    """

    classes_: Array
    n_classes_: int
    class_weight: Mapping[Any, float] | str | None

    def __init__(
        self,
        *,
        recipe: str | None = "cart",
        criterion: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float | None = None,
        min_samples_leaf: int | float | None = None,
        min_impurity_decrease: float | None = None,
        min_gain: float | None = None,
        ratio_among: str | None = None,
        categories: str | None = None,
        merge_p: float | None = None,
        max_adjusted_p: float | None = None,
        zero_gain: str | None = None,
        threshold: str | None = None,
        equality: str | None = None,
        missing: str | Mapping[str, str] | None = None,
        missing_share: float | None = None,
        empty_branch: str | None = None,
        runners_up: bool | None = None,
        exact: bool | None = None,
        prune: str | Mapping[str, Any] | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        costs: Any = None,
        cost_use: str | None = None,
        test_costs: Any = None,
        cost_rule: str | None = None,
        categorical_features: Any = None,
        kinds: Mapping[str | int, Kind] | None = None,
        ordered: Mapping[str | int, Sequence[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        _keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree."""
        X = self._checked(X, reset=True, y=y)
        self.classes_, codes = _classes(y)
        check_consistent_length(X, codes)
        weights = _weights(sample_weight, len(codes))
        if self.class_weight is not None:
            of_class = compute_sample_weight(self.class_weight, self.classes_[codes])
            weights = _reweighted(weights, of_class)
        self.n_classes_ = len(self.classes_)
        target = Target(_target_name(y, self._names()), "classification", _plain(self.classes_))
        return self._grow(X, target, codes, weights)

    def predict(self, X: Any) -> Array:
        """The class of every sample; None where the tree does not know (empty_branch="unknown")."""
        check_is_fitted(self)
        if shares_rows_out(self.tree_):
            return self._mixed_answers(X)
        leaf = self.apply(X)
        answers = self.tree_.answers
        if (answers < 0).any() and (answers[leaf] < 0).any():
            labels = np.array([*self.classes_.tolist(), None], dtype=object)  # −1 is the last
            return labels[answers[leaf]]
        return self.classes_[answers][leaf]

    def predict_proba(self, X: Any) -> Array:
        """float64[samples, classes]: the class shares of the leaf, in the order of `classes_`."""
        check_is_fitted(self)
        if shares_rows_out(self.tree_):
            return self._mixture(X)
        leaf = self.apply(X)
        return self.tree_.shares[leaf]

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`; −inf for a class the leaf does not hold."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


class TreeRegressor(RegressorMixin, _TreeEstimator):  # type: ignore[misc]
    """A decision tree that answers with a number, the mean of its leaf.

    The tree itself, with everything it can do, is `tree_`. `recipe` is a bundle of parameters;
    every other parameter that is None is left to the recipe. The recipe "cart" is scikit-learn's
    own tree: it is not pruned unless `prune` says how. See docs/sklearn.md for the parameters and
    the fitted attributes.
    """

    def __init__(
        self,
        *,
        recipe: str | None = "cart",
        criterion: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float | None = None,
        min_samples_leaf: int | float | None = None,
        min_impurity_decrease: float | None = None,
        min_gain: float | None = None,
        stop_error: float | None = None,
        categories: str | None = None,
        zero_gain: str | None = None,
        threshold: str | None = None,
        equality: str | None = None,
        missing: str | Mapping[str, str] | None = None,
        missing_share: float | None = None,
        empty_branch: str | None = None,
        runners_up: bool | None = None,
        exact: bool | None = None,
        prune: str | Mapping[str, Any] | None = None,
        test_costs: Any = None,
        cost_rule: str | None = None,
        categorical_features: Any = None,
        kinds: Mapping[str | int, Kind] | None = None,
        ordered: Mapping[str | int, Sequence[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        _keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree."""
        X = self._checked(X, reset=True, y=y)
        numbers = _one_column(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
        check_consistent_length(X, numbers)
        target = Target(_target_name(y, self._names()), "regression")
        return self._grow(X, target, numbers, _weights(sample_weight, len(numbers)))

    def predict(self, X: Any) -> Array:
        """The answer for every sample; NaN: the tree does not know (empty_branch="unknown")."""
        check_is_fitted(self)
        if shares_rows_out(self.tree_):
            return self._mixed_answers(X)
        leaf = self.apply(X)
        return self.tree_.answers[leaf]


# ---- X -------------------------------------------------------------------------------------------


def _as_array(X: Any, estimator: Any) -> Array:
    """X as a 2-d array that was checked; floats stay where they are."""
    checks = {"dtype": None, "ensure_all_finite": "allow-nan", "input_name": "X"}
    array = check_array(X, estimator=estimator, **checks)
    if array.dtype.kind in "US" and not hasattr(X, "dtype"):
        array = np.array(X, dtype=object)  # a list of rows: numbers stay numbers among texts
    return np.asarray(array)


def _is_float_array(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype in (np.float64, np.float32)


def _only_numbers(schema: Schema, n_features: int) -> bool:
    plain = sum(col.kind == "number" and col.form in ("float", "int") for col in schema.columns)
    return plain == n_features


def _source(X: Any, names: Sequence[str]) -> Source:
    """The columns of an array or a DataFrame; their place in it says which they are."""
    if isinstance(X, np.ndarray):
        return from_matrix(X, names)
    found = from_frame(X, lambda name: True)
    assert found is not None
    columns = [replace(raw, name=name) for raw, name in zip(found.columns, names, strict=True)]
    return Source(tuple(names), tuple(columns), found.n_rows)


def _name_of(key: Any, names: Sequence[str], parameter: str) -> str:
    """The name of a column that is given by name or by place."""
    if isinstance(key, str) and key in names:
        return key
    if isinstance(key, int | np.integer) and 0 <= key < len(names):
        return names[int(key)]
    close = nearest(key, names) if isinstance(key, str) else ""
    raise DataError(
        f"{parameter} names the column {key!r}, which is not there.{close} Give a name, or a place "
        f"from 0 to {len(names) - 1}. The names are: {names_of(names, 12)}."
    )


def _of_group(costs: Any, named: Callable[[Any], str], left_out: set[str]) -> Any:
    """What a group costs, with the columns by name."""
    if not isinstance(costs, Mapping):
        return costs
    by_name = {key if key == "shared" else named(key): cost for key, cost in costs.items()}
    return {name: cost for name, cost in by_name.items() if name not in left_out}


# ---- y and sample_weight -------------------------------------------------------------------------


def _one_column(values: Array) -> Array:
    if values.ndim == 2 and values.shape[1] > 1:
        raise DataError(
            f"y has {values.shape[1]} columns, and a tree predicts one target. Fit one tree for "
            "each, or wrap this one in sklearn.multioutput."
        )
    return np.ascontiguousarray(values if values.ndim == 1 else column_or_1d(values, warn=True))


def _classes(y: Any) -> tuple[Array, Array]:
    """The classes, sorted, and the code of every sample."""
    given = y
    if not isinstance(y, np.ndarray) and hasattr(y, "__array__"):
        given = np.asarray(y)  # whole numbers with room for missing cells stay whole
    labels = _one_column(check_array(given, ensure_2d=False, dtype=None, input_name="y"))
    if labels.dtype.kind == "U" and isinstance(y, list | tuple):
        _of_one_type(np.array(y, dtype=object).ravel())  # or 1 has become "1" by now
    if labels.dtype == object:
        labels = _of_one_type(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if labels.dtype.kind == "f" or len(classes) > len(labels) / 2:
        check_classification_targets(labels)  # it may have something to say: is this regression?
    return classes, codes.astype(np.int32)


def _of_one_type(labels: Array) -> Array:
    cells = labels.tolist()
    types = {type(cell) for cell in cells}
    texts = [kind for kind in types if issubclass(kind, str)]
    if len(texts) == len(types):
        return labels
    plain = np.array(cells) if not texts else labels
    if plain.dtype.kind not in "biuf":
        told = ", ".join(sorted(kind.__name__ for kind in types))
        raise DataError(
            f"Unknown label type: y holds labels of type {told}. Give every sample a label, all "
            "of one type: texts, whole numbers or truth values."
        )
    return plain


def _plain(classes: Array) -> tuple[Any, ...]:
    """The classes as the tree keeps them, as in bough.grow: whole floats are whole numbers."""
    if classes.dtype.kind == "f" and (classes == np.floor(classes)).all():
        return tuple(int(label) for label in classes)
    return tuple(classes.astype(str) if classes.dtype.kind == "M" else classes.tolist())


def _target_name(y: Any, taken: Sequence[str]) -> str:
    columns = getattr(y, "columns", None)
    given = columns[0] if columns is not None and len(columns) else getattr(y, "name", None)
    name = given if isinstance(given, str) and given else "y"
    while name in taken:
        name += "_"
    return name


def _weights(sample_weight: Any, n_samples: int) -> Array | None:
    if sample_weight is None:
        return None
    column = column_from("sample_weight", sample_weight)
    if column.levels is None and len(column.values) and not column.values.any():
        raise DataError(
            "sample_weight is zero for every sample, so there is nothing to learn from."
        )
    return weights_of(column, n_samples)


def _reweighted(weights: Array | None, more: Array) -> Array:
    product: Array = more if weights is None else weights * more
    if (product < 0).any() or not product.any():
        raise DataError(
            "class_weight leaves no sample with a weight above 0, or makes one negative: give "
            "each class a weight from 0 up, not all 0."
        )
    return product


def _checked_option(name: str, option: str, value: Any) -> Any:
    """The value, checked under the name the user knows; pruning is checked with its recipe."""
    if option == "prune":
        return value
    try:
        return check_options({option: value})[option]
    except OptionError as error:
        raise OptionError(str(error).replace(f"{option}=", f"{name}=", 1)) from None
