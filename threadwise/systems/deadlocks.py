"""Deadlocks of the concrete system, as an error pattern over all threads.

Two ways: nobody can go on although somebody is not at its end; or some threads wait in acquire or
join for each other or for a finished holder, even while others run. Both are decided for all
combinations of local stores at a global store at once: the first because it asks each thread
separately, the second by a greatest fixpoint over the threads that can be waiting.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from threadwise.ir.commands import WAITING
from threadwise.ir.expr import Expr
from threadwise.ir.program import Edge, EdgeId, Location
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.types import NONE
from threadwise.semantics.waiting import WaysOn
from threadwise.systems.api import ReachedPairs, Role, Witness
from threadwise.systems.patterns import search_by_global
from threadwise.systems.python_code import Evaluate, Global, Local

if TYPE_CHECKING:
    from threadwise.systems.concrete import ConcreteSystem


@dataclass(frozen=True)
class DeadlockPattern:
    """Nobody can go on although somebody is not at its end, or some wait for each other."""

    property: DeadlockProperty
    system: ConcreteSystem
    _values: dict[tuple[EdgeId, Expr, str], Evaluate] = field(default_factory=dict)

    @cached_property
    def _ways(self) -> WaysOn:
        return WaysOn(self.system.program)

    def violated(self, g: Global, ls: Sequence[Local]) -> bool:
        """Whether a state is a deadlock."""
        return self.search_at(g, [(l,) for l in ls]) is not None

    def search(
        self, reached: ReachedPairs[Global, Local]
    ) -> Sequence[Witness[Global, Local]] | None:
        """A deadlock among pairs with a common global store."""
        return search_by_global(self.search_at, reached)

    def search_at(
        self, g: Global, candidates: Sequence[Collection[Local]]
    ) -> dict[Role, Local] | None:
        """A deadlock among the candidates: of all threads, or of some that wait in a circle."""
        blocked = [
            [l for l in ls if not self.system.is_stopped(l) and not self.system.can_step(t, g, l)]
            for t, ls in zip(self.system.roles, candidates, strict=True)
        ]
        return self._stuck(blocked) or self._circle(g, blocked, candidates)

    def _stuck(self, blocked: Sequence[Sequence[Local]]) -> dict[Role, Local] | None:
        if not all(blocked):
            return None
        for t, ls in zip(self.system.roles, blocked, strict=True):
            for l in ls:
                if not self.may_rest(l):
                    return {Role(u): others[0] for u, others in enumerate(blocked)} | {t: l}
        return None

    def _circle(
        self,
        g: Global,
        blocked: Sequence[Sequence[Local]],
        candidates: Sequence[Collection[Local]],
    ) -> dict[Role, Local] | None:
        finished = {
            t
            for t, ls in zip(self.system.roles, candidates, strict=True)
            if any(self.is_final(l) for l in ls)
        }
        waiting = {
            t: [(l, awaited) for l in ls if (awaited := self.awaited(t, g, l))]
            for t, ls in zip(self.system.roles, blocked, strict=True)
        }
        while True:
            members = {t for t, ways in waiting.items() if ways}
            hopeless = {
                t: [(l, awaited) for l, awaited in waiting[t] if awaited <= members | finished]
                for t in members
            }
            if all(len(hopeless[t]) == len(waiting[t]) for t in members):
                return {t: ways[0][0] for t, ways in hopeless.items()} or None
            waiting = hopeless

    def _location(self, l: Local) -> Location:
        return self.system.program.locations[self.system.location(l)]

    def is_final(self, l: Local) -> bool:
        """Whether a thread has ended; one that may yet be started has not."""
        return (
            self._location(l).final and not self.system.program.outgoing[self.system.location(l)]
        )

    def may_rest(self, l: Local) -> bool:
        """Whether a thread may stay where it is for ever."""
        location = self._location(l)
        return location.final or any(label.startswith("end") for label in location.labels)

    def awaited(self, t: Role, g: Global, l: Local) -> frozenset[int]:
        """The threads that a blocked thread waits for in acquire or join; empty if in neither."""
        awaited: set[int] = set()
        for edge, condition in self._ways.of(self.system.location(l)):
            if not self._value(t, edge, condition)(t, g, l):
                continue
            if edge.operation is None or edge.operation.kind not in WAITING:
                return frozenset()
            assert edge.operation.subject is not None
            holder = self._value(t, edge, edge.operation.subject)(t, g, l)
            if not isinstance(holder, int) or holder == NONE:
                return frozenset()
            awaited.add(holder)
        return frozenset(awaited)

    def _value(self, t: Role, edge: Edge, expr: Expr) -> Evaluate:
        key = (edge.id, expr, self.system.layout.numbers.templates[t])
        if key not in self._values:
            procedure = self.system.program.procedure_of[edge.source].name
            compiler = self.system.code[t].compiler
            self._values[key] = compiler.formula(procedure, expr)
        return self._values[key]
