"""Binary operators, assignments included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.conversions import (
    Operand,
    as_lvalue,
    converted,
    promoted,
    usual,
    value,
)
from threadwise.frontends.c.parse.native import (
    BinaryKind,
    Kind,
    Node,
    binary_kind,
    children,
)
from threadwise.frontends.c.types import INT, CPointer, CThreadId, CType, unqualified

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.expressions import Expressions

_ARITHMETIC = {
    BinaryKind.MULTIPLY: tree.BinaryOp.MULTIPLY,
    BinaryKind.DIVIDE: tree.BinaryOp.DIVIDE,
    BinaryKind.REMAINDER: tree.BinaryOp.REMAINDER,
    BinaryKind.ADD: tree.BinaryOp.ADD,
    BinaryKind.SUBTRACT: tree.BinaryOp.SUBTRACT,
    BinaryKind.AND: tree.BinaryOp.AND,
    BinaryKind.XOR: tree.BinaryOp.XOR,
    BinaryKind.OR: tree.BinaryOp.OR,
}
_SHIFTS = {
    BinaryKind.SHIFT_LEFT: tree.BinaryOp.SHIFT_LEFT,
    BinaryKind.SHIFT_RIGHT: tree.BinaryOp.SHIFT_RIGHT,
}
_COMPARISONS = {
    BinaryKind.LESS: tree.BinaryOp.LESS,
    BinaryKind.GREATER: tree.BinaryOp.GREATER,
    BinaryKind.LESS_EQUAL: tree.BinaryOp.LESS_EQUAL,
    BinaryKind.GREATER_EQUAL: tree.BinaryOp.GREATER_EQUAL,
    BinaryKind.EQUAL: tree.BinaryOp.EQUAL,
    BinaryKind.NOT_EQUAL: tree.BinaryOp.NOT_EQUAL,
}
_LOGICAL = {
    BinaryKind.LOGICAL_AND: tree.LogicalOp.AND,
    BinaryKind.LOGICAL_OR: tree.LogicalOp.OR,
}
_COMPOUND = {
    BinaryKind.MULTIPLY_ASSIGN: tree.BinaryOp.MULTIPLY,
    BinaryKind.DIVIDE_ASSIGN: tree.BinaryOp.DIVIDE,
    BinaryKind.REMAINDER_ASSIGN: tree.BinaryOp.REMAINDER,
    BinaryKind.ADD_ASSIGN: tree.BinaryOp.ADD,
    BinaryKind.SUBTRACT_ASSIGN: tree.BinaryOp.SUBTRACT,
    BinaryKind.SHIFT_LEFT_ASSIGN: tree.BinaryOp.SHIFT_LEFT,
    BinaryKind.SHIFT_RIGHT_ASSIGN: tree.BinaryOp.SHIFT_RIGHT,
    BinaryKind.AND_ASSIGN: tree.BinaryOp.AND,
    BinaryKind.XOR_ASSIGN: tree.BinaryOp.XOR,
    BinaryKind.OR_ASSIGN: tree.BinaryOp.OR,
}
_INT_WIDTH = 32


def binary(expressions: Expressions, node: Node) -> Operand:
    """Any binary operator but the compound assignments."""
    kind = binary_kind(node)
    parts = children(node)
    left, right = expressions.operand(parts[0]), expressions.operand(parts[1])
    target = unqualified(expressions.context.type_of(node))
    span = expressions.context.span(node)
    if kind is BinaryKind.ASSIGN:
        place = as_lvalue(left)
        if place is None:
            given = expressions.library_member(parts[0], right)
            return _no_place(expressions, node, left) if given is None else given
        return tree.Assign(place, converted(right, place.type), unqualified(place.type), span)
    first, second = value(left), value(right)
    if kind is BinaryKind.COMMA:
        return tree.Comma(first, second, second.type, span)
    if kind in _LOGICAL:
        return tree.Logical(_LOGICAL[kind], first, second, INT, span)
    if kind in _COMPARISONS:
        return _comparison(_COMPARISONS[kind], first, second, span)
    if kind in _SHIFTS:
        return tree.Binary(_SHIFTS[kind], converted(first, target), second, target, span)
    if kind in _ARITHMETIC:
        return _arithmetic(_ARITHMETIC[kind], first, second, target, span)
    return expressions.unsupported(node, "this operator")


def _no_place(expressions: Expressions, node: Node, target: Operand) -> tree.UnsupportedExpr:
    if isinstance(target, tree.UnsupportedExpr):
        return target
    return expressions.unsupported(node, "this assignment")


def _comparison(op: tree.BinaryOp, left: tree.Expr, right: tree.Expr, span: Span) -> tree.Binary:
    left, right = _thread(left), _thread(right)
    if isinstance(left.type, CThreadId) or isinstance(right.type, CThreadId):
        left, right = converted(left, CThreadId()), converted(right, CThreadId())
    elif isinstance(left.type, CPointer) != isinstance(right.type, CPointer):
        pointer = left.type if isinstance(left.type, CPointer) else right.type
        left, right = converted(left, pointer), converted(right, pointer)
    return tree.Binary(op, left, right, INT, span)


def _thread(operand: tree.Expr) -> tree.Expr:
    """Threads are compared as threads, not as the numbers the compiler takes them for."""
    if isinstance(operand, tree.Convert) and not operand.explicit:
        inner = operand.operand
        if isinstance(inner.type, CThreadId):
            return inner
    return operand


def _arithmetic(
    op: tree.BinaryOp, left: tree.Expr, right: tree.Expr, target: CType, span: Span
) -> tree.Expr:
    """Arithmetic on numbers and pointers."""
    pointers = isinstance(left.type, CPointer), isinstance(right.type, CPointer)
    negative = op is tree.BinaryOp.SUBTRACT
    if pointers == (True, True):
        return tree.PointerDifference(left, right, target, span)
    if pointers == (True, False):
        return tree.PointerArithmetic(left, right, negative, left.type, span)
    if pointers == (False, True):
        return tree.PointerArithmetic(right, left, negative, right.type, span)
    return tree.Binary(op, converted(left, target), converted(right, target), target, span)


def compound_assignment(expressions: Expressions, node: Node) -> Operand:
    """`place op= value` (C17 6.5.16.2)."""
    kind = binary_kind(node)
    parts = children(node)
    target, operand = expressions.operand(parts[0]), expressions.value(parts[1])
    place = as_lvalue(target)
    if place is None or kind is None or kind not in _COMPOUND:
        return _no_place(expressions, node, target)
    op = _COMPOUND[kind]
    computation = _promoted_place(parts[0], place.type)
    if not isinstance(computation, CPointer) and op not in _SHIFTS.values():
        computation = usual(computation, promoted(operand.type))
        operand = converted(operand, computation)
    span = expressions.context.span(node)
    return tree.CompoundAssign(op, place, operand, computation, unqualified(place.type), span)


def _promoted_place(node: Node, kind: CType) -> CType:
    """The promoted type of an object; a bit-field that `int` can hold becomes `int`."""
    while node.kind == Kind.PAREN_EXPR:
        (node,) = children(node)
    if node.kind != Kind.MEMBER_REF_EXPR or not node.referenced.is_bitfield():
        return promoted(kind)
    narrow = node.referenced.get_bitfield_width() < _INT_WIDTH
    return INT if narrow else promoted(kind)
