"""The checker of thread-modular certificates: one pass of FQ's rules over the tables.

Obligations, for R (pairs per thread) and G (changes of the global store per thread):

    (1) everything listed is a store of the program
    (2) INIT   every initial pair of t is in R_t
    (3) STEP   every step of t from a pair in R_t stays in R_t, and its change is in G_t
    (4) ENV    for (g, g') in G_e with e ≠ t: (g, l) in R_t implies (g', l) in R_t
    (5) no constellation of pairs with a common global store violates a claimed property
    (6) no pair is at a limit of the model

(2) to (4) make γ(R) contain every reachable state, so (5) proves the properties. Steps are
computed by `vectors`, all pairs at a location at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from threadwise.evidence.certificate import ThreadModularCertificate
from threadwise.evidence.constellations import Constellations, Pairs
from threadwise.evidence.proof import CheckedProof, Refuted, claimed_properties
from threadwise.evidence.shapes import ShapeChecker
from threadwise.evidence.vectors import Batch, VectorEvaluator, as_number
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.printer import program_hash
from threadwise.ir.program import EdgeId, FailureKind, Program
from threadwise.semantics.state import LocalStore
from threadwise.semantics.step import Interpreter

PATH_LIMIT = 500
"""Longer paths through an atomic block are not followed."""

Key = tuple[int, bytes]
"""A local store: its location, and its cells as bytes."""


def check_thread_modular(
    program: Program, certificate: ThreadModularCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    if program.has_any_number:
        raise Refuted("a table per thread proves nothing about any number of threads")
    if any(isinstance(edge.action, Call | Return) for edge in program.edges):
        raise Refuted("a proof without stacks for a program with calls")
    return _Checker(program, certificate, tick).run()


class _Checker:
    def __init__(
        self, program: Program, certificate: ThreadModularCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.vectors = VectorEvaluator(self.interpreter)
        self.taken: set[EdgeId] = set()

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        self._check_shapes()  # (1)
        self.table = np.array(
            [[as_number(value) for value in cells] for cells in self.certificate.globals],
            dtype=np.int64,
        ).reshape(len(self.certificate.globals), len(self.layout.globals.cells))
        self.position = {row.tobytes(): g for g, row in enumerate(self.table)}
        self.at: list[defaultdict[int, set[Key]]] = [
            defaultdict(set) for _ in self.interpreter.threads
        ]
        for t, pairs in enumerate(self.certificate.reached):
            for g, l in pairs:
                self.at[t][g].add(self._key(l))
        self.changes = [set(listed) for listed in self.certificate.guarantees]
        self._check_initial()  # (2)
        moving = self._check_steps()  # (3)
        self._check_interference()  # (4)
        constellations = Constellations(self.interpreter, Pairs.of(self.certificate, moving))
        for checked in claimed:  # (5)
            self.tick()
            reason = constellations.violation(checked)
            if reason is not None:
                raise Refuted(f"`{checked.name}` may be violated: {reason}")
        self._check_limits()  # (6)
        visited = frozenset(int(l.pc) for pairs in self.certificate.reached for _, l in pairs)
        return CheckedProof(self.certificate.properties, frozenset(self.taken), visited)

    def _key(self, l: LocalStore) -> Key:
        cells = [as_number(value) for value in (*l.thread, *l.locals)]
        return int(l.pc), np.array(cells, dtype=np.int64).tobytes()

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
                shapes.check_local(t, l)
        for changes in certificate.guarantees:
            if any(before not in known or after not in known for before, after in changes):
                raise Refuted("a guarantee names no global store")

    def _check_initial(self) -> None:
        locals_ = [self._key(self.interpreter.initial_local(t)) for t in self.interpreter.threads]
        for store in self.interpreter.initial_globals():
            row = np.array([as_number(value) for value in store.cells], dtype=np.int64)
            g = self.position.get(row.tobytes())
            for t in self.interpreter.threads:
                if g is None or locals_[t] not in self.at[t][g]:
                    raise Refuted(f"INIT: an initial pair of {self._name(t)} is missing")

    def _check_limits(self) -> None:
        for t, pairs in enumerate(self.certificate.reached):
            for _, l in pairs:
                failure = self.program.locations[l.pc].failure
                if failure is not None and failure.kind is FailureKind.LIMIT:
                    raise Refuted(f"{self._name(t)} may reach a limit: {failure.message}")

    def _name(self, t: int) -> str:
        return self.layout.numbers.name(t)

    # -- (3) --------------------------------------------------------------------------------------

    def _batches(self) -> Iterator[tuple[Batch, list[tuple[int, int, LocalStore]]]]:
        """All pairs, grouped by template and location."""
        groups: defaultdict[tuple[str, int], list[tuple[int, int, LocalStore]]]
        groups = defaultdict(list)
        for t, pairs in enumerate(self.certificate.reached):
            for g, l in pairs:
                groups[self.layout.numbers.templates[t], l.pc].append((t, g, l))
        for (template, pc), rows in groups.items():
            own = np.array(
                [[as_number(v) for v in (*l.thread, *l.locals)] for _, _, l in rows],
                dtype=np.int64,
            ).reshape(len(rows), len(rows[0][2].thread) + len(rows[0][2].locals))
            yield (
                Batch(
                    template,
                    pc,
                    np.array([t for t, _, _ in rows], dtype=np.int64),
                    self.table[[g for _, g, _ in rows]],
                    own,
                    np.arange(len(rows)),
                ),
                rows,
            )

    def _check_steps(self) -> set[tuple[int, int, LocalStore]]:
        """Rule STEP; the pairs that can step."""
        moving: set[tuple[int, int, LocalStore]] = set()
        for batch, rows in self._batches():
            self.tick()
            for after in self._outcomes(batch):
                shared = np.ascontiguousarray(after.shared)
                own = np.ascontiguousarray(after.own)
                for row, origin in enumerate(after.origin.tolist()):
                    t, before, _ = rows[origin]
                    g = self.position.get(shared[row].tobytes())
                    if g is None or (after.pc, own[row].tobytes()) not in self.at[t][g]:
                        raise Refuted(f"STEP: a step of {self._name(t)} leaves its pairs")
                    if (before, g) not in self.changes[t]:
                        raise Refuted(f"STEP: a change by {self._name(t)} is not guaranteed")
                    moving.add(rows[origin])
        return moving

    def _outcomes(self, batch: Batch, depth: int = 0) -> Iterator[Batch]:
        """The steps of a batch: single edges, and paths through atomic regions."""
        if depth > PATH_LIMIT:
            raise Refuted("an atomic block may go on for ever")
        for edge in self.program.outgoing[batch.pc]:
            assert isinstance(edge.action, Command)
            for after in self.vectors.fire(edge, batch):
                self.taken.add(edge.id)
                if self.program.locations[after.pc].atomic:
                    yield from self._outcomes(after, depth + 1)
                else:
                    yield after

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
