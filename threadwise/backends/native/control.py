"""What compiled functions and Python share: one row of numbers.

A compiled function gets a pointer to it. Arrays are given by their addresses; they grow between
calls only, so that an address is good for a whole call.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag, auto

from llvmlite import ir

from threadwise.backends.native.jit import LONG, POINTER


class Slot(IntEnum):
    """The positions in the row."""

    STATUS = 0
    COUNT = auto()
    """How many states there are."""
    CAPACITY = auto()
    """For how many there is room."""
    MASK = auto()
    """The size of the hash table, less one."""
    CURRENT = auto()
    """The state whose successors are computed."""
    FOUND = auto()
    """How many steps its threads have made so far."""
    NARROWED = auto()
    """Whether an input was given samples only."""
    STATES = auto()
    TABLE = auto()
    PARENTS = auto()
    MOVERS = auto()
    MARKS = auto()
    SCRATCH = auto()
    """Room for the states inside of atomic regions."""


class Status(IntEnum):
    """How a call ended."""

    FINE = 0
    REFUSED = 1
    FULL = 2
    """There is no room for another state."""


class Mark(IntFlag):
    """What is known of a state."""

    STOPPED = 1
    """A thread has failed: there are no steps."""
    VIOLATED = 2
    """A formula is false, or has no value."""
    STUCK = 4
    """No thread has a step."""
    WAITING = 8
    """A thread that has neither ended nor failed has no step."""


class ControlCode:
    """Reads and writes the row."""

    def __init__(self, builder: ir.IRBuilder, row: ir.Value) -> None:
        self.builder = builder
        self.row = row

    def _at(self, slot: Slot) -> ir.Value:
        return self.builder.gep(self.row, [LONG(int(slot))], source_etype=LONG)

    def get(self, slot: Slot) -> ir.Value:
        """A number."""
        return self.builder.load(self._at(slot), typ=LONG)

    def array(self, slot: Slot) -> ir.Value:
        """The beginning of an array."""
        return self.builder.inttoptr(self.get(slot), POINTER)

    def put(self, slot: Slot, value: ir.Value) -> None:
        """Change a number."""
        self.builder.store(value, self._at(slot))

    def add(self, slot: Slot, more: int = 1) -> None:
        """Count."""
        self.put(slot, self.builder.add(self.get(slot), LONG(more)))
