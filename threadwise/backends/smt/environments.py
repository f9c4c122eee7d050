"""Environments: who executes, and the symbolic values of everything it sees.

The shared part and a thread's own part are kept apart, so that a step of one thread can be seen by
another: `replace(other, shared=after.shared)`. Copies (g, l_me, l_other, before, after) are told
apart by the prefixes of their constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from threadwise.backends.smt.logic import Logic, Sort, Term
from threadwise.backends.smt.shapes import Shapes, Threads
from threadwise.backends.smt.values import Pointer, Symbolic, Table, Values, terms_of
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    ListedValues,
    LocId,
    Program,
)
from threadwise.ir.types import ArrayType, ScalarType, Type, Value, default_value

Store = Mapping[Variable, Symbolic]


@dataclass(frozen=True)
class Environment:
    """What one thread sees; `others` and `everyone` serve formulas about several threads."""

    shared: Store
    own: Store
    me: Term
    template: str
    location: LocId | Term | None = None
    """Where the thread is: a location, or a term for its number."""
    others: Mapping[str, Environment] = field(default_factory=dict)
    """Quantified threads, by the names of their variables."""
    everyone: tuple[Environment, ...] = ()
    """All threads by id, if their number is fixed: what quantifiers range over."""

    def value(self, variable: Variable) -> Symbolic:
        """The value of a variable."""
        return (self.shared if variable.scope is Scope.GLOBAL else self.own)[variable]

    def with_value(self, variable: Variable, value: Symbolic) -> Environment:
        """The environment after a whole variable changed."""
        if variable.scope is Scope.GLOBAL:
            return replace(self, shared={**self.shared, variable: value})
        return replace(self, own={**self.own, variable: value})


class Environments:
    """Makes the environments of one program.

    With `own_ids`, arrays with a cell per thread consist of the cells of these threads only.
    """

    def __init__(self, program: Program, logic: Logic, own_ids: tuple[Term, ...] = ()) -> None:
        self.program = program
        self.logic = logic
        self.values = Values(logic)
        self.threads = Threads.of(program, logic)
        self.shapes = Shapes(logic, self.threads, own_ids)

    # -- constants --------------------------------------------------------------------------------

    def shared(self, prefix: str = "") -> Store:
        """The shared variables, as constants."""
        return self.constants([d.variable for d in self.program.globals], prefix)

    def own(self, template: str, procedure: str | None = None, prefix: str = "") -> Store:
        """The variables of a thread in a procedure (its body, if not said), as constants."""
        return self.constants(self.own_variables(template, procedure), prefix)

    def constants(self, variables: Sequence[Variable], prefix: str) -> Store:
        """Some variables, as constants."""
        return {v: self.shapes.constants(v.type, prefix + v.name) for v in variables}

    def own_variables(self, template: str, procedure: str | None = None) -> list[Variable]:
        """The variables of a thread in a procedure: thread-scoped, parameters, locals."""
        kind = self.program.template[template]
        proc = self.program.procedure[procedure or kind.body]
        declared = (*kind.variables, *proc.locals)
        scoped = [d.variable for d in kind.variables]
        return [*scoped, *proc.parameters, *(d.variable for d in declared[len(scoped) :])]

    # -- initial values ---------------------------------------------------------------------------

    def initial_shared(self, prefix: str = "") -> tuple[Store, Term]:
        """The initial shared variables, with what holds of those that start with any value."""
        return self.initial(self.program.globals, prefix)

    def initial_own(self, template: str) -> Store:
        """The initial variables of a thread."""
        kind = self.program.template[template]
        body = self.program.procedure[kind.body]
        return self.initial((*kind.variables, *body.locals))[0]

    def initial(self, declarations: Sequence[Declaration], prefix: str = "") -> tuple[Store, Term]:
        """Declared variables with their initial values."""
        store: dict[Variable, Symbolic] = {}
        known: list[Term] = []
        for declaration in declarations:
            variable = declaration.variable
            if isinstance(declaration.initial, AnyValue):
                store[variable] = self.shapes.constants(variable.type, prefix + variable.name)
                known.extend(self.shapes.typed(variable.type, store[variable], chosen=True))
            else:
                store[variable] = self._initial(declaration)
        return store, self.logic.conjunction(known)

    def _initial(self, declaration: Declaration) -> Symbolic:
        variable, initial = declaration.variable, declaration.initial
        if isinstance(initial, ListedValues):
            if not initial.is_uniform:
                return self._listed(variable, initial)
            initial = FillValue(initial.values[0])

        def leaf(_: str, scalar: ScalarType, sort: Sort) -> Symbolic:
            if isinstance(initial, FillValue):
                value = self.shapes.literal(scalar, initial.value)
            else:
                assert isinstance(initial, DefaultValue)
                value = self.shapes.literal(scalar, default_value(scalar))
            if isinstance(value, Pointer):
                return Pointer(self._tabled(value.number, sort), self._tabled(value.offset, sort))
            return self._tabled(value, sort)

        return self.shapes.make(variable.type, variable.name, leaf)

    def _tabled(self, value: Term, sort: Sort) -> Term:
        """The value, or a table (of tables) of nothing else."""
        return (
            value if value.sort() == sort else self.logic.filled(self._tabled(value, sort.range()))
        )

    def _listed(self, variable: Variable, initial: ListedValues) -> Symbolic:
        held = variable.type
        whole = self._initial(Declaration(variable))
        if not isinstance(whole, Table):
            return self._row(held, initial.values)
        assert isinstance(held, ArrayType)
        assert isinstance(held.extent, int)
        size = len(initial.values) // held.extent
        for position in range(held.extent):
            row = initial.values[position * size : (position + 1) * size]
            element = self._row(held.element, row)
            whole = self.values.write(whole, [self.logic.integer(position)], element)
        return whole

    def _row(self, held: Type, values: Sequence[Value]) -> Symbolic:
        """A value made of listed scalars."""
        remaining = iter(values)

        def leaf(_: str, scalar: ScalarType, sort: Sort) -> Symbolic:
            if sort != self.shapes.sort(scalar):
                raise Unsupported("a list of initial values for a large array inside another type")
            return self.shapes.literal(scalar, next(remaining))

        return self.shapes.make(held, "", leaf)

    # -- conditions -------------------------------------------------------------------------------

    def typed(self, store: Store) -> Term:
        """Whether the values of a store are values of their types (tables left out)."""
        return self.logic.conjunction(
            [part for v, value in store.items() for part in self.shapes.typed(v.type, value)]
        )

    def is_thread(self, me: Term, template: str) -> Term:
        """Whether a term is the id of a thread of a template."""
        start, stop = self.threads.ranges[template]
        return self.logic.conjunction([start <= me, me < stop])

    def equal(self, left: Store, right: Store) -> Term:
        """Whether two stores with the same variables have the same values."""
        return self.logic.conjunction(
            [self.values.equal(value, right[variable]) for variable, value in left.items()]
        )


def store_terms(store: Store) -> Iterator[Term]:
    """The terms of all values of a store, in order of the variables."""
    for value in store.values():
        yield from terms_of(value)
