"""The errors bough raises. Each says what was given, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["BoughError", "DataError", "ModelFileError", "OptionError", "nearest"]


class BoughError(Exception):
    """Anything bough refuses; the message is meant for the person who asked."""


class DataError(BoughError, ValueError):
    """The table cannot be used as it is."""


class OptionError(BoughError, ValueError):
    """A parameter has a value that is not allowed."""


class ModelFileError(BoughError, ValueError):
    """A model file is damaged, hostile or of another version."""


def nearest(word: str, words: Iterable[str]) -> str:
    """` Did you mean "x"?` when a name close to `word` exists, else nothing."""
    names = list(words)
    close = [name for name in names if name.lower() == word.lower()][:1]
    close = close or difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f' Did you mean "{close[0]}"?' if close else ""
