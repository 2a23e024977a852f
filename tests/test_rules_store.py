"""The file of a rule set: the same rules come back, and nothing unsound gets in."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
import trees
from bough import datasets
from bough.data.schema import Column, Schema, Target
from bough.errors import BoughError, ModelFileError
from bough.rules import Rule, RuleSet, condition, load, rules_of
from bough.rules.store import dumps, is_rules, loads
from rules_help import rows_for, same

RESTAURANT = datasets.load("restaurant")


def restaurant() -> RuleSet:
    return rules_of(bough.grow(RESTAURANT, recipe="id3"), RESTAURANT, prune="pessimistic")


def alike(one: RuleSet, other: RuleSet) -> bool:
    """Everything, scores and words included; `==` leaves the scores out."""
    assert one == other
    assert repr([rule.score for rule in one.rules]) == repr([rule.score for rule in other.rules])
    flags = [[c.missing_named for r in rules.rules for c in r.conditions] for rules in (one, other)]
    assert flags[0] == flags[1]
    return str(one) == str(other) and one.scored_on == other.scored_on


@pytest.mark.parametrize("seed", range(120))
def test_random_rules_come_back(seed: int) -> None:
    tree = trees.random_tree(seed, splits=seed % 20)
    table = rows_for(tree, np.random.default_rng(seed), 80)
    for rules in (rules_of(tree), rules_of(tree, table, prune="holdout")):
        data = dumps(rules)
        again = loads(data)
        assert alike(again, rules)
        assert dumps(again) == data
        assert same(again.predict(table), rules.predict(table))


def test_edited_rules_come_back() -> None:
    columns = Column("age", "number"), Column("port", "category", ("C", "Q"), "text")
    schema = Schema(columns, Target("y", "classification", (False, True)))
    asked: list[dict[str, Any]] = [
        {"above": -0.0, "at_most": 5e-324},
        {"at_least": 1e308, "missing": True},
        {"below": 0.1},
        {},
        {"missing": True, "known": False},
        {"missing": True},
    ]
    made = [Rule((condition(columns[0], **one),), i % 2, (1.0, 2.5)) for i, one in enumerate(asked)]
    port = [{"levels": ["Q"]}, {}, {"missing": True, "known": False}, {"levels": ["C", "Q"]}]
    made += [Rule((condition(columns[1], **one),), -1, (0.0, 0.0)) for one in port]  # type: ignore[arg-type]
    rules = RuleSet(schema, tuple(made), Rule((), 1, (0.5, 0.5)))
    assert alike(loads(dumps(rules)), rules)


def test_what_is_not_known_of_a_number_comes_back() -> None:
    rules = rules_of(trees.houses()).set_answer(1, None)
    again = loads(dumps(rules))
    assert math.isnan(again.rules[1].answer)
    assert alike(again, rules)


def test_save_and_load(tmp_path: Path) -> None:
    rules, file = restaurant(), tmp_path / "rules.json"
    rules.save(file)
    assert alike(load(file), rules)
    assert is_rules(file)
    with pytest.raises(BoughError, match="already there"):
        rules.save(file)
    rules.save(file, force=True)
    assert file.read_bytes() == dumps(rules)


def test_one_rule_is_one_line() -> None:
    rules = restaurant()
    lines = dumps(rules).decode().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"rules":['))
    assert len(lines[start + 1 :]) == len(rules) + 1
    assert json.loads(lines[start + 1].rstrip(","))["then"] == "Yes"


def test_the_report_is_kept() -> None:
    rules = restaurant()
    assert (
        loads(dumps(rules)).report["dropped_conditions"] == rules.report["dropped_conditions"] > 0
    )


def test_is_rules_says_no_to_everything_else(tmp_path: Path) -> None:
    tree = tmp_path / "tree.json"
    bough.grow(RESTAURANT).save(tree)
    assert not is_rules(tree)
    assert not is_rules(tmp_path / "nothing.json")
    assert not is_rules(tmp_path)


# ---- what is refused -----------------------------------------------------------------------------


def told() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dumps(restaurant()))
    return found


def put(*path: Any, value: Any) -> Any:
    def change(record: dict[str, Any]) -> None:
        at: Any = record
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


def gone(*path: Any) -> Any:
    def change(record: dict[str, Any]) -> None:
        at: Any = record
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]

    return change


PAT = {"column": "Pat", "levels": ["Some"]}
WRONG: list[tuple[Any, str]] = [
    (put("format", value="bough tree"), r'its "format" is not "bough rules"'),
    (put("version", value=2), r"newer bough \(format version 2\).*upgrade"),
    (put("version", value=10**40), r"out of range"),
    (put("version", value="1"), r'"version" is not a whole number'),
    (put("version", value=True), r'"version" is not a whole number'),
    (put("more", value=1), r'unknown field "more"'),
    (gone("rules"), r'has no "rules"'),
    (put("rules", value={}), r'"rules" of the file is not a list'),
    (put("rules", 0, value=[]), r"rule 0 is not a map"),
    (put("rules", 0, "then", value="Perhaps"), r'"then" of rule 0 is "Perhaps", which is no class'),
    (put("rules", 0, "then", value=1), r'"then" of rule 0 is "1", which is no class'),
    (gone("rules", 0, "then"), r'rule 0 has no "then"'),
    (put("rules", 0, "stats", value=[1.0]), r"rule 0 has 1 stats; it must have 2"),
    (put("rules", 0, "stats", value=[1.0, -1.0]), r"rule 0 has a stat below 0"),
    (put("rules", 0, "stats", value=[1.0, "2"]), r"a stat of rule 0 is not a number"),
    (put("rules", 0, "stats", value=[1.0, 10**400]), r"a stat of rule 0 is out of range"),
    (put("rules", 0, "leaf", value=2**40), r"leaf of rule 0 is out of range"),
    (put("rules", 0, "leaf", value=1.0), r'"leaf" of rule 0 is not a whole number'),
    (put("rules", 0, "score", value=3), r"the score of rule 0 is not a map"),
    (put("rules", 0, "score", "rows", value=-1), r'"rows" of the score of rule 0 is out of range'),
    (put("rules", 0, "score", "lift", value=-1), r'"lift" of the score of rule 0 is out of range'),
    (put("rules", 0, "if", 0, "column", value="Pub"), r'rule 0 asks about "Pub"'),
    (put("rules", 0, "if", 0, "above", value=1), r'has levels, so above cannot bound it'),
    (put("rules", 0, "if", 0, "levels", value=["All"]), r"""has no level 'All'"""),
    (put("rules", 0, "if", 0, "levels", value=["Some", "Some"]), r'"Some" is listed twice'),
    (put("rules", 0, "if", 0, "levels", value=[]), r"at least one level"),
    (put("rules", 0, "if", 0, "levels", value=[3]), r"is not a text"),
    (put("rules", 0, "if", 0, "missing", value=1), r'"missing" of .* is not true or false'),
    (put("rules", 0, "if", value=[PAT, PAT]), r'column of rule 0 "Pat" is listed twice'),
    (put("default", "if", value=[PAT]), r"the default has conditions"),
    (put("schema", "columns", 0, "name", value="Bar"), r'column "Bar" is listed twice'),
    (put("schema", "columns", 0, "kind", value="text"), r'it can be number, ordered, category'),
    (put("schema", "columns", 0, "kind", value="number"), r"a number column with levels"),
    (put("schema", "target", "classes", value=[]), r"classification with 0 classes"),
    (put("schema", "target", "classes", value=[[], 1]), r"not a text, a number or a truth value"),
    (put("schema", "target", "task", value="regression"), r"regression with 2 classes"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_unsound_files_are_refused(change: Any, message: str) -> None:
    record = told()
    change(record)
    with pytest.raises(ModelFileError, match=message):
        loads(json.dumps(record).encode())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"[]", "not a map"),
        (b"\xff", "not UTF-8"),
        (b"{", "cut off"),
        (b"{]", "not valid JSON"),
        (b'{"a":1,"a":2}', "given twice"),
        (b'{"a":NaN}', "NaN, which is not JSON"),
        (b'{"a":' + b"9" * 5000 + b"}", "too many digits"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_rule_file_at_all(data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        loads(data)


def test_a_file_cut_anywhere_is_refused() -> None:
    data = dumps(restaurant())
    for end in range(0, len(data) - 2, 97):
        with pytest.raises(ModelFileError):
            loads(data[:end])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_stands_in_a_field_is_an_answer_or_one_clear_error(data: st.DataObject) -> None:
    record = told()
    at: Any = record
    while True:  # walk to some place in the file
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        inner = at[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        at = inner
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    at[key] = data.draw(scalars | st.lists(scalars, max_size=2))
    try:
        text = json.dumps(record).encode()
        rules = loads(text)
    except ModelFileError:
        return
    assert dumps(rules) == dumps(loads(dumps(rules)))


def test_names_that_no_file_can_hold_are_not_written() -> None:
    schema = Schema((Column("a\ud800", "number"),), Target("y", "classification", (0, 1)))
    rules = RuleSet(schema, (), Rule((), 0, (1.0, 0.0)))
    with pytest.raises(ModelFileError, match="half a character"):
        dumps(rules)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="There is no file"):
        load(tmp_path / "none.json")
    with pytest.raises(ModelFileError, match="is not a file"):
        load(tmp_path)
