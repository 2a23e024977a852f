"""One contender, one table, in a process of its own; prints what it measured as lines of JSON.

Started by jobs.py, which may end it at any time: each line holds everything known so far.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import measure
from data import load
from peers import CONTENDERS

MOST_RUNS = 7


def compete(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """`job`: contender, table, depth, threads; spend: seconds for repeating; judge: is the tree
    to be judged, too?"""
    contender = CONTENDERS[job["contender"]]
    data = load(job["table"])
    depth, threads = job["depth"], job["threads"]
    contender.grow(data.some(500), 3, threads)  # imports and threads are not what is timed
    yield {"rows": len(data.y), "bytes": data.bytes}
    grown, seconds, peak = measure.peak_since(lambda: contender.grow(data, depth, threads))
    found = {"rows": len(data.y), "bytes": data.bytes, "seconds": seconds, "peak": peak, "runs": 1}
    yield found
    end = time.perf_counter() + job["spend"]
    while time.perf_counter() + seconds < end and found["runs"] < MOST_RUNS:
        again = measure.best(lambda: contender.grow(data, depth, threads), 1)
        found |= {"seconds": min(again, found["seconds"]), "runs": found["runs"] + 1}
    yield found
    if job["judge"]:
        leaves = grown.leaves()
        leaves = leaves.reshape(len(data.y), -1)
        found |= {"trees": leaves.shape[1], "nodes": measure.nodes(leaves)}
        if leaves.shape[1] == 1:
            found["impurity"] = measure.impurity(leaves[:, 0], data.y)
        yield found


if __name__ == "__main__":
    for known in compete(json.loads(sys.argv[1])):
        print(json.dumps(known), flush=True)
