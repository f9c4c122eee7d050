"""Objects in lists and the locks of these lists (*homes*), as pointers in memory show them.

An object of a homed site that a *gate* (the root cell of a list) points to has the gate's lock as
its home, what an object with a home points to has the same, and both keep it for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from threadwise.ir.types import RecordType
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.ghosts import Ghosts
from threadwise.proofs.locksets.auditing.layout import Around
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import GLOBAL, RECORD, Key
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.evaluate import CellRef, Region


class Lists:
    """The claims about homed sites and gates."""

    def __init__(
        self,
        world: World,
        homed: frozenset[str],
        gates: Mapping[Target, Key],
        evaluated: Counter[str],
    ) -> None:
        self.world = world
        self.homed = homed
        self.gates = gates
        self.evaluated = evaluated

    def look(self, moment: Moment, ghosts: Ghosts) -> None:
        """Find the homes of objects; raises Broken if one has two, or is found elsewhere."""
        if not self.homed:
            return
        for cell, number in self.pointers(moment):
            target = self.world.target(cell, moment.state)
            if target.object in self.homed:
                continue
            self.evaluated["homed"] += 1
            if target not in self.gates:
                raise Broken(
                    f"homed: {target.object} points to an object of a list, and is no gate"
                )
            lock = self.lock(self.gates[target], cell, moment)
            if lock is None:
                raise Broken(f"gates: no lock is found for {target.object}")
            self._settle(number, moment.lasting(lock), moment, ghosts)
        for cell, number in self.pointers(moment):
            if cell.region is Region.HEAP and moment.names[cell.number] in ghosts.homes:
                self._settle(number, ghosts.homes[moment.names[cell.number]], moment, ghosts)

    def pointers(self, moment: Moment) -> Iterator[tuple[CellRef, int]]:
        """The shared cells with pointers to objects of homed sites."""
        state = moment.state
        cells = [CellRef(Region.GLOBAL, 0, slot) for slot in range(len(state.g.cells))]
        for number, held in enumerate(state.g.heap):
            cells += [CellRef(Region.HEAP, number, slot) for slot in range(len(held.cells))]
        for cell in cells:
            number_ = self.world.heap_number(moment.content(cell))
            if number_ is not None and self.is_homed(number_, moment):
                yield cell, number_

    def is_homed(self, number: int, moment: Moment) -> bool:
        """Whether an object is of a homed site."""
        return self.world.sites[moment.state.g.heap[number].site][0] in self.homed

    def _settle(self, number: int, lock: CellRef, moment: Moment, ghosts: Ghosts) -> None:
        """An object has a home, and so have those that it leads to."""
        pending = [number]
        seen: set[int] = set()
        while pending:
            number = pending.pop()
            if number in seen or not self.is_homed(number, moment):
                continue
            seen.add(number)
            if ghosts.homes.setdefault(moment.names[number], lock) != lock:
                raise Broken("gates: an object is in two lists with different locks")
            pending += self.linked(number, moment)

    def linked(self, number: int, moment: Moment) -> list[int]:
        """The objects that one points to."""
        found = map(self.world.heap_number, moment.state.g.heap[number].cells)
        return [other for other in found if other is not None]

    def homes_of(self, number: int, moment: Moment, ghosts: Ghosts) -> set[CellRef]:
        """The home of an object; if it has none yet, the homes that it leads to."""
        found: set[CellRef] = set()
        pending, seen = [number], set[int]()
        while pending:
            number = pending.pop()
            if number in seen or not self.is_homed(number, moment):
                continue
            seen.add(number)
            home = ghosts.homes.get(moment.names[number])
            if home is not None:
                found.add(home)
            else:
                pending += self.linked(number, moment)
        return found

    # -- locks of gates --------------------------------------------------------------------------

    def lock(self, key: Key, cell: CellRef, moment: Moment) -> CellRef | None:
        """The lock that goes with a gate."""
        name, held, start = self.world.home(cell, moment.state)
        around = self.world.shape(held).around(cell.slot - start)
        if key.kind == RECORD:
            slot = self._beside(key, around)
            return None if slot is None else cell._replace(slot=start + slot)
        path = tuple("#" if isinstance(part.step, int) else part.step for part in around)
        if key.kind != GLOBAL and (name != key.base or path != key.path):
            return None
        if key.lock not in self._offsets:
            return None
        indices = tuple(part.step for part in around if isinstance(part.step, int))
        lock = self.world.program.globals[list(self._offsets).index(key.lock)].variable.type
        steps = _steps(key.way, indices)
        found = None if steps is None else self.world.shape(lock).follow(steps, lock, 0)
        return (
            None if found is None else CellRef(Region.GLOBAL, 0, self._offsets[key.lock] + found)
        )

    @property
    def _offsets(self) -> Mapping[str, int]:
        return self.world.layout.globals.offset

    def _beside(self, key: Key, around: list[Around]) -> int | None:
        """A lock in the record that a cell is in."""
        for position in reversed(range(len(around))):
            held, start, _ = around[position]
            members = tuple(p.step for p in around[position:] if isinstance(p.step, str))
            if isinstance(held, RecordType) and (held.name, members) == (key.base, key.path):
                steps = _steps(key.way, ())
                return None if steps is None else self.world.shape(held).follow(steps, held, start)
        return None


def _steps(way: tuple[str, ...], indices: tuple[int, ...]) -> tuple[str | int, ...] | None:
    """Members and indices, from how a certificate writes them."""
    found: list[str | int] = []
    for step in way:
        position = step.strip("#[]")
        if step.startswith("[") and position.isdigit():
            found.append(int(position))
        elif step.startswith("#") and position.isdigit():
            if int(position) >= len(indices):
                return None
            found.append(indices[int(position)])
        else:
            found.append(step)
    return tuple(found)
