"""The page of figures and its plots, made from the results of a run.

python bench/page.py bench/results/all.json [FOLDER]     into docs/, or another folder
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from goals import as_table
from peers import CONTENDERS
from plan import DRAWN, GROWTH, PLANS, TABLES
from plot import lines_svg

DOCS = Path(__file__).parent.parent / "docs"
SAME = 1e-9
"""Impurities that differ by a smaller share are equal: sums were taken in another order."""

Row = dict[str, Any]
Results = Mapping[str, Any]


def write(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    drawn = plots(results)
    for name, svg in drawn.items():
        (folder / name).write_text(svg)
    (folder / "speed-figures.md").write_text(page(results, drawn))
    print(f"wrote speed-figures.md and {len(drawn)} plots to {folder}")


def page(results: Results, drawn: Mapping[str, str]) -> str:
    rows = results["results"].get("tables", [])
    pictures = "\n".join([ENDS, "", *(f"![{PLOTS[name]}]({name})\n" for name in drawn)])
    sections = (
        ("Goals", as_table(results)),
        ("One tree", ONE_TREE + "\n\n" + summary(rows)),
        ("As it grows", pictures if drawn else ""),
        ("The second thread", second_thread(rows)),
        ("Small tables, prediction, starting", in_process(results)),
        ("How each is asked", how()),
        ("All figures of one tree", details(rows)),
    )
    return head(results) + "".join(f"\n## {title}\n\n{text}\n" for title, text in sections if text)


def head(results: Results) -> str:
    versions = ", ".join(f"{k} {v or 'not installed'}" for k, v in results["versions"].items())
    busy = max(results["load_before"], 0.0)
    noise = (
        f" **The machine was busy with other work (load {busy:.1f} before the run): the times are "
        "not good ones.**"
        if busy > 1.0
        else ""
    )
    return (
        f"# Figures of speed\n\nMade by `{results['command']}` on {results['date']} in "
        f"{results['minutes']:.0f} minutes; do not edit it by hand. Commit {results['commit']}; "
        f"{results['machine']}; {results['system']}; Python {results['python']}; {versions}."
        f"{noise}\n\n"
        "A ratio is the peer's time over bough's: above 1, bough is faster. Everything was timed "
        "in one run, each contender in a process of its own, best of several where it is short.\n"
    )


# ---- one tree ------------------------------------------------------------------------------------

ONE_TREE = (
    "bough with two threads: seconds. The peers, with two threads where they can: their time over "
    "bough's. † a tree per class instead of one. *Same as scikit-learn*: is bough's training "
    "impurity scikit-learn's? Among equally good splits the two may choose differently, and then "
    "what is below differs. Nothing stands where a peer takes numbers only."
)


def summary(rows: Sequence[Row]) -> str:
    names = [name for name in CONTENDERS if any(row["contender"] == name for row in rows)]
    peers = [name for name in names if name != "bough"]
    lines = [
        f"| table | depth | bough | {' | '.join(peers)} | same as scikit-learn |",
        "|---|---|--:|" + "--:|" * len(peers) + "---|",
    ]
    for (table, depth), group in tables(rows):
        most = {row["contender"]: row for row in sorted(group, key=lambda row: row["threads"])}
        mine = most["bough"]
        cells = [ratio(most.get(name), mine) for name in peers]
        lines.append(
            f"| {table} | {words_of(depth)} | {seconds(mine)} | {' | '.join(cells)} "
            f"| {same(mine, most.get('scikit-learn'))} |"
        )
    known = {row["table"] for row in rows}
    told = [f"* `{t.table}`: {t.words}" for t in TABLES if t.words and t.table in known]
    return "\n".join([*lines, "", *told]) if rows else ""


def tables(rows: Iterable[Row]) -> Iterable[tuple[tuple[str, int | None], list[Row]]]:
    """By table and depth, each table where it came first."""
    groups: dict[str, dict[int | None, list[Row]]] = {}
    for row in rows:
        groups.setdefault(row["table"], {}).setdefault(row["depth"], []).append(row)
    for table, depths in groups.items():
        for depth, group in depths.items():
            yield (table, depth), group


def ratio(row: Row | None, mine: Row) -> str:
    if row is None:
        return ""
    if row["status"]:
        return row["status"]
    if mine["status"]:
        return seconds(row)
    mark = "†" if row.get("trees", 1) > 1 else ""
    return f"{row['seconds'] / mine['seconds']:.1f} ×{mark}"


def same(mine: Row, other: Row | None) -> str:
    if other is None or "impurity" not in mine or "impurity" not in other:
        return ""
    a, b = mine["impurity"], other["impurity"]
    if abs(a - b) <= SAME * max(abs(a), abs(b)):
        return "yes"
    if max(a, b) < 1e-12:
        return "yes"
    return f"{(a / b - 1):+.2g} of it"


def words_of(depth: int | None) -> str:
    return "fully grown" if depth is None else str(depth)


def seconds(row: Row) -> str:
    return row["status"] or f"{row['seconds']:.3g} s"


def second_thread(rows: Sequence[Row]) -> str:
    names = [name for name in CONTENDERS if len(CONTENDERS[name].threads) > 1]
    lines = [
        f"Time with one thread over time with two, depth 8.\n\n| table | {' | '.join(names)} |",
        "|---|" + "--:|" * len(names),
    ]
    for (table, depth), group in tables(rows):
        timed = {(r["contender"], r["threads"]): r["seconds"] for r in group if not r["status"]}
        pairs = [(timed.get((name, 1)), timed.get((name, 2))) for name in names]
        if depth == 8 and any(a and b for a, b in pairs):
            cells = " | ".join(f"{a / b:.2f}" if a and b else "" for a, b in pairs)
            lines.append(f"| {table} | {cells} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def details(rows: Sequence[Row]) -> str:
    """Time, memory, impurity and nodes, one table for every table."""
    parts = []
    for (table, depth), group in tables(rows):
        known = [row["rows"] for row in group if "rows" in row]
        if not known:
            continue
        lines = [
            f"**{table}**, {known[0]:,} rows, depth {words_of(depth)}\n",
            "| | threads | time | runs | peak memory over the input | impurity | nodes | trees |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
        ]
        lines += [f"| {row['contender']} | {row['threads']} | {figures(row)} |" for row in group]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def figures(row: Row) -> str:
    if row["status"]:
        return f"{row['status']} | | | | | "
    peak = f"{row['peak'] / 2**20:,.0f} MiB ({row['peak'] / row['bytes']:.2f} × input)"
    worth = f"{row['impurity']:.9g}" if "impurity" in row else ""
    count = f"{row['nodes']:,}" if "nodes" in row else "not judged in time"
    return f"{seconds(row)} | {row['runs']} | {peak} | {worth} | {count} | {row.get('trees', '')}"


# ---- the rest ------------------------------------------------------------------------------------

ENDS = "With two threads, scikit-learn with one. A line that ends early met the limit of time."
PLOTS = {f"speed-{series.name}.svg": series.title for series in GROWTH}


def plots(results: Results) -> dict[str, str]:
    found = {}
    rows = results["results"].get("growth", [])
    for series in PLANS[results["plan"]].growth:
        fits = [row for row in rows if row["series"] == series.name and not row["status"]]
        lines = {
            name: [(row["at"], row["seconds"]) for row in fits if row["contender"] == name]
            for name in DRAWN
        }
        if fits:
            svg = lines_svg({k: v for k, v in lines.items() if v}, series.title, series.axis)
            found[f"speed-{series.name}.svg"] = svg
    return found


def in_process(results: Results) -> str:
    lines = ["| what | bough | peer | ratio | |", "|---|--:|--:|--:|---|"]
    for part in ("small", "medium", "predict", "start"):
        for row in results["results"].get(part, []):
            mine, other = f"{row['bough'] * 1e3:.3g} ms", f"{row['peer'] * 1e3:.3g} ms"
            lines.append(
                f"| {row['what']} | {mine} | {other} | {row['ratio']:.2f} | {row['more']} |"
            )
    if len(lines) == 2:
        return ""
    return "The peer is scikit-learn unless said otherwise.\n\n" + "\n".join(lines)


def how() -> str:
    return "\n".join(f"* **{name}**: {one.words}" for name, one in CONTENDERS.items())


if __name__ == "__main__":
    source, *into = sys.argv[1:]
    write(json.loads(Path(source).read_text()), Path(into[0]) if into else DOCS)
