"""The predicate-abstracted program as a `ThreadSystem`, one role per template.

    g    the truth values of the shared predicates
    l    the location, and the truth values of the own predicates tracked there
    A    a step, and what its thread knew when it took it

A truth value may be open (None). The id of the thread is a constant of the logic, so one role
stands for all threads of its template, however many.

Soundness: a concrete pair (g, l) of a thread is *covered* by the abstract pairs whose predicates
are true of it. `initial`, `step`, `push` and `pop` cover everything concrete pairs can do, because
`cubes` does; `interfere` asks for all views of t after a step of e, given what both of them know,
that they agree on the shared store, and that they are two threads. All predicates of t that
mention a variable the step writes are asked anew, mixed ones included. Facts (`systems.facts`)
hold in every state from which a thread takes a step, and are assumed there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Effort
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import Scope, Variable, VariablePlace
from threadwise.ir.fold import root
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.semantics.state import Choice
from threadwise.systems.api import ErrorPattern, Pop, Push, Role, Step, Witness
from threadwise.systems.facts.symbolic import SymbolicFacts
from threadwise.systems.predicate.cubes import Context, Literal, Valuation
from threadwise.systems.predicate.errors import AbstractErrors
from threadwise.systems.predicate.predicates import Precision, Predicate
from threadwise.systems.predicate.symbols import StepPath, Symbols


class AbstractLocal(NamedTuple):
    """Where a thread is, and the truth values of the predicates tracked there."""

    location: LocId
    values: Valuation


class Act(NamedTuple):
    """What others see of a step: the step, and what its thread knew."""

    path: int
    known: tuple[Literal, ...]


class AbstractFrame(NamedTuple):
    """A caller waiting: the call, and what is known about its locals."""

    call: EdgeId
    known: tuple[Literal, ...]


class Havocking(Protocol):
    """Variables that others may write, and pairs from which they do."""

    @property
    def written(self) -> frozenset[Variable]:
        """The variables."""

    @property
    def writers(self) -> Sequence[Witness[Valuation, AbstractLocal]]:
        """For each of them, a pair from which it is written."""


QUIET = Act(-1, ())
"""A step that changes no shared variable."""

AbstractStep = Step[Valuation, AbstractLocal, Act]


class PredicateSystem:
    """Views of one thread of each template under predicates."""

    def __init__(
        self,
        symbols: Symbols,
        precision: Precision,
        effort: Effort,
        facts: Sequence[LinearInvariant] = (),
    ) -> None:
        self.symbols = symbols
        self.facts = SymbolicFacts(symbols.encoder, facts)
        self.program = symbols.program
        self.precision = precision
        self.effort = effort
        self.templates = [t.name for t in self.program.templates if t.count != 0]
        self.roles: Sequence[Role] = [Role(k) for k in range(len(self.templates))]
        self._contexts: dict[tuple[object, ...], Context] = {}
        self._seen_own: dict[int, frozenset[Variable]] = {}
        """Per step, the own variables on which what others see of it depends."""
        self.call_sites: dict[tuple[Role, AbstractFrame], tuple[Valuation, AbstractLocal]] = {}
        """Per role and frame, the first pair that made the call."""
        self.frames: dict[AbstractFrame, int] = {}
        self.refresh()

    def refresh(self) -> None:
        """Take notice of new predicates: what was computed is dropped, contexts are kept."""
        self.shared = self.precision.shared
        self._steps: dict[tuple[Role, Valuation, AbstractLocal], tuple[AbstractStep, ...]] = {}
        self._views: dict[tuple[object, ...], tuple[tuple[Valuation, AbstractLocal], ...]] = {}
        self.call_sites.clear()

    def context(
        self, key: tuple[object, ...], conditions: Callable[[], Sequence[Term]]
    ) -> Context:
        """The context of that name; conditions are asked for the first time."""
        if key not in self._contexts:
            self._contexts[key] = Context(self.symbols, self.effort, conditions())
        return self._contexts[key]

    def counted(self, *threads: Environment) -> list[Term]:
        """What the facts say about distinct threads at their locations, before any failure."""
        if any(self.program.locations[thread.location].failure for thread in threads):  # type: ignore[index]  # they have locations
            return []
        return self.facts.about(threads[0].shared, threads)

    # -- views ------------------------------------------------------------------------------------

    def tracked(self, t: Role, location: LocId) -> tuple[Predicate, ...]:
        """The own predicates at a location."""
        return self.precision.tracked(self.templates[t], location)

    def literals(self, t: Role, g: Valuation, l: AbstractLocal) -> dict[Predicate, bool]:
        """The predicates whose truth value a pair knows."""
        known = dict(zip(self.shared, g, strict=True))
        known.update(zip(self.tracked(t, l.location), l.values, strict=True))
        return {p: value for p, value in known.items() if value is not None}

    def _pairs(
        self, t: Role, location: LocId, kept: Mapping[Predicate, bool | None], context: Context,
        place: str, env: Environment, assumed: Sequence[Term], *, boolean: bool,
    ) -> Iterator[tuple[Valuation, AbstractLocal]]:  # fmt: skip
        """The pairs at a location with some values kept and all others asked for."""
        own = self.tracked(t, location)
        asked = [p for p in (*self.shared, *own) if p not in kept]
        switches = [context.switch(place, p, env) for p in asked]
        for values in context.outcomes(assumed, switches, boolean=boolean):
            found: dict[Predicate, bool | None] = {**kept, **dict(zip(asked, values, strict=True))}
            yield (
                tuple(found[p] for p in self.shared),
                AbstractLocal(location, tuple(found[p] for p in own)),
            )

    # -- INIT and T -------------------------------------------------------------------------------

    def initial(self, t: Role) -> Iterator[tuple[Valuation, AbstractLocal]]:
        """Rule INIT."""
        template = self.templates[t]
        entry = self.program.procedure[self.program.template[template].body].entry
        env, known = self.initial_view(template)
        context = self.context(("initial", t), lambda: [known])
        yield from self._pairs(t, entry, {}, context, "after", env, [], boolean=True)

    def initial_view(self, template: str) -> tuple[Environment, Term]:
        """The view of a thread at the start, and what holds of it."""
        environments = self.symbols.environments
        body = self.program.template[template].body
        shared, known = environments.initial_shared("start:")
        env = replace(
            self.symbols.view(template, body),
            shared=shared,
            own=environments.initial_own(template),
        )
        thread = environments.is_thread(env.me, template)
        conditions = [known, thread, environments.threads.condition]
        return env, self.symbols.logic.conjunction(conditions)

    def step(self, t: Role, g: Valuation, l: AbstractLocal) -> tuple[AbstractStep, ...]:
        """Relation T."""
        key = (t, g, l)
        if key not in self._steps:
            self._steps[key] = tuple(
                step
                for path in self.symbols.steps(self.templates[t], l.location)
                for step in self._step(t, g, l, path)
            )
        return self._steps[key]

    def _step(
        self, t: Role, g: Valuation, l: AbstractLocal, path: StepPath
    ) -> Iterator[AbstractStep]:
        known = self.literals(t, g, l)
        context = self.context(
            ("step", path.number),
            lambda: [
                self.symbols.typed(path.before),
                path.condition,
                *self.counted(path.start),
            ],
        )
        kept = {
            p: value
            for p, value in known.items()
            if not p.variables & path.written and self._is_tracked(t, path.target, p)
        }
        assumed = [context.literal("before", p, path.before, v) for p, v in known.items()]
        boolean = path.number in self.precision.boolean
        action = self.act(t, known, path)
        for after_g, after_l in self._pairs(
            t, path.target, kept, context, "after", path.after, assumed, boolean=boolean
        ):
            yield Step(path.choices, after_g, after_l, action)

    def _is_tracked(self, t: Role, location: LocId, predicate: Predicate) -> bool:
        return predicate.template is None or predicate in self.tracked(t, location)

    def act(self, t: Role, known: dict[Predicate, bool], path: StepPath) -> Act:
        """What others see of a step: of what its thread knew, what can matter to them."""
        if not any(v.scope is Scope.GLOBAL for v in path.written):
            return QUIET
        if path.number not in self._seen_own:
            self._seen_own[path.number] = frozenset(_own_constants(self.symbols, path))
        own = set(self._seen_own[path.number])
        kept: list[Literal] = []
        waiting = sorted(known.items(), key=lambda item: item[0].number)
        grown = True
        while grown:
            grown = False
            for predicate, value in list(waiting):
                private = predicate.own_variables
                public = len(private) < len(predicate.variables)
                if public or predicate.speaks_of_self or private & own:
                    kept.append((predicate.number, value))
                    waiting.remove((predicate, value))
                    own |= private
                    grown = True
        return Act(path.number, tuple(sorted(kept)))

    # -- ENV --------------------------------------------------------------------------------------

    def interferes(self, e: Role, t: Role) -> bool:
        """Whether t can see steps of e: of another template, or of another thread of its own."""
        return e != t or not self.symbols.is_single(self.templates[t])

    def keys(self, t: Role, g: Valuation) -> Iterable[Hashable]:
        """Which steps fit which views is left to the solver."""
        return ("loud",)

    def key(self, a: Act) -> Hashable:
        """Steps that change nothing shared are seen by no other thread."""
        return "quiet" if a == QUIET else "loud"

    def interfere(
        self, t: Role, g: Valuation, l: AbstractLocal, e: Role, a: Act
    ) -> tuple[tuple[Valuation, AbstractLocal], ...]:
        """Rule ENV."""
        key = (t, g, l, a)
        if key not in self._views:
            self._views[key] = tuple(self._interfere(t, g, l, a))
        return self._views[key]

    def _interfere(
        self, t: Role, g: Valuation, l: AbstractLocal, a: Act
    ) -> Iterator[tuple[Valuation, AbstractLocal]]:
        path = self.symbols.paths[a.path]
        tracked = self.tracked(t, l.location)
        if not any(p.variables & path.written for p in (*self.shared, *tracked)):
            yield g, l
            return
        known = self.literals(t, g, l)
        mover = [(self.precision.predicates[number], value) for number, value in a.known]
        if any(p.template is None and known.get(p, value) != value for p, value in mover):
            return
        yield from self.seen(t, l.location, known, path, mover)

    def seen(
        self,
        t: Role,
        location: LocId,
        known: dict[Predicate, bool],
        path: StepPath,
        mover: Sequence[tuple[Predicate, bool]],
    ) -> Iterator[tuple[Valuation, AbstractLocal]]:
        """What t at a location can see after a step of another thread."""
        before = self.symbols.view_at(self.templates[t], location, "you")
        after = replace(before, shared=path.after.shared)
        procedure = self.program.procedure_of[location].name
        context = self.context(
            ("env", t, location if self.facts.all else procedure, path.number),
            lambda: [
                self.symbols.typed(path.before),
                self.symbols.typed(before),
                self.symbols.distinct(before, path.before),
                path.condition,
                *self.counted(before, path.start),
            ],
        )
        kept = {p: value for p, value in known.items() if not p.variables & path.written}
        assumed = [context.literal("you", p, before, v) for p, v in known.items()]
        assumed += [context.literal("before", p, path.before, v) for p, v in mover]
        boolean = path.number in self.precision.boolean
        yield from self._pairs(
            t, location, kept, context, "after", after, assumed, boolean=boolean
        )

    def visible(self, t: Role, g: Valuation, l: AbstractLocal) -> tuple[Literal, ...]:
        """What a pair knows that is not about its own variables: the shared store, and its id."""
        known = self.literals(t, g, l)
        return tuple((p.number, value) for p, value in known.items() if not p.own_variables)

    def havocked(
        self, t: Role, g: Valuation, l: AbstractLocal, havoc: Havocking
    ) -> Iterator[tuple[Valuation, AbstractLocal]]:
        """What t can see after others gave some variables any values."""
        known = self.literals(t, g, l)
        before = self.symbols.view_at(self.templates[t], l.location, "you")
        shared = self.symbols.any_values(before.shared, havoc.written)
        after = replace(before, shared=shared)
        writers = havoc.writers
        views = [
            self.symbols.view_at(self.templates[w.role], w.l.location, f"w{k}")
            for k, w in enumerate(writers)
        ]
        places = tuple((w.role, w.l.location) for w in writers)
        context = self.context(
            ("havoc", t, l.location, havoc.written, places),
            lambda: [
                self.symbols.typed(before),
                self.symbols.environments.typed(shared),
                *map(self.symbols.typed, views),
                *(self.symbols.distinct(before, view) for view in views),
            ],
        )
        kept = {p: value for p, value in known.items() if not p.variables & havoc.written}
        assumed = [context.literal("you", p, before, v) for p, v in known.items()]
        for k, (writer, view) in enumerate(zip(writers, views, strict=True)):
            for p, v in self.literals(*writer).items():
                assumed.append(context.literal(f"w{k}", p, view, v))
        yield from self._pairs(t, l.location, kept, context, "after", after, assumed, boolean=True)

    # -- T+ and T- --------------------------------------------------------------------------------

    def push(
        self, t: Role, g: Valuation, l: AbstractLocal
    ) -> Iterator[Push[AbstractLocal, AbstractFrame]]:
        """Relation T+."""
        known = self.literals(t, g, l)
        for edge in self.program.outgoing[l.location]:
            if not isinstance(edge.action, Call):
                continue
            before = self.symbols.view_at(self.templates[t], l.location)
            fired = self.symbols.firing.enter(edge, before)
            conditions = [self.symbols.typed(before), *fired.terms]
            context = self.context(("push", t, edge.id), lambda c=conditions: c)  # type: ignore[misc]  # a default captures the loop's
            entry = self.program.procedure[edge.action.procedure].entry
            kept = self._kept(t, g, known, entry)
            assumed = [context.literal("before", p, before, v) for p, v in known.items()]
            frame = AbstractFrame(
                edge.id,
                tuple((p.number, v) for p, v in known.items() if _is_callers(p)),
            )
            self.frames.setdefault(frame, len(self.frames))
            for _, entered in self._pairs(
                t, entry, kept, context, "after", fired.after, assumed, boolean=True
            ):
                self.call_sites.setdefault((t, frame), (g, l))
                yield Push(Choice(edge.id, (self.frames[frame],)), entered, frame)

    def _kept(
        self, t: Role, g: Valuation, known: Mapping[Predicate, bool], location: LocId
    ) -> dict[Predicate, bool | None]:
        """What a call or a return does not change: the shared store, variables of the thread.

        What is open about the shared store stays open, since it stays the same abstract store.
        """
        kept: dict[Predicate, bool | None] = {
            p: value
            for p, value in known.items()
            if p.procedure is None and self._is_tracked(t, location, p)
        }
        kept.update(zip(self.shared, g, strict=True))
        return kept

    def pop(
        self, t: Role, g: Valuation, l: AbstractLocal, f: AbstractFrame
    ) -> Iterator[Pop[AbstractLocal]]:
        """Relation T-."""
        call = self.program.edges[f.call]
        assert isinstance(call.action, Call)
        if call.action.procedure != self.program.procedure_of[l.location].name:
            return
        known = self.literals(t, g, l)
        for edge in self.program.outgoing[l.location]:
            if not isinstance(edge.action, Return):
                continue
            before = self.symbols.view_at(self.templates[t], l.location)
            waiting = self.symbols.view_at(self.templates[t], call.source, "caller")
            waiting = replace(waiting, me=before.me)
            fired = self.symbols.firing.leave(call, edge, waiting.own, before)
            conditions = [
                self.symbols.typed(before),
                self.symbols.typed(waiting),
                *self.symbols.firing.remembered(call, waiting.own, before),
                *fired.terms,
            ]
            context = self.context(("pop", t, call.id, edge.id), lambda c=conditions: c)  # type: ignore[misc]  # a default captures the loop's
            kept = self._kept(t, g, known, call.target)
            if call.action.result is not None:  # perhaps a variable of the thread
                result = root(call.action.result)
                kept = {
                    p: value
                    for p, value in kept.items()
                    if not isinstance(result, VariablePlace) or result.variable not in p.variables
                }
            assumed = [context.literal("before", p, before, v) for p, v in known.items()]
            for number, value in f.known:
                predicate = self.precision.predicates[number]
                assumed.append(context.literal("caller", predicate, waiting, value))
            for _, resumed in self._pairs(
                t, call.target, kept, context, "after", fired.after, assumed, boolean=True
            ):
                yield Pop(Choice(edge.id, (self.frames[f],)), resumed)

    # -- locations and errors ---------------------------------------------------------------------

    def location(self, l: AbstractLocal) -> LocId:
        """Where a thread is."""
        return l.location

    def errors(
        self, properties: Sequence[Property]
    ) -> Sequence[ErrorPattern[Valuation, AbstractLocal]]:
        """How the properties can be violated."""
        return [AbstractErrors(self, checked) for checked in properties]


def _is_callers(predicate: Predicate) -> bool:
    """Whether a predicate stays true of a caller's locals until it returns."""
    return bool(predicate.variables) and all(v.scope is Scope.LOCAL for v in predicate.variables)


def _own_constants(symbols: Symbols, path: StepPath) -> Iterator[Variable]:
    """The own variables on which what others see of a step can depend."""
    terms = [path.condition]
    for variable, value in path.after.shared.items():
        if value is not path.before.shared[variable]:
            terms.extend(symbols.terms(value))
    used = {constant.get_id() for term in terms for constant in symbols.logic.constants(term)}
    for variable, value in path.before.own.items():
        if any(term.get_id() in used for term in symbols.terms(value)):
            yield variable
