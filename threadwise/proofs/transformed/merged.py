"""Whether a program is another one in which locations are merged that differ by idle steps only.

An edge is *idle* if it is `skip` and annotated with no operation. Each location of the program
before has a *place*, a location of the program after.

    (1) races and failures are claimed only; what threads do does not depend on where others are
    (2) the programs differ in locations and edges only; the place of an entry is the entry
    (3) locations are final, and failures, as their places are. A place inside an atomic region is
        that of a single location, which is inside one, too
    (4) an edge is left out only if it is idle and leads from a place that is outside of atomic
        regions to the same place; all others are there, between the places of their ends
    (5) only edges that are left out lead to a location inside an atomic region whose place is
        outside, and it is no entry

Let α take each thread to its place. A step of the program before takes edges e₁ … eₙ through
atomic regions. Where eᵢ is left out, it begins outside of a region, or where an edge that is left
out led to, by (5); so e₁ … eᵢ all are, and the first location of the step has the same place. The
others lead through locations that by (5) have places inside atomic regions: from α of the state
before they are one step to α of the state after, or there are none, and both are the same. Idle
edges access nothing and are always enabled: so from the places of two threads that race the same
accesses are made. A failure before is one after, by (3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import AtLabel, Quantified, ThreadRead, ThreadVariable
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import refuse_memory

SKIP = Command()


def check_merged(
    before: Program,
    after: Program,
    places: Sequence[LocId],
    edges: Sequence[EdgeId],
    claimed: Sequence[Property],
) -> None:
    """Raises Refuted unless claims that hold after merging also hold before.

    `places` are those of the locations before, `edges` are the edges before that are kept.
    """
    if not all(isinstance(checked, FailureProperty | RaceProperty) for checked in claimed):
        raise Refuted("merging locations keeps races and failures only")
    refuse_memory(before)
    refuse_looks(before)  # (1)
    if len(places) != len(before.locations) or len(after.procedures) != len(before.procedures):
        raise Refuted("more or fewer parts")
    for old, new in zip(before.procedures, after.procedures, strict=True):
        _check_frame(old, new, places)
    if replace(after, procedures=before.procedures) != before:  # (2)
        raise Refuted("another program")
    _check_places(before, after, places)
    _check_edges(before, after, places, edges)


def refuse_looks(program: Program) -> None:
    """(1): raises Refuted if a step looks at where threads are."""
    for edge in program.edges:
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if isinstance(part, AtLabel | Quantified | ThreadRead | ThreadVariable):
                    raise Refuted(f"edge {edge.id} looks at other threads")


def _check_frame(old: Procedure, new: Procedure, places: Sequence[LocId]) -> None:
    """(2): raises Refuted if procedures differ in more than locations and edges."""
    same = replace(new, entry=old.entry, locations=old.locations, edges=old.edges)
    if same != old or new.entry != places[old.entry]:
        raise Refuted(f"another procedure `{old.name}`")
    own = {here.id for here in new.locations}
    if any(places[here.id] not in own for here in old.locations):
        raise Refuted(f"a location of `{old.name}` is elsewhere")


def _check_places(before: Program, after: Program, places: Sequence[LocId]) -> None:
    """(3): raises Refuted if a location and its place are not alike."""
    shared = Counter(places)
    for here in before.locations:
        there = after.locations[places[here.id]]
        if (there.final, there.failure) != (here.final, here.failure):
            raise Refuted(f"location {here.id} is another one")
        if there.atomic and (not here.atomic or shared[there.id] > 1):
            raise Refuted(f"location {here.id} is hidden")


def _check_edges(
    before: Program, after: Program, places: Sequence[LocId], edges: Sequence[EdgeId]
) -> None:
    """(4) and (5): raises Refuted."""
    if len(edges) != len(after.edges) or len(set(edges)) != len(edges):
        raise Refuted("more or fewer edges")
    kept = set(edges)
    for new, origin in zip(after.edges, edges, strict=True):
        old = before.edges[origin]
        source, target = places[old.source], places[old.target]
        if replace(old, id=new.id, source=source, target=target) != new:
            raise Refuted(f"edge {origin} does something else")
    entries = {procedure.entry for procedure in before.procedures}
    for edge in before.edges:
        there = places[edge.target]
        opened = before.locations[edge.target].atomic and not after.locations[there].atomic
        if edge.id not in kept and not _may_be_left_out(edge, after, places):
            raise Refuted(f"edge {edge.id} is left out")
        if opened and edge.id in kept:
            raise Refuted(f"a step is cut at location {edge.target}")
    for entry in entries:
        if before.locations[entry].atomic != after.locations[places[entry]].atomic:
            raise Refuted("an entry inside an atomic region is not any more")


def _may_be_left_out(edge: Edge, after: Program, places: Sequence[LocId]) -> bool:
    return (
        edge.action == SKIP
        and edge.operation is None
        and places[edge.source] == places[edge.target]
        and not after.locations[places[edge.source]].atomic
    )
