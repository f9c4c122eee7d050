"""Actions remember what was found out about them, and nothing else changes by that."""

from __future__ import annotations

import copy
import pickle

from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, Read, Scope, Variable, VariablePlace
from threadwise.ir.program import Edge, EdgeId, LocId
from threadwise.ir.types import INT

X, Y = (VariablePlace(Variable(name, INT, Scope.LOCAL)) for name in "xy")
COPY = Command(assignments=(Assignment(X, Read(Y)),))


def edge_of(action: Command) -> Edge:
    """An edge that does something."""
    return Edge(EdgeId(0), LocId(0), LocId(1), action)


def test_all_caches_find_the_same() -> None:
    assert Uses().of(edge_of(COPY)) is Uses().of(edge_of(COPY))
    assert Uses().of(edge_of(COPY)).read == {"y"}


def test_what_is_remembered_is_no_part_of_an_action() -> None:
    told = Command(assignments=COPY.assignments)
    told.told["uses"] = "something"
    fresh = Command(assignments=COPY.assignments)
    assert told == fresh
    assert hash(told) == hash(fresh)
    assert fresh.told == {}


def test_changed_and_copied_actions_have_nothing_to_remember() -> None:
    Uses().of(edge_of(COPY))
    changed = replace(COPY, assignments=(Assignment(X, Const(1, INT)),))
    assert Uses().of(edge_of(changed)).read == set()
    for made in (copy.deepcopy(COPY), pickle.loads(pickle.dumps(COPY))):
        assert made == COPY
        assert made.told == {}
