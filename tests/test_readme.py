"""The README is run: every command, every line of output it shows, every line of Python; and what
the pages name exists.

A block after `<!-- pending: … -->` waits for something that is being built, and is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent
README = (HOME / "README.md").read_text(encoding="utf-8")
PAGES = [HOME / "README.md", HOME / "CONTRIBUTING.md", *sorted((HOME / "docs").glob("*.md"))]

BLOCK = re.compile(r"^(<!-- pending: [^\n]*-->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """The code blocks of the README in that language that do not wait for anything."""
    found = [match.groups() for match in BLOCK.finditer(README)]
    return [text for pending, name, text in found if name == language and not pending]


def steps() -> Iterator[tuple[str, list[str]]]:
    """Every command, and the lines of output below it."""
    for text in blocks("console"):
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
    ran = list(steps())
    assert len(ran) >= 10
    for command, shown in ran:
        asserts_shown(shown, typed(command, tmp_path), command)


def test_the_demo_prints_what_the_first_screen_shows(tmp_path: Path) -> None:
    makefile = (HOME / "Makefile").read_text(encoding="utf-8")
    flags = re.search(r"bough grow \$\$\(.*?\) (--target .*?) --out", makefile)
    assert flags is not None
    grown = typed(f"bough grow {HOME}/src/bough/datasets/titanic.csv {flags[1]}", tmp_path)
    first = next(place for place, line in enumerate(grown) if line.startswith("Survived: "))
    (shown,) = blocks("")
    asserts_shown(shown.splitlines(), grown[first:], "make demo")


def test_every_line_of_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    checked = 0
    for text in blocks("python"):
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
