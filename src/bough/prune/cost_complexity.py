"""Cost-complexity pruning (Breiman et al. 1984): error + α · leaves, for every α at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bough.data.table import Array, Table
from bough.errors import OptionError
from bough.prune.losses import TOLERANCE, Losses, seen_in_training, tree_losses, weight_of
from bough.prune.method import Job, Outcome, Verdict
from bough.prune.nested import along, choose, make_judges
from bough.prune.record import earlier_records
from bough.prune.weakest import collapse_at, price_steps
from bough.tree import Tree

__all__ = ["alphas", "run", "tree_risk"]

NAME = "cost_complexity"


def tree_risk(tree: Tree, measure: str = "error") -> Losses:
    """What nodes lose in training, as a share of all weight."""
    nodes, seen = tree.nodes, seen_in_training(tree)
    if measure == "impurity":
        impurity = np.where(nodes.weight > 0, nodes.impurity, 0.0)
        losses = Losses(nodes.weight * impurity, weight_of(tree, seen.ending) * impurity)
    else:
        losses = tree_losses(tree, seen)
    return Losses(losses.as_leaf / nodes.weight[0], losses.ending / nodes.weight[0])


def alphas(tree: Tree, measure: str = "error") -> Array:
    """float64 per node: the α from which on the node is a leaf; −inf where it is one already."""
    return collapse_at(tree, tree_risk(tree, measure))


def run(job: Job) -> Outcome:
    tree, options = job.tree, job.options
    by_rows = options["alpha"] is None and options["leaves"] is None
    if options["measure"] == "impurity" and tree.costs is not None:
        raise OptionError(
            'measure="impurity" does not know the costs of mistakes. Use measure="error".'
        )
    extra: dict[str, Any] = {}
    if by_rows:
        table = job.need_table(
            "cost_complexity needs alpha=, leaves=, or rows by which to choose: held-out rows, or "
            "with folds= those the tree was grown from."
        )
        extra["rows_digest"] = _digest(table, tree.costs)
        if _done_before(job, extra["rows_digest"]):
            return Outcome.nothing_to_do()
    risk = tree_risk(tree, options["measure"])
    cut_at = collapse_at(tree, risk)
    steps = price_steps(tree, cut_at)
    path = _path(job, cut_at, steps, risk)
    if by_rows:
        at = _choose_by_rows(job, cut_at, steps, path, extra)
    else:
        at = _choose_by_number(options, steps, path, TOLERANCE * float(risk.as_leaf[0]))
    chosen = np.flatnonzero((cut_at <= steps[at]) & ~tree.is_leaf)
    extra |= {"alpha": float(steps[at]), "curve": path}
    return Outcome(chosen, _verdicts(risk.as_leaf, cut_at, float(steps[at])), extra=extra)


def _path(job: Job, cut_at: Array, steps: Array, risk: Losses) -> list[dict[str, Any]]:
    """Every tree on the path: α, leaves, what it loses on the rows it was grown from."""
    tree = job.tree
    leaves = along(tree, cut_at, steps, np.ones(len(tree)))
    error = tree_risk(tree)
    lost = np.maximum(along(tree, cut_at, steps, error.as_leaf, error.ending), 0.0)
    path: list[dict[str, Any]] = [
        {"alpha": float(alpha), "leaves": round(count), "training_error": float(loss)}
        for alpha, count, loss in zip(steps, leaves, lost, strict=True)
    ]
    if job.options["measure"] == "impurity":
        impurities = along(tree, cut_at, steps, risk.as_leaf, risk.ending)
        for point, impurity in zip(path, impurities, strict=True):
            point["impurity"] = float(impurity)
    return path


# ---- choosing ------------------------------------------------------------------------------------


def _choose_by_number(
    options: Mapping[str, Any], steps: Array, path: list[dict[str, Any]], tolerance: float
) -> int:
    if options["alpha"] is not None:
        return int(np.searchsorted(steps, options["alpha"] + tolerance, side="right")) - 1
    return next(i for i, point in enumerate(path) if point["leaves"] <= options["leaves"])


def _choose_by_rows(
    job: Job,
    cut_at: Array,
    steps: Array,
    path: list[dict[str, Any]],
    extra: dict[str, Any],
) -> int:
    """Marks every point of the path with its error on rows the trees were not grown from."""
    folds, rule = job.options["folds"], job.options["rule"]
    judges = make_judges(job, lambda tree: alphas(tree, job.options["measure"]), cut_at)
    choice = choose(judges, _asked(steps, folds), rule)
    word = "held_out_error" if folds is None else "cross_validated_error"
    for point, error in zip(path, choice.errors, strict=True):
        point[word] = float(error)
    extra["smallest_error"] = choice.smallest
    if rule == "one_se":
        extra["standard_error"] = choice.standard_error
    return choice.at


def _asked(steps: Array, folds: int | None) -> Array:
    """Trees of other rows have other α: each interval is asked at its geometric middle, the last,
    which has no end, where every tree is its root."""
    if folds is None:
        return steps
    following = steps[1:]
    return np.concatenate((np.sqrt(steps[:-1] * following), [np.finfo(float).max]))


def _digest(table: Table, costs: Array | None) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in (*table.cells, table.target, table.weights, costs):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _done_before(job: Job, digest: str) -> bool:
    """A choice looks at the whole path, of which a pruned tree has only the end: asked the same
    question of the same rows, it must not choose again."""
    last = next(iter(earlier_records(job.tree)), {})
    return (
        last.get("method") == NAME
        and dict(last.get("options", {})) == dict(job.options)
        and last.get("rows_digest") == digest
    )


def _verdicts(risk: Array, cut_at: Array, alpha: float) -> Callable[[int], Verdict]:
    def verdict(node: int) -> Verdict:
        price = float(cut_at[node])
        why = f"what is below wins {price:.6g} per leaf, not more than α = {alpha:.6g}"
        return why, {"alpha": price, "as_leaf": float(risk[node])}

    return verdict
