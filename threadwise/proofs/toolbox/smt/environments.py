"""Threads and stores as terms: the executing thread, and what it sees.

Ids of threads are the reference semantics' numbers: those of a template are consecutive, templates
follow each other. Where a template has any number of threads its count is a constant, so that a
formula valid for it is valid for every number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from threadwise.backends.smt.handle import Sort, Term
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Binary, BinaryOp, Const, Scope, ThreadAt, Variable
from threadwise.ir.fold import action_expressions, conjuncts, interval, subexpressions
from threadwise.ir.layout import ThreadNumbers
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    Edge,
    FillValue,
    ListedValues,
    LocId,
    Program,
)
from threadwise.ir.types import (
    NONE,
    ArrayType,
    BoolType,
    EnumType,
    MachineType,
    MutexType,
    PerThread,
    PointerType,
    RangeType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    Value,
    default_value,
    fields_of,
)
from threadwise.proofs.toolbox.smt.terms import Terms
from threadwise.proofs.toolbox.smt.values import (
    Cells,
    Record,
    Symbolic,
    Table,
    Values,
    combined,
    terms_of,
)

LISTED = 32
"""Arrays with more elements are tables."""

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
    """Threads that a formula names."""
    everyone: tuple[Environment, ...] = ()
    """All threads by id, if their number is fixed: what quantifiers range over."""

    def value(self, variable: Variable) -> Symbolic:
        """The value of a variable."""
        return self.shared[variable] if variable.scope is Scope.GLOBAL else self.own[variable]

    def with_value(self, variable: Variable, value: Symbolic) -> Environment:
        """The environment after a variable changed."""
        if variable.scope is Scope.GLOBAL:
            return replace(self, shared={**self.shared, variable: value})
        return replace(self, own={**self.own, variable: value})


class Environments:
    """The stores of one program."""

    def __init__(self, program: Program, logic: Terms) -> None:
        self.program = program
        self.logic = logic
        self.values = Values(logic)
        self.numbers = None if program.has_any_number else ThreadNumbers.of(program)
        self.ranges: dict[str, tuple[Term, Term]] = {}
        """Per template its first id, and the one after its last."""
        counts: list[Term] = []
        end = logic.integer(0)
        for template in program.templates:
            count = (
                logic.constant(f"#{template.name}", logic.integer_sort)
                if template.count is None
                else logic.integer(template.count)
            )
            counts.append(count)
            self.ranges[template.name] = end, logic.simplify(end + count)
            end = self.ranges[template.name][1]
        self.total = end
        bounds = [logic.simplify(count >= 0) for count in counts]
        bounds += [
            count <= template.most
            for count, template in zip(counts, program.templates, strict=True)
            if template.most is not None
        ]
        self.natural = logic.conjunction(bounds)
        """No count is negative, or more than its template allows."""
        self._only_threads = all(map(self._computes_threads, program.edges))

    def _computes_threads(self, edge: Edge) -> bool:
        """Whether the ids that an edge computes from positions are those of threads."""
        action = edge.action
        bounds = {
            (part.left, part.right.value)
            for part in conjuncts(action.guard)
            if isinstance(part, Binary)
            and part.op is BinaryOp.LT
            and isinstance(part.right, Const)
        }
        for whole in action_expressions(action):
            for part in subexpressions(whole):
                if isinstance(part, ThreadAt):
                    count = self.program.template[part.template].count
                    low, high = interval(part.position)
                    if count is None or low is None or low < 0:
                        return False
                    ends = [end for position, end in bounds if position == part.position]
                    ends += [high + 1] if high is not None else []
                    if not any(isinstance(end, int) and end <= count for end in ends):
                        return False
        return True

    def is_thread(self, me: Term, template: str) -> Term:
        """Whether a term is the id of a thread of a template."""
        first, end = self.ranges[template]
        return self.logic.conjunction([first <= me, me < end])

    # -- values of types --------------------------------------------------------------------------

    def sort(self, scalar: ScalarType) -> Sort:
        """The sort of a cell."""
        if isinstance(scalar, BoolType):
            return self.logic.boolean_sort
        return self.logic.integer_sort

    def constants(self, held: Type, name: str, depth: int = 0) -> Symbolic:
        """A value whose cells are constants, named after it; `depth` tables are around it."""
        match held:
            case RecordType() | MutexType():
                return Record(
                    tuple(
                        (part, self.constants(inner, f"{name}.{part}", depth))
                        for part, inner in fields_of(held)
                    )
                )
            case ArrayType():
                indices = self._indices(held)
                if indices is None:
                    return Table(self.constants(held.element, f"{name}[]", depth + 1))
                elements = [self.constants(held.element, f"{name}[{i}]", depth) for i in indices]
                return Cells(tuple(elements), indices.start)
            case _:
                sort = self.sort(held)
                for _ in range(depth):
                    sort = self.logic.array_sort(sort)
                return self.logic.constant(name, sort)

    def _indices(self, held: ArrayType) -> range | None:
        """The indices of an array; None if they are too many, or not known."""
        if isinstance(held.extent, PerThread):
            if self.numbers is None:
                return None
            indices = self.numbers.ranges[held.extent.template]
        else:
            indices = range(held.extent)
        return indices if len(indices) <= LISTED else None

    def built(self, held: Type, cell: Callable[[ScalarType], Term], *, alike: bool) -> Symbolic:
        """A value from its cells, asked for in memory order; `alike`: all elements are."""
        match held:
            case RecordType() | MutexType():
                return Record(
                    tuple(
                        (part, self.built(inner, cell, alike=alike))
                        for part, inner in fields_of(held)
                    )
                )
            case ArrayType():
                indices = self._indices(held)
                if indices is not None:
                    elements = [self.built(held.element, cell, alike=alike) for _ in indices]
                    return Cells(tuple(elements), indices.start)
                return self._table(held, cell, alike=alike)
            case _:
                return cell(held)

    def _table(self, held: ArrayType, cell: Callable[[ScalarType], Term], *, alike: bool) -> Table:
        first = self.built(held.element, cell, alike=alike)
        table = Table(combined(self.logic.filled, first))
        if not alike:
            assert isinstance(held.extent, int)
            for index in range(1, held.extent):
                element = self.built(held.element, cell, alike=alike)
                table = self.values.write(table, [self.logic.integer(index)], element)
        return table

    def literal(self, scalar: ScalarType, value: Value) -> Term:
        """A value of a scalar type."""
        if isinstance(scalar, PointerType):
            raise Unsupported("a pointer in a proof by formulas")
        if isinstance(scalar, BoolType):
            return self.logic.boolean(bool(value))
        if not isinstance(value, int):
            raise Unsupported("a variable that starts without a value, in SMT")
        return self.logic.integer(value)

    def typed(self, store: Store) -> Term:
        """Whether the values of a store are values of their types (tables left out)."""
        parts = [part for v, value in store.items() for part in self.in_type(v.type, value)]
        return self.logic.conjunction(parts)

    def in_type(self, held: Type, value: Symbolic, *, chosen: bool = False) -> Iterator[Term]:
        """What holds of all values of a type, cell by cell; elements of tables are left out.

        A havoc and a declaration never choose an id that no thread has.
        """
        match held:
            case RecordType() | MutexType():
                for (_, inner), (_, part) in zip(fields_of(held), value.fields, strict=True):
                    yield from self.in_type(inner, part, chosen=chosen)
            case ArrayType():
                if isinstance(value, Cells):
                    for element in value.elements:
                        yield from self.in_type(held.element, element, chosen=chosen)
            case TidType():
                yield value >= NONE
                if chosen or self._only_threads:
                    yield value < self.total
            case EnumType(_, members):
                yield value >= 0
                yield value < len(members)
            case RangeType() | MachineType():
                yield value >= held.low
                yield value <= held.high
            case _:
                return

    # -- stores -----------------------------------------------------------------------------------

    def shared(self, prefix: str = "") -> Store:
        """The shared variables, as constants."""
        variables = [declaration.variable for declaration in self.program.globals]
        return {v: self.constants(v.type, prefix + v.name) for v in variables}

    def own(self, template: str, procedure: str | None = None, prefix: str = "") -> Store:
        """The variables of a thread in a procedure (its body, if not said), as constants."""
        kind = self.program.template[template]
        inside = self.program.procedure[procedure or kind.body]
        variables = [
            *(declaration.variable for declaration in kind.variables),
            *inside.parameters,
            *(declaration.variable for declaration in inside.locals),
        ]
        return {v: self.constants(v.type, prefix + v.name) for v in variables}

    def initial_shared(self, prefix: str = "") -> tuple[Store, Term]:
        """The initial shared variables, and what holds of those that start with any value."""
        known: list[Term] = []
        store: dict[Variable, Symbolic] = {}
        for declaration in self.program.globals:
            variable = declaration.variable
            if isinstance(declaration.initial, AnyValue):
                store[variable] = self.constants(variable.type, prefix + variable.name)
                known.extend(self.in_type(variable.type, store[variable], chosen=True))
            else:
                store[variable] = self._initial(declaration)
        return store, self.logic.conjunction(known)

    def initial_own(self, template: str) -> Store:
        """The initial variables of a thread."""
        kind = self.program.template[template]
        return self.initial((*kind.variables, *self.program.procedure[kind.body].locals))

    def initial(self, declarations: Sequence[Declaration]) -> Store:
        """Declared variables that all start with known values."""
        return {d.variable: self._initial(d) for d in declarations}

    def _initial(self, declaration: Declaration) -> Symbolic:
        held = declaration.variable.type
        match declaration.initial:
            case AnyValue():
                raise Unsupported("a variable of a thread that starts with any value")
            case ListedValues(values) if not declaration.initial.is_uniform:
                listed = iter(values)
                return self.built(
                    held, lambda scalar: self.literal(scalar, next(listed)), alike=False
                )
            case FillValue(value) | ListedValues((value, *_)):
                return self.built(held, lambda scalar: self.literal(scalar, value), alike=True)
            case _:
                return self.built(
                    held, lambda scalar: self.literal(scalar, default_value(scalar)), alike=True
                )


def store_terms(store: Store) -> Iterator[Term]:
    """The terms of all values of a store, in the order of its variables."""
    for value in store.values():
        yield from terms_of(value)
