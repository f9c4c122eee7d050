"""Silent steps, which no other thread can observe, become part of the step before them.

A location is *silent* if the edges that leave it touch nothing but the thread's own memory
(locals, and globals that do not escape or that nothing writes, see `escape`), one of them is
always enabled, and none of them ends in a failure or ends the program. Silent steps commute with
every step of every other thread: they are both-movers (QRR §4). So nothing is lost if a thread
that gets to a silent location goes on at once: the location becomes part of an atomic region
(docs/adr/009-quiet-steps.md).

What stays visible although it is silent: entries of procedures, locations a call returns to, those
where a thread counts as finished, and a location on each cycle of silent locations, unless it is a
loop that is known to end soon (`loops`). Where such a loop is hidden no solver can list the paths
of the step, so it is only hidden where that is a gain: if all of its body is silent, and the
program has no inputs of so many values that only solvers prove anything. A failure is not hidden,
because a failure stops the other threads, which may have failures of their own to show; the end of
the program likewise. A *limit* may be hidden: where one can be reached, nothing is SAFE.

An atomic region never begins at a silent location of a visible one: the first edge of a step keeps
its accesses, and only its own accesses can race.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.analyses.escape import private_variables, unwritten_variables
from threadwise.analyses.loops import loops, starting_values, steps_until_end
from threadwise.analyses.uses import Uses
from threadwise.analyses.worklist import reached
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    IsAllocated,
    IsValid,
    Unary,
    UnaryOp,
)
from threadwise.ir.fold import (
    action_expressions,
    subexpressions,
)
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.semantics.step import may_be_sampled

SPLITS = 2_000
"""So many cases are tried to see whether a location can block."""

LONGEST_LOOP = 2_000
"""Loops with more steps than this keep a visible location."""


def hide_silent_steps(program: Program, uses: Uses | None = None) -> Program:
    """The program with silent locations inside atomic regions."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program  # an invariant may look at any location and at any local
    uses = uses or Uses()
    private = private_variables(program, uses) | unwritten_variables(program, uses)
    whole = not _has_large_inputs(program)
    hidden: set[LocId] = set()
    for procedure in program.procedures:
        silent = _silent_locations(program, procedure, private, uses)
        hidden.update(silent - _break_cycles(procedure, silent, whole_loops=whole))
    procedures = tuple(
        replace(
            procedure,
            locations=tuple(
                replace(location, atomic=True) if location.id in hidden else location
                for location in procedure.locations
            ),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def _silent_locations(
    program: Program, procedure: Procedure, private: frozenset[str], uses: Uses
) -> set[LocId]:
    returned_to = {e.target for e in procedure.edges if isinstance(e.action, Call)}
    return {
        location.id
        for location in procedure.locations
        if location.id != procedure.entry
        and location.id not in returned_to
        and not (location.atomic or location.final or location.failure)
        and _is_silent(program, program.outgoing[location.id], private, uses)
    }


def _has_large_inputs(program: Program) -> bool:
    """Whether some input has so many values that a search only tries some of them."""
    return any(
        may_be_sampled(place.type)
        for edge in program.edges
        if isinstance(edge.action, Command)
        for place in edge.action.havocs
    )


def _is_silent(
    program: Program, edges: Sequence[Edge], private: frozenset[str], uses: Uses
) -> bool:
    return (
        all(
            isinstance(edge.action, Command)
            and edge.operation is None
            and _is_own(edge, private, uses)
            and not _stops(program, edge)
            for edge in edges
        )
        and always_enabled([edge.action.guard for edge in edges])
        and not any(program.locations[edge.target].atomic for edge in edges)
    )


def _stops(program: Program, edge: Edge) -> bool:
    failure = program.locations[edge.target].failure
    return failure is not None and not failure.kind.is_limit


def _is_own(edge: Edge, private: frozenset[str], uses: Uses) -> bool:
    """Whether an edge touches the thread's own memory only."""
    used = uses.of(edge)
    if used.follows or not (used.read_globals | used.written_globals) <= private:
        return False
    return not used.computes or not any(
        isinstance(part, IsValid | IsAllocated)
        for expr in action_expressions(edge.action)
        for part in subexpressions(expr)
    )


def _break_cycles(procedure: Procedure, silent: set[LocId], *, whole_loops: bool) -> set[LocId]:
    """Locations to keep so that every cycle of silent ones has one, unless all of it is hidden."""
    kept: set[LocId] = set()
    edges = [e for e in procedure.edges if e.source in silent and e.target in silent]
    starts = starting_values(procedure.edges)
    pending = loops(sorted(silent), edges)
    while pending:
        part, own = pending.pop()
        head = min(part)
        if whole_loops and _body(procedure, head, own) <= silent:
            steps = steps_until_end(part, own, starts)
            if steps is not None and steps <= LONGEST_LOOP:
                continue
        kept.add(head)
        rest = [node for node in part if node != head]
        pending.extend(loops(rest, [e for e in own if head not in (e.source, e.target)]))
    return kept


def _body(procedure: Procedure, head: LocId, cycle: Sequence[Edge]) -> set[LocId]:
    """What a run may pass between two visits of a head, if the last step is one of a cycle.

    That is more than the cycle if there is a loop inside whose rounds are visible.
    """
    before: dict[LocId, list[LocId]] = {}
    for edge in procedure.edges:
        before.setdefault(edge.target, []).append(edge.source)
    backs = [edge.source for edge in cycle if edge.target == head]
    return {head, *reached(backs, lambda node: () if node == head else before.get(node, ()))}


def always_enabled(guards: Sequence[Expr]) -> bool:
    """Whether one of the guards is true, whatever their atoms are.

    Splits on one atom after the other; the guards of branches and switches make that linear.
    """
    pending: list[dict[Expr, bool]] = [{}]
    for _ in range(SPLITS):
        if not pending:
            return True
        values = pending.pop()
        decided = [_truth(guard, values) for guard in guards]
        if True in decided:
            continue
        undecided = next((atom for atom in decided if not isinstance(atom, bool)), None)
        if undecided is None:
            return False
        pending += [{**values, undecided: True}, {**values, undecided: False}]
    return False


_INVERSE = {
    BinaryOp.NE: BinaryOp.EQ,
    BinaryOp.GE: BinaryOp.LT,
    BinaryOp.GT: BinaryOp.LE,
}


def _truth(guard: Expr, values: dict[Expr, bool]) -> bool | Expr:
    """The value of a formula if some atoms are known, or the first atom that is needed."""
    match guard:
        case Const(value, _):
            return bool(value)
        case Unary(UnaryOp.NOT, operand):
            inner = _truth(operand, values)
            return not inner if isinstance(inner, bool) else inner
        case Binary(BinaryOp.AND | BinaryOp.OR as op, left, right):
            first = _truth(left, values)
            stops = op is BinaryOp.OR
            return (
                _truth(right, values) if first is not stops and first in (True, False) else first
            )
        case Binary(op, left, right) if op in _INVERSE:
            inner = _truth(Binary(_INVERSE[op], left, right), values)
            return not inner if isinstance(inner, bool) else inner
        case _:
            return values.get(guard, guard)
