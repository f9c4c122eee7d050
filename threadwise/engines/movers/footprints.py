"""What an edge may touch, wherever the thread is with its local store: guards true or not.

A footprint is a set of shared cells, as a number with one bit for each cell. It counts everything
an edge mentions: both sides of short-circuits, guards that are false at the moment. A place whose
index depends on shared data stands for the whole variable. An edge into an atomic region stands
for every path through the region; indices there may use only what the region does not assign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from threadwise.analyses.worklist import reached
from threadwise.engines.movers.locks import LockEffect, find_locks, lock_effect
from threadwise.ir.commands import Command
from threadwise.ir.expr import Place, Scope, Variable, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    mentions_shared,
    place_expressions,
    read_places,
    root,
)
from threadwise.ir.layout import size_of
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import GlobalStore
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Local


@dataclass
class Footprint:
    """The cells an edge may read and write; those of locks apart."""

    edge: Edge
    reads: int = 0
    writes: int = 0
    lock_reads: int = 0
    lock_writes: int = 0
    effects: tuple[tuple[str, LockEffect], ...] = ()
    """What it does to which lock."""

    @property
    def touched(self) -> int:
        """Everything it touches."""
        return self.reads | self.writes | self.lock_reads | self.lock_writes

    @property
    def written(self) -> int:
        """Everything it writes."""
        return self.writes | self.lock_writes


def region_of(program: Program, edge: Edge) -> tuple[Edge, ...]:
    """The edge and, if it enters an atomic region, every edge that can follow inside."""

    def inside(number: EdgeId) -> list[EdgeId]:
        target = program.edges[number].target
        atomic = program.locations[target].atomic
        return [inner.id for inner in program.outgoing[target]] if atomic else []

    return tuple(program.edges[number] for number in reached([edge.id], inside))


class Footprints:
    """The footprints of the edges of a program."""

    def __init__(self, system: ConcreteSystem) -> None:
        self.system = system
        self.program = system.program
        self.locks = find_locks(system.program)
        self._regions: dict[EdgeId, tuple[Edge, ...]] = {}

    def at(self, t: Role, l: Local) -> Sequence[Footprint]:
        """What the edges that leave l may touch, whether they are enabled or not."""
        store = self.system.reference_local(t, l)
        view = View(self.program, self.system.layout, t, GlobalStore(()), store)
        return [self._footprint(view, edge) for edge in self.program.outgoing[store.pc]]

    def region(self, edge: Edge) -> tuple[Edge, ...]:
        """See `region_of`."""
        if edge.id not in self._regions:
            self._regions[edge.id] = region_of(self.program, edge)
        return self._regions[edge.id]

    def _footprint(self, view: View, edge: Edge) -> Footprint:
        footprint = Footprint(edge)
        region = self.region(edge)
        changing = frozenset(
            base.variable
            for inner in region
            for place in action_places(inner.action)
            if isinstance(base := root(place), VariablePlace)
        )
        for inner in region:
            if isinstance(inner.action, Command):
                self._add(footprint, view, inner, frozenset() if inner is edge else changing)
        return footprint

    def _add(
        self, footprint: Footprint, view: View, edge: Edge, changing: frozenset[Variable]
    ) -> None:
        """Add what one edge mentions; its indices cannot rely on `changing` variables."""
        for whole in action_expressions(edge.action):
            for place in read_places(whole):
                cells = self._cells(view, place, changing)
                if self._is_lock(place):
                    footprint.lock_reads |= cells
                else:
                    footprint.reads |= cells
        for place in action_places(edge.action):
            cells = self._cells(view, place, changing)
            if self._is_lock(place):
                footprint.lock_writes |= cells
            else:
                footprint.writes |= cells
        effect = lock_effect(edge)
        if effect is not None and effect[0] in self.locks:
            footprint.effects = (*footprint.effects, effect)

    def _is_lock(self, place: Place) -> bool:
        base = root(place)
        assert isinstance(base, VariablePlace)
        return base.variable.scope is Scope.GLOBAL and base.variable.name in self.locks

    def _cells(self, view: View, place: Place, changing: frozenset[Variable]) -> int:
        """The shared cells a place may mean."""
        base = root(place)
        assert isinstance(base, VariablePlace)
        if base.variable.scope is not Scope.GLOBAL:
            return 0
        if not any(
            mentions_shared(index)
            or any(root(p) == VariablePlace(v) for p in read_places(index) for v in changing)
            for index in place_expressions(place)
        ):
            try:
                return 1 << view.resolve(place).slot
            except Undefined:
                pass
        first = self.system.layout.globals.offset[base.variable.name]
        return ((1 << size_of(base.variable.type, self.system.layout.numbers)) - 1) << first
