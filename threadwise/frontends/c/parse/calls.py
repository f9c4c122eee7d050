"""Calls, and the functions that the compiler itself provides."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.argument_lists import (
    LIST_BUILTIN,
    is_own_scalar,
    no_list,
    nothing,
    use_of_list,
)
from threadwise.frontends.c.parse.context import DOUBLE
from threadwise.frontends.c.parse.conversions import (
    Operand,
    argument_promoted,
    converted,
    value,
)
from threadwise.frontends.c.parse.native import (
    Kind,
    Node,
    children,
    descendants,
    evaluate_integer,
    kind_of,
    pretty_printed,
)
from threadwise.frontends.c.types import (
    CFunction,
    CPointer,
    CRecord,
    CType,
    CVoid,
    unqualified,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.expressions import Expressions

_BUILTIN = "__builtin_"
_EXPECTED = frozenset({"__builtin_expect", "__builtin_expect_with_probability"})
_EVALUATED = frozenset({"__builtin_constant_p", "__builtin_object_size"})
_EFFECTLESS = frozenset({"__builtin_prefetch", "__builtin_assume", "__builtin___clear_cache"})
_NOT_A_NUMBER = frozenset({"__builtin_nan", "__builtin_nanf"})
_LIBRARY = frozenset(
    {
        "abort",
        "abs",
        "alloca",
        "calloc",
        "ceil",
        "ceilf",
        "copysign",
        "cos",
        "cosf",
        "exit",
        "exp",
        "fabs",
        "fabsf",
        "floor",
        "floorf",
        "fmax",
        "fmin",
        "fmod",
        "fprintf",
        "free",
        "labs",
        "llabs",
        "log",
        "lround",
        "malloc",
        "memchr",
        "memcmp",
        "memcpy",
        "memmove",
        "memset",
        "pow",
        "printf",
        "putchar",
        "puts",
        "realloc",
        "rint",
        "round",
        "sin",
        "sinf",
        "snprintf",
        "sprintf",
        "sqrt",
        "sqrtf",
        "strcat",
        "strchr",
        "strcmp",
        "strcpy",
        "strlen",
        "strncat",
        "strncmp",
        "strncpy",
        "strrchr",
        "strstr",
        "vprintf",
    }
)
"""Functions of the library that the compiler knows under another name too."""


def call(expressions: Expressions, node: Node) -> Operand:
    """A call of a function."""
    parts = children(node)
    arguments = parts[1:]
    span = expressions.context.span(node)
    if parts[0].spelling.startswith(_BUILTIN):
        special = _builtin(expressions, node, parts[0].spelling, arguments)
        if special is not None:
            return special
    callee = _library_name(expressions, expressions.value(parts[0]))
    kind = callee.type
    if not isinstance(kind, CPointer) or not isinstance(kind.target, CFunction):
        return expressions.unsupported(node, "a call of something that is no function")
    if _is_defined_elsewhere(parts[0]):
        arguments = [_in_transparent_union(argument) or argument for argument in arguments]
    passed = _arguments(expressions, kind.target, arguments)
    if passed is None:
        return expressions.unsupported(node, "a call with a wrong number of arguments")
    expected = unqualified(expressions.context.type_of(node))
    result = unqualified(kind.target.result)
    called = tree.Call(callee, passed, result, span)
    return _result(called, expected)


def _result(called: tree.Call, expected: CType) -> tree.Expr:
    """The result; a call before any declaration took it for an `int`."""
    if isinstance(called.type, CVoid) or isinstance(expected, CVoid):
        return called
    return converted(called, expected)


def _arguments(
    expressions: Expressions, function: CFunction, nodes: list[Node]
) -> tuple[tree.Expr, ...] | None:
    operands = [
        no_list(expressions, node) if is_own_scalar(node) else expressions.operand(node)
        for node in nodes
    ]
    if function.parameters is None:
        return tuple(argument_promoted(operand, DOUBLE) for operand in operands)
    wanted = len(function.parameters)
    if len(operands) < wanted or (len(operands) > wanted and not function.variadic):
        return None
    named = [
        value(operand) if _is_in_union(operand, kind) else converted(operand, kind)
        for operand, kind in zip(operands, function.parameters, strict=False)
    ]
    return (*named, *(argument_promoted(operand, DOUBLE) for operand in operands[wanted:]))


def _is_defined_elsewhere(callee: Node) -> bool:
    """Whether a function is named whose body is not in this file."""
    while kind_of(callee) == Kind.UNEXPOSED_EXPR and len(below := children(callee)) == 1:
        callee = below[0]
    named = callee.referenced if kind_of(callee) == Kind.DECL_REF_EXPR else None
    return named is not None and named.get_definition() is None


def _in_transparent_union(node: Node) -> Node | None:
    """What is put into a transparent union to be passed: its representation is that of a member.

    The GNU library declares functions of sockets with such a parameter, which takes pointers to
    any kind of address.
    """
    if kind_of(node) != Kind.COMPOUND_LITERAL_EXPR:
        return None
    declaration = node.type.get_canonical().get_declaration()
    if kind_of(declaration) != Kind.UNION_DECL:
        return None
    listed = children(node)[-1]
    given = children(listed) if kind_of(listed) == Kind.INIT_LIST_EXPR else []
    transparent = "transparent_union" in pretty_printed(declaration)
    return given[0] if transparent and len(given) == 1 else None


def _is_in_union(operand: Operand, kind: CType) -> bool:
    """Whether a pointer is passed for a union that it is a member of."""
    return isinstance(unqualified(kind), CRecord) and isinstance(value(operand).type, CPointer)


def _builtin(
    expressions: Expressions, node: Node, name: str, arguments: list[Node]
) -> Operand | None:
    """What the compiler would do with one of its own functions; None: it is called."""
    kind, span = unqualified(expressions.context.type_of(node)), expressions.context.span(node)
    if name in _EXPECTED:
        return converted(expressions.operand(arguments[0]), kind)
    if name in _EVALUATED:
        number = evaluate_integer(node)
        if number is None and name == "__builtin_constant_p":
            number = 0
        return None if number is None else tree.IntegerConstant(number, kind, span)
    if name in _EFFECTLESS:
        return nothing(span)
    if name in _NOT_A_NUMBER and _texts(arguments) == ['""']:
        return tree.FloatConstant(nan, kind, span)
    if name == "__builtin_unreachable":
        return expressions.unsupported(node, "reaching __builtin_unreachable()")
    if name.startswith(LIST_BUILTIN):
        return use_of_list(expressions, node, name, arguments)
    return None


def _texts(arguments: list[Node]) -> list[str]:
    """The literals in arguments, as they are written."""
    below = [part for argument in arguments for part in descendants(argument)]
    return [str(part.spelling) for part in below if kind_of(part) == Kind.STRING_LITERAL]


def _library_name(expressions: Expressions, callee: tree.Expr) -> tree.Expr:
    """`__builtin_memcpy` is `memcpy`."""
    if not isinstance(callee, tree.FunctionName):
        return callee
    if not callee.function.name.startswith(_BUILTIN):
        return callee
    short = callee.function.name.removeprefix(_BUILTIN)
    short = "abort" if short == "trap" else short
    if short not in _LIBRARY:
        return callee
    function = expressions.context.symbols.external_function(short, callee.function)
    return value(tree.FunctionName(function, CPointer(function.type), callee.span))
