"""bough rules"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import bough
from bough import datasets
from bough.cli.rules import rules as command
from bough.errors import BoughError, OptionError
from bough.rules import load, rules_of

RESTAURANT = str(datasets.path("restaurant"))


def run(*args: str) -> Result:
    result = CliRunner().invoke(command, args)
    if isinstance(result.exception, BoughError):
        raise result.exception
    return result


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "tree.json"
    bough.grow(datasets.load("restaurant"), recipe="id3").save(file)
    return str(file)


def test_the_rules_of_a_tree(model: str) -> None:
    result = run(model)
    assert result.exit_code == 0
    assert result.stdout.startswith("WillWait: 8 rules; the first that fits answers\n")
    assert "0  if Pat = Some\n   then Yes" in result.stdout
    assert "error" not in result.stdout


def test_pruned_scored_and_saved(model: str, tmp_path: Path) -> None:
    out = tmp_path / "rules.json"
    result = run(model, "--data", RESTAURANT, "--prune", "pessimistic", "--out", str(out))
    assert result.exit_code == 0
    assert "\nerror " in result.stdout
    assert "pairs of rules that fit the same rows" in result.stdout
    assert f"wrote {out}" in result.stderr
    table = datasets.load("restaurant")
    saved = load(out)
    assert saved == rules_of(bough.grow(table, recipe="id3"), table, prune="pessimistic")
    again = run(str(out), "--data", RESTAURANT, "--drop-idle")
    assert f"{len(saved.drop_idle(table))} rules" in again.stdout.splitlines()[0]
    assert json.loads(run(str(out), "--json").stdout) == json.loads(out.read_text())


def test_cf_order_plain_and_exact(model: str) -> None:
    few = run(model, "--data", RESTAURANT, "--prune", "pessimistic", "--cf", "0.001")
    many = run(model, "--data", RESTAURANT, "--prune", "pessimistic", "--cf", "0.9")
    assert few.stdout.count("and") < many.stdout.count("and")
    assert "0  if Pat = Full" in run(model, "--order", "tree").stdout
    assert run(model, "--plain", "--data", RESTAURANT).stdout.isascii()
    assert "(or missing)" in run(model, "--exact").stdout


def test_wrong_uses(model: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="Did you mean"):
        run(model, "--prune", "holdot")
    with pytest.raises(OptionError, match="needs rows"):
        run(model, "--prune", "holdout")
    with pytest.raises(BoughError, match="There is no file"):
        run(str(tmp_path / "none.json"))
    with pytest.raises(BoughError, match="already there"):
        run(model, "--out", model)
    assert "--drop-idle needs --data" in run(model, "--drop-idle").stderr
    out = tmp_path / "rules.json"
    run(model, "--out", str(out))
    refused = run(str(out), "--prune", "holdout", "--data", RESTAURANT)
    assert refused.exit_code == 2
    assert "holds rules already" in refused.stderr
