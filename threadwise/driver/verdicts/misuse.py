"""Locks that a proof sees misused.

A program continues after it unlocks what it does not hold; the model ends. A proof may assume that
no lock is misused where that is possible but not certain, and lists the assumption unless it is
proved, too. Where a statement can do nothing else, the assumption would make everything behind it
unreachable: that is no proof, whatever was asked. Some proofs say which edges may be taken; for
those that do not, runs show it for what happens early.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Edge, EdgeId, FailureKind, Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.schedule import RandomSchedule
from threadwise.semantics.step import Interpreter

RUNS, STEPS = 8, 100
SAMPLES = 0, 1


def misuses(
    program: Program, proof: CheckedProof, proved: AbstractSet[str] = frozenset()
) -> Iterator[Edge]:
    """The edges of a proof that end in the misuse of a lock, which none of the others excludes."""
    for number in sorted(proof.taken_edges):
        edge = program.edges[number]
        failure = program.locations[edge.target].failure
        if (
            failure is not None
            and failure.kind is FailureKind.MUTEX
            and failure.property not in proved
        ):
            yield edge


def sure_misuse(program: Program, proof: CheckedProof) -> Edge | None:
    """The first of them whose statement the proof, or every run tried, leaves in no other way."""
    found = list(misuses(program, proof))
    tried = _in_runs(program) if found else frozenset[EdgeId]()
    incoming: defaultdict[int, list[Edge]] = defaultdict(list)
    for edge in program.edges if found else ():
        incoming[edge.target].append(edge)
    for edge in found:
        statement = _statement(program, edge, incoming)
        for taken in (proof.taken_edges, tried):
            goes_on = any(_goes_on(program, other) for other in statement & taken)
            if edge.id in taken and not goes_on:
                return edge
    return None


def _in_runs(program: Program) -> frozenset[EdgeId]:
    """The edges that some runs take."""
    if any(not isinstance(template.count, int) for template in program.templates):
        return frozenset()
    interpreter = Interpreter(program, SAMPLES)
    found: set[EdgeId] = set()
    for seed in range(RUNS):
        schedule = RandomSchedule(seed)
        with suppress(Unsupported, Undefined):  # so far the run came
            for transition in schedule.walk(interpreter, schedule.start(interpreter), STEPS):
                found.update(choice.edge for choice in transition.move.choices)
    return frozenset(found)


def _goes_on(program: Program, edge: EdgeId) -> bool:
    """Whether an edge leads out of its statement, and to no failure."""
    found = program.edges[edge]
    behind = program.outgoing[found.target]
    leaves = not behind or any(other.span != found.span for other in behind)
    return leaves and program.locations[found.target].failure is None


def _statement(
    program: Program, edge: Edge, incoming: Mapping[int, Sequence[Edge]]
) -> frozenset[EdgeId]:
    """The edges of the same statement that are connected with an edge."""
    found = {edge.id}
    waiting = [edge]
    while waiting:
        here = waiting.pop()
        around = [
            *incoming.get(here.source, ()),
            *program.outgoing[here.source],
            *program.outgoing[here.target],
        ]
        for other in around:
            if other.span == edge.span and other.id not in found:
                found.add(other.id)
                waiting.append(other)
    return frozenset(found)
