"""Cutting: the named nodes become leaves, the rest of the tree stays what it was."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import bough
from bough import datasets
from bough.errors import OptionError
from bough.prune import cut
from bough.store import dumps, loads
from bough.tree import Tree
from prunings import is_cut_of, snapshot
from tables import random_table
from trees import bushy, chain, leaf_of, passengers, random_tree


def inner_nodes(tree: Tree) -> list[int]:
    return [int(node) for node in np.flatnonzero(~tree.is_leaf)]


@pytest.mark.parametrize("seed", range(40))
def test_random_cuts_are_sound_and_leave_the_input_alone(seed: int) -> None:
    random = Random(seed)
    tree = random_tree(random.randrange(10**6))
    before = snapshot(tree)
    inner = inner_nodes(tree)
    chosen = random.sample(inner, random.randint(0, len(inner)))
    small = cut(tree, chosen)
    assert is_cut_of(small, tree)
    assert loads(dumps(small)) == small  # the reader of model files checks every array
    assert snapshot(tree) == before
    assert cut(small, []) is small
    assert cut(tree, np.array(chosen, dtype=np.int32)) == small
    gone = [n for n in inner if any(p in chosen for p in ancestors(tree, n))]
    assert small.n_leaves == tree.n_leaves - lost_leaves(tree, set(chosen) - set(gone))


def ancestors(tree: Tree, node: int) -> list[int]:
    found = []
    while node:
        node = int(tree.nodes.parent[node])
        found.append(node)
    return found


def lost_leaves(tree: Tree, chosen: set[int]) -> int:
    leaves = np.flatnonzero(tree.is_leaf).tolist()
    return sum(sum(c in ancestors(tree, leaf) for leaf in leaves) - 1 for c in chosen)


def test_rows_go_where_they_went() -> None:
    for seed in range(30):
        table = random_table(Random(seed), missing=True)
        tree = bough.grow(table, recipe="cart", prune=None, runners_up=True)
        inner = inner_nodes(tree)
        chosen = inner[len(inner) // 3 :: 2]
        small = cut(tree, chosen)
        stops = set(chosen) | set(np.flatnonzero(tree.is_leaf).tolist())
        leaves = tree.apply(table)
        for leaf, now in zip(leaves.tolist(), small.apply(table).tolist(), strict=True):
            path = [leaf, *ancestors(tree, leaf)]
            first = [node for node in path if node in stops][-1]
            assert small.nodes.stats[now].tolist() == tree.nodes.stats[first].tolist()
            assert small.answers[now] == tree.answers[first]


def test_a_row_given_as_a_dict() -> None:
    tree = passengers()
    small = cut(tree, [inner_nodes(tree)[-1]])
    assert small.n_leaves < tree.n_leaves
    row = {"ticket": "A", "age": 20, "class": "first", "port": "Cherbourg"}
    assert small.path(row)[-1] == leaf_of(small, row)


def test_everything_of_a_node_comes_along() -> None:
    table = datasets.load("titanic")
    tree = bough.grow(table, recipe="cart", prune=None, runners_up=True, max_depth=4)
    answers = np.arange(len(tree), dtype=np.int32) % 2
    tree = replace(tree, set_answers=answers)
    chosen = inner_nodes(tree)[2]
    small = cut(tree, [chosen])
    below = [n for n in range(len(tree)) if chosen in ancestors(tree, n)]
    kept = [n for n in range(len(tree)) if n not in below]
    assert small.set_answers is not None and small.runners_up is not None
    assert small.set_answers.tolist() == answers[kept].tolist()
    for now, was in enumerate(kept):
        mine = records(small, now)
        assert mine == ([] if was == chosen else records(tree, was))
    assert small.nodes.p_value[kept.index(chosen)] != small.nodes.p_value[kept.index(chosen)]
    assert small.options == tree.options


def records(tree: Tree, node: int) -> list[tuple[float, ...]]:
    others = tree.runners_up
    assert others is not None
    here = slice(int(others.at[node]), int(others.at[node + 1]))
    rows = zip(others.column[here], others.gain[here], others.threshold[here], strict=True)
    return [(float(c), float(g), -1.0 if t != t else float(t)) for c, g, t in rows]


def test_surrogates_come_along() -> None:
    tree = bough.grow(
        datasets.load("titanic"), recipe="cart", prune=None, missing="surrogate", max_depth=5
    )
    chosen = inner_nodes(tree)[3]
    small = cut(tree, [chosen])
    kept = [n for n in range(len(tree)) if chosen not in ancestors(tree, n)]
    assert any(tree.split(n).surrogates for n in inner_nodes(tree))
    for now, was in enumerate(kept):
        if was != chosen:
            assert repr(small.split(now)) == repr(tree.split(was))


def test_leaves_and_nothing_are_no_work() -> None:
    tree = passengers()
    leaves = np.flatnonzero(tree.is_leaf)
    assert cut(tree, leaves) is tree
    assert cut(tree, []) is tree
    assert len(cut(tree, [0])) == 1
    assert cut(tree, range(len(tree))) == cut(tree, [0])


@pytest.mark.parametrize(
    ("nodes", "words"),
    [([99], "no node 99"), ([-1], "no node -1"), ([0.5], "list of node numbers")],
)
def test_nodes_that_are_not_there(nodes: list[float], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        cut(passengers(), nodes)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [chain, bushy])
def test_a_million_nodes(make: object) -> None:
    tree = make(1_000_001)  # type: ignore[operator]
    started = time.perf_counter()
    small = cut(tree, np.arange(400_000, 1_000_001))
    assert time.perf_counter() - started < 10
    assert 1 < len(small) < len(tree)
    assert (small.nodes.parent[1:] < np.arange(1, len(small))).all()
