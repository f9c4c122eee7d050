"""The states that violate a property, tuple of threads by tuple of threads.

    assertion, range, mutex    one thread is in a failure location of the property
    invariant                  forall t1 … tk: a tuple of threads for which the body is not true;
                               any other formula relates all threads
    limit                      one thread is where the model ends: nothing is SAFE if it can be

An `Atom` names the threads whose own cells it reads. A thread that has stopped has ended the
program, so that a state where another thread has stopped violates no invariant; atoms only
consider their own threads, `Errors.exact` all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.core.errors import InternalError
from threadwise.engines.symbolic.interchange import Classes, Kind, Permuting
from threadwise.ir.expr import (
    Const,
    Place,
    Quantified,
    Quantifier,
    Read,
    ThreadAt,
    ThreadRead,
    VariablePlace,
)
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import NONE, TidType


def is_answered(checked: Property) -> bool:
    """Whether the symbolic engines know what violates the property."""
    return isinstance(checked, FailureProperty | InvariantProperty)


@dataclass(frozen=True)
class Atom:
    """Error states of some threads."""

    threads: tuple[int, ...]
    states: Node


class Errors:
    """The error states of one property (None: limits of the model) in one model."""

    def __init__(self, model: Model, checked: Property | None) -> None:
        self.model = model
        self.checked = checked

    def atoms(self, classes: Classes) -> Iterator[Atom]:
        """All atoms, one for each tuple up to exchanging threads."""
        manager = self.model.manager
        match self.checked:
            case None | FailureProperty():
                for t in classes.representatives:
                    states = self._failed(t)
                    if states != manager.false:
                        yield Atom((t,), states)
            case InvariantProperty(_, formula):
                if isinstance(formula, Quantified) and _is_plain(formula):
                    yield from self._instances(formula, classes)
                    return
                everybody = tuple(t.thread for t in self.model.threads)
                states = self.model.violation(formula, {}) & self.going(everybody)
                if states != manager.false:
                    yield Atom(everybody, states)
            case RaceProperty() | DeadlockProperty():
                raise InternalError("a property that no symbolic engine answers")

    def _instances(self, formula: Quantified, classes: Classes) -> Iterator[Atom]:
        numbers = self.model.space.numbers
        names = [v.name for v in formula.variables]
        ranges = [numbers.ranges[v.template] for v in formula.variables]
        for chosen in _canonical(ranges, classes):
            bound = dict(zip(names, chosen, strict=True))
            threads = tuple(dict.fromkeys(chosen))
            states = self.model.violation(formula.body, bound) & self.going(threads)
            if states != self.model.manager.false:
                yield Atom(threads, states)

    def _failed(self, t: int) -> Node:
        program, own = self.model.space.program, self.model.space.threads[t]
        places = []
        for place in own.location.values:
            failure = program.locations[place].failure if isinstance(place, int) else None
            if failure is None:
                continue
            limit = failure.kind.is_limit
            if limit if self.checked is None else failure.property == self.checked.name:
                places.append(self.model.sets.literal(own.location, place))
        return self.model.manager.union(places) & self.model.threads[t].reach

    @property
    def is_failure(self) -> bool:
        """Whether an error is a thread that has stopped."""
        return self.checked is None or isinstance(self.checked, FailureProperty)

    def going(self, threads: tuple[int, ...]) -> Node:
        """The states in which none of the threads has stopped, nor is outside its values."""
        node = self.model.manager.true
        for t in threads:
            node = node & self.model.threads[t].reach & ~self.model.threads[t].stopped
        return node

    def exact(self, within: Node | None = None) -> Node:
        """All error states (of a set), exactly, as far as threads are where they can be."""
        wanted = self.model.manager.true if within is None else within
        if not self.is_failure:
            wanted = wanted & self.going(tuple(t.thread for t in self.model.threads))
        atoms = self.atoms(Classes.single(self.model))
        return self.model.manager.union(atom.states & wanted for atom in atoms)


MOST_TUPLES = 2_500
"""For more tuples than this it is not checked whether their errors correspond."""


def respected(model: Model, checked: Property | None, classes: Classes) -> Classes:
    """The classes, if permuting their threads maps errors to errors; else everybody alone."""
    match checked:
        case InvariantProperty(_, Quantified() as formula) if _is_plain(formula):
            if _is_blind(model, formula, classes) or _corresponds(model, formula, classes):
                return classes
            return Classes.single(model)
        case _:
            return classes


def _is_blind(model: Model, formula: Quantified, classes: Classes) -> bool:
    """Whether a formula cannot distinguish threads, syntactically."""
    if any(c.kind is Kind.TURN for c in classes.classes):
        return False
    moving = {name for c in classes.classes for name in c.arrays}
    for part in subexpressions(formula.body):
        match part:
            case ThreadAt():
                return False
            case Const(value, TidType()) if value != NONE:
                return False
            case Read(place) if is_moving(place, moving):
                return False
            case ThreadRead() if model.space.derived:
                return False
    return True


def is_moving(place: Place, arrays: set[str]) -> bool:
    """Whether a place is in one of some arrays."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.name in arrays


def _corresponds(model: Model, formula: Quantified, classes: Classes) -> bool:
    """Whether the errors of tuples are images of each other."""
    ranges = [model.space.numbers.ranges[v.template] for v in formula.variables]
    if prod(map(len, ranges)) > MOST_TUPLES:
        return False
    names = [v.name for v in formula.variables]
    found = {
        chosen: model.violation(formula.body, dict(zip(names, chosen, strict=True)))
        for chosen in product(*ranges)
    }
    for members in classes.classes:
        for threads in members.generators():
            move = Permuting(model, members, threads)
            for chosen, states in found.items():
                image = tuple(threads.get(t, t) for t in chosen)
                if move(states) != found[image]:
                    return False
    return True


def _is_plain(formula: Quantified) -> bool:
    return formula.quantifier is Quantifier.FORALL and not any(
        isinstance(part, Quantified) for part in subexpressions(formula.body)
    )


def _canonical(ranges: list[range], classes: Classes) -> Iterator[tuple[int, ...]]:
    """The tuples of threads up to exchanging, without listing all of them."""
    tuples: list[tuple[int, ...]] = [()]
    for ids in ranges:
        tuples = [(*chosen, t) for chosen in tuples for t in classes.extensions(ids, chosen)]
    return iter(tuples)
