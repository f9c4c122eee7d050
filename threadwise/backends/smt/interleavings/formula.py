"""Threads and their order in one formula: the interleavings of a program up to a length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from threadwise.analyses.regions import steps_from
from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environments
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.interleavings.goals import Goals
from threadwise.backends.smt.interleavings.order import Order
from threadwise.backends.smt.interleavings.unrolling import Choose, Point, Unrolling
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.steps import Steps
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, Program


class Interleavings:
    """The interleavings of the threads of a program with fixed counts, up to a length.

    `choose` says which steps a thread may take; all that the program has, unless it is given.
    """

    def __init__(self, program: Program, choose: Callable[[int], Choose] | None = None) -> None:
        self.program = program
        self.logic = Logic()
        self.environments = Environments(program, self.logic)
        self.steps = Steps(Firing(Encoder(self.environments, pointers=True)))
        numbers = self.environments.threads.numbers
        assert numbers is not None
        self.numbers = numbers
        free = self._all_steps
        self.threads = [
            Unrolling(self.steps, t, template, choose(t) if choose is not None else free)
            for t, template in enumerate(numbers.templates)
        ]
        self.initial, self.known = self.environments.initial_shared("init.")
        self._paths: dict[int, list[tuple[Edge, ...]]] = {}

    def _all_steps(self, point: Point, _: int) -> Sequence[tuple[Edge, ...]]:
        location = point.location
        if location not in self._paths:
            outgoing = self.program.outgoing[location]
            found = [path.edges for path in steps_from(self.program, location)]
            found += [(e,) for e in outgoing if isinstance(e.action, Call | Return)]
            self._paths[location] = found
        return self._paths[location]

    def finish(self) -> Goals:
        """No more steps; what can be asked about the final states."""
        for thread in self.threads:
            thread.finish()
        self.order = Order(self.logic, self.initial, [thread.slots for thread in self.threads])
        return Goals(self.steps, self.threads, self.environments.shared("end."))

    def constraints(self) -> Iterator[Term]:
        """What holds of all interleavings; no more steps may be added."""
        yield self.known
        yield from self.order.constraints()
        for thread in self.threads:
            yield from thread.constraints

    def beyond(self, lengths: Sequence[int]) -> Term:
        """That a thread takes more steps than so many."""
        return self.logic.disjunction(
            [
                thread.slots[length].executed
                for thread, length in zip(self.threads, lengths, strict=True)
                if length < len(thread.slots)
            ]
        )
