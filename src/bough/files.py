"""Write a file so that it is there as a whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bough.errors import BoughError

__all__ = ["AnyPath", "check_free", "write_bytes", "write_text"]

AnyPath = str | os.PathLike[str]


def write_text(path: AnyPath, text: str, *, force: bool = False) -> None:
    """Write text as UTF-8, with the line ends it has."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise BoughError(
            f'Cannot write "{os.fspath(path)}": the text holds {text[error.start]!r}, half a '
            "character, which no file can hold. Correct the name it comes from."
        ) from None
    write_bytes(path, data, force=force)


def write_bytes(path: AnyPath, data: bytes | Iterable[bytes], *, force: bool = False) -> None:
    """Write bytes, or pieces of bytes as they come; `force` replaces a file that is there.

    The pieces go to a temporary file in the same folder, which takes the name when it is complete:
    whatever fails, what was there before stays. A device or a pipe is written to directly.
    """
    given = Path(path)
    pieces = (data,) if isinstance(data, bytes) else data
    with _explained(given):
        if _is_stream(given):
            with given.open("wb") as out:
                out.writelines(pieces)
            return
        target = Path(os.path.realpath(given))  # a link stays a link
        _check_folder(given, target.parent)
        _write_beside(target, pieces, _mode_of(given, target, force))


def check_free(path: AnyPath, *, force: bool = False) -> None:
    """Raise now what writing there would raise later, after the work is done."""
    given = Path(path)
    with _explained(given):
        if _is_stream(given):
            return
        target = Path(os.path.realpath(given))
        _check_folder(given, target.parent)
        _mode_of(given, target, force)
        if not os.access(target.parent, os.W_OK):
            raise PermissionError


@contextmanager
def _explained(given: Path) -> Iterator[None]:
    try:
        yield
    except BoughError:
        raise
    except PermissionError:
        raise BoughError(
            f'Cannot write "{given}": permission denied. Choose another place, or change the '
            "permissions of the file or its folder."
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero character
        reason = getattr(error, "strerror", None) or str(error)
        raise BoughError(
            f'Cannot write "{given}": {reason}. What was there before is unchanged.'
        ) from None


def _is_stream(given: Path) -> bool:
    """A device or a pipe (/dev/stdout): nothing to replace and no folder of its own."""
    if not given.exists():
        return False
    mode = given.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _check_folder(given: Path, folder: Path) -> None:
    if not folder.exists():
        raise BoughError(f'Cannot write "{given}": there is no folder "{folder}". Create it first.')
    if not folder.is_dir():
        raise BoughError(f'Cannot write "{given}": "{folder}" is a file, not a folder.')


def _mode_of(given: Path, target: Path, force: bool) -> int | None:
    """The permissions to keep; None for a new file."""
    if not target.exists():
        return None
    if target.is_dir():
        raise BoughError(f'Cannot write "{given}": it is a folder. Give the name of a file.')
    if not force:
        raise BoughError(
            f'"{given}" is already there. Choose another name, or allow replacing it '
            "(force=True, on the command line --force)."
        )
    if not os.access(target, os.W_OK):  # a rename would replace even a write-protected file
        raise PermissionError
    return stat.S_IMODE(target.stat().st_mode)


def _write_beside(target: Path, pieces: Iterable[bytes], mode: int | None) -> None:
    temporary = target.parent / f".bough-{os.urandom(8).hex()}.tmp"
    try:
        with temporary.open("xb") as out:
            out.writelines(pieces)
            out.flush()
            os.fsync(out.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:  # an interrupt, too, must not leave half a file behind
        temporary.unlink(missing_ok=True)
        raise
