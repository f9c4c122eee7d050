"""The clauses of a program for k representatives.

    INIT   the initial shared store, all k threads at their entries               ⟹ R
    STEP   R(g, l₁ … l_k), a step of thread i to (g', l'ᵢ)                       ⟹ R(g', … l'ᵢ …)
    ENV    R of every k of l₁ … l_k and an outsider, a step of the outsider to g' ⟹ R(g', l₁ … l_k)
    E      R of every k of the threads of a violation (and others beside them, if they are
           fewer than k), and the violation                                      ⟹ false

R is a family of relations, one per combination of templates. Every body also has what is known
without R: values are of their types, the threads are distinct, and the equations of `counting`.
Procedure calls add PUSH and POP, for k = 1 (`calls`).
For k = 1 these are the rules of thread-modular checking (FQ §2.2), with STEP and ENV in one:
what G would be is the step of the outsider.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from threadwise.analyses.regions import has_calls
from threadwise.backends.smt.division import without_division
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.steps import SymbolicStep
from threadwise.core.identity import Same
from threadwise.engines.horn.calls import Calls
from threadwise.engines.horn.errors import Violation, Violations
from threadwise.engines.horn.representatives import Representatives, after_step
from threadwise.ir.expr import Binary, BinaryOp, Const
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import Edge, LocId
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.systems.facts.symbolic import SymbolicFacts

CLAUSE_COST = 20


@dataclass(frozen=True)
class Clause:
    """The body implies the head; without a head, the body is impossible."""

    body: tuple[Term, ...]
    head: Term | None
    present: tuple[Environment, ...] = ()
    """The threads in the body."""


class Clauses:
    """Makes the clauses of a program."""

    def __init__(
        self,
        threads: Representatives,
        facts: Sequence[LinearInvariant],
        tick: Callable[[], object],
    ) -> None:
        self.threads = threads
        self.program = threads.program
        self.logic = threads.logic
        self.shared = threads.shared
        self.lemmas = SymbolicFacts(threads.encoder, facts)
        self.violations = Violations(threads)
        self.tick = tick
        self.calls = Calls(threads) if has_calls(self.program) else None
        self._divides = any(map(_divides, self.program.edges))
        self._known_steps: dict[tuple[object, ...], list[tuple[Term, SymbolicStep]]] = {}

    def rules(self) -> Iterator[Clause]:
        """INIT, STEP and ENV."""
        for clause in self._rules():
            yield self._solvable(clause)

    def _solvable(self, clause: Clause) -> Clause:
        """A clause without division by what is no numeral: a stronger one, if there was any."""
        if not self._divides:
            return clause
        *body, head = (*clause.body, self.logic.false if clause.head is None else clause.head)
        (*body, head), known = without_division(self.logic, [*body, head])
        return replace(clause, body=(*body, *known), head=None if clause.head is None else head)

    def _rules(self) -> Iterator[Clause]:
        if self.calls is not None:
            for body, head, present in self.calls.rules():
                self._pay()
                yield Clause(body, head, present)
        for chosen in self.threads.combinations:
            yield from self._initial(chosen)
        for members in self.threads.placed():
            chosen = tuple(member.template for member in members)
            for mover in members:
                yield from self._moves(members, members, mover)
            for template in self.threads.order:
                if self.threads.is_possible((*chosen, template)):
                    yield from self._outsider(members, template)

    def _initial(self, chosen: Sequence[str]) -> Iterator[Clause]:
        shared, known = self.threads.environments.initial_shared()
        members: list[Environment] = []
        for number, template in enumerate(chosen):
            body = self.program.procedure[self.program.template[template].body]
            own = self.threads.environments.initial_own(template)
            me = self.threads.ids[number]
            members.append(Environment(shared, own, me, template, body.entry))
        premises = (known, *self.threads.known(shared, members))
        for head in self.threads.atoms(shared, members):
            yield Clause(premises, head)

    def _outsider(self, members: list[Environment], template: str) -> Iterator[Clause]:
        for location in self.threads.places(template):
            mover = self.threads.thread(template, len(members), location)
            yield from self._moves(members, [*members, mover], mover)

    def _moves(
        self,
        members: list[Environment],
        present: list[Environment],
        mover: Environment,
    ) -> Iterator[Clause]:
        """The steps of a thread, one of the members or an outsider, seen by the members."""
        premises: list[Term] | None = None
        for condition, step in self._steps(mover):
            if _changes_nothing(members, mover, step.after):
                continue
            self._pay()
            if premises is None:
                premises = self._premises(present)
            after = after_step(members, step.after)
            for head in self.threads.atoms(step.after.shared, after):
                yield Clause((*premises, condition), head, tuple(present))

    def _steps(self, mover: Environment) -> list[tuple[Term, SymbolicStep]]:
        """The steps of a thread that may be possible and end in no failure, with conditions."""
        key = Same(mover.me), mover.template, mover.location
        if key not in self._known_steps:
            assert isinstance(mover.location, int)
            found: list[tuple[Term, SymbolicStep]] = []
            for step in self.threads.steps.from_location(LocId(mover.location), mover):
                self._pay()
                condition = self.logic.simplify(step.condition)
                if self.program.locations[step.path.target].failure is not None:
                    continue
                if not self.logic.is_false(condition):
                    found.append((condition, step))
            self._known_steps[key] = found
        return self._known_steps[key]

    def _pay(self) -> None:
        """A clause takes as long to write down as so many steps of a search."""
        for _ in range(CLAUSE_COST):
            self.tick()

    def _premises(self, present: Sequence[Environment]) -> list[Term]:
        """R of every k threads, and what is known without it."""
        atoms = [
            self.threads.atom(self.shared, chosen)
            for chosen in combinations(present, self.threads.k)
        ]
        known = self.threads.known(self.shared, present)
        return [*atoms, *known, *self.lemmas.about(self.shared, present)]

    # -- violations ------------------------------------------------------------------------------

    def errors(self, checked: Property) -> Iterator[Clause]:
        """E for a property."""
        for violation in self.violations.of(checked):
            yield from self._excluded(violation)

    def limits(self) -> Iterator[Clause]:
        """E for the limits of the model."""
        for violation in self.violations.limits():
            yield from self._excluded(violation)

    def _excluded(self, violation: Violation) -> Iterator[Clause]:
        for present in self._completed(list(violation.threads)):
            self._pay()
            body = (*self._premises(present), violation.condition)
            yield self._solvable(Clause(body, None, tuple(present)))

    def _completed(self, threads: list[Environment]) -> Iterator[list[Environment]]:
        """The threads, with others beside them, if they are fewer than k."""
        if len(threads) >= self.threads.k:
            yield threads
            return
        template = self.threads.companion([thread.template for thread in threads])
        for location in self.threads.places(template):
            companion = self.threads.thread(template, len(threads), location)
            yield from self._completed([*threads, companion])


def _divides(edge: Edge) -> bool:
    """Whether an edge divides by what is no constant."""
    return any(
        isinstance(part, Binary)
        and part.op in (BinaryOp.DIV, BinaryOp.MOD)
        and not isinstance(part.right, Const)
        for whole in action_expressions(edge.action)
        for part in subexpressions(whole)
    )


def _changes_nothing(
    members: Sequence[Environment], mover: Environment, after: Environment
) -> bool:
    """Whether the members cannot notice that an outsider has moved."""
    return mover not in members and after.shared is mover.shared
