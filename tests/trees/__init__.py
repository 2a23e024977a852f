"""Trees for tests: by hand, at random and very large.

Every function gives a tree that is sound: counts add up, children follow their parents.
"""

from bough.tree import BRANCHES, LEAF, SUBSET, THRESHOLD
from trees.at_random import random_tree
from trees.building import Node, build
from trees.examples import houses, passengers, patients
from trees.large import bushy, chain
from trees.same import differences, leaf_of

__all__ = [
    "BRANCHES",
    "LEAF",
    "SUBSET",
    "THRESHOLD",
    "Node",
    "build",
    "bushy",
    "chain",
    "differences",
    "houses",
    "leaf_of",
    "passengers",
    "patients",
    "random_tree",
]
