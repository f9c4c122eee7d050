"""States as bytes.

    shared cells | for each thread: location, thread-scoped cells, locals of its body | padding

A cell takes as many bytes as the values of its type need, so that equal states are equal bytes
and states are small. The cells of an array or a record lie side by side, as in the layout of the
program. Where there are pointers, every cell takes a word, so that a pointer needs to know only
which cell it points to. Values are encoded by `threadwise.ir.encoding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.encoding import decoded, encoded
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import (
    NONE,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    PointerType,
    RangeType,
    ScalarType,
    TidType,
    Type,
    Value,
)

WORD = 8
"""States are compared and hashed by words of so many bytes."""
MOST_THREADS = 1 << 10
MOST_BYTES = 1 << 14
"""Larger states are few: copying them takes the time."""

Rows = npt.NDArray[np.void]


@dataclass(frozen=True)
class Width:
    """How a scalar is stored."""

    size: int
    signed: bool

    @staticmethod
    def of(low: int, high: int) -> Width:
        """The least width for some values; what does not fit 64 bits is found at run time."""
        for size in (1, 2, 4):
            if low >= 0 and high < 1 << 8 * size:
                return Width(size, signed=False)
            if -(1 << 8 * size - 1) <= low and high < 1 << 8 * size - 1:
                return Width(size, signed=True)
        return Width(8, signed=True)

    @property
    def code(self) -> str:
        """The name of the type in numpy."""
        return f"<{'i' if self.signed else 'u'}{self.size}"


@dataclass(frozen=True)
class Block:
    """Where the cells of some variables are, from the first byte of the block on."""

    start: Mapping[tuple[Scope, str], int]
    cells: tuple[Cell, ...]
    offsets: tuple[int, ...]
    size: int


class Packing:
    """The bytes of the states of a program."""

    def __init__(self, program: Program, layout: ProgramLayout) -> None:
        self.program = program
        self.layout = layout
        self.threads = len(layout.numbers.templates)
        if not 0 < self.threads <= MOST_THREADS:
            raise Unsupported(f"{self.threads} threads in machine code")
        self.wide = any(
            isinstance(cell.type, PointerType)
            for part in (layout.globals, *layout.thread.values(), *layout.local.values())
            for cell in part.cells
        )
        """Whether every cell takes a word."""
        self.location = Width.of(0, len(program.locations))
        self.shared = self._block(0, [(Scope.GLOBAL, d.variable) for d in program.globals])
        self.own = {
            template.name: self._block(
                self.location.size,
                [
                    *((Scope.THREAD, d.variable) for d in template.variables),
                    *((Scope.LOCAL, v) for v in program.procedure[template.body].parameters),
                    *((Scope.LOCAL, d.variable) for d in program.procedure[template.body].locals),
                ],
            )
            for template in program.templates
        }
        self.base: list[int] = []
        """Where the block of each thread begins."""
        end = self.shared.size
        for name in layout.numbers.templates:
            self.base.append(end)
            end += self.own[name].size
        self.size = -(-end // WORD) * WORD or WORD
        if self.size > MOST_BYTES:
            raise Unsupported("states of so many bytes in machine code")

    def _block(self, first: int, variables: Sequence[tuple[Scope, Variable]]) -> Block:
        start: dict[tuple[Scope, str], int] = {}
        cells: list[Cell] = []
        offsets: list[int] = []
        for scope, variable in variables:
            start[scope, variable.name] = first
            for cell in self.layout.cells_of_type(variable.type):
                cells.append(cell)
                offsets.append(first)
                first += self.width(cell.type).size
        return Block(start, tuple(cells), tuple(offsets), first)

    def width(self, scalar: ScalarType) -> Width:
        """How values of a type are stored."""
        if self.wide:
            return Width(WORD, signed=True)
        match scalar:
            case BoolType():
                return Width(1, signed=False)
            case EnumType(_, members):
                return Width.of(0, len(members))
            case TidType():
                return Width.of(NONE, self.threads)
            case RangeType() | MachineType():
                return Width.of(scalar.low, scalar.high)
            case IntType() | PointerType():
                return Width(WORD, signed=True)

    def size_of(self, held: Type) -> int:
        """How many bytes a value of a type takes."""
        return sum(self.width(cell.type).size for cell in self.layout.cells_of_type(held))

    # -- whole states -----------------------------------------------------------------------------

    @cached_property
    def _fields(self) -> list[tuple[int, Width, ScalarType | None]]:
        """Offset, width and type of everything in a state; locations have no type."""
        shared = self.shared
        found: list[tuple[int, Width, ScalarType | None]] = [
            (offset, self.width(cell.type), cell.type)
            for cell, offset in zip(shared.cells, shared.offsets, strict=True)
        ]
        for base, name in zip(self.base, self.layout.numbers.templates, strict=True):
            own = self.own[name]
            found.append((base, self.location, None))
            found.extend(
                (base + offset, self.width(cell.type), cell.type)
                for cell, offset in zip(own.cells, own.offsets, strict=True)
            )
        return found

    @cached_property
    def row(self) -> np.dtype[np.void]:
        """A state, as numpy sees it: fields 0, 1, 2, …"""
        return np.dtype(
            {
                "names": [str(number) for number in range(len(self._fields))],
                "formats": [width.code for _, width, _ in self._fields],
                "offsets": [offset for offset, _, _ in self._fields],
                "itemsize": self.size,
            }
        )

    def pack(self, cells: Sequence[Value]) -> bytes:
        """The bytes of a state, given as its cells with the location before each thread's."""
        row = np.zeros(1, dtype=self.row)
        for number, (value, (_, width, _)) in enumerate(zip(cells, self._fields, strict=True)):
            code = encoded(value)
            stored = np.array(code).astype(width.code)
            if int(stored) != code:
                raise Unsupported("a value outside of its type in machine code")
            row[str(number)] = stored
        return row.tobytes()

    def unpack(self, row: np.void) -> list[Value]:
        """The cells of a state."""
        return [
            int(value) if held is None else decoded(int(value), held)
            for value, (_, _, held) in zip(row.item(), self._fields, strict=True)
        ]
