"""Claims about the bounds of local integers: verified here, edge by edge.

A claim holds if it holds at the start, and every edge that can be taken leads from claims that
hold to claims that hold. Locations without claims are those that are never reached. Other threads
do not touch locals.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from threadwise.ir.commands import Action, Command, Return
from threadwise.ir.expr import Expr, Scope, VariablePlace
from threadwise.ir.fold import action_places, root
from threadwise.ir.program import DEFAULT, LocId, Procedure
from threadwise.ir.types import Type, default_value, is_scalar
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox import intervals
from threadwise.proofs.toolbox.intervals import Bounds, Known

MOST_REMEMBERED = 1 << 16
"""Of so many different actions it is remembered what they write."""


def check_bounds(procedure: Procedure, claims: Mapping[LocId, Known]) -> None:
    """Raises Refuted unless the locals of a procedure stay within the bounds that are claimed."""
    if procedure.entry not in claims:
        raise Refuted("where a procedure begins is reached")
    types = {variable.name: variable.type for variable in procedure.parameters}
    types |= {d.variable.name: d.variable.type for d in procedure.locals}
    for location in procedure.locations:
        for name in claims.get(location.id, ()):
            if name not in types:
                raise Refuted(f"`{procedure.name}` has no local `{name}`")
    _check_starts(procedure, types, claims[procedure.entry])
    for edge in procedure.edges:
        if edge.source not in claims or isinstance(edge.action, Return):
            continue
        after = claims.get(edge.target)
        if after is not None and not after:
            continue  # nothing is claimed behind it, whether it can be taken or not
        before = intervals.assumed(edge.action.guard, claims[edge.source])
        if before is None:
            continue
        if after is None:
            raise Refuted(f"edge {edge.id} leads where nobody is said to get")
        written, given = written_locals(edge.action), assigned_locals(edge.action)
        for name, limits in after.items():
            found = before.get(name, intervals.of_type(types[name]))
            if name in written:
                found = intervals.of_type(types[name])
                if name in given:
                    found = intervals.both(found, intervals.bounds(given[name], before))
            if not intervals.inside(found, limits):
                raise Refuted(f"edge {edge.id}: `{name}` may leave its bounds")


def _check_starts(procedure: Procedure, types: Mapping[str, Type], claimed: Known) -> None:
    """Raises Refuted unless the claims at the entry hold at the start."""
    starts = _starts(procedure)
    for name, limits in claimed.items():
        if not intervals.inside(starts.get(name, intervals.of_type(types[name])), limits):
            raise Refuted(f"`{name}` does not start within its bounds")


def _starts(procedure: Procedure) -> dict[str, Bounds]:
    """Integers that start with the default of their type."""
    found: dict[str, Bounds] = {}
    for declaration in procedure.locals:
        held = declaration.variable.type
        if declaration.initial == DEFAULT and is_scalar(held):
            value = default_value(held)  # type: ignore[arg-type]  # scalar
            if type(value) is int:
                found[declaration.variable.name] = (value, value)
    return found


@lru_cache(maxsize=MOST_REMEMBERED)
def written_locals(action: Action) -> frozenset[str]:
    """The locals that an action writes, whole or in part."""
    return frozenset(
        base.variable.name
        for base in map(root, action_places(action))
        if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
    )


@lru_cache(maxsize=MOST_REMEMBERED)
def assigned_locals(action: Action) -> Mapping[str, Expr]:
    """What whole locals hold after an action, where that is an expression."""
    found: dict[str, Expr] = {}
    if isinstance(action, Command):
        for assignment in action.assignments:
            base = root(assignment.target)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                if base == assignment.target:
                    found[base.variable.name] = assignment.value
                else:
                    found.pop(base.variable.name, None)
        for place in action.havocs:
            base = root(place)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                found.pop(base.variable.name, None)
    return found
