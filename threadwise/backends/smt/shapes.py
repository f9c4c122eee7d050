"""How a type becomes a symbolic value: which arrays are cells, which are tables.

Ids of threads are the reference semantics' numbers: those of a template are consecutive, templates
follow each other. Where a template has any number of threads its count is a constant of the logic,
so that a formula valid for it is valid for every number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from threadwise.backends.smt.logic import Logic, Sort, Term
from threadwise.backends.smt.values import (
    Cells,
    OwnCells,
    Pointer,
    Record,
    Symbolic,
    Table,
    in_type,
)
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Binary, BinaryOp, Const, ThreadAt
from threadwise.ir.fold import action_expressions, conjuncts, interval, subexpressions
from threadwise.ir.layout import ThreadNumbers
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NONE,
    Address,
    ArrayType,
    BoolType,
    MutexType,
    PerThread,
    PointerType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    Value,
    fields_of,
)

SMALL = 32
"""Arrays with more elements than this are tables."""


@dataclass(frozen=True)
class Threads:
    """The ids of the threads of each template: from a first one up to, without, a last."""

    ranges: Mapping[str, tuple[Term, Term]]
    total: Term
    numbers: ThreadNumbers | None
    """The ids themselves, if all counts are fixed."""
    condition: Term
    """What is known about the counts that are not."""
    closed: bool
    """Whether every id is that of a thread: none is computed from a position that may be none."""

    @staticmethod
    def of(program: Program, logic: Logic) -> Threads:
        """Number the threads of a program."""
        ranges: dict[str, tuple[Term, Term]] = {}
        known: list[Term] = []
        stop: Term = logic.integer(0)
        for template in program.templates:
            start = stop
            if template.count is not None:
                stop = logic.simplify(start + template.count)
            else:
                count = logic.constant(f"#{template.name}", logic.integer_sort)
                known.append(count >= 0)
                stop = logic.simplify(start + count)
            ranges[template.name] = (start, stop)
        numbers = None if program.has_any_number else ThreadNumbers.of(program)
        closed = all(
            _is_a_thread(part, edge, program)
            for edge in program.edges
            for whole in action_expressions(edge.action)
            for part in subexpressions(whole)
            if isinstance(part, ThreadAt)
        )
        return Threads(ranges, stop, numbers, logic.conjunction(known), closed)

    @property
    def counts(self) -> list[Term]:
        """The ends of the ranges: what ids are compared with."""
        return [stop for _, stop in self.ranges.values()]


def _is_a_thread(computed: ThreadAt, edge: Edge, program: Program) -> bool:
    """Whether an edge computes an id from a position that its guard says there is."""
    count = program.template[computed.template].count
    low, high = interval(computed.position)
    if count is None or low is None or low < 0:
        return False
    if high is not None and high < count:
        return True
    return any(
        isinstance(part, Binary)
        and part.op is BinaryOp.LT
        and part.left == computed.position
        and isinstance(part.right, Const)
        and isinstance(part.right.value, int)
        and part.right.value <= count
        for part in conjuncts(edge.action.guard)
    )


Leaf: TypeAlias = Callable[[str, ScalarType, Sort], Symbolic]
"""Makes a scalar from the name of the cell, its type and the sort of one of its terms."""


class Shapes:
    """Makes symbolic values of the types of one program."""

    def __init__(self, logic: Logic, threads: Threads, own_ids: tuple[Term, ...] = ()) -> None:
        self.logic = logic
        self.threads = threads
        self.own_ids = own_ids

    def sort(self, scalar: ScalarType) -> Sort:
        """The sort of (each of) the terms of a scalar."""
        if isinstance(scalar, BoolType):
            return self.logic.boolean_sort
        return self.logic.integer_sort

    def make(self, held: Type, name: str, leaf: Leaf, depth: int = 0) -> Symbolic:
        """A value of a type; `depth` is the number of tables it is inside of."""
        match held:
            case RecordType() | MutexType():
                return Record(
                    tuple(
                        (field, self.make(part, f"{name}.{field}", leaf, depth))
                        for field, part in fields_of(held)
                    )
                )
            case ArrayType():
                return self._array(held, name, leaf, depth)
            case _:
                sort = self.sort(held)
                for _ in range(depth):
                    sort = self.logic.array_sort(sort)
                return leaf(name, held, sort)

    def _array(self, held: ArrayType, name: str, leaf: Leaf, depth: int) -> Symbolic:
        extent = self._extent(held)
        if extent is None and self.own_ids and not depth:
            elements = tuple(
                self.make(held.element, f"{name}[{thread}]", leaf) for thread in self.own_ids
            )
            return OwnCells(self.own_ids, elements)
        if extent is None or extent > SMALL:
            return Table(self.make(held.element, f"{name}[]", leaf, depth + 1))
        first = self.logic.integer(0)
        if isinstance(held.extent, PerThread):
            first = self.threads.ranges[held.extent.template][0]
        start = self.logic.known_integer(first) or 0
        cells = tuple(
            self.make(held.element, f"{name}[{start + position}]", leaf, depth)
            for position in range(extent)
        )
        return Cells(cells, first)

    def _extent(self, held: ArrayType) -> int | None:
        """The number of elements; None if it is not fixed."""
        if isinstance(held.extent, int):
            return held.extent
        numbers = self.threads.numbers
        if numbers is None or self.own_ids:
            return None
        return len(numbers.ranges[held.extent.template])

    def constants(self, held: Type, name: str) -> Symbolic:
        """A value made of constants that are named after its cells."""

        def leaf(cell: str, scalar: ScalarType, sort: Sort) -> Symbolic:
            if isinstance(scalar, PointerType):
                return Pointer(
                    self.logic.constant(f"{cell}.object", sort),
                    self.logic.constant(f"{cell}.offset", sort),
                )
            return self.logic.constant(cell, sort)

        return self.make(held, name, leaf)

    def literal(self, scalar: ScalarType, value: Value) -> Symbolic:
        """A value of a scalar type."""
        if isinstance(scalar, PointerType):
            number, offset = value if isinstance(value, Address) else (-1, 0)
            return Pointer(self.logic.integer(number), self.logic.integer(offset))
        if isinstance(scalar, BoolType):
            return self.logic.boolean(bool(value))
        if not isinstance(value, int):
            raise Unsupported("a variable that starts without a value, in SMT")
        return self.logic.integer(value)

    def typed(self, held: Type, value: Symbolic, *, chosen: bool = False) -> Iterator[Term]:
        """What holds of every value of a type; elements of tables are left out.

        What a havoc or a declaration has `chosen` is never an id that no thread has.
        """
        match held:
            case RecordType() | MutexType():
                assert isinstance(value, Record)
                for (_, part), (_, field) in zip(fields_of(held), value.fields, strict=True):
                    yield from self.typed(part, field, chosen=chosen)
            case ArrayType():
                if isinstance(value, Cells | OwnCells):
                    for element in value.elements:
                        yield from self.typed(held.element, element, chosen=chosen)
            case TidType():
                yield value >= NONE
                if chosen or self.threads.closed:
                    yield value < self.threads.total
            case PointerType():
                assert isinstance(value, Pointer)
                yield value.number >= INTEGER_OBJECT
            case _:
                condition = in_type(self.logic, held, value)
                if not self.logic.is_true(condition):
                    yield condition
