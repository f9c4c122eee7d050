"""k threads that stand for all of them, and the unknown relation between them.

A *combination* says of which templates the k threads are, in program order; there is one relation
R for each, and for each choice of their locations. `arguments` has its arguments.

With any number of threads there may be fewer than k. Such an instance behaves as a larger one
does in which the other threads are never scheduled, so it is enough to consider instances with at
least k threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product

from threadwise.analyses.regions import thread_locations
from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments, Store
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.steps import Steps
from threadwise.core.identity import Same
from threadwise.engines.horn.arguments import Argument, Arguments
from threadwise.engines.horn.liveness import live_variables
from threadwise.ir.expr import Expr, SelfId, SelfIndex, ThreadVariable, Variable
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import LocId, Program
from threadwise.ir.types import ArrayType, MutexType, RecordType, TidType, Type, fields_of

Combination = tuple[str, ...]
Place = tuple[str, LocId]


class Representatives:
    """The threads of clauses, and atoms about them."""

    def __init__(self, program: Program, k: int, logic: Logic, *, narrow: bool = False) -> None:
        self.program = program
        self.k = k
        self.logic = logic
        self.ids = tuple(
            logic.constant(f"thread {number}", logic.integer_sort) for number in range(k + 3)
        )
        own_ids = self.ids if program.has_any_number else ()
        self.environments = Environments(program, logic, own_ids)
        self.encoder = Encoder(self.environments)
        self.steps = Steps(Firing(self.encoder))
        self.shared = self.environments.shared()
        self.has_ids = uses_ids(program)
        self.order = {template.name: k for k, template in enumerate(program.templates)}
        self.combinations = [
            chosen
            for chosen in combinations_with_replacement(self.order, k)
            if self.is_possible(chosen)
        ]
        self.live = {name: live_variables(program, name) for name in self.order}
        self.names = [f"t{number + 1}" for number in range(len(self.ids))]
        self.told = Arguments(program, self.environments, narrow=narrow)
        self._relations: dict[tuple[Place, ...], Term] = {}
        self._threads: dict[tuple[str, int, LocId], Environment] = {}
        self._typed: dict[Same, Term] = {}
        """What types say about the stores of threads that have not moved."""
        self._typed[Same(self.shared)] = self.environments.typed(self.shared)

    def is_possible(self, templates: Sequence[str]) -> bool:
        """Whether there are as many threads of each template."""
        counts = {t.name: t.count for t in self.program.templates}
        return all(
            count is None or templates.count(name) <= count for name, count in counts.items()
        )

    def companion(self, templates: Sequence[str]) -> str:
        """The template of the thread beside which a violation by some others is excluded."""
        return next(t for t in self.order if self.is_possible((*templates, t)))

    def beside(self, template: str) -> Combination:
        """The combination in which the failures of a template's threads are excluded."""
        found = [template]
        while len(found) < self.k:
            found.append(self.companion(found))
        return tuple(sorted(found, key=lambda name: self.order[name]))

    # -- threads ---------------------------------------------------------------------------------

    def thread(self, template: str, number: int, location: LocId) -> Environment:
        """A thread at a location."""
        key = template, number, location
        if key not in self._threads:
            procedure = self.program.procedure_of[location].name
            own = self.environments.own(template, procedure, f"{number}.")
            me = self.ids[number]
            self._threads[key] = Environment(self.shared, own, me, template, location)
            self._typed[Same(own)] = self.environments.typed(own)
        return self._threads[key]

    def places(self, template: str) -> list[LocId]:
        """Where a thread of a template can be without having failed."""
        return [
            location
            for location in thread_locations(self.program, template)
            if self.program.locations[location].failure is None
        ]

    def placed(self) -> Iterator[list[Environment]]:
        """All choices of k threads with their locations, in order."""
        for chosen in self.combinations:
            for locations in product(*map(self.places, chosen)):
                placed = list(zip(chosen, locations, strict=True))
                if placed == sorted(placed, key=self._rank):
                    yield [self.thread(template, k, p) for k, (template, p) in enumerate(placed)]

    def everywhere(self) -> Iterator[list[Environment]]:
        """All choices of k threads with their locations, in every order of the locations."""
        for chosen in self.combinations:
            for locations in product(*map(self.places, chosen)):
                placed = zip(chosen, locations, strict=True)
                yield [self.thread(template, k, p) for k, (template, p) in enumerate(placed)]

    def _rank(self, place: Place) -> tuple[int, int]:
        template, location = place
        return self.order[template], location

    def known(self, shared: Store, threads: Sequence[Environment]) -> list[Term]:
        """What types say, and that the threads are distinct."""
        logic = self.logic
        parts = [self.environments.threads.condition, self._of_types(shared)]
        parts.extend(self._of_types(thread.own) for thread in threads)
        if self.has_ids:
            parts.append(logic.distinct([thread.me for thread in threads]))
            for thread in threads:
                parts.append(self.environments.is_thread(thread.me, thread.template))
        return parts

    def _of_types(self, store: Store) -> Term:
        known = self._typed.get(Same(store))
        return self.environments.typed(store) if known is None else known

    # -- relations -------------------------------------------------------------------------------

    def atom(self, shared: Store, threads: Sequence[Environment]) -> Term:
        """R of k threads; those of one template at one location stay in their order."""
        return self._atom(shared, self.ordered(threads))

    def ordered(self, threads: Sequence[Environment]) -> list[Environment]:
        """Threads by template, then by location."""
        return sorted(threads, key=lambda thread: self._rank(_place(thread)))

    def atoms(self, shared: Store, threads: Sequence[Environment]) -> Iterator[Term]:
        """R of k threads, in all orders that their templates and locations allow."""
        ranks = sorted(self._rank(_place(thread)) for thread in threads)
        for order in permutations(threads):
            if [self._rank(_place(thread)) for thread in order] == ranks:
                yield self._atom(shared, order)

    def _atom(self, shared: Store, ordered: Sequence[Environment]) -> Term:
        places = tuple(map(_place, ordered))
        arguments = [argument.term for argument in self.arguments(shared, ordered)]
        if places not in self._relations:
            name = " ".join(("R", *(f"{template}@{location}" for template, location in places)))
            sorts = [argument.sort() for argument in arguments]
            self._relations[places] = self.logic.relation(name, sorts)
        return self._relations[places](*arguments)

    def name_of(self, thread: Environment) -> str:
        """The name of a thread in formulas."""
        return next(
            name for name, known in zip(self.names, self.ids, strict=True) if known.eq(thread.me)
        )

    def arguments(self, shared: Store, threads: Sequence[Environment]) -> list[Argument]:
        """The arguments of R about some threads, named by their numbers."""
        named = [self.name_of(thread) for thread in threads]
        with_templates = [
            ThreadVariable(name, thread.template)
            for name, thread in zip(named, threads, strict=True)
        ]
        return self.told.of(shared, threads, with_templates, self._needed)

    def _needed(self, thread: Environment) -> frozenset[Variable]:
        return self.live[thread.template][_place(thread)[1]]


def _place(thread: Environment) -> Place:
    assert isinstance(thread.location, int)
    return thread.template, LocId(thread.location)


def after_step(threads: Sequence[Environment], mover: Environment) -> list[Environment]:
    """The threads after one of them, or another one, has moved."""
    return [
        mover if thread.me.eq(mover.me) else replace(thread, shared=mover.shared)
        for thread in threads
    ]


def uses_ids(program: Program) -> bool:
    """Whether ids of threads matter: some variable holds one, or a thread asks for its own."""
    declared: list[Variable] = [d.variable for d in program.globals]
    for template in program.templates:
        declared.extend(d.variable for d in template.variables)
    for procedure in program.procedures:
        declared.extend(procedure.parameters)
        declared.extend(d.variable for d in procedure.locals)
    if any(_holds_ids(variable.type) for variable in declared):
        return True
    expressions: list[Expr] = [
        whole for edge in program.edges for whole in action_expressions(edge.action)
    ]
    return any(
        isinstance(part, SelfId | SelfIndex)
        for whole in expressions
        for part in subexpressions(whole)
    )


def _holds_ids(held: Type) -> bool:
    match held:
        case ArrayType(element, extent):
            return not isinstance(extent, int) or _holds_ids(element)
        case RecordType() | MutexType():
            return any(_holds_ids(part) for _, part in fields_of(held))
        case _:
            return isinstance(held, TidType)
