"""Which conditions may hold, by what a thread owns and knows, and what follows if they do.

when p == null, …   splits cases; contradictory ones are dropped
"""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Const,
    Expr,
    IsValid,
    Read,
    Unary,
    UnaryOp,
)
from threadwise.ir.fold import (
    conjuncts,
)
from threadwise.ir.types import NULL, PointerType
from threadwise.proofs.locksets.knowledge import (
    is_own,
)
from threadwise.proofs.locksets.resources.heap import (
    Heap,
    Known,
    Nowhere,
    Pointer,
    SlotAddress,
    Value,
)
from threadwise.proofs.locksets.resources.values import Moment, Values, compared


@dataclass(frozen=True)
class Conditions:
    """The conditions of a program."""

    values: Values

    def passed(self, at: Moment, heap: Heap) -> Heap | None:
        """What a thread has that takes an edge; None if it cannot; raises Split."""
        heap = heap.copy()
        try:
            self._learn(at, heap)
            passes = (self._passes(part, heap, at) for part in conjuncts(at.edge.action.guard))
            return heap if all(passes) else None
        except Nowhere:
            return None

    def _learn(self, at: Moment, heap: Heap) -> None:
        """Which variables are null, by locksets."""
        if not any(isinstance(value, Pointer) for value in heap.store.values()):
            return
        for fact in at.before.facts:
            match fact:
                case Binary(BinaryOp.EQ | BinaryOp.NE as op, Read(place), Const(None, _)) if (
                    is_own(place) and isinstance(heap.store.get(place), Pointer)
                ):
                    self._compare(heap.store[place], Known.NULL, heap, equal=op is BinaryOp.EQ)
                case _:
                    pass
        for place, value in at.before.known.items():
            found = heap.store.get(place)
            if not isinstance(found, Pointer) or not isinstance(place.type, PointerType):
                continue
            if value == Const(NULL, value.type):
                self._compare(found, Known.NULL, heap, equal=True)

    def _passes(self, part: Expr, heap: Heap, at: Moment) -> bool:
        """Whether a condition may hold, which is known then; raises Split."""
        match part:
            case Binary(BinaryOp.EQ | BinaryOp.NE as op, left, right) if isinstance(
                left.type, PointerType
            ):
                value = self.values.value
                first, second = value(left, heap, at), value(right, heap, at)
                return self._compare(first, second, heap, equal=op is BinaryOp.EQ)
            case IsValid(pointer, _):
                return self.values.value(pointer, heap, at) is not Known.NULL
            case Unary(UnaryOp.NOT, Binary(BinaryOp.EQ, left, right)) if isinstance(
                left.type, PointerType
            ):
                return self._passes(Binary(BinaryOp.NE, left, right), heap, at)
            case Binary(op, left, right) if op in COMPARISONS:
                one, two = self.values.number(left, heap, at), self.values.number(right, heap, at)
                return compared(op, one, two) is not False
            case _:
                return True

    def _compare(self, first: Value, second: Value, heap: Heap, *, equal: bool) -> bool:
        if isinstance(second, Pointer) and not isinstance(first, Pointer):
            first, second = second, first
        match first, second:
            case (Known.NULL, Known.NULL):
                return equal
            case (Known.NULL, SlotAddress()) | (SlotAddress(), Known.NULL):
                return not equal
            case (SlotAddress(), SlotAddress()) if first == second:
                return equal
            case (Pointer(name, cell), Known.NULL):
                if name in heap.nodes or name in heap.some:
                    return not equal
                if equal and cell == 0:
                    try:
                        heap.become(name, Known.NULL)
                    except Nowhere:
                        return False
                if not equal and cell == 0:
                    heap.some.add(name)
                return True
            case (Pointer(name, int(cell)), Pointer(other, int(place))):
                if name == other:
                    return equal if cell == place else not equal
                if name in heap.nodes and other in heap.nodes:
                    return not equal
                if equal and cell == place == 0:
                    try:
                        heap.become(name, Pointer(other, 0))
                    except Nowhere:
                        return False
                return True
            case _:
                return True
