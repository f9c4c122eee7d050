"""Procedures as predicates of their own: calls and returns in the clauses of one representative.

R has a relation for each location of every procedure that a thread may be in, over the shared
variables and the variables of that run of the procedure, without those of waiting callers. What is
known of the waiting caller is another relation, F, one per call, over its locals alone, which no
step changes meanwhile.

    PUSH   R(g, l) where a call can be taken                       ⟹ R(g, l') at the entry, F(l)
    POP    R(g, l') at a return, F(l), and what the callee's parameters remember of l
                                                                   ⟹ R(g, l'') behind the call

A parameter that is never written has the value of its argument until the return. So R at the exit
of a procedure is its summary: how results and shared variables relate to parameters, whatever the
other threads do meanwhile. Recursion of any depth is no obstacle. These are the pushdown rules
(FQ §3.1) with one context per procedure; the certificate is checked by
`threadwise.proofs.representatives.contexts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from threadwise.analyses.regions import called_procedures, kept_parameters
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.fire import is_local
from threadwise.backends.smt.logic import Term
from threadwise.core.errors import Unsupported
from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.representatives import Representatives
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import AddressOf, IsWritten, Read, ThreadVariable, Variable, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    is_shared,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.program import AnyValue, Edge, LocId, Program


class Frame(NamedTuple):
    """A call, taken by a thread of a template; F is what is known while it waits."""

    template: str
    call: Edge


class PushdownClause(NamedTuple):
    """The body implies the head; the thread in the body, if there is one."""

    body: tuple[Term, ...]
    head: Term
    present: tuple[Environment, ...]


def refuse_calls(program: Program) -> None:
    """Raises Unsupported for calls that the certificate has no rules for."""
    bodies = {template.body for template in program.templates}
    for edge in program.edges:
        action = edge.action
        if not isinstance(action, Call | Return):
            continue
        if any(program.locations[end].atomic for end in (edge.source, edge.target)):
            raise Unsupported("a call in an atomic block, in Horn clauses", edge.span)
        for whole in action_expressions(action):
            for part in subexpressions(whole):
                if isinstance(part, Read | IsWritten | AddressOf) and is_shared(part.place):
                    raise Unsupported("a call that looks at shared variables", edge.span)
        if isinstance(action, Return):
            if program.procedure_of[edge.source].name in bodies:
                raise Unsupported("a thread whose body is called, in Horn clauses", edge.span)
            continue
        if action.result is not None and is_shared(action.result):
            raise Unsupported("a result that goes to a shared variable", edge.span)
        callee = program.procedure[action.procedure]
        if any(isinstance(d.initial, AnyValue) for d in callee.locals):
            raise Unsupported("a procedure whose locals start with any value", edge.span)


class Calls:
    """Makes the clauses about calls and returns."""

    def __init__(self, threads: Representatives) -> None:
        self.threads = threads
        self.program = threads.program
        self.logic = threads.logic
        self.firing = threads.steps.firing
        self._relations: dict[tuple[str, int], Term] = {}
        self.frames = [
            Frame(template, edge)
            for template in threads.order
            for name in called_procedures(self.program, template)
            for edge in self.program.procedure[name].edges
            if isinstance(edge.action, Call)
        ]

    def rules(self) -> Iterator[PushdownClause]:
        """PUSH and POP."""
        for frame in self.frames:
            yield from self._push(frame)
            for edge in self.program.procedure[_called(frame).procedure].edges:
                if isinstance(edge.action, Return):
                    yield self._pop(frame, edge)

    def _push(self, frame: Frame) -> Iterator[PushdownClause]:
        shared = self.threads.shared
        thread = self.threads.thread(frame.template, 0, frame.call.source)
        fired = self.firing.enter(frame.call, thread)
        held = self.threads.atom(shared, [thread])
        body = (held, *self.threads.known(shared, [thread]), *fired.terms)
        yield PushdownClause(body, self.threads.atom(shared, [fired.after]), (thread,))
        yield PushdownClause(body, self.holds(frame, thread), (thread,))

    def _pop(self, frame: Frame, edge: Edge) -> PushdownClause:
        shared = self.threads.shared
        thread = self.threads.thread(frame.template, 0, edge.source)
        waiting = self.waiting(frame)
        fired = self.firing.leave(frame.call, edge, waiting.own, thread)
        body = (
            self.threads.atom(shared, [thread]),
            *self.threads.known(shared, [thread]),
            self.threads.environments.typed(waiting.own),
            self.holds(frame, waiting),
            *self.firing.remembered(frame.call, waiting.own, thread),
            *fired.terms,
        )
        return PushdownClause(body, self.threads.atom(shared, [fired.after]), (thread,))

    # -- F ---------------------------------------------------------------------------------------

    def waiting(self, frame: Frame) -> Environment:
        """A caller that waits."""
        procedure = self.program.procedure_of[frame.call.source].name
        own = self.threads.environments.own(frame.template, procedure, "waiting.")
        me = self.threads.ids[0]
        return Environment(self.threads.shared, own, me, frame.template, frame.call.source)

    def holds(self, frame: Frame, caller: Environment) -> Term:
        """F of the locals of a caller."""
        return self.applied(frame, [argument.term for argument in self.arguments(frame, caller)])

    def applied(self, frame: Frame, arguments: Sequence[Term]) -> Term:
        """F of some arguments; without any it would be no relation."""
        arguments = arguments or [self.logic.true]
        key = frame.template, frame.call.id
        if key not in self._relations:
            sorts = [argument.sort() for argument in arguments]
            name = f"F {frame.template} {frame.call.id}"
            self._relations[key] = self.logic.relation(name, sorts)
        return self._relations[key](*arguments)

    def arguments(self, frame: Frame, caller: Environment) -> list[Argument]:
        """The arguments of F about a caller."""
        named = ThreadVariable(self.threads.names[0], frame.template)
        kept = self._kept(frame)
        return self.threads.told.of({}, [caller], [named], lambda _: kept)

    def _kept(self, frame: Frame) -> frozenset[Variable]:
        """The locals of a caller that matter behind the call, or link it to the callee."""
        action = _called(frame)
        found = set(self.threads.live[frame.template][LocId(frame.call.target)])
        if isinstance(action.result, VariablePlace):
            found.discard(action.result.variable)
        for position in kept_parameters(self.program, action.procedure):
            for place in read_places(action.arguments[position]):
                base = root(place)
                if isinstance(base, VariablePlace):
                    found.add(base.variable)
        return frozenset(v for v in found if is_local(VariablePlace(v)))


def _called(frame: Frame) -> Call:
    assert isinstance(frame.call.action, Call)
    return frame.call.action
