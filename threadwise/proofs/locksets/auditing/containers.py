"""Objects that are handed over, as pointers in memory show them.

What a slot points to is in a container, and so is what the links of such an object lead to. No two
cells of containers refer to one object; what a thread has taken is in none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.ghosts import Ghosts
from threadwise.proofs.locksets.auditing.lists import Lists
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.evaluate import CellRef, Region


class Containers:
    """The claims about handed sites and slots."""

    def __init__(
        self,
        world: World,
        handed: frozenset[str],
        slots: Mapping[Target, Key],
        evaluated: Counter[str],
    ) -> None:
        self.world = world
        self.handed = handed
        self.slots = slots
        self.lists = Lists(world, handed, slots, evaluated)
        self.evaluated = evaluated

    def look(self, moment: Moment) -> None:
        """Whether objects are found in containers only, each once; raises Broken."""
        if not self.handed:
            return
        self.evaluated["handed"] += 1
        for cell, _ in self.lists.pointers(moment):
            target = self.world.target(cell, moment.state)
            if target.object not in self.handed and target not in self.slots:
                raise Broken(f"handed: {target.object} points to an object, and is no slot")
        self.found(moment)

    def found(self, moment: Moment) -> dict[int, CellRef | None]:
        """The objects in containers, with the locks; raises Broken if one is found twice."""
        found: dict[int, CellRef | None] = {}
        for cell, number in self.lists.pointers(moment):
            target = self.world.target(cell, moment.state)
            if target in self.slots:
                lock = self.lists.lock(self.slots[target], cell, moment)
                pending = [number]
                while pending:
                    here = pending.pop()
                    if here in found:
                        raise Broken("handed: two cells of containers lead to one object")
                    found[here] = lock
                    pending += self._linked(here, moment)
        return found

    def is_handed(self, number: int, moment: Moment) -> bool:
        """Whether an object is of a handed site."""
        return self.lists.is_homed(number, moment)

    def led_to(self, number: int, moment: Moment) -> Iterator[int]:
        """The handed objects that one leads to, and itself."""
        pending, seen = [number], set[int]()
        while pending:
            here = pending.pop()
            if here not in seen:
                seen.add(here)
                yield here
                pending += self._linked(here, moment)

    def _linked(self, number: int, moment: Moment) -> list[int]:
        linked = self.lists.linked(number, moment)
        return [other for other in linked if self.is_handed(other, moment)]

    # -- who writes slots ------------------------------------------------------------------------

    def edge(self, micro: Micro, ghosts: Ghosts, *, private: bool, cell: CellRef) -> None:
        """The writer of a slot holds its lock, or runs alone, or the slot has not escaped."""
        target = self.world.target(cell, micro.after.state)
        if target not in self.slots:
            return
        self.evaluated["slots"] += 1
        others = any(t != micro.thread for t in self.world.running(micro.before.state))
        lock = self.lists.lock(self.slots[target], cell, micro.before)
        if private or not others:
            return
        if lock is None or not self._holds(lock, micro, ghosts):
            raise Broken(f"slots: {target.object} is written without its lock")

    def _holds(self, lock: CellRef, micro: Micro, ghosts: Ghosts) -> bool:
        taken = micro.thread in ghosts.tokens_of(micro.before.lasting(lock))
        return taken or self._content(lock, micro) == micro.thread

    def _content(self, cell: CellRef, micro: Micro) -> object:
        new = cell.region is Region.HEAP and cell.number >= len(micro.before.names)
        return None if new else micro.before.content(cell)
