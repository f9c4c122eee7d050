"""k threads that stand for all of them, and the unknown relation between them.

A *combination* says of which templates the k threads are, in program order; there is one relation
R for each. Its arguments are the shared variables, and for each of the threads its location, its
id (if the program has any use for ids), its variables, and its cells of arrays per thread.

With any number of threads there may be fewer than k. Such an instance behaves as a larger one
does in which the other threads are never scheduled, so it is enough to look at those with k or
more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product

from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments, Store
from threadwise.backends.smt.fire import Firing
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.steps import Steps
from threadwise.backends.smt.values import OwnCells, Record, Symbolic, terms_of
from threadwise.engines.horn.liveness import live_variables
from threadwise.ir.expr import Expr, SelfId, SelfIndex, Variable
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import LocId, Program
from threadwise.ir.regions import body_locations
from threadwise.ir.types import ArrayType, MutexType, RecordType, TidType, Type, fields_of

Combination = tuple[str, ...]
Place = tuple[str, LocId]


class Representatives:
    """The threads of clauses, and atoms about them."""

    def __init__(self, program: Program, k: int, logic: Logic) -> None:
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
        self._relations: dict[tuple[Place, ...], Term] = {}

    def is_possible(self, templates: Sequence[str]) -> bool:
        """Whether there are as many threads of each template."""
        counts = {t.name: t.count for t in self.program.templates}
        return all(
            count is None or templates.count(name) <= count for name, count in counts.items()
        )

    # -- threads ---------------------------------------------------------------------------------

    def thread(self, template: str, number: int, location: LocId) -> Environment:
        """A thread at a location."""
        own = self.environments.own(template, None, f"{number}.")
        return Environment(self.shared, own, self.ids[number], template, location)

    def places(self, template: str) -> list[LocId]:
        """Where a thread of a template can be without having failed."""
        return [
            location
            for location in body_locations(self.program, template)
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
        parts = [self.environments.threads.condition, self.environments.typed(shared)]
        parts.extend(self.environments.typed(thread.own) for thread in threads)
        if self.has_ids:
            parts.append(logic.distinct([thread.me for thread in threads]))
            for thread in threads:
                parts.append(self.environments.is_thread(thread.me, thread.template))
        return parts

    # -- relations -------------------------------------------------------------------------------

    def atom(self, shared: Store, threads: Sequence[Environment]) -> Term:
        """R of k threads; those of one template at one location stay in their order."""
        ordered = sorted(threads, key=lambda thread: self._rank(_place(thread)))
        return self._atom(shared, ordered)

    def atoms(self, shared: Store, threads: Sequence[Environment]) -> Iterator[Term]:
        """R of k threads, in all orders that their templates and locations allow."""
        ranks = sorted(self._rank(_place(thread)) for thread in threads)
        for order in permutations(threads):
            if [self._rank(_place(thread)) for thread in order] == ranks:
                yield self._atom(shared, order)

    def _atom(self, shared: Store, ordered: Sequence[Environment]) -> Term:
        places = tuple(map(_place, ordered))
        arguments = self._arguments(shared, ordered)
        if places not in self._relations:
            name = " ".join(("R", *(f"{template}@{location}" for template, location in places)))
            sorts = [argument.sort() for argument in arguments]
            self._relations[places] = self.logic.relation(name, sorts)
        return self._relations[places](*arguments)

    def _arguments(self, shared: Store, threads: Sequence[Environment]) -> list[Term]:
        found: list[Term] = []
        for value in shared.values():
            found.extend(_common(value))
        for thread in threads:
            if self.has_ids:
                found.append(thread.me)
            for variable, value in thread.own.items():
                if variable in self.live[thread.template][_place(thread)[1]]:
                    found.extend(terms_of(value))
            for value in shared.values():
                found.extend(_of_thread(value, thread.me))
        return found


def _place(thread: Environment) -> Place:
    assert isinstance(thread.location, int)
    return thread.template, LocId(thread.location)


def after_step(threads: Sequence[Environment], mover: Environment) -> list[Environment]:
    """The threads after one of them, or another one, has moved."""
    return [
        mover if thread.me.eq(mover.me) else replace(thread, shared=mover.shared)
        for thread in threads
    ]


def _common(value: Symbolic) -> Iterator[Term]:
    """The terms of a shared value without cells that belong to threads."""
    match value:
        case OwnCells():
            return
        case Record(fields):
            for _, part in fields:
                yield from _common(part)
        case _:
            yield from terms_of(value)


def _of_thread(value: Symbolic, me: Term) -> Iterator[Term]:
    """The terms of the cells that belong to a thread."""
    match value:
        case OwnCells(ids, elements):
            for thread, element in zip(ids, elements, strict=True):
                if thread.eq(me):
                    yield from terms_of(element)
        case Record(fields):
            for _, part in fields:
                yield from _of_thread(part, me)
        case _:
            return


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
