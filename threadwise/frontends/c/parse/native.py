"""What libclang offers and its Python binding does not: operator kinds, evaluation, line markers.

The functions are in the library of the wheel; the binding declares no prototypes for them. Cursors
and types stay those of the binding (`clang.cindex`), untyped as it is: `Node` and `ClangType` name
them for readers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cache
from typing import Any, TypeAlias

from clang import cindex

from threadwise.core.recursion import ensure_headroom

Node: TypeAlias = Any
"""A `cindex.Cursor`."""
ClangType: TypeAlias = Any
"""A `cindex.Type`."""
Kind = cindex.CursorKind
TypeKind = cindex.TypeKind


class BinaryKind(IntEnum):
    """`CXBinaryOperatorKind`, as far as C has them."""

    MULTIPLY = 3
    DIVIDE = 4
    REMAINDER = 5
    ADD = 6
    SUBTRACT = 7
    SHIFT_LEFT = 8
    SHIFT_RIGHT = 9
    LESS = 11
    GREATER = 12
    LESS_EQUAL = 13
    GREATER_EQUAL = 14
    EQUAL = 15
    NOT_EQUAL = 16
    AND = 17
    XOR = 18
    OR = 19
    LOGICAL_AND = 20
    LOGICAL_OR = 21
    ASSIGN = 22
    MULTIPLY_ASSIGN = 23
    DIVIDE_ASSIGN = 24
    REMAINDER_ASSIGN = 25
    ADD_ASSIGN = 26
    SUBTRACT_ASSIGN = 27
    SHIFT_LEFT_ASSIGN = 28
    SHIFT_RIGHT_ASSIGN = 29
    AND_ASSIGN = 30
    XOR_ASSIGN = 31
    OR_ASSIGN = 32
    COMMA = 33


class UnaryKind(IntEnum):
    """`CXUnaryOperatorKind`, as far as C has them."""

    POST_INCREMENT = 1
    POST_DECREMENT = 2
    PRE_INCREMENT = 3
    PRE_DECREMENT = 4
    ADDRESS_OF = 5
    DEREFERENCE = 6
    PLUS = 7
    MINUS = 8
    COMPLEMENT = 9
    NOT = 10
    REAL = 11
    IMAGINARY = 12
    EXTENSION = 13


_EVALUATED_INTEGER = 1
_EVALUATED_FLOAT = 2

_Function: TypeAlias = Callable[..., Any]


@cache
def _function(name: str, result: Any, *arguments: Any) -> _Function:
    function = getattr(cindex.conf.lib, name)
    function.restype = result
    function.argtypes = list(arguments)
    if result is cindex._CXString:
        function.errcheck = cindex._CXString.from_result
    typed: _Function = function
    return typed


def binary_kind(node: Node) -> BinaryKind | None:
    """Which binary operator it is; None if it is none of C."""
    number = _function("clang_getCursorBinaryOperatorKind", ctypes.c_int, cindex.Cursor)(node)
    return BinaryKind(number) if number in BinaryKind._value2member_map_ else None


def unary_kind(node: Node) -> UnaryKind | None:
    """Which unary operator it is; None if it is none of C."""
    number = _function("clang_getCursorUnaryOperatorKind", ctypes.c_int, cindex.Cursor)(node)
    return UnaryKind(number) if number in UnaryKind._value2member_map_ else None


def evaluate(node: Node) -> int | float | None:
    """The value of a constant expression; None if it is none.

    libclang folds expressions with side effects too, so this is only for nodes that have none:
    literals, `sizeof`, enumerators, what the language requires to be constant.
    """
    result = _function("clang_Cursor_Evaluate", ctypes.c_void_p, cindex.Cursor)(node)
    if not result:
        return None
    try:
        kind = _function("clang_EvalResult_getKind", ctypes.c_int, ctypes.c_void_p)(result)
        if kind == _EVALUATED_INTEGER:
            return _evaluated_integer(result)
        if kind == _EVALUATED_FLOAT:
            as_double = _function("clang_EvalResult_getAsDouble", ctypes.c_double, ctypes.c_void_p)
            return float(as_double(result))
        return None
    finally:
        _function("clang_EvalResult_dispose", None, ctypes.c_void_p)(result)


def _evaluated_integer(result: int) -> int:
    unsigned = _function("clang_EvalResult_isUnsignedInt", ctypes.c_uint, ctypes.c_void_p)
    name, width = (
        ("clang_EvalResult_getAsUnsigned", ctypes.c_ulonglong)
        if unsigned(result)
        else ("clang_EvalResult_getAsLongLong", ctypes.c_longlong)
    )
    return int(_function(name, width, ctypes.c_void_p)(result))


def evaluate_integer(node: Node) -> int | None:
    """The value of an integer constant expression."""
    value = evaluate(node)
    return value if isinstance(value, int) else None


def pretty_printed(node: Node) -> str:
    """A declaration as text, function bodies included, all macros expanded."""
    printed = _function(
        "clang_getCursorPrettyPrinted", cindex._CXString, cindex.Cursor, ctypes.c_void_p
    )
    return str(printed(node, None))


def presumed_location(location: Any) -> tuple[str, int, int]:
    """File, line and column in bytes, as line markers say; of a macro, where it was used."""
    path, line, column = cindex._CXString(), ctypes.c_uint(), ctypes.c_uint()
    locate = _function(
        "clang_getPresumedLocation",
        None,
        cindex.SourceLocation,
        ctypes.POINTER(cindex._CXString),
        ctypes.POINTER(ctypes.c_uint),
        ctypes.POINTER(ctypes.c_uint),
    )
    locate(location, ctypes.byref(path), ctypes.byref(line), ctypes.byref(column))
    name = cindex._CXString.from_result(path)
    return str(name or ""), line.value, column.value


def in_system_header(node: Node) -> bool:
    """Whether it stands in a header found by `-isystem`."""
    return bool(cindex.conf.lib.clang_Location_isInSystemHeader(node.location))


def value_type(atomic: ClangType) -> ClangType:
    """The type inside `_Atomic`."""
    get = _function("clang_Type_getValueType", cindex.Type, cindex.Type)
    get.errcheck = cindex.Type.from_result  # type: ignore[attr-defined]
    return get(atomic)


def modified_type(attributed: ClangType) -> ClangType:
    """The type to which an attribute was applied."""
    get = _function("clang_Type_getModifiedType", cindex.Type, cindex.Type)
    get.errcheck = cindex.Type.from_result  # type: ignore[attr-defined]
    return get(attributed)


def initialiser_of(variable: Node) -> Node | None:
    """The initialiser of a variable, if it has one."""
    get = _function("clang_Cursor_getVarDeclInitializer", cindex.Cursor, cindex.Cursor)
    found = get(variable)
    if found is None or found._kind_id == 0 or bool(cindex.conf.lib.clang_Cursor_isNull(found)):
        return None
    found._tu = variable._tu
    return found


def is_inlined(function: Node) -> bool:
    """Whether a function is declared `inline`."""
    return bool(
        _function("clang_Cursor_isFunctionInlined", ctypes.c_uint, cindex.Cursor)(function)
    )


def kind_of(node: Node) -> Any:
    """The kind of a cursor; None for one that the binding does not know."""
    try:
        return node.kind
    except ValueError:
        return None


def children(node: Node) -> list[Node]:
    """The children of a cursor, in the order of libclang.

    A callback collects them, in which an exception would be lost, and the children after it too.
    """
    ensure_headroom()
    return list(node.get_children())


def parameters(function: Node) -> list[Node]:
    """The parameters of a declared function.

    Among its children are those of the function that a pointer which it returns leads to, too.
    """
    return list(function.get_arguments())


def descendants(node: Node) -> Iterator[Node]:
    """A cursor and everything below it, parents first, in the order of libclang."""
    pending = [node]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(reversed(children(found)))
