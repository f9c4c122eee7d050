"""Whether a program is another one with ghosts that say who wrote last, and nothing else.

    (1) the new variables are the last, synchronise, are mutexes, and start as those do; no name of
        the program before is the name of one
    (2) a write to a ghost is to its one cell, of the id of the thread itself; nothing reads one
    (3) without these writes and declarations it is the program before

A ghost always has a value, and what is assigned to it too. So steps of one program are steps of
the other, edge by edge. Ghosts synchronise, so they have no races; a race property that is about
all shared variables is about the same ones as before, or about variables without races.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from threadwise.ir.commands import Command
from threadwise.ir.expr import FieldPlace, Scope, SelfId, Variable, VariablePlace
from threadwise.ir.fold import action_expressions, action_places
from threadwise.ir.program import DEFAULT, Edge, Program
from threadwise.ir.types import MutexType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import places_read, refuse_memory, variable_of


def check_owned(before: Program, after: Program) -> None:
    """Raises Refuted unless a program is another one with ghosts."""
    refuse_memory(after)
    count = len(before.globals)
    ghosts: set[Variable] = set()
    names = {declaration.variable.name for declaration, _ in before.declarations}
    names |= {v.name for procedure in before.procedures for v in procedure.parameters}
    for declaration in after.globals[count:]:
        ghost = declaration.variable
        wanted = Variable(ghost.name, MutexType(), Scope.GLOBAL, sync=True)
        fresh = ghost not in ghosts and ghost.name not in names
        if ghost != wanted or declaration.initial != DEFAULT or not fresh:  # (1)
            raise Refuted(f"`{ghost.name}` is no ghost")
        ghosts.add(ghost)
    procedures = tuple(
        replace(procedure, edges=tuple(_without(edge, ghosts) for edge in procedure.edges))
        for procedure in after.procedures
    )
    if replace(after, globals=after.globals[:count], procedures=procedures) != before:  # (3)
        raise Refuted("ghosts change the program")


def _without(edge: Edge, ghosts: Collection[Variable]) -> Edge:
    """The edge without its writes to ghosts."""
    for expr in action_expressions(edge.action):
        if any(variable_of(place) in ghosts for place in places_read(expr)):  # (2)
            raise Refuted(f"edge {edge.id} reads a ghost")
    subject = None if edge.operation is None else edge.operation.subject
    waited_for = () if subject is None else places_read(subject)
    if any(variable_of(place) in ghosts for place in waited_for):
        raise Refuted(f"edge {edge.id} waits for a ghost")
    if not isinstance(edge.action, Command):
        if any(variable_of(place) in ghosts for place in action_places(edge.action)):
            raise Refuted(f"edge {edge.id} writes to a ghost")
        return edge
    kept = []
    for assignment in edge.action.assignments:
        target = assignment.target
        if variable_of(target) not in ghosts:
            kept.append(assignment)
            continue
        cell = FieldPlace(VariablePlace(variable_of(target)), "owner")
        if target != cell or assignment.value != SelfId():  # (2)
            raise Refuted(f"edge {edge.id} writes something else to a ghost")
    if any(variable_of(place) in ghosts for place in edge.action.havocs):
        raise Refuted(f"edge {edge.id} writes something else to a ghost")
    return replace(edge, action=replace(edge.action, assignments=tuple(kept)))
