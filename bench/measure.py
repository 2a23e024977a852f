"""Time, peak memory, and what a tree is worth; the machine all of it was measured on."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("bough", "numpy", "scikit-learn", "lightgbm", "xgboost", "ydf", "pandas")


def best(call: Callable[[], Any], runs: int = 5) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_since(call: Callable[[], Any]) -> tuple[Any, float, int]:
    """What the call returns, its seconds, and by how much it raised this process's memory at most.

    Linux lets a process lower its own high-water mark; elsewhere the mark may have been above the
    memory in use, and the figure is too small by that.
    """
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")
    before = _status("VmRSS")
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    return result, seconds, max(0, _status("VmHWM") - before)


def _status(field: str) -> int:
    """Bytes of memory in use (VmRSS) or at most in use so far (VmHWM)."""
    path = Path("/proc/self/status")
    if path.exists():
        line = next(line for line in path.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def impurity(leaf: Any, y: Any) -> float:
    """Gini or mean squared error of the rows, each judged by the leaf it falls into."""
    leaf = np.asarray(leaf, np.int64)
    rows = np.bincount(leaf)
    used = np.maximum(rows, 1)
    if y.dtype.kind == "f":
        means = np.bincount(leaf, y) / used
        return float(np.mean((y - means[leaf]) ** 2))
    classes = int(y.max()) + 1
    counts = np.bincount(leaf * classes + y, minlength=len(rows) * classes).reshape(-1, classes)
    return float((rows - (counts.astype(np.float64) ** 2).sum(axis=1) / used).sum() / len(y))


def nodes(leaves: Any) -> int:
    """Of all trees together; every split has two sides, and no leaf is without training rows."""
    ends = [np.count_nonzero(np.bincount(tree.astype(np.int64))) for tree in leaves.T]
    return sum(2 * int(count) - 1 for count in ends)


# ---- the machine ---------------------------------------------------------------------------------


def about() -> dict[str, Any]:
    """Machine, versions and commit: what a figure means nothing without."""
    root = Path(__file__).parent

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], capture_output=True, text=True, cwd=root)
        return done.stdout.strip()

    changed = " with changes" if git("status", "--porcelain", "--", "../src") else ""
    return {
        "commit": git("rev-parse", "--short", "HEAD") + changed,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{_processor()}, {platform.machine()}, {os.cpu_count()} cores, {_memory()}",
        "system": platform.system(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "versions": {name: installed(name) for name in PACKAGES},
    }


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "unknown memory"
    return f"{size / 2**30:.0f} GiB"
