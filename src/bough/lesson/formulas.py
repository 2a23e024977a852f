"""The criteria written out: sides of a split → equations. One entry per criterion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bough.lesson.arithmetic import (
    Absolute,
    Equation,
    Expression,
    Log2,
    Log10,
    Number,
    Product,
    Ratio,
    Square,
    Sum,
    minus,
    plus,
)
from bough.lesson.facts import Candidate, Side
from bough.measure import split_information

__all__ = ["FORMULAS", "Formula", "gain_equations", "impurity_equation"]

LEAST_P, MOST_WAYS = 1e-290, 1e290
"""Beyond these a float does not hold the product."""


@dataclass(frozen=True)
class Formula:
    """How one criterion is written."""

    impurity: str
    """Symbol of the impurity of a node."""
    gain: str
    """Symbol of what a split wins."""
    of_node: Callable[[Side, Sequence[float]], Expression]
    of_split: Callable[[Side, Sequence[Side]], Expression]
    uses_impurity: bool = True
    """The gain is worked out from the children's impurities."""


def impurity_equation(criterion: str, side: Side, values: Sequence[float] = ()) -> Equation:
    """`values`: regression, the targets of the rows, where they are few and count once each."""
    formula = FORMULAS[criterion]
    return Equation(formula.impurity, side.label, formula.of_node(side, values), side.impurity)


def gain_equations(
    criterion: str, node: Side, split: Candidate, tolerance: float
) -> tuple[Equation, ...]:
    """How the gain of a split is worked out; the last equation is what is compared.

    A gain within the tolerance is 0: what is left of it is rounding.
    """
    formula = FORMULAS[criterion]
    sides = [side for side in split.sides if side.weight > 0]
    written = formula.of_split(node, sides)
    if criterion == "significance":
        return _significance(written, split)
    if criterion != "gain_ratio":
        won = split.gain if abs(split.gain) > tolerance else 0.0
        return (Equation(formula.gain, "", written, won),)
    assert split.entropy_gain is not None
    information = split_information([side.weight for side in sides])
    shares = _bits([side.weight for side in sides], node.weight)
    ratio: Expression | None = Ratio(Number(split.entropy_gain), Number(information))
    note = ""
    if split.entropy_gain <= tolerance:
        ratio, note = None, "nothing is gained, so the ratio is 0"
    won = split.entropy_gain if split.entropy_gain > tolerance else 0.0
    return (
        Equation("gain", "", written, won),
        Equation("split information", "", shares, information),
        Equation("gain ratio", "", ratio, split.gain, note),
    )


def _significance(chi2: Expression, split: Candidate) -> tuple[Equation, ...]:
    """χ², then −log₁₀ of its p times the ways there were to split."""
    p, ways = split.p_value, split.ways
    assert p is not None and ways is not None
    shown: Expression | None = Sum(((-1, Log10(Product((Number(p), Number(ways))))),))
    note = ""
    if split.gain == 0:
        shown, note = None, f"p·m is not below 1: m is {ways:.6g}"
    elif p < LEAST_P or ways > MOST_WAYS:
        shown, note = None, "worked out with logarithms: the numbers are too large or too small"
    return (
        Equation("χ²", "", chi2, chi2.value),
        Equation("significance", "", shown, split.gain, note),
    )


# ---- one node ------------------------------------------------------------------------------------


def _share(part: float, whole: float) -> Ratio:
    return Ratio(Number(part), Number(whole))


def _bits(parts: Sequence[float], whole: float) -> Sum:
    shares = [_share(part, whole) for part in parts if part > 0]
    return Sum(tuple((-1, Product((share, Log2(share)))) for share in shares))


def _entropy(side: Side, _: Sequence[float]) -> Expression:
    return _bits(side.stats, side.weight)


def _gini(side: Side, _: Sequence[float]) -> Expression:
    squares = [Square(_share(part, side.weight)) for part in side.stats if part > 0]
    return minus(Number(1.0), *squares)


def _error(side: Side, _: Sequence[float]) -> Expression:
    return minus(Number(1.0), _share(max(side.stats), side.weight))


def _squared_error(side: Side, values: Sequence[float]) -> Expression:
    weight, mean, squares = side.stats
    if not values:
        return Ratio(Number(squares), Number(weight))
    gaps = [Square(minus(Number(value), Number(mean))) for value in values]
    return Ratio(plus(*gaps), Number(weight))


# ---- one split -----------------------------------------------------------------------------------


def _drop(node: Side, sides: Sequence[Side]) -> Expression:
    left = [Product((_share(s.weight, node.weight), Number(s.impurity))) for s in sides]
    return minus(Number(node.impurity), *left)


def _twoing(node: Side, sides: Sequence[Side]) -> Expression:
    one, other = sides
    gaps = [
        Absolute(minus(_share(a, one.weight), _share(b, other.weight)))
        for a, b in zip(one.stats, other.stats, strict=True)
        if a > 0 or b > 0
    ]
    sizes = (_share(one.weight, node.weight), _share(other.weight, node.weight))
    return Product((*sizes, Square(plus(*gaps))))


def _chi2(node: Side, sides: Sequence[Side]) -> Expression:
    terms = []
    for side in sides:
        for seen, of_class in zip(side.stats, node.stats, strict=True):
            if of_class > 0:
                expected = Number(side.weight * of_class / node.weight)
                terms.append(Ratio(Square(minus(Number(seen), expected)), expected))
    return plus(*terms)


FORMULAS: dict[str, Formula] = {
    "entropy": Formula("H", "gain", _entropy, _drop),
    "gain_ratio": Formula("H", "gain ratio", _entropy, _drop),
    "gini": Formula("Gini", "gain", _gini, _drop),
    "error": Formula("error", "gain", _error, _drop),
    "twoing": Formula("Gini", "twoing", _gini, _twoing, uses_impurity=False),
    "chi2": Formula("Gini", "χ²", _gini, _chi2, uses_impurity=False),
    "significance": Formula("Gini", "significance", _gini, _chi2, uses_impurity=False),
    "squared_error": Formula("MSE", "gain", _squared_error, _drop),
}
