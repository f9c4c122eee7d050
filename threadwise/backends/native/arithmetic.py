"""Arithmetic on numbers of machine code.

A number is a 64-bit value together with bounds that its type and its operands give: where the
bounds show that nothing can overflow, nothing is tested. What has no value, or none that fits 64
bits, leads to the block `refuse`.
"""

from __future__ import annotations

from llvmlite import ir

from threadwise.backends.native.jit import LONG
from threadwise.backends.native.values import Number, constant
from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import GREATEST, LEAST
from threadwise.ir.expr import BinaryOp

MOST_SHIFT = 62


class Arithmetic:
    """Writes operations with a builder."""

    def __init__(self, builder: ir.IRBuilder, refuse: ir.Block) -> None:
        self.builder = builder
        self.refuse = refuse

    def require(self, condition: ir.Value) -> None:
        """Go on only if a condition holds."""
        following = self.builder.append_basic_block()
        self.builder.cbranch(condition, following, self.refuse)
        self.builder.position_at_end(following)

    def sum(self, a: Number, b: Number) -> Number:
        """a + b."""
        low, high = a.low + b.low, a.high + b.high
        if _fits(low, high):
            return Number(self.builder.add(a.term, b.term), low, high)
        return self._checked(self.builder.sadd_with_overflow(a.term, b.term))

    def difference(self, a: Number, b: Number) -> Number:
        """a - b."""
        low, high = a.low - b.high, a.high - b.low
        if _fits(low, high):
            return Number(self.builder.sub(a.term, b.term), low, high)
        return self._checked(self.builder.ssub_with_overflow(a.term, b.term))

    def product(self, a: Number, b: Number) -> Number:
        """a * b."""
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        if _fits(min(corners), max(corners)):
            return Number(self.builder.mul(a.term, b.term), min(corners), max(corners))
        return self._checked(self.builder.smul_with_overflow(a.term, b.term))

    def _checked(self, found: ir.Value) -> Number:
        self.require(self.builder.not_(self.builder.extract_value(found, 1)))
        return Number(self.builder.extract_value(found, 0), LEAST, GREATEST)

    def of(self, op: BinaryOp, a: Number, b: Number) -> Number:
        """What an operator makes of two numbers."""
        match op:
            case BinaryOp.ADD:
                return self.sum(a, b)
            case BinaryOp.SUB:
                return self.difference(a, b)
            case BinaryOp.MUL:
                return self.product(a, b)
            case BinaryOp.DIV | BinaryOp.MOD:
                return self._division(op, a, b)
            case BinaryOp.SHL:
                return self._shifted_left(a, b)
            case BinaryOp.SHR:
                return self._shifted_right(a, b)
            case BinaryOp.BIT_AND | BinaryOp.BIT_OR | BinaryOp.BIT_XOR:
                return self._bitwise(op, a, b)
            case _:
                raise Unsupported(f"operator {op.value} in machine code")

    def _division(self, op: BinaryOp, a: Number, b: Number) -> Number:
        builder = self.builder
        if b.low <= 0 <= b.high:
            self.require(builder.icmp_signed("!=", b.term, LONG(0)))
        if a.low == LEAST and b.low <= -1 <= b.high:
            self.require(builder.icmp_signed("!=", a.term, LONG(LEAST)))
        most = min(max(abs(a.low), abs(a.high)), GREATEST)
        if op is BinaryOp.DIV:
            return Number(builder.sdiv(a.term, b.term), -most - 1, most)
        return Number(builder.srem(a.term, b.term), -most - 1, most)

    def _shifted_left(self, a: Number, b: Number) -> Number:
        builder = self.builder
        if b.low < 0 or b.high > MOST_SHIFT:
            self.require(builder.icmp_unsigned("<=", b.term, LONG(MOST_SHIFT)))
        shifted = builder.shl(a.term, b.term)
        most = min(b.high, MOST_SHIFT)
        low, high = min(a.low, a.low << most), max(a.high, a.high << most)
        if _fits(low, high):
            return Number(shifted, low, high)
        self.require(builder.icmp_signed("==", builder.ashr(shifted, b.term), a.term))
        return Number(shifted, LEAST, GREATEST)

    def _shifted_right(self, a: Number, b: Number) -> Number:
        builder = self.builder
        if b.low < 0:
            self.require(builder.icmp_signed(">=", b.term, LONG(0)))
        distance = b.term
        if b.high > MOST_SHIFT:
            large = builder.icmp_signed(">", b.term, LONG(MOST_SHIFT + 1))
            distance = builder.select(large, LONG(MOST_SHIFT + 1), b.term)
        return Number(builder.ashr(a.term, distance), min(a.low, 0), max(a.high, 0))

    def _bitwise(self, op: BinaryOp, a: Number, b: Number) -> Number:
        builder = self.builder
        write = {
            BinaryOp.BIT_AND: builder.and_,
            BinaryOp.BIT_OR: builder.or_,
            BinaryOp.BIT_XOR: builder.xor,
        }[op]
        bits = max(bound.bit_length() for bound in (a.low, a.high, b.low, b.high))
        low = 0 if min(a.low, b.low) >= 0 else -(1 << bits)
        return Number(write(a.term, b.term), max(low, LEAST), min((1 << bits) - 1, GREATEST))

    def wrapped(self, low: int, high: int, operand: Number) -> Number:
        """The number of a range that differs by a multiple of its size."""
        builder = self.builder
        if low <= operand.low and operand.high <= high:
            return operand
        size = high - low + 1
        if low > LEAST and high > GREATEST:  # unsigned, of 64 bits or more
            self.require(builder.icmp_signed(">=", operand.term, LONG(low)))
            return Number(operand.term, max(low, operand.low), operand.high)
        if size & (size - 1) == 0:  # divides 2^64: what overflows here does not matter
            moved = builder.sub(operand.term, LONG(low))
            kept = builder.and_(moved, LONG(size - 1))
            return Number(builder.add(kept, LONG(low)), low, high)
        if size > GREATEST:
            raise Unsupported("a range beyond 64 bits in machine code")
        distance = self.difference(operand, constant(low))
        rest = builder.srem(distance.term, LONG(size))
        negative = builder.icmp_signed("<", rest, LONG(0))
        rest = builder.select(negative, builder.add(rest, LONG(size)), rest)
        return Number(builder.add(rest, LONG(low)), low, high)

    def clamped(self, low: int, high: int, operand: Number) -> Number:
        """The nearest number of a range."""
        builder = self.builder
        term = operand.term
        for op, bound in (("<", max(low, LEAST)), (">", min(high, GREATEST))):
            beyond = builder.icmp_signed(op, term, LONG(bound))
            term = builder.select(beyond, LONG(bound), term)
        return Number(term, max(low, LEAST), min(high, GREATEST))


def _fits(low: int, high: int) -> bool:
    return low >= LEAST and high <= GREATEST
