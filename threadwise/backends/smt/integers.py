"""Exact integer arithmetic in the solver's logic.

The solver's `div` and `mod` are Euclidean (the remainder is never negative), those of the IR
truncate. Wrapping is a case distinction where the operand is at most one period away, else a
remainder. Bitwise operators with a constant are sums of digits, which linear arithmetic
understands; between two variables of known bounds they go through bit-vectors of a width that
holds both operands in two's complement, so nothing is lost either way. Without bounds they are
Unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from threadwise.backends.smt.logic import Logic, Term
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import BinaryOp
from threadwise.ir.fold import Interval

MOST_DIVISORS = 16
"""A divisor with more values is left to the solver."""
MOST_SHIFT = 256
"""A shift by a variable distinguishes at most this many cases."""


class Integers:
    """Operations on integer terms; intervals are what types say about the operands."""

    def __init__(self, logic: Logic) -> None:
        self.logic = logic

    def quotient(self, left: Term, right: Term) -> Term:
        """Division that truncates towards zero; anything if the divisor is zero."""
        return self.logic.choice(left >= 0, left / right, -(-left / right))

    def remainder(self, left: Term, right: Term) -> Term:
        """What truncating division leaves: it has the sign of the dividend."""
        return self.logic.choice(left >= 0, left % right, -(-left % right))

    def divided(self, op: BinaryOp, left: Term, right: Term, known: Interval) -> Term:
        """Quotient or remainder; a divisor with few values is taken value by value.

        Solvers know division by numerals only. Division by zero has no meaning: it gives zero.
        """
        divide = self.quotient if op is BinaryOp.DIV else self.remainder
        least, most = known
        numeral = self.logic.known_integer(right) is not None
        if numeral or least is None or most is None or most - least >= MOST_DIVISORS:
            return divide(left, right)
        result = self.logic.integer(0)
        for value in range(least, most + 1):
            if value:
                divisor = self.logic.integer(value)
                same = self.logic.equal(right, divisor)
                result = self.logic.choice(same, divide(left, divisor), result)
        return result

    def wrap(self, low: int, high: int, operand: Term, known: Interval) -> Term:
        """The value in low..high congruent to the operand modulo the size of the range."""
        period = high - low + 1
        least, most = known
        if least is not None and most is not None and low - period <= least:
            if low <= least and most <= high:
                return operand
            if most <= high + period:
                result = operand
                if most > high:
                    result = self.logic.choice(operand > high, operand - period, result)
                if least < low:
                    result = self.logic.choice(operand < low, operand + period, result)
                return result
        return low + (operand - low) % period

    def clamp(self, low: int, high: int, operand: Term) -> Term:
        """The value in low..high nearest to the operand."""
        lowest, highest = self.logic.integer(low), self.logic.integer(high)
        inner = self.logic.choice(operand > high, highest, operand)
        return self.logic.choice(operand < low, lowest, inner)

    # -- shifts -----------------------------------------------------------------------------------

    def shift(
        self, op: BinaryOp, left: Term, right: Term, known: Interval, most: int | None = None
    ) -> Term:
        """A shift; beyond `most` bits every shift has the same result as by `most`."""
        fixed = self.logic.known_integer(right)
        if fixed is not None:
            return self._shift_by(op, left, max(0, fixed if most is None else min(fixed, most)))
        least = max(0, known[0] or 0)
        limit = known[1] if most is None else most if known[1] is None else min(known[1], most)
        if limit is None or limit - least > MOST_SHIFT:
            raise Unsupported("a shift by a variable without small bounds")
        limit = max(limit, least)  # a distance that is always negative has no meaning
        result = self._shift_by(op, left, limit)
        for distance in range(limit - 1, least - 1, -1):
            exact = self._shift_by(op, left, distance)
            result = self.logic.choice(right <= distance, exact, result)
        return result

    def _shift_by(self, op: BinaryOp, left: Term, distance: int) -> Term:
        if distance == 0:
            return left
        power = self.logic.integer(1 << distance)
        return left * power if op is BinaryOp.SHL else left / power

    # -- bitwise operators ------------------------------------------------------------------------

    def bitwise(
        self, op: BinaryOp, left: Term, right: Term, bounds: tuple[Interval, Interval]
    ) -> Term:
        """`&`, `|` or `^` of two's complement integers of any size."""
        for operand, mask in ((left, right), (right, left)):
            constant = self.logic.known_integer(mask)
            if constant is not None:
                common = self._masked(operand, constant)
                if op is BinaryOp.BIT_AND:
                    return common
                kept = 2 if op is BinaryOp.BIT_XOR else 1
                return operand + constant - kept * common
        width = max(_width(bounds[0]), _width(bounds[1]))
        a, b = z3.Int2BV(left, width), z3.Int2BV(right, width)
        match op:
            case BinaryOp.BIT_AND:
                result = a & b
            case BinaryOp.BIT_OR:
                result = a | b
            case _:
                result = a ^ b
        return z3.BV2Int(result, is_signed=True)

    def _masked(self, operand: Term, mask: int) -> Term:
        """`operand & mask`, as the sum of the runs of digits that the mask selects."""
        if mask == -1:
            return operand
        if mask < 0:
            return operand - self._masked(operand, ~mask)
        parts = [
            (operand / (1 << low)) % (1 << (high - low)) * (1 << low)
            if low
            else operand % (1 << high)
            for low, high in _runs(mask)
        ]
        total = self.logic.integer(0) if not parts else parts[0]
        for part in parts[1:]:
            total = total + part
        return total


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of ones of a natural number: first position, position after the last."""
    position = 0
    while mask >> position:
        if mask >> position & 1:
            end = position
            while mask >> end & 1:
                end += 1
            yield position, end
            position = end
        else:
            position += 1


def _width(known: Interval) -> int:
    """How many bits hold every value of an interval in two's complement."""
    least, most = known
    if least is None or most is None:
        raise Unsupported("a bitwise operation between integers without bounds")
    return max(least.bit_length() if least >= 0 else (~least).bit_length(), most.bit_length()) + 1
