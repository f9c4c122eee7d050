"""The checker of pushdown certificates: one pass of FQ's rules of §3.1 over the tables.

Obligations, for P (entry and current pair, per thread), the callers that stand for Q, and G:

    (1) everything listed is a store of the program
    (2) INIT   the initial pairs are entries of themselves
    (3) STEP1  a step from b keeps (a, ·) in P, and its change is in G
    (4) ENV1   for (g, g') in G_e with e ≠ t: (a, (g, l)) in P_t implies (a, (g', l)) in P_t
    (5) PUSH   a call from b lists (a, frame) as a caller of the entry, which is in P with itself
    (6) POP    for a caller (a, frame) of an entry n and (n, b) in P, every return to the frame
               leads to (a, ·) in P
    (7) no constellation of pairs violates a claimed property
    (8) no pair is at a limit of the model, if a property is claimed

By induction on runs, every pair a thread can be in is the current pair of some element of P whose
entry is that of its innermost procedure, and the frames below it are listed as callers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.toolbox.constellations import Constellations, Pairs
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.semantics.state import Frame, GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter

Pair = tuple[int, LocalStore]
"""A global store by position, and a local store."""


TREATS = ALL - {Feature.ANY_NUMBER, Feature.HEAP}
"""The features of programs that this checker treats."""


def check_pushdown(
    program: Program,
    certificate: PushdownCertificate,
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


class _Checker:
    def __init__(
        self, program: Program, certificate: PushdownCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.taken: set[EdgeId] = set()
        self.moving: set[tuple[int, int, LocalStore]] = set()

    def run(self, *, alone: bool) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        if claimed and not self.interpreter.threads:
            raise Refuted("tables of threads prove nothing about a program without threads")
        self._check_shapes()  # (1)
        certificate = self.certificate
        self.position = {tuple(cells): g for g, cells in enumerate(certificate.globals)}
        self.entries: list[defaultdict[Pair, set[Pair]]] = []
        """Per thread and current pair b, the entries a with P(t, a, b)."""
        self.callers: list[defaultdict[Pair, set[tuple[Pair, Frame]]]] = []
        for pairs, edges, calls in zip(
            certificate.pairs, certificate.path_edges, certificate.callers, strict=True
        ):
            entries: defaultdict[Pair, set[Pair]] = defaultdict(set)
            for entry, current in edges:
                entries[pairs[current]].add(pairs[entry])
            self.entries.append(entries)
            callers: defaultdict[Pair, set[tuple[Pair, Frame]]] = defaultdict(set)
            for entry, caller, frame in calls:
                callers[pairs[entry]].add((pairs[caller], frame))
            self.callers.append(callers)
        self.changes = [set(made) for made in certificate.guarantees]
        self._check_initial()  # (2)
        for t in self.interpreter.threads:
            for b in list(self.entries[t]):
                self.tick()
                self._check_steps(t, b)  # (3)
                self._check_calls(t, b)  # (5)
                self._check_returns(t, b)  # (6)
        if not alone:
            self._check_interference()  # (4)
        self._check_errors(claimed)  # (7), (8)
        visited = frozenset(int(l.pc) for entries in self.entries for _, l in entries)
        return CheckedProof(certificate.properties, frozenset(self.taken), visited)

    def _store(self, g: int) -> GlobalStore:
        return GlobalStore(tuple(self.certificate.globals[g]))

    def _check_shapes(self) -> None:
        shapes = ShapeChecker(self.interpreter)
        certificate = self.certificate
        count = len(self.interpreter.threads)
        tables = (certificate.pairs, certificate.path_edges, certificate.callers)
        if any(len(table) != count for table in (*tables, certificate.guarantees)):
            raise Refuted("the certificate is for another number of threads")
        stores = range(len(certificate.globals))
        for cells in certificate.globals:
            shapes.check_global(tuple(cells))
        for t in self.interpreter.threads:
            known = range(len(certificate.pairs[t]))
            for g, l in certificate.pairs[t]:
                if g not in stores:
                    raise Refuted("a pair names no global store")
                shapes.check_local(t, l)
            for edge in certificate.path_edges[t]:
                if any(end not in known for end in edge):
                    raise Refuted("a path edge names no pair")
            for entry, caller, frame in certificate.callers[t]:
                if entry not in known or caller not in known:
                    raise Refuted("a caller names no pair")
                callee = self.program.procedure_of[certificate.pairs[t][entry][1].pc].name
                shapes.check_frame(frame, callee)
            if any(end not in stores for made in certificate.guarantees[t] for end in made):
                raise Refuted("a guarantee names no global store")

    def _check_initial(self) -> None:
        for store in self.interpreter.initial_globals():
            g = self.position.get(store.cells)
            for t in self.interpreter.threads:
                start = (-1 if g is None else g, self.interpreter.initial_local(t))
                if start not in self.entries[t].get(start, ()):
                    raise Refuted("INIT: an initial pair is missing")

    def _check_steps(self, t: int, b: Pair) -> None:
        g, l = b
        for choices, after, moved, _ in self.interpreter.step(t, self._store(g), l):
            position = self.position.get(after.cells)
            reached = (-1 if position is None else position, moved)
            if not self.entries[t][b] <= self.entries[t].get(reached, set()):
                raise Refuted("STEP1: a step leads out of P")
            if (g, reached[0]) not in self.changes[t]:
                raise Refuted("STEP1: a change is not guaranteed")
            self.taken.update(choice.edge for choice in choices)
            self.moving.add((t, g, l))

    def _check_calls(self, t: int, b: Pair) -> None:
        g, l = b
        for choice, entered, frame in self.interpreter.push(t, l):
            entry = (g, entered)
            if entry not in self.entries[t].get(entry, ()):
                raise Refuted("PUSH: the entry of a procedure is missing")
            listed = self.callers[t].get(entry, set())
            if any((a, frame) not in listed for a in self.entries[t][b]):
                raise Refuted("PUSH: a caller is missing")
            self.taken.add(choice.edge)

    def _check_returns(self, t: int, b: Pair) -> None:
        g, l = b
        for entry in self.entries[t][b]:
            for caller, frame in self.callers[t].get(entry, ()):
                for choice, resumed in self.interpreter.pop(t, l, frame):
                    if caller not in self.entries[t].get((g, resumed), ()):
                        raise Refuted("POP: a return leads out of P")
                    self.taken.add(choice.edge)

    def _check_interference(self) -> None:
        by_store: list[defaultdict[int, list[LocalStore]]] = []
        for entries in self.entries:
            at: defaultdict[int, list[LocalStore]] = defaultdict(list)
            for g, l in entries:
                at[g].append(l)
            by_store.append(at)
        guarantors: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for e, made in enumerate(self.changes):
            for change in made:
                guarantors[change].append(e)
        for (before, after), who in guarantors.items():
            for t in self.interpreter.threads:
                if who == [t] or before == after:
                    continue
                for l in by_store[t].get(before, ()):
                    moved = self.entries[t].get((after, l), set())
                    if not self.entries[t][before, l] <= moved:
                        raise Refuted("ENV1: another thread's change leads out of P")

    def _check_errors(self, claimed: list[Property]) -> None:
        reached = [list(entries) for entries in self.entries]
        for t, pairs in enumerate(reached):
            for g, l in pairs:
                if self.interpreter.can_step(t, self._store(g), l):
                    self.moving.add((t, g, l))
        listed = Pairs.of_rows(self.certificate.globals, reached, self.moving)
        constellations = Constellations(self.interpreter, listed)
        for checked in claimed:
            reason = constellations.violation(checked)
            if reason is not None:
                raise Refuted(f"`{checked.name}` may be violated: {reason}")
        for pairs in reached if claimed else ():
            for _, l in pairs:
                failure = self.program.locations[l.pc].failure
                if failure is not None and failure.kind.is_limit:
                    raise Refuted(f"a thread may reach a limit: {failure.message}")
