"""Bundles of options, all on the same folds: which grows the best trees from this table?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough import core
from bough.bundles import BASELINE, Bundle, gather, more_keywords
from bough.comparison import Comparison, Contender, CurvePoint, FoldResult, Measure
from bough.data.match import as_read
from bough.data.table import Array, Table
from bough.errors import BoughError, DataError
from bough.evaluate import evaluate_table, training
from bough.evaluation import ClassEvaluation, Evaluation
from bough.folds import check_seed, each_fold, fold_numbers, rows_that_count, shuffled, spread
from bough.growing import Progress
from bough.making import grow_from

__all__ = [
    "SHARES",
    "Comparison",
    "Contender",
    "Plan",
    "compare",
    "make_plan",
    "run",
    "summary",
]

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The learning curve grows from these shares of a fold's training rows."""


@dataclass(frozen=True)
class Plan:
    """What is to be run; `run` does it, contender by contender."""

    table: Table
    bundles: tuple[Bundle, ...]
    """The baseline is the first."""
    fold: Array
    seed: int
    shares: tuple[float, ...]
    costs: Array | None
    threads: int | None
    spread: float
    """Variance of a number target."""

    @property
    def steps(self) -> int:
        """Trees to grow."""
        return len(self.bundles) * (int(self.fold.max()) + 1) * len(self.shares)


def compare(
    data: Any,
    target: Any = None,
    *,
    recipes: Sequence[str] | None = None,
    bundles: Iterable[Bundle] | Mapping[str, Mapping[str, Any]] | None = None,
    folds: int = 10,
    seed: int = 0,
    learning_curve: bool = False,
    costs: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **read: Any,
) -> Comparison:
    """Cross-validate recipes and bundles on the same folds.

    data, target, read   as in bough.grow
    recipes         names; None: all that know the task; []: none
    bundles         {"small": {"recipe": "cart", "max_depth": 3}}
    learning_curve  also grow from shares of the rows
    costs           grow for, and judge by, the cost of mistakes: see bough.costs.cost_matrix
    """
    if isinstance(data, Table):
        table = as_read(data, target, read)
    else:
        from bough.data.read import read_table

        table = read_table(data, target=target, **read)
    plan = make_plan(
        table,
        recipes=recipes,
        bundles=bundles,
        folds=folds,
        seed=seed,
        learning_curve=learning_curve,
        costs=costs,
        threads=threads,
    )
    return summary(plan, list(run(plan, progress)))


def make_plan(
    table: Table,
    *,
    recipes: Sequence[str] | None = None,
    bundles: Iterable[Bundle] | Mapping[str, Mapping[str, Any]] | None = None,
    folds: int = 10,
    seed: int = 0,
    learning_curve: bool = False,
    costs: Any = None,
    threads: int | None = None,
) -> Plan:
    """Everything that can be wrong is found here, before the first tree."""
    if table.target is None:
        raise DataError("The table has no target, so there is nothing to learn from.")
    table = rows_that_count(table)  # the others make no fold smaller
    told = table.schema.target
    if costs is not None:
        from bough.costs import cost_matrix

        costs = cost_matrix(costs, told)
    assert table.target is not None
    return Plan(
        table=table,
        bundles=(BASELINE, *gather(told.task, recipes, bundles)),
        fold=fold_numbers(table, folds, seed),
        seed=check_seed(seed),
        shares=SHARES if learning_curve else SHARES[-1:],
        costs=costs,
        threads=threads,
        spread=_variance(table.target, table.weights) if told.task == "regression" else math.nan,
    )


def _variance(values: Array, weights: Array | None) -> float:
    middle = np.average(values, weights=weights)
    return float(np.average((values - middle) ** 2, weights=weights))


# ---- running -------------------------------------------------------------------------------------


def run(plan: Plan, progress: Progress | None = None) -> Iterator[Contender]:
    """The contenders as they finish, the baseline first: whoever stops has those before."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, plan.steps)

    codes = core.encode(plan.table, plan.threads)  # once for all trees
    for i, bundle in enumerate(plan.bundles):
        yield _contender(plan, bundle, codes, step)
        done = (i + 1) * plan.steps // len(plan.bundles)  # one that failed has left some out


def _contender(
    plan: Plan, bundle: Bundle, codes: core.Codes | None, step: Callable[[], None]
) -> Contender:
    plain = Contender(bundle.name, bundle.recipe, dict(bundle.options))
    try:
        by_share = _trees(plan, bundle, codes, step)
    except BoughError as error:
        return replace(plain, failed=str(error))
    except Exception as error:  # one that breaks must not take the results of the others along
        return replace(plain, failed=f"{type(error).__name__}: {error}")
    curve = () if len(by_share) == 1 else tuple(_point(folds) for folds in by_share.values())
    return replace(plain, **_pooled(plan, by_share[1.0]), curve=curve)


def _trees(
    plan: Plan, bundle: Bundle, codes: core.Codes | None, step: Callable[[], None]
) -> dict[float, list[FoldResult]]:
    """One tree per fold and share of its training rows; smaller shares are parts of larger ones."""
    found: dict[float, list[FoldResult]] = {share: [] for share in plan.shares}
    for fold, (learn, judged) in enumerate(each_fold(plan.fold)):
        order = shuffled(plan.table.n_rows, plan.seed + fold)  # one bad draw is not in all folds
        pool, test = spread(plan.table, order[learn[order]]), plan.table.take(judged)
        for share in plan.shares:
            rows = np.sort(pool[: max(1, round(share * len(pool)))])
            some = core.take_codes(codes, rows, plan.threads)
            found[share].append(_one_tree(plan, bundle, plan.table.take(rows), test, some))
            step()
    return found


def _one_tree(
    plan: Plan, bundle: Bundle, learn: Table, test: Table, codes: core.Codes | None
) -> FoldResult:
    options: Any = dict(bundle.options)
    if plan.threads is not None:
        options["threads"] = plan.threads
    if plan.costs is not None and "costs" in more_keywords():
        options.setdefault("costs", plan.costs)  # answer by what the answers will be judged by
    started = time.perf_counter()
    tree = grow_from(learn, recipe=bundle.recipe, codes=codes, **options)
    seconds = time.perf_counter() - started
    return FoldResult(
        rows=learn.n_rows,
        test=evaluate_table(tree, test, plan.threads, costs=plan.costs),
        training=training(tree, costs=plan.costs),
        leaves=tree.n_leaves,
        depth=tree.depth,
        seconds=seconds,
    )


# ---- the numbers ---------------------------------------------------------------------------------


def _pooled(plan: Plan, folds: list[FoldResult]) -> dict[str, Any]:
    tests = [fold.test for fold in folds]
    found: dict[str, Any] = {
        "error": _error(tests),
        "deviation": _deviation([_error([test]) for test in tests]),
        "training_error": _error([fold.training for fold in folds]),
        "leaves": float(np.mean([fold.leaves for fold in folds])),
        "depth": float(np.mean([fold.depth for fold in folds])),
        "seconds": float(np.mean([fold.seconds for fold in folds])),
        "unknown": float(sum(test.unknown for test in tests)),
        "folds": tuple(folds),
    }
    classes = [test for test in tests if isinstance(test, ClassEvaluation)]
    if not classes:
        r2 = 1.0 - found["error"] ** 2 / plan.spread if plan.spread > 0 else math.nan
        return {**found, "r2": r2}
    weights = [test.weight for test in classes]
    found["log_loss"] = _mean([test.log_loss for test in classes], weights)
    found["brier"] = _mean([test.brier for test in classes], weights)
    costs = [test.cost for test in classes if test.cost is not None]
    if costs:
        found |= {"cost": _mean(costs, weights), "cost_deviation": _deviation(costs)}
    return found


def _error(judged: Sequence[Evaluation]) -> float:
    """Over the rows of all folds together: of folds of one row, too, it is the error."""
    weights, errors = [], []
    for found in judged:
        if isinstance(found, ClassEvaluation):
            weights.append(found.weight)
            errors.append(found.error)
        elif not math.isnan(found.mean_squared_error):  # NaN: no row of this fold has an answer
            weights.append(found.weight)
            errors.append(found.mean_squared_error)
    mean = _mean(errors, weights)
    return mean if isinstance(judged[0], ClassEvaluation) else math.sqrt(mean)


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return float(np.average(values, weights=weights)) if values else math.nan


def _deviation(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1))


def _point(folds: list[FoldResult]) -> CurvePoint:
    return CurvePoint(
        rows=float(np.mean([fold.rows for fold in folds])),
        error=_error([fold.test for fold in folds]),
        deviation=_deviation([_error([fold.test]) for fold in folds]),
        training_error=_error([fold.training for fold in folds]),
        leaves=float(np.mean([fold.leaves for fold in folds])),
    )


def summary(plan: Plan, found: Sequence[Contender]) -> Comparison:
    """From what `run` has given so far: the baseline, and perhaps not all of the others."""
    told = plan.table.schema.target
    numbers: Measure = "root_mean_squared_error"
    measure: Measure = numbers if told.task == "regression" else "error"
    measure = "cost" if plan.costs is not None else measure
    best, simplest = _winners(found[1:], measure, folds := int(plan.fold.max()) + 1)
    return Comparison(
        target=told.name,
        task=told.task,
        rows=plan.table.n_rows,
        folds=folds,
        seed=plan.seed,
        measure=measure,
        contenders=tuple(found[1:]),
        baseline=found[0],
        best=best,
        simplest=simplest,
        complete=len(found) == len(plan.bundles),
    )


def _winners(
    found: Sequence[Contender], measure: Measure, folds: int
) -> tuple[str | None, str | None]:
    def result(contender: Contender) -> tuple[float, float]:
        if measure == "cost" and contender.cost is not None:
            return contender.cost, contender.cost_deviation or 0.0
        return contender.error, contender.deviation

    ran = [contender for contender in found if not math.isnan(result(contender)[0])]
    if not ran:
        return None, None
    best = min(ran, key=lambda one: (result(one)[0], one.leaves))
    least, deviation = result(best)
    near = [one for one in ran if result(one)[0] <= least + deviation / math.sqrt(folds)]
    return best.name, min(near, key=lambda one: (one.leaves, result(one)[0])).name
