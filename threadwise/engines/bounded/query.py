"""Threads, their order and a goal in one query; a model becomes a schedule.

The schedule lists the steps in their order, cut where a failure ends the program. It is a claim
like any other: the driver replays it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from threadwise.backends.smt import models
from threadwise.backends.smt.interleavings.formula import Interleavings
from threadwise.backends.smt.interleavings.goals import Goals
from threadwise.backends.smt.interleavings.unrolling import Candidate, Choose, Slot
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer, Effort, Model, Solver
from threadwise.backends.smt.values import Symbolic, Table
from threadwise.ir.layout import size_of
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, Type, Value
from threadwise.semantics.state import Cells, Choice, Move

MOST_ATTEMPTS = 40
"""How many times a schedule that was found is made shorter."""


@dataclass(frozen=True)
class Schedule:
    """An interleaving: the initial shared store, and who does what."""

    initial: Cells
    moves: tuple[Move, ...]
    inputs: tuple[int, ...] = ()
    """What steps choose that are possible afterwards."""


@dataclass(frozen=True)
class Looked:
    """The answer to a question: a schedule, or whether there is none."""

    answer: Answer
    schedule: Schedule | None = None
    reason: str = ""
    core: tuple[Term, ...] = ()
    """Assumptions that no interleaving satisfies together."""


class Query:
    """Questions about the interleavings of the threads of a program, and schedules as answers."""

    def __init__(
        self, program: Program, effort: Effort, choose: Callable[[int], Choose] | None = None
    ) -> None:
        self.program = program
        self.runs = Interleavings(program, choose)
        self.logic = self.runs.logic
        self.threads = self.runs.threads
        self.solver = Solver(self.logic, effort)
        self._told = False

    def deepen(self, threads: Sequence[int], tick: Callable[[], object]) -> bool:
        """One more step for some threads; whether there was one for one of them."""
        grown = False
        for number in threads:
            tick()
            grown = self.threads[number].extend() is not None or grown
        return grown

    # -- asking -----------------------------------------------------------------------------------

    def finish(self) -> Goals:
        """No more steps; what can be asked about the final states."""
        return self.runs.finish()

    def _tell(self) -> None:
        """Assert, once, what holds of all interleavings."""
        if not self._told:
            self.solver.add(*self.runs.constraints())
            self._told = True

    def is_complete(self, lengths: Sequence[int]) -> bool:
        """Whether no thread can take more steps than so many."""
        beyond = self.runs.beyond(lengths)
        if self.logic.is_false(beyond):
            return True
        self._tell()
        return self.solver.satisfiable(beyond) is Answer.UNSATISFIABLE

    def can_reach(self, goals: Goals, violation: Term) -> bool:
        """Whether an interleaving may end in a state that satisfies a formula."""
        return self.reach(goals, violation).answer is not Answer.UNSATISFIABLE

    def reach(self, goals: Goals, violation: Term, assumptions: Sequence[Term] = ()) -> Looked:
        """An interleaving whose last state satisfies a formula over it."""
        if self.logic.is_false(violation):
            return Looked(Answer.UNSATISFIABLE)
        self._tell()
        cells = list(goals.cells(violation))
        self.solver.push()
        try:
            self.solver.add(violation, *self.runs.order.final(goals.shared, cells))
            answer = self.solver.check(assumptions)
            if answer is Answer.UNSATISFIABLE:
                return Looked(answer, core=tuple(self.solver.core()))
            if answer is Answer.UNKNOWN:
                return Looked(answer, reason=self.solver.reason)
            model = self.solver.model()
            if not assumptions:
                model = self._shortened(model)
            return Looked(answer, self._schedule(model, goals))
        finally:
            self.solver.pop()

    def _shortened(self, model: Model) -> Model:
        """A model with fewer steps: as few of each thread as the steps of the others allow."""
        absent: list[Term] = []
        left = MOST_ATTEMPTS
        for thread in self.threads:
            taken = [slot for slot in thread.slots if model.boolean(slot.executed)]
            for slot in (*taken[:1], *reversed(taken[1:])):
                if not left or not model.boolean(slot.executed):
                    continue
                left -= 1
                without = self.logic.negation(slot.executed)
                if self.solver.check([*absent, without]) is Answer.SATISFIABLE:
                    model = self.solver.model()
                    absent.append(without)
                elif slot is not taken[0]:
                    break
        return model

    # -- models -----------------------------------------------------------------------------------

    def _schedule(self, model: Model, goals: Goals) -> Schedule:
        taken: dict[tuple[int, int], Candidate] = {}
        slots: list[Slot] = []
        for thread in self.threads:
            for slot in thread.slots:
                candidate = self._selected(model, slot)
                if candidate is None:
                    break
                taken[slot.thread, slot.number] = candidate
                slots.append(slot)
        moves: list[Move] = []
        for slot in self.runs.order.sorted(model, slots):
            candidate = taken[slot.thread, slot.number]
            choices = tuple(
                Choice(edge.id, tuple(models.scalar(model, value) for value in values))
                for edge, values in zip(candidate.edges, candidate.chosen, strict=True)
            )
            moves.append(Move(slot.thread, choices))
            if self.program.locations[candidate.after.location].failure is not None:
                break
        chosen = {value for each in goals.chosen for value in models.cells(model, each)}
        inputs = tuple(sorted(value for value in chosen if type(value) is int))
        return Schedule(self.initial(model), tuple(moves), inputs)

    def _selected(self, model: Model, slot: Slot) -> Candidate | None:
        if not model.boolean(slot.executed):
            return None
        return next((c for c in slot.candidates if model.boolean(c.selected)), None)

    def initial(self, model: Model) -> Cells:
        """The shared cells at the start of a run."""
        cells: list[Value] = []
        for variable, value in self.runs.initial.items():
            cells.extend(self._cells(model, variable.type, value))
        return tuple(cells)

    def _cells(self, model: Model, held: Type, value: Symbolic) -> Iterator[Value]:
        """The values of all cells of a value, elements of tables included."""
        if isinstance(value, Table) and isinstance(held, ArrayType):
            extent = size_of(held, self.runs.numbers) // max(
                1, size_of(held.element, self.runs.numbers)
            )
            for position in range(extent):
                index = self.logic.integer(position)
                element = self.runs.environments.values.read(value, [index])
                yield from self._cells(model, held.element, element)
        else:
            yield from models.cells(model, value)
