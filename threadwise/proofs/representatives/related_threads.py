"""Which threads a property relates, and what it would take for them to violate it, as formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from threadwise.backends.smt.handle import Term
from threadwise.ir.expr import Expr, Quantified, Quantifier, ThreadVariable
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import Failure
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations, Slot


class Representatives(Protocol):
    """What is known about threads that are together in a state."""

    def combinations(self, size: int) -> Iterator[tuple[str, ...]]:
        """The combinations of templates that the program can have threads for."""

    def placed(self, templates: Sequence[str], first: int = 0) -> Iterator[tuple[Slot, ...]]:
        """Different threads of the templates, at all their locations."""

    def impossible(self, slots: Sequence[Slot], violation: Term) -> bool:
        """Whether what is known excludes a violation by some threads."""


class RelatedThreads:
    """Asks for each property whether the threads it relates can violate it."""

    def __init__(self, obligations: Obligations, known: Representatives) -> None:
        self.obligations = obligations
        self.program = obligations.program
        self.logic = obligations.logic
        self.known = known

    def violation(self, checked: Property) -> str | None:
        """How a property may be violated; None if it cannot be."""
        match checked:
            case FailureProperty(name):
                return self._failure(lambda failure: failure.property == name)
            case RaceProperty():
                return self._race(checked)
            case InvariantProperty():
                return self._invariant(checked)
            case DeadlockProperty():
                return "formulas about some threads say nothing about deadlocks"

    def limit(self) -> str | None:
        """Which limit of the model a thread may reach; None if there is none."""
        return self._failure(lambda failure: failure.kind.is_limit)

    def _failure(self, concerns: Callable[[Failure], bool]) -> str | None:
        for combination in self.known.combinations(1):
            for slots in self.known.placed(combination):
                failure = self._failed(slots[0])
                if failure is None or not concerns(failure):
                    continue
                if not self.known.impossible(slots, self.logic.true):
                    return failure.message
        return None

    def _failed(self, slot: Slot) -> Failure | None:
        return self.program.locations[slot.location].failure

    # -- races ------------------------------------------------------------------------------------

    def _race(self, checked: RaceProperty) -> str | None:
        for combination in self.known.combinations(2):
            for first, second in self.known.placed(combination):
                for variable, clash in self._clashes(checked, first, second):
                    if not self.known.impossible((first, second), clash):
                        return f"two threads can access `{variable}`"
        return None

    def _clashes(
        self, checked: RaceProperty, first: Slot, second: Slot
    ) -> Iterator[tuple[str, Term]]:
        """Pairs of steps of two threads that conflict, and when they do."""
        for a in self.obligations.steps(first):
            for b in self.obligations.steps(second):
                possible = [a.condition, b.condition]
                for x in self.obligations.accesses(a):
                    name = x.variable.name
                    if checked.variables is not None and name not in checked.variables:
                        continue
                    for y in self.obligations.accesses(b):
                        clash = self.obligations.walk.conflict(x, y)
                        if not self.logic.is_false(clash):
                            yield name, self.logic.conjunction([*possible, clash])

    # -- invariants -------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> str | None:
        variables, body = _prenex(checked.formula)
        for groups in _partitions(variables):
            combination = [group[0].template for group in groups]
            if not self._exists(combination):
                continue
            for slots in self.known.placed(combination):
                if any(self._failed(slot) for slot in slots):
                    continue
                if not self._keeps(groups, slots, body):
                    return "the formula may be false"
        return None

    def _exists(self, combination: Sequence[str]) -> bool:
        wanted = sorted(combination)
        return any(sorted(names) == wanted for names in self.known.combinations(len(wanted)))

    def _keeps(
        self, groups: Sequence[Sequence[ThreadVariable]], slots: Sequence[Slot], body: Expr
    ) -> bool:
        named = {
            variable.name: slot.env
            for group, slot in zip(groups, slots, strict=True)
            for variable in group
        }
        if slots:
            return self._stated(named, slots, body)
        return all(
            self._stated(named, beside, body)
            for combination in self.known.combinations(1)
            for beside in self.known.placed(combination)
            if not self._failed(beside[0])
        )

    def _stated(self, named: Mapping[str, Environment], slots: Sequence[Slot], body: Expr) -> bool:
        holds = self.obligations.formula(body, slots[0].env, named)
        return self.known.impossible(slots, self.logic.negation(holds))


def _prenex(formula: Expr) -> tuple[list[ThreadVariable], Expr]:
    """The universally quantified threads of an invariant, and what is said about them."""
    variables: list[ThreadVariable] = []
    while isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
        variables.extend(formula.variables)
        formula = formula.body
    if any(isinstance(part, Quantified) for part in subexpressions(formula)):
        raise Refuted(
            "formulas about some threads do not prove an invariant with inner quantifiers"
        )
    return variables, formula


def _partitions(variables: Sequence[ThreadVariable]) -> Iterator[list[list[ThreadVariable]]]:
    """Which variables mean the same thread: all ways that templates allow."""
    if not variables:
        yield []
        return
    for groups in _partitions(variables[:-1]):
        for i, group in enumerate(groups):
            if group[0].template == variables[-1].template:
                yield [*groups[:i], [*group, variables[-1]], *groups[i + 1 :]]
        yield [*groups, [variables[-1]]]
