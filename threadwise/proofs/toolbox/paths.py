"""The steps of threads as paths of edges, for checkers; engines have `analyses.regions`.

A step leaves a visible location, goes through atomic locations only, and ends at the next visible
location (`threadwise.semantics.step`). Calls and returns are steps of their own.
"""

from __future__ import annotations

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import DerefPlace, FieldPlace, IndexPlace, Place, Variable
from threadwise.ir.fold import action_places
from threadwise.ir.program import Edge, LocId, Program

MOST_PATHS = 10_000


@dataclass(frozen=True)
class Path:
    """The edges that a step takes, one after the other."""

    edges: tuple[Edge, ...]

    @property
    def source(self) -> LocId:
        """Where it starts."""
        return self.edges[0].source

    @property
    def target(self) -> LocId:
        """Where it ends."""
        return self.edges[-1].target


def steps_from(program: Program, location: LocId) -> list[Path]:
    """All steps that leave a location, in the order of their edges.

    Unsupported if an atomic region has a loop, or too many paths: they cannot be listed.
    """
    span = program.locations[location].span
    found: list[Path] = []
    pending: list[tuple[Edge, ...]] = [()]
    while pending:
        before = pending.pop()
        here = before[-1].target if before else location
        if before and not program.locations[here].atomic:
            found.append(Path(before))
            if len(found) > MOST_PATHS:
                raise Unsupported("an atomic block with too many paths to list", span)
            continue
        if before and here in [edge.target for edge in before[:-1]]:
            raise Unsupported(
                "a loop inside an atomic block, in SMT", program.locations[here].span
            )
        edges = [e for e in program.outgoing[here] if not isinstance(e.action, Call | Return)]
        pending += [(*before, edge) for edge in reversed(edges)]
    return found


def has_calls(program: Program) -> bool:
    """Whether some edge is a call."""
    return any(isinstance(edge.action, Call) for edge in program.edges)


def thread_locations(program: Program, template: str) -> tuple[LocId, ...]:
    """The visible locations of a template: of its body, and of what is called from there."""
    reached = [program.template[template].body]
    for name in reached:  # which grows
        for edge in program.procedure[name].edges:
            if isinstance(edge.action, Call) and edge.action.procedure not in reached:
                reached.append(edge.action.procedure)
    return tuple(
        location.id
        for name in reached
        for location in program.procedure[name].locations
        if not location.atomic
    )


def kept_parameters(program: Program, procedure: str) -> tuple[int, ...]:
    """The positions of parameters that a procedure never writes to, not even a part of them."""
    called = program.procedure[procedure]
    written = [_variable(p) for edge in called.edges for p in action_places(edge.action)]
    if None in written:  # a pointer may lead anywhere
        return ()
    return tuple(n for n, parameter in enumerate(called.parameters) if parameter not in written)


def _variable(place: Place) -> Variable | None:
    while isinstance(place, FieldPlace | IndexPlace):
        place = place.base
    return None if isinstance(place, DerefPlace) else place.variable
