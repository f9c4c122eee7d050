"""Whether what a thread knows at a location includes what a claim says: knowledge as a preorder.

A claim may say less than is known: each part of it is either stated in the same words or follows
from the values and conditions that are known.
"""

from __future__ import annotations

from threadwise.ir.expr import TRUE, Binary, BinaryOp, Const, Expr, Place, Read
from threadwise.ir.types import NULL, PointerType
from threadwise.proofs.locksets.containers.unused import has_unused
from threadwise.proofs.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    is_own,
    named,
    named_place,
)
from threadwise.proofs.locksets.order import compared
from threadwise.proofs.locksets.threads.thread_arrays import has_ended, has_roster


def implies(knowledge: Knowledge, other: Knowledge) -> bool:
    """Whether a thread that knows this knows the other, too."""
    return knowledge is other or (
        other.held <= knowledge.held
        and other.locks <= knowledge.locks
        and all(is_value(place, value, knowledge) for place, value in other.known.items())
        and all(holds(fact, knowledge) for fact in other.facts)
        and other.owned.items() <= knowledge.owned.items()
        and other.handles.items() <= knowledge.handles.items()
        and other.absent <= knowledge.absent
        and other.identity in (None, knowledge.identity)
        and knowledge.lost <= other.lost
        and _covers(other, knowledge)
        and all(has_roster(knowledge, roster) for roster in other.rosters)
        and all(has_ended(knowledge, ended) for ended in other.ended)
        and all(is_copy(place, held, knowledge) for place, held in other.copies.items())
        and all(is_home(place, lock, knowledge) for place, lock in other.homes.items())
        and other.clean <= knowledge.clean
        and other.template in (None, knowledge.template)
        and all(v in knowledge.taken or is_null(v, knowledge) for v in other.taken)
        and all(v in knowledge.whole or is_null(v, knowledge) for v in other.whole)
        and all(is_lent(v, lock, knowledge) for v, lock in other.lent.items())
        and all(is_same(place, cell, knowledge) for place, cell in other.same.items())
        and all(has_unused(knowledge, unused) for unused in other.unused)
    )


def _covers(weaker: Knowledge, stronger: Knowledge) -> bool:
    """Whether the threads that may run by one account include those of the other."""
    if not stronger.started.keys() <= weaker.started.keys():
        return False
    for edge, times in weaker.started.items():
        if times != MANY and stronger.started.get(edge, 0) != times:
            return False
    for event in stronger.running:
        if event not in weaker.running and Event(event.edge, MANY) not in weaker.running:
            return False
    return True


def holds(fact: Expr, knowledge: Knowledge) -> bool:
    """Whether a condition is known, or follows with the values that are."""
    if fact in knowledge.facts:
        return True
    name = named(fact, knowledge.known)
    if name in knowledge.facts or name == TRUE:
        return True
    return compared(name, knowledge.known, knowledge.facts) is True


def is_value(place: Place, value: Expr, knowledge: Knowledge) -> bool:
    """Whether a value of a place is known, or follows with the others that are."""
    found = knowledge.known.get(place)
    return found is not None and (found == value or found == named(value, knowledge.known))


def is_copy(variable: Place, element: Place, knowledge: Knowledge) -> bool:
    """Whether a variable is known to hold the id in an element."""
    found = knowledge.copies.get(variable)
    return found is not None and (
        found == element or found == named_place(element, knowledge.known)
    )


def is_home(variable: Place, lock: Place, knowledge: Knowledge) -> bool:
    """Whether a lock is known to protect what a variable points to, if it points anywhere."""
    value = knowledge.known.get(variable)
    if isinstance(value, Const) and isinstance(value.type, PointerType) and value.value == NULL:
        return True
    found = knowledge.homes.get(variable)
    return found is not None and (found == lock or found == named_place(lock, knowledge.known))


def is_null(variable: Place, knowledge: Knowledge) -> bool:
    """Whether a variable is known to be null."""
    if not isinstance(variable.type, PointerType):
        return False
    null = Const(NULL, variable.type)
    value = knowledge.known.get(variable)
    name = Read(variable) if value is None else value
    return name == null or Binary(BinaryOp.EQ, name, null) in knowledge.facts


def is_lent(variable: Place, lock: Place, knowledge: Knowledge) -> bool:
    """Whether what a variable points to is known to be in the container of a lock."""
    return knowledge.lent.get(variable) == lock or is_null(variable, knowledge)


def is_same(place: Place, cell: Place, knowledge: Knowledge) -> bool:
    """Whether a place is known to hold what a cell holds."""
    if knowledge.same.get(place) == cell:
        return True
    if is_own(place):
        return False
    found = knowledge.same.get(named_place(place, knowledge.known))
    return found is not None and found == named_place(cell, knowledge.known)
