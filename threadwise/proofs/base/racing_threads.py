"""Races of many states: only threads that may race by where they are need a closer look.

Which variables a step may access is known without running it (`threadwise.analyses.touches`). A
thread none of whose accesses conflicts with what the others may access is in no race. What is left
is decided by the reference semantics, and asked once for each pair of a shared and an own store.
"""

from __future__ import annotations

from functools import cached_property

from threadwise.analyses.touches import (
    NOTHING,
    Masks,
    StepTouches,
    Touches,
    touched_from,
)
from threadwise.ir.program import LocId
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.by_store import ByStore
from threadwise.proofs.base.runs import DrawingInterpreter
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import LocalStore, State
from threadwise.semantics.step import Access


class RacesOfRuns(PropertyChecker):
    """Same answers as `PropertyChecker` about races, faster on many states."""

    def __init__(self, drawing: DrawingInterpreter) -> None:
        super().__init__(drawing)
        self._drawing = drawing
        self._accesses = ByStore[tuple[str, int, LocalStore], list[Access]]()
        self._steps: dict[tuple[str, int, LocId], StepTouches] = {}
        self._candidates: dict[tuple[str, tuple[LocId, ...]], list[int]] = {}

    def accesses(self, checked: RaceProperty, state: State, thread: int) -> list[Access]:
        """The accesses to the property's variables that a thread's enabled edges make."""
        known = self._accesses.at(state.g)
        key = checked.name, thread, state.locals[thread]
        found = known.get(key)
        if found is None:
            drawn = self._drawing.drawn
            found = super().accesses(checked, state, thread)
            if self._drawing.drawn == drawn:
                known[key] = found
        return found

    def candidates(self, checked: RaceProperty, state: State) -> list[int]:
        """The threads whose steps may conflict with a step of another one."""
        at = checked.name, tuple([l.pc for l in state.locals])
        if at not in self._candidates:
            threads = super().candidates(checked, state)
            steps = [self._step(checked, t, state.locals[t].pc) for t in threads]
            others = _Others(steps)
            pairs = zip(threads, steps, strict=True)
            self._candidates[at] = [t for t, step in pairs if step.races(others.of(step))]
        return self._candidates[at]

    def _step(self, checked: RaceProperty, thread: int, pc: LocId) -> StepTouches:
        """What the next step of a thread may touch of what the property is about."""
        key = checked.name, thread if self._touches.cells else 0, pc
        if key not in self._steps:
            whole = touched_from(self.program, self._touches, thread, pc)
            self._steps[key] = whole.within(self._regions(checked))
        return self._steps[key]

    @cached_property
    def _touches(self) -> Touches:
        return Touches.regions(self.program, self.layout.numbers)

    def _regions(self, checked: RaceProperty) -> int:
        """The memory that races of a property may be on: no variables that synchronise."""
        bits, about = self._touches.bits, checked.variables
        shared = [declaration.variable for declaration in self.program.globals]
        found = 0
        for name in bits.keys() - {v.name for v in shared} if about is None else ():
            found |= bits[name]
        for variable in shared:
            if not variable.sync and (about is None or variable.name in about):
                found |= bits[variable.name]
        return found


class _Others:
    """What all other threads may touch, for each of some threads."""

    def __init__(self, steps: list[StepTouches]) -> None:
        self._once, self._twice = _NONE, _NONE
        for step in steps:
            self._twice = _union(self._twice, _common(self._once, step))
            self._once = _union(self._once, step)

    def of(self, step: StepTouches) -> StepTouches:
        """What all touch but the thread of this step: everything that is touched twice, and what
        is touched once, but not by this one."""
        return _union(self._twice, _without(self._once, step))


_NONE = StepTouches(NOTHING, NOTHING)


def _union(one: StepTouches, other: StepTouches) -> StepTouches:
    return StepTouches(one.all | other.all, one.plain | other.plain)


def _common(one: StepTouches, other: StepTouches) -> StepTouches:
    return StepTouches(
        *(Masks(a.read & b.read, a.written & b.written) for a, b in zip(one, other, strict=True))
    )


def _without(one: StepTouches, other: StepTouches) -> StepTouches:
    return StepTouches(
        *(Masks(a.read & ~b.read, a.written & ~b.written) for a, b in zip(one, other, strict=True))
    )
