"""Whether steps that are cut in two still race: a location is visible that was not.

A thread may stop there, and need not. But the accesses behind it are made from there, when other
threads may already be blocked, or access something else. So if absence of races is claimed,

    (1) a location that becomes visible is in no step that has plain accesses
    (2) steps that have some read nothing that synchronises, and only what the claim is about

A race is between a step with a plain access and another one. By (1) the former is not cut; if the
first part of the other one changes what it does, it reads what that part wrote, and by (2) that is
a race, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.ir.fold import action_expressions
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.properties import Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import is_shared, places_read, touches_shared, variable_of


def check_cut_steps(before: Program, after: Program, claimed: Sequence[Property]) -> None:
    """Raises Refuted unless steps that are cut race as before."""
    opened = {
        here.id
        for here, there in zip(before.locations, after.locations, strict=True)
        if here.atomic != there.atomic
    }
    about = [checked for checked in claimed if isinstance(checked, RaceProperty)]
    if not opened or not about:
        return
    for edges in steps_of(before):
        if not any(not edge.sync and touches_shared(edge) for edge in edges):
            continue
        if any(edge.source in opened or edge.target in opened for edge in edges):
            raise Refuted("a location inside a step that is partly plain is visible")
        for edge in edges:
            read = (p for expr in action_expressions(edge.action) for p in places_read(expr))
            for variable in map(variable_of, filter(is_shared, read)):
                meant = all(p.variables is None or variable.name in p.variables for p in about)
                if edge.sync or variable.sync or not meant:
                    raise Refuted("a location is visible that other threads may notice")


def steps_of(program: Program) -> Iterator[list[Edge]]:
    """Edges that one step may take together: those that atomic locations join."""
    pending = {edge.id: edge for edge in program.edges}
    at: dict[LocId, list[Edge]] = {}
    for edge in program.edges:
        for end in {edge.source, edge.target}:
            if program.locations[end].atomic:
                at.setdefault(end, []).append(edge)
    while pending:
        joined = [pending.popitem()[1]]
        for edge in joined:  # which grows
            for end in (edge.source, edge.target):
                joined += [e for e in at.pop(end, ()) if pending.pop(e.id, None) is not None]
        yield joined
