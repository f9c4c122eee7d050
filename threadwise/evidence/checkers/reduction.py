"""The checker of reduction certificates: QRR's Ruleset 1 and conditions C1 to C3, step by step.

Obligations, for R (pairs), the claims about local stores, and Σ (states, the part N, L or R that
each thread is in, ranks):

    (1) everything listed is a state or a store of the program
    (2) R is closed: its own certificate holds
    (3) edges are the movers they are claimed to be, according to R (`movers`)
    (4) C1   a store in R is neither initial nor failed
        C2   a store in L is neither initial nor failed, and every edge from it is a left mover
    (5) INIT every initial state is in Σ, all threads in N
    (6) STEP, PUSH, POP   if all u ≠ t are in N, every step of t from a state in Σ leads into Σ,
             and t to the part of ⟨l', p'⟩ for p' = RM ∧ (p ∨ ¬LM), where p holds in N and R
    (7) C3   where t is in L, a step of t leads to N, or to L with a smaller rank
    (8) no state of Σ violates a claimed property, or is at a limit of the model

QRR Theorem 1 then says that a thread that can fail fails in Σ. An invariant is false in Σ if it
is false somewhere, provided that (3) treats edges it can see as no movers. Two departures from the
program's semantics in (6): after a failure the other threads go on, and a step that fails leaves
the shared store alone. Dropping the failures from such a run gives a run of the program, and every
run of the program is such a run up to its failure: so the same failures can be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from threadwise.evidence.certificate import (
    PushdownCertificate,
    ReductionCertificate,
    StoreClaims,
    ThreadModularCertificate,
)
from threadwise.evidence.checkers.movers import MoverTable
from threadwise.evidence.checkers.pushdown import check_pushdown
from threadwise.evidence.checkers.thread_modular import check_thread_modular
from threadwise.evidence.proof import CheckedProof, Refuted, claimed_properties
from threadwise.evidence.shapes import ShapeChecker
from threadwise.ir.fold import uses_memory
from threadwise.ir.printer import program_hash
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, InvariantProperty, Property
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import LocalStore, State
from threadwise.semantics.step import Interpreter

Phased = tuple[State, str]
"""A state, and a letter for each thread: the part it is in."""


def check_reduction(
    program: Program, certificate: ReductionCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called once per state."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    if program.has_any_number:
        raise Refuted("a set of states proves nothing about any number of threads")
    if uses_memory(program):
        raise Refuted("movers of a program with a heap")
    return _Checker(program, certificate, tick).run()


class _Checker:
    def __init__(
        self, program: Program, certificate: ReductionCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.checker = PropertyChecker(self.interpreter)
        self.claims: list[dict[LocalStore, StoreClaims]] = []

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        for checked in claimed:
            if not isinstance(checked, FailureProperty | InvariantProperty):
                raise Refuted(f"reduction does not preserve `{checked.name}`")
        self._check_shapes()  # (1)
        self.claims = [{c.l: c for c in rows} for rows in self.certificate.claims]
        pairs = self._check_pairs()  # (2)
        self._check_movers([p for p in claimed if isinstance(p, InvariantProperty)])  # (3)
        self._check_partition()  # (4)
        self.ranks: dict[Phased, int] = {}
        for state, parts, rank in zip(
            self.certificate.states, self.certificate.parts, self.certificate.ranks, strict=True
        ):
            known = self.ranks.get((state, parts), rank)
            self.ranks[state, parts] = min(known, rank)
        for state in self.interpreter.initial_states():  # (5)
            if (state, "N" * len(state.locals)) not in self.ranks:
                raise Refuted("INIT: an initial state is missing")
        for phased in self.ranks:
            self.tick()
            self._check_closed(phased)  # (6), (7)
            self._check_state(phased[0], claimed)  # (8)
        properties = self.certificate.properties
        return CheckedProof(properties, pairs.taken_edges, pairs.visited_locations)

    # -- (1) to (4) ------------------------------------------------------------------------------

    def _check_shapes(self) -> None:
        certificate = self.certificate
        shapes = ShapeChecker(self.interpreter)
        threads = len(self.interpreter.threads)
        count = len(certificate.states)
        if len(certificate.parts) != count or len(certificate.ranks) != count:
            raise Refuted("states, parts and ranks do not correspond")
        for state in certificate.states:
            shapes.check_state(state)
        if any(len(parts) != threads or set(parts) - set("NLR") for parts in certificate.parts):
            raise Refuted("a state does not say which part each thread is in")
        if any(rank < 0 for rank in certificate.ranks):
            raise Refuted("C3: a rank below 0")
        if len(certificate.claims) != threads:
            raise Refuted("the certificate is for another number of threads")
        for t, rows in enumerate(certificate.claims):
            for claims in rows:
                shapes.check_local(t, claims.l)
            if len({claims.l for claims in rows}) != len(rows):
                raise Refuted("two claims about one local store")

    def _check_pairs(self) -> CheckedProof:
        match self.certificate.pairs:
            case ThreadModularCertificate() as tables:
                return check_thread_modular(self.program, tables, self.tick)
            case PushdownCertificate() as tables:
                return check_pushdown(self.program, tables, self.tick)

    def _check_movers(self, invariants: list[InvariantProperty]) -> None:
        tables = self.certificate.pairs
        reached = tables.pairs if isinstance(tables, PushdownCertificate) else tables.reached
        formulas = [invariant.formula for invariant in invariants]
        table = MoverTable(self.interpreter, reached, formulas)
        for t, rows in enumerate(self.claims):
            for l, claims in rows.items():
                self.tick()
                outgoing = {edge.id: edge for edge in self.program.outgoing[l.pc]}
                for edge in {*claims.right, *claims.left}:
                    if edge not in outgoing:
                        raise Refuted("a mover does not start where it is claimed to")
                    moves = table.directions(t, l, outgoing[edge])
                    if (edge in claims.right and not moves.right) or (
                        edge in claims.left and not moves.left
                    ):
                        text = outgoing[edge].text
                        raise Refuted(f"`{text}` of {self._name(t)} does not move as claimed")

    def _check_partition(self) -> None:
        for t, rows in enumerate(self.claims):
            start = self.interpreter.initial_local(t)
            for l, claims in rows.items():
                inside = claims.before_commit or claims.after_commit
                if inside and (l == start or self._has_failed(l)):
                    raise Refuted("C1, C2: an initial or failed store inside a transaction")
                if claims.after_commit and any(
                    edge.id not in claims.left for edge in self.program.outgoing[l.pc]
                ):
                    raise Refuted("C2: a step after the commit is no left mover")

    def _has_failed(self, l: LocalStore) -> bool:
        return self.program.locations[l.pc].failure is not None

    def _name(self, t: int) -> str:
        return self.interpreter.layout.numbers.name(t)

    # -- (5) to (8) ------------------------------------------------------------------------------

    def _check_closed(self, phased: Phased) -> None:
        inside = {t for t, part in enumerate(phased[1]) if part != "N"}
        for t in self.interpreter.threads:
            if not inside <= {t}:
                continue
            finishes = phased[1][t] != "L"
            for after in self._moves(phased, t):
                if after not in self.ranks:
                    raise Refuted(f"a step of {self._name(t)} leaves the set of states")
                part = after[1][t]
                nearer = part == "L" and self.ranks[after] < self.ranks[phased]
                finishes = finishes or part == "N" or nearer
            if not finishes:
                raise Refuted(f"C3: {self._name(t)} may not finish its transaction")

    def _moves(self, phased: Phased, t: int) -> Iterator[Phased]:
        """U, U+ and U- of a thread; a failed thread has no steps, but does not stop the others."""
        state, parts = phased
        if self._has_failed(state.locals[t]):
            return
        claims = self.claims[t].get(state.locals[t])
        for move, after in self.interpreter.thread_successors(state, t):
            first = move.choices[0].edge
            right = claims is not None and first in claims.right
            left = claims is not None and first in claims.left
            part = self._part(t, after.locals[t], right and (parts[t] != "L" or not left))
            reached = after._replace(g=state.g) if self._has_failed(after.locals[t]) else after
            yield reached, f"{parts[:t]}{part}{parts[t + 1 :]}"

    def _part(self, t: int, l: LocalStore, phase: bool) -> str:
        claims = self.claims[t].get(l)
        if claims is None:
            return "N"
        if phase:
            return "R" if claims.before_commit else "N"
        return "L" if claims.after_commit else "N"

    def _check_state(self, state: State, claimed: list[Property]) -> None:
        for checked in claimed:
            if isinstance(checked, InvariantProperty):
                violated = not self.checker.holds(checked, state)
            else:
                violated = self.checker.violated(checked, state)
            if violated:
                raise Refuted(f"a state violates `{checked.name}`")
        limit = self.checker.limit(state)
        if limit is not None:
            raise Refuted(f"a state is at a limit of the model: {limit}")
