"""What is timed in this process: small tables, where overhead rules; predicting; starting."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from data import load, made, prepare
from measure import best
from peers import ours

Row = dict[str, Any]


def say(what: str, ours: float, theirs: float, more: str = "", **facts: Any) -> Row:
    print(f"{what:44s} bough {ours * 1e3:10.3f} ms   peer {theirs * 1e3:10.3f} ms   "
          f"ratio {theirs / ours:6.2f}   {more}", flush=True)  # fmt: skip
    found = {"what": what, "bough": ours, "peer": theirs, "ratio": theirs / ours, "more": more}
    return found | facts


def against_sklearn(what: str, x: Any, y: Any, runs: int = 5, **limits: Any) -> Row:
    """One tree by bough.grow and by scikit-learn's fit; training impurity must agree."""
    kind = DecisionTreeRegressor if y.dtype.kind == "f" else DecisionTreeClassifier
    name, depth = limits.pop("name", what), limits.pop("max_depth", None)

    def mine() -> Any:
        return ours(x, y, depth, **limits)

    def theirs() -> Any:
        return kind(random_state=0, max_depth=depth, **limits).fit(x, y)

    tree, peer = mine(), theirs().tree_
    leaves = tree.is_leaf
    impurity = float((tree.nodes.impurity * tree.nodes.weight)[leaves].sum() / len(y))
    end = peer.children_left < 0
    other = float((peer.impurity * peer.weighted_n_node_samples)[end].sum() / len(y))
    more = f"{tree.n_leaves} and {end.sum()} leaves, impurity {impurity:.6g} and {other:.6g}"
    return say(what, best(mine, runs), best(theirs, max(1, runs // 2)), more, name=name)


def small() -> list[Row]:
    tables = {"iris": load_iris, "breast cancer": load_breast_cancer, "digits": load_digits}
    found = []
    for name, read in tables.items():
        x, y = read(return_X_y=True)
        what = f"{name} {x.shape[0]} × {x.shape[1]}, fully grown"
        found.append(against_sklearn(what, x, y.astype(np.int64), 20, name=name))
    return found


def medium() -> list[Row]:
    x, classes = (data := made(20_000, 28)).x, data.y
    numbers = x[:, 0] * x[:, 1] + x[:, 3]
    found = []
    for words, limit in (("depth 6", {"max_depth": 6}), ("fully grown", {})):
        for criterion in ("gini", "entropy"):
            what = f"20,000 × 28, {criterion}, {words}"
            found.append(against_sklearn(what, x, classes, criterion=criterion, **limit))
        found.append(against_sklearn(f"20,000 × 28, squared error, {words}", x, numbers, **limit))
    return found


def predict() -> list[Row]:
    prepare("made-1000000x28")
    data = load("made-1000000x28")
    x, train = data.x, slice(0, 50_000)
    found = []
    for depth in (8, None):
        tree = ours(x[train], data.y[train], depth)
        peer = DecisionTreeClassifier(max_depth=depth, random_state=0)
        peer.fit(x[train], data.y[train])
        theirs = best(lambda peer=peer: peer.predict(x), 3)
        for threads in (1, 2):

            def mine(tree: Any = tree, threads: int = threads) -> Any:
                return tree.predict(x, threads=threads)

            what = (
                f"predict 1,000,000 × 28, depth {tree.depth}, {threads} thread{'s' * (threads > 1)}"
            )
            found.append(say(what, best(mine, 3), theirs, depth=depth, threads=threads))
    row = {name: float(value) for name, value in zip(tree.schema.names, x[0], strict=True)}
    tree.predict_row(row)
    many = best(lambda: [tree.predict_row(row) for _ in range(1000)]) / 1000
    path = len(tree.path(row)) - 1
    one = best(lambda: [peer.predict(x[:1]) for _ in range(100)]) / 100
    found.append(say(f"predict_row(dict), {path} questions", many, one, "peer: predict(x[:1])"))
    return found


def start() -> list[Row]:
    from bough.datasets import path

    program = Path(sys.executable).with_name("bough")
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "titanic.json"))
        data = str(path("titanic"))
        grow = [program, "grow", data, "--target", "Survived", "--out", out, "--force", "--quiet"]
        found = []
        for what, command, limit in (
            ("bough --help", [program, "--help"], 0.15),
            ("bough grow titanic.csv", grow, 0.7),
        ):

            def run(command: list[Any] = command) -> Any:
                return subprocess.run(command, check=True, capture_output=True)

            found.append(say(what, best(run, 7), limit, "peer: the limit set for it"))
    return found


def memory() -> list[Row]:
    """Limit: 1.5 times the input."""
    from jobs import child

    prepare("made-1000000x28")
    job = {"contender": "bough", "table": "made-1000000x28", "depth": 8, "threads": 2}
    found = child({**job, "spend": 0.0, "judge": False}, 300)
    share = found["peak"] / found["bytes"]
    print(f"{'memory of growing 1,000,000 × 28, depth 8':44s} {share:.2f} x the input (limit 1.5)")
    return [{"what": "memory over the input, 1,000,000 × 28", "share": share}]
