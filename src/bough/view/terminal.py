"""The tree in the terminal: one line per node, in columns; or plain ASCII for logs and diffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bough.errors import OptionError
from bough.tree import Tree
from bough.view.answers import Answers, answers_of, counted, weight_format
from bough.view.cells import BOLD, DIM, Paint, clean, cut, measure, pad, to_ascii
from bough.view.cells import width as cells_of
from bough.view.outline import DEEPEST, Guides, Line, depth, outline, question, selection, split_of

__all__ = ["render"]

NARROWEST, USUAL = 40, 100
GAP = "  "
_FEWEST = 12  # cells a question is left, however deep its node
_LINES = Guides("├─ ", "└─ ", "│  ", "   ")
# The same before a last branch as before any other: a new branch changes no other line of a diff.
_ASCII = Guides("|- ", "|- ", "|  ", "|  ")


def render(
    tree: Tree,
    *,
    width: int | None = None,
    max_depth: int | None = None,
    max_nodes: int | None = 200,
    plain: bool = False,
    color: bool = False,
) -> str:
    """The tree as text.

    No line is wider than `width` (at least 40; None: 100, or as long as needed when plain).
    Nodes deeper than `max_depth` or beyond the first `max_nodes` from the top are counted, not
    shown; with max_nodes=None nothing is folded. Plain text is ASCII, never coloured, and a line
    depends on its own node only.
    """
    _check("max_depth", max_depth, 0)
    _check("max_nodes", max_nodes, 1)
    page = _Page(tree, Paint(color and not plain), plain, _line_cells(width, plain))
    shown = selection(tree.nodes, max_depth, max_nodes)
    lines = list(outline(tree, shown, _ASCII if plain else _LINES, plain))
    body = page.plain(lines) if plain else page.table(lines)
    return "\n".join([*page.header(), "", *body, *page.footer(lines, max_depth)])


def _check(name: str, given: int | None, least: int) -> None:
    if given is not None and given < least:
        raise OptionError(
            f"{name}={given!r} is too small. Allowed: {least} or more, or None for all."
        )


def _line_cells(width: int | None, plain: bool) -> int:
    if width is None:
        return 1_000_000 if plain else USUAL
    return max(NARROWEST, width)


@dataclass(frozen=True)
class _Plan:
    """What the columns may take; the first plan that leaves the questions room is used."""

    bar: int
    many: int
    answer: int
    extras: bool = True
    """The columns of weights and of hidden nodes."""


_PLANS = (
    _Plan(bar=10, many=3, answer=24),
    _Plan(bar=10, many=2, answer=16),
    _Plan(bar=8, many=1, answer=16),
    _Plan(bar=6, many=1, answer=12),
    _Plan(bar=0, many=1, answer=12),
    _Plan(bar=0, many=0, answer=10),
    _Plan(bar=0, many=0, answer=8, extras=False),
)


@dataclass(frozen=True)
class _Indent:
    """Cells per level, and cells that guides may take at most."""

    step: int
    most: int


@dataclass(frozen=True)
class _Column:
    """Texts of one line each; `painted` ones are already as wide as the column."""

    title: str
    texts: Sequence[str]
    size: int
    right: bool = False
    styles: Sequence[str] = ()
    painted: bool = False
    for_empty: bool = False
    """A leaf no row reached has an entry here; elsewhere it has a note."""


class _Page:
    def __init__(self, tree: Tree, paint: Paint, plain: bool, cells: int) -> None:
        self.tree, self.nodes, self.paint, self.cells = tree, tree.nodes, paint, cells
        self.is_plain = plain
        self.answers: Answers = answers_of(tree, paint, plain)
        self.weighted = not np.array_equal(self.nodes.weight, self.nodes.rows)
        self.weight_form = weight_format(self.nodes.weight)

    # Header and footer

    def header(self) -> list[str]:
        tree, target = self.tree, self.tree.schema.target
        leaves = int(np.count_nonzero(self.nodes.n_children == 0))
        name = cut(clean(target.name), min(48, self.cells - 18))
        facts = [
            (f"{name}: {target.task}", BOLD),
            (counted(leaves, "leaf", "leaves"), ""),
            (f"depth {depth(self.nodes):,}", ""),
            (counted(int(self.nodes.rows[0]), "row", "rows"), ""),
        ]
        if self.weighted:
            facts.append((f"weight {self._weight(0, 1)}", ""))
        asking = tree.asking_cost
        if asking is not None:
            facts.append((f"asking costs {asking:.4g} a row", ""))
        recipe = tree.options.get("recipe")
        if recipe:
            facts.append((f"recipe {cut(clean(str(recipe)), 24)}", ""))
        label, items = self.answers.legend()
        marked = self.paint.color or (len(items) == 2 and not self.is_plain)
        legend = self._one_line(label, items, GAP if marked else ", ")
        return [*self._wrapped(facts, ", " if self.is_plain else " · "), legend]

    def _wrapped(self, pieces: Sequence[tuple[str, str]], between: str) -> list[str]:
        lines, taken = [""], 0
        for text, style in pieces:
            size = measure(text, self.is_plain)
            if taken and taken + len(between) + size > self.cells:
                lines.append("")
                taken = 0
            lines[-1] += (between if taken else "") + self.paint(text, style)
            taken += (len(between) if taken else 0) + size
        return [self._ascii(line) for line in lines]

    def _one_line(self, label: str, items: Sequence[tuple[str, str]], between: str) -> str:
        """As many items as there is room for, and how many there are more."""
        line, taken, most = label, cells_of(label), min(self.cells, USUAL)
        for at, (text, style) in enumerate(items):
            gap = between if at else " "
            rest = len(items) - at
            reserve = len(f"{gap}… {rest:,} more") + 2 if rest > 1 else 0
            if taken + len(gap) + measure(text, self.is_plain) + reserve > most:
                return self._ascii(f"{line}{gap}… {rest:,} more")
            line += gap + self.paint(text, style)
            taken += len(gap) + measure(text, self.is_plain)
        return self._ascii(line)

    def footer(self, lines: Sequence[Line], max_depth: int | None) -> list[str]:
        hidden = len(self.nodes) - sum(1 for line in lines if line.node >= 0)
        if not hidden:
            return []
        cut_by_depth = max_depth is not None and all(
            line.depth == max_depth and line.node >= 0 for line in lines if line.hidden
        )
        pieces = [f"… {counted(hidden, 'more node', 'more nodes')} below:", "bough show"]
        if cut_by_depth and max_depth is not None:
            pieces.append(f"--max-depth {min(depth(self.nodes), max_depth + 3)},")
        return ["", *self._wrapped([(piece, DIM) for piece in (*pieces, "--all")], " ")]

    def _ascii(self, line: str) -> str:
        """The line as it is, or a plain one: its characters may have grown when spelled out."""
        if not self.is_plain:
            return line
        text = to_ascii(line)
        return text if len(text) <= self.cells else text[: self.cells - 3] + "..."

    # What the columns and the plain lines say

    def _covered(self, line: Line) -> tuple[int, int]:
        """The nodes a line stands for: one, or the folded branches of a node."""
        if line.node >= 0:
            return line.node, line.node + 1
        first = int(self.nodes.first_child[line.parent])
        return first + line.place, first + int(self.nodes.n_children[line.parent])

    def _rows(self, first: int, last: int) -> int:
        return int(self.nodes.rows[first:last].sum())

    def _weight(self, first: int, last: int) -> str:
        return format(float(self.nodes.weight[first:last].sum()), self.weight_form)

    def _is_leaf(self, line: Line) -> bool:
        return line.node >= 0 and int(self.nodes.n_children[line.node]) == 0

    def _is_empty(self, line: Line) -> bool:
        return line.node >= 0 and int(self.nodes.rows[line.node]) == 0

    def _lead(self, line: Line, room: int, indent: _Indent) -> tuple[str, str]:
        """Guides and question in so many cells."""
        guides = _narrowed(line.guides, indent.step)
        if line.depth > DEEPEST or len(guides) > indent.most:  # the depth is written instead
            guides = f"…{line.depth} {line.guides[-3:-1]} ".rjust(indent.most)
        free = room - len(guides)
        if measure(line.words, self.is_plain) <= free:
            return guides, line.words
        if line.node <= 0:
            return guides, cut(line.words, free)
        return guides, question(split_of(self.tree, line.parent), line.place, free, self.is_plain)

    # Plain lines

    def plain(self, lines: Sequence[Line]) -> list[str]:
        return [self._plain_line(line) for line in lines]

    def _plain_line(self, line: Line) -> str:
        for many in (3, 2, 1):  # no more than half of the line, if that can be had
            tail = self._tail(line, many)
            if 2 * measure(tail, True) <= self.cells:
                break
        room = max(2 * _FEWEST, self.cells - len(to_ascii(tail)))
        guides, words = self._lead(line, room, _Indent(3, min(3 * DEEPEST, room - _FEWEST)))
        return self._ascii(guides + words + tail)

    def _tail(self, line: Line, many: int) -> str:
        first, last = self._covered(line)
        count = counted(self._rows(first, last), "row", "rows")
        if self.weighted:
            count += f", weight {self._weight(first, last)}"
        if line.node < 0:
            return f" ({count}, {_nodes(line.hidden)})"
        answer, facts = self.answers.plain(line.node, many)
        arrow = f" -> {answer}" if self._is_leaf(line) else ""
        below = f" ... {_nodes(line.hidden)} below" if line.hidden else ""
        if self._is_empty(line):
            return f"{arrow} ({facts}){below}"
        return f"{arrow} ({count}: {facts}){below}"

    # Columns

    def table(self, lines: Sequence[Line]) -> list[str]:
        natural, least = _question_cells(lines, 3), _question_cells(lines, 2)
        fixed = self._fixed(lines)
        for plan in _PLANS:
            columns = self._columns(lines, plan, fixed)
            room = self.cells - sum(len(GAP) + column.size for column in columns)
            if room >= min(least, max(24, 9 * self.cells // 20)):
                break
        room = min(room, natural)
        indent = _indent(lines, room)
        titles = "".join(GAP + pad(c.title, c.size, c.right) for c in columns)
        head = self.paint((" " * room + titles).rstrip(), DIM)
        return [
            head,
            *(self._line(line, at, room, indent, columns) for at, line in enumerate(lines)),
        ]

    def _fixed(self, lines: Sequence[Line]) -> list[_Column]:
        """The columns of counts, which are the same in every plan."""
        covered = [self._covered(line) for line in lines]
        made = [_numbers("rows", [f"{self._rows(*nodes):,}" for nodes in covered])]
        if self.weighted:
            made.append(_numbers("weight", [self._weight(*nodes) for nodes in covered]))
        if any(line.hidden for line in lines):
            hidden = [line.hidden for line in lines]
            made.append(_numbers("hidden", hidden, [DIM] * len(hidden)))
        return made

    def _columns(self, lines: Sequence[Line], plan: _Plan, fixed: list[_Column]) -> list[_Column]:
        made = []
        told = [self.answers.answer(ln.node) if self._is_leaf(ln) else ("", "") for ln in lines]
        texts = [cut(text, plan.answer) for text, _ in told]
        if any(texts):
            size = max(len("answer"), max(map(cells_of, texts)))
            styles = [style for _, style in told]
            made.append(_Column("answer", texts, size, styles=styles, for_empty=True))
        measures = self._measures(lines, plan)
        if measures.size:
            made.append(measures)
        return [*made, *(fixed if plan.extras else fixed[:1])]

    def _measures(self, lines: Sequence[Line], plan: _Plan) -> _Column:
        """Detail and bar side by side, as one column under one title."""
        answers, drawn = self.answers, [ln.node >= 0 and not self._is_empty(ln) for ln in lines]
        details = [
            answers.detail(line.node, plan.many) if there else ""
            for line, there in zip(lines, drawn, strict=True)
        ]
        size = max(map(cells_of, details))
        texts = []
        for line, detail, there in zip(lines, details, drawn, strict=True):
            parts = [pad(detail, size)] if size else []
            if plan.bar:
                drawing = answers.bar(line.node, plan.bar) if there else " " * plan.bar
                parts.insert(0 if answers.bar_first else 1, drawing)
            texts.append(" ".join(parts))
        size += plan.bar + (1 if size and plan.bar else 0)
        title = next((t for t in answers.titles if cells_of(t) <= size), "")
        return _Column(title, texts, size, painted=True)

    def _line(
        self, line: Line, at: int, room: int, indent: _Indent, columns: Sequence[_Column]
    ) -> str:
        guides, words = self._lead(line, room, indent)
        text = self.paint(guides, DIM) + words + " " * (room - len(guides) - cells_of(words))
        taken = room
        for column in columns:
            if self._is_empty(line) and not column.for_empty:
                free = self.cells - taken - len(GAP)
                notes = self.answers.note(line.node)
                if line.hidden:
                    notes = (f"no rows; {line.hidden} hidden", *notes[-1:])
                note = next((n for n in notes if cells_of(n) <= free), cut(notes[-1], free))
                return text + GAP + self.paint(note, DIM)
            text += GAP + self._cell(column, at)
            taken += len(GAP) + column.size
        return text.rstrip()

    def _cell(self, column: _Column, at: int) -> str:
        text = column.texts[at]
        if column.painted:
            return text
        space = " " * (column.size - cells_of(text))
        text = self.paint(text, column.styles[at] if column.styles else "")
        return space + text if column.right else text + space


def _question_cells(lines: Sequence[Line], step: int) -> int:
    """What the longest question takes with its guides."""
    return max(cells_of(line.words) + step * min(line.depth, DEEPEST) for line in lines)


def _indent(lines: Sequence[Line], room: int) -> _Indent:
    """The widest indent that leaves every question some room."""
    needs = [(line.depth, min(_FEWEST, cells_of(line.words))) for line in lines]
    for step in (3, 2, 1):
        air = 1 if step == 1 else 0
        if all(step * min(level, DEEPEST) + air + words <= room for level, words in needs):
            return _Indent(step, room)
    return _Indent(1, room - max(_FEWEST, min(30, room // 2)))


def _narrowed(guides: str, indent: int) -> str:
    """The same guides with one or two cells per level instead of three."""
    if indent == 3:
        return guides
    space = " " * (indent - 1)
    narrow = "".join(mark + space for mark in guides[::3])
    return narrow + " " if guides and indent == 1 else narrow


def _nodes(count: str) -> str:
    return f"{count} node" if count == "1" else f"{count} nodes"


def _numbers(title: str, texts: list[str], styles: Sequence[str] = ()) -> _Column:
    return _Column(title, texts, max(len(title), *map(len, texts)), True, styles)
