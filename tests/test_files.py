"""Files: there as a whole or not at all; places that cannot be written or read."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import trees
from bough import store
from bough.errors import BoughError, ModelFileError
from bough.files import write_bytes, write_text


def test_save_and_load_through_a_file(tmp_path: Path) -> None:
    tree, path = trees.passengers(), tmp_path / "mödel 1.json"
    store.save(tree, str(path))
    assert path.read_bytes() == store.dumps(tree)
    assert trees.differences(tree, store.load(path)) == []
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")
    with pytest.raises(BoughError, match=r"m.json\" is already there.*--force"):
        store.save(trees.passengers(), path)
    assert path.read_text() == "mine"
    store.save(trees.passengers(), path, force=True)
    assert trees.differences(store.load(path), trees.passengers()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_replacing_keeps_the_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")
    path.chmod(mode)
    write_text(path, "new", force=True)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_text(tmp_path / "new", "x")
    modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "m.json", tmp_path / "link.json"
    link.symlink_to(path)
    write_text(link, "one")
    write_text(link, "two", force=True)
    assert link.is_symlink()
    assert path.read_text() == "two"


@pytest.mark.parametrize("fails", ["fsync", "replace", "pieces"])
def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def pieces() -> Iterator[bytes]:
        yield b"new"
        if fails == "pieces":
            raise KeyboardInterrupt

    if fails == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    if fails == "replace":
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises((BoughError, KeyboardInterrupt)) as caught:
        write_bytes(path, pieces(), force=True)
    if fails != "pieces":
        assert re.search("Cannot write .*m.json.*No space left.*unchanged", str(caught.value))
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_protected_file_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.json"
    path.write_text("mine")
    path.chmod(0o444)
    if os.geteuid() == 0:  # root may write to anything
        monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BoughError, match=r"Cannot write .*m.json.*permission denied"):
        write_text(path, "new", force=True)
    assert path.read_text() == "mine"


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(BoughError, match=r"Cannot write .*permission denied.*permissions of"):
        write_text(tmp_path / "m.json", "new")


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path, message in (
        (tmp_path / "no" / "m.json", "there is no folder .*no.*Create it first"),
        (tmp_path / "file" / "m.json", "is a file, not a folder|Not a directory"),
        (tmp_path, "it is a folder"),
        (tmp_path / ("x" * 300), "too long"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(BoughError, match=f"Cannot write .*({message})"):
            write_bytes(path, b"new", force=True)
    with pytest.raises(BoughError, match="half a character"):
        write_text(tmp_path / "new", "\ud800")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_device_is_written_to_directly() -> None:
    write_bytes(os.devnull, b"x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_places_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, message in (
        (tmp_path / "no.json", 'There is no file ".*no.json"'),
        (tmp_path, "is not a file"),
        (Path("/dev/zero"), "is not a file"),
        (tmp_path / "a\0b", "Cannot read .*null"),
    ):
        with pytest.raises(ModelFileError, match=message):
            store.load(path)

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    (tmp_path / "m.json").touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ModelFileError, match=r"Cannot read .*Permission denied"):
        store.load(tmp_path / "m.json")
