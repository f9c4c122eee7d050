"""What proofs about transactions claim of movers and of the partition N, L, R, checked (QRR §4).

    (1) every claim is about a local store of the thread, and there is one for each at most
    (2) R is closed: its own certificate holds, for the program or for less of it (`digest`)
    (3) edges are the movers they are claimed to be, according to R (`movers`); with one thread
        every edge is
    (4) C1   a store in R is neither initial nor failed
        C2   a store in L is neither initial nor failed, and every edge from it is a left mover

A node ⟨l, p⟩ not claimed to be elsewhere is in N, an edge not claimed to be a mover is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from threadwise.ir.expr import Expr
from threadwise.ir.program import EdgeId
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.pushdown.check import check_pushdown
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.thread_modular.check import check_thread_modular
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.proofs.transactions.certificate import StoreClaims
from threadwise.proofs.transactions.digest import Digest
from threadwise.proofs.transactions.movers import MoverTable
from threadwise.semantics.state import LocalStore
from threadwise.semantics.step import Interpreter


class Behind(NamedTuple):
    """What the movers follow from, as certificates have it."""

    pairs: ThreadModularCertificate | PushdownCertificate
    forgotten: tuple[str, ...]
    alone: bool


class Transactions:
    """The claims of a certificate about the local stores of each thread."""

    def __init__(
        self,
        interpreter: Interpreter,
        claims: Sequence[Sequence[StoreClaims]],
        tick: Callable[[], object],
    ) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.tick = tick
        self._check_shapes(claims)
        self.claims = [{c.l: c for c in rows} for rows in claims]

    def _check_shapes(self, claims: Sequence[Sequence[StoreClaims]]) -> None:  # (1)
        shapes = ShapeChecker(self.interpreter)
        if len(claims) != len(self.interpreter.threads):
            raise Refuted("the certificate is for another number of threads")
        for t, rows in enumerate(claims):
            for row in rows:
                shapes.check_local(t, row.l)
            if len({row.l for row in rows}) != len(rows):
                raise Refuted("two claims about one local store")

    def check(self, behind: Behind, formulas: Sequence[Expr]) -> CheckedProof:
        """Check (2) to (4); edges that can change a formula are no movers."""
        digest = Digest(self.interpreter, behind.forgotten, alone=behind.alone)
        pairs = behind.pairs
        if pairs.program_hash != program_hash(self.program):
            raise Refuted("the pairs belong to another program")
        match replace(pairs, program_hash=program_hash(digest.program)):
            case ThreadModularCertificate() as finite:
                checked = check_thread_modular(
                    digest.program, finite, self.tick, alone=digest.alone
                )
                reached = finite.reached
            case PushdownCertificate() as pushdown:
                checked = check_pushdown(digest.program, pushdown, self.tick, alone=digest.alone)
                reached = pushdown.pairs
        stores = [tuple(cells) for cells in pairs.globals]
        self._check_movers(MoverTable(digest, stores, reached, formulas))
        self._check_partition()
        return checked

    def check_alone(self) -> None:
        """Check (3) and (4) for a program with one thread."""
        if len(self.interpreter.threads) != 1:
            raise Refuted("movers of several threads without the pairs they follow from")
        self._check_movers(None)
        self._check_partition()

    def _check_movers(self, table: MoverTable | None) -> None:  # (3)
        for t, rows in enumerate(self.claims):
            for l, claims in rows.items():
                self.tick()
                outgoing = {edge.id: edge for edge in self.program.outgoing[l.pc]}
                for edge in {*claims.right, *claims.left}:
                    if edge not in outgoing:
                        raise Refuted("a mover does not start where it is claimed to")
                    if table is None:
                        continue
                    moves = table.directions(t, l, outgoing[edge])
                    if (edge in claims.right and not moves.right) or (
                        edge in claims.left and not moves.left
                    ):
                        text = outgoing[edge].text
                        raise Refuted(f"`{text}` of {self.name(t)} does not move as claimed")

    def _check_partition(self) -> None:  # (4)
        for t, rows in enumerate(self.claims):
            start = self.interpreter.initial_local(t)
            for l, claims in rows.items():
                inside = claims.before_commit or claims.after_commit
                if inside and (l == start or self.has_failed(l)):
                    raise Refuted("C1, C2: an initial or failed store inside a transaction")
                if claims.after_commit and any(
                    edge.id not in claims.left for edge in self.program.outgoing[l.pc]
                ):
                    raise Refuted("C2: a step after the commit is no left mover")

    def has_failed(self, l: LocalStore) -> bool:
        """Whether a local store is `wrong`."""
        return self.program.locations[l.pc].failure is not None

    def name(self, t: int) -> str:
        """The name of a thread."""
        return self.interpreter.layout.numbers.name(t)

    def after(self, t: int, l: LocalStore, part: str, edge: EdgeId, moved: LocalStore) -> str:
        """The part of ⟨l', p'⟩ after an edge, p' = RM ∧ (p ∨ ¬LM); p holds in N and R."""
        claims = self.claims[t].get(l)
        right = claims is not None and edge in claims.right
        left = claims is not None and edge in claims.left
        reached = self.claims[t].get(moved)
        if reached is None:
            return "N"
        if right and (part != "L" or not left):
            return "R" if reached.before_commit else "N"
        return "L" if reached.after_commit else "N"
