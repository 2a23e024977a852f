"""Section C, counting: how many functions, stumps, trees and splits there are.

S0 … S4 are the five documents of docs/datasets.md; `S3:142` is line 142 of S3. Small cases are
also counted by writing every one of them out.
"""

from __future__ import annotations

from itertools import combinations, pairwise, product

import pytest

from bough.counting import (
    Stumps,
    boolean_functions,
    concepts,
    hyperplanes,
    instances,
    stumps,
    subset_partitions,
    trees,
)
from bough.errors import OptionError


def test_boolean_functions_of_ten_columns_S1_107() -> None:
    # S1 writes "about 2^1024"; it is exactly that.
    assert boolean_functions(10) == 2**1024
    assert len(str(boolean_functions(10))) == 309


def test_boolean_functions_of_six_columns_S3_140() -> None:
    assert boolean_functions(6) == 18_446_744_073_709_551_616


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_boolean_functions_are_truth_tables_S3_138(n: int) -> None:
    assert boolean_functions(n) == len(set(product((0, 1), repeat=2**n)))


def test_stumps_of_six_columns_S3_145() -> None:
    # ⚠ The document counts 24: "always 0" and "always 1" come once with every column.
    assert stumps(6) == Stumps(counted=24, different=14)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_stumps_written_out_S3_144(n: int) -> None:
    rows = list(product((0, 1), repeat=n))
    written = [
        tuple(answers[row[column]] for row in rows)
        for column in range(n)
        for answers in product((0, 1), repeat=2)
    ]
    assert stumps(n) == Stumps(counted=len(written), different=len(set(written)))


def test_no_column_no_stump() -> None:
    assert stumps(0) == Stumps(counted=0, different=0)


Tree = int | tuple[int, "Tree", "Tree"]


def written_trees(columns: tuple[int, ...], depth: int) -> list[Tree]:
    """Every tree over these columns with at most `depth` questions on a path."""
    found: list[Tree] = [0, 1]
    if depth:
        for column in columns:
            others = tuple(other for other in columns if other != column)
            below = written_trees(others, depth - 1)
            found += [(column, no, yes) for no in below for yes in below]
    return found


def answer(tree: Tree, row: tuple[int, ...]) -> int:
    while not isinstance(tree, int):
        tree = tree[1 + row[tree[0]]]
    return tree


@pytest.mark.parametrize(("n", "depth"), [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2), (4, 1), (3, 0)])
def test_trees_written_out_S0_130(n: int, depth: int) -> None:
    assert trees(n, depth) == len(written_trees(tuple(range(n)), depth))


def test_a_tree_of_one_question_is_a_stump_S3_141() -> None:
    assert trees(6, 1) - trees(6, 0) == stumps(6).counted


def test_trees_grow_doubly_exponentially_with_depth_S0_130() -> None:
    bits = [trees(20, depth).bit_length() for depth in range(1, 11)]
    assert all(1.5 < later / sooner < 3 for sooner, later in pairwise(bits))
    assert all(later / sooner > 1.9 for sooner, later in pairwise(bits[3:]))


def test_a_path_has_no_more_questions_than_columns() -> None:
    assert trees(3, 99) == trees(3, 3) > trees(3, 2)


@pytest.mark.parametrize("n", [1, 2])
def test_trees_express_every_boolean_function_S0_120_S3_139(n: int) -> None:
    rows = list(product((0, 1), repeat=n))
    expressed = {
        tuple(answer(tree, row) for row in rows) for tree in written_trees(tuple(range(n)), n)
    }
    assert len(expressed) == boolean_functions(n)


def test_nutritious_or_poisonous_domain_S0_105() -> None:
    levels = (3, 3, 2, 2)  # skin, colour, thorny, flowering
    assert instances(levels) == 36 == len(list(product(*map(range, levels))))
    assert concepts(levels) == 2**36 == 68_719_476_736


def test_concepts_of_three_classes() -> None:
    assert concepts((2, 2), classes=3) == len(list(product(range(3), repeat=4))) == 81


def test_partitions_of_the_types_S1_176() -> None:
    # ⚠ The document lists the three splits of {Burger, French, Thai}; the table's Type column
    # has a fourth level, Italian, and so seven.
    assert subset_partitions(3) == 3
    assert subset_partitions(4) == 7


@pytest.mark.parametrize("v", [1, 2, 3, 4, 5, 6])
def test_partitions_written_out_S1_176(v: int) -> None:
    sides = (frozenset(side) for size in range(1, v) for side in combinations(range(v), size))
    partitions = {frozenset((side, frozenset(range(v)) - side)) for side in sides}
    assert subset_partitions(v) == len(partitions)


def test_hyperplanes_through_two_of_four_points_S1_320() -> None:
    assert hyperplanes(points=4, dimensions=2) == 24


@pytest.mark.parametrize(("n", "d"), [(4, 2), (5, 3), (6, 1), (2, 3)])
def test_hyperplanes_written_out_S1_320(n: int, d: int) -> None:
    planes = [
        (points, sides) for points in combinations(range(n), d) for sides in product("<>", repeat=d)
    ]
    assert hyperplanes(n, d) == len(planes)


@pytest.mark.parametrize(
    ("ask", "names"),
    [
        (lambda: boolean_functions(-1), "n=-1 .* from 0 up"),
        (lambda: boolean_functions(2.5), "n=2.5 .* whole number"),  # type: ignore[arg-type]
        (lambda: boolean_functions(True), "n=True"),
        (lambda: boolean_functions(64), r"n=64 .* larger than 2\^1048576"),
        (lambda: stumps("6"), "n='6'"),  # type: ignore[arg-type]
        (lambda: trees(30, 25), "depth=25 .* larger"),
        (lambda: trees(3, -1), "depth=-1"),
        (lambda: instances([3, 0]), r"levels\[1\]=0 .* from 1 up"),
        (lambda: concepts([10] * 8), "number of instances=100000000 .* larger"),
        (lambda: concepts([2], classes=0), "classes=0"),
        (lambda: subset_partitions(0), "levels=0"),
        (lambda: subset_partitions(10**9), "levels=1000000000 .* larger"),
        (lambda: hyperplanes(-4, 2), "points=-4"),
        (lambda: hyperplanes(4, 0), "dimensions=0"),
    ],
)
def test_a_number_that_is_not_allowed_is_named(ask, names) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match=names):
        ask()
