"""Save and load a rule set: versioned JSON, one rule per line; docs/rules.md describes it.

Reading trusts nothing: whatever is wrong with a file becomes one ModelFileError.
"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from bough import __version__
from bough.data.schema import FORMS, KINDS, TASKS, Column, Schema, Target
from bough.errors import BoughError, ModelFileError
from bough.files import AnyPath, write_bytes
from bough.rules.conditions import Condition, Interval, condition
from bough.rules.rule import Rule, Score
from bough.rules.ruleset import RuleSet

__all__ = ["FORMAT", "VERSION", "dumps", "is_rules", "load", "loads", "save"]

FORMAT = "bough rules"
VERSION = 1
DEEPEST = 32
"""How deep lists and maps may be nested in the report."""
SCORE_FIELDS = tuple(field.name for field in fields(Score))


class Fault(Exception):
    """What is wrong with a rule set; the public functions say with which file, and what to do."""


# ---- the doors -----------------------------------------------------------------------------------


def save(rules: RuleSet, path: AnyPath, *, force: bool = False) -> None:
    """Write a rule set to a file; `force` replaces a file that is there."""
    write_bytes(path, dumps(rules), force=force)


def dumps(rules: RuleSet) -> bytes:
    """The bytes of the file; the same rules always give the same bytes."""
    try:
        data = _text(rules).encode()
        _read(data)  # what could not be loaded again is not written
    except Fault as fault:
        raise ModelFileError(f"These rules cannot be saved: {fault}.") from None
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"These rules cannot be saved: the text {_quote(str(error.object)[error.start :])} "
            "begins with half a character (a lone surrogate), which no file can hold. Correct it "
            "in the data."
        ) from None
    return data


def load(path: AnyPath) -> RuleSet:
    """The rule set in a file."""
    return loads(_bytes_of(Path(path)), str(path))


def is_rules(path: AnyPath) -> bool:
    """Whether a file says that it holds rules; one that cannot be read does not."""
    try:
        return re.match(rb'\s*{\s*"format"\s*:\s*"bough rules"', _bytes_of(Path(path))) is not None
    except ModelFileError:
        return False


def _bytes_of(file: Path) -> bytes:
    try:
        mode = file.stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):  # a device may never end
            return file.read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f'There is no file "{file}". Give the path of saved rules.') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f'Cannot read "{file}": {reason}.') from None
    raise ModelFileError(f'"{file}" is not a file. Give the path of saved rules.')


def loads(data: bytes, name: str = "the rule file") -> RuleSet:
    """The rule set in the bytes of a file; `name` is what messages call it."""
    shown = name if name == "the rule file" else _quote(name, most=400)
    try:
        return _read(data)
    except Fault as fault:
        raise ModelFileError(
            f"Cannot load {shown}: {fault}. Use an undamaged copy, or save the rules again."
        ) from None


def _quote(text: str, most: int = 60) -> str:
    """A name from a file, safe to print: short, and without control characters."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
    return f'"{safe}"'


# ---- writing -------------------------------------------------------------------------------------


def _text(rules: RuleSet) -> str:
    target = rules.schema.target
    told = {"name": target.name, "task": target.task}
    columns = ",\n".join(_json(_column_record(column)) for column in rules.schema.columns)
    classes = {"classes": list(target.classes)} if target.classes else {}
    lines = ",\n".join(_json(_rule_record(rules, rule)) for rule in rules.rules)
    return (
        f'{{"format":{_json(FORMAT)},\n"version":{VERSION},\n"bough":{_json(__version__)},\n'
        f'"schema":{{"target":{_json(told | classes)},"columns":[\n{columns}\n]}},\n'
        f'"scored_on":{_json(rules.scored_on)},\n"report":{_json(_plain(rules.report))},\n'
        f'"default":{_json(_rule_record(rules, rules.default))},\n"rules":[\n{lines}\n]}}\n'
    )


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise Fault("it holds a number that is not finite") from None


def _plain(value: Any, depth: int = 0) -> Any:
    """The report as JSON has it: keys sorted, numbers that are not finite as null."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if depth > DEEPEST:
        raise Fault(f"report is nested more than {DEEPEST} deep")
    if isinstance(value, Mapping):
        named = {str(key): inner for key, inner in value.items()}
        return {key: _plain(named[key], depth + 1) for key in sorted(named)}
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    raise Fault(f"report holds a value of type {type(value).__name__}, which JSON cannot hold")


def _column_record(column: Column) -> dict[str, Any]:
    levels = {"levels": list(column.levels)} if column.levels else {}
    return {"name": column.name, "kind": column.kind, "form": column.form, **levels}


def _rule_record(rules: RuleSet, rule: Rule) -> dict[str, Any]:
    classes, answer = rules.schema.target.classes, rule.answer
    told: Any = answer if answer == answer else None
    if classes:
        told = classes[int(answer)] if answer >= 0 else None
    record: dict[str, Any] = {"if": [_condition_record(one) for one in rule.conditions]}
    record |= {"then": told, "stats": list(rule.stats)}
    if rule.node >= 0:
        record["leaf"] = rule.node
    if rule.score is not None:
        values = {name: getattr(rule.score, name) for name in SCORE_FIELDS}
        record["score"] = {name: value for name, value in values.items() if value == value}
    return record


def _condition_record(one: Condition) -> dict[str, Any]:
    """The words of `bough.rules.condition`."""
    record: dict[str, Any] = {"column": one.column.name}
    if not one.any_known:
        record["known"] = False
    elif isinstance(one, Interval):
        if one.low > -math.inf:
            record["at_least" if one.low_in else "above"] = one.low
        if one.high < math.inf:
            record["at_most" if one.high_in else "below"] = one.high
    elif not one.all_known:
        record["levels"] = [one.column.levels[code] for code in sorted(one.codes)]
    flags = {"missing": one.missing, "missing_named": one.missing_named}
    return record | {name: True for name, flag in flags.items() if flag}


# ---- reading -------------------------------------------------------------------------------------


def _read(data: bytes) -> RuleSet:
    told = _decoded(data)
    if told.get("format") != FORMAT:
        raise Fault(f'it holds no rules (its "format" is not "{FORMAT}")')
    version = told.get("version")
    if type(version) is not int or version < 1:
        raise Fault('its "version" is not a whole number from 1')
    if version >= 2**63:
        raise Fault('its "version" is out of range')
    if version > VERSION:
        raise Fault(
            f"it was written by a newer bough (format version {version}); this one reads up to "
            f"{VERSION}: upgrade bough"
        )
    names = ("format", "version", "bough", "schema", "scored_on", "report", "default", "rules")
    _only(told, names, "the file")
    _get(told, "bough", str, "the file")
    schema = _schema(_get(told, "schema", dict, "the file"))
    default = _rule(_get(told, "default", dict, "the file"), schema, "the default")
    if default.conditions:
        raise Fault("the default has conditions; it has none")
    rules = _get(told, "rules", list, "the file")
    return RuleSet(
        schema,
        tuple(
            _rule(_of(one, dict, f"rule {i}"), schema, f"rule {i}") for i, one in enumerate(rules)
        ),
        default,
        _get(told, "scored_on", str, "the file"),
        _plain(_get(told, "report", dict, "the file")),
    )


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode()
        told = json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise Fault(f"it is not UTF-8 text ({error.reason})") from None
    except RecursionError:
        raise Fault("it is nested too deeply to be rules") from None
    except json.JSONDecodeError as error:
        if not text.strip():
            raise Fault("the file is empty") from None
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise Fault("it is cut off: the JSON text ends in the middle") from None
        raise Fault(f"it is not valid JSON ({error})") from None
    except ValueError:
        raise Fault("it holds a number with too many digits") from None
    return _of(told, dict, "the file")  # type: ignore[no-any-return]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Fault("a field is given twice")
    return found


def _refuse(word: str) -> Any:
    raise Fault(f"it holds {word}, which is not JSON")


WORDS = {dict: "a map", list: "a list", str: "a text", bool: "true or false", int: "a whole number"}


def _of(value: Any, kind: type, where: str) -> Any:
    if type(value) is not kind:
        raise Fault(f"{where} is not {WORDS[kind]}")
    return value


def _get(record: dict[str, Any], name: str, kind: type, where: str, default: Any = None) -> Any:
    if name not in record:
        if default is not None:
            return default
        raise Fault(f'{where} has no "{name}"')
    return _of(record[name], kind, f'"{name}" of {where}')


def _only(record: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    for name in record:
        if name not in names:
            raise Fault(f"{where} has the unknown field {_quote(name)}")


def _number(value: Any, where: str, least: float = -math.inf) -> float:
    if type(value) not in (int, float):
        raise Fault(f"{where} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < least:
        raise Fault(f"{where} is out of range")
    return number


def _schema(told: dict[str, Any]) -> Schema:
    _only(told, ("target", "columns"), "the schema")
    columns = tuple(
        _column(_of(one, dict, f"column {i}"), f"column {i}")
        for i, one in enumerate(_get(told, "columns", list, "the schema"))
    )
    _distinct([column.name for column in columns], "column")
    target = _get(told, "target", dict, "the schema")
    _only(target, ("name", "task", "classes"), "the target")
    task = _word(target, "task", TASKS, "the target")
    classes = _get(target, "classes", list, "the target", default=[])
    if any(type(one) not in (str, int, float, bool) for one in classes):
        raise Fault("a class of the target is not a text, a number or a truth value")
    if (task == "classification") != bool(classes):
        raise Fault(f"{task} with {len(classes)} classes: regression has none")
    _distinct(classes, "class")
    name = _get(target, "name", str, "the target")
    return Schema(columns, Target(name, task, tuple(classes)))  # type: ignore[arg-type]


def _column(told: dict[str, Any], where: str) -> Column:
    _only(told, ("name", "kind", "form", "levels"), where)
    kind, form = _word(told, "kind", KINDS, where), _word(told, "form", FORMS, where)
    levels = _get(told, "levels", list, where, default=[])
    for level in levels:
        _of(level, str, f"a level of {where}")
    _distinct(levels, f"level of {where}")
    if kind == "number" and levels:
        raise Fault(f"{where} is a number column with levels; it can have none")
    name = _get(told, "name", str, where)
    return Column(name, kind, tuple(levels), form)  # type: ignore[arg-type]


def _word(record: dict[str, Any], name: str, words: tuple[str, ...], where: str) -> str:
    word: str = _get(record, name, str, where)
    if word not in words:
        raise Fault(f'"{name}" of {where} is {_quote(word)}; it can be {", ".join(words)}')
    return word


def _distinct(names: list[Any], what: str) -> None:
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise Fault(f"the {what} {_quote(str(twice))} is listed twice")


def _rule(told: dict[str, Any], schema: Schema, where: str) -> Rule:
    _only(told, ("if", "then", "stats", "leaf", "score"), where)
    conditions = tuple(
        _condition(_of(one, dict, f"a condition of {where}"), schema, where)
        for one in _get(told, "if", list, where)
    )
    _distinct([one.column.name for one in conditions], f"column of {where}")
    stats = [_number(one, f"a stat of {where}") for one in _get(told, "stats", list, where)]
    width = len(schema.target.classes) or 3
    if len(stats) != width:
        raise Fault(f"{where} has {len(stats)} stats; it must have {width}")
    signed = 1 if schema.target.task == "regression" else -1  # a mean may be below 0
    if any(one < 0 for place, one in enumerate(stats) if place != signed):
        raise Fault(f"{where} has a stat below 0")
    leaf = _get(told, "leaf", int, where, default=-1)
    if not -1 <= leaf < 2**31:
        raise Fault(f"the leaf of {where} is out of range")
    score = _score(told["score"], where) if "score" in told else None
    return Rule(conditions, _answer(told, schema, where), tuple(stats), leaf, score)


def _answer(told: dict[str, Any], schema: Schema, where: str) -> float:
    if "then" not in told:
        raise Fault(f'{where} has no "then"')
    answer, classes = told["then"], schema.target.classes
    if not classes:
        return math.nan if answer is None else _number(answer, f'"then" of {where}')
    if answer is None:
        return -1
    for code, name in enumerate(classes):
        if type(answer) is type(name) and answer == name:
            return code
    raise Fault(f'"then" of {where} is {_quote(str(answer))}, which is no class of the target')


def _condition(told: dict[str, Any], schema: Schema, where: str) -> Condition:
    bounds = ("above", "at_least", "below", "at_most")
    _only(told, ("column", *bounds, "levels", "missing", "known", "missing_named"), where)
    name = _get(told, "column", str, f"a condition of {where}")
    if name not in schema.index:
        raise Fault(f"{where} asks about {_quote(name)}, which the schema does not have")
    column, at = schema.columns[schema.index[name]], f"the condition of {where} on {_quote(name)}"
    asked: dict[str, Any] = {
        bound: _number(told[bound], f'"{bound}" of {at}') for bound in bounds if bound in told
    }
    if "levels" in told:
        asked["levels"] = [_of(level, str, f"a level of {at}") for level in _list(told, at)]
        _distinct(asked["levels"], f"level of {at}")
    asked |= {name: _of(told[name], bool, f'"{name}" of {at}') for name in FLAGS if name in told}
    try:
        made = condition(column, **asked)
    except BoughError as error:
        raise Fault(f"{at}: {str(error).rstrip('.')}") from None
    named = _get(told, "missing_named", bool, at) if "missing_named" in told else False
    return replace(made, missing_named=named)


FLAGS = ("missing", "known")


def _list(told: dict[str, Any], where: str) -> list[Any]:
    found: list[Any] = _get(told, "levels", list, where)
    return found


def _score(told: Any, where: str) -> Score:
    at = f"the score of {where}"
    _of(told, dict, at)
    _only(told, SCORE_FIELDS, at)
    rows = _get(told, "rows", int, at)
    if not 0 <= rows < 2**63:
        raise Fault(f'"rows" of {at} is out of range')
    others = {
        name: _number(told[name], f'"{name}" of {at}', least=0.0) if name in told else math.nan
        for name in SCORE_FIELDS
        if name != "rows"
    }
    return Score(rows, **others)
