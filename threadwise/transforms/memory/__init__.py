"""Memory as variables: objects become variables, pointers an object and an offset.

    int a[4], *p;                        p$object: {none, a}, p$offset: int
    p = &a[i];        becomes            p$object := a, p$offset := i
    *p = 7;                              when (p$object == a && 0 <= p$offset && p$offset <= 3):
                                             a[p$offset] := 7
    p = malloc(sizeof *p);               when (malloc$0.state == 0): p$object := malloc$0, …

Engines that know nothing of memory can work on the result. Every dereference is split over the
parts of objects that have its type, so no analysis of pointers is needed for it to be right;
nor is it known how often a statement allocates: each has a few objects, and one allocation more
leads to a limit, which a proof has to exclude.

    objects     which objects there are
    words       expressions and places
    edges       edges

Not treated: pointers as arguments or results of calls that stay calls, pointers as inputs,
objects of variable size, statements that allocate without bound. Deadlocks are not preserved (what
threads hold is told by addresses); invariants are about variables, and there are none.
"""

from __future__ import annotations

from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import (
    Declaration,
    Edge,
    EdgeId,
    Failure,
    FailureKind,
    Location,
    LocId,
    Procedure,
    Program,
)
from threadwise.transforms.memory.edges import Edges
from threadwise.transforms.memory.objects import Objects, objects_of
from threadwise.transforms.memory.words import Words

PASS = "memory as variables"
"""The name of the pass in certificates."""


def resolve_memory(program: Program, uses: Uses | None = None) -> Program:
    """The program without pointers; raises Unsupported if that cannot be."""
    del uses  # every edge with a pointer becomes another one
    if not uses_memory(program):
        return program
    objects = objects_of(program)
    program.found[PASS] = objects.told
    words = Words(objects, {})
    edges = Edges(program, objects)
    made: list[tuple[Procedure, list[Edge], bool]] = []
    for procedure in program.procedures:
        words.refuse_parameters(procedure)
        own: list[Edge] = []
        beyond = False
        for edge in procedure.edges:
            found = list(edges.of(edge))
            beyond |= any(one.target == edges.limit for one in found)
            own += found
        made.append((procedure, own, beyond))
    return replace(
        program,
        enums=(*program.enums, objects.kind),
        globals=tuple(_globals(program, objects, words)),
        procedures=tuple(_numbered(made, words, edges.limit)),
        templates=tuple(
            replace(t, variables=tuple(d for own in t.variables for d in words.declaration(own)))
            for t in program.templates
        ),
    )


def _globals(program: Program, objects: Objects, words: Words) -> list[Declaration]:
    found = [d for old in program.globals for d in words.declaration(old)]
    for each in objects.fresh:
        found += words.declaration(Declaration(each.variable))
        found.append(Declaration(each.state))
    return found + [words.flags(program, each) for each in objects.flagged]


def _numbered(
    made: list[tuple[Procedure, list[Edge], bool]], words: Words, limit: LocId
) -> list[Procedure]:
    """The procedures, with edges and locations numbered one after the other."""
    found: list[Procedure] = []
    place: dict[LocId, LocId] = {}
    count = 0
    for procedure, _, beyond in made:
        for here in procedure.locations:
            place[here.id] = LocId(count)
            count += 1
        count += beyond
    count = edges = 0
    for procedure, own, beyond in made:
        locations = [
            replace(here, id=place[here.id], origin=here.id) for here in procedure.locations
        ]
        count += len(locations)
        if beyond:
            failure = Failure(FailureKind.LIMIT, "", "more objects than are modelled")
            locations.append(Location(LocId(count), failure=failure))
            place[limit] = LocId(count)
            count += 1
        numbered = [
            replace(
                edge,
                id=EdgeId(edges + number),
                source=place[edge.source],
                target=place[edge.target],
                origin=((edge.id,),),
            )
            for number, edge in enumerate(own)
        ]
        edges += len(numbered)
        found.append(
            replace(
                procedure,
                locals=tuple(
                    d
                    for old in procedure.locals
                    for d in Words(words.objects, {}, procedure.name).declaration(old)
                ),
                entry=place[procedure.entry],
                locations=tuple(locations),
                edges=tuple(numbered),
            )
        )
    return found
