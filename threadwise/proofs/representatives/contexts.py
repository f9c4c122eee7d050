"""Calls and returns in proofs by formulas: P and Q of FQ §3.1, with formulas for pairs.

R(c) is what a certificate says about a thread in context c: a run of one procedure, with a formula
for each of its locations. A listed call (c, e, d, F) says that a thread in c may take the call e
into context d while F holds of its locals. Obligation (8) of `representatives`:

    (a) calls and returns touch nothing shared and lie outside atomic regions, a procedure that is
        called starts with known values, and the body of a thread does not return
    (b) a context is about one procedure; a listed call leads from a context at the call to one
        of the callee; F is about the caller's locals and the thread's id only
    (c) PUSH   R(c) where e can be taken implies F and R(d) at the entry, for some listed call
    (d) POP    R(d) at a return, F of some locals, and what the callee's parameters remember of
               them (`Firing.remembered`) imply R(c) behind the call

By induction on runs: there are contexts for all procedures on a thread's stack such that each call
between neighbours is listed and its F holds of the locals that wait there (no step changes them),
parameters that the callee never writes equal their arguments, and R of the innermost context holds
of the thread. INIT, STEP and ENV are about the innermost context; PUSH adds one, POP removes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import InputError
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import AddressOf, AtLabel, Expr, IsWritten, Read, ThreadRead
from threadwise.ir.fold import action_expressions, is_shared, subexpressions
from threadwise.ir.program import AnyValue, Edge, EdgeId
from threadwise.ir.text.thread_formulas import FormulaReader, representatives
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.toolbox.paths import has_calls
from threadwise.proofs.toolbox.smt.edges import is_local
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations, Slot


class Known(Protocol):
    """What a certificate says about threads."""

    def ordered(
        self, slots: Sequence[Slot], shared: Environment, context: int | None = None
    ) -> Term:
        """What R says about a thread in a context."""


class _Listed(NamedTuple):
    """A listed call whose formula was read."""

    template: str
    caller: int
    call: Edge
    callee: int
    formula: Expr


class ContextCalls:
    """The obligations about calls and returns."""

    def __init__(
        self, obligations: Obligations, certificate: RepresentativesCertificate, known: Known
    ) -> None:
        self.obligations = obligations
        self.program = obligations.program
        self.logic = obligations.logic
        self.firing = obligations.walk.firing
        self.certificate = certificate
        self.known = known
        self.procedure: dict[tuple[str, int], str] = {}
        """Per template and context, the procedure."""
        self.listed: list[_Listed] = []

    def check(self) -> set[EdgeId]:
        """Discharge them; the calls and returns that may be taken."""
        if not has_calls(self.program):
            if self.certificate.calls or any(f.context for f in self.certificate.formulas):
                raise Refuted("contexts in a program without calls")
            return set()
        self._check_program()  # (a)
        self._read()  # (b)
        taken: set[EdgeId] = set()
        for (template, context), procedure in self.procedure.items():
            for edge in self.program.procedure[procedure].edges:
                if isinstance(edge.action, Call):
                    self._check_call(template, context, edge)  # (c)
        for listed in self.listed:
            taken.add(listed.call.id)
            for edge in self._returns(listed):
                taken.add(edge.id)
                self._check_return(listed, edge)  # (d)
        return taken

    # -- (a) and (b) ------------------------------------------------------------------------------

    def _check_program(self) -> None:
        bodies = {template.body for template in self.program.templates}
        for edge in self.program.edges:
            action = edge.action
            if not isinstance(action, Call | Return):
                continue
            if any(self.program.locations[end].atomic for end in (edge.source, edge.target)):
                raise Refuted("a call or return at an atomic region")
            for whole in action_expressions(action):
                for part in subexpressions(whole):
                    if isinstance(part, Read | IsWritten | AddressOf) and is_shared(part.place):
                        raise Refuted("a call or return that looks at shared variables")
            if isinstance(action, Return):
                if self.program.procedure_of[edge.source].name in bodies:
                    raise Refuted("the body of a thread returns")
                continue
            if action.result is not None and is_shared(action.result):
                raise Refuted("the result of a call goes to a shared variable")
            callee = self.program.procedure[action.procedure]
            if any(isinstance(d.initial, AnyValue) for d in callee.locals):
                raise Refuted("a procedure whose locals start with any value")

    def _read(self) -> None:
        for templates, locations, _, context in self.certificate.formulas:
            (template,), (location,) = templates, locations
            assert location is not None  # checked by (1)
            procedure = self.program.procedure_of[location].name
            if self.procedure.setdefault((template, context), procedure) != procedure:
                raise Refuted("a context of two procedures")
        for template, caller, call, callee, text in self.certificate.calls:
            edge = self.program.edges[call] if call < len(self.program.edges) else None
            if edge is None or not isinstance(edge.action, Call):
                raise Refuted("a listed call that is none")
            source = self.program.procedure_of[edge.source].name
            if self.procedure.get((template, caller)) != source:
                raise Refuted("a listed call from a context of another procedure")
            if self.procedure.get((template, callee)) != edge.action.procedure:
                raise Refuted("a listed call into a context of another procedure")
            try:
                reader = FormulaReader(self.program, source)
                formula = reader.read(text, representatives((template,)))
            except InputError as error:
                raise Refuted(f"a formula that is none: {error}") from error
            self._check_frame(formula)
            self.listed.append(_Listed(template, caller, edge, callee, formula))

    def _check_frame(self, formula: Expr) -> None:
        for part in subexpressions(formula):
            changing = isinstance(part, Read | IsWritten | AddressOf | AtLabel)
            if changing or (isinstance(part, ThreadRead) and not is_local(part.place)):
                raise Refuted("a formula about a waiting caller that others can change")

    # -- (c) --------------------------------------------------------------------------------------

    def _check_call(self, template: str, context: int, edge: Edge) -> None:
        action = edge.action
        assert isinstance(action, Call)
        slot = self.obligations.slot(0, template, edge.source)
        held = self.known.ordered([slot], slot.env, context)
        fired = self.firing.enter(edge, slot.env)
        entry = self.program.procedure[action.procedure].entry
        entered = Slot(template, entry, fired.after)
        goals = [
            self.logic.conjunction(
                [
                    self._frame(listed, slot.env),
                    self.known.ordered([entered], entered.env, listed.callee),
                ]
            )
            for listed in self.listed
            if (listed.template, listed.caller, listed.call.id) == (template, context, edge.id)
        ]
        premise = [held, self.obligations.known([slot]), fired.condition]
        goal = self.logic.disjunction(goals)
        if not self.obligations.follows(self.logic.conjunction(premise), goal):
            raise Refuted(f"PUSH: a call of `{action.procedure}` leads out of the formulas")

    def _frame(self, listed: _Listed, caller: Environment) -> Term:
        return self.obligations.formula(listed.formula, caller, {"t1": caller})

    # -- (d) --------------------------------------------------------------------------------------

    def _returns(self, listed: _Listed) -> Iterator[Edge]:
        called = listed.call.action
        assert isinstance(called, Call)
        for edge in self.program.procedure[called.procedure].edges:
            if isinstance(edge.action, Return):
                yield edge

    def _check_return(self, listed: _Listed, edge: Edge) -> None:
        template, call = listed.template, listed.call
        slot = self.obligations.slot(0, template, edge.source)
        held = self.known.ordered([slot], slot.env, listed.callee)
        if self.logic.is_false(held):
            return
        environments = self.obligations.environments
        procedure = self.program.procedure_of[call.source].name
        own = environments.own(template, procedure, "waiting:")
        waiting = replace(slot.env, own=own, location=call.source)
        fired = self.firing.leave(call, edge, own, slot.env)
        resumed = Slot(template, call.target, fired.after)
        premise = [
            held,
            self.obligations.known([slot]),
            environments.typed(own),
            self._frame(listed, waiting),
            *self.firing.remembered(call, own, slot.env),
            fired.condition,
        ]
        goal = self.known.ordered([resumed], resumed.env, listed.caller)
        if not self.obligations.follows(self.logic.conjunction(premise), goal):
            raise Refuted("POP: a return leads out of the formulas")
