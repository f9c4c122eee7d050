"""The checker of the more precise pass, and what it reaches: the obligations of `Refinement`.

1. Every thread begins with nothing raised, held or late: the state of its entry allows that.
2. Whatever a thread knows at a location, by locksets and by its state, and whichever edge it takes
   that both let it take, the state behind the edge allows what follows.
3. Flags begin with early values, counts with 0, cells with limits within them; mutexes begin free.
4. No step does to a flag, a mutex, a count, a guarded cell or one with limits what the claim about
   it excludes (`threadwise.proofs.locksets.refined.effects`).

Then a thread is only ever at locations that have a state. By induction over the steps of a run: as
long as all of this holds, so does what `threadwise.proofs.locksets.refined.truth` concludes. A
mutex whose cell is not `left`, for example, is owned by a thread that runs and may hold it, by the
state of its location; if only the first thread runs, and may not hold it, then it is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from threadwise.ir.commands import Call
from threadwise.ir.program import LocId, Program
from threadwise.ir.types import NONE, TidType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.memory.cells import Values, leaves, lock_cells
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.effects import (
    COUNTS,
    FLAGS,
    LEFT,
    LIMITS,
    Broken,
    Effects,
    within,
)
from threadwise.proofs.locksets.refined.state import ANYTHING, EVERY, State
from threadwise.proofs.locksets.step import Steps

Cases = Mapping[LocId, Sequence[Knowledge]]


def reached_by(
    steps: Steps, knowledge: Cases, claim: Refinement, tick: Callable[[], object]
) -> frozenset[LocId]:
    """The locations that threads get to; raises Refuted."""
    program = steps.threads.program
    effects = Effects(steps, claim)
    for name, cell in misbegun(steps.memory, claim):
        raise Refuted(f"a second look: {name} of {cell.object} do not hold to begin with")
    for location, state in entries(program, knowledge):
        _expect(claim, location, state)
    for location, state in claim.states.items():
        procedure = program.procedure_of[location]
        for case in knowledge.get(location, ()):
            for edge in program.outgoing[location]:
                tick()
                for before, outcomes in steps.guards.passing(edge, case, procedure.name):
                    passed = effects.passed(edge, before, outcomes, state, procedure.name)
                    if passed is None:
                        continue
                    look = effects.look(before, passed, procedure.name)
                    for name, cell in effects.broken(edge, look, outcomes):
                        raise Refuted(f"a second look: edge {edge.id} breaks {name} of {cell}")
                    _expect(claim, edge.target, effects.after(edge, look, outcomes))
                    if isinstance(edge.action, Call):
                        entry = program.procedure[edge.action.procedure].entry
                        _expect(claim, entry, ANYTHING)
    return frozenset(claim.states)


def _expect(claim: Refinement, location: LocId, state: State) -> None:
    claimed = claim.states.get(location)
    if claimed is None or not state.implies(claimed):
        raise Refuted(f"a second look: location {location} is reached otherwise")


def entries(program: Program, knowledge: Cases) -> Iterator[tuple[LocId, State]]:
    """Where threads begin, and what they know."""
    for template in program.templates:
        entry = program.procedure[template.body].entry
        if entry in knowledge:
            yield entry, State()


def misbegun(memory: Memory, claim: Refinement) -> Iterator[Broken]:
    """The cells that do not begin as is claimed."""
    types = memory.objects.types
    for cell, values in memory.initial():
        if cell in claim.flags and not _among(values, claim.flags[cell]):
            yield Broken(FLAGS, cell)
        if cell in claim.counts and not _among(values, frozenset({0})):
            yield Broken(COUNTS, cell)
        if cell in claim.limits and not within(values, claim.limits[cell]):
            yield Broken(LIMITS, cell)
        held = types.get(cell.object)
        if held is None:
            continue
        inside = cell.cell in lock_cells(held)
        if not inside or cell in claim.left or EVERY in claim.left:
            continue
        owner = isinstance(list(leaves(held))[cell.cell], TidType)
        if owner and not _among(values, frozenset({NONE})):
            yield Broken(LEFT, cell)


def _among(values: Values, wanted: frozenset[object]) -> bool:
    return values is not None and values <= wanted
