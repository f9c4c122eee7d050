"""What a thread owns at each location, in words: the part of the states that runs can test."""

from __future__ import annotations

from threadwise.ir.program import LocId
from threadwise.proofs.locksets.containers.handover import Custody
from threadwise.proofs.locksets.resources.claims import Owned
from threadwise.proofs.locksets.resources.look import Look
from threadwise.proofs.locksets.writing import Writer


def owned_variables(look: Look) -> dict[tuple[LocId, int], Owned]:
    """Per location and case the variables that point to what a thread owns there."""
    program = look.steps.threads.program
    writers = {p.name: Writer(program, p) for p in program.procedures}
    found: dict[tuple[LocId, int], Owned] = {}
    for state in sorted(look.heaps):
        words = writers[program.procedure_of[state[0]].name].place
        owned = look.owned(state)
        alone, shared = (
            tuple(sorted(words(place) for place, way in owned.items() if way is each))
            for each in (Custody.TAKEN, Custody.SHARED)
        )
        if alone or shared:
            found[state] = Owned(alone, shared)
    return found
