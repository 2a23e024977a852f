"""What users import, what they wait for, what ships, and whether the README tells the truth."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import bough
from bough import datasets

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
HEAVY = ("numpy", "duckdb", "sklearn", "rich", "narwhals", "msgspec", "pandas", "pyarrow")


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=cwd, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(statement: str) -> set[str]:
    """The heavy modules a new Python holds after a statement."""
    told = run(
        sys.executable,
        "-W",
        "error",
        "-c",
        f"{statement}\nimport sys\nprint('loaded', *[m for m in {HEAVY} if m in sys.modules])",
    )
    return set(told.splitlines()[-1].split()[1:])


# ---- names -------------------------------------------------------------------------------------


def test_names() -> None:
    assert sorted([*bough.__all__, "__version__"]) == sorted(dir(bough))
    assert bough.__all__ == sorted(
        bough.__all__, key=lambda n: (not n.isupper(), n[0].islower(), n)
    )
    for name in bough.__all__:
        assert getattr(bough, name) is not None
    assert re.fullmatch(r"\d+\.\d+\.\d+", bough.__version__)


def test_no_name_is_hidden_by_a_module() -> None:
    """`bough.grow` is the function, whatever was imported before."""
    for name in bough.__all__:
        assert not isinstance(getattr(bough, name), ModuleType), name
        assert not (ROOT / "src" / "bough" / f"{name}.py").exists(), name


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="module 'bough' has no attribute 'grwo'"):
        bough.grwo  # noqa: B018


def test_star() -> None:
    told = run(
        sys.executable, "-c", "before = set(globals()); from bough import *; "
        "print(*sorted(set(globals()) - before - {'before'}))"
    )  # fmt: skip
    assert told.split() == sorted(bough.__all__)


def test_errors_are_caught_as_one_and_as_value_errors() -> None:
    for error in (bough.DataError, bough.OptionError, bough.ModelFileError):
        assert issubclass(error, bough.BoughError) and issubclass(error, ValueError)


# ---- waiting -----------------------------------------------------------------------------------


def test_import_is_light() -> None:
    assert loaded_by("import bough") == set()
    assert loaded_by("import bough; dir(bough); bough.DataError; bough.OPTIONS") == set()
    assert "sklearn" not in loaded_by("import bough; [getattr(bough, n) for n in bough.__all__]")


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["grow", "--help"], ["recipes", "-h"]])
def test_help_is_light(args: list[str]) -> None:
    main = (
        f"from bough.cli import main\ntry: main({args})\nexcept SystemExit as e: assert not e.code"
    )
    assert loaded_by(main) == set()


def test_commands_do_without_scikit_learn() -> None:
    path = datasets.path("restaurant")
    told = loaded_by(
        f"from bough.cli import main\ntry: main(['grow', {str(path)!r}, '--target', 'WillWait'])\n"
        "except SystemExit as e: assert not e.code"
    )
    assert not told & {"sklearn", "pandas", "pyarrow"}


# ---- what ships --------------------------------------------------------------------------------


def test_package_data() -> None:
    """Through importlib.resources, as an installed package finds it."""
    package = files("bough")
    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("_core.pyi").is_file()
    schema = json.loads(package.joinpath("model.schema.json").read_text("utf-8"))
    assert schema["$schema"].startswith("https://json-schema.org/")
    tables = {entry.name for entry in package.joinpath("datasets").iterdir()} - {"__pycache__"}
    assert tables == {f"{name}.csv" for name in datasets.names()} | {"__init__.py"}
    assert all(Path(datasets.path(name)).stat().st_size > 0 for name in datasets.names())


# ---- the README --------------------------------------------------------------------------------

BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = [line.strip().split("  #")[0].strip() for line in README.splitlines()
         if line.startswith("    bough ")]  # fmt: skip


@pytest.fixture
def titanic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the README's example files: the passenger list, and new and test rows of it."""
    path = Path(datasets.path("titanic"))
    for name in ("titanic.csv", "new.csv", "test.csv"):
        shutil.copy(path, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_readme_python(titanic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(BLOCKS) == 3
    checked = 0
    here: dict[str, Any] = {"df": pd.read_csv(titanic / "titanic.csv")}
    for block in BLOCKS:
        exec(block, here)
        for line in block.splitlines():
            code, _, told = line.partition("  # ")
            if value := re.match(r"\s*(\d\.\d+|True)\b", told):
                assert eval(code, here) == json.loads(value[1].lower()), line
                checked += 1
    assert checked == 3
    assert "Sex = female" in capsys.readouterr().out
    assert (titanic / "titanic.json").exists()


def test_readme_shell(titanic: Path) -> None:
    """As written, through the real program."""
    program = Path(sys.executable).with_name("bough")
    assert len(SHELL) >= 6 and {line.split()[1] for line in SHELL} >= {"data", "grow", "predict"}
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    for line in SHELL:
        done = subprocess.run(
            line,
            shell=True,
            cwd=titanic,
            env={**os.environ, "PATH": path},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"
    answers = pd.read_csv(titanic / "answers.csv")
    assert list(answers) == ["PassengerId", "Survived"] and len(answers) == 891


def test_readme_shows_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    """The tree on the first screen is the one `make demo` prints, but for what … stands for."""
    from bough.cli import main

    makefile = (ROOT / "Makefile").read_text("utf-8")
    flags = re.search(r"bough grow .*\)\)\"\) (--target .*) --out", makefile)
    assert flags, "the demo grows a tree"
    with pytest.raises(SystemExit):
        main(["grow", str(datasets.path("titanic")), *flags[1].split()])
    printed = capsys.readouterr().out.splitlines()
    told = README.split("What you then see:")[1].split("```")[1].strip("\n").splitlines()
    missing = [line for line in told if line != "…" and line not in printed]
    assert not missing, "\n".join(missing)


def test_readme_links() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]
