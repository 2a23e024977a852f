"""The lessons show the numbers of the textbooks. S0 … S4 are the documents of docs/datasets.md."""

from __future__ import annotations

import pandas as pd
import pytest

import bough
from bough.data.read import read_table
from bough.datasets import load
from bough.errors import DataError, OptionError
from bough.lesson.facts import Limits
from bough.lesson.steps import lesson_of
from bough.view import lesson_text
from bough.view.lesson_math import text
from bough.view.lesson_words import answer_sentence, own_tie_sentence, tie_sentence
from lessons import ID3, column, gains, grown, line, taught


def near(*numbers: float) -> object:
    return pytest.approx(numbers, abs=5e-7)


def test_restaurant_root_by_entropy_S1_135() -> None:
    root = taught("restaurant", **ID3).steps[0]
    assert list(gains(root)) == [
        "Pat", "Est", "Hun", "Price", "Fri", "Rain", "Res", "Alt", "Bar", "Type"
    ]  # fmt: skip
    assert list(gains(root).values()) == near(
        0.540852, 0.207519, 0.195710, 0.195710, 0.020721, 0.020721, 0.020721, 0, 0, 0
    )
    assert (root.chosen, root.tied) == ("Pat", ())
    assert root.impurity is not None and root.impurity.expression is not None
    written = "−(6/12)·log₂(6/12) − (6/12)·log₂(6/12)"
    assert (text(root.impurity.expression), root.impurity.value) == (written, 1.0)
    patrons = column(root, "Pat")
    shares = {side.label: side.stats for side in patrons.values}
    assert shares == {"Full": (4, 2), "None": (2, 0), "Some": (0, 4)}
    gain = patrons.gains[-1]
    assert gain.expression is not None
    assert text(gain.expression) == "1 − (6/12)·0.918296 − (2/12)·0 − (4/12)·0"
    assert gain.value == pytest.approx(0.5408520830)


def test_restaurant_root_by_gain_ratio_S2_174() -> None:
    root = taught("restaurant", **{**ID3, "criterion": "gain_ratio"}).steps[0]
    found = gains(root)
    assert [found[name] for name in ("Pat", "Hun", "Price", "Est", "Fri", "Res", "Rain")] == near(
        0.370663, 0.199730, 0.141365, 0.115772, 0.021147, 0.021147, 0.021147
    )
    gain, information, ratio = column(root, "Pat").gains
    assert (information.symbol, ratio.symbol) == ("split information", "gain ratio")
    assert (gain.value, information.value, ratio.value) == near(0.540852, 1.459148, 0.370663)


def test_only_columns_of_average_gain_compare_their_ratios_S2_174() -> None:
    # The mean of the ten gains is .120199: Fri, Res, Rain, Alt, Bar and Type are below it.
    root = taught("restaurant", **{**ID3, "criterion": "gain_ratio"}).steps[0]
    assert root.average is not None and root.average.value == pytest.approx(0.1201954, abs=1e-5)
    below = {rank.name for rank in root.ranking if rank.standing == "below"}
    assert below == {"Fri", "Res", "Rain", "Alt", "Bar", "Type"}
    everyone = taught("restaurant", **{**ID3, "criterion": "gain_ratio", "ratio_among": "all"})
    assert everyone.steps[0].average is None
    assert not any(rank.standing == "below" for rank in everyone.steps[0].ranking)


def test_restaurant_root_by_gini_S1_155() -> None:
    found = gains(taught("restaurant", criterion="gini", categories="branches").steps[0])
    assert [found[name] for name in ("Pat", "Hun", "Est", "Price")] == near(
        0.277778, 0.128571, 0.111111, 0.103175
    )


def test_restaurant_root_by_errors_S1_131() -> None:
    # After the split 2, 3, 4 and 4 of 12 are wrong; before it 6.
    found = gains(taught("restaurant", criterion="error", categories="branches").steps[0])
    names = ("Pat", "Hun", "Price", "Est", "Bar")
    assert [found[name] for name in names] == near(4 / 12, 3 / 12, 2 / 12, 2 / 12, 0)


def test_restaurant_root_by_chi_squared_S3_380() -> None:
    root = taught("restaurant", criterion="chi2", categories="branches").steps[0]
    expected = {
        "Pat": (6.6667, 2, 0.0357), "Hun": (3.0857, 1, 0.0790), "Price": (2.4762, 2, 0.2899),
        "Est": (2.6667, 3, 0.4459), "Fri": (0.3429, 1, 0.5582),
    }  # fmt: skip
    for name, numbers in expected.items():
        found = column(root, name).chi_square
        assert found is not None
        assert (found.statistic, found.df, found.p_value) == pytest.approx(numbers, abs=5e-5)
        gain = column(root, name).gains[-1]
        assert gain.expression is not None
        assert gain.expression.value == pytest.approx(found.statistic, abs=1e-9)


def test_five_columns_tie_below_Full_and_the_first_is_taken() -> None:
    # docs/splits.md, "The best one"; ⚠ the documents do not say that there is a tie.
    full = taught("restaurant", **ID3).steps[1]
    assert full.path == ("Pat = Full",)
    assert full.row_numbers == (2, 4, 5, 9, 10, 12)
    assert full.tied == ("Hun", "Price", "Res", "Type", "Est")
    assert [gains(full)[name] for name in full.tied] == near(*[0.251629] * 5)
    assert full.chosen == "Hun"
    assert tie_sentence(full).startswith(
        "Hun, Price, Res, Type and Est are equally good (0.251629)"
    )
    ratio = taught("restaurant", **{**ID3, "criterion": "gain_ratio"}).steps[1]
    assert ratio.tied == ("Hun", "Price", "Res")
    assert gains(ratio)["Hun"] == pytest.approx(0.274018, abs=5e-7)


def test_a_used_column_has_nothing_left_to_ask() -> None:
    full = taught("restaurant", **ID3).steps[1]
    assert column(full, "Pat").best is None
    assert "one value" in column(full, "Pat").note


def test_a_branch_without_rows_answers_like_its_parent_S0_168() -> None:
    lesson = taught("restaurant", **ID3)
    empty = next(step for step in lesson.steps if step.here.rows == 0)
    assert empty.path[-1] == "Type = French"
    assert empty.answer is not None and empty.answer.how == "parent"
    assert answer_sentence(empty) == "Answer: No, like its parent."
    unknown = taught("restaurant", **ID3, empty_branch="unknown")
    step = next(step for step in unknown.steps if step.here.rows == 0)
    assert "does not know" in answer_sentence(step)


def test_regression_S1_288_to_300() -> None:
    root = taught(line(), criterion="squared_error").steps[0]
    assert root.impurity is not None and root.impurity.expression is not None
    written = "((1 − 4)² + (1 − 4)² + (5 − 4)² + (9 − 4)²)/4"
    assert (text(root.impurity.expression), root.impurity.value) == (written, 11.0)
    x = column(root, "x")
    # The error after a split is 11 less what it gains.
    assert [11 - way.gain for way in x.candidates] == near(8, 2, 8 / 3)
    assert [way.sides[0].label for way in x.candidates] == ["≤ 1.5", "≤ 2.5", "≤ 3.5"]
    assert [way.is_best for way in x.candidates] == [False, True, False]
    assert x.gains[-1].expression is not None
    assert text(x.gains[-1].expression) == "11 − (2/4)·0 − (2/4)·4"


def test_food11_ties_at_the_root_S4_262() -> None:
    root = taught("food11", criterion="entropy").steps[0]
    assert root.impurity is not None and root.impurity.value == pytest.approx(0.945660, abs=5e-7)
    assert root.tied == ("Egg", "Milk")
    assert list(gains(root).values()) == near(0.218388, 0.218388)


def test_food6_candidates_S4_187() -> None:
    # Thresholds in the middle: egg > 0 is Egg ≤ 0.5; every way to split is listed with its gain.
    root = taught("food6", criterion="entropy").steps[0]
    by = {(facts.name, round(way.gain, 6)) for facts in root.columns for way in facts.candidates}
    assert {("Egg", 1.0), ("Egg", 0.459148), ("Fish", 0.190875), ("Milk", 0.081704)} <= by
    assert root.chosen == "Egg"


def test_contradicting_rows_are_named_S0_43_S4_273() -> None:
    lesson = taught("food11", criterion="entropy")
    assert (lesson.n_contradictions, lesson.n_contradicting_rows) == (1, 2)
    assert lesson.contradictions[0].rows == ((4, "1"), (10, "0"))
    assert lesson.contradictions[0].cells == (("Egg", "1"), ("Milk", "0.6"))
    alone = [step for step in lesson.steps if step.answer and step.answer.contradictions]
    assert len(alone) == 1, "the leaf in which nothing is left to ask"
    assert alone[0].answer is not None
    assert "no column has two values" in alone[0].answer.reason


def test_missing_cells_agree_and_rows_keep_their_numbers() -> None:
    frame = pd.DataFrame({
        "a": [1.0, None, None, 2.0, None], "b": ["x", "y", "y", None, "z"],
        "w": [1, 0, 1, 1, 2], "y": ["n", "n", "y", "y", "n"],
    })  # fmt: skip
    table = read_table(frame.drop(columns="w"), target="y", kinds={"b": "category"})
    shown = lesson_of(*grown(table, criterion="gini")).contradictions
    assert shown[0].rows == ((2, "n"), (3, "y"))
    assert shown[0].cells[0] == ("a", "missing")
    weighted = read_table(frame, target="y", weights="w", kinds={"b": "category"})
    lesson = lesson_of(*grown(weighted, criterion="gini"))
    assert lesson.n_contradictions == 0, "a row of weight 0 contradicts nobody"
    assert lesson.steps[0].row_numbers == (1, 3, 4, 5)


def test_a_tie_for_the_class_is_settled_above() -> None:
    # max_depth stops at Full/Hungry = Yes: 2 × No, 2 × Yes; its parent holds 4 × No, 2 × Yes.
    lesson = taught("restaurant", **ID3, max_depth=2)
    tied = next(step for step in lesson.steps if step.here.stats == (2, 2))
    assert tied.answer is not None
    assert (tied.answer.answer, tied.answer.how) == ("No", "tie")
    assert [tie.weights for tie in tied.answer.ties] == [
        (("No", 2.0), ("Yes", 2.0)),
        (("No", 4.0), ("Yes", 2.0)),
    ]
    assert "max_depth is 2" in tied.answer.reason


def test_a_tie_that_nobody_settles_goes_to_the_first_class_S0_221() -> None:
    root = taught("xor", criterion="gini", zero_gain="stop").steps[0]
    assert root.answer is not None and root.answer.reason.startswith("no column gains anything")
    assert root.tied == ("a", "b")
    assert "Still a tie at the root" in answer_sentence(root)
    assert [rank.standing for rank in root.ranking] == ["best", "tied"]


def test_nothing_gained_is_0_and_not_dust() -> None:
    root = taught("restaurant", **ID3).steps[0]
    assert column(root, "Alt").gains[-1].value == 0.0


def test_equally_good_thresholds_are_told() -> None:
    left = taught("food11", criterion="entropy").steps[1]
    assert left.path == ("Egg ≤ 1.5",)
    assert column(left, "Milk").n_equal == 2
    assert "the lower threshold" in own_tie_sentence(left)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"max_leaves": 3}, "max_leaves is 3"),
        ({"min_gain": 0.3}, "min_gain is 0.3"),
        ({"min_drop": 0.3}, "min_drop is 0.3"),
        ({"min_rows_split": 7}, "min_rows_split is 7"),
        ({"min_rows_leaf": 4}, "min_rows_leaf is 4"),
    ],
)
def test_the_limit_that_made_a_leaf_is_named(limit: dict[str, float], words: str) -> None:
    lesson = taught("restaurant", **{**ID3, **limit})
    full = next(step for step in lesson.steps if step.here.stats == (4, 2))
    assert full.answer is not None and words in full.answer.reason


def test_limits_of_the_best_first_search_show_the_order() -> None:
    lesson = taught("restaurant", criterion="gini", max_leaves=4)
    won = [step.here.weight * gains(step)[step.chosen] for step in lesson.steps if step.chosen]
    assert won == sorted(won, reverse=True)


def test_a_lesson_wants_the_table_of_its_tree() -> None:
    tree, table = grown("restaurant", **ID3)
    with pytest.raises(DataError, match="other columns"):
        lesson_of(tree, load("food11"))
    with pytest.raises(DataError, match="other rows"):
        lesson_of(tree, table.take(range(11)))
    with pytest.raises(DataError, match="other rows"):  # as many rows, but not the same
        lesson_of(tree, table.take([0] * 12))
    with pytest.raises(OptionError, match=r"no node 12.*0 .* to 11"):
        lesson_of(tree, table, nodes=[12])


def test_nodes_can_be_chosen() -> None:
    tree, table = grown("restaurant", **ID3)
    steps = lesson_of(tree, table, nodes=[5, 1], limits=Limits(steps=1)).steps
    assert [step.node for step in steps] == [1, 5]
    assert [step.number for step in steps] == [2, 4]


# ---- merging of levels ---------------------------------------------------------------------------


def test_merging_is_told_pair_by_pair() -> None:
    """8:2, 7:3, 2:8 and one missing cell of the second class: tests/test_chaid.py has the sums. The
    single cell, of p = 0.11 against 8:2 and 1 … against 2:8, goes with the third level."""
    levels = [*"a" * 10, *"b" * 10, *"c" * 10, None]
    classes = [*"n" * 8, *"y" * 2, *"n" * 7, *"y" * 3, *"n" * 2, *"y" * 8, "y"]
    data = {"x": levels, "y": classes}
    tree = bough.grow(data, "y", recipe="chaid", min_rows_leaf=1)
    lesson = lesson_of(tree, read_table(data, target="y"))
    facts = lesson.steps[0].columns[0]
    met = [(one.one, one.other, one.outcome) for one in facts.meetings]
    assert met == [("c", "missing", "alike"), ("a", "b", "alike")]
    assert facts.meetings[0].p_value == pytest.approx(0.6217, abs=1e-3)
    assert facts.meetings[1].p_value == pytest.approx(0.6056, abs=1e-3)
    assert facts.best is not None and facts.best.ways == 7  # four groups into two
    assert [equation.symbol for equation in facts.gains] == ["χ²", "significance"]
    told = lesson_text.render(lesson)
    assert "a and b differ least (p ≈ 0.605577): they go together." in told


def test_levels_that_differ_and_few_rows_are_told() -> None:
    """20:0, 0:20, 20:0 in a row: neighbours differ. With 21 rows to a leaf all go together."""
    data = {"x": [*"a" * 20, *"b" * 20, *"c" * 20], "y": [*"n" * 20, *"y" * 20, *"n" * 20]}
    order = {"x": ["a", "b", "c"]}
    tree = bough.grow(data, "y", recipe="chaid", ordered=order)
    table = read_table(data, target="y", ordered=order)
    facts = lesson_of(tree, table).steps[0].columns[0]
    assert [(m.one, m.other, m.outcome) for m in facts.meetings] == [("a", "b", "differ")]
    assert [side.label for side in facts.values] == ["a", "b", "c"]
    few = bough.grow(
        data, "y", recipe="chaid", min_rows_leaf=21, ordered=order, max_adjusted_p=None
    )
    assert len(few) == 1
