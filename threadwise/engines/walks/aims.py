"""Directed walks: schedules that lead threads to a goal, each about to take one of certain edges.

A goal is data (`threadwise.engines.api.Goal`): two accesses that may race, or the places where
threads might wait for each other. A thread that reaches one of the places stays there until the
others are at theirs, or no other thread can go on; at branches threads mostly take the shortest
way to such a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from threadwise.analyses.worklist import reached
from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.api import Goal
from threadwise.ir.commands import Call, OperationKind
from threadwise.ir.expr import ThreadAt
from threadwise.ir.program import Edge, LocId, Program

FAR = 1 << 30


@dataclass(frozen=True)
class Aim:
    """A goal in a program."""

    program: Program
    goal: Goal

    @cached_property
    def places(self) -> tuple[frozenset[LocId], ...]:
        """Per side the locations that threads are to be at, before the step with the edge."""
        return tuple(
            frozenset(at for edge in side for at in self._starts(self.program.edges[edge].source))
            for side in self.goal.sides
        )

    def _starts(self, location: LocId) -> Iterable[LocId]:
        """Where a step begins that leads through a location."""
        places = self.program.locations

        def inside(here: LocId) -> Iterable[LocId]:
            return self._before.get(here, ()) if places[here].atomic else ()

        return [here for here in reached([location], inside) if not places[here].atomic]

    @cached_property
    def _before(self) -> dict[LocId, list[LocId]]:
        """The locations that lead to each one, over calls, too."""
        found: dict[LocId, list[LocId]] = {}
        for edge in self.program.edges:
            found.setdefault(edge.target, []).append(edge.source)
            for entry in self._begun(edge):
                found.setdefault(entry, []).append(edge.source)
        return found

    def _begun(self, edge: Edge) -> Iterator[LocId]:
        """Where procedures and threads begin that an edge calls or starts."""
        program, operation = self.program, edge.operation
        if isinstance(edge.action, Call):
            yield program.procedure[edge.action.procedure].entry
        elif operation is not None and operation.kind is OperationKind.SPAWN:
            started = operation.subject
            for template in program.templates:
                named = not isinstance(started, ThreadAt) or started.template == template.name
                if template.pool and named:
                    yield program.procedure[template.body].entry

    @cached_property
    def _leading(self) -> tuple[frozenset[LocId], ...]:
        """Per side the locations from which one of its places is reached."""
        return tuple(
            frozenset(reached(side, lambda here: self._before.get(here, ())))
            for side in self.places
        )

    def leads(self, locations: Iterable[LocId], taken: Iterable[int]) -> bool:
        """Whether one of some locations leads to a side that no thread has taken."""
        others = set(taken)
        missing = [side for number, side in enumerate(self._leading) if number not in others]
        return any(location in side for location in locations for side in missing)

    @cached_property
    def _distances(self) -> dict[LocId, int]:
        places = (at for side in self.places for at in side)
        return reached(places, lambda here: self._before.get(here, ()))

    def distance(self, location: LocId) -> int:
        """How many steps lead from a location to one of the places."""
        return self._distances.get(location, FAR)

    def wanted(self, location: LocId, taken: Iterable[int]) -> int | None:
        """The side that a thread at a location would take, if no other thread has."""
        others = list(taken)
        for number, side in enumerate(self.places):
            if number not in others and location in side:
                return number
        return None
