"""What it means that the last state violates a property, as a formula.

The state consists of the shared variables after all slots and, for each thread, of the points
where it may be. A failure ends the program: a failed thread must be the only one, and other
properties are violated only where no thread has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from threadwise.backends.smt.environments import Environment, Store, store_terms
from threadwise.backends.smt.interleavings.unrolling import Point, Standing, Unrolling
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.steps import Steps, SymbolicAccess, SymbolicStep
from threadwise.backends.smt.values import Symbolic
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Variable
from threadwise.ir.program import Failure
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)

Next = list[tuple[Term, SymbolicStep, list[SymbolicAccess]]]
"""When a thread can take a step next, the step, and its accesses."""


class Goals:
    """Violations in the state after all slots."""

    def __init__(self, steps: Steps, threads: Sequence[Unrolling], shared: Store) -> None:
        self.steps = steps
        self.logic = steps.logic
        self.program = steps.encoder.program
        self.threads = threads
        self.shared = shared
        self.chosen: list[Symbolic] = []
        """What steps that are possible in the last state may choose."""

    def violation(self, checked: Property) -> Term:
        """When the last state violates a property; Unsupported for deadlocks."""
        match checked:
            case FailureProperty(name):
                return self._failure(lambda failure: failure.property == name)
            case RaceProperty():
                return self._unless_failed(self._race(checked))
            case InvariantProperty():
                return self._unless_failed(self._invariant(checked))
            case DeadlockProperty():
                raise Unsupported("deadlocks in a bounded search")

    def limit(self) -> Term:
        """When the last state is one where the model ends: nothing is proved then."""
        return self._failure(lambda failure: failure.kind.is_limit)

    # -- failures ---------------------------------------------------------------------------------

    def _failed(self, thread: Unrolling, concerns: Callable[[Failure], bool]) -> Term:
        parts = []
        for point, standing in thread.standing.items():
            failure = self.program.locations[point.location].failure
            if failure is not None and concerns(failure):
                parts.append(standing.at)
        return self.logic.disjunction(parts)

    def _failure(self, concerns: Callable[[Failure], bool]) -> Term:
        some = [self._failed(thread, lambda _: True) for thread in self.threads]
        ways = []
        for i, thread in enumerate(self.threads):
            others = [self.logic.negation(other) for j, other in enumerate(some) if j != i]
            ways.append(self.logic.conjunction([self._failed(thread, concerns), *others]))
        return self.logic.disjunction(ways)

    def _unless_failed(self, violation: Term) -> Term:
        sound = [
            self.logic.negation(self._failed(thread, lambda _: True)) for thread in self.threads
        ]
        return self.logic.conjunction([*sound, violation])

    # -- races ------------------------------------------------------------------------------------

    def _race(self, checked: RaceProperty) -> Term:
        upcoming = [self._next(thread, checked) for thread in self.threads]
        ways = []
        for first, second in combinations(upcoming, 2):
            for at_first, a, reads_first in first:
                for at_second, b, reads_second in second:
                    clash = self._clash(reads_first, reads_second)
                    if not self.logic.is_false(clash):
                        here = [at_first, at_second, a.condition, b.condition, clash]
                        ways.append(self.logic.conjunction(here))
        return self.logic.disjunction(ways)

    def _next(self, thread: Unrolling, checked: RaceProperty) -> Next:
        found: Next = []
        for point, standing in thread.standing.items():
            env = thread.environment(point, standing, self.shared)
            for step in self.steps.from_location(point.location, env):
                accesses = [
                    access
                    for access in self.steps.accesses(step)
                    if checked.variables is None or access.variable.name in checked.variables
                ]
                if accesses:
                    found.append((standing.at, step, accesses))
                    self.chosen.extend(value for values in step.chosen for value in values)
        return found

    def _clash(self, first: list[SymbolicAccess], second: list[SymbolicAccess]) -> Term:
        return self.logic.disjunction([self.steps.conflict(a, b) for a in first for b in second])

    # -- invariants -------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> Term:
        everyone = tuple(self._resting(thread) for thread in self.threads)
        nobody = Environment(self.shared, {}, self.logic.integer(-1), "", everyone=everyone)
        return self.logic.negation(self.steps.encoder.holds(checked.formula, nobody))

    def _resting(self, thread: Unrolling) -> Environment:
        """What others see of a thread: where it is, and its thread-scoped variables."""
        points = list(thread.standing.items())
        location: Term = self.logic.integer(points[0][0].location)
        for point, standing in points[1:]:
            here = self.logic.integer(point.location)
            location = self.logic.choice(standing.at, here, location)
        kind = self.program.template[thread.template]
        own = {
            declared.variable: self._seen(declared.variable, points) for declared in kind.variables
        }
        me = self.logic.integer(thread.thread)
        return Environment(self.shared, own, me, thread.template, location)

    def _seen(self, variable: Variable, points: Sequence[tuple[Point, Standing]]) -> Term:
        value = points[0][1].own[variable]
        for _, standing in points[1:]:
            value = self.steps.encoder.values.choice(standing.at, standing.own[variable], value)
        return value

    def cells(self, violation: Term) -> Iterator[int]:
        """The shared cells that a violation reads."""
        mentioned = {term.get_id() for term in self.logic.constants(violation)}
        for number, term in enumerate(store_terms(self.shared)):
            if term.get_id() in mentioned:
                yield number
