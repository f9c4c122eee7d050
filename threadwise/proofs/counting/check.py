"""Checks linear invariants, step by step, and that they exclude the violations claimed.

    1  every invariant holds initially, whatever the number of threads
    2  a step, call or return that starts where all invariants hold, with a thread at its source,
       and that does not fail, ends where all of them hold
    3  where all invariants hold, and the threads that a violation needs are counted at their
       locations, no claimed property is violated and no limit of the model is reached

Numbers of threads at locations are never negative and shared cells have values of their types;
both hold by what numbers and types are. By 1 and 2 the invariants hold in every reachable state
in which no thread has failed; by 3 none fails, and none of these states violates the properties.

The solver gets one question per step and one per way to violate a property. An answer other than
"impossible" refutes the certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from threadwise.backends.smt.handle import Term
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.ir.properties import Property
from threadwise.ir.quantities import FrameCount, LinearInvariant, LocationCount, Quantity
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.counting.counts import Moves, SymbolicCounts
from threadwise.proofs.counting.errors import SymbolicError, SymbolicErrors, arity
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.smt.environments import Store
from threadwise.proofs.toolbox.smt.steps import SymbolicSteps
from threadwise.proofs.toolbox.smt.terms import Terms

TREATS = ALL - {Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_counting(
    program: Program, certificate: CountingCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate of linear invariants."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "equations")
    claimed = claimed_properties(program, certificate.properties)
    try:
        threads = max(map(arity, claimed), default=1)
        checker = CountingChecker(program, certificate.invariants, threads, tick)
        checker.check_initial()
        checker.check_inductive()
        checker.check_limits()
        for checked in claimed:
            checker.check_property(checked)
    except Unsupported as refusal:
        raise Refuted(f"it cannot be checked: {refusal}") from refusal
    except KeyError as unknown:
        raise Refuted(f"a quantity that the program does not have: {unknown}") from unknown
    return CheckedProof(
        certificate.properties,
        frozenset(EdgeId(edge.id) for edge in program.edges),
        frozenset(location.id for location in program.locations),
    )


def check_equations(
    program: Program, invariants: Sequence[LinearInvariant], tick: Callable[[], object]
) -> None:
    """Check that equations hold in every reachable state without a failure."""
    try:
        checker = CountingChecker(program, invariants, 1, tick)
        checker.check_initial()
        checker.check_inductive()
    except Unsupported as refusal:
        raise Refuted(f"its equations cannot be checked: {refusal}") from refusal
    except KeyError as unknown:
        raise Refuted(f"a quantity that the program does not have: {unknown}") from unknown


@dataclass(frozen=True)
class _Move:
    """A step, call or return: when it is possible, and what it leads to."""

    edge: Edge
    condition: Term
    shared: Store
    changes: Moves


class CountingChecker:
    """Linear invariants, and the questions about them; each `check` raises Refuted."""

    def __init__(
        self,
        program: Program,
        invariants: Sequence[LinearInvariant],
        threads: int,
        tick: Callable[[], object],
    ) -> None:
        self.program = program
        self.invariants = tuple(invariants)
        _refuse_stacks_inside_regions(program)
        self.logic = Terms()
        ids = [
            self.logic.constant(f"thread {number}", self.logic.integer_sort)
            for number in range(max(threads, 1))
        ]
        self.steps = SymbolicSteps(program, self.logic, tick)
        self.counts = SymbolicCounts(self.steps)
        environments = self.steps.environments
        self.shared = environments.shared()
        self.errors = SymbolicErrors(self.steps, ids, self.shared)
        self.solver = Solver(self.logic, Effort(tick=tick))
        self.always = self.logic.conjunction([environments.natural, self.counts.natural])
        self.before = self.logic.conjunction(
            [
                self.always,
                environments.typed(self.shared),
                self.counts.all_hold(self.invariants, self.shared, {}),
            ]
        )

    def _impossible(self, parts: list[Term], what: str) -> None:
        if not self._is_impossible(parts):
            raise Refuted(what)

    def _is_impossible(self, parts: list[Term]) -> bool:
        return self.solver.satisfiable(self.logic.conjunction(parts)) is Answer.UNSATISFIABLE

    def check_initial(self) -> None:
        """Obligation 1."""
        environments = self.steps.environments
        shared, known = environments.initial_shared()
        parts = [self.always, known]
        entries: dict[int, Term] = {}
        for template in self.program.templates:
            start, stop = environments.ranges[template.name]
            entry = self.program.procedure[template.body].entry
            entries[entry] = entries.get(entry, self.logic.integer(0)) + (stop - start)
        for location, count in self.counts.at.items():
            parts.append(count == entries.get(location, self.logic.integer(0)))
        parts.extend(count == 0 for count in self.counts.frames.values())
        holds = self.counts.all_hold(self.invariants, shared, {})
        self._impossible(
            [*parts, self.logic.negation(holds)], "an invariant does not hold initially"
        )

    def check_inductive(self) -> None:
        """Obligation 2."""
        for move in self._moves():
            after = self.counts.all_hold(self.invariants, move.shared, move.changes)
            what = f"the step at edge {move.edge.id} breaks an invariant"
            self._impossible([self.before, move.condition, self.logic.negation(after)], what)

    def broken(self) -> list[LinearInvariant]:
        """The invariants that some step may break."""
        found: dict[LinearInvariant, None] = {}
        for move in self._moves():
            for invariant in self.invariants:
                after = self.counts.holds(invariant, move.shared, move.changes)
                question = [self.before, move.condition, self.logic.negation(after)]
                if invariant not in found and not self._is_impossible(question):
                    found[invariant] = None
        return list(found)

    def _moves(self) -> Iterator[_Move]:
        """Everything that a thread can do without failing."""
        for template, locations in self.steps.locations.items():
            for location in locations:
                thread = self.errors.thread(template, location, 0)
                present = [self.errors.are_threads([thread]), self.counts.at[location] >= 1]
                for step in self.errors.steps_of(template, location):
                    if self.program.locations[step.target].failure is None:
                        condition = self.logic.conjunction([*present, step.condition])
                        changes = _moves([(location, -1), (step.target, 1)])
                        yield _Move(step.edges[0], condition, step.after.shared, changes)
        for edge, moved, waiting in self._stack_moves():
            condition = self.logic.conjunction([self.counts.at[edge.source] >= 1, waiting])
            yield _Move(edge, condition, self.shared, moved)

    def _stack_moves(self) -> Iterator[tuple[Edge, Moves, Term]]:
        """Calls and returns: the edge, what it does to the counts, which frame it needs."""
        calls: dict[str, list[Edge]] = {}
        for edge in self.program.edges:
            if isinstance(edge.action, Call):
                calls.setdefault(edge.action.procedure, []).append(edge)
        for edge in self.program.edges:
            if edge.source not in self.counts.at:
                continue
            match edge.action:
                case Call(procedure):
                    entry = self.program.procedure[procedure].entry
                    moves = _moves([(edge.source, -1), (entry, 1)])
                    yield edge, {**moves, FrameCount(edge.id): 1}, self.logic.true
                case Return():
                    for call in calls.get(self.program.procedure_of[edge.source].name, ()):
                        moves = _moves([(edge.source, -1), (call.target, 1)])
                        waiting = self.counts.frames[call.id] >= 1
                        yield edge, {**moves, FrameCount(call.id): -1}, waiting
                case _:
                    pass

    def check_limits(self) -> None:
        """Obligation 3, for limits of the model."""
        for error in self.errors.limits():
            self._excluded(error, "a limit of the model")

    def check_property(self, checked: Property) -> None:
        """Obligation 3, for a property."""
        for error in self.errors.of(checked):
            self._excluded(error, checked.name)

    def _excluded(self, error: SymbolicError, name: str) -> None:
        parts = [
            self.before,
            self.errors.are_threads(error.threads),
            self.counts.counted(error.threads),
            error.condition,
        ]
        self._impossible(parts, f"the invariants do not exclude a violation of {name}")


def _moves(changes: list[tuple[int, int]]) -> dict[Quantity, int]:
    moves: dict[Quantity, int] = {}
    for location, change in changes:
        quantity = LocationCount(location)  # type: ignore[arg-type]  # a location by its number
        moves[quantity] = moves.get(quantity, 0) + change
    return moves


def _refuse_stacks_inside_regions(program: Program) -> None:
    """Only visible locations are counted: no thread may begin, call or return at another one."""
    rests = [procedure.entry for procedure in program.procedures]
    for edge in program.edges:
        if isinstance(edge.action, Call | Return):
            rests.extend((edge.source, edge.target))
    if any(program.locations[location].atomic for location in rests):
        raise Unsupported("procedures that begin, call or return inside atomic regions")
