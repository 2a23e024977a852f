"""Numbers and formulas of a lesson, as text for a terminal and as MathML for a page."""

from __future__ import annotations

import math
from html import escape

from bough.lesson.arithmetic import (
    Absolute,
    Expression,
    Log2,
    Log10,
    Number,
    Product,
    Ratio,
    Square,
    Sum,
)

__all__ = ["equals", "fixed", "mathml_terms", "number", "text"]

MOST_TERMS = 9
"""A longer sum shows its beginning and its end."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float) -> str:
    """Six digits, whole numbers whole: 12, 0.918296, 7.7·10⁻⁶."""
    mantissa, power = _parts(value)
    return f"{mantissa}·10{str(power).translate(_RAISED)}" if power else mantissa


def _parts(value: float) -> tuple[str, int]:
    """The digits as shown, and the power of ten written beside them (0: none)."""
    if value == 0 or not math.isfinite(value):
        return ("0" if value == 0 else str(value)), 0
    if value == round(value) and abs(value) < 1e12:
        return f"{round(value):,}".replace("-", "−"), 0
    if 1e-4 <= abs(value) < 1e9:
        decimals = max(0, 5 - math.floor(math.log10(abs(value))))
        shown = f"{value:,.{decimals}f}"
        shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
        return shown.replace("-", "−"), 0
    digits, _, power = f"{value:.3e}".partition("e")
    return digits.rstrip("0").rstrip(".").replace("-", "−"), int(power)


def equals(value: float) -> str:
    """ "=" when the number is shown whole, else "≈"."""
    mantissa, power = _parts(value)
    if not math.isfinite(value):
        return "="
    read = float(mantissa.replace(",", "").replace("−", "-")) * 10.0**power
    return "=" if math.isclose(read, value, rel_tol=1e-13) else "≈"


def fixed(value: float, largest: float) -> str:
    """A number for a column of numbers no larger than `largest`: they share their decimals."""
    if not math.isfinite(value):
        return str(value)
    if largest >= 1e12 or (0 < largest < 1e-4):
        return f"{value:.4g}"
    decimals = 6 if largest < 10 else max(0, 6 - math.floor(math.log10(largest)))
    return f"{value + 0.0:,.{decimals}f}"


# ---- text ----------------------------------------------------------------------------------------


def text(expression: Expression) -> str:
    """The formula in one line; blanks stand only where it may be broken."""
    match expression:
        case Number(value):
            return number(value)
        case Sum(((1, only),)):
            return text(only)
        case Sum():
            return _sum_text(expression)
        case Product(factors):
            return "·".join(_tight(factor) for factor in factors)
        case Ratio(top, bottom):
            return f"{_tight(top)}/{_tight(bottom)}"
        case Log2(of):
            return f"log₂({text(of)})"
        case Log10(of):
            return f"log₁₀({text(of)})"
        case Square(of):
            return f"{_tight(of)}²"
        case Absolute(of):
            return f"|{text(of)}|"


def _tight(expression: Expression) -> str:
    """As a factor: in brackets unless it holds together by itself."""
    inside = text(expression)
    match expression:
        case Number(value):
            return inside if value >= 0 and "·" not in inside else f"({inside})"
        case Log2() | Log10() | Square() | Absolute():
            return inside
        case Sum(((1, only),)):
            return _tight(only)
        case _:
            return f"({inside})"


def _sum_text(total: Sum) -> str:
    shown = ""
    for sign, term in _elided(total):
        written = "…" if term is None else text(term)
        if isinstance(term, Sum) or (isinstance(term, Number) and term.value < 0):
            written = f"({written})"
        if not shown:
            shown = written if sign > 0 else f"−{written}"
        else:
            shown += f" {'+' if sign > 0 else '−'} {written}"
    return shown


def _elided(total: Sum) -> list[tuple[int, Expression | None]]:
    """The terms, those in the middle of a long sum replaced by one None."""
    terms: list[tuple[int, Expression | None]] = list(total.terms)
    if len(terms) <= MOST_TERMS:
        return terms
    return [*terms[:4], (terms[4][0], None), *terms[-2:]]


# ---- MathML --------------------------------------------------------------------------------------


def mathml_terms(expression: Expression) -> list[str]:
    """The formula as MathML, cut where a line may end: browsers do not break inside <math>."""
    if not isinstance(expression, Sum):
        return [_mathml(expression)]
    pieces: list[str] = []
    for sign, term in _elided(expression):
        written = "<mo>…</mo>" if term is None else _bracketed(term, isinstance(term, Sum))
        if pieces:
            gap = 'lspace="0.1em" rspace="0.35em"'
            pieces.append(f"<mo {gap}>{'+' if sign > 0 else '−'}</mo>{written}")
        else:
            pieces.append(written if sign > 0 else f'<mo form="prefix">−</mo>{written}')
    return pieces


def _mathml(expression: Expression) -> str:
    match expression:
        case Number(value):
            return _number_mathml(value)
        case Sum():
            return "".join(mathml_terms(expression))
        case Product(factors):
            return "<mo>·</mo>".join(_bracketed(f, isinstance(f, Sum)) for f in factors)
        case Ratio(top, bottom):
            return f"<mfrac><mrow>{_mathml(top)}</mrow><mrow>{_mathml(bottom)}</mrow></mfrac>"
        case Log2(of):
            return f"<msub><mi>log</mi><mn>2</mn></msub>{_bracketed(of, True)}"
        case Log10(of):
            return f"<msub><mi>log</mi><mn>10</mn></msub>{_bracketed(of, True)}"
        case Square(of):
            base = _bracketed(of, not isinstance(of, Number))
            return f"<msup><mrow>{base}</mrow><mn>2</mn></msup>"
        case Absolute(of):
            return f"<mrow><mo>|</mo>{_mathml(of)}<mo>|</mo></mrow>"


def _bracketed(expression: Expression, brackets: bool) -> str:
    negative = isinstance(expression, Number) and expression.value < 0
    inside = _mathml(expression)
    return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>" if brackets or negative else inside


def _number_mathml(value: float) -> str:
    mantissa, power = _parts(value)
    shown = f"<mn>{escape(mantissa)}</mn>"
    if not power:
        return shown
    return f"{shown}<mo>·</mo><msup><mn>10</mn><mn>{power}</mn></msup>"
