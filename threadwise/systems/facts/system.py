"""The views of a symmetric system that agree with linear invariants.

    a view at p                            threads at p: at least 1
    a step from m that is seen by p        threads at p and m: at least 1 each, 2 if p = m
    views that violate a property          all their threads are counted

A step carries the location it was taken from, so that it can be decided whether its thread can be
there together with the threads of a view. The equations hold until a thread fails: views of failed
threads are not filtered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from threadwise.ir.program import LocId
from threadwise.ir.properties import Property
from threadwise.systems.api import ErrorPattern, Pop, Push, Role, Step
from threadwise.systems.concrete import Frame
from threadwise.systems.facts.stores import StoreFacts
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.errors import symmetric_patterns
from threadwise.systems.symmetric.system import Change, SymmetricSystem


class PlacedChange(NamedTuple):
    """What others see of a step, and where its thread was."""

    change: Change
    location: LocId


class CountedSystem:
    """Views of one representative per class, without those that facts exclude."""

    def __init__(self, system: SymmetricSystem, facts: StoreFacts) -> None:
        self.system = system
        self.facts = facts
        self.roles: Sequence[Role] = system.roles

    def possible(self, g: Global, ls: Sequence[Local]) -> bool:
        """Whether distinct threads may be in these local stores together."""
        if any(map(self.system.is_stopped, ls)):
            return True
        return self.facts.possible(g, [self.system.location(l) for l in ls])

    def initial(self, t: Role) -> Iterable[tuple[Global, Local]]:
        """Rule INIT."""
        return self.system.initial(t)

    def step(self, t: Role, g: Global, l: Local) -> Iterator[Step[Global, Local, PlacedChange]]:
        """Relation T."""
        for step in self.system.step(t, g, l):
            if self.possible(step.g, [step.l]):
                placed = PlacedChange(step.action, self.system.location(l))
                yield Step(step.choices, step.g, step.l, placed)

    def interferes(self, e: Role, t: Role) -> bool:
        """Whether t can see steps of e."""
        return self.system.interferes(e, t)

    def keys(self, t: Role, g: Global) -> Iterable[Hashable]:
        """Which changes apply."""
        return self.system.keys(t, g)

    def key(self, a: PlacedChange) -> Hashable:
        """The key of a change."""
        return self.system.key(a.change)

    def interfere(
        self, t: Role, g: Global, l: Local, e: Role, a: PlacedChange
    ) -> Iterator[tuple[Global, Local]]:
        """Rule ENV, for threads that can be where they are together."""
        if not self.system.is_stopped(l):
            places = [self.system.location(l), a.location]
            if not self.facts.possible(g, places):
                return
        for after_g, after_l in self.system.interfere(t, g, l, e, a.change):
            if self.possible(after_g, [after_l]):
                yield after_g, after_l

    def push(self, t: Role, g: Global, l: Local) -> Iterator[Push[Local, Frame]]:
        """Relation T+."""
        return self.system.push(t, g, l)

    def pop(self, t: Role, g: Global, l: Local, f: Frame) -> Iterator[Pop[Local]]:
        """Relation T-."""
        return self.system.pop(t, g, l, f)

    def location(self, l: Local) -> LocId:
        """Where a thread is."""
        return self.system.location(l)

    def errors(self, properties: Sequence[Property]) -> Sequence[ErrorPattern[Global, Local]]:
        """How the properties can be violated."""
        return [
            pattern
            for checked in properties
            for pattern in symmetric_patterns(self.system, checked, self.possible)
        ]
