"""Objects that are handed over, as pointers in memory show them.

What a slot points to is in a container, and so is what the links of such an object lead to. No two
cells of containers refer to one object; what a thread has taken is in none. Elements of a pool are
objects, too; what is unused is in no container, nor do its links lead to one, if it is not torn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

from threadwise.ir.layout import extent_of, size_of
from threadwise.ir.types import Address, ArrayType, Value
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.ghosts import Ghosts
from threadwise.proofs.locksets.auditing.lists import Lists
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import State

Item = int | tuple[str, int]
"""An object: its number, or the array and the number of the element."""


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
        self._seen: tuple[State, list[tuple[CellRef, Item]]] | None = None

    def look(self, moment: Moment) -> None:
        """Whether objects are found in containers only, each once; raises Broken."""
        if not self.handed:
            return
        self.evaluated["handed"] += 1
        for cell, _ in self._pointers(moment):
            target = self.world.target(cell, moment.state)
            if target.object not in self.handed and target not in self.slots:
                raise Broken(f"handed: {target.object} points to an object, and is no slot")
        self.found(moment)

    def found(self, moment: Moment) -> dict[Item, CellRef | None]:
        """The objects in containers, with the locks; raises Broken if one is found twice."""
        found: dict[Item, CellRef | None] = {}
        for cell, number in self._pointers(moment):
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

    def item(self, value: Value, moment: Moment) -> Item | None:
        """The handed object that a value points to."""
        number = self.world.heap_number(value)
        if number is not None:
            return number if self.is_handed(number, moment) else None
        if not isinstance(value, Address) or not 0 <= value.number < self.world.declared:
            return None
        name = self.world.program.globals[value.number].variable.name
        if name not in self._pools:
            return None
        size, extent = self._pools[name]
        index = value.offset // size
        return (name, index) if 0 <= index < extent else None

    @cached_property
    def _pools(self) -> dict[str, tuple[int, int]]:
        """The arrays whose elements are handed over: how large these are, and how many."""
        numbers, found = self.world.layout.numbers, dict[str, tuple[int, int]]()
        for declaration in self.world.program.globals:
            held, name = declaration.variable.type, declaration.variable.name
            if name in self.handed and isinstance(held, ArrayType):
                found[name] = size_of(held.element, numbers), extent_of(held, numbers)
        return found

    def _pointers(self, moment: Moment) -> list[tuple[CellRef, Item]]:
        """The shared cells with pointers to handed objects; those of the last state are kept."""
        state = moment.state
        if self._seen is None or self._seen[0] is not state:
            cells = [
                CellRef(Region.GLOBAL, 0, slot)
                for slot, value in enumerate(state.g.cells)
                if isinstance(value, Address)
            ]
            for number, held in enumerate(state.g.heap):
                cells += [CellRef(Region.HEAP, number, slot) for slot in range(len(held.cells))]
            both = ((cell, self.item(moment.content(cell), moment)) for cell in cells)
            self._seen = state, [(cell, item) for cell, item in both if item is not None]
        return self._seen[1]

    def led_to(self, number: Item, moment: Moment) -> Iterator[Item]:
        """The handed objects that one leads to, and itself."""
        pending, seen = [number], set[Item]()
        while pending:
            here = pending.pop()
            if here not in seen:
                seen.add(here)
                yield here
                pending += self._linked(here, moment)

    def are_unused(self, items: list[Item], moment: Moment, *, torn: bool) -> bool:
        """Whether nobody refers to elements of a pool, as containers show."""
        found = self.found(moment)
        led = (set[Item]({item}) if torn else self.led_to(item, moment) for item in items)
        return all(found.keys().isdisjoint(each) for each in led)

    def numbers(self, name: str) -> range:
        """The numbers of the elements of a pool."""
        return range(self._pools[name][1] if name in self._pools else 0)

    def _linked(self, item: Item, moment: Moment) -> list[Item]:
        state = moment.state
        if isinstance(item, int):
            held = state.g.heap[item].cells
        else:
            name, index = item
            size = self._pools[name][0]
            start = self.world.layout.globals.offset[name] + index * size
            held = state.g.cells[start : start + size]
        found = (self.item(value, moment) for value in held if isinstance(value, Address))
        return [other for other in found if other is not None]

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
