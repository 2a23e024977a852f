"""What asking costs: given as a dict or a file, counted for a tree and for rows."""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import bough
from bough.asking import mean_asking_cost, path_costs
from bough.cli import bough as command
from bough.data.table import Table
from bough.datasets import load, path
from bough.errors import BoughError, OptionError
from bough.evaluate import evaluate_table, training
from bough.growing import grow_table
from bough.lesson.steps import lesson_of
from bough.predict import apply_table
from bough.prices import TestCosts, test_costs
from bough.prune.nested import grow_like
from bough.recipes import options_for
from bough.sklearn import TreeClassifier, TreeRegressor
from bough.tree import Tree
from tables import WEIGHTS, build, number, random_table, take

RESTAURANT = load("restaurant")
SCHEMA = RESTAURANT.schema


# ---- given as a dict -----------------------------------------------------------------------------


def test_a_dict_by_name() -> None:
    given = {"Pat": 10, ("Rain", "Est"): {"shared": 2.1, "Est": 4}, "Price": 0.5}
    costs = test_costs(given, SCHEMA)
    by_name = dict(zip(SCHEMA.names, costs.cost.tolist(), strict=True))
    assert {name: cost for name, cost in by_name.items() if cost} == {
        "Pat": 10.0, "Est": 4.0, "Price": 0.5,
    }  # fmt: skip
    grouped = [n for n, g in zip(SCHEMA.names, costs.group.tolist(), strict=True) if g == 0]
    assert grouped == ["Rain", "Est"] and costs.group_cost.tolist() == [2.1]
    at = SCHEMA.index
    assert costs.of_path([at["Est"], at["Pat"], at["Rain"], at["Est"]]) == pytest.approx(16.1)
    assert costs.prices([])[at["Rain"]] == 2.1
    assert costs.prices([at["Est"]])[[at["Rain"], at["Est"], at["Pat"]]].tolist() == [0, 0, 10]
    assert test_costs(costs, SCHEMA) is costs


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Patt": 1}, 'names the column "Patt", which the table does not have. Did you mean "Pat"'),
        ({"Pat": -1}, "asking for 'Pat' costs -1; give a number from 0 up"),
        ({"Pat": "much"}, "asking for 'Pat' costs 'much'"),
        ({"Pat": float("inf")}, "asking for 'Pat' costs inf"),
        ({"Pat": float("nan")}, "asking for 'Pat' costs nan"),
        ({("Pat", "Est"): 3}, r"\('Pat', 'Est'\)\] is 3: give .\"shared\": cost"),
        ({("Pat", "Est"): {"Pat": 3}}, 'give {"shared": cost'),
        ({("Pat", "Est"): {"shared": -3}}, "costs -3"),
        ({("Pat", "Est"): {"shared": 1, "Patt": 3}}, 'gives a cost for "Patt", .*mean "Pat"'),
        ({("Pat", "Est"): {"shared": 1}, ("Est", "Fri"): {"shared": 1}}, '"Est" is in two groups'),
        ({("Pat", "Est"): {"shared": 1}, "Est": 1}, '"Est" stands alone and in a group'),
        ({("Pat", "shared"): {"shared": 1}}, 'a column named "shared" cannot be bought'),
        ([1, 2], r"test_costs=\[1, 2\] is not allowed: give a dict"),
        (TestCosts(np.ones(2), np.full(2, -1, np.int32), np.zeros(0)), "are for 2 columns, and"),
    ],
)
def test_what_is_refused(given: Any, message: str) -> None:
    with pytest.raises(BoughError, match=message):
        bough.grow(RESTAURANT, test_costs=given)


# ---- given as a file -----------------------------------------------------------------------------

PRICES = """column,cost,group,shared
Pat,10
Est,4,inside,2
Rain,1,inside,

"Price",3
"""


@pytest.fixture
def prices(tmp_path: Path) -> str:
    (tmp_path / "prices.csv").write_text(PRICES)
    return str(tmp_path / "prices.csv")


def test_a_file_says_the_same_as_a_dict(prices: str) -> None:
    given = {"Pat": 10, "Price": 3, ("Est", "Rain"): {"shared": 2, "Est": 4, "Rain": 1}}
    assert bough.grow(RESTAURANT, test_costs=prices) == bough.grow(RESTAURANT, test_costs=given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "first line of the test costs in .* is ''. It names column, cost and"),
        ("column\nPat\n", "is 'column'. It names column, cost"),
        ("column,price\nPat,1\n", 'names "price"'),
        ("column,cots\nPat,1\n", 'names "cots". Did you mean "cost"'),
        ("column,cost,cost\nPat,1,1\n", 'names "cost"'),
        ("column,cost\nPat,1,2\n", "the line 'Pat,1,2' has 3 cells"),
        ("column,cost\nPat,1\nPat,2\n", 'The column "Pat" stands twice'),
        ("column,cost\nPat\n", "asking for 'Pat' costs ''"),
        ("column,cost\nPat,a lot\n", "asking for 'Pat' costs 'a lot'"),
        ("column,cost\nPatt,1\n", 'names the column "Patt"'),
        ("column,cost,group,shared\nPat,1,g,\n", 'the group "g" has no shared cost'),
        ("column,cost,group,shared\nPat,1,g,1\nEst,1,g,2\n", '"g" has the shared costs 1, 2'),
        ("column,cost,group,shared\nPat,1,,2\n", r'"Pat" has a shared cost \(2\) and no group'),
        ("column,cost,group,shared\nshared,1,g,2\n", 'column named "shared"'),
    ],
)
def test_files_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text(text)
    with pytest.raises(BoughError, match=message):
        bough.grow(RESTAURANT, test_costs=tmp_path / "prices.csv")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(BoughError, match=r'There is no file ".*none.csv" to read test costs from'):
        bough.grow(RESTAURANT, test_costs=str(tmp_path / "none.csv"))
    (tmp_path / "prices.csv").write_bytes(b"column,cost\n\xff\xfe,1\n")
    with pytest.raises(BoughError, match="cannot be read"):
        bough.grow(RESTAURANT, test_costs=str(tmp_path / "prices.csv"))


# ---- counted -------------------------------------------------------------------------------------


def random_priced(random: Random, table: Table, **options: Any) -> tuple[Tree, TestCosts]:
    n = len(table.schema.columns)
    costs = TestCosts(
        np.array([random.choice([0.0, 1.0, 2.5]) for _ in range(n)]),
        np.array([random.choice([-1, 0, 1]) for _ in range(n)], np.int32),
        np.array([4.0, 0.5]),
    )
    task = table.schema.target.task
    options = options_for(task, "cart", {"missing": "learned", **options})
    return grow_table(table, options, test_costs=costs), costs


def asked_on(tree: Tree, node: int) -> list[int]:
    """The columns on the way to a node and at it."""
    asked = [int(tree.nodes.column[node])]
    while node > 0:
        node = int(tree.nodes.parent[node])
        asked.append(int(tree.nodes.column[node]))
    return [column for column in asked if column >= 0]


def test_every_path_pays_what_it_asks_for_once() -> None:
    deep = 0
    for seed in range(60):
        random = Random(seed)
        table = random_table(random, weights=random.choice(list(WEIGHTS)))
        tree, costs = random_priced(random, table)
        paid = path_costs(tree, costs)
        for node in range(len(tree)):
            assert paid[node] == pytest.approx(costs.of_path(asked_on(tree, node)))
        deep = max(deep, tree.depth)
        # On the rows it was grown from, all ways of counting agree.
        told = evaluate_table(tree, table).asking_cost
        assert told == pytest.approx(tree.asking_cost) == pytest.approx(training(tree).asking_cost)
    assert deep > 4


def test_the_tree_says_nothing_without_test_costs() -> None:
    tree = bough.grow(RESTAURANT)
    assert tree.asking_cost is None and training(tree).asking_cost is None
    assert "asking" not in str(tree)
    free = bough.grow(RESTAURANT, test_costs={})
    assert free.asking_cost == 0.0 and "asking costs 0 a row" in str(free)


X: list[float | None] = [1, 2, 3, 4, 5, 6, 7, None]
Z: list[float | None] = [1, 2, 3, 9, 8, 7, 6, 7]
V: list[float | None] = [1, 2, 3, 4, 5, 6, 1, 6]


def lacking(missing: str) -> tuple[Tree, TestCosts, Table]:
    """x tells all: 1 2 3 4 | 5 6 7, the eighth row lacks it. z and v nearly do as x does."""
    table = build([number("x", X), number("z", Z), number("v", V)], [0, 0, 0, 0, 1, 1, 1, 1], 2)
    options = {"criterion": "entropy", "missing": missing, "max_depth": 1}
    costs = TestCosts(np.array([10.0, 3, 1]), np.full(3, -1, np.int32), np.zeros(0))
    # gains are 0.862 of x at 10, 0.549 of z at 3: nunez would ask for z
    tree = grow_table(
        table, options_for("classification", "cart", {"missing": "learned", **options})
    )
    assert tree.nodes.column[0] == 0
    return tree, costs, table


def asking(tree: Tree, costs: TestCosts, table: Table, row: int, **changes: float) -> float:
    """What asking costs for one row, some of its cells changed."""
    one = take(table, [row])
    cells = [
        np.array([changes.get(column.name, cells[0])])
        for column, cells in zip(one.schema.columns, one.cells, strict=True)
    ]
    one = Table(one.schema, tuple(cells), one.target)
    return mean_asking_cost(tree, one, apply_table(tree, one), costs)


def test_stand_ins_are_paid_when_they_are_asked() -> None:
    tree, costs, table = lacking("surrogate")
    split = tree.split(0)
    assert split is not None
    assert [s.question.column.name for s in split.surrogates] == ["z", "v"]
    assert asking(tree, costs, table, 0) == 10.0
    assert asking(tree, costs, table, 7) == 13.0  # x is asked for in vain, z stands in
    assert asking(tree, costs, table, 7, z=np.nan) == 14.0  # z in vain, too
    assert asking(tree, costs, table, 7, z=np.nan, v=np.nan) == 14.0
    assert asking(tree, costs, table, 0, z=np.nan) == 10.0  # z is not asked for
    assert evaluate_table(tree, table, test_costs=costs).asking_cost == (7 * 10 + 13) / 8
    # By the stats nobody knows who was asked for a stand-in.
    assert training(tree, test_costs=costs).asking_cost == 10.0


def test_a_row_that_goes_down_all_branches_pays_for_all() -> None:
    """x ≤ 4 | > 4; on the right (rows 5 6 7 and 3/7 of the eighth) z tells the classes apart."""
    table = build(
        [number("x", [*X, None]), number("z", [1, 2, 3, 9, 8, 7, 6, 7, 7])],
        [0, 0, 0, 0, 1, 2, 1, 1, 2],
        3,
    )
    options = {"criterion": "entropy", "missing": "fractional", "max_depth": 2}
    costs = TestCosts(np.array([10.0, 3.0]), np.array([0, 0], np.int32), np.array([100.0]))
    tree = grow_table(
        table,
        options_for("classification", "cart", {"missing": "learned", **options}),
        test_costs=costs,
    )
    asked = tree.nodes.column.tolist()
    assert asked[0] == 0 and 1 in asked
    left, right = tree.children(0)
    own = [table.schema.names[asked[node]] for node in (left, right) if asked[node] >= 0]
    assert "z" in own
    known_left = 113.0 if asked[left] == 1 else 110.0
    assert asking(tree, costs, table, 0) == known_left
    assert asking(tree, costs, table, 7) == 113.0
    assert asking(tree, costs, table, 7, z=np.nan) == 113.0  # asked for in vain


def test_a_row_that_stays_has_been_asked_where_it_stays() -> None:
    tree, costs, table = lacking("stop")
    assert asking(tree, costs, table, 7) == 10.0
    assert evaluate_table(tree, table, test_costs=costs).asking_cost == 10.0


def test_rows_of_a_regression_are_counted_too() -> None:
    for missing in ("fractional", "surrogate", "learned"):
        for seed in range(15):
            random = Random(f"{missing} {seed}")
            table = random_table(random, "regression", weights="uneven")
            tree, _ = random_priced(random, table, missing=missing, max_depth=3)
            told = evaluate_table(tree, table).asking_cost
            assert told is not None and tree.asking_cost is not None
            # Stand-ins and further branches only add.
            assert told >= tree.asking_cost - 1e-9


def test_a_chain_of_questions_is_counted_without_recursion() -> None:
    n = 5000
    table = build([number("x", range(n)), number("z", [0] * n)], [i % 2 for i in range(n)], 2)
    tree = bough.grow(table, recipe="cart", test_costs={"x": 2, "z": 1}, prune=None)
    assert tree.depth > 10 and tree.asking_cost == 2.0


# ---- kept, carried, refused ----------------------------------------------------------------------


def test_columns_left_out_take_their_costs_with_them() -> None:
    table = build(
        [number("gone", [None] * 7 + [1.0]), number("x", range(8)), number("z", range(8))],
        [0, 0, 0, 1, 1, 1, 1, 1],
        2,
    )
    given = {("gone", "z"): {"shared": 3, "z": 1}, "x": 2}
    tree = bough.grow(table, recipe="cart", missing="drop_columns", test_costs=given)
    assert tree.schema.names == ("x", "z") and tree.asking_cost == 2.0
    assert tree.test_costs is not None
    assert tree.test_costs.prices([]).tolist() == [2.0, 4.0]


def test_trees_of_folds_are_grown_with_the_same_costs() -> None:
    tree = bough.grow(RESTAURANT, recipe="id3", test_costs={"Pat": 1000, "Hun": 500})
    assert grow_like(tree, RESTAURANT) == tree


def test_lessons_say_that_they_do_not_work_out_test_costs() -> None:
    tree = bough.grow(RESTAURANT, recipe="id3", test_costs={"Pat": 3})
    with pytest.raises(OptionError, match="Lessons do not work out test costs"):
        lesson_of(tree, RESTAURANT)


def test_the_estimators_take_test_costs_by_name_and_by_place() -> None:
    x = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 1], [2, 0.0]])
    y = np.array([0, 0, 1, 1, 2, 2])
    assert TreeClassifier(max_depth=1).fit(x, y).tree_.nodes.column[0] == 0
    dear = TreeClassifier(max_depth=1, test_costs={0: 100}, cost_rule="norton").fit(x, y)
    assert dear.tree_.nodes.column[0] == 1
    by_name = TreeClassifier(max_depth=1, test_costs={"x0": 100}, cost_rule="norton").fit(x, y)
    assert by_name.tree_ == dear.tree_
    together = TreeRegressor(test_costs={(0, 1): {"shared": 5, 1: 2}}).fit(x, y)
    assert together.tree_.test_costs is not None
    assert together.tree_.test_costs.prices([]).tolist() == [5.0, 7.0]
    with pytest.raises(BoughError, match="test_costs names the column 2, which is not there"):
        TreeClassifier(test_costs={2: 1}).fit(x, y)
    many, answers = np.tile(x, (10, 1)), np.tile(y, 10)
    names = [f"row {i}" for i in range(60)]  # all different: left out, and its cost with it
    wide = np.column_stack([many.astype(object), names, names])
    left = TreeClassifier(test_costs={2: 1, (1, 3): {"shared": 1, 3: 9}}).fit(wide, answers)
    assert left.tree_.schema.names == ("x0", "x1")
    assert left.tree_.test_costs is not None
    assert left.tree_.test_costs.prices([]).tolist() == [0.0, 1.0]


# ---- the commands --------------------------------------------------------------------------------


def run(*args: str, code: int = 0) -> str:
    """What a command prints; with `code` 1 why it refuses."""
    if code:
        with pytest.raises(BoughError) as refused:
            CliRunner().invoke(command, args, catch_exceptions=False)
        return str(refused.value)
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


def test_the_commands(prices: str, tmp_path: Path) -> None:
    data, model = str(path("restaurant")), str(tmp_path / "tree.json")
    grown = run(
        "grow", data, "--target", "WillWait", "--recipe", "id3", "--test-costs", prices,
        "--cost-rule", "nunez", "--out", model,
    )  # fmt: skip
    tree = bough.load(model)
    assert f"asking costs {tree.asking_cost:.4g} a row" in grown
    assert f"asking costs {tree.asking_cost:.4g} a row" in run("show", model)
    assert tree.test_costs is not None
    assert tree == bough.grow(path("restaurant"), "WillWait", recipe="id3", test_costs=prices)
    text = " ".join(run("evaluate", model, data).split())
    assert f"asking {tree.asking_cost:.4g} a row" in text
    (tmp_path / "other.csv").write_text("column,cost\nHun,7\n")
    other = run("evaluate", model, data, "--test-costs", str(tmp_path / "other.csv"))
    assert "asking 7 a row" in " ".join(other.split())
    wrong = run("evaluate", model, data, "--test-costs", str(tmp_path / "none.csv"), code=1)
    assert "There is no file" in wrong


def test_the_commands_for_numbers(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x,y\n1,1\n2,1\n3,5\n4,9.5\n")
    (tmp_path / "prices.csv").write_text("column,cost\nx,2.5\n")
    data, model = str(tmp_path / "data.csv"), str(tmp_path / "tree.json")
    prices = str(tmp_path / "prices.csv")
    run("grow", data, "--target", "y", "--task", "regression", "--recipe", "cart",
        "--test-costs", prices, "--out", model)  # fmt: skip
    assert "asking 2.5 a row" in " ".join(run("evaluate", model, data).split())


# ---- the page ------------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[1] / "docs" / "costs.md").read_text(encoding="utf-8")


def test_the_example_of_the_page(tmp_path: Path) -> None:
    (block,) = [text for text in PAGE.split("```") if "Pat,0,inside,6" in text]
    (tmp_path / "prices.csv").write_text(block.strip())
    rows = {
        line.split("|")[1].strip(): [cell.strip(" *") for cell in line.split("|")[2:-1]]
        for line in PAGE.splitlines()
        if line.startswith(("| Pat |", "| Hun |", "| asking costs a row |"))
    }
    for place, rule in enumerate(("norton", "tan", "nunez"), 2):
        tree = bough.grow(
            RESTAURANT, recipe="id3", runners_up=True, cost_rule=rule,
            test_costs=tmp_path / "prices.csv",
        )  # fmt: skip
        assert rows["asking costs a row"][place] == f"{tree.asking_cost:.4g}"
        for ranked in tree.ranking(0):
            if ranked.column in rows:
                assert rows[ranked.column][:2] == [f"{ranked.gain:.3f}", f"{ranked.price:g}"]
                assert rows[ranked.column][place] == f"{ranked.weighed:.4f}"
        assert f"**{rows[tree.ranking(0)[0].column][place]}**" in PAGE
        assert (tree.n_leaves, training(tree).error) == (8, 0.0)
    plain = bough.grow(RESTAURANT, recipe="id3")
    priced = bough.grow(
        RESTAURANT, recipe="id3", cost_rule="tan", test_costs=tmp_path / "prices.csv"
    )
    assert plain.nodes.column.tolist() == priced.nodes.column.tolist()


def test_the_two_forms_of_the_page_say_the_same(tmp_path: Path) -> None:
    (block,) = [text for text in PAGE.split("```") if "blood,2.1" in text]
    (tmp_path / "prices.csv").write_text(block.strip())
    (line,) = [line for line in PAGE.splitlines() if line.startswith("test_costs = ")]
    given = literal_eval(line.removeprefix("test_costs = "))
    names = ["glucose", "T3", "T4"]
    table = build([number(name, [1, 2]) for name in names], [0, 1], 2)
    for said in (given, tmp_path / "prices.csv"):
        costs = test_costs(said, table.schema)
        assert costs.prices([])[2] == pytest.approx(8.1)
        assert costs.prices([1])[2] == 6.0 and costs.prices([2])[2] == 0.0
