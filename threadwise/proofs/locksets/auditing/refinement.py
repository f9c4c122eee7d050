"""What the more precise pass (`refined`) claims, evaluated in a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from threadwise.ir.expr import Place, Read
from threadwise.ir.types import MutexType, Type, Value
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.state import EVERY, State
from threadwise.semantics.evaluate import CellRef, Region, Undefined


class SecondLook:
    """The meaning of the claims of the more precise pass."""

    def __init__(self, world: World, claim: Refinement | None, evaluated: Counter[str]) -> None:
        self.world = world
        self.claim = claim
        self.evaluated = evaluated
        self._owners: dict[Type, tuple[int, ...]] = {}

    def look(self, thread: int, moment: Moment) -> None:
        """What holds for a thread in a state; raises Broken."""
        if self.claim is None:
            return
        pc = moment.state.locals[thread].pc
        state = self.claim.states.get(pc)
        if state is None:
            raise Broken(f"second look: no thread gets to location {pc}")
        self.evaluated["second look"] += 1
        for target in self._owned(thread, moment):
            if not state.may_hold(frozenset({target})) and not self._is_left(target):
                raise Broken(f"second look: {target.object} is held at location {pc}")
        for place, (low, high) in state.ranges.items():
            value = self._value(place, thread, moment)
            if isinstance(value, int) and not low <= value <= high:
                raise Broken(f"second look: {value} is not in {low} to {high}, location {pc}")
        for place, cell in state.copies.items():
            value = self._value(place, thread, moment)
            if value is not None and value != self._value(cell, thread, moment):
                raise Broken(f"second look: a variable holds no copy at location {pc}")
        self._always(thread, state, moment)

    def _always(self, thread: int, state: State, moment: Moment) -> None:
        """Flags, counts and limits, as far as the thread is concerned."""
        assert self.claim is not None
        claim = self.claim
        only = list(self.world.running(moment.state)) == [thread] == [self.world.first]
        for target, value in self._cells(moment):
            if not isinstance(value, int):
                continue
            early = claim.flags.get(target)
            late = target in state.late or EVERY in state.late
            if early is not None and value not in early and not late:
                raise Broken(f"second look: a flag of {target.object} is {value}")
            low, high = claim.limits.get(target, (value, value))
            if not low <= value <= high:
                raise Broken(f"second look: {target.object} holds {value}, beyond its limits")
            counted = only and target in claim.counts and not self._is_left(target)
            if counted and value and not state.may_hold(frozenset({target})):
                raise Broken(f"second look: a count of {target.object} is {value}")

    def _is_left(self, target: Target) -> bool:
        assert self.claim is not None
        return target in self.claim.left or EVERY in self.claim.left

    def _value(self, place: Place, thread: int, moment: Moment) -> Value:
        try:
            return self.world.view(moment, thread).evaluate(Read(place))
        except Undefined:
            return None

    # -- shared memory ---------------------------------------------------------------------------

    @cached_property
    def _objects(self) -> frozenset[str]:
        """The objects that something is claimed of."""
        assert self.claim is not None
        claim = self.claim
        return frozenset(c.object for c in (*claim.flags, *claim.counts, *claim.limits))

    def _cells(self, moment: Moment) -> Iterator[tuple[Target, Value]]:
        """The cells of these, and what they hold."""
        for declaration in self.world.program.globals:
            variable = declaration.variable
            if variable.name in self._objects:
                start = self.world.layout.globals.offset[variable.name]
                for slot in range(start, start + self.world.shape(variable.type).size):
                    cell = CellRef(Region.GLOBAL, 0, slot)
                    yield self.world.target(cell, moment.state), moment.content(cell)
        for number, held in enumerate(moment.state.g.heap):
            if self.world.sites[held.site][0] in self._objects:
                for slot, value in enumerate(held.cells):
                    cell = CellRef(Region.HEAP, number, slot)
                    yield self.world.target(cell, moment.state), value

    def _owned(self, thread: int, moment: Moment) -> Iterator[Target]:
        """The owners of mutexes that the thread is."""
        for declaration in self.world.program.globals:
            start = self.world.layout.globals.offset[declaration.variable.name]
            for slot in self._owner_slots(declaration.variable.type):
                cell = CellRef(Region.GLOBAL, 0, start + slot)
                if moment.content(cell) == thread:
                    yield self.world.target(cell, moment.state)
        for number, held in enumerate(moment.state.g.heap):
            kind = self.world.held(held)
            size = self.world.shape(kind).size
            slots = self._owner_slots(kind)
            for start in range(0, len(held.cells) if slots else 0, max(size, 1)):
                for slot in slots:
                    cell = CellRef(Region.HEAP, number, start + slot)
                    if start + slot < len(held.cells) and moment.content(cell) == thread:
                        yield self.world.target(cell, moment.state)

    def _owner_slots(self, held: Type) -> tuple[int, ...]:
        if held not in self._owners:
            shape = self.world.shape(held)
            found: list[int] = []
            for slot in range(shape.size):
                around = shape.around(slot)
                if (
                    around
                    and isinstance(around[-1].type, MutexType)
                    and around[-1].step == "owner"
                ):
                    found.append(slot)
            self._owners[held] = tuple(found)
        return self._owners[held]
