"""Breadth-first search in machine code, driven from Python in slices.

    expand(row, first, end) -> next

computes the successors of the states numbered first, …, end - 1 and marks each of them. It
stops early where a state has no room, or something is refused; the state at hand is then the first
one of the next call. States are never visited twice otherwise.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from llvmlite import ir

from threadwise.backends.native.control import ControlCode, Mark, Slot, Status
from threadwise.backends.native.expressions import ExpressionCode
from threadwise.backends.native.jit import BIT, BYTE, LONG, POINTER, Compiled
from threadwise.backends.native.packing import Packing, Rows
from threadwise.backends.native.steps import DEPTH, Inputs, StepCode
from threadwise.backends.native.table import TableCode, counting, element
from threadwise.backends.native.values import Seen
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Expr
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import Value

FIRST_CAPACITY = 1 << 16
MOST_STATES = 1 << 30
Held = TypeVar("Held", bound=np.generic)
_LONG = ctypes.c_int64
_ADDRESS = ctypes.c_void_p


class NativeSearch:
    """The states of a program, found breadth first; `formulas` are tested in each of them."""

    def __init__(
        self,
        program: Program,
        layout: ProgramLayout,
        inputs: Inputs,
        formulas: Sequence[Expr] = (),
    ) -> None:
        self.packing = Packing(program, layout)
        compiled = Compiled(_module(self.packing, inputs, formulas))
        self._compiled = compiled
        self._expand = compiled.function("expand", [_ADDRESS, _LONG, _LONG], _LONG)
        self._add = compiled.function("add", [_ADDRESS, _ADDRESS], None)
        self._insert_all = compiled.function("insert_all", [_ADDRESS], None)
        self._row = np.zeros(len(Slot), dtype=np.int64)
        self._scratch = np.zeros((DEPTH + 1) * self.packing.size, dtype=np.uint8)
        self._row[Slot.SCRATCH] = self._scratch.ctypes.data
        self._states: npt.NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._parents: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._movers: npt.NDArray[np.int16] = np.zeros(0, dtype=np.int16)
        self._marks: npt.NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._table: npt.NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
        self.expanded = 0
        """So many states have been visited."""
        self._grow(FIRST_CAPACITY)

    def __len__(self) -> int:
        return int(self._row[Slot.COUNT])

    @property
    def narrowed(self) -> bool:
        """Whether some input was given samples only."""
        return bool(self._row[Slot.NARROWED])

    @property
    def rows(self) -> Rows:
        """All states."""
        used = self._states[: len(self) * self.packing.size]
        return used.view(self.packing.row)

    @property
    def marks(self) -> npt.NDArray[np.uint8]:
        """What is known of the states that were visited."""
        return self._marks[: self.expanded]

    def parent(self, number: int) -> tuple[int, int] | None:
        """From which state a state was reached, and by which thread; None for an initial one."""
        found = int(self._parents[number])
        return None if found < 0 else (found, int(self._movers[number]))

    def add(self, cells: Sequence[Value]) -> None:
        """Begin with a state."""
        self._reserve()
        packed = self.packing.pack(cells)
        self._add(self._row.ctypes.data, ctypes.cast(ctypes.c_char_p(packed), _ADDRESS))

    def run(self, most: int) -> int:
        """Visit some more states; how many there were. Unsupported where something is refused."""
        before = self.expanded
        end = min(before + most, len(self))
        while self.expanded < end:
            self._row[Slot.STATUS] = Status.FINE
            self.expanded = int(self._expand(self._row.ctypes.data, self.expanded, end))
            status = Status(int(self._row[Slot.STATUS]))
            if status is Status.REFUSED:
                raise Unsupported("values beyond 64 bits in machine code")
            if status is Status.FULL:
                self._reserve()
        return self.expanded - before

    def give_back(self) -> None:
        """Keep the states only; no more of them can be found, and where they come from is lost."""
        self._states = self._states[: len(self) * self.packing.size]
        self._parents = self._parents[:0].copy()
        self._movers = self._movers[:0].copy()
        self._marks = self._marks[:0].copy()
        self._table = self._table[:0].copy()
        self._row[Slot.CAPACITY] = 0

    # -- room -------------------------------------------------------------------------------------

    def _reserve(self) -> None:
        capacity = int(self._row[Slot.CAPACITY])
        if len(self) >= capacity:
            self._grow(2 * capacity)

    def _grow(self, capacity: int) -> None:
        if capacity > MOST_STATES:
            raise Unsupported("so many states in machine code")
        self._states = _larger(self._states, capacity * self.packing.size)
        self._parents = _larger(self._parents, capacity)
        self._movers = _larger(self._movers, capacity)
        self._marks = _larger(self._marks, capacity)
        self._table = np.zeros(2 * capacity, dtype=np.uint32)
        row = self._row
        row[Slot.CAPACITY] = capacity
        row[Slot.MASK] = 2 * capacity - 1
        for slot, array in (
            (Slot.STATES, self._states),
            (Slot.PARENTS, self._parents),
            (Slot.MOVERS, self._movers),
            (Slot.MARKS, self._marks),
            (Slot.TABLE, self._table),
        ):
            row[slot] = array.ctypes.data
        self._insert_all(row.ctypes.data)


def _larger(array: npt.NDArray[Held], size: int) -> npt.NDArray[Held]:
    grown = np.zeros(size, dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _module(packing: Packing, inputs: Inputs, formulas: Sequence[Expr]) -> ir.Module:
    module = ir.Module("program")
    table = TableCode(module, packing)
    steps = StepCode(module, packing, inputs, table)
    _ExpandCode(module, packing, table, steps, formulas).write()
    return module


class _ExpandCode:
    """Writes `expand`."""

    def __init__(
        self,
        module: ir.Module,
        packing: Packing,
        table: TableCode,
        steps: StepCode,
        formulas: Sequence[Expr],
    ) -> None:
        self.module = module
        self.packing = packing
        self.program = packing.program
        self.table = table
        self.steps = steps
        self.violated = self._formulas(formulas)
        self.stopped = self._locations(
            "stopped", [location.failure is not None for location in self.program.locations]
        )
        self.waiting = self._locations(
            "waiting",
            [not (l.final or l.failure is not None) for l in self.program.locations],
        )

    def _locations(self, name: str, kept: Sequence[bool]) -> ir.GlobalVariable:
        """A table of locations."""
        kind = ir.ArrayType(BYTE, len(kept))
        table = ir.GlobalVariable(self.module, kind, name)
        table.initializer = ir.Constant(kind, [int(found) for found in kept])
        table.global_constant = True
        table.linkage = "internal"
        return table

    def _formulas(self, formulas: Sequence[Expr]) -> ir.Function:
        """Whether a formula is false in a state, or has no value."""
        kind = ir.FunctionType(BIT, [POINTER])
        function = ir.Function(self.module, kind, "violated")
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block())
        bad = function.append_basic_block()
        code = ExpressionCode(self.packing, builder, bad)
        for formula in formulas:
            code.arithmetic.require(code.truth(formula, Seen(function.args[0])))
        builder.ret(BIT(0))
        builder.position_at_end(bad)
        builder.ret(BIT(1))
        return function

    def write(self) -> None:
        """The whole function."""
        function = ir.Function(self.module, ir.FunctionType(LONG, [POINTER, LONG, LONG]), "expand")
        row, first, end = function.args
        builder = ir.IRBuilder(function.append_basic_block())
        control = ControlCode(builder, row)
        mark = builder.alloca(BYTE)
        with counting(builder, first, end) as number:
            state = self.table.state(builder, control, number)
            builder.store(BYTE(0), mark)
            self._mark_if(builder, mark, builder.call(self.violated, [state]), Mark.VIOLATED)
            stopped = self._anybody_in(builder, state, self.stopped)
            with builder.if_else(stopped) as (then, otherwise):
                with then:
                    self._mark_if(builder, mark, BIT(1), Mark.STOPPED)
                with otherwise:
                    self._steps(builder, control, state, number, mark)
            status = control.get(Slot.STATUS)
            with builder.if_then(builder.icmp_signed("!=", status, LONG(Status.FINE))):
                builder.ret(number)
            marks = control.array(Slot.MARKS)
            builder.store(builder.load(mark, typ=BYTE), element(builder, marks, number, BYTE))
        builder.ret(end)

    def _mark_if(
        self, builder: ir.IRBuilder, mark: ir.Value, condition: ir.Value, bit: Mark
    ) -> None:
        old = builder.load(mark, typ=BYTE)
        more = builder.select(condition, BYTE(int(bit)), BYTE(0))
        builder.store(builder.or_(old, more), mark)

    def _anybody_in(
        self, builder: ir.IRBuilder, state: ir.Value, table: ir.GlobalVariable
    ) -> ir.Value:
        found: ir.Value = BIT(0)
        for base in self.packing.base:
            found = builder.or_(found, self._is_in(builder, state, base, table))
        return found

    def _is_in(
        self, builder: ir.IRBuilder, state: ir.Value, base: int, table: ir.GlobalVariable
    ) -> ir.Value:
        code = ExpressionCode(self.packing, builder, builder.block)
        where = code.location(code.moved(state, base))
        entry = builder.gep(table, [LONG(0), where], source_etype=table.value_type)
        return builder.trunc(builder.load(entry, typ=BYTE), BIT)

    def _steps(
        self,
        builder: ir.IRBuilder,
        control: ControlCode,
        state: ir.Value,
        number: ir.Value,
        mark: ir.Value,
    ) -> None:
        """The steps of all threads from a state."""
        control.put(Slot.CURRENT, number)
        control.put(Slot.FOUND, LONG(0))
        for thread, name in enumerate(self.packing.layout.numbers.templates):
            before = control.get(Slot.FOUND)
            arguments = [control.row, state, LONG(thread), LONG(0)]
            builder.call(self.steps.functions[name], arguments)
            none = builder.icmp_signed("==", control.get(Slot.FOUND), before)
            waits = self._is_in(builder, state, self.packing.base[thread], self.waiting)
            self._mark_if(builder, mark, builder.and_(none, waits), Mark.WAITING)
        none = builder.icmp_signed("==", control.get(Slot.FOUND), LONG(0))
        self._mark_if(builder, mark, none, Mark.STUCK)
