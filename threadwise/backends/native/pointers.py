"""Pointers to shared variables, as LLVM values (see `threadwise.ir.encoding`).

There is no heap here: a pointer is null, holds an integer, or leads to a cell of a shared
variable, and every cell takes a word. What follows a pointer that leads nowhere is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llvmlite import ir

from threadwise.backends.native.jit import BIT, BYTE, LONG
from threadwise.backends.native.values import Number, Seen, constant
from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import FIRST_OBJECT, GREATEST, LEAST, MIDDLE, OBJECT_SHIFT
from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsValid,
    Place,
    PointerAdd,
    PointerDifference,
    PointerExpr,
    PointerToInt,
    SameObject,
    VariablePlace,
)
from threadwise.ir.layout import field_offset, size_of
from threadwise.ir.types import (
    INTEGER_OBJECT,
    ArrayType,
    MutexType,
    RecordType,
    Type,
)

if TYPE_CHECKING:
    from threadwise.backends.native.expressions import ExpressionCode

POINTER_VALUES = (AddressOf, PointerAdd, PointerDifference, IntToPointer, PointerToInt)
"""The expressions that give a pointer, or an integer from pointers."""

_OFFSETS = 2 * MIDDLE - 1


class PointerCode:
    """Writes what has to do with pointers."""

    def __init__(self, code: ExpressionCode) -> None:
        self.code = code
        self.packing = code.packing
        self.layout = code.layout
        self.builder = code.builder
        self.variables = [d.variable for d in self.packing.program.globals]
        self.starts = [self.layout.globals.offset[v.name] for v in self.variables]

    # -- addresses --------------------------------------------------------------------------------

    def _object(self, pointer: ir.Value) -> ir.Value:
        """The number of the object that a pointer other than null leads to."""
        shifted = self.builder.ashr(pointer, LONG(OBJECT_SHIFT))
        return self.builder.sub(shifted, LONG(FIRST_OBJECT))

    def _offset(self, pointer: ir.Value) -> ir.Value:
        low = self.builder.and_(pointer, LONG(_OFFSETS))
        return self.builder.sub(low, LONG(MIDDLE))

    def _address(self, number: ir.Value, offset: ir.Value) -> Number:
        """A pointer; an offset that is too far away is refused."""
        builder = self.builder
        self.code.arithmetic.require(builder.icmp_signed(">=", offset, LONG(-MIDDLE)))
        self.code.arithmetic.require(builder.icmp_signed("<", offset, LONG(MIDDLE)))
        high = builder.shl(builder.add(number, LONG(FIRST_OBJECT)), LONG(OBJECT_SHIFT))
        return Number(builder.add(high, builder.add(offset, LONG(MIDDLE))), LEAST + 1, GREATEST)

    def cell(self, pointer: Expr, seen: Seen) -> ir.Value:
        """Which shared cell a pointer leads to; one that leads to none is refused."""
        value = self.code.number(pointer, seen).term
        number = self._object(value)
        known = self.builder.icmp_unsigned("<", number, LONG(len(self.variables)))
        self.code.arithmetic.require(known)
        offset = self._offset(value)
        length = self._entry("lengths", self._lengths(), number)
        self.code.arithmetic.require(self.builder.icmp_unsigned("<", offset, length))
        return self.builder.add(self._entry("starts", self.starts, number), offset)

    def _lengths(self) -> list[int]:
        return [len(self.layout.cells_of_type(variable.type)) for variable in self.variables]

    def _entry(self, name: str, values: Sequence[int], position: ir.Value) -> ir.Value:
        """An entry of a table of constants."""
        module = self.builder.module
        kind = ir.ArrayType(LONG, len(values))
        found = module.globals.get(name)
        if found is None:
            found = ir.GlobalVariable(module, kind, name)
            found.initializer = ir.Constant(kind, list(values))
            found.global_constant = True
            found.linkage = "internal"
        place = self.builder.gep(found, [LONG(0), position], source_etype=kind)
        return self.builder.load(place, typ=LONG)

    # -- expressions ------------------------------------------------------------------------------

    def number(self, expr: PointerExpr, seen: Seen) -> Number:
        """A pointer, or an integer from pointers."""
        numbers = self.layout.numbers
        builder = self.builder
        match expr:
            case AddressOf(place):
                return self._address(*self._target(place, seen))
            case PointerAdd(pointer, count, held):
                value = self.code.number(pointer, seen).term
                self.code.arithmetic.require(builder.icmp_signed("!=", value, LONG(0)))
                distance = self.code.arithmetic.product(
                    self.code.number(count, seen), constant(size_of(held, numbers))
                )
                offset = self.code.arithmetic.sum(self._as_number(self._offset(value)), distance)
                return self._address(self._object(value), offset.term)
            case PointerDifference(left, right, held):
                sides = [
                    self._integer(self.code.number(side, seen).term) for side in (left, right)
                ]
                distance = self.code.arithmetic.difference(*sides)
                quotient = builder.sdiv(distance.term, LONG(max(1, size_of(held, numbers))))
                return Number(quotient, distance.low, distance.high)
            case IntToPointer(operand):
                value = self.code.number(operand, seen).term
                null = builder.icmp_signed("==", value, LONG(0))
                held_there = self._address(LONG(INTEGER_OBJECT), value).term
                return Number(builder.select(null, LONG(0), held_there), LEAST, GREATEST)
            case PointerToInt(pointer):
                return self._integer(self.code.number(pointer, seen).term)
            case _:
                raise Unsupported(f"{type(expr).__name__} in machine code")

    def _as_number(self, offset: ir.Value) -> Number:
        return Number(offset, -MIDDLE, MIDDLE - 1)

    def _integer(self, pointer: ir.Value) -> Number:
        """The offset of a pointer; 0 for null."""
        null = self.builder.icmp_signed("==", pointer, LONG(0))
        return self._as_number(self.builder.select(null, LONG(0), self._offset(pointer)))

    def _target(self, place: Place, seen: Seen) -> tuple[ir.Value, ir.Value]:
        """The object that a place is in, and how many cells precede it there."""
        numbers = self.layout.numbers
        builder = self.builder
        match place:
            case VariablePlace(variable):
                return LONG(self.variables.index(variable)), LONG(0)
            case FieldPlace(base, name):
                number, offset = self._target(base, seen)
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                return number, builder.add(offset, LONG(field_offset(held, name, numbers)))
            case IndexPlace(base, index):
                number, offset = self._target(base, seen)
                array = base.type
                assert isinstance(array, ArrayType)
                position = self.code.position(array, self.code.number(index, seen))
                size = size_of(array.element, numbers)
                return number, builder.add(offset, builder.mul(position, LONG(size)))
            case DerefPlace(pointer, _):
                value = self.code.number(pointer, seen).term
                self.code.arithmetic.require(builder.icmp_signed("!=", value, LONG(0)))
                return self._object(value), self._offset(value)

    def truth(self, expr: PointerExpr, seen: Seen) -> ir.Value:
        """A question about pointers."""
        builder = self.builder
        match expr:
            case IsValid(pointer, held):
                return self._is_valid(self.code.number(pointer, seen).term, held)
            case IsAllocated():
                return BIT(0)
            case HoldsInteger(pointer):
                target = self._known_object(self.code.number(pointer, seen).term)
                return builder.icmp_signed("==", target, LONG(INTEGER_OBJECT))
            case SameObject(left, right):
                sides = [
                    self._known_object(self.code.number(side, seen).term) for side in (left, right)
                ]
                return builder.icmp_signed("==", *sides)
            case _:
                raise Unsupported(f"{type(expr).__name__} in machine code")

    def _known_object(self, pointer: ir.Value) -> ir.Value:
        """The object of a pointer; null holds an integer."""
        null = self.builder.icmp_signed("==", pointer, LONG(0))
        return self.builder.select(null, LONG(INTEGER_OBJECT), self._object(pointer))

    def _is_valid(self, pointer: ir.Value, held: Type | None) -> ir.Value:
        """Whether a pointer leads to a cell from which on a type fits."""
        builder = self.builder
        number = self._known_object(pointer)

        def inside() -> ir.Value:
            offset = self._offset(pointer)
            length = self._entry("lengths", self._lengths(), number)

            def fitting() -> ir.Value:
                cell = builder.add(self._entry("starts", self.starts, number), offset)
                return self._fits(held, cell)

            within = builder.icmp_unsigned("<", offset, length)
            return self.code.choose(within, fitting, lambda: BIT(0), BIT)

        known = builder.icmp_unsigned("<", number, LONG(len(self.variables)))
        return self.code.choose(known, inside, lambda: BIT(0), BIT)

    def _fits(self, held: Type | None, cell: ir.Value) -> ir.Value:
        """Whether the cells of a type are those from a cell on."""
        if held is None:
            return BIT(1)
        module = self.builder.module
        wanted = [part.type for part in self.layout.cells_of_type(held)]
        table: list[int] = []
        for variable in self.variables:
            cells = [part.type for part in self.layout.cells_of_type(variable.type)]
            table.extend(
                int(cells[start : start + len(wanted)] == wanted) for start in range(len(cells))
            )
        kind = ir.ArrayType(BYTE, len(table))
        constants = ir.GlobalVariable(module, kind, module.get_unique_name("fits"))
        constants.initializer = ir.Constant(kind, table)
        constants.global_constant = True
        constants.linkage = "internal"
        place = self.builder.gep(constants, [LONG(0), cell], source_etype=kind)
        return self.builder.trunc(self.builder.load(place, typ=BYTE), BIT)
