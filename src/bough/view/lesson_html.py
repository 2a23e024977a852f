"""A lesson as one HTML page that needs nothing else: no scripts, nothing loaded, all escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from bough.lesson.arithmetic import Equation
from bough.lesson.facts import ColumnFacts, Contradiction, Lesson, Side, Step
from bough.view import lesson_words as words
from bough.view.cells import clean, cut
from bough.view.lesson_math import equals, fixed, mathml_terms, number
from bough.view.lesson_text import MOST_CHILDREN

__all__ = ["render"]

MOST_CLASSES = 4
"""More classes than this share one column of text."""
LONGEST = 200
"""Cells of a name; a longer one loses its middle."""
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
"""


def render(lesson: Lesson) -> str:
    """The page as one text."""
    style = files("bough.view").joinpath("lesson.css").read_text(encoding="utf-8")
    title = _say(f"Lesson: {cut(lesson.target, LONGEST)}")
    body = "\n".join([*_page(lesson), "</main>", "</body>", "</html>", ""])
    return _HEAD.format(title=title, style=style) + body


def _say(text: str) -> str:
    """A text with names in it as HTML: nothing in it acts, and it stays on its side of the line."""
    return escape(clean(text))


def _name(text: str) -> str:
    return f"<bdi>{escape(cut(clean(text), LONGEST))}</bdi>"


def _colour(code: int) -> str:
    return f"--c:var(--c{code})" if code < 8 else "--c:var(--other)"


# ---- the page, from top to bottom ----------------------------------------------------------------


def _page(lesson: Lesson) -> Iterator[str]:
    yield from _header(lesson)
    if lesson.contradictions:
        yield '<section class="card"><h2>Contradicting rows</h2>'
        count = (lesson.n_contradictions, lesson.n_contradicting_rows)
        yield f"<p>{_say(words.contradiction_sentence(*count))}</p>"
        yield from _contradictions(lesson.contradictions, lesson.n_contradictions)
        yield "</section>"
    yield from _contents(lesson)
    for step in lesson.steps:
        yield from _step(lesson, step)
    if rest := words.more_steps(lesson):
        yield f'<p class="soft">{_say(rest)}</p>'


def _header(lesson: Lesson) -> Iterator[str]:
    name, formulas, letters = words.CRITERIA[lesson.criterion]
    facts = [
        lesson.task,
        words.counted(lesson.rows, "row"),
        words.counted(lesson.columns, "column"),
    ]
    facts += [words.counted(lesson.n_nodes, "node")]
    facts += [f"recipe {_say(lesson.recipe)}"] if lesson.recipe else []
    yield f"<header><h1>Lesson: {_name(lesson.target)}</h1>"
    yield f'<p class="soft">{" · ".join(facts)}</p>'
    if lesson.options:
        given = ", ".join(f"{name}={value}" for name, value in lesson.options)
        yield f'<p class="soft">Options: {_say(given)}</p>'
    yield f"<p>A split is judged by {escape(name)} (<code>{escape(lesson.criterion)}</code>):</p>"
    for formula in formulas:
        yield f'<p class="formula">{_GENERAL[formula]}</p>'
    yield f'<p class="soft">{_say(letters)}</p>'
    if lesson.classes:
        shown = (
            f'<span><i class="swatch" style="{_colour(code)}"></i>{_name(each)}</span>'
            for code, each in enumerate(lesson.classes[:24])
        )
        rest = len(lesson.classes) - 24
        more = f" … {rest:,} more" if rest > 0 else ""
        yield f'<p class="legend">Classes: {"".join(shown)}{more}</p>'
    yield "</header>"


def _contents(lesson: Lesson) -> Iterator[str]:
    if len(lesson.steps) < 2:
        return
    yield '<nav class="card" aria-label="The steps"><h2>The steps</h2><ol>'
    for step in lesson.steps:
        asked = _name(step.path[-1]) if step.path else "All rows"
        then = f"ask {_name(step.chosen)}" if step.answer is None else _leaf_words(step)
        link = f'<a href="#node-{step.node}">{asked}</a>'
        depth = min(step.depth, 12)
        yield f'<li style="--depth:{depth}">{link} <span class="soft">→ {then}</span></li>'
    yield "</ol></nav>"


def _leaf_words(step: Step) -> str:
    assert step.answer is not None
    return f"<strong>{_name(step.answer.answer)}</strong>" if step.answer.answer else "unknown"


def _step(lesson: Lesson, step: Step) -> Iterator[str]:
    title = _name(" and ".join(step.path)) if step.path else "All rows"
    place = f"Step {step.number:,} of {lesson.n_nodes:,} · node {step.node:,}"
    yield f'<section class="step" id="node-{step.node}">'
    yield f'<p class="number">{place}</p><h2>{title}</h2>'
    yield f"<p>{_say(_held(lesson, step.here, step.row_numbers))}</p>"
    if step.impurity is not None and step.here.rows:
        yield _equation(step.impurity)
    if step.columns:
        yield from _table(lesson, step)
        yield from _worked_out(step)
    if step.ranking:
        yield from _ranking(step)
    yield from _decision(lesson, step)
    yield "</section>"


def _held(lesson: Lesson, side: Side, row_numbers: Sequence[int] = ()) -> str:
    """How many rows, which, and what they say about the target."""
    if not side.rows:
        return "no rows"
    which = f" ({', '.join(map(str, row_numbers))})" if row_numbers else ""
    return f"{words.rows_and_weight(lesson, side)}{which}: {_summary(lesson, side)}"


def _summary(lesson: Lesson, side: Side) -> str:
    if lesson.task == "regression":
        return f"mean {number(side.stats[1])}"
    held = [
        f"{number(weight)} × {cut(clean(name), LONGEST)}"
        for name, weight in zip(lesson.classes, side.stats, strict=True)
        if weight > 0
    ]
    return ", ".join(held[:8]) + (f", … {len(held) - 8:,} more" if len(held) > 8 else "")


# ---- the table -----------------------------------------------------------------------------------


def _table(lesson: Lesson, step: Step) -> Iterator[str]:
    rows = [row for facts in step.columns for row in words.rows_of(step, facts)]
    most = max(len(row.sides) for row in rows)
    largest = max((abs(gain) for row in rows for gain in row.gains), default=0.0)
    names = words.measures(lesson.criterion)
    titles = _side_titles(lesson, most)
    few = "counts" if len(lesson.classes) <= MOST_CLASSES else "held"  # a longer text is wrapped
    heads = "".join(f'<th scope="col" class="gain">{escape(name)}</th>' for name in names)
    yield '<div class="scroll"><table><thead><tr><th scope="col">column, value</th>'
    yield f"{titles}{heads}<td></td></tr></thead><tbody>"
    for row in rows:
        if row.kind == "note":
            span = most + len(names) + 2
            yield f'<tr class="note"><td colspan="{span}">{_say(row.label)}</td></tr>'
            continue
        kind = f"{row.kind} {row.mark}".strip()
        cell = "th" if row.kind == "column" else "td"
        scope = ' scope="row"' if row.kind == "column" else ""
        sides = [
            f'<td class="{few}{" other" if at else ""}">{_side(lesson, side)}</td>'
            for at, side in enumerate(row.sides)
        ]
        sides += [f"<td{' class=other' if at else ''}></td>" for at in range(len(row.sides), most)]
        gains = [f'<td class="gain">{fixed(gain, largest)}</td>' for gain in row.gains]
        gains = gains or ["<td></td>"] * len(names)
        tag = {"tied": "tied", "below": "below average", "best": "best", "chosen": "chosen"}
        yield (
            f'<tr class="{kind}"><{cell}{scope}>{_name(row.label)}</{cell}>'
            f"{''.join(sides)}{''.join(gains)}"
            f'<td class="tag">{tag.get(row.mark, "")}</td></tr>'
        )
    yield "</tbody></table></div>"


def _side_titles(lesson: Lesson, most: int) -> str:
    """Over the first side what its numbers are; over the others which they are."""
    if lesson.task == "regression":
        what = f"{'weight' if lesson.weighted else 'rows'}, mean, MSE"
    elif len(lesson.classes) > MOST_CLASSES:
        what = "largest classes"
    else:
        what = "".join(f'<b class="n">{_name(cut(clean(n), 12))}</b>' for n in lesson.classes)
    others = ["the other side"] if most == 2 else ["the other side", "missing"]
    titles = [what, *others, *([""] * most)][:most]
    return "".join(
        f'<th scope="col" class="counts{" other" if at else ""}">{title}</th>'
        for at, title in enumerate(titles)
    )


def _side(lesson: Lesson, side: Side) -> str:
    if lesson.task == "regression":
        return " ".join(
            f'<b class="n">{number(value)}</b>'
            for value in (side.weight, side.stats[1], side.impurity)
        )
    if len(lesson.classes) > MOST_CLASSES:
        order = sorted(range(len(side.stats)), key=lambda code: -side.stats[code])
        held = [code for code in order if side.stats[code] > 0]
        told = ", ".join(f"{number(side.stats[c])} × {_name(lesson.classes[c])}" for c in held[:3])
        more = f" +{len(held) - 3}" if len(held) > 3 else ""
        return f"{_bar(side)} {told}{more}"
    counts = "".join(f'<b class="n">{number(weight)}</b>' for weight in side.stats)
    return counts + _bar(side)


def _bar(side: Side) -> str:
    parts = [
        f'<i style="{_colour(code)};width:{100 * weight / side.weight:.4g}%"></i>'
        for code, weight in enumerate(side.stats)
        if weight > 0
    ]
    return f'<span class="bar" aria-hidden="true">{"".join(parts)}</span>'


# ---- formulas ------------------------------------------------------------------------------------


def _worked_out(step: Step) -> Iterator[str]:
    worked = [facts for facts in step.columns if facts.best is not None]
    if not worked:
        return
    yield '<h3>How the gains are worked out</h3><div class="work">'
    for facts in worked:
        chosen = ' class="chosen"' if facts.name == step.chosen else ""
        yield f"<section{chosen}><h4>{_name(facts.name)}{_best(facts)}</h4>"
        for sentence in words.meeting_sentences(facts):
            yield f"<p>{_say(sentence)}</p>"
        yield from map(_equation, facts.impurities)
        if rest := words.rest_of_children(facts):
            yield f'<p class="soft">{_say(rest)}</p>'
        yield from map(_equation, facts.gains)
        if sentence := words.chi_square_sentence(facts):
            yield f'<p class="soft">{_say(sentence)}</p>'
        yield "</section>"
    yield "</div>"
    hidden = step.n_columns - len(step.columns)
    if hidden > 0:
        yield f'<p class="soft">… {words.counted(hidden, "column")} more, not worked out here</p>'


def _best(facts: ColumnFacts) -> str:
    if facts.best is None or facts.n_candidates < 2:
        return ""
    return f', <span class="soft">best {_name(words.way_label(facts, facts.best))}</span>'


def _equation(equation: Equation) -> str:
    of = ""
    if equation.of:
        inside = escape(cut(clean(equation.of), 40))
        of = f"<mo>(</mo><mtext>{inside}</mtext><mo>)</mo>"
    symbol = f"<mtext>{escape(equation.symbol)}</mtext>"
    pieces = [f"<math><mrow>{symbol}{of}</mrow></math>"]
    result = number(equation.value)
    if equation.expression is not None:
        terms = [
            f'<math displaystyle="true"><mrow>{term}</mrow></math>'
            for term in mathml_terms(equation.expression)
        ]
        if f"<mrow><mn>{result}</mn></mrow>" not in terms[0] or len(terms) > 1:
            pieces += ["=", *terms]
    note = [f'<span class="soft">({_say(equation.note)})</span>'] if equation.note else []
    pieces += [equals(equation.value), f"<strong>{result}</strong>", *note]
    return f'<p class="eq">{" ".join(pieces)}</p>'


def _mi(text: str) -> str:
    return f"<mi>{text}</mi>"


def _sub(base: str, index: str) -> str:
    return f"<msub><mi>{base}</mi><mi>{index}</mi></msub>"


def _over(top: str, bottom: str) -> str:
    return f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>"


def _general(symbol: str, right: str) -> str:
    return f'<math displaystyle="true"><mrow><mtext>{symbol}</mtext><mo>=</mo>{right}</mrow></math>'


_SUM, _MINUS, _DOT = "<mo>∑</mo>", "<mo>−</mo>", "<mo>·</mo>"
_LOG = "<msub><mi>log</mi><mn>2</mn></msub>"
_SHARE = _over(_sub("W", "i"), _mi("W"))


def _drop(impurity: str) -> str:
    child = f"<msub><mtext>{impurity}</mtext><mi>i</mi></msub>"
    return _general("gain", f"<mtext>{impurity}</mtext>{_MINUS}{_SUM}{_SHARE}{_DOT}{child}")


def _squared(inside: str) -> str:
    return f"<msup><mrow><mo>(</mo>{inside}<mo>)</mo></mrow><mn>2</mn></msup>"


_FORMULAS = [
    _general("H", f"{_MINUS}{_SUM}{_mi('p')}{_DOT}{_LOG}{_mi('p')}"),
    _drop("H"),
    _general("split information", f"{_MINUS}{_SUM}{_SHARE}{_DOT}{_LOG}{_SHARE}"),
    _general("gain ratio", _over("<mtext>gain</mtext>", "<mtext>split information</mtext>")),
    _general("Gini", f"<mn>1</mn>{_MINUS}{_SUM}<msup><mi>p</mi><mn>2</mn></msup>"),
    _drop("Gini"),
    _general("error", f"<mn>1</mn>{_MINUS}<mtext>largest </mtext>{_mi('p')}"),
    _drop("error"),
    _general(
        "twoing",
        _over(_sub("W", "0"), _mi("W")) + _DOT + _over(_sub("W", "1"), _mi("W")) + _DOT
        + _squared(f"{_SUM}<mo>|</mo>{_sub('p', '0')}{_MINUS}{_sub('p', '1')}<mo>|</mo>"),
    ),
    _general("χ²", _SUM + _over(_squared(f"{_mi('O')}{_MINUS}{_mi('E')}"), _mi("E"))),
    _general(
        "E",
        _over(
            f"<mtext>weight of the child</mtext>{_DOT}<mtext>weight of the class</mtext>",
            _mi("W"),
        ),
    ),
    _general(
        "significance",
        f"{_MINUS}<msub><mi>log</mi><mn>10</mn></msub><mo>(</mo>{_mi('p')}{_DOT}{_mi('m')}<mo>)</mo>",
    ),
    _general(
        "MSE", _over(_SUM + _squared(f"{_mi('y')}{_MINUS}<mtext>mean</mtext>"), _mi("W"))
    ),
    _drop("MSE"),
]  # fmt: skip
_GENERAL = dict(
    zip(
        dict.fromkeys(text for _, texts, _ in words.CRITERIA.values() for text in texts),
        _FORMULAS,
        strict=True,
    )
)
"""The formulas of `words.CRITERIA`, in the order they first stand there."""


# ---- deciding ------------------------------------------------------------------------------------


def _ranking(step: Step) -> Iterator[str]:
    yield "<h3>Ranking</h3>"
    if step.average is not None:
        yield _equation(step.average)
    largest = max(abs(rank.gain) for rank in step.ranking)
    yield '<ol class="ranking">'
    for rank in step.ranking:
        told = words.standing(rank.standing)
        gain = fixed(rank.gain, largest)
        if rank.entropy_gain is not None:
            gain += f' <span class="soft">gain {fixed(rank.entropy_gain, 1.0)}</span>'
        yield f'<li>{_name(rank.name)} {gain} <span class="tag">{escape(told)}</span></li>'
    yield "</ol>"
    if rest := words.rest_of_ranking(step):
        yield f'<p class="soft">{_say(rest)}</p>'


def _decision(lesson: Lesson, step: Step) -> Iterator[str]:
    yield '<div class="decision">'
    if step.answer is not None:
        yield f"<p><strong>Leaf:</strong> {_say(step.answer.reason)}.</p>"
        yield f"<p>{_say(words.answer_sentence(step))}</p>"
        yield from _contradictions(step.answer.contradictions, step.answer.n_contradictions)
        yield "</div>"
        return
    yield f"<p><strong>Decision:</strong> ask {_name(step.chosen)}</p>"
    for sentence in (words.tie_sentence(step), words.own_tie_sentence(step)):
        if sentence:
            yield f"<p>{_say(sentence)}</p>"
    for check in step.checks[1:]:
        yield f"<p>Limit: {_say(check.text)}: go on.</p>"
    if step.p_value is not None and lesson.criterion != "chi2":
        told = f"χ² of the split: p {equals(step.p_value)} {number(step.p_value)}"
        yield f'<p class="soft">{_say(told)}</p>'
    shown = {each.node for each in lesson.steps}
    yield "<ul>"
    for node, side in step.children[:MOST_CHILDREN]:
        place = f'<a href="#node-{node}">node {node:,}</a>' if node in shown else f"node {node:,}"
        yield f"<li>{_name(side.label)} → {place}, {_say(_held(lesson, side))}</li>"
    if len(step.children) > MOST_CHILDREN:
        yield f"<li>… {len(step.children) - MOST_CHILDREN:,} more children</li>"
    yield "</ul></div>"


def _contradictions(shown: Sequence[Contradiction], n_groups: int) -> Iterator[str]:
    if not shown:
        return
    yield "<ul>"
    for group in shown:
        rows = ", ".join(
            f"row {row:,} is <strong>{_name(name)}</strong>" for row, name in group.rows
        )
        more = group.n_rows - len(group.rows)
        rest = f", … {more:,} more" if more else ""
        cells = ", ".join(f"{_name(name)} = {_name(cell)}" for name, cell in group.cells[:12])
        if len(group.cells) > 12:
            cells += f", … {len(group.cells) - 12:,} more columns"
        yield f'<li>{rows}{rest}: <span class="soft">all with {cells}</span></li>'
    if n_groups > len(shown):
        yield f"<li>{words.more(n_groups - len(shown), 'group')}</li>"
    yield "</ul>"
