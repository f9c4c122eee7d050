"""The checkers' own evaluator: one expression, many stores at once.

A `Batch` is a table of stores of threads that are all at the same location: one row per store, one
numpy column per cell. Expressions are evaluated column by column, the right operand of a
short-circuit only on the rows that need it, so nothing undefined is ever computed for a row that
does not ask for it. Every result is exact: where a number might not fit 64 bits, `OverflowError`
is raised instead, and where an expression has no value, `Undefined`. The least number of 64 bits
is no number here: it stands for memory that was never written.

This shares no code with the compiled systems that engines run on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Command
from threadwise.ir.encoding import GREATEST, LEAST, UNWRITTEN, encoded
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Quantified,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.layout import ProgramLayout, extent_of, field_offset, size_of
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType, Value
from threadwise.proofs.toolbox.vector_pointers import VectorPointers
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.step import Interpreter

Column: TypeAlias = npt.NDArray[np.int64]
Table: TypeAlias = npt.NDArray[np.int64]
_LARGEST = 1 << 62


@dataclass(frozen=True)
class Batch:
    """Stores of threads of one template at one location; row i is one store.

    `thread` holds thread ids, `shared` the cells of the global store, `own` the thread-scoped
    cells followed by those of the current procedure, `origin` which input row a row came from.
    """

    template: str
    pc: int
    thread: Column
    shared: Table
    own: Table
    origin: Column

    def __len__(self) -> int:
        return len(self.thread)

    def select(self, rows: npt.NDArray[Any]) -> Batch:
        """Some of the rows."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        return replace(
            self,
            thread=self.thread[rows],
            shared=self.shared[rows],
            own=self.own[rows],
            origin=self.origin[rows],
        )


class VectorEvaluator:
    """Expressions of one program over batches."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.program: Program = interpreter.program
        self.layout: ProgramLayout = interpreter.layout
        self.interpreter = interpreter
        self.pointers = VectorPointers(self)

    # -- places -----------------------------------------------------------------------------------

    def slots(self, place: Place, batch: Batch) -> tuple[Scope, Column]:
        """Which store a place is in, and its first cell there, row by row."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable):
                kept = self.layout.thread[batch.template] if batch.template else None
                match variable.scope:
                    case Scope.GLOBAL:
                        first = self.layout.globals.offset[variable.name]
                    case Scope.THREAD:
                        assert kept is not None
                        first = kept.offset[variable.name]
                    case Scope.LOCAL:
                        assert kept is not None
                        procedure = self.program.procedure_of[batch.pc].name
                        first = (
                            len(kept.cells) + self.layout.local[procedure].offset[variable.name]
                        )
                return variable.scope, np.full(len(batch), first, dtype=np.int64)
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                scope, first_column = self.slots(base, batch)
                return scope, first_column + field_offset(held, name, numbers)
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                scope, first_column = self.slots(base, batch)
                position = self.position(held, index, batch)
                return scope, first_column + position * size_of(held.element, numbers)
            case DerefPlace(pointer, held):
                return Scope.GLOBAL, self.pointers.cells(self.evaluate(pointer, batch), held)

    def position(self, array: ArrayType, index: Expr, batch: Batch) -> Column:
        """Which elements of an array an index names; raises Undefined beyond its bounds."""
        numbers = self.layout.numbers
        first = 0
        if isinstance(array.extent, PerThread):
            first = numbers.ranges[array.extent.template].start
        found = self.evaluate(index, batch)
        low, high = _extent(found)
        if len(found) and not (first <= low and high < first + extent_of(array, numbers)):
            raise Undefined("index out of bounds")
        return found - first

    def load(self, place: Place, batch: Batch) -> Column:
        """The values of a scalar place; raises Undefined if one was never written."""
        scope, values = self.contents(place, batch)
        if scope is not Scope.GLOBAL:
            return _number(values)
        if (values == UNWRITTEN).any():
            raise Undefined("memory that was never written")
        return values

    def contents(self, place: Place, batch: Batch) -> tuple[Scope, Column]:
        """Which store a scalar place is in, and what its cells hold, be it nothing."""
        scope, slots = self.slots(place, batch)
        table = batch.shared if scope is Scope.GLOBAL else batch.own
        if (slot := _same(slots)) is not None:
            return scope, table[:, slot].copy()
        return scope, table[np.arange(len(batch)), slots]

    # -- expressions ------------------------------------------------------------------------------

    def evaluate(self, expr: Expr, batch: Batch) -> Column:  # noqa: C901 - a case per node
        """The values of an expression; booleans are 0 and 1."""
        numbers = self.layout.numbers
        match expr:
            case Const(value, _):
                known = as_number(value) if isinstance(value, int) else encoded(value)
                return np.full(len(batch), known, dtype=np.int64)
            case Read(place):
                return self.load(place, batch)
            case Unary(op, operand):
                value_column = self.evaluate(operand, batch)
                match op:
                    case UnaryOp.NEG:
                        return -value_column
                    case UnaryOp.NOT:
                        return np.equal(value_column, 0).astype(np.int64)
                    case UnaryOp.BIT_NOT:
                        return _number(~value_column)
            case Binary(BinaryOp.AND | BinaryOp.OR | BinaryOp.IMPLIES, _, _):
                return self._connective(expr, batch)
            case Binary(op, left, right):
                return _arithmetic(op, self.evaluate(left, batch), self.evaluate(right, batch))
            case Conditional(condition, then, otherwise):
                chosen = self.evaluate(condition, batch).astype(bool)
                result = np.zeros(len(batch), dtype=np.int64)
                result[chosen] = self.evaluate(then, batch.select(chosen))
                result[~chosen] = self.evaluate(otherwise, batch.select(~chosen))
                return result
            case Wrap(low, high, operand):
                return _wrapped(self.evaluate(operand, batch), low, high)
            case Clamp(low, high, operand):
                return _clamped(self.evaluate(operand, batch), low, high)
            case SelfId():
                return batch.thread
            case SelfIndex():
                return batch.thread - numbers.ranges[batch.template].start
            case ThreadAt(template, position):
                first = np.full(len(batch), numbers.ranges[template].start, dtype=np.int64)
                return _arithmetic(BinaryOp.ADD, first, self.evaluate(position, batch))
            case IsInstance(operand, template):
                ids = self.evaluate(operand, batch)
                members = numbers.ranges[template]
                return ((members.start <= ids) & (ids < members.stop)).astype(np.int64)
            case ThreadVariable() | AtLabel() | ThreadRead() | Quantified():
                raise Unsupported("a quantified formula in an edge")
            case _:
                return self.pointers.evaluate(expr, batch)

    def _connective(self, expr: Binary, batch: Batch) -> Column:
        left = self.evaluate(expr.left, batch).astype(bool)
        undecided = ~left if expr.op is BinaryOp.OR else left
        result = np.full(len(batch), expr.op is not BinaryOp.AND, dtype=np.int64)
        if undecided.any():
            result[undecided] = self.evaluate(expr.right, batch.select(undecided))
        return result

    # -- steps ------------------------------------------------------------------------------------

    def fire(self, edge: Edge, batch: Batch) -> Iterator[Batch]:
        """What a command does to the rows that its guard lets pass, per choice of its havocs."""
        command = edge.action
        if not isinstance(command, Command):
            raise Unsupported("a heap or stacks in a table")
        batch = batch.select(self.evaluate(command.guard, batch).astype(bool))
        if not len(batch):
            return
        writes = [
            (*self.slots(a.target, batch), self.evaluate(a.value, batch))
            for a in command.assignments
        ]
        havocs = [self.slots(place, batch) for place in command.havocs]
        domains = [
            [as_number(value) for value in self.interpreter.domain(place.type)]  # type: ignore[arg-type]  # scalar
            for place in command.havocs
        ]
        for values in product(*domains):
            tables = {True: batch.shared.copy(), False: batch.own.copy()}
            for scope, slots, column in writes:
                _store(tables[scope is Scope.GLOBAL], slots, column)
            for (scope, slots), value in zip(havocs, values, strict=True):
                _store(tables[scope is Scope.GLOBAL], slots, value)
            yield replace(batch, pc=edge.target, shared=tables[True], own=tables[False])


def as_number(value: Value) -> int:
    """A scalar value as a number."""
    if not isinstance(value, int):
        raise Unsupported("pointers in a table")
    if abs(value) >= _LARGEST:
        raise OverflowError
    return int(value)


def _extent(column: Column) -> tuple[int, int]:
    return (int(column.min()), int(column.max())) if len(column) else (0, 0)


def _same(slots: Column) -> int | None:
    """The slot that is meant in all rows, if it is one: numpy is much faster then."""
    if not len(slots) or (slots != slots[0]).any():
        return None
    return int(slots[0])


def _store(table: Table, slots: Column, values: Column | int) -> None:
    """Write to one slot of each row."""
    slot = _same(slots)
    if slot is None:
        table[np.arange(len(table)), slots] = values
    else:
        table[:, slot] = values


def _number(column: Column) -> Column:
    """The column, unless a number of it is the one that stands for nothing."""
    if (column == UNWRITTEN).any():
        raise OverflowError
    return column


def _wrapped(column: Column, low: int, high: int) -> Column:
    """Each number as the one of a range that differs from it by a multiple of the range's size."""
    least, greatest = _extent(column)
    if low <= least and greatest <= high:
        return column
    _fits((low, high, high - low + 1, least - low, greatest - low))
    return low + (column - low) % (high - low + 1)


def _clamped(column: Column, low: int, high: int) -> Column:
    """Each number, or the end of a range that it is beyond."""
    least, greatest = _extent(column)
    if greatest < low or high < least:
        _fits((low if greatest < low else high,))
    return np.clip(column, max(low, LEAST), min(high, GREATEST))


_COMPARE: Mapping[BinaryOp, Callable[[Column, Column], npt.NDArray[np.bool_]]] = {
    BinaryOp.EQ: np.equal,
    BinaryOp.NE: np.not_equal,
    BinaryOp.LT: np.less,
    BinaryOp.LE: np.less_equal,
    BinaryOp.GT: np.greater,
    BinaryOp.GE: np.greater_equal,
}
_BITWISE: Mapping[BinaryOp, Callable[[Column, Column], Column]] = {
    BinaryOp.BIT_AND: np.bitwise_and,
    BinaryOp.BIT_OR: np.bitwise_or,
    BinaryOp.BIT_XOR: np.bitwise_xor,
}


def _arithmetic(op: BinaryOp, left: Column, right: Column) -> Column:
    if op in _COMPARE:
        return _COMPARE[op](left, right).astype(np.int64)
    if op in _BITWISE:
        return _number(_BITWISE[op](left, right))
    (a, b), (c, d) = _extent(left), _extent(right)
    match op:
        case BinaryOp.ADD:
            _fits((a + c, b + d))
            return left + right
        case BinaryOp.SUB:
            _fits((a - d, b - c))
            return left - right
        case BinaryOp.MUL:
            _fits([x * y for x in (a, b) for y in (c, d)])
            return left * right
        case BinaryOp.DIV | BinaryOp.MOD:
            if not right.all():
                raise Undefined("division by zero")
            size = np.abs(left) // np.abs(right)
            quotient: Column = np.where((left < 0) == (right < 0), size, -size)
            return quotient if op is BinaryOp.DIV else left - quotient * right
        case BinaryOp.SHL | BinaryOp.SHR if c < 0:
            raise Undefined("negative shift")
        case BinaryOp.SHL:
            if not left.any():
                return left
            _fits([a << min(d, 64), b << min(d, 64)])
            return left << right
        case BinaryOp.SHR:
            return left >> np.minimum(right, 63)
        case _:
            raise Unsupported(f"operator {op.value} in a table")


def _fits(corners: Sequence[int]) -> None:
    if any(abs(corner) >= _LARGEST for corner in corners):
        raise OverflowError
