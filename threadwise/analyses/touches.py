"""Which shared memory an edge may access, known without running it.

Memory is divided into *regions*: one per global variable, one per thread and per-thread array (the
cell of that thread), one for everything on the heap, and one that says which heap objects are
alive. A pointer may lead to the heap and to every variable whose address the program takes.

`Touches.of(edge, thread)` over-approximates the accesses of the reference semantics; a property-
based test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from threadwise.analyses.addresses import addressed_variables
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate, Call, Free, Return
from threadwise.ir.expr import (
    Expr,
    IndexPlace,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    Read,
    Scope,
    SelfId,
    ThreadRead,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.layout import ThreadNumbers
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import ArrayType, PerThread

HEAP = "*heap*"
ALIVE = "*alive*"
"""Which objects are alive: read by every dereference, written by freeing."""


class Masks(NamedTuple):
    """Sets of regions, one bit each: what is read, and what is written."""

    read: int
    written: int

    def __or__(self, other: Masks) -> Masks:
        return Masks(self.read | other.read, self.written | other.written)

    def conflicts(self, other: Masks) -> bool:
        """Whether the order of two such accesses can matter."""
        return bool(self.written & (other.read | other.written) or self.read & other.written)


NOTHING = Masks(0, 0)


@dataclass(frozen=True)
class Touches:
    """The regions of one program with fixed thread counts."""

    bits: dict[str, int]
    """By variable: the mask of its region, or of the regions of all its cells."""
    cells: dict[tuple[str, int], int]
    """By per-thread array and thread: the mask of that cell."""
    pointed: int
    """Everything a pointer may lead to."""

    @staticmethod
    def regions(program: Program, numbers: ThreadNumbers) -> Touches:
        """Divide the memory of a program."""
        bits: dict[str, int] = {}
        cells: dict[tuple[str, int], int] = {}
        used = 0
        for declaration in program.globals:
            name, held = declaration.variable.name, declaration.variable.type
            bits[name] = 0
            if isinstance(held, ArrayType) and isinstance(held.extent, PerThread):
                for thread in numbers.ranges[held.extent.template]:
                    cells[name, thread] = 1 << used
                    bits[name] |= 1 << used
                    used += 1
            else:
                bits[name] = 1 << used
                used += 1
        bits[HEAP], bits[ALIVE] = 1 << used, 1 << (used + 1)
        pointed = bits[HEAP]
        for name in addressed_variables(program, Uses()):
            pointed |= bits[name]
        return Touches(bits, cells, pointed)

    def of(self, edge: Edge, thread: int) -> Masks:
        """What an edge may touch when a thread takes it or finds that it cannot."""
        action = edge.action
        if isinstance(action, Call | Return):
            return NOTHING
        read = written = 0
        for expr in action_expressions(action):
            read |= self.read_by(expr, thread)
        for place in action_places(action):
            written |= self.region(place, thread)
            if not isinstance(root(place), VariablePlace):
                read |= self.bits[ALIVE]
        if isinstance(action, Free):
            written |= self.bits[HEAP] | self.bits[ALIVE]
        if isinstance(action, Allocate):
            read |= self.bits[ALIVE]
        return Masks(read, written)

    def waiting(self, edge: Edge, thread: int, handle: object) -> int:
        """What a thread that waits to join another may read before it goes on.

        `handle` is the value of the operation's subject: cells that are indexed by it are known.
        """
        assert edge.operation is not None
        subject = edge.operation.subject
        found = 0
        for expr in action_expressions(edge.action):
            for part in subexpressions(expr):
                if isinstance(part, Read) and isinstance(part.place, IndexPlace):
                    base = part.place.base
                    if isinstance(base, VariablePlace) and part.place.index == subject:
                        known = self.cells.get((base.variable.name, handle))  # type: ignore[arg-type]
                        found |= 0 if known is None else known
                        continue
                if isinstance(part, Read):
                    found |= self.read_by(part, thread)
        return found

    def read_by(self, expr: Expr, thread: int) -> int:
        """What evaluating an expression may read."""
        found = 0
        for part in subexpressions(expr):
            match part:
                case Read(place) | IsWritten(place) | ThreadRead(_, place):
                    found |= self.region(place, thread)
                    if not isinstance(root(place), VariablePlace):
                        found |= self.bits[ALIVE]
                case IsValid() | IsAllocated():
                    found |= self.bits[ALIVE]
                case _:
                    pass
        return found

    def region(self, place: Place, thread: int) -> int:
        """Where a place may lie."""
        base = root(place)
        if not isinstance(base, VariablePlace):
            return self.pointed
        if base.variable.scope is not Scope.GLOBAL:
            return 0
        name = base.variable.name
        own = self.cells.get((name, thread))
        return own if own is not None and _is_own_cell(place) else self.bits[name]


class StepTouches(NamedTuple):
    """What a step may touch: with all its edges, and with those that do not synchronise."""

    all: Masks
    plain: Masks

    def races(self, other: StepTouches) -> bool:
        """Whether two such steps may race: not by edges that both synchronise."""
        return self.plain.conflicts(other.all) or self.all.conflicts(other.plain)

    def within(self, regions: int) -> StepTouches:
        """What is touched of some regions."""
        return StepTouches(
            *(Masks(masks.read & regions, masks.written & regions) for masks in self)
        )


def step_touches(
    program: Program, touches: Touches, thread: int, body: str
) -> dict[LocId, StepTouches]:
    """Per location of a thread's body what a step from there may touch, to the end of a region."""
    return {
        location.id: touched_from(program, touches, thread, location.id)
        for location in program.procedure[body].locations
    }


def touched_from(program: Program, touches: Touches, thread: int, at: LocId) -> StepTouches:
    """What a step of a thread from a location may touch, to the end of a region."""
    reached, pending = {at}, [at]
    whole = plain = NOTHING
    while pending:
        for edge in program.outgoing[pending.pop()]:
            masks = touches.of(edge, thread)
            whole |= masks
            plain |= NOTHING if edge.sync else masks
            if program.locations[edge.target].atomic and edge.target not in reached:
                reached.add(edge.target)
                pending.append(edge.target)
    return StepTouches(whole, plain)


def _is_own_cell(place: Place) -> bool:
    """Whether a place is the evaluating thread's cell of a per-thread array, or a part of it."""
    while not isinstance(place, VariablePlace):
        if isinstance(place, IndexPlace) and isinstance(place.base, VariablePlace):
            return isinstance(place.index, SelfId)
        place = place.base  # type: ignore[union-attr]  # the root is a variable
    return False


def union(masks: Iterable[Masks]) -> Masks:
    """Everything that some of the accesses touch."""
    read = written = 0
    for mask in masks:
        read |= mask.read
        written |= mask.written
    return Masks(read, written)
