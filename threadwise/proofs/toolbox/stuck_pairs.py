"""Whether pairs that fit together may be a deadlock; the rules are those of the semantics.

A module of its own, so that proofs of other properties do not load the rules about waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.semantics.deadlocks import may_rest
from threadwise.semantics.possible_deadlocks import Candidate, candidate, stuck_candidates
from threadwise.semantics.state import LocalStore

if TYPE_CHECKING:
    from threadwise.proofs.toolbox.constellations import Pairs
    from threadwise.semantics.properties import PropertyChecker


def stuck_pairs(checker: PropertyChecker, pairs: Pairs) -> str | None:
    """Why threads may wait forever in some constellation of pairs; None if they cannot."""
    program, threads = checker.program, list(checker.interpreter.threads)

    def candidate_at(g: int, t: int, l: LocalStore) -> Candidate[int]:
        moves = (t, g, l) in pairs.moving
        ways = None if moves else checker.deadlocks.waiting(t, pairs.stores[g], l)
        standing = checker.deadlocks.standing(t, l, (), blocked=not moves)
        return candidate(ways, standing, int, may_rest=may_rest(program, l))

    for g in range(len(pairs.stores)):
        seats = {
            t: [
                candidate_at(g, t, l)
                for l in pairs.at[g][t]
                if program.locations[l.pc].failure is None
            ]
            for t in threads
        }
        if all(seats.values()) and stuck_candidates(seats, threads):
            return "threads may wait forever"
    return None
