"""Rules in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bough.rules.conditions import Condition, Interval, Levels
from bough.rules.rule import Rule
from bough.view.cells import clean, cut, measure, to_ascii

if TYPE_CHECKING:
    from bough.rules.ruleset import Fired, RuleCheck, RuleSet

__all__ = ["answer_words", "checked", "explained", "render", "rule_words", "words_of"]

NARROWEST, USUAL = 40, 100
LONG_NAME = 60
"""Cells of a name; longer ones are cut in the middle."""
MANY_LEVELS = 12
"""So many levels are listed; the others are counted."""
MOST_PAIRS = 10
"""So many overlaps are listed; the others are counted."""


def words_of(one: Condition, exact: bool = False) -> str:
    """A condition: `30 < age ≤ 45`, `port in {C, Q}`, `age ≤ 30 (or missing)`.

    Missing cells are named where training met some; with `exact` wherever they are accepted.
    """
    name = cut(clean(one.column.name), LONG_NAME)
    if not one.any_known:
        return f"{name} is missing"
    if one.all_known:
        return f"{name} is known" if not one.missing else f"{name} is anything"
    words = _bounds(one, name) if isinstance(one, Interval) else _levels(one, name)
    return f"{words} (or missing)" if one.missing and (exact or one.missing_named) else words


def _bounds(one: Interval, name: str) -> str:
    low, low_in = _edge(one, one.low, one.low_in, up=False)
    high, high_in = _edge(one, one.high, one.high_in, up=True)
    show = one.column.show
    if low == high:
        return f"{name} = {show(low)}"
    below = f"≤ {show(high)}" if high_in else f"< {show(high)}"
    if low == -math.inf:
        return f"{name} {below}"
    if high == math.inf:
        return f"{name} {'≥' if low_in else '>'} {show(low)}"
    return f"{show(low)} {'≤' if low_in else '<'} {name} {below}"


def _edge(one: Interval, at: float, closed: bool, up: bool) -> tuple[float, bool]:
    """A bound within a day, of a column of days, as that day: before noon is up to that day."""
    if one.column.form != "date" or not math.isfinite(at) or at == math.floor(at):
        return at, closed
    return math.floor(at), up


def _levels(one: Levels, name: str) -> str:
    names, codes = one.column.levels, sorted(one.codes)
    if len(codes) == 1:
        return f"{name} = {_level(names[codes[0]])}"
    if one.column.kind == "ordered" and codes[-1] - codes[0] + 1 == len(codes):
        first, last = _level(names[codes[0]]), _level(names[codes[-1]])
        if codes[0] == 0:
            return f"{name} ≤ {last}"
        return f"{name} ≥ {first}" if codes[-1] == len(names) - 1 else f"{first} ≤ {name} ≤ {last}"
    if len(codes) > MANY_LEVELS and 2 * len(codes) > len(names):
        others = [code for code in range(len(names)) if code not in one.codes]
        return f"{name} not in {_listed(others, names)}"
    return f"{name} in {_listed(codes, names)}"


def _level(level: str) -> str:
    return cut(clean(level), LONG_NAME)


def _listed(codes: Sequence[int], names: Sequence[str]) -> str:
    shown = [_level(names[code]) for code in codes[:MANY_LEVELS]]
    more = len(codes) - MANY_LEVELS
    return "{" + ", ".join(shown + ([f"… {more:,} more"] if more > 0 else [])) + "}"


def rule_words(rule: Rule, exact: bool = False) -> list[str]:
    """The conditions of a rule, one text each."""
    return [words_of(one, exact) for one in rule.conditions] or ["always"]


def answer_words(rules: RuleSet, rule: Rule) -> str:
    """`Yes`, or `23.5 ± 2.1`."""
    if rules.schema.target.task == "regression":
        if rule.answer != rule.answer:
            return "does not know"
        spread = rule.spread
        known = spread == spread
        return _number(rule.answer) + (f" ± {_number(spread)}" if known else "")
    if rule.answer < 0:
        return "does not know"
    return cut(clean(str(rules.schema.target.classes[int(rule.answer)])), LONG_NAME)


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"


# ---- a whole set ---------------------------------------------------------------------------------


def render(
    rules: RuleSet,
    *,
    width: int | None = None,
    plain: bool = False,
    exact: bool = False,
    most: int | None = 200,
) -> str:
    """The rules as text, each with its scores; no line between two conditions is wider than
    `width`. `most`: rules beyond are counted, not shown; None shows all."""
    page = _Page(rules, max(NARROWEST, width or USUAL), plain)
    text = "\n".join(page.lines(exact, most))
    return to_ascii(text) if plain else text


class _Page:
    def __init__(self, rules: RuleSet, width: int, plain: bool) -> None:
        self.rules, self.width, self.plain = rules, width, plain
        self.indent = len(str(max(0, len(rules) - 1))) + 2

    def lines(self, exact: bool, most: int | None) -> Iterator[str]:
        rules = self.rules
        target = cut(clean(rules.schema.target.name), 48)
        count = f"{len(rules):,} {'rule' if len(rules) == 1 else 'rules'}"
        yield f"{target}: {count}; the first that fits answers"
        yield f"scores on {rules.scored_on}" if rules.scored_on else "not scored since the change"
        shown = rules.rules if most is None else rules.rules[:most]
        for place, rule in enumerate(shown):
            yield ""
            number = f"{place:>{self.indent - 2}}  "
            yield from self._wrapped(number, "if ", rule_words(rule, exact))
            yield from self._answer("then ", rule)
        if len(shown) < len(rules):
            yield ""
            yield " " * self.indent + f"… {len(rules) - len(shown):,} more rules"
        yield ""
        yield from self._answer("otherwise ", rules.default, is_default=True)

    def _answer(self, word: str, rule: Rule, is_default: bool = False) -> Iterator[str]:
        begin = " " * self.indent + word + answer_words(self.rules, rule)
        facts = (", " if self.plain else " · ").join(_facts(self.rules, rule, is_default))
        if measure(begin + "   " + facts, self.plain) <= self.width:
            yield begin + (f"   {facts}" if facts else "")
        else:
            yield begin
            yield " " * (self.indent + 5) + facts

    def _wrapped(self, number: str, word: str, texts: Sequence[str]) -> Iterator[str]:
        """The conditions joined with `and`, as many on a line as fit."""
        line = number + word + texts[0]
        for text in texts[1:]:
            if measure(f"{line} and {text}", self.plain) <= self.width:
                line += f" and {text}"
            else:
                yield line
                line = " " * len(number) + f"and {text}"
        yield line


def _facts(rules: RuleSet, rule: Rule, is_default: bool) -> list[str]:
    score = rule.score
    if score is None:
        return []
    if score.rows == 0:
        return ["covers no row"]
    noun = "row" if score.rows == 1 else "rows"
    facts = [f"covers {score.rows:,} {noun} ({_percent(score.coverage)})"]
    if rules.schema.target.task == "regression":
        error = score.error
        return facts + ([f"mean squared error {_number(error)}"] if error == error else [])
    facts.append(f"right {_percent(score.accuracy)}")
    if score.lift == score.lift and not is_default:
        facts.append(f"lift {score.lift:.2f}")
    if not is_default and score.first < score.weight:
        share = score.first / score.weight
        facts.append(f"answers {_percent(share) if share > 0 else 'none'} of them")
    return facts


def _percent(share: float) -> str:
    """Tenths of a percent, but never "0.0%" for something or "100.0%" for less than all."""
    text = f"{100 * share:.1f}"
    if text == "0.0" and share > 1e-12:
        return "<0.1%"
    if text == "100.0" and share < 1 - 1e-12:
        return ">99.9%"
    return text.removesuffix(".0") + "%"


# ---- one row, and how the rules get along --------------------------------------------------------


def explained(fired: Fired) -> str:
    rules = fired.rules
    if fired.rule is None:
        return f"No rule fits: {answer_words(rules, rules.default)} is the default answer."
    rule = rules.rules[fired.rule]
    words = " and ".join(rule_words(rule, exact=True))
    facts = _facts(rules, rule, False)
    lines = [f"rule {fired.rule}: if {words}", f"then {answer_words(rules, rule)}"]
    lines[1] += f"   {' · '.join(facts)}" if facts else ""
    lines += [
        f"rule {place} would fit as well: {answer_words(rules, rules.rules[place])}"
        for place in fired.also
    ]
    return "\n".join(lines)


def checked(found: RuleCheck) -> str:
    rules = found.rules.rules
    conflicts = found.conflicts
    lines = [
        f"rows no rule fits: {len(found.uncovered):,} of {found.rows:,}; they get the default "
        f"answer, {answer_words(found.rules, found.rules.default)}",
        f"pairs of rules that fit the same rows: {len(found.overlaps):,}; with different answers: "
        f"{len(conflicts):,}",
    ]
    for pair in conflicts[:MOST_PAIRS]:
        answers = [answer_words(found.rules, rules[i]) for i in (pair.first, pair.second)]
        noun = "row" if pair.rows == 1 else "rows"
        lines.append(
            f"  rule {pair.first} says {answers[0]}, rule {pair.second} {answers[1]}: "
            f"{pair.rows:,} {noun}"
        )
    if len(conflicts) > MOST_PAIRS:
        lines.append(f"  … {len(conflicts) - MOST_PAIRS:,} more")
    if found.idle:
        lines.append(f"rules that answer none of these rows: {_numbers(found.idle)}")
    for later, earlier in found.shadowed[:MOST_PAIRS]:
        lines.append(f"rule {later} can never answer: rule {earlier} takes all that fits it")
    if len(found.shadowed) > MOST_PAIRS:
        lines.append(f"… {len(found.shadowed) - MOST_PAIRS:,} more rules can never answer")
    return "\n".join(lines)


def _numbers(places: Sequence[int]) -> str:
    shown = ", ".join(map(str, places[:20]))
    return shown if len(places) <= 20 else f"{shown}, … ({len(places):,} in all)"
