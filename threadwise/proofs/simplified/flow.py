"""Which locals are still read where, and whether some guards leave nothing out."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.ir.commands import Call
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    IsWritten,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import action_places, root, subexpressions
from threadwise.ir.program import Edge, LocId, Procedure
from threadwise.ir.rewriting import edge_expressions
from threadwise.proofs.simplified.normal import negated

MOST_SPLITS = 2_000
"""So many cases are tried to see whether one of some guards always holds."""

Names = frozenset[str]


def reads(edge: Edge) -> Names:
    """The locals that an edge reads; of one that is written in part, the rest is."""
    found: set[str] = set()
    for expr in edge_expressions(edge):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten):
                base = root(part.place)
                if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                    found.add(base.variable.name)
    for place in action_places(edge.action):
        base = root(place)
        if (
            isinstance(base, VariablePlace)
            and base != place
            and base.variable.scope is Scope.LOCAL
        ):
            found.add(base.variable.name)
    return frozenset(found)


def overwrites(edge: Edge) -> Names:
    """The locals that an edge writes as a whole, before the next one is taken."""
    if isinstance(edge.action, Call):
        return frozenset()
    return frozenset(
        place.variable.name
        for place in action_places(edge.action)
        if isinstance(place, VariablePlace) and place.variable.scope is Scope.LOCAL
    )


def live(procedure: Procedure) -> dict[LocId, Names]:
    """By location, the locals that some path from there reads before it writes them."""
    found: dict[LocId, Names] = {location.id: frozenset() for location in procedure.locations}
    incoming: dict[LocId, list[tuple[Edge, Names, Names]]] = {here: [] for here in found}
    for edge in procedure.edges:
        incoming[edge.target].append((edge, reads(edge), overwrites(edge)))
        found[edge.source] |= reads(edge)
    pending = list(found)
    while pending:
        here = pending.pop()
        for edge, read, written in incoming[here]:
            before = read | (found[here] - written)
            if not before <= found[edge.source]:
                found[edge.source] |= before
                pending.append(edge.source)
    return found


def covered(guards: Sequence[Expr], given: Sequence[Expr] = ()) -> bool:
    """Whether one of some formulas in normal form holds wherever the given ones do.

    Whatever the atoms are: one after the other is taken to be true and to be false.
    """
    wanted = [*guards, *map(negated, given)]
    pending: list[dict[Expr, bool]] = [{}]
    for _ in range(MOST_SPLITS):
        if not pending:
            return True
        known = pending.pop()
        found = [_decided(guard, known) for guard in wanted]
        if TRUE in found:
            continue
        atom = next((answer for answer in found if answer != FALSE), None)
        if atom is None:
            return False
        other = negated(atom)
        pending += [{**known, atom: True, other: False}, {**known, atom: False, other: True}]
    return False


def _decided(guard: Expr, known: dict[Expr, bool]) -> Expr:
    """TRUE, FALSE, or the first atom of a formula that has to be known."""
    if isinstance(guard, Const):
        return TRUE if guard.value else FALSE
    if guard in known:
        return TRUE if known[guard] else FALSE
    match guard:
        case Binary(BinaryOp.AND | BinaryOp.OR as op, left, right):
            first = _decided(left, known)
            if first not in (TRUE, FALSE):
                return first
            stops = FALSE if op is BinaryOp.AND else TRUE
            return first if first == stops else _decided(right, known)
        case _:
            return guard
