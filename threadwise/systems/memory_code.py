"""Memory for compiled code: what pointers mean over flat stores.

    g    the shared cells and, if the program allocates, one last entry: the heap

The heap is a tuple of objects (site, alive, cells). `Memory` offers the operations that compiled
edges call; each has the meaning of its counterpart in `threadwise.semantics`, and expects operands
for which that is defined. Cells have names that are integers, so that sets of accesses stay cheap:
a shared cell is its slot, a cell of the heap a negative number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Allocate
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    Type,
    Value,
    default_value,
)
from threadwise.semantics.state import HeapObject
from threadwise.semantics.step import ALLOCATION_LIMIT

Object = tuple[str, bool, tuple[Value, ...]]
Heap = tuple[Object, ...]
Store = tuple[Any, ...]
"""Values and, last, the heap."""

_SLOT_BITS = 24
_SLOTS = 1 << _SLOT_BITS


class TooLarge(Unsupported):
    """An object with more cells than are kept one by one."""


class NoAddress(Unsupported):
    """A pointer is moved that points to nothing, which has no meaning."""


class Memory:
    """The memory of one program."""

    def __init__(self, program: Program, layout: ProgramLayout) -> None:
        self.declared = len(program.globals)
        self.names = [declaration.variable.name for declaration in program.globals]
        self.base = [layout.globals.offset[name] for name in self.names]
        self.cells = layout.globals.cells
        self.heap = len(self.cells)
        """The position of the heap in a store."""
        self.layout = layout
        self.types = [declaration.variable.type for declaration in program.globals]
        self._held: list[Type | None] = []
        self._fitting: dict[tuple[str | int, int, int], tuple[int, bool]] = {}

    # -- reading and writing ---------------------------------------------------------------------

    def load(self, g: Store, address: Address, offset: int) -> Value:
        """The value behind a pointer."""
        number, position = address
        if number < self.declared:
            value: Value = g[self.base[number] + position + offset]
            return value
        target: Object = g[self.heap][number - self.declared]
        return target[2][position + offset]

    def store(self, g: Store, address: Address, offset: int, value: Value) -> Store:
        """The store after a write through a pointer."""
        number, position = address
        position += offset
        if number < self.declared:
            slot = self.base[number] + position
            return (*g[:slot], value, *g[slot + 1 :])
        heap: Heap = g[self.heap]
        number -= self.declared
        site, alive, cells = heap[number]
        changed = (site, alive, (*cells[:position], value, *cells[position + 1 :]))
        return (*g[: self.heap], (*heap[:number], changed, *heap[number + 1 :]))

    def cell(self, address: Address, offset: int) -> int:
        """The name of the cell behind a pointer."""
        number, position = address
        if number < self.declared:
            return self.base[number] + position + offset
        return -1 - ((number - self.declared) * _SLOTS + position + offset)

    def is_sync(self, g: Store, cell: int) -> bool:
        """Whether accesses to a cell never race."""
        if cell >= 0:
            return self.cells[cell].sync
        number, slot = divmod(-1 - cell, _SLOTS)
        heap: Heap = g[self.heap]
        return self.layout.cell(heap[number][0], slot).sync

    # -- objects ---------------------------------------------------------------------------------

    def allocate(self, g: Store, action: Allocate, count: int | None) -> tuple[Store, Address]:
        """A fresh object."""
        size = self.layout.size(action.site, count)
        if not 0 <= size <= ALLOCATION_LIMIT:
            raise TooLarge(f"an object of {size} cells")
        cells = self.layout.sites[action.site], self.layout.tails.get(action.site, ())
        own, tail = (
            tuple(default_value(cell.type) if action.cleared else UNSET for cell in part)
            for part in cells
        )
        heap: Heap = g[self.heap]
        whole = own + tail * ((size - len(own)) // len(tail)) if tail else own * (size // len(own))
        fresh: Object = (action.site, True, whole)
        after = (*g[: self.heap], (*heap, fresh))
        return after, Address(self.declared + len(heap), 0)

    def free(self, g: Store, address: Address) -> tuple[Store, list[int]]:
        """End an object's life; the cells that are gone."""
        number = address[0] - self.declared
        heap: Heap = g[self.heap]
        site, _, cells = heap[number]
        gone: Object = (site, False, cells)
        after = (*g[: self.heap], (*heap[:number], gone, *heap[number + 1 :]))
        names = [-1 - (number * _SLOTS + slot) for slot in range(len(cells))]
        return after, names

    # -- pointers --------------------------------------------------------------------------------

    def number_of(self, held: Type | None) -> int:
        """A number by which compiled code refers to a type in `valid`."""
        if held not in self._held:
            self._held.append(held)
        return self._held.index(held)

    def valid(self, g: Store, address: Value, held: int) -> bool:
        """Whether a pointer may be dereferenced as a type."""
        if not isinstance(address, Address) or address.number < 0:
            return False
        number, offset = address
        if number < self.declared:
            whole = self.types[number]
            return self._fits(whole, number, len(self.layout.cells_of_type(whole)), offset, held)
        heap: Heap = g[self.heap]
        site, alive, values = heap[number - self.declared]
        return alive and self._fits(site, site, len(values), offset, held)

    def in_tail(
        self, g: Store, address: Value, array: int, position: int, size: int, held: int
    ) -> int:
        """Where an element of an array without length is, in the part that a pointer leads to."""
        offset = array + position * size
        if position < 0 or not isinstance(address, Address):
            raise IndexError(position)
        if not self.valid(g, Address(address.number, address.offset + offset), held):
            raise IndexError(position)
        return offset

    def allocated(self, g: Store, address: Value) -> bool:
        """Whether a pointer may be freed."""
        if not isinstance(address, Address) or address.number < self.declared:
            return False
        heap: Heap = g[self.heap]
        return address.offset == 0 and heap[address.number - self.declared][1]

    def _fits(
        self, owner: str | Type, name: str | int, length: int, offset: int, held: int
    ) -> bool:
        """Whether a type fits into an object of so many cells behind an offset."""
        if not 0 <= offset < length:
            return False
        wanted = self._held[held]
        if wanted is None:
            return True
        key = name, offset, held
        known = self._fitting.get(key)
        if known is None:
            size = len(self.layout.cells_of_type(wanted))
            known = self._fitting[key] = size, self.layout.fits(owner, offset, wanted)
        return known[1] and offset + known[0] <= length

    @staticmethod
    def shift(address: Address | None, cells: int) -> Address:
        """A pointer moved by some cells."""
        if address is None:
            raise NoAddress("arithmetic on a null pointer")
        return Address(address[0], address[1] + cells)

    @staticmethod
    def from_int(value: int) -> Value:
        """A pointer that holds an integer."""
        return Address(INTEGER_OBJECT, value) if value else NULL

    @staticmethod
    def to_int(address: Address | None) -> int:
        """The integer that a pointer holds."""
        return 0 if address is None else address[1]

    @staticmethod
    def target(address: Address | None) -> int:
        """The object a pointer points into, or `INTEGER_OBJECT`."""
        return INTEGER_OBJECT if address is None else address[0]

    # -- whole states ----------------------------------------------------------------------------

    def objects(self, values: Iterable[Value]) -> Iterable[int]:
        """The heap objects that some values point to."""
        for value in values:
            if type(value) is Address and value[0] >= self.declared:
                yield value[0] - self.declared

    def order(self, heap: Heap, roots: Iterable[Value]) -> dict[int, int]:
        """New numbers for the heap objects that are reachable, in the order they are met."""
        order: dict[int, int] = {}
        pending = list(self.objects(roots))
        position = 0
        while position < len(pending):
            number = pending[position]
            position += 1
            if number not in order:
                order[number] = len(order)
                pending.extend(self.objects(heap[number][2]))
        return order

    def renamed(self, values: tuple[Value, ...], order: dict[int, int]) -> tuple[Value, ...]:
        """The values with heap objects renumbered."""
        declared = self.declared
        if not any(type(value) is Address and value[0] >= declared for value in values):
            return values
        return tuple(
            Address(declared + order[value[0] - declared], value[1])
            if type(value) is Address and value[0] >= declared
            else value
            for value in values
        )

    def reference_heap(self, g: Store) -> tuple[HeapObject, ...]:
        """The heap as the reference semantics has it."""
        heap: Heap = g[self.heap]
        return tuple(HeapObject(site, cells, alive) for site, alive, cells in heap)
