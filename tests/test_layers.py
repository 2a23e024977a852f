"""Dependencies point one way: the order of the list in docs/design.md, section 2."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "bough"

ORDER = (
    "errors",
    "files",
    "data",
    "option",
    "prune_options",
    "prune_checks",
    "options",
    "recipes",
    "splits",
    "prices",
    "tree",
    "core",
    "costs",
    "folds",
    "predict",
    "asking",
    "restat",
    "growing",
    "measure",
    "prune",
    "making",
    "bundles",
    "evaluation",
    "scores",
    "evaluate",
    "comparison",
    "compare",
    "importance",
    "counting",
    "modelfile",
    "store",
    "lesson",
    "view",
    "rules",
    "sklearn",
    "sklearn_rules",
    "cli",
    "datasets",
)
"""A module may import what stands before it. A folder is one entry, free inside itself."""

PLACE = {name: place for place, name in enumerate(ORDER)}

BACKWARD = {
    ("tree", "predict"),
    ("tree", "prune"),
    ("tree", "asking"),
    ("tree", "store"),
    ("tree", "rules"),
    ("tree", "view"),
    ("sklearn", "sklearn_rules"),
}
"""Imported inside functions (or for type checkers) although later: the one-line methods of Tree,
and all estimators under one name."""

OUTSIDE: dict[str, tuple[str, ...]] = {
    "bough._core": ("core.py", "measure.py", "data/arrow.py", "data/frames.py"),
    "click": ("cli/",),
    "duckdb": ("data/",),
    "joblib": ("sklearn.py", "sklearn_rules.py"),
    "msgspec": ("store.py", "modelfile/"),
    "narwhals": (
        "data/",
        "costs.py",
        "sklearn.py",
        "sklearn_rules.py",
    ),  # there: is X a DataFrame at all?
    "rich": ("cli/", "view/"),
    "scipy": ("prune/", "rules/", "sklearn.py", "sklearn_rules.py"),
    "sklearn": ("sklearn.py", "sklearn_rules.py"),
}
"""What is heavy, foreign or replaceable, and the only places that know it."""

RUN_TIME = {"numpy", "narwhals", "duckdb", "click", "rich", "msgspec", "sklearn"}
COMES_WITH = {"joblib", "scipy"}  # with scikit-learn


class Import(NamedTuple):
    file: str
    module: str
    late: bool
    """Inside a function, or under TYPE_CHECKING."""


def _imports() -> Iterator[Import]:
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        yield from _of_body(file, ast.parse(path.read_text("utf-8")).body, late=False)


def _of_body(file: str, body: list[ast.stmt], late: bool) -> Iterator[Import]:
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (Import(file, module, late) for module in _modules(statement))
            continue
        checking = isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)
        function = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = [x for x in getattr(statement, name, []) if hasattr(x, "lineno")]
            yield from _of_body(file, inner, late or function or (checking and name == "body"))


def _modules(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    assert statement.level == 0 and statement.module, "relative imports hide the direction"
    if statement.module == "bough":  # `from bough import core`: a module; `… import load`: not
        return [f"bough.{alias.name}" for alias in statement.names]
    return [statement.module]


IMPORTS = list(_imports())


def _entry(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def _is_ours(module: str) -> bool:
    return module.startswith("bough.") and module not in ("bough.__version__", "bough._core")


def test_the_reader_of_imports_sees_them() -> None:
    assert Import("core.py", "bough._core", False) in IMPORTS
    assert Import("tree.py", "bough.view.terminal", True) in IMPORTS
    assert Import("cli/grow.py", "bough.making", True) in IMPORTS
    assert Import("data/files.py", "duckdb", True) in IMPORTS
    assert len({found.file for found in IMPORTS}) > 40


def test_every_module_has_its_place() -> None:
    entries = {_entry(path.relative_to(PACKAGE).as_posix()) for path in PACKAGE.rglob("*.py")}
    without = sorted(entries - set(ORDER) - {"__init__", "__main__"})
    assert not without, f"add to ORDER here and to the list in docs/design.md: {without}"
    assert len(set(ORDER)) == len(ORDER)


def test_imports_follow_the_order() -> None:
    wrong = []
    for found in IMPORTS:
        importer = _entry(found.file)
        if not _is_ours(found.module) or importer in ("__init__", "__main__"):
            continue
        imported = found.module.split(".")[1]
        if importer not in PLACE or imported not in PLACE:
            continue  # told by the test above
        if PLACE[imported] <= PLACE[importer]:
            continue
        if not (found.late and (importer, imported) in BACKWARD):
            wrong.append(f"{found.file} imports {found.module}, which is later")
    assert not wrong, "\n".join(wrong)


def test_exceptions_are_still_needed() -> None:
    late = {(_entry(f.file), f.module.split(".")[1]) for f in IMPORTS if _is_ours(f.module)}
    assert late >= BACKWARD


def test_the_package_itself_imports_nothing_of_its_own() -> None:
    eager = [f for f in IMPORTS if f.file == "__init__.py" and _is_ours(f.module) and not f.late]
    assert not eager


@pytest.mark.parametrize("module", OUTSIDE)
def test_only_there(module: str) -> None:
    users = {f.file for f in IMPORTS if f.module == module or f.module.startswith(module + ".")}
    strangers = sorted(user for user in users if not user.startswith(OUTSIDE[module]))
    assert users, f"nothing imports {module}: take it off the list"
    assert not strangers, f"{module} is imported by {strangers}, not only by {OUTSIDE[module]}"


def test_view_takes_only_the_widths_of_cells_from_rich() -> None:
    assert {f.module for f in IMPORTS if f.file.startswith("view/") and "rich" in f.module} == {
        "rich.cells"
    }


def test_nothing_else_is_needed_at_run_time() -> None:
    import sys

    outside = {f.module.split(".")[0] for f in IMPORTS} - set(sys.stdlib_module_names) - {"bough"}
    assert outside == RUN_TIME | COMES_WITH


def test_only_the_bindings_know_nanobind_and_python() -> None:
    files = [path for path in (ROOT / "src" / "core").rglob("*.?pp") if path.is_file()]
    words = ("nanobind", "Python.h")
    users = {p.name for p in files if any(f"{word}" in p.read_text("utf-8") for word in words)}
    assert users == {"bindings.cpp"}
