"""The checker of proofs by the order of locks.

H(c, l) is what a thread may hold at l, in a procedure that was entered with c. B(c, l) is the same
for a thread on its way through an atomic region to l: what it holds where the region began, since
others see it there, and what it takes on the way. Obligations:

    (1) only deadlocks are claimed; mutexes begin without owner, and a mutex gets an owner only on
        edges that store `self`, are about this mutex and ask that it is free, and loses it on
        edges that store `none` and ask that the thread owns it; nothing else may write thread ids
        behind pointers or choose any thread id
    (2) H begins with nothing in every template, is closed under every edge and under calls and
        returns, and is empty where a thread has ended; so is H' the other way round, which is what
        a thread surely holds
    (3) at every location where a thread may be, one of the edges is enabled, whatever the values
        are, if locks that are waited for are free and threads to join have ended
    (4) the status of threads is written by `spawn` and `finish` only, a thread that has ended has
        finished, and handles of threads come from `spawn` alone
    (5) for every edge that waits for a node n, at a location with B(c, l), in a thread of
        template T: all of B(c, l), and `end T` if T is a pool, come before n. That is, they are in
        an earlier group of the order; or in the same group and not n, and the group has a gate
        outside of it that the thread surely holds where its step begins
    (6) the model ends nowhere, but where a pool has no slots left or C gives no meaning: the proof
        assumes that threads do not get there
    (7) no atomic region goes round in a circle: who enters one leaves it, or waits inside

Why that suffices. Let S be as in docs/theory/deadlocks.md, and not empty. By (3) and (7) each
member t has a way on that waits for a mutex with an owner or for a thread to end. By (4) that
thread has not ended and by (2) neither has the owner. So both are in S, as S closes the way.
Follow S from t to whom it waits for, and so on: for ever, so round in a circle. By (5) the groups
of what is waited for never go down along the circle, so they are all the same, and all members of
the circle hold its gate. Two threads do not hold one mutex, so the circle has one member. It waits
for itself: for a mutex that it holds, or for its own end, which (5) excludes.

Nothing here depends on how many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from threadwise.ir.commands import Call, Return
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.lock_order.certificate import Context, LockOrderCertificate, Names
from threadwise.proofs.lock_order.conditions import check_conditions
from threadwise.proofs.lock_order.facts import (
    awaited,
    end_of,
    given_back,
    taken,
)
from threadwise.proofs.toolbox.features import ALL, refuse_others

TREATS = ALL
"""The features of programs that this checker treats."""

MEANING = "nothing happens to which C gives no meaning (see --property memory)"
NOTHING: Names = frozenset()


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
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.rank = {
            node: rank for rank, group in enumerate(certificate.order) for node in group.nodes
        }

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        check_conditions(self.program, self.tick)  # (1), (3), (4), (6)
        for template in self.program.templates:
            pool = end_of(template.name) if template.pool else None
            for context in self._contexts((template.body, NOTHING)):
                self._check_closed(context)  # (2)
                self._check_order(context, pool)  # (5)
        failures = (location.failure for location in self.program.locations)
        assumes = uses_memory(self.program) or any(f and f.kind.has_no_meaning for f in failures)
        return CheckedProof(
            self.certificate.properties,
            frozenset(edge.id for edge in self.program.edges),
            frozenset(int(location.id) for location in self.program.locations),
            (MEANING,) if assumes else (),
        )

    # -- (2) -------------------------------------------------------------------------------------

    def _contexts(self, first: Context) -> list[Context]:
        """The contexts that a thread gets to which begins in one."""
        found = [first]
        for procedure, entered in found:
            at = self._at((procedure, entered))
            for edge in self.program.procedure[procedure].edges:
                if isinstance(edge.action, Call) and edge.source in at:
                    callee = edge.action.procedure, at[edge.source]
                    if callee not in found:
                        found.append(callee)
        return found

    def _at(self, context: Context) -> Mapping[int, Names]:
        if context not in self.certificate.held or context not in self.certificate.surely:
            raise Refuted(f"nothing is said of {context[0]} with what it may begin with")
        return self.certificate.held[context]

    def _sure(self, context: Context, location: int) -> Names:
        return self.certificate.surely[context].get(location, NOTHING)

    def _check_closed(self, context: Context) -> None:
        procedure, entered = self.program.procedure[context[0]], context[1]
        at = self._at(context)
        self._check_includes(at, procedure.entry, entered)
        if not self._sure(context, procedure.entry) <= entered:
            raise Refuted(f"less may be held where {procedure.name} begins")
        for edge in procedure.edges:
            self.tick()
            if edge.source not in at:
                continue
            before, sure = at[edge.source], self._sure(context, edge.source)
            if isinstance(edge.action, Call):
                self._check_call(context, edge, edge.action.procedure)
            elif not isinstance(edge.action, Return):
                lock, back = taken(edge), given_back(edge)
                if lock is not None:
                    before, sure = before | {lock}, sure | {lock}
                self._check_includes(at, edge.target, before - {back})
                self._check_sure(context, edge.target, sure - {back})
        for location in procedure.locations:
            ended = location.final and not self.program.outgoing[location.id]
            if ended and at.get(location.id):
                raise Refuted(f"a thread of {procedure.name} may end with a lock")

    def _check_call(self, context: Context, edge: Edge, callee: str) -> None:
        at = self._at(context)
        inside = callee, at[edge.source]
        inner = self._at(inside)
        entry = self.program.procedure[callee].entry
        self._check_sure(inside, entry, self._sure(context, edge.source))
        for returning in self.program.procedure[callee].edges:
            if isinstance(returning.action, Return) and returning.source in inner:
                self._check_includes(at, edge.target, inner[returning.source])
                self._check_sure(context, edge.target, self._sure(inside, returning.source))

    def _check_sure(self, context: Context, location: int, held: Names) -> None:
        if not self._sure(context, location) <= held:
            raise Refuted(f"less may be held at location {location}")

    def _check_includes(self, at: Mapping[int, Names], location: int, held: Names) -> None:
        if location not in at or not held <= at[location]:
            raise Refuted(f"more may be held at location {location}")

    # -- (5) -------------------------------------------------------------------------------------

    def _check_order(self, context: Context, pool: str | None) -> None:
        begun, sure = self._begun(context), self._surely_begun(context)
        for edge in self.program.procedure[context[0]].edges:
            if edge.source not in begun:
                continue
            held = begun[edge.source]
            for node in awaited(self.program, edge):
                for before in held | ({pool} if pool is not None else NOTHING):
                    if not self._precedes(before, node, sure[edge.source]):
                        raise Refuted(f"{before} does not come before {node}")

    def _begun(self, context: Context) -> Mapping[int, Names]:
        """B: what may be held where the step began that gets to a location, and there."""
        at = self._at(context)
        found = dict(at)
        edges = [e for e in self.program.procedure[context[0]].edges if e.source in at]
        changed = True
        while changed:
            changed = False
            for edge in edges:
                if self.program.locations[edge.target].atomic:
                    more = found[edge.target] | found[edge.source]
                    changed |= more != found[edge.target]
                    found[edge.target] = more
        return found

    def _surely_begun(self, context: Context) -> Mapping[int, Names]:
        """What is surely held wherever a step begins that gets to a location."""
        at = self._at(context)
        edges = [e for e in self.program.procedure[context[0]].edges if e.source in at]
        every = frozenset(self.rank)
        atomic = {l.id for l in self.program.procedure[context[0]].locations if l.atomic}
        found = {here: every if here in atomic else self._sure(context, here) for here in at}
        changed = True
        while changed:
            changed = False
            for edge in edges:
                if edge.target in atomic:
                    less = found[edge.target] & found[edge.source]
                    changed |= less != found[edge.target]
                    found[edge.target] = less
        return found

    def _precedes(self, before: str, node: str, held: Names) -> bool:
        if before not in self.rank or node not in self.rank:
            return False
        first, second = self.rank[before], self.rank[node]
        if first != second:
            return first < second
        group = self.certificate.order[first]
        gate = group.gate
        return before != node and gate is not None and gate in held and gate not in group.nodes
