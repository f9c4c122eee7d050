"""Whether a program is another one with tallies (`threadwise.transforms.tally`), and nothing else.

A tally is a new shared variable with an integer for each thread of a template. Edges write to it
and nothing else reads it, so steps of one program are steps of the other, edge by edge. That is
shown by leaving the tallies out again: what is left has to be the program before.

    (1) the new variables are the last, synchronise, and hold an unbounded integer for each thread
        of a template; they start with 0
    (2) no name of the program before is the name of a tally
    (3) a write to a tally is to the element of the thread itself, which there is: the edge is of
        the body of the template, of no other template, and nobody calls it
    (4) what is written has a value: sums, differences, products and wraps of numbers, of whole
        variables, of elements that the edge writes, and of tallies of the thread itself
    (5) without the writes to tallies and their declarations it is the program before

A write reads no shared variable but tallies and those that the same edge writes or reads anyway
(6), so no accesses are added that could race.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from threadwise.ir.commands import Assignment, Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_expressions, action_places, read_places
from threadwise.ir.program import DEFAULT, Edge, Program
from threadwise.ir.types import INT, ArrayType, IntType, MachineType, PerThread, RangeType
from threadwise.proofs.base.answer import Refuted


def check_tallied(before: Program, after: Program) -> None:
    """Raises Refuted unless a program is another one with tallies."""
    count = len(before.globals)
    tallies: dict[Variable, str] = {}
    for declaration in after.globals[count:]:
        ghost = declaration.variable
        held = ghost.type
        if not isinstance(held, ArrayType) or not isinstance(held.extent, PerThread):
            raise Refuted(f"`{ghost.name}` is no tally")
        wanted = Variable(ghost.name, ArrayType(INT, held.extent), Scope.GLOBAL, sync=True)
        if ghost != wanted or declaration.initial != DEFAULT or ghost in tallies:  # (1)
            raise Refuted(f"`{ghost.name}` is no tally")
        tallies[ghost] = held.extent.template
    names = {declaration.variable.name for declaration, _ in before.declarations}
    names |= {v.name for procedure in before.procedures for v in procedure.parameters}
    if names & {ghost.name for ghost in tallies}:  # (2)
        raise Refuted("a tally is called as something else is")
    if any(isinstance(edge.action, Call) for edge in before.edges):  # (3)
        raise Refuted("tallies in a program with calls")
    procedures = []
    for procedure in after.procedures:
        running = [t.name for t in before.templates if t.body == procedure.name]
        mine = {ghost for ghost, template in tallies.items() if running == [template]}
        edges = tuple(_without(edge, tallies, mine) for edge in procedure.edges)
        procedures.append(replace(procedure, edges=edges))
    rest = replace(after, globals=after.globals[:count], procedures=tuple(procedures))
    if rest != before:  # (5)
        raise Refuted("tallies change the program")


def _without(edge: Edge, tallies: Collection[Variable], mine: Collection[Variable]) -> Edge:
    """The edge without its writes to tallies."""
    if not isinstance(edge.action, Command):
        return edge
    left: list[Assignment] = []
    added: list[Assignment] = []
    for assignment in edge.action.assignments:
        base = assignment.target
        while isinstance(base, IndexPlace):
            base = base.base
        is_tally = isinstance(base, VariablePlace) and base.variable in tallies
        (added if is_tally else left).append(assignment)
    if not added:
        return edge
    plain = replace(edge, action=replace(edge.action, assignments=tuple(left)))
    written = set(action_places(plain.action))
    touched = {*written}
    for whole in action_expressions(plain.action):
        touched.update(read_places(whole))
    for assignment in added:
        if not _is_own(assignment.target, mine):  # (3)
            raise Refuted(f"edge {edge.id} writes to a tally of another thread")
        for place in _reads(assignment.value, edge):
            if isinstance(place, VariablePlace):
                shared = place.variable.scope is Scope.GLOBAL
                fine = not shared or place in touched  # (6)
            else:
                fine = place in written or _is_own(place, mine)  # (4), (6)
            if not fine:
                raise Refuted(f"edge {edge.id} reads something else for a tally")
    return plain


def _is_own(place: Place, mine: Collection[Variable]) -> bool:
    """Whether a place is the tally of the thread itself."""
    match place:
        case IndexPlace(VariablePlace(variable), SelfId()):
            return variable in mine
        case _:
            return False


def _reads(expr: Expr, edge: Edge) -> Iterator[Place]:
    """What an expression that always has a value reads; raises Refuted if it may have none."""
    match expr:
        case Const(value, _) if type(value) is int:
            return
        case Read(VariablePlace(variable)) if isinstance(
            variable.type, IntType | MachineType | RangeType
        ):
            yield expr.place
        case Read(IndexPlace(VariablePlace(), SelfId() | Const())) if isinstance(
            expr.type, IntType | MachineType | RangeType
        ):
            yield expr.place
        case Unary(UnaryOp.NEG, operand) | Wrap(_, _, operand):
            yield from _reads(operand, edge)
        case Binary(BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL, left, right):
            yield from _reads(left, edge)
            yield from _reads(right, edge)
        case _:  # (4)
            raise Refuted(f"edge {edge.id} writes to a tally what may have no value")
