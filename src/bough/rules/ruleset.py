"""A set of rules, a model of its own: the first rule that fits answers, else the default."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.data.match import as_row, fit_table, no_cell, refuse_reading
from bough.data.schema import Schema
from bough.data.table import Array, Table
from bough.errors import DataError, OptionError, nearest
from bough.rules.conditions import Condition, condition
from bough.rules.rule import Rule
from bough.rules.scoring import Overlap, Rows, first_fits, overlaps, scored

if TYPE_CHECKING:
    from bough.files import AnyPath

__all__ = ["Fired", "RuleCheck", "RuleSet", "known_answers"]


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Frozen like a Tree: every change gives a new one."""

    schema: Schema
    rules: tuple[Rule, ...]
    default: Rule
    """Answers where no rule fits; its score is that of the rows that are left to it."""
    scored_on: str = ""
    """Which rows the scores are of: "training rows", "held-out rows", "given rows"."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """How the rules were made: what was dropped, and why."""

    def __len__(self) -> int:
        return len(self.rules)

    # ---- answers -----------------------------------------------------------------------------

    def fires(self, data: Any, **read: Any) -> Array:
        """For every row the place of the rule that answers; −1: none fits, the default does."""
        return first_fits(self.rules, self._cells(data, read))

    def predict(self, data: Any, **read: Any) -> Array:
        """The answer for every row, as the target was written."""
        found: Array = self.labels[self.fires(data, **read)]
        return found

    def predict_proba(self, data: Any, **read: Any) -> Array:
        """float64[rows, classes]: class shares of the rows behind the rule that answers."""
        if self.schema.target.task == "regression":
            raise DataError(
                f'The target "{self.schema.target.name}" is a number, so there are no class '
                "shares. Use predict."
            )
        shares = np.array([rule.shares for rule in (*self.rules, self.default)])
        found: Array = shares[self.fires(data, **read)]
        return found

    def predict_row(self, row: Mapping[str, Any]) -> Any:
        """The answer for one row given as a dict."""
        row = self._checked_row(row)
        place = next((i for i, rule in enumerate(self.rules) if rule.fits(row)), -1)
        return self._labels[place]

    def explain(self, row: Mapping[str, Any]) -> Fired:
        """Which rule answers for one row (a dict), and which others would fit as well."""
        row = self._checked_row(row)
        fitting = [i for i, rule in enumerate(self.rules) if rule.fits(row)]
        place = fitting[0] if fitting else None
        answer = self._labels[-1 if place is None else place]
        return Fired(self, place, answer, tuple(fitting[1:]))

    @cached_property
    def labels(self) -> Array:
        """The answer of every rule, then that of the default; None or NaN when unknown."""
        answers = np.array([rule.answer for rule in (*self.rules, self.default)])
        classes = self.schema.target.classes
        if not classes:
            return answers.astype(np.float64)
        unknown = bool((answers < 0).any())
        table = np.array([*classes, None], dtype=object) if unknown else np.array(classes)
        found: Array = table[answers]  # −1 is the last
        return found

    @cached_property
    def _labels(self) -> list[Any]:
        labels: list[Any] = self.labels.tolist()
        return labels

    @cached_property
    def needed(self) -> frozenset[str]:
        """The columns the rules ask about; the others may be absent."""
        return frozenset(one.column.name for rule in self.rules for one in rule.conditions)

    def _cells(self, data: Any, read: Mapping[str, Any]) -> Table:
        if isinstance(data, Table):
            refuse_reading(read)
            return fit_table(data, self.schema, "rules")
        from bough.data.read import read_cells

        return read_cells(data, self.schema, needed=self.needed, **read)

    def _checked_row(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        row = as_row(row)
        absent = sorted(self.needed - row.keys())
        if absent:
            raise no_cell(row, absent[0], "rules ask")
        return row

    # ---- how good it is ----------------------------------------------------------------------

    def score(self, data: Any, *, name: str = "given rows", **read: Any) -> RuleSet:
        """The same rules with their scores on these rows, which need the target."""
        rows = Rows.of(known_answers(data, self.schema, self.needed, read))
        rules, default = scored(self.rules, self.default, rows)
        return replace(self, rules=rules, default=default, scored_on=name)

    def error(self, data: Any, **read: Any) -> float:
        """Share of the weight answered wrongly (not knowing is wrong); regression: mean squared
        error where the answer is known."""
        rows = Rows.of(known_answers(data, self.schema, self.needed, read))
        answers = np.array([rule.answer for rule in (*self.rules, self.default)])
        given = answers[first_fits(self.rules, rows)]
        known = given == given
        gaps = (given - rows.target) ** 2 if rows.is_regression else given != rows.target
        weight = rows.weights[known].sum()
        return float((rows.weights * gaps)[known].sum() / weight) if weight > 0 else float("nan")

    def check(self, data: Any, **read: Any) -> RuleCheck:
        """Overlaps, conflicts and rows no rule covers, on these rows (with their target)."""
        rows = Rows.of(known_answers(data, self.schema, self.needed, read))
        first = first_fits(self.rules, rows)
        return RuleCheck(
            self,
            rows=len(rows),
            weight=rows.weight,
            overlaps=tuple(overlaps(self.rules, rows)),
            uncovered=np.flatnonzero(first < 0),
            uncovered_weight=float(rows.weights[first < 0].sum()),
            shadowed=self.shadowed(),
            idle=tuple(sorted(set(range(len(self.rules))) - set(first.tolist()))),
        )

    def shadowed(self) -> tuple[tuple[int, int], ...]:
        """(rule, earlier one): what fits the rule fits the earlier one too, so it never answers."""
        found = []
        for later, rule in enumerate(self.rules):
            by = next((i for i in range(later) if rule.shadowed_by(self.rules[i])), None)
            if by is not None:
                found.append((later, by))
        return tuple(found)

    # ---- changing it by hand -----------------------------------------------------------------

    def move(self, rule: int, to: int) -> RuleSet:
        """The rule at another place; those between move up or down by one."""
        rule, to = self._place(rule), self._place(to)
        rules = list(self.rules)
        rules.insert(to, rules.pop(rule))
        return self._changed(rules)

    def drop(self, rule: int) -> RuleSet:
        """Without a rule: its rows go to later rules, or to the default."""
        rule = self._place(rule)
        return self._changed([*self.rules[:rule], *self.rules[rule + 1 :]])

    def drop_idle(self, data: Any, *, name: str = "given rows", **read: Any) -> RuleSet:
        """Without the rules that answer for none of these rows, and scored on them: the answers to
        these rows stay what they were."""
        rows = Rows.of(known_answers(data, self.schema, self.needed, read))
        busy = np.unique(first_fits(self.rules, rows)).tolist()
        kept = [self.rules[place] for place in busy if place >= 0]
        rules, default = scored(kept, self.default, rows)
        return replace(self, rules=rules, default=default, scored_on=name)

    def drop_condition(self, rule: int, column: str) -> RuleSet:
        """A rule without its condition on a column."""
        place = self._place(rule)
        self._condition(place, column)
        left = [one for one in self.rules[place].conditions if one.column.name != column]
        return self._with(place, conditions=tuple(left))

    def replace_condition(self, rule: int, column: str, **asked: Any) -> RuleSet:
        """A rule with another condition on a column; `asked` as in `bough.rules.condition`:
        above, at_least, below, at_most, levels, missing, known."""
        place = self._place(rule)
        old = self._condition(place, column)
        new = condition(old.column, **asked)
        kept = self.rules[place].conditions
        return self._with(place, conditions=tuple(new if one is old else one for one in kept))

    def add_condition(self, rule: int, column: str, **asked: Any) -> RuleSet:
        """A rule that asks for one more column; `asked` as in `replace_condition`."""
        place = self._place(rule)
        if column not in self.schema.index:
            raise DataError(f'There is no column "{column}".{nearest(column, self.schema.names)}')
        kept = self.rules[place].conditions
        if any(one.column.name == column for one in kept):
            raise OptionError(
                f'Rule {place} has a condition on "{column}" already. Use replace_condition.'
            )
        new = condition(self.schema.columns[self.schema.index[column]], **asked)
        return self._with(place, conditions=(*kept, new))

    def set_answer(self, rule: int | None, answer: Any) -> RuleSet:
        """A rule (None: the default) with another answer; None: does not know."""
        code = self._code(answer)
        if rule is None:
            return replace(self._changed(self.rules), default=replace(self.default, answer=code))
        return self._with(self._place(rule), answer=code)

    def _with(self, place: int, **changes: Any) -> RuleSet:
        rules = list(self.rules)
        rules[place] = replace(rules[place], score=None, **changes)
        return self._changed(rules)

    def _changed(self, rules: Collection[Rule]) -> RuleSet:
        """What a rule answers depends on the rules before it, so no score holds any more."""
        return replace(
            self,
            rules=tuple(replace(rule, score=None) for rule in rules),
            default=replace(self.default, score=None),
            scored_on="",
        )

    def _place(self, rule: int) -> int:
        plain = rule.item() if hasattr(rule, "item") else rule
        if isinstance(plain, bool) or not isinstance(plain, int):
            raise OptionError(f"rule={rule!r} is not the number of a rule, a whole number.")
        if not 0 <= plain < len(self.rules):
            known = f"0 to {len(self.rules) - 1}" if self.rules else "none"
            raise OptionError(f"There is no rule {plain}. The rules are numbered {known}.")
        return plain

    def _condition(self, place: int, column: str) -> Condition:
        conditions = {one.column.name: one for one in self.rules[place].conditions}
        if column not in conditions:
            known = ", ".join(f'"{name}"' for name in conditions) or "none"
            raise OptionError(
                f'Rule {place} has no condition on "{column}".{nearest(column, conditions)} '
                f"It has conditions on: {known}."
            )
        return conditions[column]

    def _code(self, answer: Any) -> float:
        target = self.schema.target
        if target.task == "regression":
            if answer is None:
                return float("nan")
            if isinstance(answer, bool) or not isinstance(answer, int | float | np.number):
                raise OptionError(f"answer={answer!r} is not a number.")
            if not np.isfinite(answer):
                raise OptionError(f"answer={answer!r} is not finite; None means: does not know.")
            return float(answer)
        if answer is None:
            return -1
        if answer not in target.classes:
            shown = ", ".join(map(str, target.classes[:12]))
            close = nearest(answer, map(str, target.classes)) if isinstance(answer, str) else ""
            raise OptionError(
                f'answer={answer!r} is not a class of "{target.name}".{close} The classes are: '
                f"{shown}{', …' if len(target.classes) > 12 else ''}."
            )
        return target.classes.index(answer)

    # ---- looking, comparing, keeping ---------------------------------------------------------

    def __str__(self) -> str:
        from bough.rules.words import render

        return render(self)

    def __repr__(self) -> str:
        target = self.schema.target
        return f"<RuleSet for {target.name!r} ({target.task}): {len(self)} rules>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self)}

    def __eq__(self, other: object) -> bool:
        """The same schema and the same rules in the same order; how they were made or scored does
        not matter."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        mine, others = ((*one.rules, one.default) for one in (self, other))
        return self.schema == other.schema and [_key(rule) for rule in mine] == [
            _key(rule) for rule in others
        ]

    def __hash__(self) -> int:
        return hash((self.schema.names, tuple(rule.conditions for rule in self.rules)))

    def save(self, path: AnyPath, *, force: bool = False) -> None:
        """Writes the rule file; refuses to overwrite unless `force`."""
        from bough.rules.store import save

        save(self, path, force=force)


def _key(rule: Rule) -> tuple[Any, ...]:
    answer = None if rule.answer != rule.answer else rule.answer
    return rule.conditions, answer, rule.stats


@dataclass(frozen=True)
class Fired:
    """Why a row got its answer."""

    rules: RuleSet = field(repr=False)
    rule: int | None
    """The place of the rule that answers; None: the default."""
    answer: Any
    also: tuple[int, ...]
    """Later rules that would fit as well."""

    def __str__(self) -> str:
        from bough.rules.words import explained

        return explained(self)


@dataclass(frozen=True)
class RuleCheck:
    """How the rules get along on some rows."""

    rules: RuleSet = field(repr=False)
    rows: int
    weight: float
    overlaps: tuple[Overlap, ...]
    """Pairs of rules that fit the same rows."""
    uncovered: Array
    """The numbers of the rows that are left to the default; rows of weight 0 are not counted."""
    uncovered_weight: float
    shadowed: tuple[tuple[int, int], ...]
    """(rule, earlier rule): the earlier one takes everything that fits the rule."""
    idle: tuple[int, ...]
    """Rules that answer for none of the rows."""

    @property
    def conflicts(self) -> tuple[Overlap, ...]:
        """Overlaps of rules whose answers differ."""
        return tuple(pair for pair in self.overlaps if pair.conflict)

    def __str__(self) -> str:
        from bough.rules.words import checked

        return checked(self)


# ---- tables --------------------------------------------------------------------------------------


def known_answers(
    data: Any, schema: Schema, needed: Collection[str], read: Mapping[str, Any]
) -> Table:
    """Rows with their target, matched to the schema."""
    if not isinstance(data, Table):
        from bough.data.read import read_cells

        return read_cells(data, schema, need_target=True, needed=needed, **read)
    if data.target is None:
        raise DataError("The table has no target, so the rules cannot be judged on it.")
    refuse_reading(read)
    return fit_table(data, schema, "rules")
