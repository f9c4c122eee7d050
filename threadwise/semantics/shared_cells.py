"""The cells of shared memory, by address, and the regions they lie in.

That an object is alive is a cell of its own: read where a pointer is followed or tested, written
where the object is freed.
"""

from __future__ import annotations

from threadwise.analyses.touches import ALIVE, HEAP, Touches
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.layout import ProgramLayout, cells_of
from threadwise.ir.program import Program
from threadwise.ir.types import Address, ArrayType, PerThread, Value
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import GlobalStore

WHETHER_ALIVE = -1
"""The offset of what says that an object is alive; no access has it."""


@dataclass(frozen=True)
class SharedCells:
    """The shared cells of a program with fixed thread counts."""

    program: Program
    layout: ProgramLayout
    touches: Touches
    declared: int
    """How many variables there are; the numbers of objects begin there."""
    addresses: tuple[Address, ...]
    """Of the cells of variables, by slot."""
    regions: dict[Address, int]
    """And the masks of their regions."""

    @staticmethod
    def of(program: Program, layout: ProgramLayout, touches: Touches) -> SharedCells:
        """The cells of a program."""
        regions: dict[Address, int] = {}
        for number, declaration in enumerate(program.globals):
            variable = declaration.variable
            count = sum(1 for _ in cells_of(variable, layout.numbers))
            masks = [touches.bits[variable.name]] * count
            held = variable.type
            if isinstance(held, ArrayType) and isinstance(held.extent, PerThread):
                threads = layout.numbers.ranges[held.extent.template]
                each = [touches.cells[variable.name, thread] for thread in threads]
                masks = [mask for mask in each for _ in range(count // len(each))]
            regions.update((Address(number, i), mask) for i, mask in enumerate(masks))
        declared = len(program.globals)
        return SharedCells(program, layout, touches, declared, tuple(regions), regions)

    def address(self, cell: CellRef) -> Address | None:
        """The address of a cell; None if it is a thread's own."""
        match cell.region:
            case Region.GLOBAL:
                return self.addresses[cell.slot]
            case Region.HEAP:
                return Address(self.declared + cell.number, cell.slot)
            case _:
                return None

    def region(self, address: Address) -> int:
        """The region of a cell; that of none if there is no such cell."""
        if address.number < self.declared:
            return self.regions.get(address, 0)
        return self.touches.bits[ALIVE if address.offset == WHETHER_ALIVE else HEAP]

    def shape(self, g: GlobalStore, number: int) -> tuple[str, int]:
        """Where an object was allocated, and of how many cells."""
        target = g.heap[number - self.declared]
        return target.site, len(target.cells)

    def content(self, g: GlobalStore, address: Address) -> Value:
        """What is in a cell."""
        if address.number < self.declared:
            name = self.program.globals[address.number].variable.name
            return g.cells[self.layout.globals.offset[name] + address.offset]
        target = g.heap[address.number - self.declared]
        return target.alive if address.offset == WHETHER_ALIVE else target.cells[address.offset]
