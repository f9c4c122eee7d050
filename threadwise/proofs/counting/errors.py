"""Violations of properties as formulas over the shared variables and a few threads.

    assertion, range, mutex   one thread can take a step into the failure; so is every limit
    race                      two threads can each take a step, with conflicting accesses to a cell
    invariant                 its formula, `forall` threads, is false for some of them

A failure is excluded before it happens: where no step into it can be taken, no thread gets
there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call
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
from threadwise.proofs.toolbox.smt.edges import SharedAccess
from threadwise.proofs.toolbox.smt.environments import Environment, Store
from threadwise.proofs.toolbox.smt.steps import SymbolicStep, SymbolicSteps


@dataclass(frozen=True)
class SymbolicError:
    """Some distinct threads, and when they violate a property."""

    threads: tuple[Environment, ...]
    condition: Term


def arity(checked: Property) -> int:
    """How many threads a violation relates; raises Unsupported if that is not a fixed number."""
    match checked:
        case FailureProperty():
            return 1
        case RaceProperty():
            return 2
        case InvariantProperty(_, formula):
            return len(_universal(formula)[0])
        case DeadlockProperty():
            raise Unsupported("deadlocks in proofs about a fixed number of threads")


def _universal(formula: Expr) -> tuple[tuple[ThreadVariable, ...], Expr]:
    variables: tuple[ThreadVariable, ...] = ()
    while isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
        variables, formula = (*variables, *formula.variables), formula.body
    if any(isinstance(part, Quantified) for part in subexpressions(formula)):
        raise Unsupported("quantifiers inside of formulas, in proofs by a solver")
    return variables, formula


class SymbolicErrors:
    """The violations of the properties of a program, in one shared store."""

    def __init__(self, steps: SymbolicSteps, ids: Sequence[Term], shared: Store) -> None:
        self.steps = steps
        self.program = steps.program
        self.logic = steps.logic
        self.ids = tuple(ids)
        self.shared = shared
        self._cache: dict[tuple[str, LocId, int], list[SymbolicStep]] = {}
        self._check_steps_into_failures()

    def _check_steps_into_failures(self) -> None:
        """A failure is only seen if a step leads to it: no call, no return and no beginning."""
        reached = [procedure.entry for procedure in self.program.procedures]
        reached += [edge.target for edge in self.program.edges if isinstance(edge.action, Call)]
        if any(self.program.locations[location].failure is not None for location in reached):
            raise Unsupported("procedures that begin in a failure, or return to one")

    def thread(self, template: str, location: LocId | Term, number: int) -> Environment:
        """A thread at a location; without a known location, with its lasting variables only."""
        environments = self.steps.environments
        procedure = self.program.procedure_of[location].name if isinstance(location, int) else None
        own = environments.own(template, procedure, f"{number}.")
        return Environment(self.shared, own, self.ids[number], template, location)

    def are_threads(self, threads: Sequence[Environment]) -> Term:
        """Whether they are distinct threads of their templates, with variables of their types."""
        environments = self.steps.environments
        parts = [environments.is_thread(thread.me, thread.template) for thread in threads]
        parts.extend(environments.typed(thread.own) for thread in threads)
        parts.append(self.logic.distinct([thread.me for thread in threads]))
        return self.logic.conjunction(parts)

    def steps_of(self, template: str, location: LocId, number: int = 0) -> list[SymbolicStep]:
        """The steps of a thread at a location."""
        key = (template, location, number)
        if key not in self._cache:
            thread = self.thread(template, location, number)
            self._cache[key] = list(self.steps.steps(thread))
        return self._cache[key]

    def of(self, checked: Property) -> Iterator[SymbolicError]:
        """All ways to violate a property."""
        match checked:
            case FailureProperty(name):
                yield from self._failures(name)
            case RaceProperty():
                yield from self._races(checked)
            case InvariantProperty():
                yield from self._invariant(checked)
            case DeadlockProperty():
                arity(checked)

    def limits(self) -> Iterator[SymbolicError]:
        """All ways to run into a limit of the model."""
        yield from self._failures(None)

    def _failures(self, name: str | None) -> Iterator[SymbolicError]:
        """Steps into failures that violate a property; None: into limits."""
        for template, locations in self.steps.locations.items():
            for location in locations:
                for step in self.steps_of(template, location):
                    failure = self.program.locations[step.target].failure
                    if failure is None:
                        continue
                    limit = failure.kind.is_limit
                    if limit if name is None else failure.property == name and not limit:
                        thread = self.thread(template, location, 0)
                        yield SymbolicError((thread,), step.condition)

    # -- races -----------------------------------------------------------------------------------

    def _races(self, checked: RaceProperty) -> Iterator[SymbolicError]:
        places = [
            (template, location)
            for template, locations in self.steps.locations.items()
            for location in locations
            if any(self._concerned(checked, step) for step in self.steps_of(template, location))
        ]
        for (first, p), (second, q) in combinations_with_replacement(places, 2):
            count = self.program.template[first].count
            if first == second and count is not None and count < 2:
                continue
            conditions = [
                self.logic.conjunction([one.condition, other.condition, meeting])
                for one in self.steps_of(first, p, 0)
                for other in self.steps_of(second, q, 1)
                for meeting in [self._meeting(checked, one, other)]
                if not self.logic.is_false(meeting)
            ]
            if conditions:
                threads = (self.thread(first, p, 0), self.thread(second, q, 1))
                yield SymbolicError(threads, self.logic.disjunction(conditions))

    def _concerned(self, checked: RaceProperty, step: SymbolicStep) -> list[SharedAccess]:
        return [
            access
            for access in step.accesses
            if checked.variables is None or access.variable.name in checked.variables
        ]

    def _meeting(self, checked: RaceProperty, one: SymbolicStep, other: SymbolicStep) -> Term:
        """Whether the accesses of two steps conflict."""
        parts = [
            self.steps.walk.conflict(first, second)
            for first in dict.fromkeys(self._concerned(checked, one))
            for second in dict.fromkeys(self._concerned(checked, other))
        ]
        return self.logic.disjunction(parts)

    # -- invariants ------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> Iterator[SymbolicError]:
        variables, body = _universal(checked.formula)
        for chosen in _choices(variables):
            templates: dict[int, str] = {}
            for variable, number in zip(variables, chosen, strict=True):
                templates.setdefault(number, variable.template)
            threads = [
                self.thread(template, self._somewhere(number), number)
                for number, template in sorted(templates.items())
            ]
            others = {v.name: threads[n] for v, n in zip(variables, chosen, strict=True)}
            if threads:
                speaker = replace(threads[0], others=others)
            else:
                speaker = Environment(self.shared, {}, self.logic.integer(-1), "")
            holds = self.steps.encoder.holds(body, speaker)
            placed = [
                self.logic.disjunction(
                    [thread.location == p for p in self.steps.locations[thread.template]]
                )
                for thread in threads
            ]
            yield SymbolicError(
                tuple(threads), self.logic.conjunction([*placed, self.logic.negation(holds)])
            )

    def _somewhere(self, number: int) -> Term:
        return self.logic.constant(f"{number}.location", self.logic.integer_sort)


def _choices(variables: Sequence[ThreadVariable]) -> Iterator[tuple[int, ...]]:
    """All ways in which quantified variables may mean the same threads, which are numbered."""

    def extend(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == len(variables):
            yield chosen
            return
        mine = variables[len(chosen)].template
        new = max(chosen, default=-1) + 1
        for number in range(new):
            if variables[chosen.index(number)].template == mine:
                yield from extend((*chosen, number))
        yield from extend((*chosen, new))

    yield from extend(())
