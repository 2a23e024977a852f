"""A lesson in the terminal: tables, formulas with the numbers put in, decisions; or plain ASCII."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bough.lesson.arithmetic import Equation
from bough.lesson.facts import ColumnFacts, Contradiction, Lesson, Side, Step
from bough.view import lesson_words as words
from bough.view.cells import BOLD, DIM, Paint, clean, cut, head, pad, to_ascii
from bough.view.cells import width as cells_of
from bough.view.lesson_math import equals, fixed, number, text
from bough.view.lesson_table import LABEL, NAME, StepTable, class_style

__all__ = ["render"]

NARROWEST, USUAL = 40, 100
MOST_CHILDREN = 24
_SIGNS = str.maketrans(
    {"−": "-", "·": "*", "²": "^2", "≈": "~=", "χ": "chi", "Σ": "sum", "→": "->", "◄": "<-",
     "₀": "0", "₁": "1", "₂": "2", "ᵢ": "i", "─": "-", "━": "=", "│": "|", "×": "x",
     **dict(zip("⁻⁰¹³⁴⁵⁶⁷⁸⁹", "-013456789", strict=True))}
)  # fmt: skip


def render(
    lesson: Lesson, *, width: int | None = None, plain: bool = False, color: bool = False
) -> str:
    """The lesson as text, no line wider than `width` (at least 40; None: 100)."""
    cells = USUAL if width is None else max(NARROWEST, width)
    page = _Page(lesson, Paint(color and not plain), plain, cells)
    lines = [line.rstrip() for line in page.lines()]
    if plain:
        lines = [to_ascii(line.translate(_SIGNS)) for line in lines]
    return "\n".join(lines)


@dataclass(frozen=True)
class _Page:
    lesson: Lesson
    paint: Paint
    plain: bool
    cells: int

    # ---- the parts, from top to bottom -----------------------------------------------------------

    def lines(self) -> Iterator[str]:
        yield from self.header()
        if self.lesson.contradictions:
            yield ""
            yield self.paint("Contradicting rows", BOLD)
            count = (self.lesson.n_contradictions, self.lesson.n_contradicting_rows)
            yield from self.wrap(words.contradiction_sentence(*count), 2)
            shown = self.lesson.contradictions
            yield from self.contradictions(shown, self.lesson.n_contradictions)
        for step in self.lesson.steps:
            yield ""
            yield from self.step(step)
        rest = words.more_steps(self.lesson)
        if rest:
            yield ""
            yield from self.wrap(rest, 0)

    def header(self) -> Iterator[str]:
        lesson = self.lesson
        name, formulas, letters = words.CRITERIA[lesson.criterion]
        facts = [f"Lesson: {lesson.target}", lesson.task, words.counted(lesson.rows, "row")]
        facts += [words.counted(lesson.columns, "column"), words.counted(lesson.n_nodes, "node")]
        facts += [f"recipe {lesson.recipe}"] if lesson.recipe else []
        yield from self.wrap(", ".join(facts) if self.plain else " · ".join(facts), 0, BOLD)
        yield from self.wrap(f"A split is judged by {name} ({lesson.criterion}):", 0)
        for formula in formulas:
            yield from self.wrap(formula, 2)
        yield from self.wrap(letters, 2, DIM)
        if lesson.options:
            given = ", ".join(f"{name}={value}" for name, value in lesson.options)
            yield from self.wrap(f"Options: {given}", 0)
        if lesson.classes:
            yield from self.legend()

    def legend(self) -> Iterator[str]:
        """The classes, each with the colour or the shade of its part of the bars."""
        names = [cut(clean(name), LABEL) for name in self.lesson.classes]
        marks = [""] * len(names)
        if self.paint.color:
            marks = ["█ "] * len(names)
        elif len(names) == 2 and not self.plain:
            marks = ["░ ", "█ "]
        line, taken = "Classes:", len("Classes:")
        for code, (mark, name) in enumerate(zip(marks[:12], names, strict=False)):
            item = f"{mark}{name}{',' if code + 1 < len(names) else ''}"
            if taken + 1 + cells_of(item) > self.cells:
                yield line
                line, taken = " ", 1
            line += " " + self.paint(mark, class_style(code)) + item[len(mark) :]
            taken += 1 + cells_of(item)
        yield line
        if len(names) > 12:
            yield f"  … {len(names) - 12:,} more"

    def step(self, step: Step) -> Iterator[str]:
        dot = ", " if self.plain else " · "
        title = f"Step {step.number:,} of {self.lesson.n_nodes:,}{dot}node {step.node:,} "
        yield self.paint(title + "━" * max(0, self.cells - len(title)), BOLD)
        yield from self.wrap(" and ".join(step.path) or "All rows", 0, BOLD)
        yield from self.wrap(self.contents(step), 0)
        if step.impurity is not None and step.here.rows:
            yield from self.equation(step.impurity, 0)
        if step.columns:
            yield ""
            yield from self.table(step).lines()
            yield from self.worked_out(step)
        if step.ranking:
            yield from self.ranking(step)
        yield from self.decision(step)

    def table(self, step: Step) -> StepTable:
        return StepTable(self.lesson, step, self.paint, self.plain, self.cells)

    def contents(self, step: Step) -> str:
        here = words.rows_and_weight(self.lesson, step.here)
        if step.row_numbers:
            here += f" ({', '.join(map(str, step.row_numbers))})"
        return f"{here}: {self.summary(step.here)}" if step.here.rows else "no rows"

    def summary(self, side: Side) -> str:
        """What the rows say about the target, in words."""
        if self.lesson.task == "regression":
            return f"mean {number(side.stats[1])}"
        held = [
            f"{number(weight)} × {cut(clean(name), LABEL)}"
            for name, weight in zip(self.lesson.classes, side.stats, strict=True)
            if weight > 0
        ]
        return ", ".join(held[:8]) + (f", … {len(held) - 8:,} more" if len(held) > 8 else "")

    # ---- formulas --------------------------------------------------------------------------------

    def worked_out(self, step: Step) -> Iterator[str]:
        worked = [facts for facts in step.columns if facts.best is not None]
        if not worked:
            return
        yield ""
        yield self.paint("How the gains are worked out", BOLD)
        for facts in worked:
            yield from self.wrap(cut(clean(facts.name), NAME) + _of_several(facts), 2, BOLD)
            for sentence in words.meeting_sentences(facts):
                yield from self.wrap(sentence, 4)
            for equation in facts.impurities:
                yield from self.equation(equation, 4)
            if rest := words.rest_of_children(facts):
                yield f"    {rest}"
            for equation in facts.gains:
                yield from self.equation(equation, 4)
            if facts.chi_square is not None:
                yield from self.wrap(words.chi_square_sentence(facts), 4)
        hidden = step.n_columns - len(step.columns)
        if hidden > 0:
            columns = words.more(hidden, "column")
            yield from self.wrap(f"{columns}, not worked out here", 2, DIM)

    def equation(self, equation: Equation, indent: int) -> Iterator[str]:
        of = f"({cut(clean(equation.of), LABEL)})" if equation.of else ""
        sides = [f"{equation.symbol}{of}"]
        result = f"{equals(equation.value)} {number(equation.value)}"
        if equation.expression is not None:
            sides.append(f"= {text(equation.expression)}")
        if len(sides) == 1 or sides[1] != f"= {number(equation.value)}":
            sides.append(result)
        note = f" ({equation.note})" if equation.note else ""
        yield from self.wrap(" ".join(sides) + note, indent, hang=4)

    # ---- deciding --------------------------------------------------------------------------------

    def ranking(self, step: Step) -> Iterator[str]:
        yield ""
        yield self.paint("Ranking", BOLD)
        if step.average is not None:
            yield from self.equation(step.average, 2)
        largest = max(abs(rank.gain) for rank in step.ranking)
        names = [cut(clean(rank.name), NAME) for rank in step.ranking]
        size = max(map(cells_of, names))
        digits = len(str(len(names)))
        for place, (rank, name) in enumerate(zip(step.ranking, names, strict=True), 1):
            gains = fixed(rank.gain, largest)
            if rank.entropy_gain is not None:
                gains = f"{gains}  gain {fixed(rank.entropy_gain, 1.0)}"
            told = words.standing(rank.standing)
            indent = 2 + digits - len(str(place))
            yield from self.wrap(f"{place}  {pad(name, size)}  {gains}  {told}", indent)
        if rest := words.rest_of_ranking(step):
            yield f"  {rest}"

    def decision(self, step: Step) -> Iterator[str]:
        yield ""
        if step.answer is not None:
            yield from self.wrap(f"Leaf: {step.answer.reason}.", 0, BOLD)
            yield from self.wrap(words.answer_sentence(step), 2)
            shown = step.answer.contradictions
            yield from self.contradictions(shown, step.answer.n_contradictions)
            return
        yield from self.wrap(f"Decision: ask {step.chosen}", 0, BOLD)
        for sentence in (words.tie_sentence(step), words.own_tie_sentence(step)):
            if sentence:
                yield from self.wrap(sentence, 2)
        for check in step.checks[1:]:
            yield from self.wrap(f"Limit: {check.text}: go on.", 2)
        if step.p_value is not None and self.lesson.criterion != "chi2":
            told = f"χ² of the split: p {equals(step.p_value)} {number(step.p_value)}"
            yield from self.wrap(told, 2, DIM)
        for node, side in step.children[:MOST_CHILDREN]:
            held = "no rows"
            if side.rows:
                held = f"{words.rows_and_weight(self.lesson, side)}: {self.summary(side)}"
            yield from self.wrap(f"{side.label} → node {node:,}, {held}", 2, hang=4)
        if len(step.children) > MOST_CHILDREN:
            yield f"  … {len(step.children) - MOST_CHILDREN:,} more children"

    def contradictions(self, shown: Sequence[Contradiction], n_groups: int) -> Iterator[str]:
        for group in shown:
            cells = ", ".join(f"{name} = {cell}" for name, cell in group.cells[:12])
            if len(group.cells) > 12:
                cells += f", … {len(group.cells) - 12:,} more columns"
            rows = ", ".join(f"row {row:,} is {name}" for row, name in group.rows)
            if group.n_rows > len(group.rows):
                rows += f", … {group.n_rows - len(group.rows):,} more"
            yield from self.wrap(f"{rows}: all with {cells}", 2, hang=4)
        if n_groups > len(shown):
            yield f"  {words.more(n_groups - len(shown), 'group')}"

    # ---- lines -----------------------------------------------------------------------------------

    def wrap(self, sentence: str, indent: int, style: str = "", hang: int = 2) -> Iterator[str]:
        """The sentence in lines no wider than the page; names in it are made harmless."""
        line, start = "", indent
        for word in clean(sentence.strip()).split(" "):
            while cells_of(word) > self.cells - indent - hang:
                cells = self.cells - indent - hang
                piece = head(word, cells) or word[:1]
                if line:
                    yield self.paint(" " * start + line, style)
                    start, line = indent + hang, ""
                yield self.paint(" " * start + piece, style)
                start, word = indent + hang, word[len(piece) :]
            if line and cells_of(line) + 1 + cells_of(word) > self.cells - start:
                yield self.paint(" " * start + line, style)
                start, line = indent + hang, word
            else:
                line = f"{line} {word}" if line else word
        if line:
            yield self.paint(" " * start + line, style)


def _of_several(facts: ColumnFacts) -> str:
    """Which of its ways to split a column is worked out by."""
    if facts.best is None or facts.n_candidates < 2:
        return ""
    return f", best {words.way_label(facts, facts.best)}"
