"""Loops inside atomic regions, made interruptible: for engines that encode regions as paths.

Simplification hides the steps of loops that concern their thread only and end soon. In the program
after, a location on each such loop is visible again, so that a region has finitely many paths.
Threads may be interrupted there. So every run of the program before is one of the program after.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.analyses.loops import loops
from threadwise.core.quick_dataclass import replace
from threadwise.ir.program import LocId, Procedure, Program


def interrupt(program: Program) -> Program:
    """The program without loops inside atomic regions; the same one if it has none."""
    opened = {here for procedure in program.procedures for here in _heads(procedure)}
    if not opened:
        return program
    procedures = tuple(
        replace(
            procedure,
            locations=tuple(
                replace(here, atomic=False) if here.id in opened else here
                for here in procedure.locations
            ),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def _heads(procedure: Procedure) -> Iterable[LocId]:
    atomic = {here.id for here in procedure.locations if here.atomic}
    edges = [e for e in procedure.edges if e.source in atomic and e.target in atomic]
    pending = loops(sorted(atomic), edges)
    while pending:
        part, own = pending.pop()
        head = min(part)
        yield head
        rest = [node for node in part if node != head]
        pending.extend(loops(rest, [e for e in own if head not in (e.source, e.target)]))
