"""Flags under mutexes: what a thread knows of one as long as it holds the mutex.

    lock(m); if (!busy) { busy = 1; mine = 1; } unlock(m);
    if (mine) { data++; lock(m); busy = 0; unlock(m); }

`busy` serves as a lock (`threadwise.proofs.locksets.tokens`): who found it 0 and set it has its
token until it is cleared. Here test and set are two steps. That the flag is still 0 at the second
one follows if it is *guarded*: a mutex is claimed for it, found from the flag alone
(`threadwise.proofs.locksets.containers.list_locks`), and

    write       every write holds that mutex, unless no other thread runs, or the object has not
                escaped; else the flag is misused as a lock, and is none (`Locks.use`)
    keep        what a thread that holds the mutex knows of the flag stays true: nobody else
                writes it
    end         it is forgotten with the release of the mutex, and with each write of the thread
                itself that may be to the flag

A mutex has one owner at a time in every state, atomic regions included: while one thread holds it,
no other is between acquiring and releasing it.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Expr, Place, Read
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.writes import written
from threadwise.proofs.locksets.ground import Ground, is_lasting
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, spelled
from threadwise.proofs.locksets.retelling import without


@dataclass(frozen=True)
class GuardedFlags:
    """The rules."""

    ground: Ground

    def is_kept(self, expr: Expr, knowledge: Knowledge, procedure: str) -> bool:
        """Whether no other thread changes a value as long as this one holds what it holds."""
        if not self.ground.guards or not is_lasting(expr):
            return False
        return all(
            self.ground.is_stable(part, procedure)
            or self._is_held(part.place, knowledge, procedure)
            for part in subexpressions(expr)
            if isinstance(part, Read)
        )

    def left(self, edge: Edge, knowledge: Knowledge, procedure: str) -> Knowledge:
        """What is left after an edge: flags that may have changed, or may change, are forgotten.

        Variables that were read from a flag keep its value, in their own words.
        """
        if not self.ground.guards:
            return knowledge
        places = [place for place, _ in written(edge) if not is_own(place)]
        cells = [self.ground.cells_of(place, procedure) for place in places]
        for flag in sorted(set(self._flags(knowledge, procedure)), key=spelled):
            its = self.ground.cells_of(flag, procedure)
            changes = any(not each or not its.isdisjoint(each) for each in cells)
            if changes or not self._is_held(flag, knowledge, procedure):
                knowledge = without(knowledge, flag)
        return knowledge

    def _is_held(self, flag: Place, knowledge: Knowledge, procedure: str) -> bool:
        guard = self.ground.guard_of(flag, procedure)
        return guard is not None and guard in knowledge.held

    def _flags(self, knowledge: Knowledge, procedure: str) -> Iterator[Place]:
        """The guarded flags that knowledge is about."""
        for expr in (*knowledge.facts, *knowledge.known.values()):
            read = (part.place for part in subexpressions(expr) if isinstance(part, Read))
            for place in read:
                if not is_own(place) and self.ground.guard_of(place, procedure) is not None:
                    yield place
