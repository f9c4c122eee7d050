"""The checker of thread-modular certificates: one pass of FQ's rules over the tables.

Obligations, for R (pairs per thread) and G (changes of the global store per thread):

    (1) everything listed is a store of the program
    (2) INIT   every initial pair of t is in R_t
    (3) STEP   every step of t from a pair in R_t stays in R_t, and its change is in G_t
    (4) ENV    for (g, g') in G_e with e ≠ t: (g, l) in R_t implies (g', l) in R_t
    (5) no constellation of pairs with a common global store violates a claimed property
    (6) no pair is at a limit of the model, if a property is claimed

(2) to (4) make γ(R) contain every reachable state, so (5) proves the properties. The steps for (3)
come from the reference interpreter or, for large tables, from `vector_steps`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from threadwise.core.errors import Unsupported
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.toolbox.constellations import Constellations, Pairs
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.semantics.state import Cells, GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter

LARGE = 3000
"""Tables with more pairs than this are worth loading numpy for."""

Own = tuple[int, Cells]
"""A local store: its location, and its thread-scoped and local cells."""


class FoundStep(NamedTuple):
    """A step from a pair of R: whose, from where, to where."""

    thread: int
    g: int
    l: LocalStore
    edges: tuple[EdgeId, ...]
    shared: Cells
    own: Own


TREATS = ALL - {Feature.ANY_NUMBER, Feature.CALLS, Feature.HEAP}
"""The features of programs that this checker treats."""


def check_thread_modular(
    program: Program,
    certificate: ThreadModularCertificate,
    tick: Callable[[], object],
    *,
    alone: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted. If threads are `alone`, all but (4), and no claims."""
    if alone and certificate.properties:
        raise Refuted("threads alone prove nothing about the program")
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "a table per thread")
    return _Checker(program, certificate, tick).run(alone=alone)


def own_of(l: LocalStore) -> Own:
    """A local store as a key."""
    return int(l.pc), (*l.thread, *l.locals)


class _Checker:
    def __init__(
        self, program: Program, certificate: ThreadModularCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.taken: set[EdgeId] = set()

    def run(self, *, alone: bool) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        if claimed and not self.interpreter.threads:
            raise Refuted("tables of threads prove nothing about a program without threads")
        self._check_shapes()  # (1)
        self.position = {cells: g for g, cells in enumerate(self.certificate.globals)}
        self.at: list[defaultdict[int, set[Own]]] = [
            defaultdict(set) for _ in self.interpreter.threads
        ]
        for t, pairs in enumerate(self.certificate.reached):
            for g, l in pairs:
                self.at[t][g].add(own_of(l))
        self.changes = [set(listed) for listed in self.certificate.guarantees]
        self._check_initial()  # (2)
        moving = self._check_steps()  # (3)
        if not alone:
            self._check_interference()  # (4)
        seen = Pairs.of_rows(self.certificate.globals, self.certificate.reached, moving)
        constellations = Constellations(self.interpreter, seen)
        for checked in claimed:  # (5)
            self.tick()
            reason = constellations.violation(checked)
            if reason is not None:
                raise Refuted(f"`{checked.name}` may be violated: {reason}")
        if claimed:
            self._check_limits()  # (6)
        visited = frozenset(int(l.pc) for pairs in self.certificate.reached for _, l in pairs)
        return CheckedProof(self.certificate.properties, frozenset(self.taken), visited)

    # -- (1), (2), (6) ----------------------------------------------------------------------------

    def _check_shapes(self) -> None:
        shapes = ShapeChecker(self.interpreter)
        certificate = self.certificate
        count = len(self.interpreter.threads)
        if len(certificate.reached) != count or len(certificate.guarantees) != count:
            raise Refuted("the certificate is for another number of threads")
        for cells in certificate.globals:
            shapes.check_global(cells)
        known = range(len(certificate.globals))
        for t, pairs in enumerate(certificate.reached):
            for g, l in pairs:
                if g not in known:
                    raise Refuted("a pair names no global store")
                shapes.check_body(t, l)
        for changes in certificate.guarantees:
            if any(before not in known or after not in known for before, after in changes):
                raise Refuted("a guarantee names no global store")

    def _check_initial(self) -> None:
        locals_ = [own_of(self.interpreter.initial_local(t)) for t in self.interpreter.threads]
        for store in self.interpreter.initial_globals():
            g = self.position.get(store.cells)
            for t in self.interpreter.threads:
                if g is None or locals_[t] not in self.at[t][g]:
                    raise Refuted(f"INIT: an initial pair of {self._name(t)} is missing")

    def _check_limits(self) -> None:
        for t, pairs in enumerate(self.certificate.reached):
            for _, l in pairs:
                failure = self.program.locations[l.pc].failure
                if failure is not None and failure.kind.is_limit:
                    raise Refuted(f"{self._name(t)} may reach a limit: {failure.message}")

    def _name(self, t: int) -> str:
        return self.layout.numbers.name(t)

    # -- (3) --------------------------------------------------------------------------------------

    def _check_steps(self) -> set[tuple[int, int, LocalStore]]:
        """Rule STEP; the pairs that can step."""
        moving: set[tuple[int, int, LocalStore]] = set()
        for step in self._steps():
            g = self.position.get(step.shared)
            if g is None or step.own not in self.at[step.thread][g]:
                raise Refuted(f"STEP: a step of {self._name(step.thread)} leaves its pairs")
            if (step.g, g) not in self.changes[step.thread]:
                raise Refuted(f"STEP: a change by {self._name(step.thread)} is not guaranteed")
            self.taken.update(step.edges)
            moving.add((step.thread, step.g, step.l))
        return moving

    def _steps(self) -> Iterator[FoundStep]:
        """Every step from every pair."""
        large = sum(map(len, self.certificate.reached)) > LARGE
        if large and not uses_memory(self.program):
            from threadwise.proofs.thread_modular.vector_steps import vector_steps

            try:
                yield from vector_steps(self.interpreter, self.certificate, self.tick)
            except (OverflowError, Unsupported):
                yield from self._reference_steps()
        else:
            yield from self._reference_steps()

    def _reference_steps(self) -> Iterator[FoundStep]:
        for t, pairs in enumerate(self.certificate.reached):
            for g, l in pairs:
                self.tick()
                store = GlobalStore(self.certificate.globals[g])
                for choices, after, moved, _ in self.interpreter.step(t, store, l):
                    edges = tuple(choice.edge for choice in choices)
                    yield FoundStep(t, g, l, edges, after.cells, own_of(moved))

    # -- (4) --------------------------------------------------------------------------------------

    def _check_interference(self) -> None:
        guarantors: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for e, changes in enumerate(self.changes):
            for change in changes:
                guarantors[change].append(e)
        for (before, after), who in guarantors.items():
            if before == after:
                continue
            for t in self.interpreter.threads:
                if who != [t] and not self.at[t][before] <= self.at[t][after]:
                    raise Refuted(f"ENV: another thread's change moves {self._name(t)} out of R")
