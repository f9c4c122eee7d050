"""Operators on values, and arithmetic with pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.places import moved
from threadwise.frontends.c.lower.values import arithmetic
from threadwise.frontends.c.lower.values.arithmetic import (
    NO_THREAD,
    NULL_POINTER,
    ZERO,
    as_number,
    as_truth,
    compare,
    constant,
    opposite,
)
from threadwise.frontends.c.lower.values.conversions import strip_round_trip
from threadwise.frontends.c.lower.values.requirements import ORDERED
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
from threadwise.ir.expr import BinaryOp, Expr, PointerDifference, Unary, UnaryOp
from threadwise.ir.fold import number
from threadwise.ir.types import MachineType, TidType, Type

_BYTE = MachineType(8, signed=True)
_FEW_BITS = 32
"""Addresses that are compared by fewer bits are numbers."""
LOWER_BITS = "addresses that are compared by their lower 32 bits do not differ in others only"
_OFFSET = CInteger(64, signed=True)

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


class Operators:
    """The operators of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def unary(self, expr: tree.Unary) -> Expr:
        """An operator on one value."""
        held = unqualified(expr.operand.type)
        if expr.op is tree.UnaryOp.NOT:
            return as_number(opposite(self.body.choices.truth(expr.operand)))
        value = self.body.expressions.value(expr.operand)
        if isinstance(held, CFloat):
            known = constant(value)
            real = None if known is None else arithmetic.float_value(known, held)
            return (
                self.body.expressions.opaque_value(held)
                if real is None
                else self.body.conversions.real(-real, held)
            )
        if expr.op is tree.UnaryOp.MINUS:
            if isinstance(held, CInteger):
                self._note_overflow(tree.BinaryOp.SUBTRACT, ZERO, value, held)
            return arithmetic.minus(value, held)
        return arithmetic.complement(value, held)

    def binary(self, expr: tree.Binary) -> Expr:
        """An operator on two values, from left to right."""
        op = expr.op
        if op in arithmetic.COMPARISONS:
            formula = self._compared_addresses(expr)
            if formula is not None:
                return as_number(formula)
        source = unqualified(expr.left.type)
        left, right = (
            self.body.expressions.value(expr.left),
            self.body.expressions.value(expr.right),
        )
        if op in arithmetic.COMPARISONS:
            other = unqualified(expr.right.type)
            return as_number(self.compared(op, left, right, source, other))
        return self.computed(op, left, right, source)

    def _compared_addresses(self, expr: tree.Binary) -> Expr | None:
        """A comparison of pointers that are numbers for its sake: `(uintptr_t)p == (uintptr_t)q`.

        They are equal if their addresses are; text that was made for another data model compares
        32 bits of them, which are taken to tell as much. As unsigned numbers they are ordered as
        addresses, which pointers into one object are, too.
        """
        width = self.body.unit.types.pointer_width
        chosen = arithmetic.COMPARISONS[expr.op]
        equality = chosen in (BinaryOp.EQ, BinaryOp.NE)
        least = min(width, _FEW_BITS) if equality else width
        pointers = [strip_round_trip(side, least) for side in (expr.left, expr.right)]
        held = unqualified(expr.left.type)
        if not equality:
            if not isinstance(held, CInteger) or held.signed or held.width != width:
                return None
        elif any(_is_zero(side) for side in (expr.left, expr.right)):
            sides = zip(pointers, (expr.left, expr.right), strict=True)
            pointers = [side if _is_zero(side) else pointer for pointer, side in sides]
        if pointers[0] is None or pointers[1] is None:
            return None
        left, right = (
            NULL_POINTER if _is_zero(pointer) else self.body.expressions.value(pointer)
            for pointer in (pointers[0], pointers[1])
        )
        if not equality:
            return compare(chosen, PointerDifference(left, right, ORDERED), ZERO)
        if not all(_is_wide(side, width) for side in (expr.left, expr.right)):
            self.body.unit.assume(LOWER_BITS)
        return compare(chosen, left, right)

    def compared(
        self, op: tree.BinaryOp, left: Expr, right: Expr, held: CType, other: CType
    ) -> Expr:
        """A comparison of two values, as a formula."""
        chosen = arithmetic.COMPARISONS[op]
        if isinstance(held, CFloat):
            formula = arithmetic.compare_floats(chosen, left, right, held)
            return (
                as_truth(self.body.expressions.opaque_value(CBool()))
                if formula is None
                else formula
            )
        if isinstance(held, CThreadId) != isinstance(other, CThreadId):
            left, right = _as_thread(left), _as_thread(right)
        if isinstance(held, CPointer | CFunction) and chosen not in (BinaryOp.EQ, BinaryOp.NE):
            return compare(chosen, PointerDifference(left, right, ORDERED), ZERO)
        return compare(chosen, left, right)

    def computed(self, op: tree.BinaryOp, left: Expr, right: Expr, held: CType) -> Expr:
        """An arithmetic operator on two values of one type."""
        if isinstance(held, CFloat):
            return self._computed_float(op, left, right, held)
        if isinstance(held, CInteger):
            self._note_overflow(op, left, right, held)
        return arithmetic.binary(op, left, right, held)

    def _computed_float(self, op: tree.BinaryOp, left: Expr, right: Expr, held: CFloat) -> Expr:
        a, b = constant(left), constant(right)
        if a is not None and b is not None:
            x, y = arithmetic.float_value(a, held), arithmetic.float_value(b, held)
            if x is not None and y is not None:
                result = {
                    tree.BinaryOp.ADD: lambda: x + y,
                    tree.BinaryOp.SUBTRACT: lambda: x - y,
                    tree.BinaryOp.MULTIPLY: lambda: x * y,
                    tree.BinaryOp.DIVIDE: lambda: x / y if y else None,
                }[op]()
                if result is not None and held.width == 64:
                    return self.body.conversions.real(result, held)
        return self.body.expressions.opaque_value(held)

    def _note_overflow(self, op: tree.BinaryOp, left: Expr, right: Expr, held: CInteger) -> None:
        if arithmetic.may_overflow(op, left, right, held):
            self.body.unit.assume("signed integer overflow wraps around")

    def moved(self, pointer: Expr, count: Expr, held: CType, *, negative: bool) -> Expr:
        """A pointer moved by a number of its targets."""
        if isinstance(count.type, TidType):
            count = self.body.conversions.converted(count, CThreadId(), _OFFSET)
        if negative:
            known = constant(count)
            count = number(-known) if known is not None else _negated(count)
        target = unqualified(held)
        assert isinstance(target, CPointer)
        return moved(pointer, count, self._element(target.target))

    def _element(self, target: CType) -> Type:
        if isinstance(unqualified(target), CVoid | CFunction):
            return _BYTE
        return self.body.unit.types.of(target)

    def difference(self, expr: tree.PointerDifference) -> Expr:
        """How many elements lie between two pointers."""
        left, right = (
            self.body.expressions.value(expr.left),
            self.body.expressions.value(expr.right),
        )
        held = unqualified(expr.left.type)
        assert isinstance(held, CPointer)
        if left == right:
            return ZERO
        difference = PointerDifference(left, right, self._element(held.target))
        return arithmetic.convert_number(difference, unqualified(expr.type))


def _is_wide(expr: tree.Expr, width: int) -> bool:
    """Whether no conversion of a pointer to a number takes bits away from it."""
    return _is_zero(expr) or strip_round_trip(expr, width) is not None


def _is_zero(expr: tree.Expr) -> bool:
    """Whether an expression is the number 0, converted or not."""
    while isinstance(expr, tree.Convert) and isinstance(unqualified(expr.type), CInteger):
        expr = expr.operand
    return isinstance(expr, tree.IntegerConstant) and expr.value == 0


def _negated(count: Expr) -> Expr:
    return Unary(UnaryOp.NEG, count)


def _as_thread(value: Expr) -> Expr:
    if isinstance(value.type, TidType):
        return value
    if constant(value) == 0:
        return NO_THREAD
    raise Unrepresentable("a comparison of a thread with a number", ())
