"""One edge in the solver's logic.

    fire        (guard, environment after): symbolic execution
    transition  a formula over an environment before and one after
    enter       a call: the callee's variables
    leave       a return: the caller's variables after it

All right-hand sides and indices are evaluated in the environment before; then assignments are made
from left to right, then havocs, as in the reference semantics. A havoc gets a fresh constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from threadwise.analyses.regions import kept_parameters
from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Store
from threadwise.backends.smt.logic import Sort, Term
from threadwise.backends.smt.values import Symbolic, terms_of
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import Place, Scope, Variable, VariablePlace
from threadwise.ir.fold import read_places, root
from threadwise.ir.program import Edge
from threadwise.ir.types import PointerType, ScalarType, Type

Fresh = Callable[[str, Sort], Term]


@dataclass(frozen=True)
class Fired:
    """What taking an edge means."""

    guard: Term
    after: Environment
    chosen: tuple[Symbolic, ...]
    """The constants that stand for the values of havocs, in order."""
    allowed: Term
    """What holds of them: they are of their types."""

    @property
    def terms(self) -> tuple[Term, Term]:
        """Both conditions."""
        return self.guard, self.allowed


class Firing:
    """The edges of one program; `fresh` names the values that havocs choose."""

    def __init__(self, encoder: Encoder, fresh: Fresh | None = None) -> None:
        self.encoder = encoder
        self.logic = encoder.logic
        self.environments = encoder.environments
        self.fresh = fresh or self.logic.fresh

    def fire(self, edge: Edge, before: Environment) -> Fired:
        """Take an edge that is no call and no return."""
        action = edge.action
        match action:
            case Command():
                return self._command(edge, action, before)
            case Allocate() | Free():
                raise Unsupported("a heap, in SMT", edge.span)
            case Call() | Return():
                raise InternalError("a call or return is no step")

    def _command(self, edge: Edge, action: Command, before: Environment) -> Fired:
        encoder = self.encoder
        guard = encoder.term(action.guard, before)
        writes = [
            (encoder.located(a.target, before), encoder.value(a.value, before))
            for a in action.assignments
        ]
        chosen = tuple(self._choose(place.type) for place in action.havocs)
        allowed = [
            part
            for place, value in zip(action.havocs, chosen, strict=True)
            for part in self.environments.shapes.typed(place.type, value, chosen=True)
        ]
        for place, value in zip(action.havocs, chosen, strict=True):
            writes.append((encoder.located(place, before), value))
        after = before if before.location is None else replace(before, location=edge.target)
        for parts, value in writes:
            after = encoder.write(parts, value, after)
        return Fired(guard, after, chosen, self.logic.conjunction(allowed))

    def _choose(self, held: Type) -> Symbolic:
        scalar: ScalarType = held  # type: ignore[assignment]  # validated: a havoc is scalar
        sort = self.environments.shapes.sort(scalar)
        if isinstance(scalar, PointerType):
            raise Unsupported("any value of a pointer")
        return self.fresh("any", sort)

    def transition(self, edge: Edge, before: Environment, after: Environment) -> Term:
        """Whether an edge leads from one environment to another; havocs are left as constants."""
        fired = self.fire(edge, before)
        return self.logic.conjunction(
            [
                *fired.terms,
                self.environments.equal(fired.after.shared, after.shared),
                self.environments.equal(fired.after.own, after.own),
            ]
        )

    # -- calls ------------------------------------------------------------------------------------

    def enter(self, edge: Edge, before: Environment) -> Fired:
        """Take a call: the environment at the callee's entry."""
        action = edge.action
        assert isinstance(action, Call)
        encoder = self.encoder
        callee = self.encoder.program.procedure[action.procedure]
        guard = encoder.term(action.guard, before)
        own: dict[Variable, Symbolic] = dict(self._scoped(before))
        for parameter, argument in zip(callee.parameters, action.arguments, strict=True):
            own[parameter] = encoder.value(argument, before)
        own.update(self.environments.initial(callee.locals)[0])
        after = replace(before, own=own)
        if before.location is not None:
            after = replace(after, location=callee.entry)
        return Fired(guard, after, (), self.logic.true)

    def leave(self, call: Edge, edge: Edge, caller: Store, before: Environment) -> Fired:
        """Take a return to a call whose caller's variables were kept."""
        action, called = edge.action, call.action
        assert isinstance(action, Return)
        assert isinstance(called, Call)
        encoder = self.encoder
        guard = encoder.term(action.guard, before)
        scoped = self._scoped(before)
        after = replace(before, own={**caller, **scoped})
        if before.location is not None:
            after = replace(after, location=call.target)
        if called.result is not None and action.value is not None:
            parts = encoder.located(called.result, after)
            result = encoder.value(action.value, before)
            after = encoder.write(parts, result, after)
        return Fired(guard, after, (), self.logic.true)

    def remembered(self, call: Edge, caller: Store, before: Environment) -> list[Term]:
        """What a callee's parameters say about the variables of its caller.

        A parameter that the callee never writes has the value of its argument until the return,
        and an argument that is about the caller's locals keeps its value, too.
        """
        called = call.action
        assert isinstance(called, Call)
        encoder = self.encoder
        env = replace(before, own={**caller, **self._scoped(before)})
        parameters = encoder.program.procedure[called.procedure].parameters
        known: list[Term] = []
        for position in kept_parameters(encoder.program, called.procedure):
            argument = called.arguments[position]
            if all(is_local(place) for place in read_places(argument)):
                value = encoder.value(argument, env)
                parameter = before.own[parameters[position]]
                pairs = zip(terms_of(parameter), terms_of(value), strict=True)
                known.extend(self.logic.equal(one, other) for one, other in pairs)
        return known

    def _scoped(self, env: Environment) -> Store:
        """The thread-scoped variables, which calls keep."""
        kind = self.encoder.program.template[env.template]
        return {d.variable: env.own[d.variable] for d in kind.variables}


def is_local(place: Place) -> bool:
    """Whether a place is a part of a local variable of a procedure."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
