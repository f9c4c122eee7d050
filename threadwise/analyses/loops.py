"""Loops that are known to end soon.

A strongly connected part of a graph ends if it has a *counter*: a local integer i and a location h
of the part, the head, such that

1. every edge from h that stays inside is guarded by `i < N` (or `<=`, `>`, `>=`), N a constant;
2. inside the part i changes only by edges `i := i + c` with c > 0 (or, for `>` and `>=`, c < 0);
3. every way from h back to h takes such an edge;
4. without h, every part that is left ends as well, and i does not wrap around on one round.

For a run that stays in the part either avoids h from some point on, which 4 excludes, or passes h
again and again, and by 2 and 3 each time with i closer to N, which by 1 cannot go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from threadwise.analyses.components import components
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_places, root
from threadwise.ir.program import Edge, LocId
from threadwise.ir.types import bounds_of


def cycles(nodes: Iterable[LocId], edges: Iterable[Edge]) -> list[list[LocId]]:
    """The strongly connected parts of some locations with some edges."""
    return [part for part, _ in loops(nodes, edges)]


def loops(nodes: Iterable[LocId], edges: Iterable[Edge]) -> list[tuple[list[LocId], list[Edge]]]:
    """The strongly connected parts, each with the edges inside it."""
    after: dict[LocId, list[LocId]] = {node: [] for node in nodes}
    among = [edge for edge in edges if edge.source in after and edge.target in after]
    for edge in among:
        after[edge.source].append(edge.target)
    found = [(part, list[Edge]()) for part in components(after)]
    part_of = {node: number for number, (part, _) in enumerate(found) for node in part}
    for edge in among:
        number = part_of.get(edge.source)
        if number is not None and part_of.get(edge.target) == number:
            found[number][1].append(edge)
    return found


@dataclass(frozen=True)
class _Counter:
    """A variable that every round brings closer to a bound."""

    head: LocId
    rounds: int
    limit: int
    most: int
    """The largest change by one edge, whatever its sign."""
    bounds: tuple[int, int]


def steps_until_end(
    nodes: Sequence[LocId], edges: Sequence[Edge], starts: Mapping[str, tuple[int, int]]
) -> int | None:
    """How many steps a run inside these locations can take; None if there is no known bound.

    `starts` bounds the values that counters are given outside of loops.
    """
    total = len(nodes)
    for part, own in loops(nodes, edges):
        steps = _steps_of_part(part, own, starts)
        if steps is None:
            return None
        total += steps
    return total


def _steps_of_part(
    part: Sequence[LocId], own: Sequence[Edge], starts: Mapping[str, tuple[int, int]]
) -> int | None:
    for head in part:
        counter = _counter(head, part, own, starts)
        if counter is None:
            continue
        below = [node for node in part if node != head]
        rest = [e for e in own if head not in (e.source, e.target)]
        body = steps_until_end(below, rest, starts)
        if body is None:
            continue
        overshoot = (body + 1) * counter.most
        low, high = counter.bounds
        if low <= counter.limit - overshoot and counter.limit + overshoot <= high:
            return (counter.rounds + 1) * (body + 1)
    return None


def _counter(
    head: LocId,
    part: Sequence[LocId],
    own: Sequence[Edge],
    starts: Mapping[str, tuple[int, int]],
) -> _Counter | None:
    """Conditions 1 to 3 for a candidate head."""
    bounds = [_bound(edge) for edge in own if edge.source == head]
    bound = bounds[0]
    if bound is None or any(other != bound for other in bounds):
        return None
    variable, op, limit = bound
    changes = {edge.id: _change(edge, variable.name) for edge in own}
    amounts = [amount for amount in changes.values() if amount is not None]
    start, held = starts.get(variable.name), bounds_of(variable.type)
    if not amounts or start is None or held is None or not _same_sign(amounts):
        return None
    unchanged = [edge for edge in own if changes[edge.id] is None]
    if any(head in cycle for cycle in cycles(part, unchanged)):
        return None
    rounds = _rounds(op, limit, start, min(amounts, key=abs))
    most = max(map(abs, amounts))
    return None if rounds is None else _Counter(head, rounds, limit, most, held)


def _rounds(op: BinaryOp, limit: int, start: tuple[int, int], change: int) -> int | None:
    low, high = start
    if change > 0 and op in (BinaryOp.LT, BinaryOp.LE):
        last = limit if op is BinaryOp.LT else limit + 1
        return max(0, -((low - last) // change))
    if change < 0 and op in (BinaryOp.GT, BinaryOp.GE):
        last = limit if op is BinaryOp.GT else limit - 1
        return max(0, -((last - high) // -change))
    return None


def _same_sign(changes: Sequence[int]) -> bool:
    return all(c > 0 for c in changes) or all(c < 0 for c in changes)


def _bound(edge: Edge) -> tuple[Variable, BinaryOp, int] | None:
    """The comparison of a local with a constant that guards an edge."""
    guard: Expr = edge.action.guard
    if isinstance(guard, Unary) and guard.op is UnaryOp.NOT and isinstance(guard.operand, Binary):
        inverse = {
            BinaryOp.GE: BinaryOp.LT,
            BinaryOp.GT: BinaryOp.LE,
            BinaryOp.LE: BinaryOp.GT,
            BinaryOp.LT: BinaryOp.GE,
        }
        if guard.operand.op not in inverse:
            return None
        guard = Binary(inverse[guard.operand.op], guard.operand.left, guard.operand.right)
    if not isinstance(guard, Binary):
        return None
    variable, limit = _local(guard.left), _integer(guard.right)
    if variable is None or limit is None:
        return None
    return variable, guard.op, limit


def _integer(expr: Expr) -> int | None:
    if not isinstance(expr, Const) or isinstance(expr.value, bool):
        return None
    return expr.value if isinstance(expr.value, int) else None


def _local(expr: Expr) -> Variable | None:
    if not isinstance(expr, Read) or not isinstance(expr.place, VariablePlace):
        return None
    variable = expr.place.variable
    return variable if variable.scope is Scope.LOCAL else None


def _change(edge: Edge, name: str) -> int | None:
    """By how much an edge changes a local; None if not at all, 0 if that is not known."""
    written = False
    for place in action_places(edge.action):
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable.name == name:
            written = written or base.variable.scope is Scope.LOCAL
    if not written:
        return None
    if not isinstance(edge.action, Command):
        return 0
    values = [
        assignment.value
        for assignment in edge.action.assignments
        if isinstance(assignment.target, VariablePlace) and assignment.target.variable.name == name
    ]
    return _step(values[0], name) if len(values) == 1 and not edge.action.havocs else 0


def _step(value: Expr, name: str) -> int:
    """The constant that an expression adds to a local; 0 if it does something else."""
    if isinstance(value, Wrap):
        value = value.operand
    if not isinstance(value, Binary) or value.op not in (BinaryOp.ADD, BinaryOp.SUB):
        return 0
    amount, changed = _integer(value.right), _local(value.left)
    if amount is None or changed is None or changed.name != name:
        return 0
    return amount if value.op is BinaryOp.ADD else -amount


def starting_values(edges: Iterable[Edge]) -> dict[str, tuple[int, int]]:
    """Bounds on what locals are given by assignments of constants.

    A local that is also given other values (but for the steps of a counter) is left out. Locals
    may start with 0.
    """
    found: dict[str, tuple[int, int]] = {}
    unknown: set[str] = set()
    for edge in edges:
        for place in action_places(edge.action):
            base = root(place)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                name = base.variable.name
                value = _constant(edge, name)
                if value is not None:
                    low, high = found.get(name, (0, 0))
                    found[name] = (min(low, value), max(high, value))
                elif not _change(edge, name):
                    unknown.add(name)
    return {name: bounds for name, bounds in found.items() if name not in unknown}


def _constant(edge: Edge, name: str) -> int | None:
    if not isinstance(edge.action, Command):
        return None
    for assignment in edge.action.assignments:
        target = assignment.target
        if isinstance(target, VariablePlace) and target.variable.name == name:
            return _integer(assignment.value)
    return None
