"""Costs of mistakes as people keep them, in a file or a DataFrame: a dict of dicts by name."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from bough.errors import DataError, OptionError

__all__ = ["matrix_of_frame", "read_lines", "read_matrix"]

Matrix = dict[str, dict[str, Any]]
"""{actual: {answer: cost}}"""


def read_lines(path: Any, what: str) -> list[list[str]]:
    """The lines of a small CSV file that are not empty. `what` it holds is said in errors."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f'There is no file "{path}" to read {what} from.') from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f'The {what} in "{path}" cannot be read: {error}.') from None
    return [row for row in csv.reader(text.splitlines()) if row]


def read_matrix(path: Any) -> Matrix:
    """A CSV file: the first line names the answers, further lines begin with the actual class."""
    rows = read_lines(path, "costs")
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise DataError(
            f'The costs in "{path}" are not a table: the first line names the answers, each '
            "further line begins with the actual class."
        )
    answers = [name.strip() for name in rows[0][1:]]
    matrix = {
        row[0].strip(): {
            answer: cost.strip() for answer, cost in zip(answers, row[1:], strict=True)
        }
        for row in rows[1:]
    }
    lacking = set(matrix) ^ set(answers)
    if lacking:
        raise DataError(
            f'The costs in "{path}" are not square: "{min(lacking)}" stands only once, as a '
            "line or as a column."
        )
    return matrix


def matrix_of_frame(frame: Any) -> Matrix:
    """A DataFrame whose first column, or pandas index, names the actual classes."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = [str(name) for name in table.columns]
    cells = [column.to_list() for column in table.iter_columns()]
    index = [str(name) for name in getattr(frame, "index", ())]
    if set(index) == set(names):  # pandas: the index names the actual classes
        return {
            actual: {name: column[i] for name, column in zip(names, cells, strict=True)}
            for i, actual in enumerate(index)
        }
    first = [str(name) for name in cells[0]]
    if set(first) != set(names[1:]):
        raise OptionError(
            "The table of costs must name the actual classes in its first column (or index) and "
            f"the same classes, as answers, in its other columns. Actual: {', '.join(first)}; "
            f"answers: {', '.join(names[1:])}."
        )
    return {
        actual: {name: column[i] for name, column in zip(names[1:], cells[1:], strict=True)}
        for i, actual in enumerate(first)
    }
