"""Conversions between scalar types, and constants of them.

Floating-point values are bit patterns; what is not a constant becomes any value when it is
converted. A pointer may hold an integer; the address of an object as an integer is a limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.values import arithmetic
from threadwise.frontends.c.lower.values.arithmetic import (
    NO_THREAD,
    NULL_POINTER,
    ZERO,
    as_number,
    as_truth,
    constant,
)
from threadwise.frontends.c.lower.values.types import Unrepresentable
from threadwise.frontends.c.types import (
    CBool,
    CFloat,
    CFunction,
    CInteger,
    CPointer,
    CThreadId,
    CType,
    CVoid,
    unqualified,
)
from threadwise.ir.expr import BinaryOp, Const, Expr, IntToPointer, PointerToInt
from threadwise.ir.fold import number

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


class Conversions:
    """The conversions of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def converted(self, value: Expr, source: CType, target: CType) -> Expr:
        """A scalar value converted from one type to another."""
        match source, target:
            case (CInteger() | CBool(), CInteger() | CBool()):
                return arithmetic.convert_number(value, target)
            case (CPointer(one), CPointer(other)):
                self.note_view(unqualified(one), unqualified(other))
                return value
            case (CPointer() | CFunction(), CPointer() | CFunction()):
                return value
            case (CThreadId(), CThreadId()):
                return value
            case (CInteger() | CBool(), CPointer()):
                width = self.body.unit.types.pointer_width
                signed = arithmetic.convert_number(value, CInteger(width, signed=True))
                return pointer_of(signed)
            case (CPointer(), CBool()):
                return as_number(as_truth(value))
            case (CPointer(), CInteger()):
                return arithmetic.convert_number(integer_of(value), target)
            case (CInteger() | CBool(), CThreadId()) if constant(value) == 0:
                return NO_THREAD
            case (CThreadId(), CBool()):
                return as_number(as_truth(value))
            case (CFloat(), _) | (_, CFloat()):
                return self._with_floats(value, source, target)
            case (CThreadId(), CInteger()) if value == NO_THREAD:
                return ZERO
            case (CThreadId(), CInteger()) | (CInteger() | CBool(), CThreadId()):
                return self.body.expressions.opaque_value(target)
            case (CThreadId(), _) | (_, CThreadId()):
                raise Unrepresentable("a conversion between a thread and a pointer", ())
            case _:
                raise Unrepresentable("a conversion between these types", ())

    def note_view(self, before: CType, after: CType) -> None:
        """Objects of one type may be seen as such of another."""
        found = self.body.unit.found
        if isinstance(before, CVoid) and not isinstance(after, CVoid):
            found.revealed[after] = None
        elif isinstance(after, CVoid):
            found.hidden[before] = None
        elif before != after:
            found.views[after] = None

    def _with_floats(self, value: Expr, source: CType, target: CType) -> Expr:
        known = constant(value)
        if source == target:
            return value
        if isinstance(target, CBool) and isinstance(source, CFloat):
            equal = arithmetic.compare_floats(BinaryOp.NE, value, ZERO, source)
            return (
                self.body.expressions.opaque_value(target) if equal is None else as_number(equal)
            )
        if known is not None:
            real = (
                arithmetic.float_value(known, source)
                if isinstance(source, CFloat)
                else float(known)
                if abs(known) < 1 << 53
                else None
            )
            if real is not None and isinstance(target, CFloat):
                return self.real(real, target)
            if real is not None and isinstance(target, CInteger) and abs(real) < 1 << 62:
                return arithmetic.convert_number(number(int(real)), target)
        return self.body.expressions.opaque_value(target)

    def real(self, value: float, held: CType) -> Expr:
        """A floating constant."""
        kind = unqualified(held)
        assert isinstance(kind, CFloat)
        bits = arithmetic.float_bits(value, kind)
        return self.body.expressions.opaque_value(kind) if bits is None else bits

    def number(self, value: int, held: CType) -> Expr:
        """An integer constant as a value of a type."""
        match unqualified(held):
            case CPointer():
                return pointer_of(number(value))
            case CThreadId():
                if value:
                    raise Unrepresentable("a number as a thread", ())
                return NO_THREAD
            case CFloat() as real:
                return self.real(float(value), real)
            case _:
                return number(value)


def pointer_of(value: Expr) -> Expr:
    """An integer in a pointer."""
    match value:
        case Const(0):
            return NULL_POINTER
        case PointerToInt(pointer):
            return pointer
        case _:
            return IntToPointer(value)


def integer_of(pointer: Expr) -> Expr:
    """The integer in a pointer."""
    match pointer:
        case Const(None):
            return ZERO
        case IntToPointer(operand):
            return operand
        case _:
            return PointerToInt(pointer)


def strip_round_trip(operand: tree.Expr, width: int) -> tree.Expr | None:
    """`p` for `(T *)(uintptr_t)p`: no number is ever needed."""
    inner = operand
    while isinstance(inner, tree.Convert):
        held = unqualified(inner.type)
        if not isinstance(held, CInteger) or held.width < width:
            return None
        inner = inner.operand
        if isinstance(unqualified(inner.type), CPointer):
            return inner
    return None
