"""Lengths in types: `int (*rows)[n]`, `sizeof(int[n])`, a parameter `int row[n]`.

C evaluates them wherever such a type is declared or named (C17 6.7.6.2). Of most types we keep no
length, so nothing is lost only if evaluating it reads nothing that others may write, and changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from clang.cindex import StorageClass, Type

from threadwise.frontends.c.parse.native import (
    BinaryKind,
    Kind,
    Node,
    TypeKind,
    UnaryKind,
    binary_kind,
    children,
    kind_of,
    unary_kind,
)

ODD = "a length in a type that is more than local variables and constants"

_AROUND = frozenset({TypeKind.POINTER, TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY})
_TRANSPARENT = frozenset(
    {
        Kind.UNEXPOSED_EXPR,
        Kind.PAREN_EXPR,
        Kind.CSTYLE_CAST_EXPR,
        Kind.CONDITIONAL_OPERATOR,
    }
)
_CONSTANT = frozenset({Kind.INTEGER_LITERAL, Kind.CHARACTER_LITERAL, Kind.CXX_UNARY_EXPR})
_PURE_UNARY = frozenset(
    {UnaryKind.PLUS, UnaryKind.MINUS, UnaryKind.COMPLEMENT, UnaryKind.NOT, UnaryKind.EXTENSION}
)


def has_odd_length(parts: Iterable[Node]) -> bool:
    """Whether one of the expressions in a type does more than read local variables."""
    return any(part.kind.is_expression() and not _is_plain(part) for part in parts)


def names_element(parts: Iterable[Node]) -> bool:
    """Whether an expression is `*rows` or `rows[i]`: of an array nothing is read by that."""
    found = list(parts)
    while len(found) == 1 and found[0].kind == Kind.PAREN_EXPR:
        found = children(found[0])
    if len(found) != 1 or found[0].type.get_canonical().kind != TypeKind.VARIABLEARRAY:
        return False
    node = found[0]
    follows = kind_of(node) == Kind.ARRAY_SUBSCRIPT_EXPR or (
        kind_of(node) == Kind.UNARY_OPERATOR and unary_kind(node) is UnaryKind.DEREFERENCE
    )
    return follows and all(_is_plain(child) for child in children(node))


def is_variable(kind: Type) -> bool:
    """Whether an array of variable length is part of a type."""
    found = kind.get_canonical()
    while found.kind in _AROUND:
        pointer = found.kind == TypeKind.POINTER
        found = found.get_pointee() if pointer else found.get_array_element_type()
    return bool(found.kind == TypeKind.VARIABLEARRAY)


def _is_plain(node: Node) -> bool:
    kind = kind_of(node)
    if kind in _CONSTANT or (kind is not None and not kind.is_expression()):
        return True
    if kind == Kind.DECL_REF_EXPR:
        return _is_local(node.referenced)
    if kind == Kind.UNARY_OPERATOR:
        known = unary_kind(node) in _PURE_UNARY
    elif kind == Kind.BINARY_OPERATOR:
        operator = binary_kind(node)
        known = operator is not None and not BinaryKind.ASSIGN <= operator <= BinaryKind.OR_ASSIGN
    else:
        known = kind in _TRANSPARENT
    return known and all(_is_plain(child) for child in children(node))


def _is_local(declared: Node) -> bool:
    if declared.kind in {Kind.PARM_DECL, Kind.ENUM_CONSTANT_DECL}:
        return True
    if declared.kind != Kind.VAR_DECL:
        return False
    inside = declared.semantic_parent.kind == Kind.FUNCTION_DECL
    automatic = inside and declared.storage_class not in {StorageClass.STATIC, StorageClass.EXTERN}
    return bool(automatic or declared.type.is_const_qualified())
