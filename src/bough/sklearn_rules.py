"""scikit-learn's estimator for rule sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from bough.data.schema import Kind
from bough.data.table import Array, Table
from bough.errors import OptionError
from bough.rules.making import PRUNERS, rules_of
from bough.rules.ruleset import RuleSet
from bough.rules.scoring import first_fits
from bough.sklearn import TreeClassifier, _classes, _keep, _reweighted, _weights

__all__ = ["RuleClassifier"]


class RuleClassifier(TreeClassifier):
    """Rules from a decision tree: the first one that fits answers with a class.

    `rules_` is the RuleSet, with everything it can do; `tree_` the tree it comes from. What speaks
    of leaves and nodes (apply, decision_path, get_depth, feature_importances_) is about the tree.

    prune                "pessimistic": conditions go by C4.5's estimate on the samples; "holdout":
                         by the error on a part of the samples the tree is not grown from; None: the
                         rules answer exactly like the tree
    cf                   of the pessimistic estimate: a smaller one drops more
    validation_fraction  of the samples that are held out
    random_state         which ones

    The other parameters are those of TreeClassifier, costs aside.
    """

    rules_: RuleSet

    def __init__(
        self,
        *,
        prune: str | None = "pessimistic",
        cf: float = 0.25,
        validation_fraction: float = 0.25,
        random_state: Any = 0,
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
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        kinds: Mapping[str | int, Kind] | None = None,
        ordered: Mapping[str | int, Sequence[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        _keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, make its rules, prune them."""
        self._check_pruning()
        held_out = None
        weights = sample_weight
        if self.prune == "holdout":
            self._checked(X, reset=True, y=y)  # before anything is made of y
            held_out = self._held_out(y)
            given = _weights(sample_weight, len(held_out))
            # Samples of weight 0 are left out before anything else.
            weights = np.where(held_out, 0.0, 1.0 if given is None else given)
            self._check_parts(weights, given, held_out)
        super().fit(X, y, weights)
        table = self._scoring_table(X, y, sample_weight)
        if held_out is not None:
            table = table.take(held_out)
        self.rules_ = rules_of(
            self.tree_,
            table,
            prune=self.prune,
            cf=self.cf,
        )
        return self

    def predict(self, X: Any) -> Array:
        """The class of every sample; None where the rules do not know."""
        place = self._fires(X)
        answers = np.array([rule.answer for rule in (*self.rules_.rules, self.rules_.default)])
        labels = self.classes_
        if (answers[place] < 0).any():
            labels = np.array([*labels.tolist(), None], dtype=object)  # −1 is the last
        found: Array = labels[answers[place]]
        return found

    def predict_proba(self, X: Any) -> Array:
        """float64[samples, classes]: class shares of the samples behind the rule that answers."""
        place = self._fires(X)
        shares = [rule.shares for rule in (*self.rules_.rules, self.rules_.default)]
        found: Array = np.array(shares)[place]
        return found

    def _fires(self, X: Any) -> Array:
        check_is_fitted(self)
        return first_fits(self.rules_.rules, self._cells(X))

    def _said(self, name: str) -> Any:
        """`prune` is about the rules; the tree they are made from is not pruned."""
        return "none" if name == "prune" else super()._said(name)

    def _check_pruning(self) -> None:
        if self.prune is not None and self.prune not in PRUNERS:
            raise OptionError(
                f"prune={self.prune!r} is not allowed. Choose one of: {', '.join(PRUNERS)}; or "
                "None to keep every condition."
            )
        part = self.validation_fraction
        if isinstance(part, bool) or not isinstance(part, int | float) or not 0.0 < part < 1.0:
            raise OptionError(
                f"validation_fraction={part!r} is not allowed: give a number between 0 and 1."
            )

    def _held_out(self, y: Any) -> Array:
        """bool per sample: a share of every class, drawn at random."""
        _, codes = _classes(y)
        order = check_random_state(self.random_state).permutation(len(codes))
        held_out = np.zeros(len(codes), dtype=bool)
        for code in range(int(codes.max()) + 1 if len(codes) else 0):
            of_class = order[codes[order] == code]
            held_out[of_class[: round(self.validation_fraction * len(of_class))]] = True
        return held_out

    def _check_parts(self, weights: Array, given: Array | None, held_out: Array) -> None:
        kept = held_out if given is None else held_out & (given > 0)
        if not weights.any() or not kept.any():
            raise OptionError(
                f"validation_fraction={self.validation_fraction!r} of {len(held_out)} samples "
                "leaves no sample on one side. Give another share, more samples, or "
                'prune="pessimistic".'
            )

    def _scoring_table(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """The samples as the tree sees them, with their classes and weights."""
        _, codes = _classes(y)
        weights = _weights(sample_weight, len(codes))
        if self.class_weight is not None:
            of_class = compute_sample_weight(self.class_weight, self.classes_[codes])
            weights = _reweighted(weights, of_class)
        cells = self._cells(X)
        return Table(cells.schema, cells.cells, codes, weights)
