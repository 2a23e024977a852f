"""Which bundle should be the default? Cross-validates candidates over many data sets.

    python bench/default_recipe.py                     all of it; writes docs/default-recipe.md
    python bench/default_recipe.py iris glass          only these data sets; prints, writes nothing
    python bench/default_recipe.py --most 10000        only data sets of at most so many rows
    python bench/default_recipe.py --data FOLDER       data sets and index.json are elsewhere

A candidate is one line in CANDIDATES. One whose options or pruning method this version does not
have is left out with a message.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import bough
from bough.bundles import BASELINE
from bough.errors import BoughError, OptionError
from bough.evaluate import ClassEvaluation, evaluate_table
from bough.folds import each_fold, fold_numbers

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "default-recipe.md"
FOLDS = 5
FEWEST, MOST = 100, 55_000
"""Rows of a data set: below, chance decides; above, a run takes too long."""
SMALL, SMALL_SEEDS = 1_000, 3
"""Data sets of fewer rows are cut into folds this often, each time with another seed."""
TWINS = {
    "bank_additional": "bank_marketing",
    "covtype50k_onehot": "covtype50k",
    "cpu_with_vendor": "cpu",
    "monks1_test": "monks1_train",
    "monks2_test": "monks2_train",
    "monks3_test": "monks3_train",
    "pima_diabetes": "pima_diabetes_na",
}
"""The same data twice would count twice."""


@dataclass(frozen=True)
class Candidate:
    """Options on top of what the recipe `cart` grows; `prune`: the method and its options."""

    name: str
    options: Mapping[str, Any]
    prune: Mapping[str, Any] = field(default_factory=dict)
    only: str = ""
    """The task it is for; empty: both."""


CLASSES, NUMBERS = "classification", "regression"
LEAF_2, LEAF_5, LEAF_20 = ({"min_rows_leaf": rows} for rows in (2, 5, 20))
DEPTH_5 = {"max_depth": 5, "min_rows_leaf": 5}
ONE_SE = {"method": "cost_complexity", "folds": 10, "rule": "one_se"}
MINIMUM = {"method": "cost_complexity", "folds": 10, "rule": "minimum"}
CHI = {"method": "chi_square"}

CANDIDATES = (
    Candidate("no limit", {}),
    Candidate("depth 3", {"max_depth": 3}),
    Candidate("depth 5", {"max_depth": 5}),
    Candidate("depth 5, leaf 5", DEPTH_5),
    Candidate("depth 5, leaf 20", DEPTH_5 | LEAF_20),
    Candidate("depth 8, leaf 5", DEPTH_5 | {"max_depth": 8}),
    Candidate("leaf 5", LEAF_5),
    Candidate("leaf 20", LEAF_20),
    Candidate("leaf 1 %", {"min_rows_leaf": 0.01}),
    Candidate("12 leaves, leaf 5", LEAF_5 | {"max_leaves": 12}),
    Candidate("16 leaves, leaf 5", LEAF_5 | {"max_leaves": 16}),
    Candidate("24 leaves, leaf 5", LEAF_5 | {"max_leaves": 24}),
    Candidate("32 leaves, leaf 5", LEAF_5 | {"max_leaves": 32}),
    Candidate("drop 0.2 %, leaf 5", LEAF_5 | {"min_drop": 0.002}, only=CLASSES),
    Candidate("depth 5, leaf 5, short thresholds", DEPTH_5 | {"threshold": "short"}),
    Candidate("depth 5, leaf 5, missing own", DEPTH_5 | {"missing": "own"}),
    Candidate("depth 5, leaf 5, branches", DEPTH_5 | {"categories": "branches"}),
    Candidate("depth 5, leaf 5, entropy", DEPTH_5 | {"criterion": "entropy"}, only=CLASSES),
    Candidate("depth 5, leaf 5, gain ratio", DEPTH_5 | {"criterion": "gain_ratio"}, only=CLASSES),
    Candidate("depth 5, leaf 5, twoing", DEPTH_5 | {"criterion": "twoing"}, only=CLASSES),
    Candidate("depth 5, leaf 5, χ²", DEPTH_5 | {"criterion": "chi2"}, only=CLASSES),
    Candidate("one SE", {}, ONE_SE),
    Candidate("least error", {}, MINIMUM),
    Candidate("leaf 5, one SE", LEAF_5, ONE_SE),
    Candidate("leaf 5, least error", LEAF_5, MINIMUM),
    Candidate("depth 5, leaf 5, one SE", DEPTH_5, ONE_SE),
    Candidate("depth 5, leaf 5, least error", DEPTH_5, MINIMUM),
    Candidate("16 leaves, leaf 5, one SE", LEAF_5 | {"max_leaves": 16}, ONE_SE),
    Candidate("16 leaves, leaf 5, least error", LEAF_5 | {"max_leaves": 16}, MINIMUM),
    Candidate("32 leaves, leaf 5, one SE", LEAF_5 | {"max_leaves": 32}, ONE_SE),
    Candidate("32 leaves, leaf 5, least error", LEAF_5 | {"max_leaves": 32}, MINIMUM),
    Candidate("leaf 5, max_p 0.01", LEAF_5, CHI | {"max_p": 0.01}, only=CLASSES),
    Candidate("leaf 5, max_p 0.001", LEAF_5, CHI | {"max_p": 0.001}, only=CLASSES),
    Candidate("leaf 2, pessimistic", LEAF_2, {"method": "pessimistic"}, only=CLASSES),
    Candidate("leaf 5, pessimistic", LEAF_5, {"method": "pessimistic"}, only=CLASSES),
)


# ---- the data ------------------------------------------------------------------------------------


def chosen(index: Mapping[str, Any], named: Sequence[str], most: int) -> list[Mapping[str, Any]]:
    if named:
        return [index[name] for name in named]
    fits = [about for name, about in index.items() if name not in TWINS]
    return sorted((a for a in fits if FEWEST <= a["rows"] <= most), key=lambda a: a["rows"])


def read(folder: Path, about: Mapping[str, Any]) -> bough.Table:
    """With the kinds the index gives, so that no guess of the reader's plays a part."""
    kinds = {name: kind for name, kind in about["kinds"].items() if name != about["target"]}
    plain: Any = {"numeric": "number", "nominal": "category"}
    return bough.read_table(
        folder / about["file"],
        target=about["target"],
        task=about["task"],
        kinds={n: plain[k["kind"]] for n, k in kinds.items() if k["kind"] in plain},
        ordered={n: k["levels"] for n, k in kinds.items() if k["kind"] == "ordinal"},
        ignore=[n for n, k in kinds.items() if k["kind"] == "id"],
    )


# ---- the trial -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    error: float
    """Share of wrong answers, or mean squared error, of rows the trees had not seen."""
    leaves: float
    seconds: float


def grown(candidate: Candidate, table: bough.Table) -> bough.Tree:
    options: Any = {"missing": "learned", **candidate.options}
    return bough.grow(table, recipe="cart", prune=candidate.prune or None, **options)


def trial(candidate: Candidate, table: bough.Table) -> Score:
    errors, rows, leaves, seconds = [], [], [], []
    for seed in range(SMALL_SEEDS if table.n_rows < SMALL else 1):
        for learn, test in each_fold(fold_numbers(table, FOLDS, seed)):
            start = time.perf_counter()
            tree = grown(candidate, table.take(learn))
            seconds.append(time.perf_counter() - start)
            found = evaluate_table(tree, table.take(test))
            if isinstance(found, ClassEvaluation):
                errors.append(found.error)
            else:
                errors.append(found.mean_squared_error)
            rows.append(found.rows)
            leaves.append(tree.n_leaves)
    error = float(np.average(errors, weights=rows))
    return Score(error, float(np.mean(leaves)), float(np.mean(seconds)))


def able(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those this version can grow and prune, tried on a small table."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    found = []
    for candidate in candidates:
        y = x[:, 0] if candidate.only == NUMBERS else x[:, 0] + rng.normal(size=80) > 0
        try:
            grown(candidate, bough.read_table(x, target=y, task=candidate.only or CLASSES))  # type: ignore[arg-type]
        except (OptionError, ImportError, TypeError) as error:
            print(f"left out: {candidate.name}: {error}", flush=True)
        else:
            found.append(candidate)
    return found


Results = dict[str, dict[str, Score]]


def run(
    folder: Path, sets: Sequence[Mapping[str, Any]], candidates: Sequence[Candidate]
) -> Results:
    results: Results = {}
    for about in sets:
        start = time.perf_counter()
        name = about["name"]
        try:
            table = read(folder, about)
        except BoughError as error:
            print(f"{name}: left out: {error}", flush=True)
            continue
        fits = [c for c in candidates if c.only in ("", about["task"])]
        baseline = Candidate(BASELINE.name, {"max_depth": 0})
        results[name] = {c.name: trial(c, table) for c in [baseline, *fits]}
        took = time.perf_counter() - start
        best = min(results[name].items(), key=lambda item: item[1].error)[0]
        print(f"{name:24s} {table.n_rows:6d} rows {took:6.1f} s   best: {best}", flush=True)
    return results


# ---- the page ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One candidate over all data sets of a task."""

    name: str
    rank: float
    share: float
    over_best: float
    leaves: float
    most_leaves: float
    seconds: float


def lines(results: Results, names: Sequence[str]) -> list[Line]:
    sets = [scores for scores in results.values() if all(name in scores for name in names)]
    baseline = BASELINE.name
    ranks = np.array([ranked([scores[name].error for name in names]) for scores in sets])
    shares = np.array(
        [[scores[name].error / scores[baseline].error for name in names] for scores in sets]
    )
    leaves = np.array([[scores[name].leaves for name in names] for scores in sets])
    seconds = np.array([[scores[name].seconds for name in names] for scores in sets])
    over = shares - shares.min(axis=1, keepdims=True)
    columns = (
        ranks.mean(axis=0),
        shares.mean(axis=0),
        over.mean(axis=0),
        np.median(leaves, axis=0),
        np.quantile(leaves, 0.9, axis=0),
        seconds.mean(axis=0),
    )
    found = [Line(name, *(float(c[i]) for c in columns)) for i, name in enumerate(names)]
    return sorted(found, key=lambda line: line.share)


def ranked(errors: Sequence[float]) -> Any:
    """1 for the smallest; equal ones share the mean of their places."""
    values = np.array(errors)
    below = (values[:, None] > values[None, :]).sum(axis=1)
    same = (values[:, None] == values[None, :]).sum(axis=1)
    return below + (same + 1) / 2


def table_of(found: Sequence[Line]) -> str:
    head = (
        "| candidate | mean rank | error left | above the best | leaves (median) | leaves (90 %) "
        "| seconds |\n|---|--:|--:|--:|--:|--:|--:|\n"
    )
    return head + "\n".join(
        f"| {name_of(f, found)} | {f.rank:.1f} | {f.share:.1%} | {f.over_best:.1%} "
        f"| {f.leaves:.0f} | {f.most_leaves:.0f} | {f.seconds:.3f} |"
        for f in found
    )


def name_of(line: Line, found: Sequence[Line]) -> str:
    """Bold where no other is better in both, error and size."""
    beaten = any(f.share < line.share and f.most_leaves < line.most_leaves for f in found)
    return line.name if beaten else f"**{line.name}**"


def page(
    results: Results, most: int, tasks: Mapping[str, str], candidates: Sequence[Candidate]
) -> str:
    parts = []
    for task in (CLASSES, NUMBERS):
        some = {name: scores for name, scores in results.items() if tasks[name] == task}
        if not some:
            continue
        names = [c.name for c in candidates if c.only in ("", task)]
        parts.append(
            f"## {task.capitalize()}: {len(some)} data sets\n\n{table_of(lines(some, names))}\n\n"
            f"Data sets: {', '.join(some)}.\n"
        )
    command = "python bench/default_recipe.py" + ("" if most == MOST else f" --most {most}")
    return INTRODUCTION.format(command=command, most=most) + "\n" + "\n".join(parts)


INTRODUCTION = """# Which recipe should be the default

Made by `{command}`, with the data sets in
`../shared/data`; do not edit it by hand. What follows from it for the recipe `default` is said
in [recipes.md](recipes.md).

A candidate is the recipe `cart` without its surrogates and its pruning, with the options its name
says: *leaf 5* is `min_rows_leaf=5`.
*One SE* and *least error* is cost-complexity pruning chosen by 10-fold cross-validation within
the training rows; *max_p* is χ² pruning. Judged by 5-fold cross-validation (three
times, with other folds, below 1,000 rows), all candidates on the same folds.

* **mean rank**: 1 is the smallest error on a data set; averaged over data sets.
* **error left**: the error (numbers: mean squared error) as a share of the baseline's, which asks
  nothing; averaged over data sets.
* **above the best**: the same, less that of the best candidate of each data set.
* **leaves**: what there is to read; the median over data sets, and what nine in ten do not exceed.
* **seconds**: to grow one tree, pruning included.

**Bold**: no other candidate has both less error left and fewer leaves (90 %).

Data sets of fewer than 100 or more than {most:,} rows and twins of others are left out.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="data sets; all by default")
    parser.add_argument("--most", type=int, default=MOST, help="rows of the largest data set")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of index.json")
    given = parser.parse_args()
    try:
        index = json.loads((given.data / "index.json").read_text())
    except FileNotFoundError:
        print(f"skipped: there are no data sets in {given.data}; --data FOLDER says where they are")
        return
    candidates = able(CANDIDATES)
    sets = chosen(index, given.names, given.most)
    start = time.perf_counter()
    results = run(given.data, sets, candidates)
    text = page(results, given.most, {about["name"]: about["task"] for about in sets}, candidates)
    print(f"\n{text}\n{math.ceil(time.perf_counter() - start)} s")
    if not given.names:
        PAGE.write_text(text)
        print(f"wrote docs/{PAGE.name}")


if __name__ == "__main__":
    main()
