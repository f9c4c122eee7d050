"""Which of a thread's variables some path still reads: others need not be remembered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    Read,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import (
    action_expressions,
    conjuncts,
    place_expressions,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge, LocId, Procedure
from threadwise.ir.writes import written
from threadwise.proofs.locksets.knowledge import is_own


def live_variables(procedure: Procedure) -> dict[LocId, frozenset[Variable]]:
    """The variables that are read on a path from each location before they are written."""
    reads = {edge.id: frozenset(_read(edge)) for edge in procedure.edges}
    writes = {
        edge.id: frozenset(t.variable for t, _ in written(edge) if isinstance(t, VariablePlace))
        for edge in procedure.edges
    }
    into: defaultdict[LocId, list[Edge]] = defaultdict(list)
    for edge in procedure.edges:
        into[edge.target].append(edge)
    live: defaultdict[LocId, frozenset[Variable]] = defaultdict(frozenset)
    pending = {edge.target for edge in procedure.edges}
    while pending:
        here = pending.pop()
        for edge in into[here]:
            found = live[edge.source] | reads[edge.id] | (live[here] - writes[edge.id])
            if found != live[edge.source]:
                live[edge.source] = found
                pending.add(edge.source)
    return live


def tested_variables(procedure: Procedure) -> frozenset[Variable]:
    """The variables that guards compare, and those that these are copied from, or depend on."""
    found: set[Variable] = set()
    copied: defaultdict[Variable, set[Variable]] = defaultdict(set)
    for edge in procedure.edges:
        for part in conjuncts(edge.action.guard):
            if isinstance(part, Binary) and part.op in COMPARISONS:
                found |= {_own(side) for side in (part.left, part.right)} - {None}  # type: ignore[arg-type]
        for target, value in written(edge):
            if isinstance(target, VariablePlace) and value is not None:
                copied[target.variable] |= set(_sources(value))
    pending = list(found)
    while pending:
        more = copied[pending.pop()] - found
        found |= more
        pending += more
    return frozenset(found)


def _sources(value: Expr) -> Iterator[Variable]:
    """The variables that a value is copied from, or chosen by."""
    parts: tuple[Expr, ...] = (value,)
    match value:
        case Conditional(Binary(_, left, right), then, otherwise):
            parts = left, right, then, otherwise
        case _:
            pass
    for part in parts:
        source = _own(part)
        if source is not None:
            yield source


def _own(expr: Expr) -> Variable | None:
    match expr:
        case Read(VariablePlace(variable) as place) if is_own(place):
            return variable
        case Wrap(_, _, inner) | Binary(BinaryOp.ADD | BinaryOp.SUB, inner, Const()):
            return _own(inner)
        case _:
            return None


def _read(edge: Edge) -> set[Variable]:
    found: set[Variable] = set()
    exprs = list(action_expressions(edge.action))
    for target, _ in written(edge):
        exprs += place_expressions(target)
        base = root(target)
        if isinstance(base, VariablePlace) and base != target and is_own(target):
            found.add(base.variable)
    for expr in exprs:
        for part in subexpressions(expr):
            if isinstance(part, Read) and is_own(part.place):
                base = root(part.place)
                if isinstance(base, VariablePlace):
                    found.add(base.variable)
    return found
