"""Properties as conditions over views: which views, at which locations, may violate them together.

assertion, range, mutex   one thread in a failure location
race                      two threads with steps that touch the same cell
invariant                 one thread per quantified variable, in every way they can be equal

Deadlocks ask all threads at once: no finite number of views answers for them (Unsupported).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.steps import SymbolicAccess
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Quantified, Variable
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import FailureKind, LocId
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    PropertyKind,
    RaceProperty,
)
from threadwise.systems.api import ReachedPairs, Role, Witness
from threadwise.systems.invariants import partitions, universal_prefix
from threadwise.systems.predicate.cubes import Valuation

if TYPE_CHECKING:
    from threadwise.systems.predicate.system import AbstractLocal, PredicateSystem

Place = tuple[Role, LocId]
Maker = Callable[[tuple[Place, ...]], Iterable["ErrorCase"]]


LIMIT = FailureProperty("limits of the model", PropertyKind.ASSERTION)
"""That no thread runs into a limit of the model."""


@dataclass(frozen=True, eq=False)
class ErrorCase:
    """Threads at certain locations, and when they violate the property."""

    property: Property
    who: tuple[Place, ...]
    views: tuple[Environment, ...]
    condition: Term

    def key(self) -> tuple[object, ...]:
        """What is the same for errors of several properties; while the condition is kept."""
        return self.who, self.condition.ast.value


class AbstractErrors:
    """All ways to violate one property, searched among abstract pairs."""

    def __init__(self, system: PredicateSystem, checked: Property) -> None:
        self.system = system
        self.symbols = system.symbols
        self.program = system.program
        self._checked = checked
        self._cases: dict[tuple[object, ...], list[ErrorCase]] = {}
        self._accesses: dict[tuple[int, Place], list[tuple[Term, SymbolicAccess]]] = {}

    @property
    def property(self) -> Property:
        """The property that is violated."""
        return self._checked

    def violated(self, g: Valuation, ls: Sequence[AbstractLocal]) -> bool:
        """Abstract pairs have no common state of all threads."""
        raise NotImplementedError

    def search(
        self, reached: ReachedPairs[Valuation, AbstractLocal]
    ) -> Sequence[Witness[Valuation, AbstractLocal]] | None:
        """Pairs that fit together and may violate the property."""
        found = self.find(reached)
        return found[0][1] if found else None

    def find(
        self, reached: ReachedPairs[Valuation, AbstractLocal]
    ) -> list[tuple[ErrorCase, list[Witness[Valuation, AbstractLocal]]]]:
        """Pairs that fit together and how they may violate the property, if some do.

        The first ones found; failures at different locations have little to do with each other,
        so of those the first ones at each.
        """
        by_place: dict[Place, list[Witness[Valuation, AbstractLocal]]] = {}
        for t in self.system.roles:
            for g, l in reached.pairs[t]:
                by_place.setdefault((t, l.location), []).append(Witness(t, g, l))
        found: list[tuple[ErrorCase, list[Witness[Valuation, AbstractLocal]]]] = []
        for case in self.cases(by_place):
            for witnesses in product(*(by_place[place] for place in case.who)):
                if self.fits(case, witnesses):
                    found.append((case, list(witnesses)))
                    break
            if found and not isinstance(self._checked, FailureProperty):
                break
        return found

    def fits(
        self, case: ErrorCase, witnesses: Sequence[Witness[Valuation, AbstractLocal]]
    ) -> bool:
        """Whether pairs fit together and may violate the property in this way."""
        first = witnesses[0].g
        for witness in witnesses[1:]:
            pairs = zip(first, witness.g, strict=True)
            if any(a is not None and b is not None and a != b for a, b in pairs):
                return False
        context = self.system.context(("error", case.key()), lambda: self.conditions(case))
        assumed = [
            context.literal(f"t{k}", predicate, view, value)
            for k, (witness, view) in enumerate(zip(witnesses, case.views, strict=True))
            for predicate, value in self.system.literals(*witness).items()
        ]
        return bool(context.outcomes(assumed, (), boolean=False))

    def conditions(self, case: ErrorCase) -> list[Term]:
        """What holds when threads violate the property in this way."""
        conditions = [case.condition, *map(self.symbols.typed, case.views)]
        conditions += self.system.counted(*case.views)
        for k, view in enumerate(case.views):
            conditions += [self.symbols.distinct(view, other) for other in case.views[:k]]
        return conditions

    # -- cases ------------------------------------------------------------------------------------

    def cases(self, places: Iterable[Place]) -> Iterator[ErrorCase]:
        """How threads at some of these locations can violate the property."""
        everywhere = sorted(places)
        match self._checked:
            case FailureProperty():
                for place in everywhere:
                    yield from self._known((place,), self._failure)
            case RaceProperty():
                going = [place for place in everywhere if not self._has_failed(place)]
                for k, first in enumerate(going):
                    for second in going[k:]:
                        if first[0] != second[0] or self.system.interferes(first[0], first[0]):
                            yield from self._known((first, second), self._race)
            case InvariantProperty():
                yield from self._invariant(
                    [place for place in everywhere if not self._has_failed(place)]
                )
            case DeadlockProperty():
                raise Unsupported("deadlocks, which relate all threads, with predicates")

    def _known(self, who: tuple[Place, ...], make: Maker) -> Iterator[ErrorCase]:
        if who not in self._cases:
            self._cases[who] = list(make(who))
        return iter(self._cases[who])

    def _has_failed(self, place: Place) -> bool:
        return self.program.locations[place[1]].failure is not None

    def _views(self, who: Sequence[Place]) -> tuple[Environment, ...]:
        return tuple(
            self.symbols.view_at(self.system.templates[t], location, f"t{k}")
            for k, (t, location) in enumerate(who)
        )

    def _failure(self, who: tuple[Place, ...]) -> Iterator[ErrorCase]:
        failure = self.program.locations[who[0][1]].failure
        if failure is None or failure.kind is FailureKind.END:
            return
        if self._checked is LIMIT:
            violated = failure.kind.is_limit
        else:
            violated = failure.property == self._checked.name
        if violated:
            yield ErrorCase(self._checked, who, self._views(who), self.symbols.logic.true)

    def _race(self, who: tuple[Place, ...]) -> Iterator[ErrorCase]:
        """Enabled steps of both threads that touch a cell of the property's variables."""
        assert isinstance(self._checked, RaceProperty)
        logic, walk = self.symbols.logic, self.symbols.walk
        views = self._views(who)
        touched = [
            self._touched(k, place, view)
            for k, (place, view) in enumerate(zip(who, views, strict=True))
        ]
        conditions = [
            logic.conjunction([first, second, walk.conflict(a, b)])
            for first, a in touched[0]
            for second, b in touched[1]
        ]
        condition = logic.simplify(logic.disjunction(conditions))
        if not logic.is_false(condition):
            yield ErrorCase(self._checked, who, views, condition)

    def _touched(
        self, k: int, place: Place, view: Environment
    ) -> list[tuple[Term, SymbolicAccess]]:
        """The accesses that the k-th thread can make at a place, and when."""
        if (k, place) not in self._accesses:
            walk = self.symbols.walk
            self._accesses[k, place] = [
                (step.condition, access)
                for step in walk.from_location(place[1], view)
                for access in walk.accesses(step)
                if self._concerns(access.variable)
            ]
        return self._accesses[k, place]

    def _concerns(self, variable: Variable) -> bool:
        assert isinstance(self._checked, RaceProperty)
        return self._checked.variables is None or variable.name in self._checked.variables

    def _invariant(self, places: Sequence[Place]) -> Iterator[ErrorCase]:
        assert isinstance(self._checked, InvariantProperty)
        variables, body = universal_prefix(self._checked.formula)
        if any(isinstance(part, Quantified) for part in subexpressions(body)):
            raise Unsupported("an invariant with `exists`, with predicates", self._checked.span)
        names = self.system.templates
        if not variables:
            for place in places:
                yield from self._known((place,), self._over_shared)
            return
        for blocks in partitions(variables):
            options = [
                [place for place in places if names[place[0]] == block[0].template]
                for block in blocks
            ]
            bound = [{variable.name for variable in block} for block in blocks]
            for who in product(*options):
                templates = [names[t] for t, _ in who]
                limited = [t for t in templates if self.symbols.is_single(t)]
                if len(set(limited)) == len(limited):
                    yield from self._relation(who, bound)

    def _over_shared(self, who: tuple[Place, ...]) -> Iterator[ErrorCase]:
        assert isinstance(self._checked, InvariantProperty)
        views = self._views(who)
        logic = self.symbols.logic
        held = self.symbols.encoder.holds(self._checked.formula, views[0])
        yield ErrorCase(self._checked, who, views, logic.negation(held))

    def _relation(self, who: tuple[Place, ...], bound: Sequence[set[str]]) -> Iterator[ErrorCase]:
        """The formula is false of threads at these locations, one for each block of variables."""
        assert isinstance(self._checked, InvariantProperty)
        key = (who, tuple(map(frozenset, bound)))
        if key not in self._cases:
            _, body = universal_prefix(self._checked.formula)
            views = self._views(who)
            others = {
                name: view for names, view in zip(bound, views, strict=True) for name in names
            }
            env = replace(views[0], others=others)
            logic = self.symbols.logic
            condition = logic.negation(self.symbols.encoder.holds(body, env))
            condition = logic.simplify(condition)
            self._cases[key] = (
                []
                if logic.is_false(condition)
                else [ErrorCase(self._checked, who, views, condition)]
            )
        yield from self._cases[key]
