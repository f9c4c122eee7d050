"""Violations as bodies of clauses: some threads, and a condition on them.

assertion, range, mutex   a thread can take a step into the failure; so is every limit
race                      two threads can each take a step, with conflicting accesses
invariant                 the formula is false for some threads, which may be the same ones
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

from threadwise.analyses.regions import thread_locations
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.steps import SymbolicAccess, SymbolicStep
from threadwise.core.errors import Unsupported
from threadwise.engines.horn.representatives import Representatives
from threadwise.ir.expr import Expr, Quantified, Quantifier, ThreadVariable
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import LocId
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)


@dataclass(frozen=True)
class Violation:
    """Distinct threads that violate a property if a condition holds."""

    threads: tuple[Environment, ...]
    condition: Term


def split_formula(checked: InvariantProperty) -> tuple[tuple[ThreadVariable, ...], Expr]:
    """The quantified threads of an invariant and its body; Unsupported if it has another form."""
    variables: tuple[ThreadVariable, ...] = ()
    body = checked.formula
    while isinstance(body, Quantified) and body.quantifier is Quantifier.FORALL:
        variables, body = (*variables, *body.variables), body.body
    if any(isinstance(part, Quantified) for part in subexpressions(body)):
        raise Unsupported("quantifiers inside of formulas, in Horn clauses")
    return variables, body


class Violations:
    """The violations of the properties of a program."""

    def __init__(self, threads: Representatives) -> None:
        self.threads = threads
        self.program = threads.program
        self.logic = threads.logic
        self.steps = threads.steps

    def of(self, checked: Property) -> Iterator[Violation]:
        """All ways to violate a property."""
        match checked:
            case FailureProperty(name):
                yield from self._failures(name)
            case RaceProperty():
                yield from self._races(checked)
            case InvariantProperty():
                yield from self._invariant(checked)
            case DeadlockProperty():
                raise Unsupported("deadlocks in Horn clauses")

    def limits(self) -> Iterator[Violation]:
        """All ways to run into a limit of the model."""
        yield from self._failures(None)

    def _resting(self) -> Iterator[tuple[str, LocId]]:
        for template in self.program.templates:
            for location in thread_locations(self.program, template.name):
                if self.program.locations[location].failure is None and template.count != 0:
                    yield template.name, location

    def _failures(self, name: str | None) -> Iterator[Violation]:
        for template, location in self._resting():
            thread = self.threads.thread(template, 0, location)
            for step in self.steps.from_location(location, thread):
                failure = self.program.locations[step.path.target].failure
                if failure is None:
                    continue
                limit = failure.kind.is_limit
                if limit if name is None else failure.property == name and not limit:
                    yield Violation((thread,), step.condition)

    # -- races -----------------------------------------------------------------------------------

    def _races(self, checked: RaceProperty) -> Iterator[Violation]:
        places = [
            (template, location)
            for template, location in self._resting()
            if self._accesses(checked, self.threads.thread(template, 0, location), location)
        ]
        for (first, p), (second, q) in combinations_with_replacement(places, 2):
            if not self.threads.is_possible((first, second)):
                continue
            one, other = self.threads.thread(first, 0, p), self.threads.thread(second, 1, q)
            for a, left in self._accesses(checked, one, p):
                for b, right in self._accesses(checked, other, q):
                    meeting = self.logic.disjunction(
                        [self.steps.conflict(x, y) for x in left for y in right]
                    )
                    if not self.logic.is_false(meeting):
                        parts = [a.condition, b.condition, meeting]
                        yield Violation((one, other), self.logic.conjunction(parts))

    def _accesses(
        self, checked: RaceProperty, thread: Environment, location: LocId
    ) -> list[tuple[SymbolicStep, list[SymbolicAccess]]]:
        """The steps of a thread with the accesses that concern a property."""
        found = []
        for step in self.steps.from_location(location, thread):
            concerned = [
                access
                for access in self.steps.accesses(step)
                if checked.variables is None or access.variable.name in checked.variables
            ]
            if concerned:
                found.append((step, concerned))
        return found

    # -- invariants ------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> Iterator[Violation]:
        variables, body = split_formula(checked)
        if not variables:
            yield from self._about_nobody(body)
            return
        for chosen in same_or_different(variables):
            templates = {n: v.template for v, n in zip(variables, chosen, strict=True)}
            if not self.threads.is_possible(list(templates.values())):
                continue
            for locations in product(*(self._places(t) for _, t in sorted(templates.items()))):
                threads = [
                    self.threads.thread(templates[n], n, location)
                    for n, location in enumerate(locations)
                ]
                others = {v.name: threads[n] for v, n in zip(variables, chosen, strict=True)}
                speaker = Environment(
                    self.threads.shared, {}, self.logic.integer(-1), "", others=others
                )
                holds = self.logic.simplify(self.threads.encoder.holds(body, speaker))
                if not self.logic.is_true(holds):
                    yield Violation(tuple(threads), self.logic.negation(holds))

    def _about_nobody(self, body: Expr) -> Iterator[Violation]:
        """A formula about the shared variables alone, seen by a thread of each template."""
        nobody = Environment(self.threads.shared, {}, self.logic.integer(-1), "")
        broken = self.logic.negation(self.threads.encoder.holds(body, nobody))
        for template, location in self._resting():
            yield Violation((self.threads.thread(template, 0, location),), broken)

    def _places(self, template: str) -> list[LocId]:
        return [location for name, location in self._resting() if name == template]


def same_or_different(variables: Sequence[ThreadVariable]) -> Iterator[tuple[int, ...]]:
    """All ways in which quantified variables may mean the same threads, which are numbered."""
    pending: list[tuple[int, ...]] = [()]
    while pending:
        chosen = pending.pop(0)
        if len(chosen) == len(variables):
            yield chosen
            continue
        mine = variables[len(chosen)].template
        old = [n for n in dict.fromkeys(chosen) if variables[chosen.index(n)].template == mine]
        pending.extend((*chosen, number) for number in (*old, max(chosen, default=-1) + 1))
