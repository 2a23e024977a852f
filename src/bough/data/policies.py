"""The policies for missing cells by name: what becomes of such a cell, and the core's word for it.

Names only, so that the command line can list them without loading what carries them out
(missing.py and the core).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PER_COLUMN", "POLICIES", "Policy"]


@dataclass(frozen=True)
class Policy:
    name: str
    help: str
    core: str = "learned"
    """What the core does with the cells that are still missing."""


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("learned", "join the side that gains more"),
        Policy("own", "get a branch of their own", "own"),
        Policy("fractional", "go down all branches with a share of the weight", "fractional"),
        Policy("surrogate", "follow the columns that split most alike", "surrogate"),
        Policy("stop", "get the answer of the node that asks", "stop"),
        Policy("drop_rows", "rows with a missing cell are left out"),
        Policy("drop_columns", "columns missing in too many rows are left out"),
        Policy("mean", "are filled with the mean (levels: the most common)"),
        Policy("median", "are filled with the median (categories: the most common)"),
        Policy("mode", "are filled with the most common value"),
        Policy("class_mean", "are filled with the mean of the row's class"),
    )
}

PER_COLUMN = ("learned", "own", "mean", "median", "mode", "class_mean")
"""What one column may do while another does otherwise."""
