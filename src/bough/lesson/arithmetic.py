"""Formulas with the numbers put in. What is shown and what it comes to are the same object, so a
formula on the page cannot differ from its result; views turn it into text or MathML.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = [
    "Absolute",
    "Equation",
    "Expression",
    "Log2",
    "Log10",
    "Number",
    "Product",
    "Ratio",
    "Square",
    "Sum",
    "minus",
    "plus",
]


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Ratio:
    top: Expression
    bottom: Expression

    @property
    def value(self) -> float:
        return self.top.value / self.bottom.value


@dataclass(frozen=True)
class Product:
    factors: tuple[Expression, ...]

    @property
    def value(self) -> float:
        return math.prod(factor.value for factor in self.factors)


@dataclass(frozen=True)
class Sum:
    """Terms, each with its sign (1 or −1)."""

    terms: tuple[tuple[int, Expression], ...]

    @property
    def value(self) -> float:
        return math.fsum(sign * term.value for sign, term in self.terms) + 0.0  # never −0.0


@dataclass(frozen=True)
class Log2:
    of: Expression

    @property
    def value(self) -> float:
        return math.log2(self.of.value)


@dataclass(frozen=True)
class Log10:
    of: Expression

    @property
    def value(self) -> float:
        return math.log10(self.of.value)


@dataclass(frozen=True)
class Square:
    of: Expression

    @property
    def value(self) -> float:
        return self.of.value**2


@dataclass(frozen=True)
class Absolute:
    of: Expression

    @property
    def value(self) -> float:
        return abs(self.of.value)


Expression = Number | Ratio | Product | Sum | Log2 | Log10 | Square | Absolute


def plus(*terms: Expression) -> Sum:
    return Sum(tuple((1, term) for term in terms))


def minus(first: Expression, *rest: Expression) -> Sum:
    return Sum(((1, first), *((-1, term) for term in rest)))


@dataclass(frozen=True)
class Equation:
    """symbol(of) = expression = value."""

    symbol: str
    of: str
    """What it is measured on, in the user's words; empty for the node itself."""
    expression: Expression | None
    """None where there is nothing to work out; `note` says why."""
    value: float
    """What the core that grows the trees says it is."""
    note: str = ""
