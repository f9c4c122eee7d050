"""From places to values, and from one type to another: what C does without being asked."""

from __future__ import annotations

from typing import TypeAlias

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.types import (
    INT,
    CArray,
    CBool,
    CFloat,
    CInteger,
    CPointer,
    CType,
    CVoid,
    unqualified,
)

Place: TypeAlias = tree.LValue | tree.ValueMember
Operand: TypeAlias = tree.Expr | Place
"""An expression before it is known whether its object or its value is meant."""

_PLACES = (
    tree.VariableRef,
    tree.Deref,
    tree.Member,
    tree.ValueMember,
    tree.StringLiteral,
    tree.CompoundLiteral,
)
_INT_WIDTH = 32


def as_lvalue(operand: Operand) -> tree.LValue | None:
    """The operand if it denotes an object that can be written or have its address taken."""
    if isinstance(operand, tree.ValueMember) or not isinstance(operand, _PLACES):
        return None
    return operand


def value(operand: Operand) -> tree.Expr:
    """The value of an operand: objects are read, arrays decay."""
    if not isinstance(operand, _PLACES):
        return operand
    if isinstance(operand.type, CArray):
        mark_address(operand)
        return tree.Decay(operand, CPointer(operand.type.element), operand.span)
    return tree.Load(operand, unqualified(operand.type), operand.span)


def converted(operand: Operand, target: CType, span: Span | None = None) -> tree.Expr:
    """The value of an operand in another type; nothing happens if it has that type already."""
    result = value(operand)
    target = unqualified(target)
    if result.type == target or isinstance(result, tree.UnsupportedExpr):
        return result
    if isinstance(result.type, CVoid):
        return tree.UnsupportedExpr("the value of what has none", target, result.span)
    return tree.Convert(result, target, span or result.span)


def mark_address(place: Operand) -> None:
    """Remember that the address of (a part of) a variable is known to others."""
    while isinstance(place, tree.Member | tree.ValueMember):
        place = place.base
    if isinstance(place, tree.VariableRef | tree.CompoundLiteral):
        place.variable.address_taken = True


def address(operand: Operand, span: Span) -> tree.Expr:
    """`&operand`; `&*p` is `p`, `&f` is `f`."""
    if isinstance(operand, tree.Deref):
        return operand.pointer
    if isinstance(operand, tree.ValueMember):
        return tree.UnsupportedExpr(
            "the address of a part of a value", CPointer(operand.type), span
        )
    if not isinstance(operand, _PLACES):
        return operand
    mark_address(operand)
    return tree.AddressOf(operand, CPointer(operand.type), span)


def dereferenced(pointer: tree.Expr, target: CType, span: Span) -> tree.LValue:
    """`*pointer`; `*&x` is `x`."""
    if isinstance(pointer, tree.AddressOf) and pointer.place.type == target:
        return pointer.place
    return tree.Deref(pointer, target, span)


def promoted(candidate: CType) -> CType:
    """The integer promotions (C17 6.3.1.1), for types of objects that are no bit-fields."""
    candidate = unqualified(candidate)
    if isinstance(candidate, CBool):
        return INT
    if isinstance(candidate, CInteger) and candidate.width < _INT_WIDTH:
        return INT
    return candidate


def usual(left: CType, right: CType) -> CType:
    """The usual arithmetic conversions (C17 6.3.1.8) on two promoted types.

    Types of equal width are of equal rank here: `long` and `long long` differ by nothing we keep.
    """
    if isinstance(left, CFloat) or isinstance(right, CFloat):
        widths = [each.width for each in (left, right) if isinstance(each, CFloat)]
        return CFloat(max(widths))
    if not isinstance(left, CInteger) or not isinstance(right, CInteger):
        return left
    if left.width != right.width:
        return left if left.width > right.width else right
    return CInteger(left.width, left.signed and right.signed)


def argument_promoted(operand: Operand, double: CFloat) -> tree.Expr:
    """The default argument promotions (C17 6.5.2.2)."""
    result = value(operand)
    if isinstance(result.type, CFloat):
        return converted(result, CFloat(max(double.width, result.type.width)))
    return converted(result, promoted(result.type))
