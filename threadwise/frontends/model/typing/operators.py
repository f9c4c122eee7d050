"""Operators: their types, their meaning on constants, and where they are undefined."""

from __future__ import annotations

from abc import ABC, abstractmethod

from threadwise.frontends.model.reporter import Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.constants import fold_binary, fold_unary
from threadwise.frontends.model.typing.typed import (
    Check,
    Typed,
    describe,
    needed,
    only_if,
    same_kind,
    unless,
)
from threadwise.ir.expr import (
    COMPARISONS,
    CONNECTIVES,
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    Unary,
    UnaryOp,
)
from threadwise.ir.fold import interval, negation, number
from threadwise.ir.types import BOOL, INT, Type, is_integer

_BINARY = {op.value: op for op in BinaryOp}
_UNARY = {op.value: op for op in UnaryOp}


class Operators(ABC):
    """The translation of operators; subclasses translate their operands."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter

    @abstractmethod
    def value(self, node: ast.Expression) -> Typed | None:
        """The value of an expression of any scalar type; None after reporting a mistake."""

    def expect(self, node: ast.Expression, wanted: Type) -> Typed | None:
        """The value of an expression that must be of a kind."""
        typed = self.value(node)
        if typed is None or same_kind(typed.type, wanted):
            return typed
        self._mismatch(node, wanted, typed.type)
        return None

    def condition(self, node: ast.Expression) -> Typed | None:
        """The value of a boolean expression."""
        return self.expect(node, BOOL)

    def _prefix(self, node: ast.Prefix) -> Typed | None:
        op = _UNARY[node.operator]
        typed = self.expect(node.operand, BOOL if op is UnaryOp.NOT else INT)
        if typed is None:
            return None
        if isinstance(typed.expr, Const):
            return Typed(fold_unary(op, typed.expr), typed.checks)
        if op is UnaryOp.NOT:
            return Typed(negation(typed.expr), typed.checks)
        return Typed(Unary(op, typed.expr), typed.checks)

    def _infix(self, node: ast.Infix) -> Typed | None:
        op = _BINARY[node.operator]
        if op in CONNECTIVES:
            return self._connective(op, node)
        if op in COMPARISONS:
            left = self.value(node.left)
            right = self.value(node.right)
        else:
            left = self.expect(node.left, INT)
            right = self.expect(node.right, INT)
        if left is None or right is None:
            return None
        ordered = op in (BinaryOp.EQ, BinaryOp.NE) or is_integer(left.type)
        if not (same_kind(left.type, right.type) and ordered):
            text = f"`{node.operator}` cannot compare {describe(left.type)}"
            self.reporter.error(node, f"{text} with {describe(right.type)}")
            return None
        checks = (*left.checks, *right.checks)
        if op not in COMPARISONS:
            partial = self._partiality(op, node, right.expr)
            if partial is None:
                return None
            checks = (*checks, *partial)
        if isinstance(left.expr, Const) and isinstance(right.expr, Const):
            folded = fold_binary(op, left.expr, right.expr)
            if folded is None:
                self.reporter.error(node, "a constant of more than 4096 bits")
                return None
            return Typed(folded, checks)
        return Typed(Binary(op, left.expr, right.expr), checks)

    def _partiality(self, op: BinaryOp, node: ast.Infix, right: Expr) -> tuple[Check, ...] | None:
        """What the right operand must satisfy for the operator to be defined."""
        if op in (BinaryOp.DIV, BinaryOp.MOD):
            what = "division by zero"
            low, high = interval(right)
            safe = (low is not None and low > 0) or (high is not None and high < 0)
            check: Expr = TRUE if safe else Binary(BinaryOp.NE, right, number(0))
        elif op in (BinaryOp.SHL, BinaryOp.SHR):
            what = "negative shift"
            low, _ = interval(right)
            safe = low is not None and low >= 0
            check = TRUE if safe else Binary(BinaryOp.GE, right, number(0))
        else:
            return ()
        if not safe and isinstance(right, Const):
            self.reporter.error(node.right, what)
            return None
        return needed(check, f"{what} in `{self.reporter.text(node)}`")

    def _connective(self, op: BinaryOp, node: ast.Infix) -> Typed | None:
        left = self.condition(node.left)
        right = self.condition(node.right)
        if left is None or right is None:
            return None
        decided = FALSE if op is not BinaryOp.OR else TRUE
        if left.expr == decided:
            return Typed(TRUE if op is BinaryOp.IMPLIES else decided, left.checks)
        if isinstance(left.expr, Const):
            return Typed(right.expr, (*left.checks, *right.checks))
        guard = unless if op is BinaryOp.OR else only_if
        checks = (*left.checks, *guard(left.expr, right.checks))
        if isinstance(right.expr, Const) and (op is BinaryOp.IMPLIES or right.expr != decided):
            if op is not BinaryOp.IMPLIES:
                return Typed(left.expr, checks)
            return Typed(TRUE if right.expr == TRUE else negation(left.expr), checks)
        return Typed(Binary(op, left.expr, right.expr), checks)

    def _conditional(self, node: ast.Conditional) -> Typed | None:
        condition = self.condition(node.condition)
        then, otherwise = self.value(node.then), self.value(node.otherwise)
        if condition is None or then is None or otherwise is None:
            return None
        if not same_kind(then.type, otherwise.type):
            self._mismatch(node.otherwise, then.type, otherwise.type)
            return None
        if isinstance(condition.expr, Const):
            chosen = then if condition.expr == TRUE else otherwise
            return Typed(chosen.expr, (*condition.checks, *chosen.checks))
        checks = (
            *condition.checks,
            *only_if(condition.expr, then.checks),
            *unless(condition.expr, otherwise.checks),
        )
        return Typed(Conditional(condition.expr, then.expr, otherwise.expr), checks)

    def _mismatch(self, node: ast.Expression, wanted: Type, found: Type) -> None:
        shown = "int" if is_integer(wanted) else describe(wanted)
        hint = None
        if wanted == BOOL and is_integer(found):
            hint = "compare it: `… != 0`"
        self.reporter.error(node, f"expected {shown}, found {describe(found)}", hint)
