"""Pointers in tables, encoded as `threadwise.ir.encoding` says, many at once.

A table has no heap: a pointer into one is Unsupported. Following a pointer that leads nowhere
raises Undefined, as an index out of bounds does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import FIRST_OBJECT, MIDDLE, OBJECT_SHIFT, UNWRITTEN
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
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
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
from threadwise.semantics.evaluate import Undefined

if TYPE_CHECKING:
    from threadwise.proofs.toolbox.vectors import Batch, VectorEvaluator

Column: TypeAlias = npt.NDArray[np.int64]


class VectorPointers:
    """What has to do with pointers, for one evaluator."""

    def __init__(self, evaluator: VectorEvaluator) -> None:
        self.evaluator = evaluator
        layout = evaluator.layout
        self.layout = layout
        self.variables = [d.variable for d in evaluator.program.globals]
        starts = [layout.globals.offset[v.name] for v in self.variables]
        lengths = [len(layout.cells_of_type(v.type)) for v in self.variables]
        self.starts = np.array(starts, dtype=np.int64)
        self.lengths = np.array(lengths, dtype=np.int64)
        self._fitting: dict[Type | None, Column] = {}

    def objects(self, codes: Column) -> Column:
        """The objects that pointers lead to; null holds an integer."""
        numbers = (codes >> OBJECT_SHIFT) - FIRST_OBJECT
        found: Column = np.where(codes == 0, INTEGER_OBJECT, numbers)
        if len(found) and found.max() >= len(self.variables):
            raise Unsupported("a heap in a table")
        return found

    def offsets(self, codes: Column) -> Column:
        """How far into their objects pointers lead; 0 for null."""
        found: Column = np.where(codes == 0, 0, (codes & (2 * MIDDLE - 1)) - MIDDLE)
        return found

    def cells(self, codes: Column, held: Type) -> Column:
        """The shared cells that pointers to a type lead to; raises Undefined if to none."""
        if not self._valid(codes, held).all():
            raise Undefined("invalid pointer")
        return self.starts[self.objects(codes)] + self.offsets(codes)

    def _are_integers(self, codes: Column) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self.objects(codes) == INTEGER_OBJECT
        return found

    def _codes(self, numbers: Column, offsets: Column) -> Column:
        if len(offsets) and (offsets.min() < -MIDDLE or offsets.max() >= MIDDLE):
            raise OverflowError
        return ((numbers + FIRST_OBJECT) << OBJECT_SHIFT) + offsets + MIDDLE

    def evaluate(self, expr: Expr, batch: Batch) -> Column:
        """The values of an expression about pointers."""
        numbers = self.layout.numbers
        value = self._value
        match expr:
            case AddressOf(place):
                return self._codes(*self._target(place, batch))
            case PointerAdd(pointer, count, held):
                codes, steps = value(pointer, batch), value(count, batch)
                if self._are_integers(codes).any():
                    raise Undefined("arithmetic on what is no address")
                if len(steps) and (steps.min() < -MIDDLE or steps.max() >= MIDDLE):
                    raise OverflowError
                moved = self.offsets(codes) + steps * size_of(held, numbers)
                return self._codes(self.objects(codes), moved)
            case PointerDifference(left, right, held):
                first, second = value(left, batch), value(right, batch)
                if (self.objects(first) != self.objects(second)).any():
                    raise Undefined("the difference of pointers into two objects")
                distance = self.offsets(first) - self.offsets(second)
                size = size_of(held, numbers)
                whole: Column = np.sign(distance) * (np.abs(distance) // size)
                return whole
            case IntToPointer(operand):
                held_there = value(operand, batch)
                nowhere = np.full(len(batch), INTEGER_OBJECT, dtype=np.int64)
                return np.where(held_there == 0, 0, self._codes(nowhere, held_there))
            case PointerToInt(pointer):
                codes = value(pointer, batch)
                if not self._are_integers(codes).all():
                    raise Undefined("the address of an object as an integer")
                return self.offsets(codes)
            case IsValid(pointer, wanted):
                return self._valid(value(pointer, batch), wanted)
            case IsAllocated(pointer):
                self.objects(value(pointer, batch))
                return np.zeros(len(batch), dtype=np.int64)
            case HoldsInteger(pointer):
                return _numbers(self._are_integers(value(pointer, batch)))
            case SameObject(left, right):
                first, second = value(left, batch), value(right, batch)
                return _numbers(self.objects(first) == self.objects(second))
            case IsWritten(place):
                _, held_there = self.evaluator.contents(place, batch)
                return _numbers(held_there != UNWRITTEN)
            case _:
                raise Unsupported(f"{type(expr).__name__} in a table")

    def _value(self, expr: Expr, batch: Batch) -> Column:
        found: Column = self.evaluator.evaluate(expr, batch)
        return found

    def _target(self, place: Place, batch: Batch) -> tuple[Column, Column]:
        """The object that a place is in, and how many cells precede it there."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable):
                known = np.full(len(batch), self.variables.index(variable), dtype=np.int64)
                return known, np.zeros(len(batch), dtype=np.int64)
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                target, offset = self._target(base, batch)
                return target, offset + field_offset(held, name, numbers)
            case IndexPlace(base, index):
                array = base.type
                assert isinstance(array, ArrayType)
                target, offset = self._target(base, batch)
                position = self.evaluator.position(array, index, batch)
                return target, offset + position * size_of(array.element, numbers)
            case DerefPlace(pointer, held_there):
                codes = self._value(pointer, batch)
                if not self._valid(codes, held_there).all():
                    raise Undefined("invalid pointer")
                return self.objects(codes), self.offsets(codes)

    def _valid(self, codes: Column, wanted: Type | None) -> Column:
        """Where a pointer leads to a cell from which on a type fits."""
        numbers, offsets = self.objects(codes), self.offsets(codes)
        result = np.zeros(len(codes), dtype=np.int64)
        known = numbers >= 0
        inside = known & (offsets >= 0)
        inside[known] &= offsets[known] < self.lengths[numbers[known]]
        if wanted not in self._fitting:
            self._fitting[wanted] = self._fits(wanted)
        fits = self._fitting[wanted]
        result[inside] = fits[self.starts[numbers[inside]] + offsets[inside]]
        return result

    def _fits(self, wanted: Type | None) -> Column:
        """Per shared cell whether the cells of a type are those from it on, in one variable."""
        if wanted is None:
            return np.ones(int(self.lengths.sum()), dtype=np.int64)
        needed = [cell.type for cell in self.layout.cells_of_type(wanted)]
        found: list[int] = []
        for variable in self.variables:
            cells = [cell.type for cell in self.layout.cells_of_type(variable.type)]
            found.extend(
                int(cells[start : start + len(needed)] == needed) for start in range(len(cells))
            )
        return np.array(found, dtype=np.int64)


def _numbers(truths: npt.NDArray[np.bool_]) -> Column:
    return truths.astype(np.int64)
