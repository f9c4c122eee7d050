"""The checker of proofs by the order of locks.

D(p, l) is how what a thread holds at l may differ from what it held where it entered the procedure
p that l belongs to. E is a set of entries: ways to begin a procedure, each with what a thread may
hold there and what it surely holds. B(p, l) is D for a thread on its way through an atomic region
to l: what it may hold where the region began, since others see it there, and what it takes on the
way; and what it surely holds where the region began. Obligations:

    (1) only deadlocks are claimed; mutexes begin without owner, and a mutex gets an owner only on
        edges that store `self`, are about this mutex and ask that it is free, and loses it on
        edges that store `none` and ask that the thread owns it; or on plain edges that store
        `none` (`memset`), and then it is no gate lock. No edge chooses any thread id
    (2) D begins with no change, and is closed under every edge; over a call, under what is said
        of the locations where the callee returns. E has an entry with nothing held for every
        template, and for every entry of p and every call in p one that allows for what may be held
        there. Nothing may be held where a thread has ended
    (3) at every location where a thread may be, one of the edges is enabled, whatever the values
        are, if locks that are waited for are free and threads to join have ended; or whatever
        they are within bounds of local integers that are closed under every edge
    (4) the status of threads is written by `spawn` and `finish` only, a thread that has ended has
        finished, and handles of threads come from `spawn` alone
    (5) for every entry of p that threads of template T get to, and every edge of p that waits for
        a node n: all that B(p, l) allows for, and `end T` if T is a pool, come before n. That is,
        they are in an earlier group of the order; or in the same group and not n, and the group
        has a gate lock outside of it that the thread surely holds where its step begins
    (6) the model ends nowhere, but where a proof may pass by
        (`threadwise.proofs.lock_order.limits`)
    (7) atomic regions terminate, if nothing has to be waited for inside, and have no calls
    (8) no lock is taken of a class of several (`threadwise.proofs.lock_order.locks`) where one of
        it may be held
    (9) handlers of signals, which run on threads that they interrupt, neither take, give back nor
        wait for locks, and join no thread

All of this is about the program without edges that bounds exclude (`…lock_order.lock_fields`).

Why that suffices. By induction over a run, D and E are true of it: what D says where a callee
returns is about the time since the call, for every caller. By (8) a thread has at most one lock of
a class, so it has none after it has given one back. Let S be as in docs/theory/deadlocks.md, and
not empty. By (3) and (7) each member t has a way on that waits for a mutex with an owner or for a
thread to end. By (4) that thread has not ended and by (2) neither has the owner. So both are in S,
as S closes the way. Follow the waits from t on: they stay in S, which is finite, so there is a
cycle. By (5) the groups of what is waited for never go down along the cycle, so they are all the
same, and all members of the cycle hold its gate lock, a single mutex. Two threads do not hold one
mutex, so the cycle has one member. It waits for itself: for a mutex that it holds, or for its own
end, which (5) excludes. By (9) a handler that interrupts a thread does not wait, so it may be
considered a separate thread.

Nothing here depends on how many threads there are, and little on how often procedures are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from threadwise.ir.commands import Call, Return
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.lock_order.certificate import (
    NOTHING,
    Change,
    Entry,
    LockOrderCertificate,
    Names,
)
from threadwise.proofs.lock_order.conditions import check_conditions
from threadwise.proofs.lock_order.facts import (
    awaited,
    begun_at,
    change_of,
    end_of,
    taken,
)
from threadwise.proofs.lock_order.lock_fields import narrowed, without_excluded
from threadwise.proofs.lock_order.locks import Locks
from threadwise.proofs.toolbox.features import ALL, refuse_others

TREATS = ALL
"""The features of programs that this checker treats."""

MEANING = "nothing happens to which C gives no meaning (see --property memory)"


def check_lock_order(
    program: Program, certificate: LockOrderCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "an order of locks")
    for checked in claimed_properties(program, certificate.properties):
        if not isinstance(checked, DeadlockProperty):
            raise Refuted("an order of locks says nothing but that there is no deadlock")
    return _Checker(program, certificate, tick).run()


class _Checker:
    def __init__(
        self, program: Program, certificate: LockOrderCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = without_excluded(narrowed(program), certificate.bounds)
        self.locks = Locks(self.program)
        self.certificate = certificate
        self.tick = tick
        self.rank = {
            node: rank for rank, group in enumerate(certificate.order) for node in group.nodes
        }
        self.entries: dict[str, list[Entry]] = {}
        for entry in certificate.entries:
            self.entries.setdefault(entry.procedure, []).append(entry)

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        check_conditions(
            self.program, self.certificate.bounds, self.tick
        )  # (1), (3), (4), (6), (7), (9)
        for procedure in self.program.procedures:
            if procedure.name in self.certificate.changes:
                self._check_changes(procedure)  # (2)
        for template in self.program.templates:
            pool = end_of(template.name) if template.pool else None
            for entry in self._entries(Entry(template.body)):
                self._check_ends(entry)
                self._check_order(entry, pool)  # (5)
                self._check_single(entry)  # (8)
        failures = (location.failure for location in self.program.locations)
        assumes = uses_memory(self.program) or any(f and f.kind.has_no_meaning for f in failures)
        return CheckedProof(
            self.certificate.properties,
            frozenset(edge.id for edge in self.program.edges),
            frozenset(int(location.id) for location in self.program.locations),
            (MEANING,) if assumes else (),
        )

    # -- (2) -------------------------------------------------------------------------------------

    def _at(self, procedure: str) -> Mapping[int, Change]:
        if procedure not in self.certificate.changes:
            raise Refuted(f"nothing is said of {procedure}")
        return self.certificate.changes[procedure]

    def _check_changes(self, procedure: Procedure) -> None:
        at = self._at(procedure.name)
        self._check_said(at, procedure.entry, Change())
        for edge in procedure.edges:
            self.tick()
            if edge.source not in at or isinstance(edge.action, Return):
                continue
            before = at[edge.source]
            if isinstance(edge.action, Call):
                inner = self._at(edge.action.procedure)
                for returning in self.program.procedure[edge.action.procedure].edges:
                    if isinstance(returning.action, Return) and returning.source in inner:
                        after = before.then(inner[returning.source])
                        self._check_said(at, edge.target, after)
            else:
                self._check_said(at, edge.target, before.then(change_of(edge, self.locks)))

    def _check_said(self, at: Mapping[int, Change], location: int, change: Change) -> None:
        if location not in at or not change.implies(at[location]):
            raise Refuted(f"more may change up to location {location}")

    def _entries(self, first: Entry) -> list[Entry]:
        """The entries that a thread gets to which begins with one."""
        found = [self._allowing(first)]
        known = set(found)
        for entry in found:  # which grow
            at = self._at(entry.procedure)
            for edge in self.program.procedure[entry.procedure].edges:
                if isinstance(edge.action, Call) and edge.source in at:
                    change = at[edge.source]
                    may, surely = change.may(entry.may), change.surely(entry.surely)
                    inside = self._allowing(Entry(edge.action.procedure, may, surely))
                    if inside not in known:
                        known.add(inside)
                        found.append(inside)
        return found

    def _allowing(self, wanted: Entry) -> Entry:
        """The first entry of the certificate that allows for one."""
        for entry in self.entries.get(wanted.procedure, ()):
            if wanted.may <= entry.may and wanted.surely >= entry.surely:
                return entry
        raise Refuted(f"{wanted.procedure} may be entered with more")

    def _check_ends(self, entry: Entry) -> None:
        at = self._at(entry.procedure)
        for location in self.program.procedure[entry.procedure].locations:
            ended = location.final and not self.program.outgoing[location.id]
            if ended and location.id in at and at[location.id].may(entry.may):
                raise Refuted(f"a thread of {entry.procedure} may end with a lock")

    # -- (5) -------------------------------------------------------------------------------------

    def _check_order(self, entry: Entry, pool: str | None) -> None:
        ends = NOTHING if pool is None else frozenset({pool})
        for edge, nodes, begun in self._waits[entry.procedure]:
            self.tick()
            surely = begun.surely(entry.surely)
            for before in begun.may(entry.may) | ends:
                for node in nodes:
                    if not self._precedes(before, node, surely):
                        raise Refuted(f"{before} does not come before {node}{_line(edge)}")

    # -- (8) -------------------------------------------------------------------------------------

    def _check_single(self, entry: Entry) -> None:
        at = self._at(entry.procedure)
        for edge in self.program.procedure[entry.procedure].edges:
            lock = taken(edge) if edge.source in at else None
            if lock is None or self.locks.is_one(lock):
                continue
            if self.locks.of(lock) in at[edge.source].may(entry.may):
                raise Refuted(f"a second lock of {self.locks.of(lock)}{_line(edge)}")

    @cached_property
    def _waits(self) -> Mapping[str, Sequence[tuple[Edge, Names, Change]]]:
        """By procedure, its edges that wait, for what, and B there."""
        return {
            procedure.name: [
                (edge, nodes, begun[edge.source])
                for begun in [begun_at(self.program, procedure, self._at(procedure.name))]
                for edge in procedure.edges
                if edge.source in begun and (nodes := awaited(self.program, edge, self.locks))
            ]
            for procedure in self.program.procedures
            if procedure.name in self.certificate.changes
        }

    def _precedes(self, before: str, node: str, held: Names) -> bool:
        if before not in self.rank or node not in self.rank:
            return False
        first, second = self.rank[before], self.rank[node]
        if first != second:
            return first < second
        group = self.certificate.order[first]
        gate = group.gate
        return before != node and gate is not None and gate in held and gate not in group.nodes


def _line(edge: Edge) -> str:
    return f" (line {edge.span.line})" if edge.span is not None else ""
