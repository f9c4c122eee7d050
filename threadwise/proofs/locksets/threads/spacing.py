"""Cells of threads by their numbers: each thread uses its own.

Threads of a template that run at the same time have different numbers
(`threadwise.proofs.locksets.threads.thread_arrays`), given by their arguments:

    elements    the argument is `shift(p, k, T)` or `&a[k]` for the number k: what a thread finds
                in a T at its argument no other thread of the template finds there
    integers    the argument is k: elements with this index are used by one thread only
    members     the argument is `&a[k]`, and a member of a[k] holds k: likewise for elements with
                that index (`threadwise.proofs.locksets.threads.numbers_in_elements`)
    objects     at every start the argument is a pointer that the starting thread owns: no other
                thread, and no shared cell, leads to its object. The cell with the argument of a
                thread does from then on, so no two threads get pointers into one object, whoever
                starts them. What a thread finds by its argument in that object no other one does.
                Or it is new (`threadwise.proofs.locksets.threads.new_objects`)

The first thread stays out of what belongs to the thread with number k while that does not run: it
has a larger number than all on the roster, or has been joined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
    SelfId,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import interval, number, place_expressions, root
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.types import Type
from threadwise.proofs.locksets.belonging import is_personal
from threadwise.proofs.locksets.beyond import DATA, WHOLES
from threadwise.proofs.locksets.knowledge import Ended, Knowledge, Roster
from threadwise.proofs.locksets.order import after, at_most
from threadwise.proofs.locksets.threads.thread_arrays import element_of, has_ended


class Spacing(NamedTuple):
    """How arguments with different numbers are laid out in memory."""

    element: Type | None
    """The type of the elements that they point to; None: they are integers."""
    low: int | None = None
    high: int | None = None
    """The bounds of integers, if they have some."""
    objects: bool = False
    """They point into different objects."""


OBJECTS = Spacing(None, objects=True)


def spacing_of(argument: Expr | None, position: Expr) -> Spacing | None:
    """The layout of arguments like the one at a position."""
    match argument:
        case None:
            return None
        case PointerAdd(_, _, element):
            return Spacing(element)
        case AddressOf(place):
            return Spacing(place.type)
        case _:
            return Spacing(None, *interval(position))


def common_spacing(found: Collection[Spacing | None]) -> Spacing | None:
    """A layout that covers several; None: arguments may be the same."""
    each = [spacing for spacing in found if spacing is not None]
    if len(each) != len(found) or len({(s.element, s.objects) for s in each}) != 1:
        return None
    if OBJECTS in each:
        return OBJECTS
    lows = [spacing.low for spacing in each]
    highs = [spacing.high for spacing in each]
    low = None if None in lows else min(bound for bound in lows if bound is not None)
    high = None if None in highs else max(bound for bound in highs if bound is not None)
    return Spacing(each[0].element, low, high)


# -- what belongs to a thread --------------------------------------------------------------------

Part = tuple[object, ...]
"""Where a number stands in a place: cells of places with the same part and different numbers are
different."""
ELEMENT: Part = ("element",)
OBJECT: Part = ("object",)


def own_parts(
    place: Place,
    spacing: Spacing,
    names: frozenset[str],
    holder: Callable[[Expr], Expr | None],
    inside: Callable[[Place], bool],
) -> Iterator[Part]:
    """The parts of a place with the number of the thread that names it; `names`: its argument.

    `holder` says in which element a number is that is claimed to be the thread's own; `inside`,
    whether a place is found by a pointer into what the argument leads to.
    """
    if spacing.objects:
        if _is_argument(_object(place), names) or inside(place):
            yield OBJECT
        return
    if spacing.element is None:
        for part, index in _indices(place):
            if _is_argument(_kept(index, spacing), names):
                yield part
        return
    base = root(place)
    mine = isinstance(base, DerefPlace) and _is_argument(base.pointer, names)
    if (mine and fits(base.type, spacing.element)) or inside(place):
        yield ELEMENT
    for part, index in _indices(place):
        pointer = holder(index)
        held = None if pointer is None else _element(index)
        if pointer is not None and held == spacing.element and _is_argument(pointer, names):
            yield part


def absent_parts(
    place: Place, roster: Roster, template: str, knowledge: Knowledge
) -> Iterator[Part]:
    """The parts of a place of the first thread with numbers of threads that do not run."""
    for part, position in _numbered(place, roster):
        if _not_running(position, roster, template, knowledge):
            yield part


def _not_running(number: Expr, roster: Roster, template: str, knowledge: Knowledge) -> bool:
    """Whether the thread with a number, of those on a roster, does not run."""
    if at_most(roster.stop, number, knowledge.known, knowledge.facts):
        return True
    if roster.ids is None or roster.late is not None:
        return False
    stop = after(number, knowledge.known)
    return has_ended(knowledge, Ended(template, roster.ids, stop, number))


def _numbered(place: Place, roster: Roster) -> Iterator[tuple[Part, Expr]]:
    """The parts of a place with a number on a roster, and the numbers."""
    match roster.argument:
        case None:
            return
        case PointerAdd(_, _, element):
            base = root(place)
            if not isinstance(base, DerefPlace) or not fits(base.type, element):
                return
            pointer = base.pointer
            if not isinstance(pointer, PointerAdd):
                pointer = PointerAdd(pointer, number(0), element)
            if PointerAdd(pointer.pointer, number(0), pointer.element) == roster.argument:
                yield ELEMENT, pointer.count
        case AddressOf(first):
            around: Place = place
            while isinstance(around, FieldPlace | IndexPlace):
                found = element_of(around)
                if found is not None and found[0] == first:
                    yield ELEMENT, found[1]
                around = around.base
            yield from _indices(place)
        case _:
            yield from _indices(place)


def _indices(place: Place) -> Iterator[tuple[Part, Expr]]:
    """The indices in a place that lead to other cells for every thread, and what they are of."""
    around = place
    while isinstance(around, FieldPlace | IndexPlace):
        if isinstance(around, IndexPlace) and not any(
            map(is_personal, place_expressions(around.base))
        ):
            yield ("index", around.base), around.index
        around = around.base
    match around:
        case DerefPlace(PointerAdd(pointer, count, element), held):
            if element == held and not is_personal(pointer):
                yield ("shift", pointer, held), count
        case _:
            pass


def _element(number_: Expr) -> Type | None:
    """The type of the element that a number is read in."""
    base = number_.place if isinstance(number_, Read) else None
    while isinstance(base, FieldPlace):
        base = base.base
    return base.type if isinstance(base, DerefPlace) else None


def _kept(expr: Expr, spacing: Spacing) -> Expr:
    """An index without conversions that keep all numbers."""
    while True:
        match expr:
            case PointerToInt(inner) | IntToPointer(inner):
                expr = inner
            case Wrap(low, high, inner):
                if spacing.low is None or spacing.high is None:
                    return expr
                if not (low <= spacing.low and spacing.high <= high):
                    return expr
                expr = inner
            case _:
                return expr


def _object(place: Place) -> Expr | None:
    """The pointer to the object that a place is in, without the way inside of it."""
    base = root(place)
    pointer = base.pointer if isinstance(base, DerefPlace) else None
    while True:
        match pointer:
            case PointerAdd(inner, _, _):
                pointer = inner
            case AddressOf(inside):
                return _object(inside)
            case _:
                return pointer


def _is_argument(expr: Expr | None, names: frozenset[str]) -> bool:
    match expr:
        case Read(IndexPlace(VariablePlace(variable), SelfId())):
            return variable.name in names
        case _:
            return False


def fits(held: Type, element: Type) -> bool:
    """Whether a type takes no more cells than another; of a whole object nobody knows."""
    return held == element or (
        held not in (*WHOLES, DATA)
        and has_static_size(held)
        and has_static_size(element)
        and size_of(held, NO_THREADS) <= size_of(element, NO_THREADS)
    )
