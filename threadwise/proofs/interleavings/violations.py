"""What it means that the last state violates a property.

The last state consists of the shared variables after all slots and, for each thread, of the points
where it may be. A failure ends the program: in a failed state only the failure counts, and one
thread has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import Unsupported
from threadwise.ir.program import Failure
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.proofs.interleavings.unrolling import Point, Standing, Unrolling
from threadwise.proofs.toolbox.smt.edges import SharedAccess, Steps
from threadwise.proofs.toolbox.smt.environments import Environment, Store, store_terms


class Violations:
    """Violations in the state after all slots."""

    def __init__(self, steps: Steps, threads: Sequence[Unrolling], shared: Store) -> None:
        self.steps = steps
        self.logic = steps.logic
        self.program = steps.encoder.program
        self.threads = threads
        self.shared = shared
        self.standing = [thread.standing() for thread in threads]

    def of(self, checked: Property) -> Term:
        """When the last state violates a property; Unsupported for deadlocks."""
        match checked:
            case FailureProperty(name):
                return self._failure(lambda failure: failure.property == name)
            case RaceProperty():
                return self._while_going(self._race(checked))
            case InvariantProperty():
                return self._while_going(self._invariant(checked))
            case DeadlockProperty():
                raise Unsupported("deadlocks in a proof by interleavings")

    def limit(self) -> Term:
        """When the last state is one where the model ends."""
        return self._failure(lambda failure: failure.kind.is_limit)

    def cells(self, violation: Term) -> list[int]:
        """The shared cells that a violation reads."""
        used = {part.get_id() for part in self.logic.constants(violation)}
        return [n for n, term in enumerate(store_terms(self.shared)) if term.get_id() in used]

    # -- failures ---------------------------------------------------------------------------------

    def _failed(self, thread: int, concerns: Callable[[Failure], bool]) -> Term:
        found: list[Term] = []
        for point, standing in self.standing[thread].items():
            failure = self.program.locations[point.location].failure
            if failure is not None and concerns(failure):
                found.append(standing.at)
        return self.logic.disjunction(found)

    def _failure(self, concerns: Callable[[Failure], bool]) -> Term:
        """One thread has failed that way, and no other in any way."""
        ways: list[Term] = []
        for thread in range(len(self.threads)):
            others = [
                self.logic.negation(self._failed(other, lambda _: True))
                for other in range(len(self.threads))
                if other != thread
            ]
            ways.append(self.logic.conjunction([self._failed(thread, concerns), *others]))
        return self.logic.disjunction(ways)

    def _while_going(self, violation: Term) -> Term:
        going = [
            self.logic.negation(self._failed(thread, lambda _: True))
            for thread in range(len(self.threads))
        ]
        return self.logic.conjunction([*going, violation])

    # -- races ------------------------------------------------------------------------------------

    def _race(self, checked: RaceProperty) -> Term:
        upcoming = [list(self._upcoming(thread, checked)) for thread in range(len(self.threads))]
        return self.logic.disjunction(
            [
                self.logic.conjunction([when, and_when, self.steps.conflict(one, other)])
                for first, second in combinations(upcoming, 2)
                for when, one in first
                for and_when, other in second
                if not self.logic.is_false(self.steps.conflict(one, other))
            ]
        )

    def _upcoming(self, thread: int, checked: RaceProperty) -> Iterator[tuple[Term, SharedAccess]]:
        """The accesses of the steps that a thread could take next, and when it could."""
        unrolled = self.threads[thread]
        for point, standing in self.standing[thread].items():
            env = unrolled.environment(point, standing, self.shared)
            for step in self.steps.from_location(point.location, env):
                when = self.logic.conjunction([standing.at, step.condition])
                for access in self.steps.accesses(step):
                    if checked.variables is None or access.variable.name in checked.variables:
                        yield when, access

    # -- invariants -------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> Term:
        everyone = tuple(map(self._resting, range(len(self.threads))))
        nobody = Environment(self.shared, {}, self.logic.integer(-1), "", everyone=everyone)
        return self.logic.negation(self.steps.encoder.holds(checked.formula, nobody))

    def _resting(self, thread: int) -> Environment:
        """What others see of a thread: where it is, and its lasting variables."""
        unrolled = self.threads[thread]
        values = self.steps.encoder.values
        kind = self.program.template[unrolled.template]
        points: list[tuple[Point, Standing]] = list(self.standing[thread].items())
        point, last = points[0]
        location: Term = self.logic.integer(point.location)
        own = {d.variable: last.own[d.variable] for d in kind.variables}
        for point, standing in points[1:]:
            at = standing.at
            location = self.logic.choice(at, self.logic.integer(point.location), location)
            own = {v: values.choice(at, standing.own[v], value) for v, value in own.items()}
        me = self.logic.integer(thread)
        return Environment(self.shared, own, me, unrolled.template, location)
