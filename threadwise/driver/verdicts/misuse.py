"""Assumptions of a proof about locks and memory that concrete runs refute.

A program continues after it unlocks what it does not hold, or reads what was never written; the
model ends. A proof may assume that nothing of the kind happens where that may be impossible, and
lists the assumption unless it is proved, too. Where a run does it, the assumption is false; where
a statement can do nothing but misuse a lock, everything behind it would be unreachable: neither is
a proof, whatever was asked. Some proofs say which edges may be taken; runs show it for what
happens early.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from itertools import islice

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Edge, EdgeId, FailureKind, Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.schedule import RandomSchedule
from threadwise.semantics.step import Interpreter
from threadwise.systems.samples import sample_values

RUNS, STEPS, TOGETHER = 200, 250, 2000
FEW = 200
"""So many states are gone through instead."""
SAMPLES = 0, 1
"""For inputs; half of the runs try more (`threadwise.systems.samples`)."""
SWITCHING = 1.0, 0.1
"""How likely the next step is another thread's: some errors need many switches, some few."""


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


def known_misuse(program: Program, proof: CheckedProof) -> Edge | None:
    """The first edge that a run takes although the proof assumes that none does.

    Or the first one that misuses a lock and whose statement the proof leaves in no other way. A
    proof of some locations only names the places that no run gets past.
    """
    found = list(misuses(program, proof))
    assumed = {edge.id for edge in found}
    if not proof.partial:
        assumed |= set(_meaningless(program, proof))
    taken = _in_runs(program, assumed) if assumed else None
    if taken is not None:
        return program.edges[taken]
    incoming: defaultdict[int, list[Edge]] = defaultdict(list)
    for edge in program.edges if found else ():
        incoming[edge.target].append(edge)
    for edge in found:
        statement = _statement(program, edge, incoming)
        if not any(_goes_on(program, other) for other in statement & proof.taken_edges):
            return edge
    return None


def _meaningless(program: Program, proof: CheckedProof) -> Iterator[EdgeId]:
    """The edges of a proof that end where C says nothing about what happens."""
    for number in proof.taken_edges:
        failure = program.locations[program.edges[number].target].failure
        if failure is not None and failure.kind.has_no_meaning:
            yield number


def _in_runs(program: Program, wanted: AbstractSet[EdgeId]) -> EdgeId | None:
    """One of the edges that a run takes, if there is one within so many steps."""
    if any(not isinstance(template.count, int) for template in program.templates):
        return None
    samples = SAMPLES, sample_values(program) or SAMPLES
    interpreters = [Interpreter(program, inputs) for inputs in samples]
    with suppress(Unsupported, Undefined, _Many):  # then runs have to do
        return _anywhere(interpreters[-1], wanted)
    steps = 0
    for seed in range(RUNS):
        interpreter = interpreters[seed // 2 % 2]
        schedule = RandomSchedule(seed, SWITCHING[seed % len(SWITCHING)])
        with suppress(Unsupported, Undefined):  # so far the run came
            for transition in schedule.walk(interpreter, schedule.start(interpreter), STEPS):
                steps += 1
                for choice in transition.move.choices:
                    if choice.edge in wanted:
                        return choice.edge
        if steps >= TOGETHER:
            break
    return None


class _Many(Exception):  # noqa: N818 - no error: there are other ways to look
    """There are more states than are worth going through."""


def _anywhere(interpreter: Interpreter, wanted: AbstractSet[EdgeId]) -> EdgeId | None:
    """One of the edges that some run takes; of few states all are seen, sooner than in runs."""
    pending = list(islice(interpreter.initial_states(), FEW + 1))
    seen = set(pending)
    for state in pending:
        if len(seen) > FEW:
            raise _Many
        for transition in interpreter.successors(state):
            for choice in transition.move.choices:
                if choice.edge in wanted:
                    return choice.edge
            if transition.state not in seen:
                seen.add(transition.state)
                pending.append(transition.state)
    return None


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
