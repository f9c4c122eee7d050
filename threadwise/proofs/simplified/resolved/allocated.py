"""Where the objects of a thread's own pointers come from.

    char line[80];  read(fd, line, 80);     line$address = allocate(…) … free(line$address)

A local pointer that is given nothing but null, what allocations return and other such pointers
leads to objects of these allocations, or nowhere. Locals have no address, so what they are given
stands in the edges of their procedure. It does not matter in which order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from threadwise.ir.commands import Action, Allocate, Call, Command
from threadwise.ir.expr import Const, Expr, Place, Read, Scope, Variable, VariablePlace
from threadwise.ir.program import DEFAULT, Procedure, Program, stated_values
from threadwise.ir.types import NULL, UNSET, PointerType

Local: TypeAlias = tuple[str, Variable]
"""A local variable of a procedure."""
Given: TypeAlias = frozenset[str | Local]
"""Sites, and variables that are copied."""


class Allocated:
    """The sites of what local pointers lead to."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def sites(self, pointer: Expr, procedure: str) -> frozenset[str] | None:
        """The sites whose objects a pointer may lead to; None if it may lead elsewhere."""
        variable = _local(pointer)
        if variable is None:
            return None
        found: set[str] = set()
        seen: set[Local] = set()
        left: list[Local] = [(procedure, variable)]
        while left:
            local = left.pop()
            if local in seen:
                continue
            seen.add(local)
            given = self._given.get(local)
            if given is None:
                return None
            found |= {each for each in given if isinstance(each, str)}
            left += [each for each in given if not isinstance(each, str)]
        return frozenset(found)

    @cached_property
    def _given(self) -> dict[Local, Given | None]:
        """What each local pointer is given; None if it may be anything."""
        found: dict[Local, Given | None] = {}
        for procedure in self.program.procedures:
            found.update(_declared(procedure))
            for edge in procedure.edges:
                for place, given in _stores(edge.action, procedure.name):
                    if not isinstance(place, VariablePlace):
                        continue
                    local = procedure.name, place.variable
                    before = found.get(local)
                    if before is None or given is None:
                        found[local] = None
                    else:
                        found[local] = before | given
        return found


def _declared(procedure: Procedure) -> Iterator[tuple[Local, Given | None]]:
    for declaration in procedure.locals:
        values = {*stated_values(declaration.initial)}
        nothing = declaration.initial == DEFAULT or (values and values <= {NULL, UNSET})
        yield (procedure.name, declaration.variable), frozenset() if nothing else None


def _stores(action: Action, procedure: str) -> Iterator[tuple[Place, Given | None]]:
    """The places that an action writes, and what it gives them."""
    match action:
        case Command(_, assignments, havocs):
            for assignment in assignments:
                yield assignment.target, _value(assignment.value, procedure)
            yield from ((place, None) for place in havocs)
        case Allocate():
            yield action.target, frozenset({action.site})
        case Call(_, _, result, _) if result is not None:
            yield result, None
        case _:
            pass


def _value(value: Expr, procedure: str) -> Given | None:
    if isinstance(value, Const) and value.value in (NULL, UNSET):
        return frozenset()
    variable = _local(value)
    return None if variable is None else frozenset({(procedure, variable)})


def _local(pointer: Expr) -> Variable | None:
    """The local variable that a pointer is read from."""
    match pointer:
        case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
            return variable if isinstance(variable.type, PointerType) else None
        case _:
            return None
