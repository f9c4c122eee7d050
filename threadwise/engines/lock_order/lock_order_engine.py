"""Proofs that there is no deadlock, by the order in which locks are taken and threads joined.

`threadwise.proofs.lock_order.check` says what is to be shown and why it suffices. What changes
inside procedures is a fixpoint (`held`), and so is how they are entered. Then every wait gives
edges of a graph: from what is held, and from the end of the thread that waits, to what it waits
for. Its strongly connected parts are the groups; one that has a cycle needs a gate lock, one that
is surely held at all waits inside. Without one, the waits along the cycle are goals of searches;
so they are where the program has something that orders of locks say nothing about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

from threadwise.analyses.components import components
from threadwise.engines.api import Finding, Goal, Proved, Task, Undecided
from threadwise.engines.lock_order.held import Changes, Entries
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.lock_order.certificate import (
    NOTHING,
    Group,
    Known,
    LockOrderCertificate,
    Names,
)
from threadwise.proofs.lock_order.conditions import check_conditions, check_enabled
from threadwise.proofs.lock_order.facts import awaited, begun_at, end_of, taken
from threadwise.proofs.lock_order.lock_fields import narrowed, reads_members, without_excluded
from threadwise.proofs.lock_order.locks import Locks
from threadwise.transforms.simplify.intervals import bounds_of_locals

MOST_GOALS = 40
"""So many cycles are passed on to searches."""


class Cycle(Refuted):
    """Locks are waited for in a cycle, at these places."""

    def __init__(self, told: str, goals: tuple[Goal, ...]) -> None:
        super().__init__(told)
        self.goals = goals


@dataclass(frozen=True)
class Wait:
    """A wait for a node by a thread that holds something."""

    before: Names
    sure: Names
    node: str
    edge: Edge


class LockOrderEngine:
    """Finds an order of locks."""

    name = "lock-order"

    def run(self, task: Task) -> Iterator[Finding]:
        """Prove that there is no deadlock, or say which locks are taken in a cycle."""
        names = tuple(p.name for p in task.properties if isinstance(p, DeadlockProperty))
        left = tuple(p.name for p in task.properties if p.name not in names)
        if left:
            yield Undecided(left, "an order of locks is about deadlocks only", applies=False)
        if not names:
            return
        try:
            program = narrowed(task.program)
            bounds = _needed_bounds(program, task.meter.check)
            program = without_excluded(program, bounds)
        except Refuted as refuted:
            yield Undecided(names, f"no order of locks: {refuted}")
            return
        reason: Refuted | None = None
        try:
            check_conditions(program, bounds, task.meter.check)
        except Refuted as refuted:
            reason = refuted
        try:
            certificate = _Search(task, program, names, bounds).certificate()
        except Cycle as cycle:
            yield Undecided(names, f"no order of locks: {reason or cycle}", goals=cycle.goals)
            return
        except Refuted as refuted:
            reason = reason or refuted
        if reason is not None:
            yield Undecided(names, f"no order of locks: {reason}")
            return
        yield Proved(names, certificate)


def _needed_bounds(program: Program, tick: Callable[[], object]) -> dict[str, Mapping[int, Known]]:
    """Bounds of locals in procedures where one can go on only within them."""
    found: dict[str, Mapping[int, Known]] = {}
    for procedure in program.procedures:
        tick()
        try:
            check_enabled(program, procedure, None)
            needed = reads_members(procedure)
        except Refuted:
            needed = True
        if needed:
            found[procedure.name] = bounds_of_locals(procedure)
    return found


class _Search:
    def __init__(
        self,
        task: Task,
        program: Program,
        names: tuple[str, ...],
        bounds: Mapping[str, Mapping[int, Known]],
    ) -> None:
        self.task = task
        self.bounds = bounds
        self.program = program
        """The program as an order of locks reads it."""
        self.names = names
        self.locks = Locks(program)
        self.changes = Changes(self.program, self.locks, task.meter.check)
        self.entries = Entries(self.program, self.changes.at, task.meter.check)

    def certificate(self) -> LockOrderCertificate:
        """What is held, and an order for it; raises Refuted if there is none."""
        self._check_ends()
        self._check_single()
        return LockOrderCertificate(
            program_hash(self.task.program),
            self.names,
            self.changes.at,
            tuple(self.entries.all()),
            tuple(self._order(list(self._waits()))),
            self.bounds,
        )

    def _check_ends(self) -> None:
        for entry in self.entries.all():
            at = self.changes.at[entry.procedure]
            for location in self.program.procedure[entry.procedure].locations:
                ended = location.final and not self.program.outgoing[location.id]
                if ended and location.id in at and (locks := at[location.id].may(entry.may)):
                    told = ", ".join(sorted(locks))
                    raise Refuted(f"a thread of {entry.procedure} may end with {told}")

    def _check_single(self) -> None:
        """Of a class of several locks, a thread has at most one."""
        for entry in self.entries.all():
            at = self.changes.at[entry.procedure]
            for edge in self.program.procedure[entry.procedure].edges:
                lock = taken(edge) if edge.source in at else None
                if lock is None or self.locks.is_one(lock):
                    continue
                if (name := self.locks.of(lock)) in at[edge.source].may(entry.may):
                    where = f" (line {edge.span.line})" if edge.span is not None else ""
                    raise Refuted(f"a second lock of {name} is taken{where}")

    # -- the order -------------------------------------------------------------------------------

    def _waits(self) -> Iterator[Wait]:
        waiting = {
            name: [
                (edge, node, begun[edge.source])
                for begun in [begun_at(self.program, self.program.procedure[name], at)]
                for edge in self.program.procedure[name].edges
                if edge.source in begun
                for node in sorted(awaited(self.program, edge, self.locks))
            ]
            for name, at in self.changes.at.items()
        }
        for template in self.program.templates:
            ends = frozenset({end_of(template.name)}) if template.pool else NOTHING
            for entry in self.entries.reached(template.body):
                for edge, node, begun in waiting[entry.procedure]:
                    self.task.meter.check()
                    yield Wait(begun.may(entry.may) | ends, begun.surely(entry.surely), node, edge)

    def _order(self, waits: Sequence[Wait]) -> Iterator[Group]:
        after: dict[str, dict[str, None]] = {}
        for wait in waits:
            after.setdefault(wait.node, {})
            for node in wait.before:
                after.setdefault(node, {})[wait.node] = None
        cycles = {node: part for part in components(after) for node in part}
        groups: dict[str, Group] = {}
        for node in sorted(after):
            if node in cycles:
                part = frozenset(cycles[node])
                groups[node] = groups.get(min(part)) or self._gated(part, waits)
                groups[min(part)] = groups[node]
            else:
                groups[node] = Group(frozenset({node}))
        yield from _sorted(after, groups)

    def _gated(self, part: Names, waits: Sequence[Wait]) -> Group:
        inside = [wait for wait in waits if wait.node in part and wait.before & part]
        gates = frozenset.intersection(*(wait.sure for wait in inside)) - part
        itself = any(wait.node in wait.before for wait in inside)
        if gates and not itself:
            return Group(part, min(gates))
        lines = sorted({wait.edge.span.line for wait in inside if wait.edge.span is not None})
        shown = ", ".join(sorted(part)[:6])
        where = f" (lines {', '.join(map(str, lines[:8]))})" if lines else ""
        told = f"{shown} are waited for in a cycle{where}"
        raise Cycle(told, tuple(cycles_of(inside)))


def _sorted(after: dict[str, dict[str, None]], groups: dict[str, Group]) -> Iterator[Group]:
    """The groups, each before those that it leads to."""
    before: dict[Group, dict[Group, None]] = {groups[node]: {} for node in sorted(after)}
    for node, targets in after.items():
        for target in targets:
            if groups[target] != groups[node]:
                before[groups[target]][groups[node]] = None
    yield from TopologicalSorter(before).static_order()


def cycles_of(waits: Sequence[Wait]) -> Iterator[Goal]:
    """Shortest cycles through each of some waits, each side the places of one wait in it."""
    places: dict[tuple[str, str], set[EdgeId]] = {}
    after: dict[str, set[str]] = {}
    for wait in waits:
        for node in wait.before:
            places.setdefault((node, wait.node), set()).add(wait.edge.id)
            after.setdefault(node, set()).add(wait.node)
    found: dict[frozenset[tuple[str, str]], None] = {}
    for first, second in sorted(places):
        way = _shortest(second, first, after)
        if way is not None:
            found.setdefault(frozenset([(first, second), *pairwise(way)]))
    shortest = sorted(found, key=lambda cycle: (len(cycle), sorted(cycle)))
    for cycle in shortest[:MOST_GOALS]:
        yield Goal(tuple(frozenset(places[pair]) for pair in sorted(cycle)))


def _shortest(start: str, end: str, after: dict[str, set[str]]) -> list[str] | None:
    ways = [[start]]
    seen = {start}
    for way in ways:  # which grow
        if way[-1] == end:
            return way
        for node in sorted(after.get(way[-1], ())):
            if node not in seen:
                seen.add(node)
                ways.append([*way, node])
    return None
