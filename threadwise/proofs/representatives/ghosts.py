"""Whether a program is another one with ghosts, and nothing else.

A ghost is a new shared variable that synchronises; edges write the id of their thread or `none` to
it, and nothing reads it. So steps of one program are steps of the other, edge by edge: with the
same guards, the same writes to everything but ghosts, and the same accesses that can race. All
that is shown by leaving the ghosts out again: what is left has to be the program before.

    (1) the new variables are the last, hold ids, synchronise, and start as `none`
    (2) no name of the program before is the name of a ghost
    (3) a write to a ghost writes `self` or `none`
    (4) without the writes to ghosts and their declarations it is the program before
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, Scope, SelfId, Variable, VariablePlace
from threadwise.ir.program import DEFAULT, Edge, Procedure, Program
from threadwise.ir.types import NONE, TID
from threadwise.proofs.base.answer import Refuted


def check_ghosts(before: Program, after: Program) -> None:
    """Raises Refuted unless a program is another one with ghosts."""
    count = len(before.globals)
    ghosts: set[Variable] = set()
    for declaration in after.globals[count:]:
        ghost = declaration.variable
        wanted = Variable(ghost.name, TID, Scope.GLOBAL, sync=True)
        if ghost != wanted or declaration.initial != DEFAULT or ghost in ghosts:  # (1)
            raise Refuted(f"`{ghost.name}` is no ghost")
        ghosts.add(ghost)
    if {ghost.name for ghost in ghosts} & _names(before):  # (2)
        raise Refuted("a ghost is called as something else is")
    procedures = tuple(_without(procedure, ghosts) for procedure in after.procedures)
    if replace(after, globals=after.globals[:count], procedures=procedures) != before:  # (4)
        raise Refuted("ghosts change the program")


def _names(program: Program) -> set[str]:
    found = {declaration.variable.name for declaration, _ in program.declarations}
    return found | {v.name for procedure in program.procedures for v in procedure.parameters}


def _without(procedure: Procedure, ghosts: Collection[Variable]) -> Procedure:
    return replace(procedure, edges=tuple(_edge(edge, ghosts) for edge in procedure.edges))


def _edge(edge: Edge, ghosts: Collection[Variable]) -> Edge:
    if not isinstance(edge.action, Command):
        return edge
    left: list[Assignment] = []
    for assignment in edge.action.assignments:
        target = assignment.target
        if not isinstance(target, VariablePlace) or target.variable not in ghosts:
            left.append(assignment)
        elif assignment.value not in (SelfId(), Const(NONE, TID)):  # (3)
            raise Refuted(f"edge {edge.id} writes something else to a ghost")
    if len(left) == len(edge.action.assignments):
        return edge
    return replace(edge, action=replace(edge.action, assignments=tuple(left)))
