"""One program in one logic: what a thread sees as constants, and its steps as terms.

A *step* is one edge, or a path through an atomic region from a location outside to the first one
outside again. Paths are finite here: a region whose graph has a cycle is Unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments, Store
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.steps import Steps
from threadwise.backends.smt.values import Symbolic, terms_of
from threadwise.core.identity import Same
from threadwise.ir.commands import Call
from threadwise.ir.expr import Variable
from threadwise.ir.program import Edge, LocId, Program
from threadwise.semantics.state import Choice
from threadwise.systems.predicate.predicates import Predicate


@dataclass(frozen=True, eq=False)
class StepPath:
    """A step of the threads of a template: over which edges, when, and what it changes."""

    number: int
    template: str
    edges: tuple[Edge, ...]
    before: Environment
    after: Environment
    condition: Term
    """The guards, and what holds of the values that havocs choose."""
    written: frozenset[Variable]

    @property
    def source(self) -> LocId:
        """Where it starts."""
        return self.edges[0].source

    @property
    def target(self) -> LocId:
        """Where it ends."""
        return self.edges[-1].target

    @property
    def start(self) -> Environment:
        """The view before it, with where its thread is."""
        return replace(self.before, location=self.source)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The edges, as a trace names them; what havocs choose is open."""
        return tuple(Choice(edge.id) for edge in self.edges)


class Symbols:
    """The views and steps of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.logic = Logic()
        self.environments = Environments(program, self.logic)
        self.encoder = Encoder(self.environments)
        self.firing = Firing(self.encoder)
        self.walk = Steps(self.firing)
        self.shared: Store = self.environments.shared()
        self.paths: list[StepPath] = []
        self._views: dict[tuple[str, str, str], Environment] = {}
        self._placed: dict[tuple[str, LocId, str], Environment] = {}
        self._typed: dict[Same, Term] = {}
        self._formulas: dict[tuple[int, Same], Term] = {}
        self._steps: dict[tuple[str, LocId], tuple[StepPath, ...]] = {}

    # -- views ------------------------------------------------------------------------------------

    def view(self, template: str, procedure: str, who: str = "me") -> Environment:
        """What a thread in a procedure sees; `who` distinguishes several threads."""
        key = (template, procedure, who)
        if key not in self._views:
            own = self.environments.own(template, procedure, f"{who}:{procedure}:")
            me = self.logic.constant(f"{who}:self", self.logic.integer_sort)
            self._views[key] = Environment(self.shared, own, me, template)
        return self._views[key]

    def view_at(self, template: str, location: LocId, who: str = "me") -> Environment:
        """What a thread at a location sees."""
        key = (template, location, who)
        if key not in self._placed:
            procedure = self.program.procedure_of[location].name
            self._placed[key] = replace(self.view(template, procedure, who), location=location)
        return self._placed[key]

    def terms(self, value: Symbolic) -> list[Term]:
        """The terms a value is made of."""
        return list(terms_of(value))

    def typed(self, env: Environment) -> Term:
        """What holds of every view: values are of their types, the thread is of its template."""
        key = Same(env)
        if key not in self._typed:
            known = [
                self.environments.typed(env.shared),
                self.environments.typed(env.own),
                self.environments.is_thread(env.me, env.template),
                self.environments.threads.condition,
            ]
            self._typed[key] = self.logic.conjunction(known)
        return self._typed[key]

    def formula(self, predicate: Predicate, env: Environment) -> Term:
        """A predicate over the symbols of a view."""
        key = (predicate.number, Same(env))
        if key not in self._formulas:
            self._formulas[key] = self.encoder.term(predicate.formula, env)
        return self._formulas[key]

    def any_values(self, shared: Store, written: frozenset[Variable]) -> Store:
        """A shared store in which some variables have any value."""
        changed = self.environments.shared("any:")
        return {v: changed[v] if v in written else value for v, value in shared.items()}

    def distinct(self, first: Environment, second: Environment) -> Term:
        """Whether two views are of two threads."""
        return self.logic.negation(self.logic.equal(first.me, second.me))

    def is_single(self, template: str) -> bool:
        """Whether there is exactly one thread of a template."""
        return self.program.template[template].count == 1

    # -- steps ------------------------------------------------------------------------------------

    def steps(self, template: str, location: LocId) -> tuple[StepPath, ...]:
        """The steps of a template's threads from a location, calls and returns left out."""
        key = (template, location)
        if key not in self._steps:
            self._steps[key] = tuple(self._paths(template, location))
        return self._steps[key]

    def _paths(self, template: str, location: LocId) -> Iterator[StepPath]:
        procedure = self.program.procedure_of[location].name
        before = self.view(template, procedure)
        for listed in self.walk.paths(location):
            condition, env = self.run(listed.edges, before)
            condition = self.logic.simplify(condition)
            if self.logic.is_false(condition):
                continue
            written = frozenset(
                variable
                for old, new in ((before.shared, env.shared), (before.own, env.own))
                for variable in old
                if old[variable] is not new[variable]
            )
            path = StepPath(
                len(self.paths), template, listed.edges, before, env, condition, written
            )
            self.paths.append(path)
            yield path

    def run(self, edges: Sequence[Edge], env: Environment) -> tuple[Term, Environment]:
        """When the edges can be taken one after the other from a view, and the view after them."""
        conditions: list[Term] = []
        for edge in edges:
            fired = self.firing.fire(edge, env)
            conditions.extend(fired.terms)
            env = fired.after
        return self.logic.conjunction(conditions), env

    def all_steps(self, template: str) -> Iterator[StepPath]:
        """All steps of a template's threads, wherever they start."""
        for name in self.procedures(template):
            for location in self.program.procedure[name].locations:
                if not location.atomic:
                    yield from self.steps(template, location.id)

    def procedures(self, template: str) -> list[str]:
        """The body of a template, and everything that is called from it."""
        found = [self.program.template[template].body]
        for name in found:
            for edge in self.program.procedure[name].edges:
                if isinstance(edge.action, Call) and edge.action.procedure not in found:
                    found.append(edge.action.procedure)
        return found
