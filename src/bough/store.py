"""Save and load a tree: versioned JSON, one node per line; docs/model-file.md describes it.

Reading trusts nothing: whatever is wrong with a file becomes one ModelFileError. Nodes pass through
in batches, so a million of them never stand in memory as Python objects, and nothing recurses.

This page has the doors and the order of the steps; the steps are in bough.modelfile.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from bough.errors import ModelFileError
from bough.files import AnyPath, write_bytes
from bough.modelfile.fault import Fault, quote, safe
from bough.modelfile.header import (
    FORMAT,
    VERSION,
    plain_json,
    read_costs,
    read_header,
    read_test_costs,
    write_header,
)
from bough.modelfile.read_nodes import read_nodes
from bough.modelfile.records import decode_stamp, json_schema
from bough.modelfile.soundness import check
from bough.modelfile.write_nodes import write_nodes
from bough.tree import Tree

__all__ = ["FORMAT", "READERS", "VERSION", "dumps", "json_schema", "load", "loads", "save"]

NAMELESS = "the model file"

# ---- writing -------------------------------------------------------------------------------------


def save(tree: Tree, path: AnyPath, *, force: bool = False) -> None:
    """Write a tree to a file; `force` replaces a file that is there."""
    write_bytes(path, _pieces(tree), force=force)


def dumps(tree: Tree) -> bytes:
    """The bytes of the model file; the same tree always gives the same bytes."""
    return b"".join(_pieces(tree))


def _pieces(tree: Tree) -> Iterator[bytes]:
    """The file, piece by piece; nothing is given before the whole tree is found sound."""
    try:
        header = write_header(tree)
        read_header(header + b'"nodes":[]}')
        check(tree)
    except Fault as fault:
        raise ModelFileError(f"This tree cannot be saved: {fault}.") from None
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"This tree cannot be saved: the text {quote(str(error.object))} holds half a "
            "character (a lone surrogate), which no file can hold. Correct it in the data."
        ) from None
    yield header + b'"nodes":[\n'
    yield from write_nodes(tree)
    yield b"]}\n"


# ---- reading -------------------------------------------------------------------------------------


def load(path: AnyPath) -> Tree:
    """The tree in a model file."""
    file = Path(path)
    return loads(_bytes_of(file), str(file))


def loads(data: bytes, name: str = NAMELESS) -> Tree:
    """The tree in the bytes of a model file; `name` is what messages call it."""
    shown = name if name == NAMELESS else quote(name, most=400)
    try:
        return READERS[_version(data, shown)](data)
    except Fault as fault:
        raise ModelFileError(
            f"Cannot load {shown}: {fault}. Use an undamaged copy, or save the tree again."
        ) from None


def _bytes_of(file: Path) -> bytes:
    try:
        mode = file.stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):  # a device may never end
            return file.read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f'There is no file "{file}". Give the path of a saved tree.') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f'Cannot read "{file}": {reason}.') from None
    raise ModelFileError(f'"{file}" is not a file. Give the path of a saved tree.')


def _version(data: bytes, shown: str) -> int:
    """The format version of a file that this bough can read; anything else is an error."""
    if not data:
        raise Fault("the file is empty")
    stamp = decode_stamp(data)
    if stamp.format != FORMAT or stamp.version < 1:
        raise ModelFileError(
            f'Cannot load {shown}: it is not a bough tree (its "format" is not "{FORMAT}", or its '
            '"version" is not a whole number from 1). Give a file that bough has saved.'
        )
    if stamp.version not in READERS:
        raise ModelFileError(
            f"Cannot load {shown}: it was written by a newer bough (format version "
            f"{safe(str(stamp.version))}); this one reads up to {VERSION}: upgrade bough."
        )
    return stamp.version


def _read_version_1(data: bytes) -> Tree:
    header, schema, raws = read_header(data)
    read = read_nodes(raws, schema)
    tree = Tree(
        schema=schema,
        nodes=read.nodes,
        equality=header.equality,
        empty_branch=header.empty_branch,
        options=plain_json(header.options, "options"),
        report=plain_json(header.report, "report"),
        runners_up=read.runners_up,
        set_answers=read.set_answers,
        surrogates=read.surrogates,
        fills=header.fills,
        costs=read_costs(header),
        test_costs=read_test_costs(header, schema),
    )
    check(tree)
    return tree


READERS: dict[int, Callable[[bytes], Tree]] = {1: _read_version_1}
"""One entry per format version; an old one stays for ever, for its files do."""
