"""Surrogates: other columns that stand in where the cell a split asks for is missing.

Every expected number is worked out in a comment. H(a, b) is the entropy of a node in bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough import measure
from bough.data.table import Table
from bough.growing import grow_table
from bough.predict import predict
from bough.recipes import options_for
from bough.splits import Surrogate, Threshold
from tables import build, levelled, number

A, B = "class0", "class1"


def grow(table: Table, **options: Any) -> bough.Tree:
    task = table.schema.target.task
    given = {"max_depth": 1, "missing": "surrogate", **options}
    if task == "classification":
        given = {"criterion": "entropy", **given}
    return grow_table(table, options_for(task, "cart", given))


def stand_ins_of(tree: bough.Tree) -> tuple[Surrogate, ...]:
    split = tree.split(0)
    assert split is not None and split.column.name == "x"
    return split.surrogates


def close(value: Any) -> Any:
    return pytest.approx(np.asarray(value), rel=1e-9, abs=1e-9)


def stand_ins(**columns: list[float | None]) -> Table:
    """x 1 2 3 4 | 5 6 7 and one missing; y a a a a b b b b. Further columns come after x."""
    x = number("x", [1, 2, 3, 4, 5, 6, 7, None])
    others = [number(name, cells) for name, cells in columns.items()]
    return build([x, *others], [0, 0, 0, 0, 1, 1, 1, 1], 2)


Z: list[float | None] = [1, 2, 3, 9, 8, 7, 6, 7]
"""z ≤ 4.5 sends rows 1–3 left and 5–7 right as x ≤ 4.5 does, row 4 not: 6 of 7."""


def test_a_surrogate_stands_in() -> None:
    """x gains 7/8 · H(4, 3) = .862, z only .549. The eighth row has z = 7, so it goes right."""
    tree = grow(stand_ins(z=Z))
    assert tree.nodes.gain[0] == close(7 / 8 * measure.impurity([4, 3]))
    (surrogate,) = stand_ins_of(tree)
    assert surrogate.question.column.name == "z" and not surrogate.flipped
    assert isinstance(surrogate.question, Threshold)
    assert surrogate.question.threshold == 4.5
    assert surrogate.agreement == close(6 / 7)
    assert tree.nodes.stats.tolist() == [[4, 4], [4, 0], [0, 4]]
    assert tree.predict_row({"x": None, "z": 7.0}) == B
    assert tree.predict_row({"x": None, "z": 2.0}) == A
    assert tree.predict({"x": [None, None], "z": [7.0, 2.0]}).tolist() == [B, A]


def test_without_any_cell_the_larger_side() -> None:
    """Of the rows that know x, 4 go left and 3 right."""
    tree = grow(stand_ins(z=Z))
    assert tree.nodes.missing_to[0] == 0
    assert tree.predict_row({"x": None, "z": None}) == A
    assert tree.predict_row({"x": None}) == A  # absent is missing, for a surrogate
    assert tree.predict({"x": [None], "z": [None]}).tolist() == [A]


def test_a_surrogate_may_be_flipped() -> None:
    """With 10 − z low values go right: z' ≤ 5.5 between 4 and 7."""
    tree = grow(stand_ins(z=[10 - z for z in Z if z is not None]))
    surrogate = stand_ins_of(tree)[0]
    assert surrogate.flipped and surrogate.agreement == close(6 / 7)
    assert isinstance(surrogate.question, Threshold)
    assert surrogate.question.threshold == 5.5
    assert tree.predict_row({"x": None, "z": 3.0}) == B
    assert tree.predict({"x": [None], "z": [3.0]}).tolist() == [B]


def test_a_surrogate_must_beat_the_larger_side() -> None:
    """w is 2 once, on the left, and 1 else: w ≤ 1.5 agrees in 3 rows of 7; flipped, in 4. So does
    sending all to the left: w is of no use, and the missing row goes left."""
    tree = grow(stand_ins(w=[2, 1, 1, 1, 1, 1, 1, 1]))
    assert stand_ins_of(tree) == ()
    assert tree.nodes.stats.tolist() == [[4, 4], [4, 1], [0, 3]]


def test_surrogates_are_ranked() -> None:
    """v ≤ 1.5: rows 1, 2, 3, 4 left, 5 too, 6 and 7 right: 6 of 7, like z, which comes after it
    here; u ≤ 1.5 sends 1 and 2 left, the others right: 5 of 7. u is first in the table and last."""
    u: list[float | None] = [1, 1, 2, 2, 2, 2, 2, None]
    v: list[float | None] = [1, 1, 1, 1, 1, 2, 2, None]
    tree = grow(stand_ins(u=u, v=v, z=Z))
    surrogates = stand_ins_of(tree)
    assert [s.question.column.name for s in surrogates] == ["v", "z", "u"]
    assert [s.agreement for s in surrogates] == close([6 / 7, 6 / 7, 5 / 7])
    assert tree.predict_row({"x": None, "v": None, "z": 8.0, "u": 1.0}) == B
    assert tree.predict_row({"x": None, "v": 1.0, "z": 8.0, "u": 2.0}) == A
    assert tree.predict_row({"x": None, "u": 1.0}) == A


def test_agreement_counts_only_rows_that_know_both() -> None:
    """Without row 4, z agrees in all 6 rows that know it; they go 3 and 3."""
    z = [None if at == 3 else value for at, value in enumerate(Z)]
    tree = grow(stand_ins(z=z))
    assert stand_ins_of(tree)[0].agreement == 1.0


def test_a_surrogate_by_level() -> None:
    """c p p p q q q q . : p goes left 3 : 0; q right 3 : 1 (row 4): 6 of 7."""
    x = number("x", [1, 2, 3, 4, 5, 6, 7, None])
    c = levelled("c", "category", 4, [0, 0, 0, 1, 1, 1, 1, 1])
    tree = grow(build([x, c], [0, 0, 0, 0, 1, 1, 1, 1], 2), categories="one_vs_rest")
    surrogate = stand_ins_of(tree)[0]
    assert surrogate.agreement == close(6 / 7)
    assert tree.predict_row({"x": None, "c": "c01"}) == B
    assert tree.predict_row({"x": None, "c": "c00"}) == A
    assert tree.predict_row({"x": None, "c": "c03"}) == A  # not seen: the larger side
    assert tree.predict({"x": [None] * 3, "c": ["c01", "c00", "c03"]}).tolist() == [B, A, A]


def test_a_tied_level_goes_to_the_larger_side() -> None:
    """c p p p r r q q r, of the rows that know x: p 3 : 0, r 1 : 1, q 0 : 2; (3 + 1 + 2) / 7 agree.
    The missing row, an r, goes left as 4 of 7 rows do."""
    x = number("x", [1, 2, 3, 4, 5, 6, 7, None])
    c = levelled("c", "category", 3, [0, 0, 0, 2, 2, 1, 1, 2])
    tree = grow(build([x, c], [0, 0, 0, 0, 1, 1, 1, 1], 2), categories="one_vs_rest")
    assert stand_ins_of(tree)[0].agreement == close(6 / 7)
    assert tree.nodes.stats.tolist() == [[4, 4], [4, 1], [0, 3]]
    assert tree.predict_row({"x": None, "c": "c02"}) == A
    assert tree.predict_row({"x": None, "c": "c01"}) == B


def test_surrogates_weigh_rows() -> None:
    """Row 4 weighs 4: z ≤ 4.5 agrees in 6 of 10, less than the larger side's 7. No surrogate."""
    table = stand_ins(z=Z)
    table = build(
        list(zip(table.schema.columns, table.cells, strict=True)),
        [0, 0, 0, 0, 1, 1, 1, 1],
        2,
        [1, 1, 1, 4, 1, 1, 1, 1],
    )
    tree = grow(table)
    assert stand_ins_of(tree) == ()


def test_at_most_five_surrogates() -> None:
    copies: dict[str, list[float | None]] = {f"z{at}": list(Z) for at in range(7)}
    tree = grow(stand_ins(**copies))
    names = [s.question.column.name for s in stand_ins_of(tree)]
    assert names == ["z0", "z1", "z2", "z3", "z4"]


def test_surrogates_of_numbers() -> None:
    """x 1 2 3 4 | 5 6 7 and targets 0 and 10: z stands in as for classes."""
    table = stand_ins(z=Z)
    numbers = build(
        list(zip(table.schema.columns, table.cells, strict=True)), [0, 0, 0, 0, 10, 10, 10, 10]
    )
    tree = grow(numbers)
    # known: 12 / 49 · 100 = 24.49, times 7/8
    assert tree.nodes.gain[0] == close(7 / 8 * 1200 / 49)
    assert predict(tree, numbers).tolist() == [0] * 4 + [10] * 4


def test_branches_have_no_surrogates() -> None:
    with pytest.raises(bough.OptionError, match='two sides, so categories="branches"'):
        grow(stand_ins(z=Z), categories="branches")
