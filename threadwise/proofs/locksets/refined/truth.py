"""Conditions and values in the more precise pass.

early    a flag has one of its early values unless it may have got its last one
free     a mutex is free, and a count 0, if no other thread runs, the first thread may not have
         acquired (raised) it, and no thread may have left it so at its end
others'  a thread does not own a mutex that it may not have acquired
limited  a cell with limits is within them
ranges   what is known of variables, and of cells under their locks
"""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    MIRRORED,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    Place,
    Read,
    Unary,
    UnaryOp,
    Wrap,
)
from threadwise.ir.fold import interval
from threadwise.ir.operations import NOBODY
from threadwise.ir.types import is_integer
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.containers.list_locks import lock_of
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.locks import Locks
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.order import at_most, written_out
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.state import EVERY, Below, State
from threadwise.proofs.locksets.threads.thread_arrays import element_of
from threadwise.proofs.locksets.truth import lock_test

Bounds = tuple[int | None, int | None]


@dataclass(frozen=True)
class Look:
    """One step in the more precise pass: what locksets know before it, and what its state says."""

    ground: Ground
    locks: Locks
    claim: Refinement
    knowledge: Knowledge
    state: State
    procedure: str

    # -- places ----------------------------------------------------------------------------------

    def named(self, place: Place) -> Place:
        """A place by the names of locksets."""
        return by_variable(named_place(place, self.knowledge.known), self.ground.threads.program)

    def is_only(self) -> bool:
        """Whether no other thread runs."""
        threads = self.ground.threads
        return threads.is_only(self.knowledge, threads.program.procedure[self.procedure])

    def is_guarded(self, place: Place) -> bool:
        """Whether no other thread can write a named cell while this one releases no lock."""
        lock = self.lock_of(place)
        if lock is None or not self.ground.is_stable_place(place, self.procedure):
            return False
        return self.holds(lock, shared=True)

    def lock_of(self, place: Place) -> Place | None:
        """The lock that goes with a named cell."""
        cells = self.ground.cells_of(place, self.procedure)
        if not cells or not self.ground.is_exact(place, self.procedure):
            return None
        keys = {self.claim.guarded.get(cell) for cell in cells}
        key = keys.pop()
        return None if keys or key is None else lock_of(key, place, self.ground.threads.program)

    def holds(self, lock: Place, *, shared: bool) -> bool:
        """Whether the thread holds a lock: alone, or (if that is enough) for reading."""
        program = self.ground.threads.program
        for held in self.knowledge.held:
            discipline = self.ground.discipline(held, self.procedure)
            if discipline is not Discipline.READERS:
                if by_variable(held, program) == lock:
                    return True
            elif shared:
                mutex = self.ground.companion(held)
                if mutex is not None and by_variable(mutex, program) == lock:
                    return True
        return False

    # -- conditions ------------------------------------------------------------------------------

    def truth(self, expr: Expr) -> bool | None:
        """Whether a condition holds; None: not known."""
        match expr:
            case Const(value, _):
                return bool(value)
            case Unary(UnaryOp.NOT, operand):
                inner = self.truth(operand)
                return None if inner is None else not inner
            case Binary(BinaryOp.AND, left, right):
                both = self.truth(left), self.truth(right)
                return False if False in both else None if None in both else True
            case Binary(BinaryOp.OR, left, right):
                both = self.truth(left), self.truth(right)
                return True if True in both else None if None in both else False
            case Binary(op, left, right) if op in MIRRORED:
                test = lock_test(expr)
                if test is not None:
                    return self._owned(*test)
                if is_integer(left.type) and is_integer(right.type):
                    return _compared(op, self.value(left), self.value(right))
                return None
            case _:
                return None

    def _owned(self, mutex: Place, who: Expr, equal: bool) -> bool | None:
        """Whether a test of a mutex's owner holds: the thread does not own it, or it is free.

        A state does not say which mutexes among its own variables a thread has acquired.
        """
        if is_own(mutex) or not self.locks.is_reliable(mutex, self.procedure):
            return None
        owners = self.ground.cells_of(FieldPlace(mutex, "owner"), self.procedure)
        if not self._is_left_alone(owners):
            return None
        if who == NOBODY:
            return equal if self.is_only() else None
        return not equal

    def _is_left_alone(self, cells: frozenset[Target]) -> bool:
        left = self.claim.left
        held = self.state.may_hold(cells)
        return bool(cells) and EVERY not in left and left.isdisjoint(cells) and not held

    # -- values ----------------------------------------------------------------------------------

    def value(self, expr: Expr) -> Bounds:
        """The least and the greatest value of an integer; None: no bound."""
        match expr:
            case Const(bool(), _):
                return None, None
            case Const(int(value), _):
                return value, value
            case Read(place):
                return self._read(place)
            case Wrap(low, high, operand):
                least, most = self.value(operand)
                inside = least is not None and most is not None and low <= least <= most <= high
                return (least, most) if inside else (low, high)
            case Binary(BinaryOp.ADD, left, right):
                (a, b), (c, d) = self.value(left), self.value(right)
                return _sum(a, c), _sum(b, d)
            case Binary(BinaryOp.SUB, left, right):
                (a, b), (c, d) = self.value(left), self.value(right)
                return _sum(a, None if d is None else -d), _sum(b, None if c is None else -c)
            case Conditional(condition, then, otherwise):
                chosen = self.truth(condition)
                if chosen is not None:
                    return self.value(then if chosen else otherwise)
                (a, b), (c, d) = self.value(then), self.value(otherwise)
                least = None if a is None or c is None else min(a, c)
                return least, None if b is None or d is None else max(b, d)
            case _:
                return interval(expr)

    def _read(self, place: Place) -> Bounds:
        there = self.named(place)
        found = interval(Read(there))
        if is_own(there):
            known = named(Read(there), self.knowledge.known)
            if isinstance(known, Const) and isinstance(known.value, int):
                return known.value, known.value
            return narrowed(found, self.state.ranges.get(there))
        if not is_integer(there.type):
            return found
        found = narrowed(found, self.state.ranges.get(there))
        cells = self.ground.cells_of(there, self.procedure)
        if not cells or not self.ground.is_exact(there, self.procedure):
            return found
        if all(cell in self.claim.limits for cell in cells):
            limits = [self.claim.limits[cell] for cell in cells]
            found = narrowed(found, (min(a for a, _ in limits), max(b for _, b in limits)))
        if all(cell in self.claim.flags for cell in cells) and not self.is_late(there, cells):
            values = [v for cell in cells for v in self.claim.flags[cell] if isinstance(v, int)]
            return narrowed(found, (min(values), max(values))) if values else found
        if cells <= self.claim.counts and self.is_only() and self._is_left_alone(cells):
            return 0, 0
        return found

    def is_late(self, place: Place, cells: frozenset[Target]) -> bool:
        """Whether a named flag may have got its last value."""
        late = self.state.late
        if EVERY in late:
            return True
        return any(cell in late and not self._is_above(place, late[cell]) for cell in cells)

    def _is_above(self, place: Place, below: Below | None) -> bool:
        element = element_of(place)
        if below is None or element is None or element[0] != below.first:
            return False
        core = None if below.variable is None else Read(below.variable)
        stop = written_out(core, below.offset)
        return at_most(stop, element[1], self.knowledge.known, self.knowledge.facts)

    # -- what a condition implies ----------------------------------------------------------------

    def learned(self, condition: Expr) -> Mapping[Place, tuple[int, int]]:
        """The ranges that are known in addition if a condition holds."""
        match condition:
            case Binary(BinaryOp.AND, left, right):
                return {**self.learned(left), **self.learned(right)}
            case Binary(op, left, right) if op in MIRRORED and is_integer(left.type):
                found: dict[Place, tuple[int, int]] = {}
                for one, by, other in ((left, op, right), (right, MIRRORED[op], left)):
                    if isinstance(one, Read) and is_integer(other.type):
                        found.update(self._told(one.place, by, self.value(other)))
                return found
            case _:
                return {}

    def _told(self, place: Place, op: BinaryOp, bound: Bounds) -> Mapping[Place, tuple[int, int]]:
        there = self.named(place)
        if not is_own(there) and not self.is_guarded(there):
            return {}
        range_ = _cut(self.value(Read(there)), op, bound)
        if range_ is None:
            return {}
        copied = self.state.copies.get(there)
        return {there: range_} if copied is None else {there: range_, copied: range_}


def narrowed(found: Bounds, other: tuple[int, int] | None) -> Bounds:
    """The bounds that both say."""
    if other is None:
        return found
    low, high = found
    return (
        other[0] if low is None else max(low, other[0]),
        other[1] if high is None else min(high, other[1]),
    )


def _cut(found: Bounds, op: BinaryOp, bound: Bounds) -> tuple[int, int] | None:
    """What is left of a range by a comparison; None: nothing that is bounded on both sides."""
    low, high = found
    least, most = bound
    if low is None or high is None:
        return None
    match op:
        case BinaryOp.EQ:
            low = low if least is None else max(low, least)
            high = high if most is None else min(high, most)
        case BinaryOp.NE if least is not None and least == most:
            low = low + 1 if low == least else low
            high = high - 1 if high == least else high
        case BinaryOp.LT if most is not None:
            high = min(high, most - 1)
        case BinaryOp.LE if most is not None:
            high = min(high, most)
        case BinaryOp.GT if least is not None:
            low = max(low, least + 1)
        case BinaryOp.GE if least is not None:
            low = max(low, least)
        case _:
            return None
    return low, high


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _compared(op: BinaryOp, left: Bounds, right: Bounds) -> bool | None:
    """A comparison of two integers by their bounds."""
    (a, b), (c, d) = left, right
    below = b is not None and c is not None and b < c
    above = a is not None and d is not None and a > d
    at_most_ = b is not None and c is not None and b <= c
    at_least = a is not None and d is not None and a >= d
    same = a is not None and a == b == c == d
    match op:
        case BinaryOp.EQ:
            return True if same else False if below or above else None
        case BinaryOp.NE:
            return False if same else True if below or above else None
        case BinaryOp.LT:
            return True if below else False if at_least else None
        case BinaryOp.LE:
            return True if at_most_ else False if above else None
        case BinaryOp.GT:
            return True if above else False if at_most_ else None
        case BinaryOp.GE:
            return True if at_least else False if below else None
        case _:
            return None
