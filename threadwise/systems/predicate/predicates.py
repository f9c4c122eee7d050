"""Predicates: formulas over what one thread sees, and the locations where they are tracked.

    shared    over global variables alone: part of the abstract global store, tracked by everybody
    own       about the thread's own variables or its id, perhaps with global ones (*mixed*): part
              of the abstract local store of the threads of one template

An own predicate is tracked at the locations it was found for, and wherever all its own variables
are live: elsewhere its truth value is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from threadwise.analyses.liveness import ReadAndOverwritten, live_by
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import Expr, Scope, SelfId, SelfIndex, ThreadRead, Variable, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty


@dataclass(frozen=True, eq=False)
class Predicate:
    """A formula with its number; `template` is None for a shared one."""

    number: int
    formula: Expr
    template: str | None
    procedure: str | None
    """Whose locals it mentions, if any."""
    variables: frozenset[Variable]
    locations: set[LocId]
    """Where it was found."""

    @cached_property
    def own_variables(self) -> frozenset[Variable]:
        """The variables of the thread itself."""
        return frozenset(v for v in self.variables if v.scope is not Scope.GLOBAL)

    @cached_property
    def speaks_of_self(self) -> bool:
        """Whether it mentions the id of the thread."""
        return speaks_of_self(self.formula)


def mentioned(formula: Expr) -> frozenset[Variable]:
    """The variables a formula reads."""
    found = []
    for place in read_places(formula):
        base = root(place)
        if isinstance(base, VariablePlace):
            found.append(base.variable)
    return frozenset(found)


def speaks_of_self(formula: Expr) -> bool:
    """Whether a formula mentions the id of the thread."""
    return any(isinstance(part, SelfId | SelfIndex) for part in subexpressions(formula))


class Precision:
    """What is tracked where; it only grows."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.predicates: list[Predicate] = []
        self.boolean: set[int] = set()
        """Steps (by number) after which combinations of truth values are distinguished."""
        self._live = {proc.name: live_variables(program, proc) for proc in program.procedures}
        self._tracked: dict[tuple[str, LocId], tuple[Predicate, ...]] = {}

    @property
    def shared(self) -> list[Predicate]:
        """The predicates of the abstract global store."""
        return [p for p in self.predicates if p.template is None]

    def tracked(self, template: str, location: LocId) -> tuple[Predicate, ...]:
        """The own predicates at a location, in order of their numbers."""
        key = (template, location)
        if key not in self._tracked:
            self._tracked[key] = tuple(self._select(template, location))
        return self._tracked[key]

    def _select(self, template: str, location: LocId) -> Iterator[Predicate]:
        procedure = self.program.procedure_of[location].name
        live = self._live[procedure][location]
        for predicate in self.predicates:
            if predicate.template != template or predicate.procedure not in (None, procedure):
                continue
            if location in predicate.locations or predicate.own_variables <= live:
                yield predicate

    def add(self, template: str, location: LocId, formula: Expr) -> Predicate | None:
        """Track a formula that is equivalent to none before; None if its scope is mixed up."""
        variables = mentioned(formula)
        own = [v for v in variables if v.scope is not Scope.GLOBAL]
        is_shared = not own and not speaks_of_self(formula)
        local = any(v.scope is Scope.LOCAL for v in own)
        predicate = Predicate(
            len(self.predicates),
            formula,
            None if is_shared else template,
            self.program.procedure_of[location].name if local else None,
            variables,
            {location},
        )
        self.predicates.append(predicate)
        self._tracked.clear()
        return predicate

    def extend(self, predicate: Predicate, location: LocId) -> bool:
        """Track a predicate at one more location; whether it was not there before."""
        if predicate.template is None or location in predicate.locations:
            return False
        before = predicate in self.tracked(predicate.template, location)
        predicate.locations.add(location)
        self._tracked.clear()
        return not before


def live_variables(program: Program, proc: Procedure) -> dict[LocId, frozenset[Variable]]:
    """Per location the own variables whose value may still be read.

    Thread-scoped variables count as live everywhere: a caller or an invariant may read them.
    """
    always = frozenset(
        declaration.variable
        for template in program.templates
        for declaration in template.variables
    ) | frozenset(_in_invariants(program))
    uses = {edge.id: ReadAndOverwritten(_used(edge), _overwritten(edge)) for edge in proc.edges}
    return live_by(proc, lambda edge, _: uses[edge.id], always)


def _used(edge: Edge) -> frozenset[Variable]:
    found: frozenset[Variable] = frozenset()
    for expr in action_expressions(edge.action):
        found |= frozenset(v for v in mentioned(expr) if v.scope is not Scope.GLOBAL)
    return found


def _overwritten(edge: Edge) -> frozenset[Variable]:
    if not isinstance(edge.action, Command | Call):
        return frozenset()
    return frozenset(
        place.variable
        for place in action_places(edge.action)
        if isinstance(place, VariablePlace) and place.variable.scope is not Scope.GLOBAL
    )


def _in_invariants(program: Program) -> Iterator[Variable]:
    for checked in program.properties:
        if isinstance(checked, InvariantProperty):
            for part in subexpressions(checked.formula):
                if isinstance(part, ThreadRead):
                    base = root(part.place)
                    if isinstance(base, VariablePlace):
                        yield base.variable
