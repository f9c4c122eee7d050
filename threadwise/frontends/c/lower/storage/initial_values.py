"""Constant initial values: of globals, and of local variables that are made global.

An initialiser becomes one expression per cell: literals, and addresses of globals, which get their
numbers when all globals are known (`resolve`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from threadwise.core.identity import Same
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.survey import strip
from threadwise.frontends.c.lower.values.arithmetic import constant, fit
from threadwise.frontends.c.lower.values.types import (
    ACTIVE,
    Unrepresentable,
    field_name,
    is_aggregate,
    is_flexible,
    scalar_cells,
    zero,
)
from threadwise.frontends.c.types import CArray, CRecord, CType, unqualified
from threadwise.frontends.c.walking import nodes
from threadwise.ir.expr import (
    AddressOf,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.layout import NO_THREADS, field_offset, size_of
from threadwise.ir.types import (
    INTEGER_OBJECT,
    Address,
    ArrayType,
    MachineType,
    MutexType,
    RecordType,
    Type,
    Value,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


def initial_cells(
    body: Body, initial: tree.Initialiser | None, held: CType
) -> tuple[list[Expr], list[tree.ScalarInitial]]:
    """One constant per cell, and the parts that are no constants here: these are zero instead.

    Compilers know more constants: differences of labels, addresses as numbers, all of floating
    point. What they are is left to code that runs first (`compute`).
    """
    whole = body.unit.types.of(held)
    cells: list[Expr] = [zero(cell) for cell in scalar_cells(whole)]
    open_: list[tree.ScalarInitial] = []
    if initial is not None:
        _fill(body, initial, held, whole, cells, 0, open_)
    return cells, open_


def compute(
    body: Body,
    place: Place,
    initial: tree.Initialiser,
    held: CType,
    parts: Sequence[tree.ScalarInitial],
) -> None:
    """Store some parts of an initial value, as assignments do."""
    wanted = {*map(Same, parts)}
    if Same(initial) in wanted:
        body.statements.initialise(place, initial, held, fresh=False)
    elif isinstance(initial, tree.AggregateInitial):
        for position, part in initial.elements:
            if any(Same(node) in wanted for node in nodes(part)):
                inner, inner_type = body.statements.element(place, held, position)
                compute(body, inner, part, inner_type, parts)


def _fill(
    body: Body,
    initial: tree.Initialiser,
    held: CType,
    whole: Type,
    cells: list[Expr],
    offset: int,
    open_: list[tree.ScalarInitial],
) -> None:
    plain = unqualified(held)
    if isinstance(initial, tree.AggregateInitial):
        for position, part in initial.elements:
            found = _part(body, plain, whole, position, cells, offset)
            if found is not None:
                where, inner, inner_type = found
                _fill(body, part, inner, inner_type, cells, where, open_)
        return
    if is_aggregate(plain):
        value = strip(initial.value)
        if isinstance(value, tree.Load) and isinstance(value.place, tree.CompoundLiteral):
            inside: list[tree.ScalarInitial] = []
            _fill(body, value.place.initial, held, whole, cells, offset, inside)
            open_ += [initial] if inside else []
        else:
            open_.append(initial)
        return
    expr = _constant(body, initial.value)
    if expr is None:
        open_.append(initial)
        return
    if isinstance(whole, MachineType):
        expr = fit(whole.low, whole.high, expr)
    cells[offset] = expr


def _part(
    body: Body, held: CType, whole: Type, position: int, cells: list[Expr], offset: int
) -> tuple[int, CType, Type] | None:
    """Where a part begins, and its types; None for a flexible array, which is never accessed."""
    if isinstance(held, CArray) and isinstance(whole, ArrayType):
        size = size_of(whole.element, NO_THREADS)
        return offset + position * size, held.element, whole.element
    if isinstance(held, CRecord) and isinstance(whole, RecordType):
        field = body.unit.types.records[held.key].fields[position]
        name = field_name(position, field)
        if is_flexible(field.type):
            return None
        if whole.fields[-1][0] == ACTIVE:
            cells[offset + field_offset(whole, ACTIVE, NO_THREADS)] = number(position + 1)
        where = offset + field_offset(whole, name, NO_THREADS)
        return where, field.type, dict(whole.fields)[name]
    if position == 0:
        return offset, held, whole
    raise Unrepresentable("an initialiser of this shape")


def _constant(body: Body, value: tree.Expr) -> Expr | None:
    """The value of an expression that takes no step; None otherwise."""
    before = body.at, len(body.graph.arcs), len(body.graph.jumps)
    found = body.expressions.value(value)
    if before != (body.at, len(body.graph.arcs), len(body.graph.jumps)):
        return None
    return found if _is_constant(found) else None


def _is_constant(value: Expr) -> bool:
    match value:
        case Const():
            return True
        case AddressOf(place):
            return _is_fixed(place)
        case PointerAdd(pointer, Const(), _):
            return _is_constant(pointer)
        case IntToPointer(Const()):
            return True
        case _:
            return False


def _is_fixed(place: Place) -> bool:
    match place:
        case VariablePlace(variable):
            return variable.scope.value == "global"
        case FieldPlace(base, _):
            return _is_fixed(base)
        case IndexPlace(base, Const()):
            return _is_fixed(base)
        case _:
            return False


def resolve(value: Expr, numbers: Mapping[str, int]) -> Value:
    """The value of a constant, with the numbers of the globals."""
    match value:
        case Const(content):
            return content
        case AddressOf(place):
            return _address(place, numbers)
        case PointerAdd(pointer, count, element):
            base = resolve(pointer, numbers)
            by = constant(count)
            assert isinstance(base, Address)
            assert by is not None
            return Address(base.number, base.offset + by * size_of(element, NO_THREADS))
        case IntToPointer(operand):
            held = constant(operand)
            assert held is not None
            return Address(INTEGER_OBJECT, held) if held else None
        case _:
            raise Unrepresentable("an initial value")


def _address(place: Place, numbers: Mapping[str, int]) -> Address:
    match place:
        case VariablePlace(variable):
            return Address(numbers[variable.name], 0)
        case FieldPlace(base, field):
            start = _address(base, numbers)
            held = base.type
            assert isinstance(held, RecordType | MutexType)
            return Address(start.number, start.offset + field_offset(held, field, NO_THREADS))
        case IndexPlace(base, index):
            start = _address(base, numbers)
            position = constant(index)
            array = base.type
            assert isinstance(array, ArrayType)
            assert position is not None
            size = size_of(array.element, NO_THREADS)
            return Address(start.number, start.offset + position * size)
        case _:
            raise Unrepresentable("an initial address")


def mentioned(value: Expr) -> str | None:
    """The global whose address a constant is."""
    match value:
        case AddressOf(place):
            current = place
            while isinstance(current, FieldPlace | IndexPlace):
                current = current.base
            return current.variable.name if isinstance(current, VariablePlace) else None
        case PointerAdd(pointer, _, _):
            return mentioned(pointer)
        case _:
            return None
