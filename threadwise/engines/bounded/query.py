"""Threads, their order and a goal in one query; a model becomes a schedule.

The schedule lists the steps by their clocks, cut where a failure ends the program. It is a claim
like any other: the driver replays it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environments
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Effort, Model, Solver
from threadwise.backends.smt.steps import Steps
from threadwise.backends.smt.values import Symbolic, Table
from threadwise.engines.bounded.goals import Goals
from threadwise.engines.bounded.order import Order
from threadwise.engines.bounded.unrolling import Candidate, Choose, Point, Slot, Unrolling
from threadwise.ir.commands import Call, Return
from threadwise.ir.layout import size_of
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import Property
from threadwise.ir.regions import steps_from
from threadwise.ir.types import ArrayType, Type, Value
from threadwise.semantics.state import Cells, Choice, Move


@dataclass(frozen=True)
class Schedule:
    """An interleaving: the initial shared store, and who does what."""

    initial: Cells
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Looked:
    """The answer to a question: a schedule, or whether there is none."""

    answer: Answer
    schedule: Schedule | None = None
    reason: str = ""


class Query:
    """The interleavings of the threads of a program with fixed counts, up to a length."""

    def __init__(
        self, program: Program, effort: Effort, choose: Callable[[int], Choose] | None = None
    ) -> None:
        self.program = program
        self.logic = Logic()
        self.environments = Environments(program, self.logic)
        self.steps = Steps(Firing(Encoder(self.environments)))
        self.solver = Solver(self.logic, effort)
        numbers = self.environments.threads.numbers
        assert numbers is not None
        self.numbers = numbers
        free = self._all_steps
        self.threads = [
            Unrolling(self.steps, t, template, choose(t) if choose is not None else free)
            for t, template in enumerate(numbers.templates)
        ]
        self.initial, self._known = self.environments.initial_shared("init.")
        self._paths: dict[int, list[tuple[Edge, ...]]] = {}

    def _all_steps(self, point: Point, _: int) -> Sequence[tuple[Edge, ...]]:
        location = point.location
        if location not in self._paths:
            outgoing = self.program.outgoing[location]
            found = [path.edges for path in steps_from(self.program, location)]
            found += [(e,) for e in outgoing if isinstance(e.action, Call | Return)]
            self._paths[location] = found
        return self._paths[location]

    def deepen(self, tick: Callable[[], object]) -> bool:
        """One more step for every thread; whether there was one for some."""
        grown = False
        for thread in self.threads:
            tick()
            grown = thread.extend() is not None or grown
        return grown

    # -- asking -----------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Tell the solver what holds of all interleavings."""
        self.solver.add(self._known, *self.parts())

    def parts(self) -> Iterator[Term]:
        """What holds of all interleavings."""
        for thread in self.threads:
            thread.finish()
            yield from thread.constraints
        self.order = Order(self.logic, self.initial, [thread.slots for thread in self.threads])
        yield from self.order.constraints()

    def find(self, checked: Property) -> Looked:
        """An interleaving whose last state violates a property."""
        shared = self.environments.shared("end.")
        goals = Goals(self.steps, self.threads, shared)
        return self.reach(goals, goals.violation(checked))

    def reach(self, goals: Goals, violation: Term) -> Looked:
        """An interleaving whose last state satisfies a formula over it."""
        if self.logic.is_false(violation):
            return Looked(Answer.UNSATISFIABLE)
        clock = self.logic.constant("end@", self.logic.integer_sort)
        cells = list(goals.cells(violation))
        self.solver.push()
        try:
            self.solver.add(violation, *self.order.final(goals.shared, clock, cells))
            answer = self.solver.check()
            if answer is not Answer.SATISFIABLE:
                return Looked(answer, reason=self.solver.reason)
            return Looked(answer, self._schedule(self.solver.model()))
        finally:
            self.solver.pop()

    # -- models -----------------------------------------------------------------------------------

    def _schedule(self, model: Model) -> Schedule:
        taken: list[tuple[int, int, int, Candidate]] = []
        for thread in self.threads:
            for slot in thread.slots:
                candidate = self._selected(model, slot)
                if candidate is None:
                    break
                taken.append((model.integer(slot.clock), slot.thread, slot.number, candidate))
        taken.sort(key=lambda item: item[:3])
        moves: list[Move] = []
        for _, thread_number, _, candidate in taken:
            choices = tuple(
                Choice(edge.id, tuple(model.scalar(value) for value in values))
                for edge, values in zip(candidate.edges, candidate.chosen, strict=True)
            )
            moves.append(Move(thread_number, choices))
            if self.program.locations[candidate.after.location].failure is not None:
                break
        return Schedule(self._initial(model), tuple(moves))

    def _selected(self, model: Model, slot: Slot) -> Candidate | None:
        if not model.boolean(slot.executed):
            return None
        return next((c for c in slot.candidates if model.boolean(c.selected)), None)

    def _initial(self, model: Model) -> Cells:
        cells: list[Value] = []
        for variable, value in self.initial.items():
            cells.extend(self._cells(model, variable.type, value))
        return tuple(cells)

    def _cells(self, model: Model, held: Type, value: Symbolic) -> Iterator[Value]:
        """The values of all cells of a value, elements of tables included."""
        if isinstance(value, Table) and isinstance(held, ArrayType):
            extent = size_of(held, self.numbers) // max(1, size_of(held.element, self.numbers))
            for position in range(extent):
                index = self.logic.integer(position)
                element = self.environments.values.read(value, [index])
                yield from self._cells(model, held.element, element)
        else:
            yield from model.cells(value)
