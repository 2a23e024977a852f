"""What a node answers and how sure it is, as short texts and small bars."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from bough.data.table import Array
from bough.tree import Tree
from bough.view.cells import BOLD, OTHER, PALETTE, Paint, clean, cut, share_bar, stacked_bar, track

__all__ = ["Answers", "answers_of", "class_at", "counted", "mean_at", "weight_format"]

UNKNOWN = "?"


class Answers(Protocol):
    """How the answers of one task are shown. `many` is how much of the detail there is room for."""

    titles: tuple[str, ...]
    """Over detail and bar, longest first."""
    bar_first: bool

    def answer(self, node: int) -> tuple[str, str]:
        """Of a leaf: text and style; empty where the detail already says it."""

    def detail(self, node: int, many: int) -> str: ...

    def bar(self, node: int, cells: int) -> str: ...

    def note(self, node: int) -> tuple[str, ...]:
        """Of a leaf no row reached: what to say, longest first."""

    def legend(self) -> tuple[str, list[tuple[str, str]]]:
        """The second line of the header: a label, and items with their styles."""

    def plain(self, node: int, many: int) -> tuple[str, str]:
        """The answer in words, and the facts behind it, `many` shares of them."""


def answers_of(tree: Tree, paint: Paint, plain: bool) -> Answers:
    if tree.schema.target.task == "regression":
        return _Numbers(tree)
    return _Classes(tree, paint, plain)


class _Classes:
    def __init__(self, tree: Tree, paint: Paint, plain: bool) -> None:
        self.tree, self.paint, self.is_plain = tree, paint, plain
        self.names = [cut(clean(str(name)), 32) for name in tree.schema.target.classes]
        self.styles = _class_styles(tree.nodes.stats[0])
        self.two = len(self.names) == 2
        self.bar_first = not self.two
        title = self.names[1] if self.two else "shares"
        longer = (f"share of {title}",) if self.two else ()
        shorter = (cut(title, cells) for cells in (15, 13, 11, 4))
        self.titles: tuple[str, ...] = (*longer, title, *shorter)

    def answer(self, node: int) -> tuple[str, str]:
        code = class_at(self.tree, node)
        return (self.names[code], f"{BOLD};{self.styles[code]}") if code >= 0 else (UNKNOWN, BOLD)

    def shares(self, node: int) -> Array:
        stats = self.tree.nodes.stats[node]
        shares: Array = stats / (stats.sum() or 1.0)
        return shares

    def detail(self, node: int, many: int) -> str:
        if many and self.two:
            return f"{_percent(float(self.shares(node)[1])):>4}"
        return self._largest(node, many, 14)

    def _largest(self, node: int, many: int, name_cells: int) -> str:
        """The largest shares in words; the answer comes first among equals."""
        shares = self.shares(node)
        first = class_at(self.tree, node)
        there = np.flatnonzero(shares > 0).tolist()
        there.sort(key=lambda code: (-shares[code], code != first))
        told = [
            f"{cut(self.names[code], name_cells)} {_percent(float(shares[code]))}"
            for code in there[:many]
        ]
        return ", ".join(told) + (" …" if told and len(there) > many else "")

    def bar(self, node: int, cells: int) -> str:
        shares = self.shares(node).tolist()
        if self.paint.color and len(shares) <= len(PALETTE):
            parts = list(zip(shares, self.styles, strict=True))
            # Of two classes the second ("yes", 1, true) starts on the left: more of it, longer bar.
            return stacked_bar(parts[::-1] if self.two else parts, cells, self.paint)
        code = 1 if self.two else class_at(self.tree, node)
        return share_bar(shares[code], self.styles[code], cells, self.paint)

    def note(self, node: int) -> tuple[str, ...]:
        if class_at(self.tree, node) < 0:
            return ("no rows; does not know", "no rows", "none")
        return ("no rows; answers like the parent", "no rows; like parent", "no rows", "none")

    def legend(self) -> tuple[str, list[tuple[str, str]]]:
        marks = [""] * len(self.names)
        if self.paint.color:
            marks = ["█ "] * len(self.names)
        elif self.two and not self.is_plain:
            marks = ["░ ", "█ "]
        shown = [mark + cut(name, 24) for mark, name in zip(marks, self.names, strict=True)]
        items = list(zip(shown, self.styles, strict=True))
        if self.paint.color:
            items.sort(key=lambda item: item[1] == OTHER)  # where not all have a colour
        return "classes:", items

    def plain(self, node: int, many: int) -> tuple[str, str]:
        code = class_at(self.tree, node)
        answer = self.names[code] if code >= 0 else "does not know"
        if self.tree.nodes.rows[node] == 0:
            return answer, _no_rows(code >= 0)
        return answer, self._largest(node, many, 32)


class _Numbers:
    titles: tuple[str, ...] = ("mean ± sd", "mean")
    bar_first = False

    def __init__(self, tree: Tree) -> None:
        self.tree, nodes = tree, tree.nodes
        heard = (nodes.rows > 0) & (nodes.n_children == 0)
        means = nodes.stats[heard, 1] if heard.any() else np.zeros(1)
        self.low, self.high = float(means.min()), float(means.max())
        with np.errstate(invalid="ignore", divide="ignore"):
            spreads = np.sqrt(np.maximum(0.0, nodes.stats[:, 2]) / nodes.stats[:, 0])
        self.spreads = np.nan_to_num(spreads, nan=0.0)
        self.form = _number_format(float(self.spreads[0]), max(abs(self.low), abs(self.high)))
        self.mean_cells = max(len(self.show(self.low)), len(self.show(self.high)))
        self.spread_cells = len(self.show(float(self.spreads.max())))

    def show(self, number: float) -> str:
        return format(number + 0.0, self.form)

    def answer(self, node: int) -> tuple[str, str]:
        return "", ""

    def detail(self, node: int, many: int) -> str:
        mean = f"{self.show(mean_at(self.tree, node)):>{self.mean_cells}}"
        spread = f"{self.show(float(self.spreads[node])):>{self.spread_cells}}"
        return f"{mean} ± {spread}" if many else mean

    def bar(self, node: int, cells: int) -> str:
        mean, spread = mean_at(self.tree, node), float(self.spreads[node])
        return track(mean, spread, self.low, self.high, cells)

    def note(self, node: int) -> tuple[str, ...]:
        mean = mean_at(self.tree, node)
        if math.isnan(mean):
            return (f"{UNKNOWN}  no rows; does not know", f"{UNKNOWN}  no rows", "none")
        shown = f"{self.show(mean):>{self.mean_cells}}"
        return (f"{shown}  no rows; answers like the parent", f"{shown}  no rows", f"{shown}  none")

    def legend(self) -> tuple[str, list[tuple[str, str]]]:
        return f"answers: from {self.show(self.low)} to {self.show(self.high)}", []

    def plain(self, node: int, many: int) -> tuple[str, str]:
        mean = mean_at(self.tree, node)
        if self.tree.nodes.rows[node] == 0:
            known = not math.isnan(mean)
            return self.show(mean) if known else "does not know", _no_rows(known)
        answer = self.show(mean)
        spread = f"sd {self.show(float(self.spreads[node]))}"
        is_leaf = self.tree.nodes.n_children[node] == 0  # its answer stands before
        return answer, spread if is_leaf else f"mean {answer}, {spread}"


def _no_rows(known: bool) -> str:
    return "no rows; answers like the parent" if known else "no rows"


def _class_styles(root: Array) -> list[str]:
    """A colour per class; where there are more classes than colours, for the largest ones."""
    order = np.argsort(-root, kind="stable")[: len(PALETTE)]
    styles = [OTHER] * len(root)
    for style, code in zip(PALETTE, sorted(order.tolist()), strict=False):
        styles[code] = style
    return styles


def _percent(share: float) -> str:
    """Whole percent, but never "0%" for something or "100%" for less than all."""
    whole = round(100 * share)
    if whole == 0 and share > 1e-12:
        return "<1%"
    return ">99%" if whole == 100 and share < 1 - 1e-12 else f"{whole}%"


def _number_format(spread: float, largest: float) -> str:
    """One format for all means, so that they line up: three digits of the spread at the root."""
    if spread <= 0:
        return ".6g"
    if spread < 1e-5 or max(spread, largest) >= 1e12:
        return ".4g"
    return f",.{min(7, max(0, 2 - math.floor(math.log10(spread))))}f"


def weight_format(weights: Array) -> str:
    root = float(weights[0])
    if root >= 1e12 or root < 1e-4:
        return ".4g"
    if bool(np.all(weights == np.round(weights))):
        return ",.0f"
    return f",.{min(7, max(0, 3 - math.floor(math.log10(root))))}f"


def counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def class_at(tree: Tree, node: int) -> int:
    """The code of the class a node answers; −1 when it does not know."""
    return int(tree.answers[node])


def mean_at(tree: Tree, node: int) -> float:
    """The number a node answers; NaN when it does not know."""
    return float(tree.answers[node])
