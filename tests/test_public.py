"""What users import, what they wait for, what ships. (What the pages show: test_pages.py.)"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

import bough
from bough import datasets

ROOT = Path(__file__).parents[1]
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
