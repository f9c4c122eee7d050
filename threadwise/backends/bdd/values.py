"""What an expression can be worth: for each value, the set of states that give it.

The sets of a `Choice` are disjoint. States in none of them give no value (a division by zero, a
bad index): so partial evaluation and short-circuits come out exactly as in the reference
semantics. Empty sets are left out.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.backends.bdd.manager import Manager, Node
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import BinaryOp, UnaryOp
from threadwise.ir.types import Value

Choice = dict[Value, Node]

MOST_PAIRS = 1 << 16
"""More combinations of operands than this are not tabulated."""

_COMPARED: dict[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.GT: lambda a, b: a > b,
    BinaryOp.GE: lambda a, b: a >= b,
}


class Choices:
    """Operations on such values."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.true = manager.true
        self.false = manager.false

    def constant(self, value: Value) -> Choice:
        """The same value everywhere."""
        return {value: self.true}

    def truth(self, yes: Node, no: Node) -> Choice:
        """A truth value."""
        return {value: node for value, node in ((True, yes), (False, no)) if node != self.false}

    def yes(self, choice: Choice) -> Node:
        """Where a formula is true."""
        return choice.get(True, self.false)

    def no(self, choice: Choice) -> Node:
        """Where a formula is false."""
        return choice.get(False, self.false)

    def defined(self, choice: Choice) -> Node:
        """Where there is a value."""
        return self.manager.union(choice.values())

    def restricted(self, choice: Choice, where: Node) -> Choice:
        """The value in some states only."""
        if where == self.true:
            return choice
        kept = ((value, node & where) for value, node in choice.items())
        return {value: node for value, node in kept if node != self.false}

    def merged(self, *parts: Choice) -> Choice:
        """The value where one of the parts, defined in disjoint sets of states, has one."""
        found: Choice = {}
        for part in parts:
            for value, node in part.items():
                found[value] = found[value] | node if value in found else node
        return found

    # -- operators --------------------------------------------------------------------------------

    def unary(self, op: UnaryOp, operand: Choice) -> Choice:
        """An operator applied to one operand."""
        match op:
            case UnaryOp.NOT:
                return {not value: node for value, node in operand.items()}
            case UnaryOp.NEG:
                return {-_integer(value): node for value, node in operand.items()}
            case UnaryOp.BIT_NOT:
                return {~_integer(value): node for value, node in operand.items()}

    def mapped(self, function: Callable[[int], int], operand: Choice) -> Choice:
        """A function of one operand."""
        parts: list[Choice] = [{function(_integer(v)): node} for v, node in operand.items()]
        return self.merged(*parts)

    def connective(self, op: BinaryOp, left: Choice, right: Callable[[], Choice]) -> Choice:
        """`&&`, `||`, `==>`: the right operand counts where the left one does not decide."""
        yes, no = self.yes(left), self.no(left)
        if op is BinaryOp.IMPLIES:
            yes, no = no, yes
        if op is BinaryOp.AND:
            if yes == self.false:
                return self.truth(self.false, no)
            second = right()
            return self.truth(yes & self.yes(second), no | (yes & self.no(second)))
        if no == self.false:
            return self.truth(yes, self.false)
        second = right()
        return self.truth(yes | (no & self.yes(second)), no & self.no(second))

    def equality(self, left: Choice, right: Choice) -> Choice:
        """Whether two operands have the same value."""
        same = self.manager.union(
            node & right[value] for value, node in left.items() if value in right
        )
        both = self.defined(left) & self.defined(right)
        return self.truth(same, both & ~same)

    def comparison(self, op: BinaryOp, left: Choice, right: Choice) -> Choice:
        """`<` and its kin."""
        holds = _COMPARED[op]
        _bounded(left, right)
        yes = self.manager.union(
            node
            & self.manager.union(m for w, m in right.items() if holds(_integer(v), _integer(w)))
            for v, node in left.items()
        )
        both = self.defined(left) & self.defined(right)
        return self.truth(yes, both & ~yes)

    def arithmetic(self, op: BinaryOp, left: Choice, right: Choice) -> Choice:
        """An operator on integers; no value where the operator has none."""
        _bounded(left, right)
        found: dict[Value, list[Node]] = {}
        for v, node in left.items():
            for w, other in right.items():
                value = _applied(op, _integer(v), _integer(w))
                if value is not None:
                    both = node & other
                    if both != self.false:
                        found.setdefault(value, []).append(both)
        return {value: self.manager.union(nodes) for value, nodes in found.items()}


def _bounded(left: Choice, right: Choice) -> None:
    if len(left) * len(right) > MOST_PAIRS:
        raise Unsupported("arithmetic on too many values, in BDDs")


def _integer(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not an integer")
    return value


def _applied(op: BinaryOp, left: int, right: int) -> int | None:
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.DIV | BinaryOp.MOD:
            if right == 0:
                return None
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if op is BinaryOp.DIV else left - quotient * right
        case BinaryOp.SHL:
            return left << right if right >= 0 else None
        case BinaryOp.SHR:
            return left >> right if right >= 0 else None
        case BinaryOp.BIT_AND:
            return left & right
        case BinaryOp.BIT_OR:
            return left | right
        case BinaryOp.BIT_XOR:
            return left ^ right
        case _:
            raise TypeError(f"operator {op.value} needs its own case")
