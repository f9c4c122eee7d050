"""The checker of frontier certificates: the chain T⁰ … Tᵏ of MPR's frontier search.

    (1) everything listed is a store of the program
    (2) every initial pair of t is in T⁰_t
    (3) alpha(post(gamma Tⁱ)) ⊆ Tⁱ⁺¹ for i < k
    (4) every state of gamma(alpha(post(gamma Tᵏ))) is in gamma Tⁱ for some i
    (5) no Tⁱ has a constellation that violates a claimed property, (6) none is at a limit

(2) to (4) make ⋃ᵢ gamma Tⁱ contain every reachable state: a state reached in i steps is in gamma
Tⁱ until, by (4), it has been seen before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise, product

from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.toolbox.constellations import Constellations, Pairs
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.semantics.state import Cells, GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter

Set = set[tuple[Cells, LocalStore]]


TREATS = ALL - {Feature.ANY_NUMBER, Feature.CALLS, Feature.HEAP}
"""The features of programs that this checker treats."""


def check_frontier(
    program: Program, certificate: FrontierCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "a chain of sets")
    return _Checker(program, certificate, tick).run()


class _Checker:
    def __init__(
        self, program: Program, certificate: FrontierCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.taken: set[EdgeId] = set()

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        if claimed and not self.interpreter.threads:
            raise Refuted("tables of threads prove nothing about a program without threads")
        self._check_shapes()  # (1)
        chain = [
            [{(tuple(self.certificate.globals[g]), l) for g, l in rows} for rows in sets]
            for sets in self.certificate.chain
        ]
        if not chain:
            raise Refuted("the chain is empty")
        self._check_initial(chain[0])  # (2)
        for before, after in pairwise(chain):  # (3)
            for t, reached in enumerate(self._post(before)):
                if not reached <= after[t]:
                    raise Refuted("a step leads out of the chain")
        self._check_closed(chain)  # (4)
        for sets in self.certificate.chain:
            self._check_errors(sets, claimed)  # (5), (6)
        visited = frozenset(int(l.pc) for sets in chain for rows in sets for _, l in rows)
        return CheckedProof(self.certificate.properties, frozenset(self.taken), visited)

    def _check_shapes(self) -> None:
        shapes = ShapeChecker(self.interpreter)
        for cells in self.certificate.globals:
            shapes.check_global(tuple(cells))
        for sets in self.certificate.chain:
            if len(sets) != len(self.interpreter.threads):
                raise Refuted("the certificate is for another number of threads")
            for t, rows in enumerate(sets):
                for g, l in rows:
                    if not 0 <= g < len(self.certificate.globals):
                        raise Refuted("a pair names no global store")
                    shapes.check_body(t, l)

    def _check_initial(self, first: Sequence[Set]) -> None:
        for store in self.interpreter.initial_globals():
            for t in self.interpreter.threads:
                if (store.cells, self.interpreter.initial_local(t)) not in first[t]:
                    raise Refuted("an initial pair is missing")

    def _post(self, sets: Sequence[Set]) -> list[Set]:
        """alpha(post(gamma T)): a step needs every thread to be somewhere at its store."""
        at: list[defaultdict[Cells, list[LocalStore]]] = [defaultdict(list) for _ in sets]
        for t, rows in enumerate(sets):
            for g, l in rows:
                at[t][g].append(l)
        result: list[Set] = [set() for _ in sets]
        for t, rows in enumerate(sets):
            for g, l in rows:
                self.tick()
                if not all(g in others for others in at):
                    continue
                for choices, after, moved, _ in self.interpreter.step(t, GlobalStore(g), l):
                    self.taken.update(choice.edge for choice in choices)
                    result[t].add((after.cells, moved))
                    for u, others in enumerate(at):
                        if u != t:
                            result[u].update((after.cells, other) for other in others[g])
        return result

    def _check_closed(self, chain: Sequence[Sequence[Set]]) -> None:
        last = self._post(chain[-1])
        for g in {g for rows in last for g, _ in rows}:
            choices = [[l for h, l in rows if h == g] for rows in last]
            for ls in product(*choices):
                self.tick()
                if not any(all((g, l) in sets[t] for t, l in enumerate(ls)) for sets in chain):
                    raise Refuted("the chain is not closed")

    def _check_errors(
        self, sets: Sequence[Sequence[tuple[int, LocalStore]]], claimed: Sequence[Property]
    ) -> None:
        moving = {
            (t, g, l)
            for t, rows in enumerate(sets)
            for g, l in rows
            if next(self.interpreter.step(t, self._store(g), l), None) is not None
        }
        pairs = Pairs.of_rows(self.certificate.globals, sets, moving)
        constellations = Constellations(self.interpreter, pairs)
        for checked in claimed:
            reason = constellations.violation(checked)
            if reason is not None:
                raise Refuted(reason)
        for rows in sets:
            for _, l in rows:
                failure = self.program.locations[l.pc].failure
                if failure is not None and failure.kind.is_limit:
                    raise Refuted(f"a thread may reach a limit: {failure.message}")

    def _store(self, g: int) -> GlobalStore:
        return GlobalStore(tuple(self.certificate.globals[g]))
