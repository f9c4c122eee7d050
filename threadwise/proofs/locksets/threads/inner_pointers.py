"""Pointers that a thread has made of its argument: they lead into what is its own.

    struct conn *c = argument;  open(&c->tcp);       in `open`, `tcp` leads into the same element

A local variable, in the procedures that threads of a template run, is

    the argument    if all that is ever assigned to it is the argument, or null
    inside, as T    if all that is assigned is the address of a T that lies inside of what such a
                    variable points to (a member, an element of a member that is an array), another
                    T of the same array, or null

Parameters are assigned by the calls that these threads make. What is read from memory, returned,
or of an unknown value, is nothing of this, and neither is the argument moved: that leads to
elements of others. From a pointer inside, as T, no more is read or written than a T. An index
beyond an array, or a pointer moved out of one, is undefined behaviour.

No order of steps matters, and no other thread writes these variables, so this holds wherever a
thread is. A thread finds nothing outside of what its argument points to by such a pointer. If
arguments lead to different objects, all these pointers do, however they were moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from threadwise.ir.commands import Call
from threadwise.ir.expr import (
    AddressOf,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    IndexPlace,
    Place,
    PointerAdd,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import root
from threadwise.ir.program import Procedure, Program
from threadwise.ir.types import NULL, PointerType, Type
from threadwise.ir.writes import written
from threadwise.proofs.locksets.threads.creation import Threads

Fits = Callable[[Type, Type], bool]


class Inner(NamedTuple):
    """What a pointer leads to, if it is made of the argument."""

    of: Type | None
    """What it points to lies inside, as this type; None: it is the argument."""


ARGUMENT = Inner(None)
Found = Inner | None | bool
"""False: nothing was assigned but null. None: anything else."""
_Key = tuple[str, Variable]


class InnerPointers:
    """Which variables hold such pointers, in threads of one template."""

    def __init__(self, threads: Threads, template: str, element: Type | None, fits: Fits) -> None:
        self._names = threads.arguments[template]
        self._element = element
        """The type that arguments are spaced by; None: they lead to different objects."""
        self._fits = fits
        program = threads.program
        self._run = [p for p in program.procedures if template in threads.running[p.name]]
        self._found: dict[_Key, Found] = {}
        self._fix(program)

    def leads_inside(self, place: Place, procedure: str) -> bool:
        """Whether a place is inside of what the argument of its thread leads to."""
        base = root(place)
        if not isinstance(base, DerefPlace):
            return False
        found = self._of(base.pointer, procedure)
        return isinstance(found, Inner) and self._holds(found, base.type)

    def _holds(self, found: Inner, held: Type) -> bool:
        """Whether something of a type fits where a pointer leads to."""
        of = self._element if found.of is None else found.of
        return self._element is None or (of is not None and self._fits(held, of))

    def _fix(self, program: Program) -> None:
        stores = [
            (key, value, procedure.name)
            for procedure in self._run
            for key, value in _stores(procedure, program.procedure)
        ]
        changed = True
        while changed:
            changed = False
            for key, value, where in stores:
                before = self._found.get(key, False)
                after = _both(before, None if value is None else self._of(value, where))
                if after != before:
                    self._found[key] = after
                    changed = True

    def _of(self, value: Expr, procedure: str) -> Found:
        match value:
            case Const(held, PointerType()) if held == NULL:
                return False
            case Read(IndexPlace(VariablePlace(variable), SelfId())):
                return ARGUMENT if variable.name in self._names else None
            case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
                return self._found.get((procedure, variable), False)
            case Conditional(_, then, otherwise):
                return _both(self._of(then, procedure), self._of(otherwise, procedure))
            case PointerAdd(pointer, _, element):
                found = self._of(pointer, procedure)
                stays = self._element is None or found == Inner(element)
                return found if stays or found is False else None
            case AddressOf(place):
                return self._address(place, procedure)
            case _:
                return None

    def _address(self, place: Place, procedure: str) -> Found:
        base = root(place)
        if not isinstance(base, DerefPlace):
            return None
        found = self._of(base.pointer, procedure)
        if not isinstance(found, Inner) or place == base:
            return found
        if self._element is None:
            return ARGUMENT
        return Inner(place.type) if self._holds(found, base.type) else None


def _stores(
    procedure: Procedure, procedures: Mapping[str, Procedure]
) -> Iterator[tuple[_Key, Expr | None]]:
    """What is assigned to the variables of a procedure, and to parameters by its calls.

    None: what is not known.
    """
    for edge in procedure.edges:
        for target, value in written(edge):
            base = root(target)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                yield (procedure.name, base.variable), value if target == base else None
        if isinstance(edge.action, Call):
            called = procedures[edge.action.procedure]
            for parameter, given in zip(called.parameters, edge.action.arguments, strict=True):
                yield (called.name, parameter), given


def _both(first: Found, second: Found) -> Found:
    if first is False:
        return second
    return first if second in (False, first) else None
