"""Whether a program is another one in which no step ends the run, and nothing else.

    (1) an edge to a failure may have become `when (false)`; everything else is the same. A limit
        of the model is no such failure, unless C itself says nothing about what happens there
    (2) if it is undefined behaviour that an edge leads to, another edge leads on from there: what
        follows is not left out as a whole
    (3) otherwise the edge is in no step that may access a variable that the claim is about: such
        a step may race although it fails

If no run of the program before gets to undefined behaviour, which the proof assumes and says, a
run of it is one of the program after, up to its last step if that fails, and there is no race by a
step to undefined behaviour. A program that has failed has no races any more: they are about what
threads are going to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import FALSE
from threadwise.ir.fold import action_expressions, action_places
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import is_shared, places_read, refuse_memory, variable_of
from threadwise.proofs.transformed.cut_steps import steps_of

NEVER = Command(FALSE)


def check_presumed(before: Program, after: Program, claimed: Sequence[Property]) -> None:
    """Raises Refuted unless only edges to undefined behaviour are left out."""
    refuse_memory(before)
    if len(before.edges) != len(after.edges):
        raise Refuted("more or fewer edges")
    gone: set[int] = set()
    for old, new in zip(before.edges, after.edges, strict=True):
        if old is not new and old != new:
            failure = before.locations[old.target].failure
            ends = failure is not None and not failure.kind.is_limit
            if not ends and not _has_no_meaning(before, old):  # (1)
                raise Refuted(f"edge {old.id} does something else")
            if new != replace(old, action=NEVER):
                raise Refuted(f"edge {old.id} does something else")
            gone.add(old.id)
    for number in gone:
        source = before.edges[number].source
        if _has_no_meaning(before, before.edges[number]) and not any(
            _leads_on(before, edge) for edge in before.outgoing[source]
        ):  # (2)
            raise Refuted(f"edge {number} is the only one")
    for edges in steps_of(before):  # (3)
        failing = any(e.id in gone and not _has_no_meaning(before, e) for e in edges)
        if failing and any(_concerns(edge, claimed) for edge in edges):
            raise Refuted("a step that may race is left out")
    again = tuple(
        replace(new, edges=old.edges)
        for old, new in zip(before.procedures, after.procedures, strict=False)
    )
    if len(before.procedures) != len(after.procedures):
        raise Refuted("more or fewer procedures")
    if any(
        [e.id for e in old.edges] != [e.id for e in new.edges]
        for old, new in zip(before.procedures, after.procedures, strict=True)
    ):
        raise Refuted("edges of other procedures")
    if replace(after, procedures=again) != before:
        raise Refuted("a program that is another one")


def assumes(before: Program, after: Program) -> bool:
    """Whether steps to undefined behaviour are left out."""
    return any(
        old is not new and old != new and _has_no_meaning(before, old)
        for old, new in zip(before.edges, after.edges, strict=True)
    )


def _has_no_meaning(program: Program, edge: Edge) -> bool:
    failure = program.locations[edge.target].failure
    return failure is not None and failure.kind.has_no_meaning


def _concerns(edge: Edge, claimed: Sequence[Property]) -> bool:
    """Whether an edge may access what a claim is about."""
    places = [*action_places(edge.action)]
    for expr in action_expressions(edge.action):
        places += places_read(expr)
    names = {variable_of(place).name for place in places if is_shared(place)}
    return any(
        not isinstance(checked, RaceProperty)
        or (bool(names) if checked.variables is None else not names.isdisjoint(checked.variables))
        for checked in claimed
    )


def _leads_on(program: Program, edge: Edge) -> bool:
    return program.locations[edge.target].failure is None
