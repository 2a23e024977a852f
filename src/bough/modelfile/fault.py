"""What is wrong with a tree, in words that are safe to print."""

from __future__ import annotations

__all__ = ["Fault", "quote", "safe"]


class Fault(Exception):
    """What is wrong with a tree; the public functions say with which file, and what to do."""


def quote(text: str, most: int = 60) -> str:
    """A name from a file between quotation marks."""
    return f'"{safe(text, most)}"'


def safe(text: str, most: int = 60) -> str:
    """Text from a file, short and without control characters."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
