"""Loops that terminate, because they have a counter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_places, root
from threadwise.ir.program import Edge, LocId
from threadwise.ir.types import bounds_of

Conditions = Callable[[Expr], Iterable[Expr]]
"""The parts of a guard, all of which have to be true."""


def comes_to_end(nodes: Iterable[LocId], edges: Iterable[Edge], conditions: Conditions) -> bool:
    """Whether every run along these edges terminates: each loop has a counter.

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
        if not any(_is_head(head, part, inside, conditions) for head in sorted(part)):
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
    """Those from which some path does not end; the others are in no loop."""
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


def _is_head(head: LocId, part: set[LocId], inside: list[Edge], conditions: Conditions) -> bool:
    leaving = [edge for edge in inside if edge.source == head]
    rest = [edge for edge in inside if head not in (edge.source, edge.target)]
    return any(
        _counts(variable, limit, sign, head, part, inside, rest)
        for variable, limit, sign in _limits(leaving, conditions)
    ) and comes_to_end(part - {head}, rest, conditions)


def _limits(leaving: list[Edge], conditions: Conditions) -> set[tuple[Variable, int, int]]:
    """The bounds that all of some guards set to locals, with 1 for upper ones."""
    found: list[set[tuple[Variable, int, int]]] = []
    signs = {BinaryOp.LT: 1, BinaryOp.LE: 1, BinaryOp.GT: -1, BinaryOp.GE: -1}
    for edge in leaving:
        told: set[tuple[Variable, int, int]] = set()
        for part in conditions(edge.action.guard):
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
