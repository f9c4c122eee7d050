"""The checker of reduction certificates: QRR's Ruleset 1 and conditions C1 to C3, step by step.

Obligations, for R (pairs), the claims about local stores, and Σ (states, the part N, L or R that
each thread is in, ranks):

    (1) everything listed is a state or a store of the program
    (2) R is closed, (3) movers follow from it, (4) C1 and C2 hold: see `transactions`
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

from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, InvariantProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.proofs.transactions.certificate import ReductionCertificate
from threadwise.proofs.transactions.partition import Behind, Transactions
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter

Phased = tuple[State, str]
"""A state, and a letter for each thread: the part it is in."""


TREATS = ALL - {Feature.ANY_NUMBER, Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_reduction(
    program: Program, certificate: ReductionCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called once per state."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "movers")
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
        self.transactions = Transactions(self.interpreter, certificate.claims, tick)

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        for checked in claimed:
            if not isinstance(checked, FailureProperty | InvariantProperty):
                raise Refuted(f"reduction does not preserve `{checked.name}`")
        self._check_shapes()  # (1)
        formulas = [p.formula for p in claimed if isinstance(p, InvariantProperty)]
        certificate = self.certificate
        behind = Behind(certificate.pairs, certificate.forgotten, certificate.alone)
        pairs = self.transactions.check(behind, formulas)  # (2), (3), (4)
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

    # -- (5) to (8) ------------------------------------------------------------------------------

    def _check_closed(self, phased: Phased) -> None:
        inside = {t for t, part in enumerate(phased[1]) if part != "N"}
        for t in self.interpreter.threads:
            if not inside <= {t}:
                continue
            finishes = phased[1][t] != "L"
            for after in self._moves(phased, t):
                if after not in self.ranks:
                    raise Refuted(
                        f"a step of {self.transactions.name(t)} leaves the set of states"
                    )
                part = after[1][t]
                nearer = part == "L" and self.ranks[after] < self.ranks[phased]
                finishes = finishes or part == "N" or nearer
            if not finishes:
                raise Refuted(f"C3: {self.transactions.name(t)} may not finish its transaction")

    def _moves(self, phased: Phased, t: int) -> Iterator[Phased]:
        """U, U+ and U- of a thread; a failed thread has no steps, but does not stop the others."""
        state, parts = phased
        if self.transactions.has_failed(state.locals[t]):
            return
        for move, after in self.interpreter.thread_successors(state, t):
            first, moved = move.choices[0].edge, after.locals[t]
            part = self.transactions.after(t, state.locals[t], parts[t], first, moved)
            reached = after._replace(g=state.g) if self.transactions.has_failed(moved) else after
            yield reached, f"{parts[:t]}{part}{parts[t + 1 :]}"

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
