"""What of a tree is shown, line by line: nodes, folded branches, and the words of each question."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bough.splits import Branches, Split, Subset, Threshold
from bough.tree import Nodes, Tree
from bough.view.cells import clean, cut, head, measure, to_ascii

__all__ = ["DEEPEST", "Guides", "Line", "depth", "outline", "question", "selection", "split_of"]

FOLD_ABOVE, FOLD_TO = 24, 20  # a node with more branches than the first shows the second
_MANY_LEVELS = 2_000  # counting what is hidden stops after so many levels of depth
_NATURAL = 100  # cells a question takes where there is room
_NATURAL_PLAIN = 10_000  # one character may be spelled out with ten
DEEPEST = 130  # levels of guide lines kept; deeper ones are off every screen


@dataclass(frozen=True, slots=True)
class Guides:
    """The lines that join a branch to its node, each three cells: to a branch, to the last one."""

    branch: str
    last: str
    past: str
    past_last: str


@dataclass(frozen=True, slots=True)
class Line:
    """A node, or (node −1) the branches of `parent` that are folded, from number `place` on."""

    node: int
    parent: int
    place: int
    guides: str
    words: str
    """The question of its branch, as long as it likes to be."""
    depth: int
    hidden: str
    """How many nodes below this line are not shown; empty when none."""


def depth(nodes: Nodes) -> int:
    """Nodes are numbered level by level, so the last one is as deep as any."""
    node, steps = int(nodes.parent[-1]), 0
    while node >= 0:
        node, steps = int(nodes.parent[node]), steps + 1
    return steps


def selection(nodes: Nodes, max_depth: int | None, max_nodes: int | None) -> dict[int, int]:
    """Nodes whose children are shown → how many of them. From the top, whole families."""
    shown: dict[int, int] = {}
    room = math.inf if max_nodes is None else max_nodes - 1
    queue = deque([(0, 0)])
    while queue:
        node, level = queue.popleft()
        family = int(nodes.n_children[node])
        if family == 0 or (max_depth is not None and level >= max_depth):
            continue
        few = family if max_nodes is None or family <= FOLD_ABOVE else FOLD_TO
        if few > room:
            if node > 0 or room < 1:
                break
            few = int(room)  # the root shows some of its children rather than none
        shown[node] = few
        room -= few
        first = int(nodes.first_child[node])
        queue.extend((child, level + 1) for child in range(first, first + few))
    return shown


def outline(tree: Tree, shown: dict[int, int], guides: Guides, plain: bool) -> Iterator[Line]:
    """The lines in the order they are read; an own stack, so depth has no limit."""
    nodes = tree.nodes
    stack = [(Line(0, -1, 0, "", "all rows", 0, ""), "")]
    while stack:
        line, above = stack.pop()
        few = shown.get(line.node, 0)
        family = int(nodes.n_children[line.node]) if line.node >= 0 else 0
        if family and not few:
            first = int(nodes.first_child[line.node])
            yield replace(line, hidden=_count_below(nodes, first, first + family))
            continue
        yield line
        if family:
            stack.extend(_children(tree, line, few, above, guides, plain))


def _children(
    tree: Tree, line: Line, few: int, above: str, guides: Guides, plain: bool
) -> list[tuple[Line, str]]:
    """The lines below a node, last first, each with the guides above its own children."""
    nodes, parent, level = tree.nodes, line.node, line.depth + 1
    first, family = int(nodes.first_child[parent]), int(nodes.n_children[parent])
    pushed: list[tuple[Line, str]] = []
    if few < family:
        hidden = _count_below(nodes, first + few, first + family)
        words = _fold_words(family - few)
        pushed.append((Line(-1, parent, few, above + guides.last, words, level, hidden), ""))
    splits = _by_child(split_of(tree, parent), few)
    for place in range(few - 1, -1, -1):
        last = place == family - 1
        mark = above + (guides.last if last else guides.branch)
        words = question(splits[place], place, _NATURAL_PLAIN if plain else _NATURAL, plain)
        past = above + (guides.past_last if last else guides.past)
        child = Line(first + place, parent, place, mark, words, level, "")
        pushed.append((child, past[-3 * DEEPEST :]))
    return pushed


def split_of(tree: Tree, node: int) -> Split:
    split = tree.split(node)
    assert split is not None, f"node {node} has children and no question"
    return split


def _fold_words(count: int) -> str:
    return f"… {count:,} more {'branch' if count == 1 else 'branches'}"


def _by_child(split: Split, few: int) -> list[Split]:
    """The split once per child, knowing only the levels of that child: many branches stay fast."""
    if isinstance(split, Threshold) or few < FOLD_TO:
        return [split] * few
    groups: list[dict[str, int]] = [{} for _ in range(few)]
    for level, child in split.child_of.items():
        if child < few:
            groups[child][level] = child
    return [
        split if child == split.unseen_to else replace(split, child_of=group)
        for child, group in enumerate(groups)
    ]


def _count_below(nodes: Nodes, first: int, last: int) -> str:
    """Nodes from `first` to before `last` (neighbours on one level) and all below them.

    The children of neighbours are neighbours too, so each level below is one stretch.
    """
    count = 0
    for _ in range(_MANY_LEVELS):
        if first >= last:
            return f"{count:,}"
        count += last - first
        inner = np.flatnonzero(nodes.n_children[first:last])
        if not len(inner):
            return f"{count:,}"
        left, right = first + int(inner[0]), first + int(inner[-1])
        first = int(nodes.first_child[left])
        last = int(nodes.first_child[right] + nodes.n_children[right])
    return f"{count:,}+"


# How a question shrinks to fit: levels named, cells of the column's name, cells of a level.
_SIZES = ((8, 48, 28), (5, 40, 24), (4, 32, 16), (3, 24, 12), (2, 18, 10), (1, 14, 8), (1, 8, 6))


def question(split: Split, child: int, cells: int, plain: bool = False) -> str:
    """The words of `split.ask(child)` in so many cells: level lists and names are shortened."""
    levels = [] if isinstance(split, Threshold) else split.levels_of(child)
    words = ""
    for many, name_cells, level_cells in _SIZES:
        name = cut(clean(split.column.name), name_cells)
        shown: Split
        if isinstance(split, Threshold):
            shown = _with_level(split, name, level_cells)
        elif split.is_stretch(child):
            shown = _with_ends(split, child, name, level_cells)
        else:
            texts = [cut(clean(level), level_cells) for level in levels[:many]]
            if len(levels) > many:
                texts.append(f"… {len(levels) - many:,} more")
            shown = _with_levels(split, child, name, texts)
        words = _asked(shown, child)
        if measure(words, plain) <= cells:
            return words
    if plain:
        return to_ascii(words)[: max(0, cells - 3)] + "..."
    return head(words, cells - 1).rstrip(" ,…") + "…"


def _asked(split: Split, child: int) -> str:
    try:
        return split.ask(child)
    except OverflowError:  # no calendar reaches this date: show the number
        return replace(split, column=replace(split.column, form="float")).ask(child)


def _with_level(split: Threshold, name: str, level_cells: int) -> Threshold:
    """The same split in words that may be shown, so that `ask` stays the only one to word it."""
    levels: tuple[str, ...] = ()
    if split.column.kind == "ordered" and math.isfinite(split.threshold):
        at = int(split.threshold)
        level = cut(clean(split.column.levels[at]), level_cells)
        levels = ("",) * at + (level,)
    return replace(split, column=replace(split.column, name=name, levels=levels))


def _with_ends(
    split: Subset | Branches, child: int, name: str, level_cells: int
) -> Subset | Branches:
    """The same split with the outer levels of a stretch cut; others have no words in `ask`."""
    levels, every = split.levels_of(child), split.column.levels
    first, last = (cut(clean(level), level_cells) for level in (levels[0], levels[-1]))
    last = last if last != first else f"{last} "
    before = ("\0before",) if levels[0] != every[0] else ()
    after = ("\0after",) if levels[-1] != every[-1] else ()
    column = replace(split.column, name=name, levels=(*before, first, last, *after))
    return replace(split, column=column, child_of={first: child, last: child}, unseen_to=-1)


def _with_levels(
    split: Subset | Branches, child: int, name: str, texts: list[str]
) -> Subset | Branches:
    """The same split with the shown texts as its levels.

    All but the first are joined to one: two long levels may look the same once they are cut.
    """
    if len(texts) > 1:
        rest = ", ".join(texts[1:])
        texts = [texts[0], rest if rest != texts[0] else f"{rest} "]
    column = replace(split.column, name=name, kind="category", levels=tuple(texts))
    return replace(split, column=column, child_of=dict.fromkeys(texts, child), unseen_to=-1)
