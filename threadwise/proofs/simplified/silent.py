"""Silent locations, which become part of an atomic region: no other thread can observe them.

For every location that is inside a region now and was not before:

    (1) it is no entry, no final location, no failure, and no location that a call returns to
    (2) its edges are commands without operation that touch the thread's own memory only: locals,
        variables of the thread, global variables that no other thread touches or that nothing
        writes; they do not ask whether memory is valid
    (3) one of them can always be taken
    (4) none of them leads to a failure that is no limit, or into a region of before
    (5) a run inside these locations terminates

By (2), what the thread does there commutes with every step of every other thread, so it may as
well be done at once. By (3) to (5) it can be completed, without stopping other threads. No access
of it races, and no thread waits there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    BinaryOp,
    DerefPlace,
    Expr,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    Read,
    Scope,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.program import Edge, Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.flow import covered
from threadwise.proofs.simplified.normal import Normal, parts
from threadwise.proofs.simplified.shared import Shared
from threadwise.proofs.toolbox.loops import comes_to_end

_NORMAL = Normal()


def check_silent(before: Program, after: Program, shared: Shared) -> None:
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
    if not comes_to_end(hidden, inside, _conditions):  # (5)
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


def _conditions(guard: Expr) -> Iterator[Expr]:
    return parts(BinaryOp.AND, _NORMAL.of(guard))


def _is_own(place: Place, own: Collection[str]) -> bool:
    base = root(place)
    if isinstance(base, DerefPlace):
        return False
    return base.variable.scope is not Scope.GLOBAL or base.variable.name in own
