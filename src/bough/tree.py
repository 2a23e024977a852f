"""The finished tree: flat arrays and a schema, frozen. It needs no training rows.

Nodes are numbered level by level from the root (0), left to right, so the children of a node stand
next to each other and a child always has a larger number than its parent: every walk is a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bough.data.schema import Schema
from bough.data.table import Array
from bough.splits import STAYS, Branches, Split, Subset, Surrogate, Threshold

if TYPE_CHECKING:
    from pathlib import Path

    from bough.predict import RowRouter
    from bough.rules.ruleset import RuleSet

__all__ = ["LEAF", "SPLIT_KINDS", "Nodes", "RunnersUp", "Surrogates", "Tree"]

LEAF = 0
SPLIT_KINDS: dict[int, str] = {LEAF: "leaf", 1: "threshold", 2: "subset", 3: "branches"}
THRESHOLD, SUBSET, BRANCHES = 1, 2, 3


@dataclass(frozen=True, eq=False)
class RunnersUp:
    """The best split of every column that was not chosen, node by node."""

    at: Array
    """int64[n+1]: the records of node i are at[i] … at[i+1]−1."""
    column: Array
    """int32"""
    gain: Array
    """float64"""
    threshold: Array
    """float64; NaN for a split by levels"""


@dataclass(frozen=True, eq=False)
class Surrogates:
    """Other columns that stand in, the best first, where a split's own cell is missing."""

    at: Array
    """int64[n+1]: the surrogates of node i are at[i] … at[i+1]−1"""
    column: Array
    """int32"""
    threshold: Array
    """float64; NaN: by level"""
    flipped: Array
    """uint8; 1: the low side goes to child 1"""
    agreement: Array
    """float64; share of the weight sent as the split does, among rows that know both cells"""
    levels_at: Array
    """int64[m+1]: the levels of surrogate j are levels[levels_at[j]] …"""
    levels: Array
    """int32, rising within a surrogate"""
    level_child: Array
    """int16"""


@dataclass(frozen=True, eq=False)
class Nodes:
    """One entry per node; see docs/design.md, section 4."""

    first_child: Array
    """int32; the children are first_child … first_child+n_children−1; −1 in a leaf"""
    n_children: Array
    """int32; 0 in a leaf"""
    parent: Array
    """int32; −1 at the root"""
    split_kind: Array
    """uint8; a key of SPLIT_KINDS"""
    column: Array
    """int32; −1 in a leaf"""
    threshold: Array
    """float64; of an ordered column the code of a level; +inf asks whether the cell is known;
    NaN where the split is not a threshold"""
    levels_at: Array
    """int64[n+1]; the levels seen at node i are levels[levels_at[i]] … levels[levels_at[i+1]−1]"""
    levels: Array
    """int32, rising within a node"""
    level_child: Array
    """int16, one per entry of `levels`: the child it goes to"""
    unseen_to: Array
    """int16; child of a level the schema knows but the node has not seen; −1 = like missing"""
    missing_to: Array
    """int16; child of a missing cell (and of an unknown level). −1: to all children,
    in proportion; −2: such a row stays at the node. −1 in a leaf"""
    missing_rows: Array
    """int64; training rows whose cell was missing at this node's split"""
    rows: Array
    """int64; training rows"""
    weight: Array
    """float64; their weight"""
    stats: Array
    """float64[n, k]: class weights; for regression weight, mean, sum of squared deviations"""
    impurity: Array
    """float64"""
    gain: Array
    """float64; what the split wins; 0 in a leaf"""
    p_value: Array
    """float64; chance of a χ² this large if the split told nothing; NaN in leaves and regression"""

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree that answers, prints, compares and saves."""

    schema: Schema
    nodes: Nodes
    equality: Literal["<=", "<"] = "<="
    """Which values go to child 0 of a Threshold."""
    empty_branch: Literal["parent", "unknown"] = "parent"
    """The answer of a leaf that no training row reached."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """How the tree was grown: every option and its value."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """What happened on the way: seconds, ties met, columns skipped, notes on the data."""
    runners_up: RunnersUp | None = None
    set_answers: Array | None = None
    """Answers that do not follow from the stats (relabelled elsewhere, or by hand), one per node:
    int32 class codes, −2 where the stats decide; float64 for regression, NaN where they do."""

    surrogates: Surrogates | None = None
    fills: Mapping[str, float | str] = field(default_factory=dict)
    """By column: the number or level that stands for a missing cell, as it did in training."""
    costs: Array | None = None
    """float64[k, k]: what answering the class of the column costs when it is that of the row."""

    # ---- the shape ---------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @cached_property
    def is_leaf(self) -> Array:
        return np.equal(self.nodes.split_kind, LEAF)

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @cached_property
    def depths(self) -> Array:
        """int32; the depth of every node."""
        depth = np.zeros(len(self), dtype=np.int32)
        parent = self.nodes.parent
        begin = 1  # nodes stand level by level: a level ends where the parents' level ends
        previous_end = 1
        while begin < len(self):
            # int32, as the array is: another type would make numpy copy all of it every time
            end = int(np.searchsorted(parent, np.int32(previous_end)))
            depth[begin:end] = depth[begin - 1] + 1
            previous_end, begin = end, end
        return depth

    @property
    def depth(self) -> int:
        """The longest path, in questions."""
        return int(self.depths[-1])

    def children(self, node: int) -> range:
        first = int(self.nodes.first_child[node])
        return range(first, first + int(self.nodes.n_children[node]))

    def split(self, node: int) -> Split | None:
        """The question asked at a node; None in a leaf."""
        nodes = self.nodes
        kind = int(nodes.split_kind[node])
        if kind == LEAF:
            return None
        column = self.schema.columns[int(nodes.column[node])]
        missing_to, missing_rows = int(nodes.missing_to[node]), int(nodes.missing_rows[node])
        surrogates = self._surrogates_of(node)
        if kind == THRESHOLD:
            strict = self.equality == "<"
            at = float(nodes.threshold[node])
            return Threshold(column, at, strict, missing_to, missing_rows, surrogates)
        here = slice(int(nodes.levels_at[node]), int(nodes.levels_at[node + 1]))
        levels, child = nodes.levels[here].tolist(), nodes.level_child[here].tolist()
        child_of = {column.levels[code]: to for code, to in zip(levels, child, strict=True)}
        by_level = Subset if kind == SUBSET else Branches
        unseen_to = int(nodes.unseen_to[node])
        return by_level(column, child_of, unseen_to, missing_to, missing_rows, surrogates)

    def _surrogates_of(self, node: int) -> tuple[Surrogate, ...]:
        if self.surrogates is None:
            return ()
        kept = self.surrogates
        found = []
        for j in range(int(kept.at[node]), int(kept.at[node + 1])):
            column = self.schema.columns[int(kept.column[j])]
            agreement = float(kept.agreement[j])
            question: Threshold | Subset
            if column.kind == "category":
                here = slice(int(kept.levels_at[j]), int(kept.levels_at[j + 1]))
                codes, child = kept.levels[here].tolist(), kept.level_child[here].tolist()
                levels = {column.levels[code]: to for code, to in zip(codes, child, strict=True)}
                question = Subset(column, levels, -1, STAYS)
            else:
                strict = self.equality == "<"
                question = Threshold(column, float(kept.threshold[j]), strict, STAYS)
            found.append(Surrogate(question, bool(kept.flipped[j]), agreement))
        return tuple(found)

    # ---- answers -----------------------------------------------------------------------------

    @cached_property
    def answers(self) -> Array:
        """What every node would answer: int32 class codes (−1: unknown), or float64 means."""
        from bough.predict import answers

        return answers(self)

    @cached_property
    def shares(self) -> Array:
        """float64[n, k]; class shares of every node (an empty one has its parent's, or NaN)."""
        from bough.predict import shares

        return shares(self)

    def apply(self, data: Any, **read: Any) -> Array:
        """The number of the leaf every row reaches."""
        from bough.predict import apply

        return apply(self, data, **read)

    def predict(self, data: Any, **read: Any) -> Array:
        """The answer for every row: a class, or a number."""
        from bough.predict import predict

        return predict(self, data, **read)

    def predict_proba(self, data: Any, **read: Any) -> Array:
        """float64[rows, classes]: the class shares of the leaf every row reaches."""
        from bough.predict import predict_proba

        return predict_proba(self, data, **read)

    def predict_row(self, row: Mapping[str, Any]) -> Any:
        """The answer for one row given as a dict, in microseconds."""
        return self._row_router.answer(row)

    def path(self, row: Mapping[str, Any]) -> list[int]:
        """The nodes one row (a dict) passes, from the root to its leaf."""
        return self._row_router.path(row)

    @cached_property
    def _row_router(self) -> RowRouter:
        from bough.predict import RowRouter

        return RowRouter(self)

    def __getstate__(self) -> dict[str, Any]:
        """Pickles hold the tree, not what was worked out from it since."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    # ---- looking, comparing, keeping ---------------------------------------------------------

    def __str__(self) -> str:
        from bough.view.terminal import render

        return render(self)

    def __repr__(self) -> str:
        target = self.schema.target
        return (
            f"<Tree for {target.name!r} ({target.task}): {self.n_leaves:,} "
            f"{'leaf' if self.n_leaves == 1 else 'leaves'}, depth {self.depth:,}, "
            f"{int(self.nodes.rows[0]):,} rows>"
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self)}

    def __eq__(self, other: object) -> bool:
        """The same schema and nodes, bit for bit. How and when it was grown does not matter."""
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.schema == other.schema
            and self.equality == other.equality
            and self.empty_branch == other.empty_branch
            and self.fills == other.fills
            and _same(self.set_answers, other.set_answers)
            and _same(self.costs, other.costs)
            and _same_surrogates(self.surrogates, other.surrogates)
            and all(
                getattr(self.nodes, f.name).tobytes() == getattr(other.nodes, f.name).tobytes()
                for f in fields(Nodes)
            )
        )

    def __hash__(self) -> int:
        nodes = self.nodes
        return hash((self.schema.names, nodes.column.tobytes(), nodes.threshold.tobytes()))

    def rules(self, data: Any = None, **how: Any) -> RuleSet:
        """The tree as a RuleSet: one rule per path, pruned on `data` or by an estimate if asked."""
        from bough.rules import rules_of

        return rules_of(self, data, **how)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Writes the model file; refuses to overwrite unless `force`."""
        from bough.store import save

        save(self, path, force=force)

    def walk(self) -> Iterator[int]:
        """Every node before its children, left to right."""
        stack = [0]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(self.children(node)))


def _same(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.tobytes() == b.tobytes()


def _same_surrogates(a: Surrogates | None, b: Surrogates | None) -> bool:
    if a is None or b is None:
        return a is b
    return all(_same(getattr(a, f.name), getattr(b, f.name)) for f in fields(Surrogates))
