"""The benchmark runs, at a size that tells nothing about speed, so that it cannot rot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture(autouse=True)
def _bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files import each other by their plain names."""
    monkeypatch.syspath_prepend(str(BENCH))


def test_one_command_measures_and_writes_the_page(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH / "run.py"), "--tiny"]
    run = subprocess.run(
        [*command, "--out", str(tmp_path), "--page", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    results = json.loads((tmp_path / "tiny.json").read_text())
    assert results["versions"]["bough"] and results["commit"]
    assert "cores" in results["machine"] and "GiB" in results["machine"]
    rows = results["results"]["tables"]
    assert [(row["contender"], row["threads"]) for row in rows] == [
        ("bough", 2),
        ("bough", 1),
        ("scikit-learn", 1),
    ]
    for row in rows:
        assert row["status"] == "" and row["seconds"] > 0 and row["peak"] >= 0
        assert (row["nodes"], row["trees"]) == (15, 1)
        assert row["impurity"] == pytest.approx(rows[0]["impurity"], rel=1e-12)
    page = (tmp_path / "speed-figures.md").read_text()
    assert "--tiny" in page and "| made-400x5 | 3 |" in page and "| yes |" in page
    drawing = ElementTree.parse(tmp_path / "speed-rows.svg").getroot()
    assert len(drawing.findall("{*}polyline")) == 2


def test_what_crashes_or_takes_too_long_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import jobs

    job: dict[str, Any] = {"contender": "nobody", "table": "", "depth": 1, "threads": 1}
    assert jobs.child(job, 60)["status"] == "failed: KeyError: 'nobody'"
    assert jobs.child(job, 0.01)["status"].startswith("over")
    asked = []

    def late(job: dict[str, Any], limit: float) -> dict[str, Any]:
        asked.append(job["depth"])
        return {"status": "over 45 s"}

    monkeypatch.setattr(jobs, "child", late)
    monkeypatch.setattr(jobs, "prepare", lambda table: "")
    runner = jobs.Jobs(jobs.Plan((), (), ("bough",), spend=0.0), deadline=float("inf"))
    rows = list(runner.table(jobs.Timed("made-400x5", (1, 2))))
    assert asked == [1]  # the other thread count and the greater depth are not tried
    assert {row["status"] for row in rows} == {"over 45 s", "over 45 s already"}


def test_leaves_are_judged_by_the_rows_in_them() -> None:
    import measure

    leaf = np.array([3, 3, 3, 5, 5])
    assert measure.impurity(leaf, np.array([0, 0, 1, 2, 2])) == pytest.approx(3 / 5 * 4 / 9)
    numbers = np.array([1.0, 2.0, 3.0, 7.0, 7.0])
    assert measure.impurity(leaf, numbers) == pytest.approx(2 / 5)
    assert measure.nodes(np.column_stack([leaf, np.arange(5)])) == 3 + 9


def test_goals_are_about_what_a_run_times() -> None:
    import goals
    import plan

    timed = {(t.table, depth) for t in plan.PLANS["full"].tables for depth in t.depths}
    asked = {(g.match["table"], g.match["depth"]) for g in goals.GOALS if g.part == "tables"}
    assert asked <= timed
    million = {**goals.MILLION, "status": ""}
    rows = [
        {**million, "contender": "bough", "threads": 2, "seconds": 0.5, "peak": 10},
        {**million, "contender": "bough", "threads": 1, "seconds": 0.9, "peak": 10},
        {**million, "contender": "LightGBM", "threads": 2, "seconds": 1.0, "peak": 30},
        {**million, "contender": "LightGBM", "threads": 1, "seconds": 9.0, "peak": 30},
    ]
    text = goals.as_table({"results": {"tables": rows}})
    assert "| 1,000,000 × 28, depth 8 | LightGBM | 3 × | 2.00 × | **no** |" in text
    assert "over the input | LightGBM | 1 × | 3.00 × | yes |" in text
    assert "a second thread | one thread | 1.7 × | 1.80 × | yes |" in text
    assert "| scikit-learn | 60 × | not measured |  |" in text
