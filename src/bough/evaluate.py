"""Tree + rows with known answers → how good the answers are.

Judged by given rows, or by what the tree's stats keep of the rows it was grown from. Each number is
defined in docs/evaluation.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough import scores
from bough.asking import asking_cost, mean_asking_cost
from bough.data.match import fit_table, refuse_reading
from bough.data.table import Array, Table
from bough.errors import DataError
from bough.evaluation import ClassEvaluation, ClassScore, Evaluation, NumberEvaluation
from bough.predict import apply_table, needed_columns, predict, predict_proba
from bough.prices import TestCosts
from bough.prices import test_costs as read_test_costs
from bough.tree import Tree

__all__ = [
    "ClassEvaluation",
    "ClassScore",
    "Evaluation",
    "NumberEvaluation",
    "evaluate",
    "evaluate_table",
    "training",
]


@dataclass(frozen=True)
class _How:
    """How to judge: the cost matrix, the prices of questions, the confidence of intervals."""

    costs: Array | None
    prices: TestCosts | None
    confidence: float


def evaluate(
    tree: Tree,
    data: Any,
    *,
    costs: Any = None,
    test_costs: Any = None,
    confidence: float = 0.95,
    threads: int | None = None,
    **read: Any,
) -> Evaluation:
    """Compare the tree's answers with the target column of the data.

    costs       what mistakes cost: see bough.costs.cost_matrix
    test_costs  what asking for a column costs: see bough.prices.test_costs
    confidence  of the interval around the error
    """
    if isinstance(data, Table):
        refuse_reading(read)
    else:
        from bough.data.read import read_cells

        needed = needed_columns(tree)
        data = read_cells(data, tree.schema, need_target=True, needed=needed, **read)
    return evaluate_table(
        tree, data, threads, costs=costs, test_costs=test_costs, confidence=confidence
    )


def evaluate_table(
    tree: Tree,
    table: Table,
    threads: int | None = None,
    *,
    costs: Any = None,
    test_costs: Any = None,
    confidence: float = 0.95,
) -> Evaluation:
    """`evaluate` for a Table with the tree's columns, perhaps among others, and its target."""
    if table.target is None:
        raise DataError("The rows have no target, so there is nothing to compare answers with.")
    if table.n_rows == 0 or (table.weights is not None and not table.weights.any()):
        raise DataError("There are no rows that count, so there is nothing to judge by.")
    how = _how(tree, costs, test_costs, confidence)
    table = fit_table(table, tree.schema)
    node = apply_table(tree, table, threads)
    asking = None if how.prices is None else mean_asking_cost(tree, table, node, how.prices)
    if tree.schema.target.task == "regression":
        return replace(_numbers(tree, table, node, how), asking_cost=asking)
    groups = _by_row(tree, table) if _shares_rows_out(tree) else _by_node(tree, table, node)
    n = scores.effective_rows(table.weights, table.n_rows)
    return replace(_classes(tree, groups, table.n_rows, n, how), asking_cost=asking)


def training(
    tree: Tree, *, costs: Any = None, test_costs: Any = None, confidence: float = 0.95
) -> Evaluation:
    """How the tree answers the rows it was grown from, by the stats it keeps of them."""
    how = _how(tree, costs, test_costs, confidence)
    ending = np.flatnonzero(_rows_ending(tree) > 0)
    asking = asking_cost(tree, how.prices)
    if tree.schema.target.task == "regression":
        return replace(_numbers_of_stats(tree, ending), asking_cost=asking)
    stats = tree.nodes.stats
    below = np.zeros_like(stats)
    np.add.at(below, tree.nodes.parent[1:], stats[1:])
    held = np.maximum(stats[ending] - below[ending], 0.0)
    groups = _Groups(tree.answers[ending], tree.shares[ending], held)
    rows = int(tree.nodes.rows[0])
    return replace(_classes(tree, groups, rows, float(rows), how), asking_cost=asking)


def _how(tree: Tree, costs: Any, prices: Any, confidence: float) -> _How:
    from bough.costs import cost_matrix

    costs = tree.costs if costs is None else cost_matrix(costs, tree.schema.target)
    prices = tree.test_costs if prices is None else read_test_costs(prices, tree.schema)
    return _How(costs, prices, scores.check_confidence(confidence))


def _rows_ending(tree: Tree) -> Array:
    """Training rows whose path ends at each node: those of leaves, and of inner nodes where rows
    with a missing cell stop."""
    parent, rows = tree.nodes.parent, tree.nodes.rows
    below = np.zeros(len(tree), dtype=np.int64)
    np.add.at(below, parent[1:], rows[1:])
    ending: Array = rows - below
    return ending


# ---- classes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Groups:
    """Rows that get the same answer and the same shares: those of a node, or each of its own."""

    answer: Array
    share: Array
    held: Array
    """float64[groups, classes]: their weight, by actual class."""


def _shares_rows_out(tree: Tree) -> bool:
    """Whether a row may go down several branches, so that no one node has its answer."""
    return bool((tree.nodes.missing_to[~tree.is_leaf] == -1).any())


def _by_node(tree: Tree, table: Table, node: Array) -> _Groups:
    assert table.target is not None
    k = len(tree.schema.target.classes)
    reached, place = np.unique(node, return_inverse=True)
    cells = place * k + table.target
    held = np.bincount(cells, weights=table.weights, minlength=len(reached) * k).reshape(-1, k)
    return _Groups(tree.answers[reached], tree.shares[reached], held.astype(np.float64))


def _by_row(tree: Tree, table: Table) -> _Groups:
    assert table.target is not None
    classes = tree.schema.target.classes
    codes = {name: code for code, name in enumerate(classes)}
    answer = np.array([codes.get(label, -1) for label in predict(tree, table).tolist()])
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    held = np.eye(len(classes))[table.target] * weights[:, None]
    return _Groups(answer, predict_proba(tree, table), held)


def _classes(tree: Tree, groups: _Groups, rows: int, n: float, how: _How) -> ClassEvaluation:
    held, k = groups.held, groups.held.shape[1]
    # Not to know is to find all classes equally likely: so no score rewards it.
    share = np.where(np.isnan(groups.share), 1.0 / k, groups.share)
    confusion = scores.confusion_of(groups.answer, held)
    baseline = scores.confusion_of(tree.answers[:1], held.sum(axis=0, keepdims=True))
    error = _error(confusion)
    return ClassEvaluation(
        rows=rows,
        weight=float(held.sum()),
        error=error,
        interval=scores.wilson(error, n, how.confidence),
        baseline_error=_error(baseline),
        classes=tree.schema.target.classes,
        confusion=confusion,
        per_class=_per_class(tree.schema.target.classes, confusion),
        log_loss=scores.log_loss(share, held),
        impossible=float(held[share == 0.0].sum()),
        brier=scores.brier(share, held),
        auc=scores.auc(share[:, 1], held) if k == 2 else math.nan,
        cost=_cost(how.costs, confusion),
        baseline_cost=_cost(how.costs, baseline),
    )


def _error(confusion: Array) -> float:
    wrong = confusion.copy()
    np.fill_diagonal(wrong, 0.0)
    return float(wrong.sum() / confusion.sum())


def _per_class(classes: tuple[Any, ...], confusion: Array) -> tuple[ClassScore, ...]:
    right = np.diag(confusion[:, :-1])
    support, answered = confusion.sum(axis=1), confusion[:, :-1].sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 is NaN: not defined
        precision, recall = right / answered, right / support
        f1 = 2.0 * right / (answered + support)
    columns = (precision, recall, f1, support, answered)
    per_class = zip(classes, *(column.tolist() for column in columns), strict=True)
    return tuple(ClassScore(*values) for values in per_class)


def _cost(costs: Array | None, confusion: Array) -> float | None:
    if costs is None:
        return None
    with_unknown = np.column_stack([costs, costs.max(axis=1)])
    return float((confusion * with_unknown).sum() / confusion.sum())


# ---- numbers -------------------------------------------------------------------------------------


def _numbers(tree: Tree, table: Table, node: Array, how: _How) -> NumberEvaluation:
    assert table.target is not None
    answers = predict(tree, table) if _shares_rows_out(tree) else tree.answers[node]
    known = ~np.isnan(answers)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    y, w = table.target[known], weights[known]
    gap = y - answers[known]
    squared = scores.mean_with(gap**2, w)
    spread = scores.mean_with((y - scores.mean_with(y, w)) ** 2, w)
    counted = None if table.weights is None else w
    return NumberEvaluation(
        rows=table.n_rows,
        weight=float(weights.sum()),
        mean_squared_error=squared,
        interval=scores.mean_interval(gap**2, counted, how.confidence, least=0.0),
        mean_absolute_error=scores.mean_with(np.abs(gap), w),
        r2=1.0 - squared / spread if spread > 0 else math.nan,
        baseline_mean_squared_error=scores.mean_with((y - tree.answers[0]) ** 2, w),
        unknown=int((~known).sum()),
    )


def _numbers_of_stats(tree: Tree, ending: Array) -> NumberEvaluation:
    nodes = tree.nodes
    weight, mean, spread = (nodes.stats[:, i] for i in range(3))

    def squares(about: Array) -> Array:
        """Per node: the sum of squares about an answer."""
        found: Array = np.where(weight > 0, spread + weight * (mean - about) ** 2, 0.0)
        return found

    below = np.zeros(len(nodes))
    np.add.at(below, nodes.parent[1:], squares(tree.answers[nodes.parent])[1:])
    own = np.maximum(squares(tree.answers) - below, 0.0)
    total = float(own[ending].sum())
    return NumberEvaluation(
        rows=int(nodes.rows[0]),
        weight=float(weight[0]),
        mean_squared_error=total / float(weight[0]),
        interval=None,
        mean_absolute_error=math.nan,
        r2=1.0 - total / float(spread[0]) if spread[0] > 0 else math.nan,
        baseline_mean_squared_error=float(squares(tree.answers)[0] / weight[0]),
        unknown=0,
    )
