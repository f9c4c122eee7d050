"""What expressions and places of a program with pointers become, in a case.

A case says where the pointers that are followed lead: to an offset of an object. Then the part of
the object is known, and nothing has to be computed. A pointer that leads nowhere of its type
(None) is not valid there; what it points to has no value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
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
    Read,
    SameObject,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, root
from threadwise.ir.layout import NO_THREADS, field_offset, has_static_size, size_of
from threadwise.ir.types import (
    INT,
    UNSET,
    ArrayType,
    MutexType,
    PointerType,
    RecordType,
    Type,
    fields_of,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.normal import Normal
from threadwise.proofs.simplified.resolved.tables import Tables, Target, cells, flags

Followed = tuple[Expr, Type]
Case = Mapping[Followed, tuple[Target, int] | None]
PERHAPS = "a pointer is perhaps followed where it leads nowhere"


class Nowhere(Exception):  # noqa: N818 - says that something has no value, no fault
    """A pointer is followed that leads nowhere."""


def fitting(target: Target, held: Type | None) -> list[int]:
    """The offsets of an object at which a pointer is valid for a type, while it is alive."""
    own = cells(target.variable.type)
    if held is None:
        return list(range(len(own)))
    if not has_static_size(held):
        raise Refuted("a type whose size depends on threads, behind a pointer")
    wanted = cells(held)
    last = len(own) - max(len(wanted), 1)
    return [start for start in range(last + 1) if own[start : start + len(wanted)] == wanted]


def among(offset: Expr, wanted: list[int]) -> Expr:
    """That an offset is one of some."""
    first, last = wanted[0], wanted[-1]
    if len(wanted) == 1:
        return Binary(BinaryOp.EQ, offset, Const(first, INT))
    step = wanted[1] - first
    if wanted != list(range(first, last + 1, step)):
        return _either([Binary(BinaryOp.EQ, offset, Const(one, INT)) for one in wanted])
    between: Expr = Binary(
        BinaryOp.AND,
        Binary(BinaryOp.GE, offset, Const(first, INT)),
        Binary(BinaryOp.LE, offset, Const(last, INT)),
    )
    if step == 1:
        return between
    gap = Binary(BinaryOp.SUB, offset, Const(first, INT))
    rest = Binary(BinaryOp.MOD, gap, Const(step, INT))
    return Binary(BinaryOp.AND, between, Binary(BinaryOp.EQ, rest, Const(0, INT)))


def _either(tests: list[Expr]) -> Expr:
    if not tests:
        return FALSE
    found = tests[0]
    for test in tests[1:]:
        found = Binary(BinaryOp.OR, found, test)
    return found


class NoPart(Exception):  # noqa: N818 - says that a part has no name, no fault
    """A pointer is valid for a type, but leads to no part of that type."""


def part_at(target: Target, offset: int, held: Type) -> Place:
    """The part of an object at an offset, in terms of the program before; raises NoPart."""
    place: Place = VariablePlace(target.variable)
    while offset or place.type != held:
        match place.type:
            case ArrayType(element, int(extent)):
                size = size_of(element, NO_THREADS)
                if not size or offset >= size * extent:
                    raise NoPart
                place, offset = IndexPlace(place, Const(offset // size, INT)), offset % size
            case RecordType() | MutexType() as whole:
                for name, part in fields_of(whole):
                    size = size_of(part, NO_THREADS)
                    if offset < size:
                        place = FieldPlace(place, name)
                        break
                    offset -= size
                else:
                    raise NoPart
            case _:
                raise NoPart
    return place


@dataclass
class Words:
    """Expressions and places of the program after, in a case."""

    tables: Tables
    flagged: frozenset[str]
    """The variables whose cells have flags."""
    integers: bool
    """Whether a pointer may hold an integer other than 0."""
    case: Case
    procedure: str

    # -- places ----------------------------------------------------------------------------------

    def direct(self, place: Place) -> Place:
        """The place without pointers, still in terms of the program before."""
        match place:
            case VariablePlace():
                return place
            case FieldPlace(base, field):
                return FieldPlace(self.direct(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self.direct(base), index)
            case DerefPlace(pointer, held):
                if (pointer, held) not in self.case:
                    raise Refuted("a pointer that is not looked at")
                leads = self.case[pointer, held]
                if leads is None:
                    raise Nowhere
                return part_at(*leads, held)

    def place(self, place: Place) -> Place:
        """A place of the program after, that is no pointer."""
        return self._moved(self.direct(place))

    def _moved(self, place: Place) -> Place:
        match place:
            case VariablePlace(variable):
                if isinstance(variable.type, PointerType):
                    raise Refuted("a pointer is no number")
                (found,) = self.tables.variables(variable, self.procedure)
                return VariablePlace(found)
            case FieldPlace(base, field):
                return FieldPlace(self._moved(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self._moved(base), self.expr(index))
            case DerefPlace():
                raise Refuted("a pointer that is followed")

    def halves(self, place: Place) -> tuple[Place, Place | None]:
        """The two numbers of a place that is a pointer; None for an offset that is always 0."""
        known = self.direct(place)
        if isinstance(known, VariablePlace):
            one, *others = map(
                VariablePlace, self.tables.variables(known.variable, self.procedure)
            )
            return one, others[0] if others else None
        base, inside = root(known), self._moved(known)
        assert isinstance(base, VariablePlace)
        if self.tables.is_whole(base.variable, self.procedure):
            return inside, None
        return FieldPlace(inside, "object"), FieldPlace(inside, "offset")

    def flag(self, place: Place) -> Place | None:
        """The flag of a cell; None if it holds something always."""
        return self._flag(self.direct(place))

    def _flag(self, place: Place) -> Place | None:
        match place:
            case VariablePlace(variable):
                if variable.scope is not Scope.GLOBAL or variable.name not in self.flagged:
                    return None
                return VariablePlace(flag_variable(variable))
            case FieldPlace(base, field):
                inner = self._flag(base)
                return None if inner is None else FieldPlace(inner, field)
            case IndexPlace(base, index):
                inner = self._flag(base)
                return None if inner is None else IndexPlace(inner, self.expr(index))
            case DerefPlace():
                raise Refuted("a pointer that is followed")

    # -- pointers --------------------------------------------------------------------------------

    def pair(self, expr: Expr) -> tuple[Expr, Expr]:
        """A pointer: its object and its offset."""
        match expr:
            case Const(value, _):
                return self.tables.pair(value)
            case Read(place):
                one, other = self.halves(place)
                return Read(one), Const(0, INT) if other is None else Read(other)
            case AddressOf(place):
                return self._address(place)
            case Conditional(condition, then, otherwise):
                test = self.expr(condition)
                first, second = self._perhaps_pair(then), self._perhaps_pair(otherwise)
                return _chosen(test, first[0], second[0]), _chosen(test, first[1], second[1])
            case PointerAdd(pointer, count, element):
                item, offset = self.pair(pointer)
                return item, _sum(offset, _times(self.expr(count), element))
            case IntToPointer(operand):
                return Const(0, self.tables.kind), self.expr(operand)
            case _:
                raise Refuted("a pointer that is computed in another way")

    def _address(self, place: Place) -> tuple[Expr, Expr]:
        match place:
            case VariablePlace(variable):
                for target in self.tables.by_number.values():
                    if target.variable == variable:
                        return Const(target.position, self.tables.kind), Const(0, INT)
                raise Refuted("an address of something that is no object")
            case DerefPlace(pointer, _):
                return self.pair(pointer)
            case FieldPlace(base, field):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                if not has_static_size(held):
                    raise Refuted("a type whose size depends on threads, behind a pointer")
                item, offset = self._address(base)
                return item, _sum(offset, Const(field_offset(held, field, NO_THREADS), INT))
            case IndexPlace(base, index):
                item, offset = self._address(base)
                return item, _sum(offset, _times(self.expr(index), place.type))

    def leads(self, item: Expr, target: Target) -> Expr:
        """That a pointer leads to an object."""
        return Binary(BinaryOp.EQ, item, Const(target.position, self.tables.kind))

    def alive(self, target: Target) -> Expr:
        """That an object is alive, given a pointer to it.

        There is one only after it was allocated; variables, and objects that nothing ends, live
        on.
        """
        if target.number is not None or not self.tables.ends:
            return TRUE
        return Binary(BinaryOp.EQ, Read(VariablePlace(target.state)), Const(1, INT))

    def valid(self, pointer: Expr, held: Type | None) -> Expr:
        """That a pointer may be followed."""
        item, offset = self.pair(pointer)
        return _either(
            [
                _both(_both(self.leads(item, t), self.alive(t)), among(offset, found))
                for t in self.tables.targets
                for found in [fitting(t, held)]
                if found
            ]
        )

    # -- expressions -----------------------------------------------------------------------------

    def expr(self, expr: Expr) -> Expr:
        """An expression that is no pointer."""
        match expr:
            case Read(place):
                return Read(self.place(place))
            case IsWritten(place):
                flag = self.flag(place)
                return TRUE if flag is None else Read(flag)
            case IsValid(pointer, held):
                if held is not None and (pointer, held) in self.case:
                    leads = self.case[pointer, held]
                    return FALSE if leads is None else self.alive(leads[0])
                return self.valid(pointer, held)
            case IsAllocated(pointer):
                item, offset = self.pair(pointer)
                return _either(
                    [
                        _both(_both(self.leads(item, t), self.alive(t)), among(offset, [0]))
                        for t in self.tables.targets
                        if t.number is None
                    ]
                )
            case HoldsInteger(pointer):
                return Binary(BinaryOp.EQ, self.pair(pointer)[0], Const(0, self.tables.kind))
            case PointerToInt(pointer):
                return self.pair(pointer)[1]
            case SameObject(left, right):
                return Binary(BinaryOp.EQ, self.pair(left)[0], self.pair(right)[0])
            case PointerDifference(left, right, element):
                gap = Binary(BinaryOp.SUB, self.pair(left)[1], self.pair(right)[1])
                size = _size(element)
                return gap if size == 1 else Binary(BinaryOp.DIV, gap, Const(size, INT))
            case Binary(op, left, right) if isinstance(left.type, PointerType):
                return self._compared(op, left, right)
            case Binary(BinaryOp.AND | BinaryOp.OR | BinaryOp.IMPLIES as op, left, right):
                return self._lazy(op, left, right)
            case Conditional(condition, then, otherwise):
                test, (one, other) = self.expr(condition), (then, otherwise)
                return Conditional(test, self._perhaps(one), self._perhaps(other))
            case Const(value, _) if value == UNSET:
                raise Refuted("what was never written, as a value")
            case _:
                if isinstance(expr.type, PointerType):
                    raise Refuted("a pointer is no number")
                return rebuild(expr, self.expr)

    def _lazy(self, op: BinaryOp, left: Expr, right: Expr) -> Expr:
        """A connective: what is not evaluated may have no value."""
        first = self.expr(left)
        decides = TRUE if op is BinaryOp.OR else FALSE
        if Normal().of(first) == decides:
            return FALSE if op is BinaryOp.AND else TRUE
        return Binary(op, first, self._perhaps(right))

    def _perhaps(self, expr: Expr) -> Expr:
        """An expression that may or may not be evaluated."""
        try:
            return self.expr(expr)
        except Nowhere:
            raise Refuted(PERHAPS) from None

    def _perhaps_pair(self, expr: Expr) -> tuple[Expr, Expr]:
        """The same for a pointer: where it leads nowhere, the edge may be taken all the same."""
        try:
            return self.pair(expr)
        except Nowhere:
            raise Refuted(PERHAPS) from None

    def _compared(self, op: BinaryOp, left: Expr, right: Expr) -> Expr:
        """Pointers are equal if both numbers are.

        If no pointer holds an integer, what leads to no object is null.
        """
        (a, b), (c, d) = self.pair(left), self.pair(right)
        same: Expr = Binary(BinaryOp.EQ, a, c)
        nothing = Const(0, self.tables.kind)
        if self.integers or nothing not in (a, c):
            same = Binary(BinaryOp.AND, same, Binary(BinaryOp.EQ, b, d))
        match op:
            case BinaryOp.EQ:
                return same
            case BinaryOp.NE:
                return Unary(UnaryOp.NOT, same)
            case _:
                raise Refuted("pointers are ordered")


def flag_variable(variable: Variable) -> Variable:
    """The flags of a variable."""
    return Variable(f"{variable.name}$written", flags(variable.type), Scope.GLOBAL, sync=True)


def _chosen(test: Expr, then: Expr, otherwise: Expr) -> Expr:
    return then if then == otherwise else Conditional(test, then, otherwise)


def _both(one: Expr, other: Expr) -> Expr:
    return other if one == TRUE else one if other == TRUE else Binary(BinaryOp.AND, one, other)


def _size(element: Type) -> int:
    if not has_static_size(element):
        raise Refuted("a type whose size depends on threads, behind a pointer")
    return size_of(element, NO_THREADS)


def _times(count: Expr, element: Type) -> Expr:
    size = _size(element)
    return count if size == 1 else Binary(BinaryOp.MUL, count, Const(size, INT))


def _sum(one: Expr, other: Expr) -> Expr:
    first, second = (Normal().of(each) == Const(0, INT) for each in (one, other))
    return other if first else one if second else Binary(BinaryOp.ADD, one, other)


def leaves(words: Words, target: Target) -> Iterator[Place]:
    """The cells of an object in the program after."""
    own = words.tables.variables(target.variable, words.procedure)
    pending: list[Place] = [*map(VariablePlace, own)]
    while pending:
        place = pending.pop()
        match place.type:
            case ArrayType(_, int(extent)):
                pending += [IndexPlace(place, Const(n, INT)) for n in range(extent)]
            case RecordType() | MutexType() as whole:
                pending += [FieldPlace(place, field) for field, _ in fields_of(whole)]
            case _:
                yield place
