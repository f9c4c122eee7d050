"""Whole steps: edges, and paths through atomic regions, with the accesses they make.

An access is made if evaluation gets there: the right operand of `&&` only if the left one is true,
one branch of a conditional. Its condition says so; together with the condition of its step it is
exactly what the reference semantics reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from threadwise.analyses.regions import Path, steps_from
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.memory import Located
from threadwise.backends.smt.values import Step as PathStep
from threadwise.backends.smt.values import Symbolic
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import children, place_expressions, root
from threadwise.ir.program import Edge, LocId
from threadwise.ir.types import ArrayType, MutexType, fields_of


@dataclass(frozen=True)
class SymbolicAccess:
    """An access to a shared cell, if its condition holds."""

    variable: Variable
    path: tuple[PathStep, ...]
    write: bool
    sync: bool
    condition: Term


@dataclass(frozen=True)
class SymbolicStep:
    """One step: when it is possible, and what it leads to."""

    path: Path
    condition: Term
    after: Environment
    chosen: tuple[tuple[Symbolic, ...], ...]
    """Per edge, the constants that stand for the values of its havocs."""
    stages: tuple[Environment, ...]
    """Per edge, the environment in which it is taken."""


class Steps:
    """The steps of the threads of one program."""

    def __init__(self, firing: Firing) -> None:
        self.firing = firing
        self.encoder = firing.encoder
        self.logic = firing.logic
        self._paths: dict[LocId, list[Path]] = {}

    def paths(self, location: LocId) -> list[Path]:
        """The steps in program order that leave a location."""
        if location not in self._paths:
            self._paths[location] = steps_from(self.encoder.program, location)
        return self._paths[location]

    def take(self, path: Path, before: Environment) -> SymbolicStep:
        """Take a step."""
        conditions: list[Term] = []
        chosen: list[tuple[Symbolic, ...]] = []
        stages: list[Environment] = []
        env = before
        for edge in path.edges:
            stages.append(env)
            fired = self.firing.fire(edge, env)
            conditions.extend(fired.terms)
            chosen.append(fired.chosen)
            env = fired.after
        condition = self.logic.conjunction(conditions)
        return SymbolicStep(path, condition, env, tuple(chosen), tuple(stages))

    def from_location(self, location: LocId, before: Environment) -> Iterator[SymbolicStep]:
        """All steps that leave a location."""
        for path in self.paths(location):
            yield self.take(path, before)

    # -- accesses ---------------------------------------------------------------------------------

    def accesses(self, step: SymbolicStep) -> list[SymbolicAccess]:
        """The accesses to shared cells that a step makes, if it is possible."""
        return [
            access
            for edge, env in zip(step.path.edges, step.stages, strict=True)
            for access in self._edge_accesses(edge, env)
        ]

    def _edge_accesses(self, edge: Edge, env: Environment) -> Iterator[SymbolicAccess]:
        action = edge.action
        if not isinstance(action, Command):
            raise Unsupported("a heap, in SMT", edge.span)
        always = self.logic.true
        yield from self._reads(action.guard, env, always, edge.sync)
        targets = [*(a.target for a in action.assignments), *action.havocs]
        for assignment in action.assignments:
            yield from self._reads(assignment.value, env, always, edge.sync)
        for target in targets:
            for index in place_expressions(target):
                yield from self._reads(index, env, always, edge.sync)
            yield from self._access(target, env, always, edge.sync, write=True)

    def _reads(
        self, expr: Expr, env: Environment, condition: Term, sync: bool
    ) -> Iterator[SymbolicAccess]:
        """The reads that evaluating an expression makes."""
        logic = self.logic
        match expr:
            case Binary(BinaryOp.AND | BinaryOp.IMPLIES, left, right):
                yield from self._reads(left, env, condition, sync)
                reached = logic.conjunction([condition, self.encoder.term(left, env)])
                yield from self._reads(right, env, reached, sync)
            case Binary(BinaryOp.OR, left, right):
                yield from self._reads(left, env, condition, sync)
                missed = logic.negation(self.encoder.term(left, env))
                yield from self._reads(right, env, logic.conjunction([condition, missed]), sync)
            case Conditional(test, then, otherwise):
                yield from self._reads(test, env, condition, sync)
                chosen = self.encoder.term(test, env)
                yes = logic.conjunction([condition, chosen])
                no = logic.conjunction([condition, logic.negation(chosen)])
                yield from self._reads(then, env, yes, sync)
                yield from self._reads(otherwise, env, no, sync)
            case _:
                for child in children(expr):
                    yield from self._reads(child, env, condition, sync)
                if isinstance(expr, Read):
                    yield from self._access(expr.place, env, condition, sync, write=False)

    def _access(
        self, place: Place, env: Environment, condition: Term, sync: bool, *, write: bool
    ) -> Iterator[SymbolicAccess]:
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable.scope is not Scope.GLOBAL:
            return
        for part in self.encoder.located(place, env):
            quiet = sync or part.variable.sync or _is_mutex_part(place) or _in_mutex(part)
            both = self.logic.conjunction([condition, part.condition])
            yield SymbolicAccess(part.variable, part.path, write, quiet, both)

    def conflict(self, first: SymbolicAccess, second: SymbolicAccess) -> Term:
        """Whether two accesses are to one cell, one of them writing, at least one plain."""
        logic = self.logic
        if first.variable != second.variable or len(first.path) != len(second.path):
            return logic.false
        if not (first.write or second.write) or (first.sync and second.sync):
            return logic.false
        same = [first.condition, second.condition]
        for a, b in zip(first.path, second.path, strict=True):
            if isinstance(a, str) or isinstance(b, str):
                same.append(logic.boolean(a == b))
            else:
                same.append(logic.equal(a, b))
        return logic.conjunction(same)


def _is_mutex_part(place: Place) -> bool:
    while not isinstance(place, VariablePlace):
        if isinstance(place, FieldPlace | IndexPlace):
            place = place.base
            if isinstance(place.type, MutexType):
                return True
        else:
            return False
    return False


def _in_mutex(part: Located) -> bool:
    held = part.variable.type
    for step in part.path:
        if isinstance(held, MutexType):
            return True
        held = held.element if isinstance(held, ArrayType) else dict(fields_of(held))[step]  # type: ignore[arg-type]  # a path fits its type
    return False
