"""χ² pruning: splits that chance alone could have made are deleted, from the bottom up.

A node goes when its split's p value is above max_p and nothing below it stays. A node above
max_p that has a significant split below stays: it is redeemed (S3:399–427).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import measure
from bough.data.table import Array
from bough.errors import OptionError
from bough.prune.method import Job, Outcome, Verdict
from bough.prune.nested import Choice, along, choose, make_judges
from bough.prune.permutation import permutation_p
from bough.prune.record import counted, fewest_bottom_up, path_words
from bough.prune_options import GRID
from bough.tree import Tree

__all__ = ["run", "smallest_expected", "split_p_values"]

SMALL = 5.0
"""Below this smallest expected count the χ² distribution is a rough guide (Cochran 1954)."""


def run(job: Job) -> Outcome:
    tree = job.tree
    exact = job.options["p_value"] == "permutation"
    p = split_p_values(tree, exact)
    best, at = _smallest_below(tree, p)
    max_p, extra = _chosen(job, best, exact)
    significant = p <= max_p
    cut = np.flatnonzero(~tree.is_leaf & (best > max_p))
    redeemed = np.flatnonzero(~tree.is_leaf & ~significant & (best <= max_p))

    def verdict(node: int) -> Verdict:
        return f"p {p[node]:.4g} > {max_p:g}", {"p_value": float(p[node]), "max_p": max_p}

    extra |= {"max_p": max_p, "redeemed": _redeemed(tree, redeemed, p, at)}
    return Outcome(cut, verdict, extra=extra, doubts=_doubts(tree, exact))


# ---- p values ------------------------------------------------------------------------------------


def split_p_values(tree: Tree, exact: bool = False) -> Array:
    """float64 per node: its split's p value; NaN in leaves.

    The one stored in the tree; by permutation where it is asked for and counts are small.
    """
    p = tree.nodes.p_value.copy()
    inner = ~tree.is_leaf
    if exact:
        _need_counts(tree)
        for node in np.flatnonzero(inner & (smallest_expected(tree) < SMALL)).tolist():
            p[node] = permutation_p(tree.nodes.stats[list(tree.children(node))])
    for node in np.flatnonzero(inner & np.isnan(p)).tolist():  # trees from elsewhere
        p[node] = measure.chi_square(tree.nodes.stats[list(tree.children(node))]).p_value
    return p


def _need_counts(tree: Tree) -> None:
    if (tree.nodes.stats != np.floor(tree.nodes.stats)).any():
        raise OptionError(
            'p_value="permutation" deals out single rows, and the rows of this tree have weights, '
            'or shares of them, that are not whole numbers. Use p_value="chi2".'
        )


def smallest_expected(tree: Tree) -> Array:
    """float64 per node: the smallest expected count of its split's table; NaN in leaves."""
    nodes, inner = tree.nodes, np.flatnonzero(~tree.is_leaf)
    found = np.full(len(tree), np.nan)
    if len(inner):
        # All children stand in a row, in the order of their parents.
        weight = np.where(nodes.weight > 0, nodes.weight, np.inf)[1:]
        child = np.minimum.reduceat(weight, nodes.first_child[inner] - 1)
        stats = np.add.reduceat(nodes.stats[1:], nodes.first_child[inner] - 1)
        rarest = np.where(stats > 0, stats, np.inf).min(axis=1)
        found[inner] = child * rarest / stats.sum(axis=1)
    return found


def _smallest_below(tree: Tree, p: Array) -> tuple[Array, Array]:
    """Per node the smallest p value in its subtree (inf in leaves), and whose it is."""
    values = np.where(tree.is_leaf, np.inf, p).tolist()
    owner, parent = list(range(len(tree))), tree.nodes.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        above = parent[node]
        if values[node] <= values[above]:  # among equals the first
            values[above], owner[above] = values[node], owner[node]
    return np.array(values), np.array(owner)


# ---- max_p ---------------------------------------------------------------------------------------


def _chosen(job: Job, best: Array, exact: bool) -> tuple[float, dict[str, Any]]:
    """max_p as given, or the best on rows that were held out, the curve with it."""
    given = job.options["max_p"]
    if isinstance(given, float):
        return given, {}
    grid = sorted(given or GRID, reverse=True)
    job.need_table(
        "chi_square needs max_p=, or rows by which to choose it: held-out rows, or with folds= "
        "those the tree was grown from."
    )

    def cut_at(tree: Tree) -> Array:
        return -_smallest_below(tree, split_p_values(tree, exact))[0]

    judges = make_judges(job, cut_at, -best)
    # "p > max_p" is "−p < −max_p"; a step cuts what is at or before it
    steps = np.nextafter(-np.array(grid), -np.inf)
    choice = choose(judges, steps)
    leaves = along(job.tree, -best, steps, np.ones(len(job.tree)))
    return grid[choice.at], {"curve": _curve(job, grid, choice, leaves)}


def _curve(job: Job, grid: list[float], choice: Choice, leaves: Array) -> list[dict[str, Any]]:
    word = "held_out_error" if job.options["folds"] is None else "cross_validated_error"
    return [
        {"max_p": max_p, "leaves": int(count), word: float(error)}
        for max_p, count, error in zip(grid, leaves, choice.errors, strict=True)
    ]


# ---- what the reader should know -----------------------------------------------------------------


def _redeemed(tree: Tree, nodes: Array, p: Array, by: Array) -> list[dict[str, Any]]:
    return [
        {
            "node": node,
            "path": path_words(tree, node),
            "p_value": float(p[node]),
            "by": int(by[node]),
            "by_p_value": float(p[by[node]]),
        }
        for node in fewest_bottom_up(tree, nodes)
    ]


def _doubts(tree: Tree, exact: bool) -> list[dict[str, Any]]:
    if exact:
        return []
    expected = smallest_expected(tree)
    small = np.flatnonzero(expected < SMALL)
    if not len(small):
        return []
    text = (
        f"the χ² approximation is doubtful at {counted(len(small), 'split')} of "
        f"{int((~tree.is_leaf).sum()):,}: the smallest expected count is below {SMALL:g}; "
        'p_value="permutation" does without the approximation'
    )
    listed = sorted(fewest_bottom_up(tree, small))
    return [{"doubt": text, "nodes": listed, "smallest_expected": expected[listed].tolist()}]
