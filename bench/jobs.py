"""Runs contenders one after the other, each in a process of its own, within limits of time.

A job that takes too long is ended and told as such, and so is one that crashes; the same contender
is then not asked for anything larger in that series.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data import prepare
from measure import installed
from peers import CONTENDERS
from plan import Plan, Series, Timed

CHILD = Path(__file__).with_name("contend.py")
NO_TIME = "no time left"
Row = dict[str, Any]


class Jobs:
    """The jobs of one run: what was too slow, and until when there is time."""

    def __init__(self, plan: Plan, deadline: float) -> None:
        self.plan, self.deadline = plan, deadline
        self.slow: dict[tuple[str, str], str] = {}
        self.ended = False
        """Has it been said that there is no time left?"""

    def run(self, series: str, job: Row, limit: float) -> Row:
        """The job with what was found; `status` is "" when it went well."""
        found = job | self._found(series, job, limit)
        if found["status"].startswith("over"):
            self.slow.setdefault((job["contender"], series), f"{found['status']} already")
        if found["status"] != NO_TIME or not self.ended:
            print(told(found), flush=True)
        self.ended |= found["status"] == NO_TIME
        return {k: v for k, v in found.items() if k not in ("spend", "judge")}

    def _found(self, series: str, job: Row, limit: float) -> Row:
        contender = CONTENDERS[job["contender"]]
        if installed(contender.package) is None:
            return {"status": f"{contender.package} is not installed"}
        before = self.slow.get((job["contender"], series))
        if before:
            return {"status": before}
        left = self.deadline - time.monotonic()
        if left < 1:
            return {"status": NO_TIME}
        found = child(job, min(limit, left))
        late = left < limit and found["status"].startswith("over")
        return {"status": NO_TIME} if late else found

    # ---- the two kinds of series -----------------------------------------------------------------

    def table(self, timed: Timed) -> Iterator[Row]:
        lacking = self.prepared(timed.table)
        if lacking:
            print(f"{timed.table}: skipped, {lacking}", flush=True)
            return
        for depth in timed.depths:
            for name in self.plan.contenders:
                threads = CONTENDERS[name].threads
                if ":categories" in timed.table and not CONTENDERS[name].categories:
                    continue
                if name != "bough" and depth not in self.plan.both:
                    threads = threads[:1]
                for count in threads:
                    job = self._job(name, timed.table, depth, count, True)
                    yield self.run(timed.table, job, timed.limit)

    def growth(self, series: Series, contenders: tuple[str, ...]) -> Iterator[Row]:
        for at, table, depth in series.points:
            self.prepared(table)
            for name in contenders:
                job = self._job(name, table, depth, CONTENDERS[name].threads[0], False)
                yield {"series": series.name, "at": at, **self.run(series.name, job, series.limit)}

    def prepared(self, table: str) -> str:
        return prepare(table) if time.monotonic() < self.deadline else ""

    def _job(self, name: str, table: str, depth: int | None, threads: int, judge: bool) -> Row:
        return {
            "table": table,
            "depth": depth,
            "contender": name,
            "threads": threads,
            "judge": judge,
            "spend": self.plan.spend,
        }


def child(job: Row, limit: float) -> Row:
    """What the child has printed until it ended or was ended."""
    threads = str(job["threads"])
    run = subprocess.Popen(
        [sys.executable, str(CHILD), json.dumps(job)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": threads},
    )
    try:
        out, complaints = run.communicate(timeout=limit)
        over = False
    except subprocess.TimeoutExpired:
        run.kill()
        out, complaints = run.communicate()
        over = True
    lines = [line for line in out.splitlines() if line.startswith("{") and line.endswith("}")]
    found: Row = json.loads(lines[-1]) if lines else {}
    if "seconds" in found and (over or run.returncode == 0):
        return {"status": "", **found}
    if over:
        return {"status": f"over {limit:.0f} s", **found}
    last = (complaints.strip().splitlines() or [f"exit {run.returncode}"])[-1]
    return {"status": f"failed: {last[:160]}", **found}


def told(row: Row) -> str:
    depth = "fully grown" if row["depth"] is None else f"depth {row['depth']}"
    what = f"{row['table']:26s} {depth:11s} {row['contender']:13s} {row['threads']} thr."
    if row["status"]:
        return f"{what}  {row['status']}"
    text = f"{what} {row['seconds'] * 1e3:10.1f} ms  +{row['peak'] / 2**20:6.0f} MiB"
    if "nodes" in row:
        text += f"  {row['nodes']:7d} nodes"
    return text + (f"  impurity {row['impurity']:.10g}" if "impurity" in row else "")
