"""The README and the pages are run: every command, every line of output they show, every line of
Python; and what they name exists.

A block after `<!-- pending: … -->` waits for something that is being built, and is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bough
from bough import datasets

HOME = Path(__file__).parent.parent
README = HOME / "README.md"
PAGES = [README, HOME / "CONTRIBUTING.md", *sorted((HOME / "docs").glob("*.md"))]

BLOCK = re.compile(r"^(<!-- pending: [^\n]*-->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in that language that do not wait for anything."""
    found = [match.groups() for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
    return [text for pending, name, text in found if name == language and not pending]


def steps(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Every command, and the lines of output below it."""
    for text in blocks(page, "console"):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield command, shown


def asserts_shown(shown: list[str], told: list[str], what: str) -> None:
    """Each line shown is one of those told, in order; `…` in a line is any text, a line of it
    any lines."""
    at, loose = 0, False
    for line in shown:
        if line == "…":
            loose = True
            continue
        form = re.compile(".*".join(map(re.escape, line.split("…"))))
        places = range(at, len(told)) if loose else range(at, min(at + 1, len(told)))
        at = next((place + 1 for place in places if form.fullmatch(told[place])), 0)
        assert at, f"{what}\nshows no line\n{line}\nbut\n" + "\n".join(told)
        loose = False
    if shown:
        assert loose or at == len(told), f"{what}\ngoes on:\n" + "\n".join(told[at:])


def typed(command: str, folder: Path) -> list[str]:
    """What a command prints, notes included."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout.splitlines()


def test_every_command_prints_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "src").symlink_to(HOME / "src")
    ran = list(steps(README))
    assert len(ran) >= 10
    for command, shown in ran:
        asserts_shown(shown, typed(command, tmp_path), command)


def test_the_demo_prints_what_the_first_screen_shows(tmp_path: Path) -> None:
    makefile = (HOME / "Makefile").read_text(encoding="utf-8")
    flags = re.search(r"bough grow \$\$\(.*?\) (--target .*?) --out", makefile)
    assert flags is not None
    grown = typed(f"bough grow {HOME}/src/bough/datasets/titanic.csv {flags[1]}", tmp_path)
    first = next(place for place, line in enumerate(grown) if line.startswith("Survived: "))
    (shown,) = blocks(README, "")
    asserts_shown(shown.splitlines(), grown[first:], "make demo")


def test_every_line_of_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    checked = 0
    for text in blocks(README, "python"):
        exec(compile(text, "README.md", "exec"), names)
        for line in text.splitlines():  # `what # 0.97 bits`: what it gives stands behind it
            told = re.fullmatch(r"(\w.*?) +# (True|[\d.]+)(?: bits|: .*)?", line)
            if told:
                checked += 1
                assert str(eval(told[1], names)) == told[2], line
    assert checked >= 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"
    for name in re.findall(r"`((?:tests|src|bench|docs)/[\w./-]+)`", text):
        assert (HOME / name).exists(), f"{page.name} names {name}"


# ---- the pages -----------------------------------------------------------------------------------

OWN = "[small]\nrecipe = 'cart'\nmax_depth = 4\n"
"""A file of bundles."""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A folder with the files the pages speak of, and the names their Python takes for granted."""
    monkeypatch.chdir(tmp_path)
    for name in ("titanic", "restaurant"):
        shutil.copy(datasets.path(name), tmp_path)
    titanic = pd.read_csv("titanic.csv").drop(columns=["PassengerId", "Name", "Ticket", "Cabin"])
    training, held = titanic[::2], titanic[1::2]
    training.to_csv("training.csv", index=False)
    for name in ("held.csv", "held_out.csv", "test.csv"):
        held.assign(w=1).to_csv(name, index=False)
    titanic.rename(columns={"Survived": "y"}).to_csv("data.csv", index=False)
    pd.DataFrame({"actual": [0, 1], "0": [0, 5], "1": [1, 0]}).to_csv("costs.csv", index=False)
    (tmp_path / "own.toml").write_text(OWN)
    tree = bough.grow("training.csv", target="Survived", recipe="id3", max_depth=4)
    tree.save("model.json")
    row = held.iloc[0].to_dict()
    known = {"X": training.drop(columns="Survived"), "y": training["Survived"]}
    return {"bough": bough, "tree": tree, "training": training, "new": held, "row": row, **known}


@pytest.mark.parametrize("page", PAGES[2:], ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page: Path, stage: dict[str, Any], tmp_path: Path) -> None:
    for command, shown in steps(page):
        asserts_shown(shown, typed(command, tmp_path), command)
    for text in blocks(page, "python"):
        exec(compile(text, page.name, "exec"), stage)
