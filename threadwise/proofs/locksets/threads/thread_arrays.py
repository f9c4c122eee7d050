"""Quantified facts about threads that were started in a loop of any length, by number.

    Roster(e, A, P, stop, late)   The threads that edge e started and that have not finished have
                                  different numbers from 0 to below `stop`. The thread with number
                                  k has A[k] as its argument, and its id is in P[k]. The thread
                                  whose id is in the variable `late` is excepted: its id need not
                                  be in P yet. If there is an A, its number is `at`, or if that is
                                  not told `stop` - 1; if there is no A, it has no number yet. If
                                  it is `alone`, there is no other thread.
    Ended(T, P, stop, first)      No thread of T whose id is in P[first] … P[stop - 1] runs; in
                                  P[0] … if `first` is not told. There are no P[-1], P[-2] …

A and P are given by what they are for the number 0: `shift(p, 0, T)`, `t[0]`. A roster without A
or P says nothing of arguments or ids. If no thread that e started runs, every roster of e holds,
and so does an `Ended` of no elements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import EdgeId
from threadwise.ir.types import ArrayType, is_integer
from threadwise.proofs.locksets.knowledge import Ended, Roster
from threadwise.proofs.locksets.order import Sum, at_most, equalities, sum_of, written_out


class Started(Protocol):
    """A start that may still run."""

    @property
    def edge(self) -> EdgeId:
        """The edge that started it."""


class Known(Protocol):
    """What a thread knows, as far as rosters are concerned."""

    @property
    def known(self) -> Mapping[Place, Expr]:
        """Values of its own variables."""

    @property
    def facts(self) -> frozenset[Expr]:
        """Conditions over them."""

    @property
    def running(self) -> Collection[Started]:
        """The threads that may run."""

    @property
    def rosters(self) -> frozenset[Roster]:
        """What it knows of the threads it started."""

    @property
    def ended(self) -> frozenset[Ended]:
        """Which of them do not run."""


# -- elements, and their numbers -----------------------------------------------------------------


def element_of(place: Place) -> tuple[Place, Expr] | None:
    """A place as an element: what it is for the number 0, and its number.

    Places with the same first part and different numbers are different.
    """
    match place:
        case FieldPlace(base, field):
            found = element_of(base)
            return None if found is None else (FieldPlace(found[0], field), found[1])
        case IndexPlace(base, index):
            return IndexPlace(base, number(0)), index
        case DerefPlace(PointerAdd(pointer, count, element), held):
            if element != held:
                return None
            return DerefPlace(PointerAdd(pointer, number(0), element), held), count
        case DerefPlace(pointer, held):
            return DerefPlace(PointerAdd(pointer, number(0), held), held), number(0)
        case VariablePlace():
            return None


def slot_of(place: Place) -> tuple[Place, Expr] | None:
    """A place for an id as an element, likewise.

    The element of an array that has but one has the number of what the array is a part of, if that
    is an element: `conn[k].id[0]` is the slot with number k. With other indices it is none.
    """
    match place:
        case FieldPlace(base, field):
            found = slot_of(base)
            return None if found is None else (FieldPlace(found[0], field), found[1])
        case IndexPlace(base, index) if is_inner_single(base):
            found = slot_of(base)
            if found is None or not (isinstance(index, Const) and index.value == 0):
                return None
            return IndexPlace(found[0], index), found[1]
        case _:
            return element_of(place)


def is_inner_single(array: Place) -> bool:
    """Whether an array with one element is a part of what may be an element."""
    held = array.type
    return isinstance(held, ArrayType) and held.extent == 1 and slot_of(array) is not None


def argument_of(value: Expr) -> tuple[Expr, Expr] | None:
    """An argument as one of many: what it is for the number 0, and its number."""
    match value:
        case PointerAdd(pointer, count, element):
            return PointerAdd(pointer, number(0), element), count
        case AddressOf(place):
            found = element_of(place)
            return None if found is None else (AddressOf(found[0]), found[1])
        case IntToPointer(operand):
            return IntToPointer(number(0)), operand
        case _:
            return (number(0), value) if is_integer(value.type) else None


def without_ids(roster: Roster) -> Roster | None:
    """What a roster says of numbers and arguments alone: of a late thread as of the others."""
    if roster.argument is None:
        return None
    return roster._replace(ids=None, late=None, alone=False, at=None)


# -- what follows --------------------------------------------------------------------------------


def has_roster(knowledge: Known, roster: Roster) -> bool:
    """Whether a thread knows a roster, by what it says or because no thread is on it."""
    if roster in knowledge.rosters:
        return True
    if not any(event.edge == roster.edge for event in knowledge.running):
        return True
    return any(_says(other, roster, knowledge) for other in knowledge.rosters)


def _says(stronger: Roster, weaker: Roster, knowledge: Known) -> bool:
    if stronger.edge != weaker.edge:
        return False
    if stronger.late != weaker.late and not _excepts(stronger, weaker):
        return False
    if stronger.argument != weaker.argument:
        return False
    if stronger.ids != weaker.ids and not stronger.alone and weaker.ids is not None:
        return False
    if weaker.alone and not stronger.alone:
        return False
    known = knowledge.known
    if stronger.late is not None and stronger.argument is not None:
        if _late_number(stronger, known) != _late_number(weaker, known):
            return False
    elif stronger.alone:
        return True
    return at_most(stronger.stop, weaker.stop, known, knowledge.facts)


def _late_number(roster: Roster, known: Mapping[Place, Expr]) -> Sum:
    """The number of the late thread of a roster with arguments."""
    if roster.at is not None:
        return sum_of(roster.at, known)
    core, stop = sum_of(roster.stop, known)
    return core, stop - 1


def is_asked_for_stop(roster: Roster) -> bool:
    """Whether it matters which stop a roster has; of a thread that is alone on it, it does not."""
    return not roster.alone or (roster.late is not None and roster.argument is not None)


def _excepts(stronger: Roster, weaker: Roster) -> bool:
    """Whether a roster only says less by excepting a thread, which needs no number then."""
    return stronger.late is None and stronger.argument is None and not weaker.alone


def has_ended(knowledge: Known, ended: Ended) -> bool:
    """Whether a thread knows that others do not run."""
    known, facts = knowledge.known, knowledge.facts
    if at_most(ended.stop, number(0), known, facts):
        return True

    def begins(first: Expr | None) -> bool:
        """Whether elements from there on are all that are asked for."""
        if first is None or ended.first is None:
            return first is None
        return at_most(first, ended.first, known, facts)

    return any(
        other[:2] == ended[:2]
        and begins(other.first)
        and at_most(ended.stop, other.stop, known, facts)
        for other in knowledge.ended
    )


def common_rosters(first: Known, second: Known) -> frozenset[Roster]:
    """Rosters that both know, stops expressed with variables where numbers differ."""
    found = {
        roster._replace(stop=stop)
        for side, other in ((first, second), (second, first))
        for roster in side.rosters
        for stop in _stops(roster, side, other)
    }
    late = {(r.edge, r.late) for r in found if r.late is not None and r.argument is None}
    found |= {
        roster._replace(late=variable)
        for roster in found
        for edge, variable in late
        if roster.edge == edge and roster.late is None and roster.argument is None
    }
    return frozenset(r for r in found if has_roster(first, r) and has_roster(second, r))


def common_ended(first: Known, second: Known) -> frozenset[Ended]:
    """Ends that both know, stops expressed with variables where numbers differ."""
    found = {
        ended._replace(stop=stop)
        for side, other in ((first, second), (second, first))
        for ended in side.ended
        for stop in _told(ended.stop, side, other)
    }
    return frozenset(e for e in found if has_ended(first, e) and has_ended(second, e))


def _stops(roster: Roster, side: Known, other: Known) -> Iterator[Expr]:
    """How the stop of a roster may be expressed; if it does not matter, once is enough."""
    if not is_asked_for_stop(roster):
        yield roster.stop
    else:
        yield from _told(roster.stop, side, other)


def _told(stop: Expr, side: Known, other: Known) -> Iterator[Expr]:
    """A number, and the same by the variables and cells that hold it or one less.

    What holds the same number on the other side is expressed by the number as well.
    """
    yield stop
    core, value = sum_of(stop, side.known)
    if core is not None:
        return
    there = {*other.known.items(), *equalities(other.facts)}
    for place, held in (*side.known.items(), *equalities(side.facts)):
        if (place, held) in there:
            continue
        if isinstance(held, Const) and is_integer(held.type) and is_integer(place.type):
            assert isinstance(held.value, int)
            if value - held.value in (0, 1):
                yield written_out(Read(place), value - held.value)


def same_sum(first: Expr, second: Expr, known: Mapping[Place, Expr]) -> bool:
    """Whether two integers are surely equal."""
    return sum_of(first, known) == sum_of(second, known)
