"""Ghosts that say which thread wrote last to a variable.

`with_owners(program, names)` is the program with a shared variable `x.owner` for every named
variable x: an edge that writes to x writes the id of its thread there. Whoever sets a flag and
owns something until it resets it can be told from others by that, in proofs that see one thread
at a time: auxiliary variables, as in Owicki and Gries (1976). Nothing reads them, so the program
does what it did. `threadwise.proofs.transformed.owned` verifies the result.

A ghost has the type of a mutex, which holds the id of a thread or none, and which all proofs for
any number of threads know.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import FieldPlace, Place, Scope, SelfId, Variable, VariablePlace
from threadwise.ir.fold import root
from threadwise.ir.program import DEFAULT, Declaration, Edge, Procedure, Program
from threadwise.ir.types import MutexType

OWNER = "owner"


def owner_of(name: str) -> Variable:
    """The ghost of a variable."""
    return Variable(f"{name}.{OWNER}", MutexType(), Scope.GLOBAL, sync=True)


def with_owners(program: Program, names: Sequence[str]) -> Program:
    """The program in which threads sign what they write to some shared variables."""
    ghosts = {name: owner_of(name) for name in names}

    def signed(edge: Edge) -> Edge:
        if not isinstance(edge.action, Command):
            return edge
        written = {_name(a.target) for a in edge.action.assignments}
        written.update(map(_name, edge.action.havocs))
        more = tuple(
            Assignment(FieldPlace(VariablePlace(ghost), OWNER), SelfId())
            for name, ghost in ghosts.items()
            if name in written
        )
        if not more:
            return edge
        assignments = (*edge.action.assignments, *more)
        return replace(edge, action=replace(edge.action, assignments=assignments))

    def procedure(old: Procedure) -> Procedure:
        return replace(old, edges=tuple(map(signed, old.edges)))

    return replace(
        program,
        globals=(*program.globals, *(Declaration(ghost, DEFAULT) for ghost in ghosts.values())),
        procedures=tuple(map(procedure, program.procedures)),
    )


def _name(place: Place) -> str:
    base = root(place)
    if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.GLOBAL:
        return ""
    return base.variable.name
