"""The sentences and the table rows of a lesson, the same for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bough.lesson.facts import Candidate, ColumnFacts, Lesson, Side, Step
from bough.lesson.formulas import FORMULAS
from bough.lesson.leaves import rows_words
from bough.view.lesson_math import equals, number

__all__ = [
    "CRITERIA",
    "Row",
    "answer_sentence",
    "chi_square_sentence",
    "contradiction_sentence",
    "counted",
    "listed",
    "measures",
    "meeting_sentences",
    "more",
    "more_steps",
    "own_tie_sentence",
    "rest_of_children",
    "rest_of_ranking",
    "rows_of",
    "standing",
    "tie_sentence",
    "way_label",
]

MOST_MEETINGS = 30
"""Steps of merging told of one column."""

CRITERIA: dict[str, tuple[str, tuple[str, ...], str]] = {
    "entropy": (
        "information gain",
        ("H = −Σ p·log₂ p", "gain = H − Σ (Wᵢ/W)·Hᵢ"),
        "p: share of a class. Wᵢ: weight of child i, W: of the node. 0·log₂ 0 counts as 0.",
    ),
    "gain_ratio": (
        "gain ratio",
        (
            "H = −Σ p·log₂ p",
            "gain = H − Σ (Wᵢ/W)·Hᵢ",
            "split information = −Σ (Wᵢ/W)·log₂(Wᵢ/W)",
            "gain ratio = gain / split information",
        ),
        "p: share of a class. Wᵢ: weight of child i, W: of the node. 0·log₂ 0 counts as 0.",
    ),
    "gini": (
        "Gini",
        ("Gini = 1 − Σ p²", "gain = Gini − Σ (Wᵢ/W)·Giniᵢ"),
        "p: share of a class. Wᵢ: weight of child i, W: of the node.",
    ),
    "error": (
        "classification error",
        ("error = 1 − largest p", "gain = error − Σ (Wᵢ/W)·errorᵢ"),
        "p: share of a class. Wᵢ: weight of child i, W: of the node.",
    ),
    "twoing": (
        "twoing",
        ("twoing = (W₀/W)·(W₁/W)·(Σ |p₀ − p₁|)²",),
        "p₀, p₁: share of a class on either side. The Gini of the node is told, but not used.",
    ),
    "chi2": (
        "χ²",
        ("χ² = Σ (O − E)²/E", "E = weight of the child · weight of the class / W"),
        "O: what a child holds of a class. E: what it would hold if the split told nothing. The "
        "Gini of the node is told, but not used.",
    ),
    "significance": (
        "significance",
        (
            "χ² = Σ (O − E)²/E",
            "E = weight of the child · weight of the class / W",
            "significance = −log₁₀(p·m)",
        ),
        "O: what a child holds of a class. E: what it would hold if the split told nothing. p: the "
        "chance of a χ² this large, if so. m: the number of ways to split by the column; p·m is at "
        "most 1. 1.3 is p·m = 0.05. The Gini of the node is told, but not used.",
    ),
    "squared_error": (
        "squared error",
        ("MSE = Σ (y − mean)²/W", "gain = MSE − Σ (Wᵢ/W)·MSEᵢ"),
        "y: the target of a row. Wᵢ: weight of child i, W: of the node.",
    ),
}
"""Per criterion: its name, its formulas, what the letters mean."""


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def more(n: int, noun: str) -> str:
    """… 3 more columns"""
    if n == 1:
        return f"… 1 more {noun}"
    return f"… {n:,} more {noun}{'es' if noun.endswith('ch') else 's'}"


def listed(names: Sequence[str], most: int = 12) -> str:
    """a, b and c"""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


# ---- the table of a step -------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """kind: column (the name, its best gain), value, way, or note."""

    kind: str
    label: str
    sides: tuple[Side, ...] = ()
    gains: tuple[float, ...] = ()
    """As `measures` names them; empty for none."""
    mark: str = ""
    """chosen, tied, below, best"""


def measures(criterion: str) -> tuple[str, ...]:
    """The columns of numbers, the last being what is compared."""
    return ("gain", "gain ratio") if criterion == "gain_ratio" else (FORMULAS[criterion].gain,)


def rows_of(step: Step, facts: ColumnFacts) -> Iterator[Row]:
    """What the table says of one column."""
    standing = next((rank.standing for rank in step.ranking if rank.name == facts.name), "")
    gains = _gains(facts.best) if facts.best else ()
    yield Row("column", facts.name, gains=gains, mark=standing)
    for side in facts.values:
        yield Row("value", side.label, (side,))
    if facts.values and facts.n_values > len(facts.values):
        yield Row("note", more(facts.n_values - len(facts.values), "value"))
    if facts.n_candidates > 1 or facts.split == "threshold":
        for way in facts.candidates:
            mark = "best" if way.is_best and facts.n_candidates > 1 else ""
            yield Row("way", way_label(facts, way), way.sides, _gains(way), mark)
        rest = facts.n_candidates - len(facts.candidates)
        if rest > 0:
            yield Row("note", f"{more(rest, 'way')} to split, none of which gains more")
    if facts.n_illegal:
        ways = "1 way" if facts.n_illegal == 1 else f"{facts.n_illegal:,} ways"
        yield Row("note", f"{ways} to split ruled out by min_rows_leaf")
    if facts.note:
        yield Row("note", facts.note)


def _gains(way: Candidate) -> tuple[float, ...]:
    return (way.gain,) if way.entropy_gain is None else (way.entropy_gain, way.gain)


def way_label(facts: ColumnFacts, way: Candidate) -> str:
    if facts.split != "branches":
        return way.sides[0].label
    joined = (side.label for side in way.sides if side.label.endswith(" or missing"))
    return next(joined, "a branch per value")


# ---- sentences -----------------------------------------------------------------------------------


def tie_sentence(step: Step) -> str:
    """Which columns tied, and how it was decided; empty when none did."""
    if not step.tied:
        return ""
    gain = next(rank.gain for rank in step.ranking if rank.name == step.tied[0])
    first = f"{listed(step.tied)} are equally good ({number(gain)}): a tie."
    return f"{first} The column that stands first in the table is taken: {step.tied[0]}."


def own_tie_sentence(step: Step) -> str:
    """Ways to split by the chosen column that tied."""
    facts = next((facts for facts in step.columns if facts.name == step.chosen), None)
    if facts is None or facts.n_equal < 2:
        return ""
    lower = ", with the lower threshold" if facts.split == "threshold" else ""
    return (
        f"{facts.n_equal:,} ways to split by {facts.name} are equally good: the first of them"
        f"{lower} is taken."
    )


def chi_square_sentence(facts: ColumnFacts) -> str:
    """Degrees of freedom and p value of a column's best split; empty when χ² is not asked for."""
    found, best = facts.chi_square, facts.best
    if found is None or best is None:
        return ""
    children = sum(side.weight > 0 for side in best.sides)
    classes = found.df // (children - 1) + 1 if children > 1 else 1
    sentence = (
        f"df = ({children} − 1)·({classes} − 1) = {found.df}, "
        f"p {equals(found.p_value)} {number(found.p_value)}"
    )
    if found.smallest_expected < 5:
        least = number(found.smallest_expected)
        sentence += f"; the smallest expected count is {least}, below 5, so p is rough"
    return sentence


def meeting_sentences(facts: ColumnFacts) -> Iterator[str]:
    """How the levels of a column were merged; nothing when they were not compared."""
    told = {
        "alike": "{one} and {other} differ least (p {p}): they go together.",
        "few rows": "Too few rows (min_rows_leaf): {one} and {other} differ least (p {p}) and go "
        "together.",
        "differ": "{one} and {other} differ least (p {p}), and enough to stay apart (merge_p).",
    }
    for met in facts.meetings[:MOST_MEETINGS]:
        p = f"{equals(met.p_value)} {number(met.p_value)}"
        yield told[met.outcome].format(one=met.one, other=met.other, p=p)
    rest = len(facts.meetings) - MOST_MEETINGS
    if rest > 0:
        yield more(rest, "pair")


def answer_sentence(step: Step) -> str:
    """What a leaf answers, and how that came about."""
    answer = step.answer
    assert answer is not None
    if answer.how == "unknown":
        return "It does not know the answer (empty_branch=unknown)."
    start = f"Answer: {answer.answer}"
    match answer.how:
        case "parent":
            return f"{start}, like its parent."
        case "set":
            return f"{start}, set after growing (on other rows, or by hand)."
        case "mean":
            return f"{start}, the mean of its rows."
        case "majority":
            most = f"{number(max(step.here.stats))} of {number(step.here.weight)}"
            return f"{start}, the class of largest weight ({most})."
    return f"{start}. {_tie_words(step)}"


def _tie_words(step: Step) -> str:
    assert step.answer is not None
    ties = step.answer.ties
    names = listed([name for name, _ in ties[0].weights])
    words = [f"{names} weigh the same here ({number(ties[0].weights[0][1])} each)."]
    for at, tie in enumerate(ties[1:]):
        above = "At the parent" if at == 0 else "Above that"
        weights = ", ".join(f"{number(weight)} × {name}" for name, weight in tie.weights)
        words.append(f"{above} (node {tie.node}): {weights}.")
    top = [weight for _, weight in ties[-1].weights]
    if top.count(max(top)) > 1:
        words.append("Still a tie at the root, so the class that comes first is taken.")
    else:
        words.append("So the tie goes to the class that is larger there.")
    return " ".join(words)


def standing(mark: str) -> str:
    """What became of a column, for the ranking."""
    return {"tied": "tied, comes later", "below": "below the average gain: out"}.get(mark, mark)


def rest_of_ranking(step: Step) -> str:
    rest = step.n_ranked - len(step.ranking)
    return f"… {rest:,} more" if rest else ""


def rest_of_children(facts: ColumnFacts) -> str:
    """Children whose impurity is not written out; empty when there are none."""
    rest = len(facts.best.sides) - len(facts.impurities) if facts.best else 0
    return more(rest, "branch") if facts.impurities and rest > 0 else ""


def contradiction_sentence(n_groups: int, n_rows: int) -> str:
    who = f"{n_rows:,} rows"
    if n_groups > 1:
        who = f"{n_groups:,} groups of rows ({n_rows:,} rows)"
    return f"{who} agree in every column and differ in class, so no tree can be right on all."


def more_steps(lesson: Lesson) -> str:
    """What of the tree the lesson leaves out; empty when nothing."""
    rest = lesson.n_nodes - len(lesson.steps)
    if not rest:
        return ""
    return (
        f"{rest:,} of {lesson.n_nodes:,} nodes are not shown: --steps N or --steps all shows more, "
        "--node N one of them."
    )


def rows_and_weight(lesson: Lesson, side: Side) -> str:
    weight = f", weight {number(side.weight)}" if lesson.weighted else ""
    return rows_words(side.rows) + weight
