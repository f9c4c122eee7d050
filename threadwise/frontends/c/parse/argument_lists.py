"""Lists of variable arguments: `va_start`, `va_arg`, `va_copy`, `va_end`.

What they do to a list is said by calls of primitives, which `argument_lists` of the front end
gives a meaning once it is known how the whole program uses its lists:

    va_start(l, n), va_end(l)   change_list(l)
    va_copy(to, from)           copy_list(to, from)
    va_arg(l, T)                opaque_argument(l): some value of type T

A list is an array of one record on 64 bits, so that these get its address. On 32 bits it is a
pointer: lists there that are no local variables are limits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang.cindex import StorageClass

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.native import Kind, Node, children, kind_of
from threadwise.frontends.c.types import INT, VOID, CFunction, CPointer, CType, unqualified

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.expressions import Expressions

LIST_BUILTIN = "__builtin_va_"
CHANGE_LIST = "__tw_change_list"
COPY_LIST = "__tw_copy_list"
NEXT_ARGUMENT = "__tw_opaque_argument"

_RECORD = re.compile(r"struct __va_list_tag( \*|\[1\])")
_SCALAR = frozenset({"va_list", "__builtin_va_list", "__gnuc_va_list"})
_ELSEWHERE = "a list of arguments that is no local variable"


def is_argument_list(node: Node) -> bool:
    """Whether an expression is a list of variable arguments, or the address of its record."""
    return _is_record(node) or node.type.spelling in _SCALAR


def is_own_scalar(node: Node) -> bool:
    """Whether a list that is a pointer is named, a local variable."""
    if _is_record(node) or node.type.spelling not in _SCALAR:
        return False
    while kind_of(node) == Kind.UNEXPOSED_EXPR and len(below := children(node)) == 1:
        node = below[0]
    named = node.referenced if kind_of(node) == Kind.DECL_REF_EXPR else None
    if named is None:
        return False
    inside = (
        named.semantic_parent is not None and kind_of(named.semantic_parent) == Kind.FUNCTION_DECL
    )
    static = named.storage_class in {StorageClass.STATIC, StorageClass.EXTERN}
    return kind_of(named) == Kind.PARM_DECL or (inside and not static)


def _is_record(node: Node) -> bool:
    return _RECORD.fullmatch(node.type.get_canonical().spelling) is not None


def no_list(expressions: Expressions, node: Node) -> tree.Expr:
    """A list that is passed on: which arguments these are is not modelled."""
    span = expressions.context.span(node)
    zero = tree.IntegerConstant(0, INT, span)
    return tree.Convert(zero, CPointer(VOID), span)


def nothing(span: Span) -> tree.Expr:
    """An expression without value and effect."""
    return tree.Convert(tree.IntegerConstant(0, INT, span), VOID, span)


def use_of_list(
    expressions: Expressions, node: Node, name: str, arguments: list[Node]
) -> tree.Expr:
    """`va_start`, `va_end` or `va_copy`."""
    copies = name == "__builtin_va_copy"
    lists = arguments[: 2 if copies else 1]
    span = expressions.context.span(node)
    if not all(map(_is_record, lists)):
        own = all(map(is_own_scalar, lists))
        return nothing(span) if own else expressions.unsupported(node, _ELSEWHERE)
    given = tuple(expressions.value(each) for each in lists)
    return _call(COPY_LIST if copies else CHANGE_LIST, given, VOID, span)


def next_argument(expressions: Expressions, node: Node, given: Node) -> tree.Expr:
    """`va_arg`: some value of its type."""
    kind, span = unqualified(expressions.context.type_of(node)), expressions.context.span(node)
    if _is_record(given):
        return _call(NEXT_ARGUMENT, (expressions.value(given),), kind, span)
    if is_own_scalar(given):
        return _call(NEXT_ARGUMENT, (), kind, span)
    return expressions.unsupported(node, _ELSEWHERE)


def _call(name: str, given: tuple[tree.Expr, ...], result: CType, span: Span) -> tree.Call:
    kinds = tuple(each.type for each in given)
    function = tree.Function(name, name, CFunction(result, kinds), (), span)
    callee = tree.FunctionName(function, CPointer(function.type), span)
    return tree.Call(callee, given, result, span)
