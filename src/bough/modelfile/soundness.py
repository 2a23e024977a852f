"""What makes a tree sound: the same for one to be written and one just read."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from bough.data.schema import Kind, Schema
from bough.data.table import Array
from bough.modelfile.fault import Fault, quote, safe
from bough.prices import TestCosts
from bough.splits import STAYS
from bough.tree import (
    BRANCHES,
    LEAF,
    SPLIT_KINDS,
    SUBSET,
    THRESHOLD,
    Nodes,
    RunnersUp,
    Surrogates,
    Tree,
)

__all__ = [
    "BY_STATS",
    "DTYPES",
    "MOST_CHILDREN",
    "NO_NODES",
    "RUNNERS_UP_DTYPES",
    "SURROGATES_DTYPES",
    "check",
    "family",
]

MOST_CHILDREN = 2**15 - 1
"""The number of a child within its node is an int16."""
TOLERANCE = 1e-6
"""How far, relatively, stats may be from the weight: sums in another order round differently."""
BY_STATS = -2
"""In set_answers: the stats of the node decide."""
NO_NODES = "it has no nodes; a tree has at least a root"

DTYPES: dict[str, str] = {
    name: dtype
    for dtype, names in {
        "uint8": "split_kind",
        "int16": "level_child unseen_to missing_to",
        "int32": "first_child n_children parent column levels",
        "int64": "levels_at missing_rows rows",
        "float64": "threshold weight stats impurity gain p_value",
    }.items()
    for name in names.split()
}
RUNNERS_UP_DTYPES = {"at": "int64", "column": "int32", "gain": "float64", "threshold": "float64"}
SURROGATES_DTYPES = {
    "at": "int64",
    "column": "int32",
    "threshold": "float64",
    "flipped": "uint8",
    "agreement": "float64",
    "levels_at": "int64",
    "levels": "int32",
    "level_child": "int16",
}
IN_A_LEAF = {
    "n_children": 0,
    "column": -1,
    "missing_to": -1,
    "unseen_to": -1,
    "missing_rows": 0,
    "gain": 0,
}


def check(tree: Tree) -> None:
    """Raise a Fault unless every array of the tree says something possible."""
    schema, nodes = tree.schema, tree.nodes
    with np.errstate(all="ignore"):  # sums of absurd numbers are found out, not warned about
        _check_arrays(nodes, schema)
        _check_family(nodes)
        _check_splits(nodes, schema)
        _check_thresholds(nodes, schema)
        _check_levels(nodes, schema)
        _check_numbers(nodes, schema)
        if tree.runners_up is not None:
            _check_runners_up(tree.runners_up, len(nodes), schema)
        if tree.surrogates is not None:
            _check_surrogates(tree.surrogates, nodes, schema)
        if tree.set_answers is not None:
            _check_set_answers(tree.set_answers, len(nodes), schema)
        if tree.costs is not None:
            _check_costs(tree.costs, schema)
        if tree.test_costs is not None:
            _check_test_costs(tree.test_costs, len(schema.columns))
    _check_fills(tree.fills, schema)


def family(n_children: Array) -> dict[str, Array]:
    """first_child and parent of nodes numbered level by level: the counts say it all."""
    last = np.cumsum(n_children, dtype=np.int64)
    first = np.where(n_children > 0, 1 + last - n_children, -1).astype(np.int32)
    ids = np.arange(len(n_children), dtype=np.int32)
    parent = np.concatenate((np.array([-1], np.int32), np.repeat(ids, n_children)))
    return {"first_child": first, "parent": parent}


# ---- helpers -------------------------------------------------------------------------------------


def _refuse(wrong: Array, text: str, *shown: Array, ids: Array | None = None) -> None:
    """A Fault for the first node that is wrong; {} in the text stand for what is there."""
    if wrong.any():
        i = int(wrong.argmax())
        there = text.format(*(" ".join(str(array[i])[:200].split()) for array in shown))
        raise Fault(f"node {i if ids is None else ids[i]}: {there}")


def _check_array(array: Array, name: str, dtype: str, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise Fault(f"{name} is {array.dtype}{[*array.shape]}; it must be {dtype}{[*shape]}")


def _check_offsets(offsets: Array, name: str, total: int) -> None:
    if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
        raise Fault(f"{name} must rise from 0 to {total}")


def _of_kind(kind: Kind, column: Array, schema: Schema) -> Array:
    """Where the column asked is of this kind."""
    return np.array([c.kind == kind for c in schema.columns], bool)[column]


def _n_levels(column: Array, schema: Schema) -> Array:
    return np.array([len(c.levels) for c in schema.columns], np.int64)[column]


def _possible(at: Array, column: Array, schema: Schema) -> Array:
    """Whether a threshold can be asked of its column: a number, or the code of a level."""
    is_code = (at >= 0) & (at < _n_levels(column, schema)) & (at == np.floor(at))
    by_order = _of_kind("ordered", column, schema)
    possible: Array = (at == math.inf) | np.where(by_order, is_code, np.isfinite(at))
    return possible


# ---- the shape -----------------------------------------------------------------------------------


def _check_arrays(nodes: Nodes, schema: Schema) -> None:
    n, seen = len(nodes), len(nodes.levels)
    if n == 0:
        raise Fault(NO_NODES)
    shapes = {
        "stats": (n, len(schema.target.classes) or 3),
        "levels_at": (n + 1,),
        "levels": (seen,),
        "level_child": (seen,),
    }
    for name, dtype in DTYPES.items():
        _check_array(getattr(nodes, name), name, dtype, shapes.get(name, (n,)))
    _check_offsets(nodes.levels_at, "levels_at", seen)


def _check_family(nodes: Nodes) -> None:
    n = nodes.n_children
    _refuse((n < 0) | (n > MOST_CHILDREN), "it has {} children", n)
    children = int(n.sum(dtype=np.int64))
    if children + 1 != len(nodes):
        raise Fault(f"there are {len(nodes)} nodes, {children} of them children; only one has none")
    for name, due in family(n).items():
        array = getattr(nodes, name)
        text = f"{name} is {{}}, and in a tree numbered level by level it is {{}}"
        _refuse(array != due, text, array, due)
    # Children after their parents: only so does every path end, at a leaf or at the root.
    early = (n > 0) & (nodes.first_child <= np.arange(len(nodes)))
    _refuse(early, "its first child is {}, which does not come after it", nodes.first_child)


# ---- splits --------------------------------------------------------------------------------------


def _check_splits(nodes: Nodes, schema: Schema) -> None:
    kind = nodes.split_kind
    _refuse(~np.isin(kind, [*SPLIT_KINDS]), "there is no split kind {}", kind)
    for name, value in IN_A_LEAF.items():
        array = getattr(nodes, name)
        wrong = (kind == LEAF) & (array != value)
        _refuse(wrong, f"{name} is {{}}; in a leaf it is {value}", array)
    ids = np.flatnonzero(kind != LEAF)
    arrays = (kind, nodes.n_children, nodes.column, nodes.missing_to, nodes.unseen_to)
    kind, n, column, to, unseen = (array[ids] for array in arrays)
    columns = len(schema.columns)
    _refuse((column < 0) | (column >= columns), f"column {{}} of {columns}", column, ids=ids)
    fits = (
        "a threshold needs a number or ordered column, a subset a category, branches a category "
        "or ordered column; column {} is not that"
    )
    stretches = (kind == BRANCHES) & _of_kind("ordered", column, schema)
    wrong = ((kind == THRESHOLD) == _of_kind("category", column, schema)) & ~stretches
    _refuse(wrong, fits, column, ids=ids)
    most = np.array([0, 3, 2, MOST_CHILDREN])[kind]
    _refuse((n < 2) | (n > most), "{} children, and this kind has 2 to {}", n, most, ids=ids)
    _refuse((to < STAYS) | (to >= n), "missing_to is {}; there are {} children", to, n, ids=ids)
    lost = (unseen < -1) | (unseen >= np.where(kind == THRESHOLD, 0, n))
    _refuse(lost, "unseen_to is {}; there are {} children", unseen, n, ids=ids)
    third = (kind == THRESHOLD) & (n == 3) & (to != 2)
    _refuse(third, "missing_to is {}; a third child is for missing cells", to, ids=ids)


def _check_thresholds(nodes: Nodes, schema: Schema) -> None:
    idle = (nodes.split_kind != THRESHOLD) & ~np.isnan(nodes.threshold)
    _refuse(idle, "the threshold is {}, and the node asks for none", nodes.threshold)
    ids = np.flatnonzero(nodes.split_kind == THRESHOLD)
    at, column = nodes.threshold[ids], nodes.column[ids]
    _refuse(~_possible(at, column, schema), "the threshold is {}", at, ids=ids)
    two_ways = (nodes.n_children[ids] == 2) & (nodes.missing_to[ids] == 1)
    wrong = (at == math.inf) & ~two_ways
    _refuse(wrong, 'a threshold of "inf" has two children: 0 known, 1 missing', ids=ids)


def _check_levels(nodes: Nodes, schema: Schema) -> None:
    by_level = (nodes.split_kind == SUBSET) | (nodes.split_kind == BRANCHES)
    counts = np.diff(nodes.levels_at)
    _refuse(by_level != (counts > 0), "it lists {} levels", counts)
    owner = np.repeat(np.arange(len(nodes)), counts)
    n_levels, n_children = _n_levels(nodes.column[owner], schema), nodes.n_children[owner]
    _check_listed(nodes.levels, nodes.level_child, n_levels, n_children, owner, owner)


def _check_listed(
    code: Array, child: Array, n_levels: Array, n_children: Array, owner: Array, ids: Array
) -> None:
    """Levels and their children, those of one owner after those of another; ids: the node."""
    _refuse((code < 0) | (code >= n_levels), "level {} of {}", code, n_levels, ids=ids)
    astray = (child < 0) | (child >= n_children)
    _refuse(astray, "level {} goes to child {}, which is not there", code, child, ids=ids)
    falls = (np.diff(code) <= 0) & (np.diff(owner) == 0)
    _refuse(falls, "level {} is listed twice, or out of order", code[1:], ids=ids[1:])


# ---- numbers -------------------------------------------------------------------------------------


def _check_numbers(nodes: Nodes, schema: Schema) -> None:
    rows, weight, stats, p = nodes.rows, nodes.weight, nodes.stats, nodes.p_value
    _refuse(rows < 0, "{} rows", rows)
    few = (nodes.missing_rows < 0) | (nodes.missing_rows > rows)
    _refuse(few, "missing_rows is {}, of {} rows", nodes.missing_rows, rows)
    _refuse(~((weight >= 0) & np.isfinite(weight)), "the weight is {}", weight)
    if not weight[0] > 0:
        raise Fault("node 0: the weight is 0, so the tree has no answer")
    least = np.zeros(stats.shape[1])
    if schema.target.task == "regression":
        least[1] = -math.inf  # the mean
    fine = np.isfinite(stats) & (stats >= least)
    _refuse(np.asarray(~fine.all(axis=1)), "the stats are {}", stats)
    total = stats[:, 0] if schema.target.task == "regression" else stats.sum(axis=1)
    off: Array = ~(np.abs(total - weight) <= TOLERANCE * weight)
    _refuse(off, "the stats hold a weight of {}, and the weight is {}", total, weight)
    _refuse(np.isinf(nodes.impurity), "the impurity is {}", nodes.impurity)
    _refuse(~np.isfinite(nodes.gain), "the gain is {}", nodes.gain)
    _refuse((p < 0) | (p > 1), "the p_value is {}, outside 0 to 1", p)


def _check_runners_up(runners: RunnersUp, n: int, schema: Schema) -> None:
    kept = len(runners.column)
    for name, dtype in RUNNERS_UP_DTYPES.items():
        shape = (n + 1,) if name == "at" else (kept,)
        _check_array(getattr(runners, name), f"runners_up.{name}", dtype, shape)
    _check_offsets(runners.at, "runners_up.at", kept)
    ids = np.repeat(np.arange(n), np.diff(runners.at))
    column, at = runners.column, runners.threshold
    lost: Array = (column < 0) | (column >= len(schema.columns))
    _refuse(lost, "a runner-up asks column {}, which is not there", column, ids=ids)
    asks_nothing = _of_kind("category", column, schema)
    asks_nothing |= _of_kind("ordered", column, schema) & np.isnan(at)  # parted in branches
    unfit: Array = np.where(asks_nothing, ~np.isnan(at), ~_possible(at, column, schema))
    _refuse(unfit, "the threshold of a runner-up is {}", at, ids=ids)
    _refuse(~np.isfinite(runners.gain), "the gain of a runner-up is {}", runners.gain, ids=ids)


# ---- what stands in for missing cells ------------------------------------------------------------


def _check_surrogates(kept: Surrogates, nodes: Nodes, schema: Schema) -> None:
    n, m, listed = len(nodes), len(kept.column), len(kept.levels)
    shapes = {"at": (n + 1,), "levels_at": (m + 1,), "levels": (listed,), "level_child": (listed,)}
    for name, dtype in SURROGATES_DTYPES.items():
        _check_array(getattr(kept, name), f"surrogates.{name}", dtype, shapes.get(name, (m,)))
    _check_offsets(kept.at, "surrogates.at", m)
    _check_offsets(kept.levels_at, "surrogates.levels_at", listed)
    ids = np.repeat(np.arange(n), np.diff(kept.at))
    children, column = nodes.n_children[ids], kept.column
    text = "it has surrogates and {} children; surrogates stand in for splits with two"
    _refuse(children != 2, text, children, ids=ids)
    lost: Array = (column < 0) | (column >= len(schema.columns))
    _refuse(lost, "a surrogate asks column {}, which is not there", column, ids=ids)
    own = column == nodes.column[ids]
    _refuse(own, "a surrogate asks column {}, as the split does itself", column, ids=ids)
    share = kept.agreement
    outside: Array = ~((share >= 0) & (share <= 1))
    _refuse(outside, "the agreement of a surrogate is {}, outside 0 to 1", share, ids=ids)
    _check_surrogate_questions(kept, ids, schema)


def _check_surrogate_questions(kept: Surrogates, ids: Array, schema: Schema) -> None:
    by_level = _of_kind("category", kept.column, schema)
    at, flipped, counts = kept.threshold, kept.flipped, np.diff(kept.levels_at)
    asks = _possible(at, kept.column, schema) & np.isfinite(at)
    unfit: Array = np.where(by_level, ~np.isnan(at), ~asks)
    _refuse(unfit, "the threshold of a surrogate is {}", at, ids=ids)
    wrong: Array = flipped > np.where(by_level, 0, 1)
    _refuse(wrong, "flipped is {} in a surrogate; by level it is 0, else 0 or 1", flipped, ids=ids)
    _refuse(by_level != (counts > 0), "a surrogate lists {} levels", counts, ids=ids)
    owner = np.repeat(np.arange(len(ids)), counts)
    n_levels = _n_levels(kept.column[owner], schema)
    two = np.full(len(owner), 2)
    _check_listed(kept.levels, kept.level_child, n_levels, two, owner, ids[owner])


def _check_fills(fills: Mapping[str, float | str], schema: Schema) -> None:
    for name, value in fills.items():
        if name not in schema.index:
            raise Fault(f"fills: the schema has no column {quote(str(name))}")
        column = schema.columns[schema.index[name]]
        if column.kind == "number":
            fine = not isinstance(value, bool | str) and math.isfinite(value)
            due = "a finite number"
        else:
            fine = isinstance(value, str) and value in column.codes
            due = "one of its levels"
        if not fine:
            raise Fault(
                f"fills: {safe(repr(value))} for the column {quote(name)}; it must be {due}"
            )


# ---- answers -------------------------------------------------------------------------------------


def _check_set_answers(answers: Array, n: int, schema: Schema) -> None:
    regression, k = schema.target.task == "regression", len(schema.target.classes)
    _check_array(answers, "set_answers", "float64" if regression else "int32", (n,))
    if regression:
        _refuse(np.isinf(answers), "its answer is {}", answers)
    else:
        lost: Array = (answers != BY_STATS) & ((answers < 0) | (answers >= k))
        _refuse(lost, f"its answer is class {{}} of {k}", answers)


def _check_costs(costs: Array, schema: Schema) -> None:
    k = len(schema.target.classes)
    if k == 0:
        raise Fault("costs are for classes, and the target is a number")
    _check_array(costs, "costs", "float64", (k, k))
    wrong: Array = ~(np.isfinite(costs) & (costs >= 0))
    wrong |= np.eye(k, dtype=bool) & (costs != 0)
    if wrong.any():
        i, j = (int(place) for place in np.argwhere(wrong)[0])
        due = "the right answer costs 0" if i == j else "a cost is a finite number from 0 up"
        raise Fault(f"costs: {costs[i, j]} in row {i}, column {j}; {due}")


def _check_test_costs(costs: TestCosts, columns: int) -> None:
    groups = len(costs.group_cost)
    _check_array(costs.cost, "test_costs.cost", "float64", (columns,))
    _check_array(costs.group, "test_costs.group", "int32", (columns,))
    _check_array(costs.group_cost, "test_costs.group_cost", "float64", (groups,))
    if ((costs.group < -1) | (costs.group >= groups)).any():
        raise Fault(f"test_costs have a column in a group that is none of the {groups}")
    amounts = np.concatenate((costs.cost, costs.group_cost))
    wrong = amounts[~(np.isfinite(amounts) & (amounts >= 0))]
    if len(wrong):
        raise Fault(f"test_costs: {wrong[0]}; a cost is a finite number from 0 up")
