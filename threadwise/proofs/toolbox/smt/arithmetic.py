"""Integer operations as terms, as `threadwise.semantics.evaluate` defines them.

The solver's `/` rounds down and its `%` is never negative, for a positive divisor. What types say
about operands only chooses between terms of the same value.
"""

from __future__ import annotations

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Binary, BinaryOp, Conditional, Expr, Unary, UnaryOp
from threadwise.ir.fold import Interval, interval
from threadwise.proofs.toolbox.smt.terms import Terms

MOST_CASES = 256
"""A shift by more distances is not written out."""
LONGEST = 10_000
"""The longest shift."""
MOST_DIVISORS = 16
"""A divisor with more values is left to the solver."""


class Arithmetic:
    """Operations on integer terms."""

    def __init__(self, logic: Terms) -> None:
        self.logic = logic

    def quotient(self, left: Term, right: Term) -> Term:
        """`left / right`, truncated."""
        absolute = self._absolute(left) / self._absolute(right)
        opposite = self.logic.negation(self.logic.equal(left < 0, right < 0))
        return self.logic.choice(self.logic.simplify(opposite), -absolute, absolute)

    def _absolute(self, term: Term) -> Term:
        known = self.logic.numeral(term)
        if known is not None:
            return self.logic.integer(abs(known))
        return self.logic.choice(term >= 0, term, -term)

    def divided(self, op: BinaryOp, left: Term, right: Term, divisors: Interval) -> Term:
        """Quotient or remainder; a divisor with few values is taken value by value."""
        low, high = divisors
        few = low is not None and high is not None and high - low < MOST_DIVISORS
        if self.logic.numeral(right) is not None or not few:
            quotient = self.quotient(left, right)
            return quotient if op is BinaryOp.DIV else left - quotient * right
        result = self.logic.integer(0)
        assert low is not None
        assert high is not None
        for value in range(low, high + 1):
            if value:
                divisor = self.logic.integer(value)
                exact = self.divided(op, left, divisor, (value, value))
                result = self.logic.choice(self.logic.equal(right, divisor), exact, result)
        return result

    def wrapped(self, low: int, high: int, operand: Term, known: Interval) -> Term:
        """The value in low..high that is congruent to the operand."""
        size = high - low + 1
        least, most = known
        if least is None or most is None or least < low - size or most > high + size:
            return low + (operand - low) % size
        result = operand
        if most > high:
            result = self.logic.choice(operand > high, operand - size, result)
        if least < low:
            result = self.logic.choice(operand < low, operand + size, result)
        return result

    def clamped(self, low: int, high: int, operand: Term) -> Term:
        """The value in low..high nearest to the operand."""
        smaller = self.logic.choice(operand > high, self.logic.integer(high), operand)
        return self.logic.choice(operand < low, self.logic.integer(low), smaller)

    def shifted(self, op: BinaryOp, left: Term, right: Term, distances: Interval) -> Term:
        """A shift, distance by distance; beyond the greatest distance as by that one."""
        least, most = distances
        known = self.logic.numeral(right)
        if known is not None:
            least = most = known if most is None else min(known, most)
        least = max(0, least or 0)
        if most is None or most - least > MOST_CASES or least > LONGEST:
            raise Unsupported("a shift by a variable without small bounds")
        most = max(least, most)
        result: Term = None
        for distance in range(most, least - 1, -1):
            factor = self.logic.integer(1 << distance)
            exact = left * factor if op is BinaryOp.SHL else left / factor
            if result is None:
                result = exact
            else:
                here = self.logic.equal(right, self.logic.integer(distance))
                result = self.logic.choice(here, exact, result)
        return result

    # -- bits -------------------------------------------------------------------------------------

    def bitwise(
        self, op: BinaryOp, left: Term, right: Term, known: tuple[Interval, Interval]
    ) -> Term:
        """`&`, `|` or `^`: the one from the others, a | b = a + b - (a & b)."""
        common = self._common(left, right, known)
        if op is BinaryOp.BIT_AND:
            return common
        return left + right - (common if op is BinaryOp.BIT_OR else 2 * common)

    def _common(self, left: Term, right: Term, known: tuple[Interval, Interval]) -> Term:
        for operand, mask in ((left, right), (right, left)):
            number = self.logic.numeral(mask)
            if number is not None:
                return self._masked(operand, number)
        width = max(map(_width, known))
        return self.logic.signed(self.logic.bits(left, width) & self.logic.bits(right, width))

    def _masked(self, operand: Term, mask: int) -> Term:
        """`operand & mask`: of a negative mask, what is left without the other digits."""
        if mask < 0:
            return operand - self._masked(operand, ~mask)
        result = self.logic.integer(0)
        position = 0
        while mask >> position:
            length = 0
            while mask >> (position + length) & 1:
                length += 1
            if length:
                digits = (operand / (1 << position)) % (1 << length)
                result = result + digits * (1 << position)
            position += max(length, 1)
        return result


def _width(known: Interval) -> int:
    """How many bits hold all values of an interval in two's complement."""
    low, high = known
    if low is None or high is None:
        raise Unsupported("a bitwise operation between integers without bounds")
    return max(low.bit_length(), (~low).bit_length(), high.bit_length(), (~high).bit_length()) + 1


def bounds(expr: Expr) -> Interval:
    """Between which values an expression lies, as far as types say so."""
    match expr:
        case Binary(BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL as op, left, right):
            (a, b), (c, d) = bounds(left), bounds(right)
            if a is None or b is None or c is None or d is None:
                return None, None
            if op is BinaryOp.MUL:
                corners = [x * y for x in (a, b) for y in (c, d)]
                return min(corners), max(corners)
            return (a + c, b + d) if op is BinaryOp.ADD else (a - d, b - c)
        case Binary(BinaryOp.BIT_AND | BinaryOp.BIT_OR | BinaryOp.BIT_XOR, left, right):
            return _bitwise_bounds(expr.op, bounds(left), bounds(right))
        case Binary(BinaryOp.SHL, left, right):
            low, high = bounds(left)
            distance = bounds(right)[1]
            if low is None or high is None or distance is None or distance > MOST_CASES:
                return None, None
            factor = 1 << max(0, distance)
            return min(low, low * factor), max(high, high * factor)
        case Binary(BinaryOp.DIV | BinaryOp.MOD | BinaryOp.SHR, left, _):
            low, high = bounds(left)
            if low is None or high is None:
                return interval(expr)
            most = max(abs(low), abs(high))
            return -most if low < 0 or expr.op is BinaryOp.DIV else 0, most
        case Unary(UnaryOp.NEG | UnaryOp.BIT_NOT as op, operand):
            low, high = bounds(operand)
            if low is None or high is None:
                return None, None
            return (-high, -low) if op is UnaryOp.NEG else (~high, ~low)
        case Conditional(_, then, otherwise):
            (a, b), (c, d) = bounds(then), bounds(otherwise)
            if a is None or b is None or c is None or d is None:
                return None, None
            return min(a, c), max(b, d)
        case _:
            return interval(expr)


def _bitwise_bounds(op: BinaryOp, left: Interval, right: Interval) -> Interval:
    if op is BinaryOp.BIT_AND:
        for low, high in (left, right):
            if low is not None and low >= 0 and high is not None:
                return 0, high
    if None in left or None in right:
        return None, None
    size = 1 << max(_width(left), _width(right))
    negative = any(low is not None and low < 0 for low, _ in (left, right))
    return -size if negative else 0, size - 1
