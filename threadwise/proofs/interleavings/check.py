"""The checker of proofs by all interleavings.

A certificate says how many steps each thread takes at most. The checker unrolls the threads by one
step more and asks a solver whether an interleaving

    takes one of these last steps        then the certificate is wrong about the lengths
    ends where the model ends            then nothing is known beyond
    violates a property

and accepts if there is none. If a run took more steps, its shortest beginning that does so would
be an interleaving of the first kind, so all runs are among those considered.

The formula is made here (`unrolling`, `ordering`, `violations`), not by the search. What it could
leave out by mistake is also tested in the reference semantics: runs with random schedules must
be among the interleavings, with the values that they end with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from threadwise.backends.smt.handle import Term
from threadwise.backends.smt.second import is_available, second_opinion
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.layout import size_of
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import Value
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.interleavings.ordering import Ordering
from threadwise.proofs.interleavings.unrolling import Slot, Unrolling, Way
from threadwise.proofs.interleavings.violations import Violations
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.smt.edges import Firing, Steps
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environments, Store, store_terms
from threadwise.proofs.toolbox.smt.terms import Terms
from threadwise.proofs.toolbox.smt.values import Table, terms_of
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.state import Cells, Move, State
from threadwise.semantics.step import Interpreter, Transition

LIMIT = 2_000_000_000
"""Units of the solver's resource counter for one question."""

RUNS = 8
"""How many runs of the reference semantics are compared with the formula."""

SAMPLES = (0, 1, 2, -1, 7, 1000)
"""What inputs of many values are in these runs."""


TREATS = ALL - {Feature.ANY_NUMBER, Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_interleavings(
    program: Program,
    certificate: InterleavingsCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate of lengths."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "all interleavings")
    if second_solver and not is_available():
        raise Unsupported("a second solver: cvc5 is not installed")
    claimed = claimed_properties(program, certificate.properties)
    if any(isinstance(checked, DeadlockProperty) for checked in claimed):
        raise Refuted("deadlocks are not seen by interleavings")
    checker = _Checker(program, certificate, tick, second=second_solver)
    for number in range(RUNS):
        checker.compare(number)
    checker.exclude(checker.beyond(), "a thread takes more steps than the certificate says")
    checker.exclude(checker.violations.limit(), "a thread gets where the model ends")
    for checked in claimed:
        violation = checker.violations.of(checked)
        checker.exclude(violation, f"an interleaving violates `{checked.name}`")
    return CheckedProof(
        certificate.properties,
        frozenset(EdgeId(edge.id) for edge in program.edges),
        frozenset(location.id for location in program.locations),
    )


class _Checker:
    def __init__(
        self,
        program: Program,
        certificate: InterleavingsCertificate,
        tick: Callable[[], object],
        *,
        second: bool,
    ) -> None:
        self.program = program
        self.tick = tick
        self.second = second
        self.lengths = certificate.lengths
        self.interpreter = Interpreter(program, SAMPLES)
        templates = self.interpreter.layout.numbers.templates
        if len(self.lengths) != len(templates):
            raise Refuted("the certificate is about another number of threads")
        if any(length < 0 for length in self.lengths):
            raise Refuted("a thread with a negative number of steps")
        self.logic = Terms()
        environments = Environments(program, self.logic)
        steps = Steps(Firing(Encoder(environments)))
        self.threads = [Unrolling(steps, t, template) for t, template in enumerate(templates)]
        for thread, length in zip(self.threads, self.lengths, strict=True):
            for _ in range(length + 1):
                tick()
                if not thread.extend():
                    break
        self.initial, known = environments.initial_shared("init.")
        self.final = environments.shared("end.")
        self.ordering = Ordering(
            self.logic, list(store_terms(self.initial)), [thread.slots for thread in self.threads]
        )
        self.violations = Violations(steps, self.threads, self.final)
        self.constraints = [known, *self.ordering.constraints()]
        for thread in self.threads:
            self.constraints += thread.constraints
        self.solver = Solver(self.logic, Effort(tick=tick, limit=LIMIT))
        self.solver.add(*self.constraints)

    def beyond(self) -> Term:
        """That a thread takes more steps than it is said to."""
        return self.logic.disjunction(
            [
                thread.slots[length].executed
                for thread, length in zip(self.threads, self.lengths, strict=True)
                if length < len(thread.slots)
            ]
        )

    # -- obligations ------------------------------------------------------------------------------

    def exclude(self, goal: Term, otherwise: str) -> None:
        """Refuse the certificate if an interleaving satisfies a formula about its end."""
        if self.logic.is_false(goal):
            return
        cells = self.violations.cells(goal)
        whole = [goal, *self.ordering.final(list(store_terms(self.final)), cells)]
        answer = self.solver.satisfiable(self.logic.conjunction(whole))
        if answer is Answer.UNKNOWN:
            raise Unsupported(f"an obligation the solver cannot decide ({self.solver.reason})")
        if answer is Answer.SATISFIABLE:
            raise Refuted(otherwise)
        if self.second:
            self._ask_again(self.logic.conjunction([*self.constraints, *whole]))

    def _ask_again(self, formula: Term) -> None:
        match second_opinion(self.logic, formula, LIMIT):
            case Answer.SATISFIABLE:
                raise InternalError("the solvers disagree about an obligation")
            case Answer.UNKNOWN:
                raise Unsupported("an obligation the second solver cannot decide")
            case Answer.UNSATISFIABLE:
                pass

    # -- runs of the reference semantics ----------------------------------------------------------

    def compare(self, seed: int) -> None:
        """Refuse the certificate if a run is not among the interleavings."""
        schedule = RandomSchedule(seed)
        try:
            start = schedule.start(self.interpreter)
            steps = sum(self.lengths) + 1
            taken = list(run(self.interpreter, schedule, start, steps))
        except Unsupported:  # it depends on inputs that cannot be listed
            return
        self.tick()
        facts = [*self._equal(self.initial, start.g.cells), *self._steps(taken)]
        end: State = taken[-1].state if taken else start
        final = list(store_terms(self.final))
        facts += self.ordering.final(final, range(len(final)))
        facts += self._equal(self.final, end.g.cells)
        if self.solver.satisfiable(self.logic.conjunction(facts)) is Answer.UNSATISFIABLE:
            raise Refuted("the formula leaves out a run of the program")

    def _steps(self, taken: Sequence[Transition]) -> Iterator[Term]:
        """That exactly these steps are taken, in this order, with these choices."""
        counts = [0] * len(self.lengths)
        last: Slot | None = None
        for move, _ in taken:
            number = counts[move.thread]
            if number >= self.lengths[move.thread]:
                raise Refuted("a run of the program is longer than the certificate says")
            slot = self.threads[move.thread].slots[number]
            yield self.logic.disjunction(
                [
                    self.logic.conjunction([each.taken, *self._chosen(each, move)])
                    for each in slot.ways
                    if [edge.id for edge in each.edges] == [c.edge for c in move.choices]
                ]
            )
            if last is not None:
                yield self.ordering.before(last, slot)
            counts[move.thread], last = number + 1, slot
        for thread, count in zip(self.threads, counts, strict=True):
            if count < len(thread.slots):
                yield self.logic.negation(thread.slots[count].executed)

    def _chosen(self, way: Way, move: Move) -> Iterator[Term]:
        for symbols, choice in zip(way.chosen, move.choices, strict=True):
            for symbol, value in zip(symbols, choice.values, strict=True):
                yield from self._same(list(terms_of(symbol)), (value,))

    def _equal(self, store: Store, cells: Cells) -> Iterator[Term]:
        """That variables hold these values; tables are left open."""
        layout = self.interpreter.layout
        for variable, value in store.items():
            first = layout.globals.offset[variable.name]
            size = size_of(variable.type, layout.numbers)
            if not isinstance(value, Table):
                yield from self._same(list(terms_of(value)), cells[first : first + size])

    def _same(self, terms: Sequence[Term], values: Sequence[Value]) -> Iterator[Term]:
        if len(terms) != len(values):
            return
        for term, value in zip(terms, values, strict=True):
            if isinstance(value, bool):
                yield term if value else self.logic.negation(term)
            elif isinstance(value, int):
                yield self.logic.equal(term, self.logic.integer(value))
