"""What a step touches, as terms: which cells, and under which condition they are evaluated.

`&&`, `||`, `==>` and `? :` evaluate only what they need, so an access has a condition; the cell
depends on the values of indices. This is `Interpreter.fire`'s list of accesses, symbolically.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.values import Step
from threadwise.ir.commands import Command
from threadwise.ir.expr import Binary, BinaryOp, Conditional, Expr, FieldPlace, Place, Read, Variable
from threadwise.ir.fold import children, is_shared, place_expressions
from threadwise.ir.program import Edge
from threadwise.ir.types import MutexType
from threadwise.systems.predicate.symbols import StepPath


class SymbolicAccess(NamedTuple):
    """One access to a shared cell."""

    variable: Variable
    steps: tuple[Step, ...]
    write: bool
    sync: bool
    condition: Term


def path_accesses(encoder: Encoder, path: StepPath) -> Iterator[SymbolicAccess]:
    """The accesses of a step to shared cells."""
    for edge, env in zip(path.edges, path.along, strict=True):
        yield from _edge_accesses(encoder, edge, env)


def _edge_accesses(encoder: Encoder, edge: Edge, env: Environment) -> Iterator[SymbolicAccess]:
    assert isinstance(edge.action, Command)
    action, always = edge.action, encoder.logic.true
    reads = list(_reads(encoder, action.guard, env, always))
    written: list[Place] = []
    for assignment in action.assignments:
        for index in place_expressions(assignment.target):
            reads.extend(_reads(encoder, index, env, always))
        reads.extend(_reads(encoder, assignment.value, env, always))
        written.append(assignment.target)
    for place in action.havocs:
        for index in place_expressions(place):
            reads.extend(_reads(encoder, index, env, always))
        written.append(place)
    for place, condition in reads:
        if is_shared(place):
            variable, steps = encoder.path(place, env)
            sync = edge.sync or _is_sync(place)
            yield SymbolicAccess(variable, tuple(steps), False, sync, condition)
    for place in written:
        if is_shared(place):
            variable, steps = encoder.path(place, env)
            sync = edge.sync or _is_sync(place)
            yield SymbolicAccess(variable, tuple(steps), True, sync, always)


def _reads(
    encoder: Encoder, expr: Expr, env: Environment, condition: Term
) -> Iterator[tuple[Place, Term]]:
    """The places an expression reads, each with when it does."""
    logic = encoder.logic
    match expr:
        case Binary(BinaryOp.AND | BinaryOp.IMPLIES, left, right):
            yield from _reads(encoder, left, env, condition)
            needed = logic.conjunction([condition, encoder.term(left, env)])
            yield from _reads(encoder, right, env, needed)
        case Binary(BinaryOp.OR, left, right):
            yield from _reads(encoder, left, env, condition)
            needed = logic.conjunction([condition, logic.negation(encoder.term(left, env))])
            yield from _reads(encoder, right, env, needed)
        case Conditional(choice, then, otherwise):
            yield from _reads(encoder, choice, env, condition)
            chosen = encoder.term(choice, env)
            yield from _reads(encoder, then, env, logic.conjunction([condition, chosen]))
            rest = logic.conjunction([condition, logic.negation(chosen)])
            yield from _reads(encoder, otherwise, env, rest)
        case _:
            for child in children(expr):
                yield from _reads(encoder, child, env, condition)
            if isinstance(expr, Read):
                yield expr.place, condition


def _is_sync(place: Place) -> bool:
    """Whether accesses to a place are synchronisation: a mutex, or a variable declared so."""
    while True:
        match place:
            case FieldPlace(base, _) if isinstance(base.type, MutexType):
                return True
            case _ if hasattr(place, "base"):
                place = place.base
            case _:
                return bool(getattr(place, "variable", None) and place.variable.sync)


def same_cell(encoder: Encoder, first: SymbolicAccess, second: SymbolicAccess) -> Term:
    """Whether two accesses are to the same cell."""
    logic = encoder.logic
    if first.variable != second.variable or len(first.steps) != len(second.steps):
        return logic.false
    equal: list[Term] = []
    for a, b in zip(first.steps, second.steps, strict=True):
        if isinstance(a, str) or isinstance(b, str):
            if a != b:
                return logic.false
        else:
            equal.append(logic.equal(a, b))
    return logic.conjunction(equal)
