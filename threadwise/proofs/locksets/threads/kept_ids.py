"""Ids of threads that the first thread keeps in memory: `pthread_t` that are global variables.

store     t := id, where only the first thread ever writes t     t holds the id of that start
another   a write to what may be t                               what is known of t is dropped
"""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import Expr, Place, Read, ThreadAt, VariablePlace
from threadwise.ir.fold import root
from threadwise.ir.program import Edge, Procedure
from threadwise.ir.types import TidType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    is_definite,
    is_own,
    named_place,
    overlap,
)
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.threads.creation import started


@dataclass(frozen=True)
class KeptIds:
    """The ids in memory."""

    ground: Ground

    def kept(
        self,
        edge: Edge,
        before: Knowledge,
        after: Knowledge,
        procedure: Procedure,
        *,
        first: bool,
    ) -> Knowledge:
        """What is known after an edge, with the ids that it puts in memory."""
        after = self.left(after, edge, procedure.name, procedure.name, before.known)
        if not first:
            return after
        for target, value in written(edge):
            there = named_place(target, before.known)
            if is_own(target) or not self._can_keep(there, procedure.name):
                continue
            event = self._event(edge, value, before)
            if event is not None and event.time != MANY:
                after = replace(after, handles={**after.handles, there: event})
        return after

    def _can_keep(self, place: Place, procedure: str) -> bool:
        return (
            isinstance(place.type, TidType)
            and isinstance(root(place), VariablePlace)
            and is_definite(place)
            and self.ground.is_firsts(place, procedure)
        )

    def _event(self, edge: Edge, value: Expr | None, before: Knowledge) -> Event | None:
        """The start whose id a value is."""
        if isinstance(value, Read):
            return before.handles.get(named_place(value.place, before.known))
        if isinstance(value, ThreadAt) and edge.id in self.ground.threads.starts:
            return started(before, edge.id)[1]
        return None

    def left(
        self,
        knowledge: Knowledge,
        edge: Edge,
        procedure: str,
        where: str,
        known: Mapping[Place, Expr],
    ) -> Knowledge:
        """What a procedure still knows of ids in memory after an edge of another one."""
        if all(map(is_own, knowledge.handles)):
            return knowledge
        for target, _ in written(edge):
            if is_own(target):
                continue
            if not isinstance(target.type, TidType) and self.ground.is_exact(target, procedure):
                continue
            cells = self.ground.cells_of(target, procedure)
            there = named_place(target, known)
            handles = {
                place: event
                for place, event in knowledge.handles.items()
                if is_own(place) or self._is_elsewhere(place, there, cells, where)
            }
            knowledge = replace(knowledge, handles=handles)
        return knowledge

    def _is_elsewhere(
        self, place: Place, target: Place, cells: frozenset[Target], where: str
    ) -> bool:
        """Whether a write to a target, which may be these cells, leaves a place alone."""
        if cells and cells.isdisjoint(self.ground.cells_of(place, where)):
            return True
        return isinstance(root(target), VariablePlace) and not overlap(place, target)
