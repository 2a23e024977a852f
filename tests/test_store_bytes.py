"""The model file: whatever the bytes, they are refused or a sound tree."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trees
from bough import store
from bough.errors import ModelFileError
from bough.tree import Tree
from modelfiles import any_tree, as_bytes, content

WRONG = [None, True, -1, 3, 10**18, 2**63, 10**30, 0.5, -1e300, "", "inf", "\x00", [], [[]], {}]
FREE = ("options", "report", "fills")
"""A key more or less in these leaves a sound tree."""
EXAMPLES = [trees.passengers(), trees.houses(), trees.patients()]


def places(told: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in the JSON: what holds it, and its key."""
    for key, value in list(told.items() if isinstance(told, dict) else enumerate(told)):
        yield told, key
        if isinstance(value, dict | list):
            yield from places(value)


@pytest.mark.parametrize("tree", EXAMPLES, ids=["classes", "numbers", "missing"])
def test_any_value_anywhere_is_refused_or_sound(tree: Tree) -> None:
    told = content(tree)
    refused = total = 0
    for holder, key in list(places(told)):
        right = holder[key]
        for wrong in WRONG:
            holder[key] = wrong
            total += 1
            refused += not loads_or_refuses(as_bytes(told))
        holder[key] = right
    assert total > 2000
    assert refused > 0.8 * total  # the rest: other names, numbers, options


@pytest.mark.parametrize("tree", EXAMPLES, ids=["classes", "numbers", "missing"])
def test_any_field_left_out_is_refused_or_sound(tree: Tree) -> None:
    optional = {"classes", "levels", "impurity", "p_value", "missing_rows", "unseen_to"}
    optional |= {"fills", "costs", "surrogates", "flipped", "answer"}
    told = content(tree)
    paths = [(holder, key) for holder, key in places(told) if isinstance(holder, dict)]
    anything_goes = {id(holder) for name in FREE for holder, _ in places(told.get(name, {}))}
    for holder, key in paths:
        before = copy.copy(holder)
        del holder[key]
        fine = loads_or_refuses(as_bytes(told))
        free = key in optional or id(holder) in anything_goes
        by_order = key == "at_level" or before.get(key) == "inf"
        free |= by_order and "gain" in before  # a runner-up in branches has no threshold
        assert free or not fine, key
        holder.clear()
        holder.update(before)


def loads_or_refuses(data: bytes) -> bool:
    """Whether the bytes are a tree; a sound one, for it can be saved and comes back the same."""
    try:
        tree = store.loads(data)
    except ModelFileError:
        return False
    assert trees.differences(tree, store.loads(store.dumps(tree))) == []
    return True


@given(any_tree, st.data())
def test_flipped_bytes_are_refused_or_sound(tree: Tree, data: st.DataObject) -> None:
    told = bytearray(store.dumps(tree))
    for _ in range(data.draw(st.integers(1, 4))):
        told[data.draw(st.integers(0, len(told) - 1))] = data.draw(st.integers(0, 255))
    loads_or_refuses(bytes(told))


@given(any_tree, st.data())
def test_cut_repeated_and_moved_bytes_are_refused_or_sound(tree: Tree, data: st.DataObject) -> None:
    told = store.dumps(tree)
    a, b, c, d = sorted(data.draw(st.integers(0, len(told))) for _ in range(4))
    cuts = [told[:a] + told[b:], told[:b] + told[a:], told[:a] + told[c:d] + told[b:c] + told[d:]]
    for cut in cuts:
        loads_or_refuses(cut)


def test_every_truncation_is_refused() -> None:
    data = store.dumps(trees.passengers())
    for n in range(len(data) - 2):
        with pytest.raises(ModelFileError, match=r"cut off|empty"):
            store.loads(data[:n])
    assert store.loads(data[:-1])  # only the last line end is missing


NOT_A_TREE = [
    (b"", "the file is empty"),
    (b"  \n", "cut off"),
    (b"age,sex\n1,f\n", "not valid JSON"),
    (b"\x80\x04\x95\x00", "not valid JSON"),
    (b"[]", "not a bough tree"),
    (b"3", "not a bough tree"),
    (b"null", "not a bough tree"),
    (b"{}", "not a bough tree"),
    (b"[" * 1_000_000, "not a bough tree"),
    (b'{"a":' * 1_000_000, "nested too deeply"),
    (b'{"format":"bough tree","version":1} {}', "trailing"),
    (b'{"format":"bough tree","version":NaN}', "not valid JSON"),
    (b'{"format":"bough\xfftree","version":1}', "not UTF-8"),
    ("{}".encode("utf-16"), "not valid JSON"),
    (b'{"format":"bough tree","version":' + b"9" * 10_000 + b"}", "not a bough tree"),
]


@pytest.mark.parametrize(("data", "message"), NOT_A_TREE, ids=[m for _, m in NOT_A_TREE])
def test_other_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        store.loads(data)


def damaged_text(old: bytes, new: bytes) -> bytes:
    data = store.dumps(trees.passengers())
    assert data.count(old) >= 1
    return data.replace(old, new, 1)


TEXT_DAMAGE = [
    (b'"age"', b'"a\xffe"', "not UTF-8"),
    (b'"column":"age"', b'"column":"\xc3("', "node 1: it is not UTF-8"),
    (b'"column":"age"', b'"column":"\\ud800"', "it is not valid JSON"),
    (b'"at":30.5', b'"at":NaN', "not valid JSON"),
    (b'"at":30.5', b'"at":Infinity', "not valid JSON"),
    (b'"at":30.5', b'"at":1e999', "node 1: split.at: Number out of range"),
    (b'"at":30.5', b'"at":' + b"9" * 5000, "node 1: split.at: Number out of range"),
    (b'"rows":66', b'"rows":' + b"9" * 5000, "node 1: rows"),
    (b'"options":{', b'"options":{"a":' + b"[" * 99_999 + b"]" * 99_999 + b",", "too deeply"),
    (b'"children":[5,6]', b'"children":' + b"[" * 99_999 + b"]" * 99_999, "too deeply"),
    (b'"column":"age"', b'"column":"' + b"\\u001b" * 9999 + b'"', 'no column "' + r"\\x1b" * 59),
]


@pytest.mark.parametrize(("old", "new", "message"), TEXT_DAMAGE, ids=range(len(TEXT_DAMAGE)))
def test_damaged_text_is_refused(old: bytes, new: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        store.loads(damaged_text(old, new))
    assert len(str(caught.value)) < 500
    assert str(caught.value).isprintable()
