"""Proofs that there is no deadlock, by the order in which locks are taken and threads joined.

`threadwise.proofs.lock_order.check` says what is to be shown and why it suffices. What may be held
where is a least fixpoint, what surely is a greatest one, both for each procedure and what may be
held where it begins. Then every wait gives edges of a graph: from what is held, and from the end
of the thread that waits, to what it waits for. Its strongly connected parts are the groups; one
that has a circle needs a gate, a lock that is surely held at all waits inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from threadwise.analyses.components import components
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.lock_order.certificate import (
    Context,
    Group,
    LockOrderCertificate,
    Names,
)
from threadwise.proofs.lock_order.conditions import check_conditions
from threadwise.proofs.lock_order.facts import awaited, end_of, given_back, taken

NOTHING: Names = frozenset()


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
        """Prove that there is no deadlock, or say which locks are taken in a circle."""
        names = tuple(p.name for p in task.properties if isinstance(p, DeadlockProperty))
        left = tuple(p.name for p in task.properties if p.name not in names)
        if left:
            yield Undecided(left, "an order of locks is about deadlocks only", applies=False)
        if not names:
            return
        try:
            check_conditions(task.program, task.meter.check)
            certificate = _Search(task, names).certificate()
        except Refuted as refuted:
            yield Undecided(names, f"no order of locks: {refuted}")
            return
        yield Proved(names, certificate)


@dataclass
class _Held:
    """What may be held and surely is, by location of one procedure in one context."""

    may: dict[int, Names] = field(default_factory=dict)
    sure: dict[int, Names] = field(default_factory=dict)


class _Search:
    def __init__(self, task: Task, names: tuple[str, ...]) -> None:
        self.task = task
        self.program: Program = task.program
        self.names = names
        self.held: dict[Context, _Held] = {}
        self.callers: dict[Context, set[tuple[Context, int]]] = {}
        self.pending: list[tuple[Context, int]] = []
        self.changes = {edge.id: (taken(edge), given_back(edge)) for edge in self.program.edges}

    def certificate(self) -> LockOrderCertificate:
        """What is held, and an order for it; raises Refuted if there is none."""
        for template in self.program.templates:
            self._enter((template.body, NOTHING), NOTHING)
        while self.pending:
            self.task.meter.check()
            self._follow(*self.pending.pop())
        self._check_ends()
        waits = list(self._waits())
        return LockOrderCertificate(
            program_hash(self.program),
            self.names,
            {context: held.may for context, held in self.held.items()},
            {context: held.sure for context, held in self.held.items()},
            tuple(self._order(waits)),
        )

    # -- what is held ----------------------------------------------------------------------------

    def _enter(self, context: Context, sure: Names) -> None:
        entry = self.program.procedure[context[0]].entry
        self.held.setdefault(context, _Held())
        self._reach(context, entry, context[1], sure)

    def _reach(self, context: Context, location: int, may: Names, sure: Names) -> None:
        held = self.held[context]
        known = location in held.may
        more = may | held.may[location] if known else may
        less = sure & held.sure[location] if known else sure
        if not known or (more, less) != (held.may[location], held.sure[location]):
            held.may[location], held.sure[location] = more, less
            self.pending.append((context, location))

    def _follow(self, context: Context, location: int) -> None:
        held = self.held[context]
        may, sure = held.may[location], held.sure[location]
        for edge in self.program.outgoing[location]:
            if isinstance(edge.action, Call):
                self._call(context, edge, edge.action.procedure)
            elif isinstance(edge.action, Return):
                for caller, call in self.callers.get(context, set()):
                    self._reach(caller, self.program.edges[call].target, may, sure)
            else:
                lock, back = self.changes[edge.id]
                gained = NOTHING if lock is None else frozenset({lock})
                lost = NOTHING if back is None else frozenset({back})
                self._reach(context, edge.target, (may | gained) - lost, (sure | gained) - lost)

    def _call(self, context: Context, edge: Edge, procedure: str) -> None:
        held = self.held[context]
        inside = procedure, held.may[edge.source]
        self._enter(inside, held.sure[edge.source])
        self.callers.setdefault(inside, set()).add((context, edge.id))
        inner = self.held[inside]
        for returning in self.program.procedure[procedure].edges:
            if isinstance(returning.action, Return) and returning.source in inner.may:
                self._reach(
                    context,
                    edge.target,
                    inner.may[returning.source],
                    inner.sure[returning.source],
                )

    def _check_ends(self) -> None:
        for (name, _), held in self.held.items():
            for location in self.program.procedure[name].locations:
                ended = location.final and not self.program.outgoing[location.id]
                if ended and (locks := held.may.get(location.id)):
                    raise Refuted(f"a thread of {name} may end with {', '.join(sorted(locks))}")

    # -- the order -------------------------------------------------------------------------------

    def _waits(self) -> Iterator[Wait]:
        for template in self.program.templates:
            ends = frozenset({end_of(template.name)}) if template.pool else NOTHING
            for context in self._contexts((template.body, NOTHING)):
                begun = self._begun(context)
                for edge in self.program.procedure[context[0]].edges:
                    if edge.source in begun:
                        may, sure = begun[edge.source]
                        for node in sorted(awaited(self.program, edge)):
                            yield Wait(may | ends, sure, node, edge)

    def _contexts(self, first: Context) -> list[Context]:
        found = [first]
        for context in found:
            held = self.held[context].may
            for edge in self.program.procedure[context[0]].edges:
                if isinstance(edge.action, Call) and edge.source in held:
                    inside = edge.action.procedure, held[edge.source]
                    if inside not in found:
                        found.append(inside)
        return found

    def _begun(self, context: Context) -> dict[int, tuple[Names, Names]]:
        """By location, what may be and surely is held where the step begins that gets there."""
        held = self.held[context]
        procedure = self.program.procedure[context[0]]
        atomic = {location.id for location in procedure.locations if location.atomic}
        found = {
            here: (held.may[here], held.sure[here]) for here in held.may if here not in atomic
        }
        pending = list(found)
        while pending:
            here = pending.pop()
            for edge in self.program.outgoing[here]:
                if edge.target in atomic:
                    may, sure = found[here]
                    may |= held.may.get(edge.target, NOTHING)
                    known = found.get(edge.target)
                    after = (may, sure) if known is None else (may | known[0], sure & known[1])
                    if after != known:
                        found[edge.target] = after
                        pending.append(edge.target)
        return found

    def _order(self, waits: Sequence[Wait]) -> Iterator[Group]:
        after: dict[str, dict[str, None]] = {}
        for wait in waits:
            after.setdefault(wait.node, {})
            for node in sorted(wait.before):
                after.setdefault(node, {})[wait.node] = None
        circles = {node: part for part in components(after) for node in part}
        groups: dict[str, Group] = {}
        for node in after:
            if node in circles:
                part = frozenset(circles[node])
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
        raise Refuted(f"{shown} are waited for in a circle{where}")


def _sorted(after: dict[str, dict[str, None]], groups: dict[str, Group]) -> Iterator[Group]:
    """The groups, each before those that it leads to."""
    before: dict[Group, dict[Group, None]] = {groups[node]: {} for node in sorted(after)}
    for node, targets in after.items():
        for target in targets:
            if groups[target] != groups[node]:
                before[groups[target]][groups[node]] = None
    yield from TopologicalSorter(before).static_order()
