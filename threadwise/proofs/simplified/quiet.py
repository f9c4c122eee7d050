"""Locations that become part of an atomic region: nobody else can notice where the thread is.

For every location that is inside a region now and was not before:

    (1) it is no entry, no final location, no failure, and no location that a call returns to
    (2) its edges are commands without operation that touch the thread's own memory only: locals,
        variables of the thread, global variables that no other thread touches or that nothing
        writes; they do not ask whether memory is valid
    (3) one of them can always be taken
    (4) none of them leads to a failure that is no limit, or into a region of before
    (5) a run inside these locations comes to its end

By (2), what the thread does there commutes with every step of every other thread, so it may as
well be done at once. By (3) to (5) it can be done to its end, without stopping anybody. No access
of it races, and no thread waits there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import bounds_of
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.flow import covered
from threadwise.proofs.simplified.normal import Normal, parts
from threadwise.proofs.simplified.shared import Shared

_NORMAL = Normal()


def check_quiet(before: Program, after: Program, shared: Shared) -> None:
    """Raises Refuted unless what is hidden now may be; locations keep their numbers."""
    hidden = {
        here.id
        for here, there in zip(before.locations, after.locations, strict=True)
        if there.atomic and not here.atomic
    }
    own = shared.own | shared.unwritten
    entries = {procedure.entry for procedure in before.procedures}
    returned = {edge.target for edge in before.edges if isinstance(edge.action, Call)}
    for here in hidden:
        location = before.locations[here]
        if here in entries or here in returned or location.final or location.failure:  # (1)
            raise Refuted(f"location {here} may be seen")
        for edge in before.outgoing[here]:
            _check_edge(before, edge, own)
        guards = [_NORMAL.of(edge.action.guard) for edge in before.outgoing[here]]
        if not covered(guards):  # (3)
            raise Refuted(f"a thread may wait at location {here}")
    inside = [edge for edge in before.edges if edge.source in hidden and edge.target in hidden]
    if not _ends(hidden, inside):  # (5)
        raise Refuted("a thread may stay out of sight for ever")


def _check_edge(program: Program, edge: Edge, own: Collection[str]) -> None:
    if not isinstance(edge.action, Command) or edge.operation is not None:  # (2)
        raise Refuted(f"edge {edge.id} is no step that could be hidden")
    places = list(action_places(edge.action))
    for expr in action_expressions(edge.action):
        for part in subexpressions(expr):
            if isinstance(part, IsValid | IsAllocated):
                raise Refuted(f"edge {edge.id} looks at memory")
            if isinstance(part, Read | IsWritten):
                places.append(part.place)
    if not all(_is_own(place, own) for place in places):
        raise Refuted(f"edge {edge.id} touches what others may touch")
    there = program.locations[edge.target]  # (4)
    if there.atomic or (there.failure is not None and not there.failure.kind.is_limit):
        raise Refuted(f"edge {edge.id} leads where others notice it")


def _is_own(place: Place, own: Collection[str]) -> bool:
    base = root(place)
    if isinstance(base, DerefPlace):
        return False
    return base.variable.scope is not Scope.GLOBAL or base.variable.name in own


# -- loops ---------------------------------------------------------------------------------------


def _ends(nodes: Iterable[LocId], edges: Iterable[Edge]) -> bool:
    """Whether every run along these edges comes to its end: each loop has a counter.

    A counter of a loop is a local integer i and a location h of it, such that every edge from h
    that stays in the loop has the guard `i < N`, or `<=`; in the loop i changes only by growing by
    a constant, at least once on each way from h to h, but on no way that goes round without h; and
    N is so far from the largest integer that i cannot wrap around on one way. (Or the other way
    round.) A run that stays in the loop leaves h for good, which the rest of the loop excludes by
    the same argument, or comes to h again and again, with a larger i each time.
    """
    edges = list(edges)
    for part in _parts(nodes, edges):
        inside = [edge for edge in edges if edge.source in part and edge.target in part]
        if not any(_is_head(head, part, inside) for head in sorted(part)):
            return False
    return True


def _parts(nodes: Iterable[LocId], edges: Iterable[Edge]) -> list[set[LocId]]:
    """The strongly connected parts with at least one edge inside."""
    after: dict[LocId, list[LocId]] = {node: [] for node in nodes}
    before: dict[LocId, list[LocId]] = {node: [] for node in after}
    for edge in edges:
        if edge.source in after and edge.target in after:
            after[edge.source].append(edge.target)
            before[edge.target].append(edge.source)
    found: list[set[LocId]] = []
    left = _in_loops(after, before)
    while left:
        node = left.pop()
        part = _reached(node, after) & _reached(node, before)
        left -= part
        if part:
            found.append(part)
    return found


def _in_loops(
    after: Mapping[LocId, Sequence[LocId]], before: Mapping[LocId, Sequence[LocId]]
) -> set[LocId]:
    """All but those from which every way ends: what is in no loop need not be looked at."""
    open_ways = {node: len(there) for node, there in after.items()}
    ended = [node for node, ways in open_ways.items() if not ways]
    left = set(after)
    while ended:
        node = ended.pop()
        left.discard(node)
        for other in before[node]:
            open_ways[other] -= 1
            if not open_ways[other]:
                ended.append(other)
    return left


def _reached(start: LocId, onwards: Mapping[LocId, Sequence[LocId]]) -> set[LocId]:
    """What can be reached by at least one step."""
    found: set[LocId] = set()
    pending = [start]
    while pending:
        for there in onwards[pending.pop()]:
            if there not in found:
                found.add(there)
                pending.append(there)
    return found


def _is_head(head: LocId, part: set[LocId], inside: list[Edge]) -> bool:
    leaving = [edge for edge in inside if edge.source == head]
    rest = [edge for edge in inside if head not in (edge.source, edge.target)]
    return any(
        _counts(variable, limit, sign, head, part, inside, rest)
        for variable, limit, sign in _limits(leaving)
    ) and _ends(part - {head}, rest)


def _limits(leaving: list[Edge]) -> set[tuple[Variable, int, int]]:
    """The bounds that all of some guards set to locals, with 1 for upper ones."""
    found: list[set[tuple[Variable, int, int]]] = []
    signs = {BinaryOp.LT: 1, BinaryOp.LE: 1, BinaryOp.GT: -1, BinaryOp.GE: -1}
    for edge in leaving:
        told: set[tuple[Variable, int, int]] = set()
        for part in parts(BinaryOp.AND, _NORMAL.of(edge.action.guard)):
            match part:
                case Binary(op, Read(VariablePlace(variable)), Const(int(limit), _)) if (
                    op in signs
                ):
                    if variable.scope is Scope.LOCAL:
                        told.add((variable, limit, signs[op]))
                case _:
                    pass
        found.append(told)
    return set.intersection(*found) if found else set()


def _counts(
    variable: Variable,
    limit: int,
    sign: int,
    head: LocId,
    part: set[LocId],
    inside: list[Edge],
    rest: list[Edge],
) -> bool:
    changes = {edge.id: _change(edge, variable) for edge in inside}
    amounts = [amount for amount in changes.values() if amount is not None]
    if not amounts or any(amount * sign <= 0 for amount in amounts):
        return False
    same = [edge for edge in inside if changes[edge.id] is None]
    if any(head in loop for loop in _parts(part, same)):
        return False
    for loop in _parts(part - {head}, rest):
        if any(changes[e.id] is not None for e in rest if {e.source, e.target} <= loop):
            return False
    low, high = bounds_of(variable.type) or (None, None)
    end = limit + sum(amounts) + sign
    return low is not None and high is not None and low <= end <= high


def _change(edge: Edge, variable: Variable) -> int | None:
    """By how much an edge changes a local; None if not at all, 0 if that is not known."""
    command = edge.action
    assert isinstance(command, Command)
    if all(root(place) != VariablePlace(variable) for place in action_places(command)):
        return None
    values = [each.value for each in command.assignments if each.target == VariablePlace(variable)]
    if len(values) != 1 or any(root(place) == VariablePlace(variable) for place in command.havocs):
        return 0
    return _added(values[0], variable)


def _added(value: Expr, variable: Variable) -> int:
    if isinstance(value, Wrap):
        bounds = bounds_of(variable.type)
        if bounds != (value.low, value.high):
            return 0
        value = value.operand
    match value:
        case Binary(BinaryOp.ADD, Read(VariablePlace(read)), Const(int(amount), _)):
            return amount if read == variable else 0
        case Binary(BinaryOp.SUB, Read(VariablePlace(read)), Const(int(amount), _)):
            return -amount if read == variable else 0
        case _:
            return 0
