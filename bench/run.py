"""Times bough and its peers in one run, on the same arrays, and prints ratios.

    make bench                       all of it, under 30 minutes; writes docs/speed-figures.md
    make bench ARGS=--quick          smaller tables, about 3 minutes; writes no page
    make bench ARGS="predict start"  only these parts
    make bench ARGS="tables --table made-1000000x28 --peer LightGBM"
    python bench/page.py FILE        the page again, from the results of a run

Parts: tables (one tree by every contender, see plan.py), growth (time against rows, columns and
depth), small, medium, predict, start, memory. A ratio is the peer's time over bough's: above 1,
bough is faster. Times are the best of several where they are short. Results go to bench/results/
as JSON, with machine, versions and commit. An own process and a limit of time for every contender:
one that crashes or takes too long does not stop the others.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import data
import measure
import page
from goals import as_table
from jobs import Jobs
from plan import ALL, DRAWN, PLANS, Plan

HERE = Path(__file__).parent
Row = dict[str, Any]
PARTS = ("small", "medium", "predict", "start", "memory", "growth", "tables")
"""In this order: a run that ends at its last minute ends within the tables, the slowest last."""
MINUTES = {"full": 28.0, "quick": 3.0, "tiny": 1.0}


def run_part(part: str, plan: Plan, jobs: Jobs) -> list[Row]:
    print(f"\n== {part}", flush=True)
    if part == "tables":
        return [row for timed in plan.tables for row in jobs.table(timed)]
    if part == "growth":
        drawn = tuple(name for name in DRAWN if name in plan.contenders)
        return [row for series in plan.growth for row in jobs.growth(series, drawn)]
    import parts  # and with it scikit-learn, which takes a while

    found: list[Row] = getattr(parts, part)()
    return found


def main() -> None:
    given = arguments()
    size = "tiny" if given.tiny else "quick" if given.quick else "full"
    usual = {"full": PARTS, "quick": ("small", "growth", "tables"), "tiny": ("growth", "tables")}
    chosen = given.parts or list(usual[size])
    start = time.monotonic()
    plan = narrowed(PLANS[size], given.table, given.peer)
    jobs = Jobs(plan, start + 60 * (given.minutes or MINUTES[size]))
    whole = plan is PLANS["full"] and not given.parts
    command = "make bench" if whole else f"python bench/run.py {' '.join(sys.argv[1:])}"
    results: Row = {"command": command, "plan": size, **measure.about(), "results": {}}
    path = given.out / f"{'all' if whole else named(size, given)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    for part in chosen:
        results["results"][part] = run_part(part, plan, jobs)
        results |= {"minutes": (time.monotonic() - start) / 60, "load_after": os.getloadavg()[0]}
        path.write_text(json.dumps(results, indent=1) + "\n")
    measured = [line for line in as_table(results).splitlines() if "not measured" not in line]
    print("\n".join(["", *measured[2:]]) + f"\nwrote {path.name} to {path.parent}")
    data.tidy()
    if whole or given.page:
        page.write(results, given.page or page.DOCS)


def named(size: str, given: argparse.Namespace) -> str:
    """The file of a run that is not the whole one."""
    words = [*given.parts, *given.table, *given.peer]
    return re.sub(r"\W+", "-", " ".join(words if size == "full" else [size, *words]))


def narrowed(plan: Plan, tables: list[str], peers: list[str]) -> Plan:
    """Only these tables, and besides bough only these peers; all where none is named."""
    if tables:
        plan = replace(plan, tables=tuple(t for t in plan.tables if t.table in tables))
    if peers:
        plan = replace(plan, contenders=("bough", *peers))
    return plan


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="smaller tables, about 3 minutes")
    parser.add_argument("--tiny", action="store_true", help="only to see whether it runs")
    parser.add_argument("--table", action="append", default=[], help="only this one; repeatable")
    parser.add_argument(
        "--peer", action="append", default=[], choices=ALL[1:], help="only this one; repeatable"
    )
    parser.add_argument("--minutes", type=float, help="no new job of tables and growth after these")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the JSON")
    parser.add_argument("--page", type=Path, help="folder for the page, instead of docs/")
    given = parser.parse_args()
    for table in set(given.table) - {timed.table for timed in PLANS["full"].tables}:
        parser.error(f'the table "{table}" is not in bench/plan.py')
    for part in set(given.parts) - set(PARTS):
        parser.error(f'there is no part "{part}"; the parts are: {", ".join(PARTS)}')
    return given


if __name__ == "__main__":
    main()
