"""The limits of a program that runs may reach, by its control-flow graph, and what they hide.

A limit is *in front* if some path leads there that passes no other one. It hides the locations to
which such paths do not lead, and paths through it, up to the next limits, do
(`threadwise.ir.beyond`). Where nothing lies behind a limit, the code that would is not part of the
program, and its size is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.analyses.graphs import reachable_procedures
from threadwise.analyses.worklist import reached
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.beyond import is_beyond
from threadwise.ir.program import FailureKind, LocId, Procedure, Program

_LISTED = (FailureKind.LIMIT, FailureKind.OPEN)


@dataclass(frozen=True)
class FrontLimit:
    """A limit that a run may reach."""

    message: str
    span: Span | None
    hidden: int | None
    """How many locations lie behind it only; None if they are no part of the program."""


def front_limits(program: Program) -> list[FrontLimit]:
    """The limits in front: first those that hide an unknown amount, then by what they hide."""
    bodies = dict.fromkeys(
        name for t in program.templates for name in reachable_procedures(program, t.body)
    )
    found: dict[str, FrontLimit] = {}
    for name in bodies:
        for limit in _of_procedure(program, program.procedure[name]):
            known = found.get(limit.message)
            if known is None or _rank(limit) < _rank(known):
                found[limit.message] = limit
    return sorted(found.values(), key=_rank)


def _rank(limit: FrontLimit) -> tuple[bool, int]:
    return limit.hidden is not None, -(limit.hidden or 0)


def _of_procedure(program: Program, procedure: Procedure) -> Iterable[FrontLimit]:
    front = _reached(program, [procedure.entry])
    for location in sorted(front):
        failure = program.locations[location].failure
        if failure is None or failure.kind not in _LISTED:
            continue
        hidden: int | None = None
        if failure.kind is FailureKind.OPEN:
            before = {edge.source for edge in procedure.edges if edge.target == location}
            behind = [
                edge.target
                for source in before
                for edge in program.outgoing[source]
                if is_beyond(edge)
            ]
            hidden = len(_reached(program, behind) - front)
        yield FrontLimit(failure.message, program.locations[location].span, hidden)


def _reached(program: Program, start: Iterable[LocId]) -> set[LocId]:
    """Where paths lead that pass no limit."""

    def after(here: LocId) -> Iterable[LocId]:
        return (edge.target for edge in program.outgoing[here] if not is_beyond(edge))

    return set(reached(start, after))
