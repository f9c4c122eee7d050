"""Locks that a proof sees misused.

A program continues after it unlocks what it does not hold; the model ends. A proof may assume that
no lock is misused where that may be impossible, and lists the assumption unless it is
proved, too. Where a run misuses a lock, the assumption is false; where a statement can do nothing
else, it would make everything behind it unreachable: neither is a proof, whatever was asked. Some
proofs say which edges may be taken; runs show it for what happens early.
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

RUNS, STEPS, TOGETHER = 200, 250, 2000
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
    """The first of them that a run takes, or whose statement the proof leaves in no other way."""
    found = list(misuses(program, proof))
    tried = _in_runs(program, frozenset(edge.id for edge in found)) if found else frozenset()
    incoming: defaultdict[int, list[Edge]] = defaultdict(list)
    for edge in program.edges if found else ():
        incoming[edge.target].append(edge)
    for edge in found:
        statement = _statement(program, edge, incoming)
        goes_on = any(_goes_on(program, other) for other in statement & proof.taken_edges)
        if edge.id in tried or not goes_on:
            return edge
    return None


def _in_runs(program: Program, wanted: frozenset[EdgeId]) -> frozenset[EdgeId]:
    """Which of the edges some runs take, until one is found or enough steps were made."""
    if any(not isinstance(template.count, int) for template in program.templates):
        return frozenset()
    interpreter = Interpreter(program, SAMPLES)
    steps = 0
    for seed in range(RUNS):
        schedule = RandomSchedule(seed)
        with suppress(Unsupported, Undefined):  # so far the run came
            for transition in schedule.walk(interpreter, schedule.start(interpreter), STEPS):
                steps += 1
                found = wanted.intersection(choice.edge for choice in transition.move.choices)
                if found:
                    return found
        if steps >= TOGETHER:
            break
    return frozenset()


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
