"""Conditions, and operands that are evaluated only if they must be.

An operand behind `&&`, `||` or `?:` is lowered at a node of its own first: if that took no step,
the whole is an expression; otherwise it becomes control flow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.values import arithmetic
from threadwise.frontends.c.lower.values.arithmetic import (
    ONE,
    ZERO,
    as_number,
    as_truth,
    both,
    choice,
    either,
    opposite,
)
from threadwise.frontends.c.types import CBool, CFloat, CType, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import FALSE, TRUE, BinaryOp, Expr, Read, VariablePlace
from threadwise.ir.types import MachineType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


class Choices:
    """The conditions of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def truth(self, expr: tree.Expr) -> Expr:
        """Whether a value differs from zero, as a formula."""
        match expr:
            case tree.Logical():
                return self.logical(expr)
            case tree.Unary(tree.UnaryOp.NOT, operand):
                return opposite(self.truth(operand))
            case _:
                held = unqualified(expr.type)
                value = self.body.expressions.value(expr)
                if isinstance(held, CFloat):
                    found = arithmetic.compare_floats(BinaryOp.NE, value, ZERO, held)
                    return (
                        as_truth(self.body.expressions.opaque_value(CBool()))
                        if found is None
                        else found
                    )
                return as_truth(value)

    def logical(self, expr: tree.Logical) -> Expr:
        """`&&`, `||`, as a formula."""
        body = self.body
        conjunctive = expr.op is tree.LogicalOp.AND
        left = self.truth(expr.left)
        if left in (TRUE, FALSE):
            return self.truth(expr.right) if (left == TRUE) == conjunctive else left
        before = body.at
        start = body.at = body.aside(before)
        size = len(body.graph.arcs), len(body.graph.jumps)
        right = self.truth(expr.right)
        if body.at == start and size == (len(body.graph.arcs), len(body.graph.jumps)):
            body.at = before
            return both(left, right) if conjunctive else either(left, right)
        result = VariablePlace(body.temporary(MachineType(1, signed=False)))
        after = body.node()
        body.arc(after, Command(assignments=(Assignment(result, as_number(right)),)))
        body.at = before
        skipped = body.node()
        body.branch(left, *((start, skipped) if conjunctive else (skipped, start)))
        body.at = skipped
        decided = ZERO if conjunctive else ONE
        body.arc(after, Command(assignments=(Assignment(result, decided),)))
        body.at = after
        return as_truth(Read(result))

    def branch(self, condition: tree.Expr, then: int, otherwise: int) -> None:
        """Go to one of two nodes as a condition says."""
        body = self.body
        match condition:
            case tree.Logical(op, left, right):
                middle = body.node()
                if op is tree.LogicalOp.AND:
                    self.branch(left, middle, otherwise)
                else:
                    self.branch(left, then, middle)
                body.at = middle
                self.branch(right, then, otherwise)
            case tree.Unary(tree.UnaryOp.NOT, operand):
                self.branch(operand, otherwise, then)
            case tree.Convert(tree.Logical() | tree.Unary(tree.UnaryOp.NOT) as inner, CBool()):
                self.branch(inner, then, otherwise)
            case _:
                body.branch(self.truth(condition), then, otherwise)

    def conditional(self, expr: tree.Conditional) -> Expr:
        """`c ? a : b` with a scalar value."""
        body = self.body
        if expr.then is None:
            return self._elvis(expr)
        condition = self.truth(expr.condition)
        if condition in (TRUE, FALSE):
            return self.body.expressions.value(expr.then if condition == TRUE else expr.otherwise)
        before = body.at
        starts: list[int] = []
        ends: list[tuple[int, Expr]] = []
        size = len(body.graph.arcs), len(body.graph.jumps)
        for part in (expr.then, expr.otherwise):
            start = body.at = body.aside(before)
            starts.append(start)
            value = self.body.expressions.value(part)
            ends.append((body.at, value))
        body.at = before
        if size == (len(body.graph.arcs), len(body.graph.jumps)):
            return choice(condition, ends[0][1], ends[1][1])
        body.branch(condition, starts[0], starts[1])
        return self._joined(expr.type, ends)

    def _joined(self, held: CType, ends: list[tuple[int, Expr]]) -> Expr:
        body = self.body
        result = VariablePlace(body.temporary(body.unit.types.scalar(held)))
        after = body.node()
        for end, value in ends:
            body.at = end
            body.arc(after, Command(assignments=(Assignment(result, value),)))
        body.at = after
        return Read(result)

    def _elvis(self, expr: tree.Conditional) -> Expr:
        body = self.body
        value = self.body.expressions.value(expr.condition)
        source, target = unqualified(expr.condition.type), unqualified(expr.type)
        then, otherwise = body.node(), body.node()
        body.branch(as_truth(value), then, otherwise)
        body.at = then
        ends = [(then, body.conversions.converted(value, source, target))]
        body.at = otherwise
        other = self.body.expressions.value(expr.otherwise)
        return self._joined(expr.type, [*ends, (body.at, other)])

    def without_value(self, expr: tree.Logical | tree.Conditional) -> None:
        """A choice between effects."""
        if isinstance(expr, tree.Logical) or expr.then is None:
            self.body.expressions.value(expr)
            return
        body = self.body
        then, otherwise, after = body.node(), body.node(), body.node()
        arcs, jumps = len(body.graph.arcs), len(body.graph.jumps)
        self.branch(expr.condition, then, otherwise)
        reached = {arc.target for arc in body.graph.arcs[arcs:]}
        reached |= {target for _, target in body.graph.jumps[jumps:]}
        for start, part in ((then, expr.then), (otherwise, expr.otherwise)):
            if start not in reached:
                continue  # nothing is assumed, and nothing started, by code that never runs
            body.at = start
            self.body.expressions.effect(part)
            body.graph.jump(body.at, after)
        body.at = after
