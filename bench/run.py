"""Times bough and its peers in one run, on the same arrays, and prints ratios.

    make bench                    all of it
    python bench/run.py small     one part: small, medium, predict, start, memory

A ratio is the peer's time over bough's: above 1, bough is faster. Times are the best of several.
Results go to bench/results/ as JSON, with machine, versions and commit.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough

HERE = Path(__file__).parent


def best(call: Callable[[], Any], runs: int = 5) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def say(what: str, ours: float, theirs: float, more: str = "") -> dict[str, Any]:
    print(f"{what:44s} bough {ours * 1e3:10.3f} ms   peer {theirs * 1e3:10.3f} ms   "
          f"ratio {theirs / ours:6.2f}   {more}", flush=True)  # fmt: skip
    return {"what": what, "bough": ours, "peer": theirs, "ratio": theirs / ours, "more": more}


def against_sklearn(what: str, x: Any, y: Any, runs: int = 5, **limits: Any) -> dict[str, Any]:
    """One tree by bough.grow and by scikit-learn's fit; training impurity must agree."""
    regression = np.issubdtype(y.dtype, np.floating)
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    task: Any = "regression" if regression else "classification"

    def ours() -> bough.Tree:
        return bough.grow(x, y, recipe="cart", task=task, **limits)

    def theirs() -> Any:
        return kind(random_state=0, **limits).fit(x, y)

    tree, peer = ours(), theirs().tree_
    leaves = tree.is_leaf
    impurity = float((tree.nodes.impurity * tree.nodes.weight)[leaves].sum() / len(y))
    end = peer.children_left < 0
    other = float((peer.impurity * peer.weighted_n_node_samples)[end].sum() / len(y))
    more = f"{tree.n_leaves} | {end.sum()} leaves, impurity {impurity:.6g} | {other:.6g}"
    return say(what, best(ours, runs), best(theirs, max(1, runs // 2)), more)


def small() -> list[dict[str, Any]]:
    tables = {"iris": load_iris, "breast cancer": load_breast_cancer, "digits": load_digits}
    found = []
    for name, load in tables.items():
        x, y = load(return_X_y=True)
        found.append(against_sklearn(f"{name} {x.shape[0]} x {x.shape[1]}, fully grown", x, y, 20))
    return found


def made(rows: int, columns: int) -> tuple[Any, Any, Any]:
    """Numbers, two classes, a number to predict; one seed, always the same."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, columns))
    y = x[:, 0] * x[:, 1] + x[:, 2] + rng.normal(size=rows)
    return x, (y > 0).astype(np.int64), y


def medium() -> list[dict[str, Any]]:
    x, classes, numbers = made(20_000, 28)
    found = []
    for words, limit in (("depth 6", {"max_depth": 6}), ("fully grown", {})):
        for criterion in ("gini", "entropy"):
            what = f"20,000 x 28, {criterion}, {words}"
            found.append(against_sklearn(what, x, classes, criterion=criterion, **limit))
        found.append(against_sklearn(f"20,000 x 28, squared error, {words}", x, numbers, **limit))
    return found


def predict() -> list[dict[str, Any]]:
    x, classes, _ = made(1_000_000, 28)
    train = slice(0, 50_000)
    found = []
    for depth in (8, None):
        tree = bough.grow(x[train], classes[train], recipe="cart", max_depth=depth)
        peer = DecisionTreeClassifier(max_depth=depth, random_state=0)
        peer.fit(x[train], classes[train])
        for threads in (1, 2):

            def ours(tree: bough.Tree = tree, threads: int = threads) -> Any:
                return tree.predict(x, threads=threads)

            what = f"predict 1,000,000 x 28, depth {tree.depth}, {threads} threads"
            found.append(say(what, best(ours, 3), best(lambda peer=peer: peer.predict(x), 3)))
    row = {name: float(value) for name, value in zip(tree.schema.names, x[0], strict=True)}
    tree.predict_row(row)
    many = best(lambda: [tree.predict_row(row) for _ in range(1000)]) / 1000
    path = len(tree.path(row)) - 1
    one = best(lambda: [peer.predict(x[:1]) for _ in range(100)]) / 100
    found.append(say(f"predict_row(dict), {path} questions", many, one, "peer: predict(x[:1])"))
    return found


def start() -> list[dict[str, Any]]:
    program = Path(sys.executable).with_name("bough")
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "titanic.json"))
        data = str(bough_datasets_path("titanic"))
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


def bough_datasets_path(name: str) -> Path:
    from bough.datasets import path

    return path(name)


PEAK = """
import resource, sys
import numpy as np
import bough, bough.growing, bough.data.read
bough.grow(np.eye(4), np.array([0, 1, 0, 1]), recipe="cart")
x = np.random.default_rng(0).normal(size=(1_000_000, 28))
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(np.int64)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
bough.grow(x, y, recipe="cart", max_depth=8)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / x.nbytes)
"""


def memory() -> list[dict[str, Any]]:
    command = [sys.executable, "-c", PEAK]
    share = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(f"{'memory of growing 1,000,000 x 28, depth 8':44s} {share:.2f} x the input (limit 1.5)")
    return [{"what": "memory over the input, 1,000,000 x 28", "share": share}]


PARTS = {"small": small, "medium": medium, "predict": predict, "start": start, "memory": memory}


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE
    ).stdout.strip()
    found = {name: PARTS[name]() for name in chosen}
    about = {
        "commit": commit,
        "machine": f"{platform.machine()}, {bough_threads()} cores",
        "versions": {p: version(p) for p in ("bough", "numpy", "scikit-learn")},
        "python": platform.python_version(),
    }
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    path = results / f"{'-'.join(chosen)}.json"
    path.write_text(json.dumps({**about, "results": found}, indent=1) + "\n")
    print(f"wrote bench/results/{path.name}")


def bough_threads() -> int:
    from bough.core import thread_count

    return thread_count(None)


if __name__ == "__main__":
    main()
