"""Edges and steps as terms: `threadwise.semantics.step`, for checkers.

    fire    a command: when it can be taken, and the environment after it
    enter   a call: the environment at the callee's entry
    leave   a return: the environment behind the call
    Steps   single edges, and paths through atomic regions, with the accesses they make

All right-hand sides and indices are evaluated before; then assignments are made from left to
right, then havocs, each with a constant of its own for what it chooses.

An access is made if evaluation gets there: the right operand of `&&` only if the left one is true,
one branch of a conditional. Its condition says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call, Command, Return
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
from threadwise.ir.fold import children, is_shared, place_expressions, read_places, root
from threadwise.ir.program import Edge, LocId
from threadwise.ir.types import MutexType, PointerType, ScalarType
from threadwise.proofs.toolbox.paths import Path, kept_parameters, steps_from
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import Environment, Store
from threadwise.proofs.toolbox.smt.values import PathStep


@dataclass(frozen=True)
class Fired:
    """What taking an edge means."""

    condition: Term
    """When it can be taken, and that what havocs choose is of their types."""
    after: Environment
    chosen: tuple[Term, ...] = ()
    """The constants that stand for what havocs choose, in order."""


class Firing:
    """The edges of one program."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.logic = encoder.logic
        self.environments = encoder.environments

    def fire(self, edge: Edge, before: Environment) -> Fired:
        """Take an edge that is no call and no return."""
        action = edge.action
        if not isinstance(action, Command):
            raise Unsupported("a heap, in SMT", edge.span)
        encoder = self.encoder
        conditions = [encoder.value(action.guard, before)]
        writes = [
            (encoder.path(a.target, before), encoder.value(a.value, before))
            for a in action.assignments
        ]
        chosen: list[Term] = []
        for place in action.havocs:
            scalar: ScalarType = place.type  # type: ignore[assignment]  # validated: a havoc is scalar
            if isinstance(scalar, PointerType):
                raise Unsupported("any value of a pointer")
            value = self.logic.fresh("any", self.environments.sort(scalar))
            chosen.append(value)
            conditions.extend(self.environments.in_type(scalar, value, chosen=True))
            writes.append((encoder.path(place, before), value))
        after = before if before.location is None else replace(before, location=edge.target)
        for (variable, path), value in writes:
            after = self._assigned(after, variable, path, value)
        return Fired(self.logic.conjunction(conditions), after, tuple(chosen))

    def _assigned(
        self, env: Environment, variable: Variable, path: list[PathStep], value: Term
    ) -> Environment:
        whole = self.encoder.values.write(env.value(variable), path, value)
        return env.with_value(variable, whole)

    # -- calls ------------------------------------------------------------------------------------

    def enter(self, edge: Edge, before: Environment) -> Fired:
        """Take a call."""
        action = edge.action
        assert isinstance(action, Call)
        callee = self.encoder.program.procedure[action.procedure]
        arguments = [self.encoder.value(argument, before) for argument in action.arguments]
        own = {
            **self._lasting(before),
            **dict(zip(callee.parameters, arguments, strict=True)),
            **self.environments.initial(callee.locals),
        }
        condition = self.encoder.value(action.guard, before)
        return Fired(condition, replace(before, own=own, location=callee.entry))

    def leave(self, call: Edge, edge: Edge, caller: Store, before: Environment) -> Fired:
        """Take a return to a call whose caller's variables were kept."""
        action, called = edge.action, call.action
        assert isinstance(action, Return)
        assert isinstance(called, Call)
        condition = self.encoder.value(action.guard, before)
        after = replace(before, own={**caller, **self._lasting(before)}, location=call.target)
        if called.result is not None and action.value is not None:
            value = self.encoder.value(action.value, before)
            after = self._assigned(after, *self.encoder.path(called.result, after), value)
        return Fired(condition, after)

    def remembered(self, call: Edge, caller: Store, before: Environment) -> list[Term]:
        """What a callee's parameters say about the variables of its caller.

        A parameter that the callee never writes has the value of its argument until the return,
        and an argument that is about the caller's locals keeps its value, too.
        """
        called = call.action
        assert isinstance(called, Call)
        waiting = replace(before, own={**caller, **self._lasting(before)})
        parameters = self.encoder.program.procedure[called.procedure].parameters
        return [
            self.logic.equal(
                before.own[parameters[position]],
                self.encoder.value(called.arguments[position], waiting),
            )
            for position in kept_parameters(self.encoder.program, called.procedure)
            if all(map(is_local, read_places(called.arguments[position])))
        ]

    def _lasting(self, env: Environment) -> Store:
        """The variables of the thread that calls keep."""
        kind = self.encoder.program.template[env.template]
        return {d.variable: env.own[d.variable] for d in kind.variables}


def is_local(place: Place) -> bool:
    """Whether a place is a part of a local variable of a procedure."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL


# -- steps ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SharedAccess:
    """An access to a part of a shared variable, if its condition holds."""

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
    stages: tuple[Environment, ...]
    """Per edge, the environment in which it is taken."""
    chosen: tuple[tuple[Term, ...], ...] = ()
    """Per edge, the constants for what its havocs choose."""


class Steps:
    """The steps of the threads of one program."""

    def __init__(self, firing: Firing) -> None:
        self.firing = firing
        self.encoder = firing.encoder
        self.logic = firing.logic

    def take(self, path: Path, before: Environment) -> SymbolicStep:
        """Take a step."""
        taken: list[Fired] = []
        stages = [before]
        for edge in path.edges:
            taken.append(self.firing.fire(edge, stages[-1]))
            stages.append(taken[-1].after)
        condition = self.logic.conjunction([fired.condition for fired in taken])
        chosen = tuple(fired.chosen for fired in taken)
        return SymbolicStep(path, condition, stages[-1], tuple(stages[:-1]), chosen)

    def from_location(self, location: LocId, before: Environment) -> Iterator[SymbolicStep]:
        """All steps that leave a location."""
        for path in steps_from(self.encoder.program, location):
            yield self.take(path, before)

    # -- accesses ---------------------------------------------------------------------------------

    def accesses(self, step: SymbolicStep) -> list[SharedAccess]:
        """The accesses to shared cells that a step makes, if it is possible."""
        return [
            access
            for edge, env in zip(step.path.edges, step.stages, strict=True)
            for access in self.edge_accesses(edge, env)
        ]

    def edge_accesses(self, edge: Edge, env: Environment) -> Iterator[SharedAccess]:
        """The accesses of one edge."""
        action = edge.action
        assert isinstance(action, Command)
        targets = [*(a.target for a in action.assignments), *action.havocs]
        evaluated = [action.guard, *(a.value for a in action.assignments)]
        for target in targets:
            evaluated.extend(place_expressions(target))
        for expr in evaluated:
            for place, condition in self._reads(expr, env, self.logic.true):
                yield self._access(edge, place, env, condition, write=False)
        for target in targets:
            if is_shared(target):
                yield self._access(edge, target, env, self.logic.true, write=True)

    def _reads(self, expr: Expr, env: Environment, here: Term) -> Iterator[tuple[Place, Term]]:
        """The shared places that evaluating an expression reads, and when."""
        match expr:
            case Binary(BinaryOp.AND | BinaryOp.IMPLIES | BinaryOp.OR as op, left, right):
                decided = self.encoder.value(left, env)
                goes_on = self.logic.negation(decided) if op is BinaryOp.OR else decided
                yield from self._reads(left, env, here)
                yield from self._reads(right, env, self.logic.conjunction([here, goes_on]))
            case Conditional(condition, then, otherwise):
                chosen = self.encoder.value(condition, env)
                rejected = self.logic.negation(chosen)
                yield from self._reads(condition, env, here)
                yield from self._reads(then, env, self.logic.conjunction([here, chosen]))
                yield from self._reads(otherwise, env, self.logic.conjunction([here, rejected]))
            case _:
                for child in children(expr):
                    yield from self._reads(child, env, here)
                if isinstance(expr, Read) and is_shared(expr.place):
                    yield expr.place, here

    def _access(
        self, edge: Edge, place: Place, env: Environment, condition: Term, *, write: bool
    ) -> SharedAccess:
        variable, path = self.encoder.path(place, env)
        sync = edge.sync or variable.sync or _in_mutex(place)
        return SharedAccess(variable, tuple(path), write, sync, condition)

    def conflict(self, first: SharedAccess, second: SharedAccess) -> Term:
        """Whether two accesses are to one cell, one of them writing, at least one plain."""
        if not (first.write or second.write) or (first.sync and second.sync):
            return self.logic.false
        if first.variable != second.variable:
            return self.logic.false
        same = [first.condition, second.condition]
        for one, other in zip(first.path, second.path, strict=True):
            if isinstance(one, str):
                same.append(self.logic.boolean(one == other))
            else:
                same.append(self.logic.equal(one, other))
            if self.logic.is_false(same[-1]):
                break
        return self.logic.conjunction(same)


def _in_mutex(place: Place) -> bool:
    """Whether a place is a part of a mutex."""
    while isinstance(place, FieldPlace | IndexPlace):
        place = place.base
        if isinstance(place.type, MutexType):
            return True
    return False
