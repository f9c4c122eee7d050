"""What `va_start`, `va_arg`, `va_copy` and `va_end` do to lists of arguments.

In nearly all programs a list belongs to the function that has it: it is a local variable or a
parameter, and used for nothing but these four and to be passed as a list. Nobody else can get at
it then, as functions that are passed a list cannot keep it either: there is nothing to model, and
what is passed is a null pointer, which nobody looks at.

A program with any other use of a list, say one in a global variable, a record or an array, or one
whose address is taken or converted, has lists that several threads may know. There all lists are
objects, and each use accesses its list:

    change_list(l), opaque_argument(l)  l is written (`va_arg` reads it too, which adds nothing)
    copy_list(to, from)                 from is read, to is written
    a function of the library           the lists that it is passed are written

`va_end` counts as a write: it may change the list (C17 7.16.1.3). Of the record that a list is,
one member stands for all of it: these accesses concern it as a whole, and so do copies and bytes.
What is written there is no position: that programs do not look at it is an assumption of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.types import (
    INT,
    VOID,
    CArray,
    CFunction,
    CInteger,
    CPointer,
    CRecord,
    CType,
    unqualified,
)
from threadwise.frontends.c.walking import names_of_parts, parts

ASSUMED = "lists of arguments are used by the macros of stdarg.h only"
LIST = "struct __va_list_tag"
_CHANGE = "__tw_change_list"
_COPY = "__tw_copy_list"
_ARGUMENT = "__tw_opaque_argument"
_VALUE = "__tw_opaque_value"
_POSITION = "gp_offset"
_UNSIGNED = CInteger(32, signed=False)


def give_lists_a_meaning(program: tree.Program) -> tuple[str, ...]:
    """Replace the primitives about lists by what they do in this program; what is assumed."""
    if LIST not in program.records:
        return ()
    bodies = [f for f in program.functions.values() if f.body is not None]
    own = all(_uses_own_lists(function.body) for function in bodies)
    change = _OwnLists() if own else _SharedLists()
    for function in bodies:
        function.body = change.of(function.body)
        if function.library and not own:
            _use_given_lists(function)
    return () if own else (ASSUMED,)


def _use_given_lists(function: tree.Function) -> None:
    """Functions of the library, as `vprintf`, take arguments from the lists that they get."""
    span = function.span
    given = [each for each in function.parameters if _is_list(each.type)]
    lists = [tree.Load(tree.VariableRef(each, each.type, span), each.type, span) for each in given]
    uses = [tree.Evaluate(_write(each), span) for each in lists]
    if uses and function.body is not None:
        function.body = replace(function.body, statements=(*uses, *function.body.statements))


def leads_to_list(held: CType) -> bool:
    """Whether a type is that of a list of arguments, or a pointer to one."""
    match unqualified(held):
        case CPointer(target):
            return leads_to_list(target)
        case CArray(element):
            return leads_to_list(element)
        case CRecord(key):
            return key == LIST
        case _:
            return False


def _uses_own_lists(node: object) -> bool:
    """Whether lists are used only as arguments, and by the names of local variables."""
    if isinstance(node, tree.Call):
        passed = zip(node.arguments, _kinds(node), strict=False)
        given = [argument for argument, kind in passed if not _is_own(argument, kind)]
        return all(map(_uses_own_lists, (node.callee, *given)))
    held = None if isinstance(node, tree.Variable) else getattr(node, "type", None)
    if held is not None and leads_to_list(held):
        return False
    return all(map(_uses_own_lists, parts(node)))


def _kinds(call: tree.Call) -> Iterator[CType]:
    """The types of the parameters; none is known of arguments beyond them."""
    callee = call.callee.type
    function = callee.target if isinstance(callee, CPointer) else callee
    known = function.parameters if isinstance(function, CFunction) else None
    yield from known or ()
    while True:
        yield VOID


def _is_own(argument: tree.Expr, kind: CType) -> bool:
    """Whether an argument is a list of the function itself, for a parameter that is a list."""
    match argument:
        case tree.Decay(tree.VariableRef(variable)) | tree.Load(tree.VariableRef(variable)):
            local = variable.storage is tree.Storage.LOCAL
            return local and _is_list(argument.type) and _is_list(kind)
        case _:
            return False


def _is_list(held: CType) -> bool:
    """Whether a value of this type is a list: the address of its record."""
    return isinstance(held, CPointer) and held.target == CRecord(LIST)


class _Change:
    """A tree without the primitives."""

    def of(self, node: Any) -> Any:
        """The same node, the uses of lists in it replaced."""
        if isinstance(node, tuple):
            changed = tuple(map(self.of, node))
            return changed if any(a is not b for a, b in zip(node, changed, strict=True)) else node
        named = {name: getattr(node, name) for name in names_of_parts(node)}
        after = {name: self.of(part) for name, part in named.items()}
        differing = {name: part for name, part in after.items() if part is not named[name]}
        changed = replace(node, **differing) if differing else node
        return self.call(changed) if isinstance(changed, tree.Call) else changed

    def call(self, call: tree.Call) -> tree.Expr:
        raise NotImplementedError


class _OwnLists(_Change):
    """Lists that nobody else knows: they need not exist."""

    def call(self, call: tree.Call) -> tree.Expr:
        name, span = _name(call), call.span
        if name in {_CHANGE, _COPY}:
            self._forget(call.arguments)
            return tree.Convert(tree.IntegerConstant(0, INT, span), VOID, span)
        if not any(_is_list(argument.type) for argument in call.arguments):
            return call
        self._forget(call.arguments)
        if name == _ARGUMENT:
            return replace(call, arguments=())
        given = tuple(_null(a) if _is_list(a.type) else a for a in call.arguments)
        return replace(call, arguments=given)

    @staticmethod
    def _forget(arguments: tuple[tree.Expr, ...]) -> None:
        """The addresses of lists are not used any more."""
        for argument in arguments:
            match argument:
                case tree.Decay(tree.VariableRef(variable)) if _is_list(argument.type):
                    variable.address_taken = False
                case _:
                    pass


def _null(argument: tree.Expr) -> tree.Expr:
    zero = tree.IntegerConstant(0, INT, argument.span)
    return tree.Convert(zero, argument.type, argument.span)


class _SharedLists(_Change):
    """Lists that others may know: they are objects."""

    def call(self, call: tree.Call) -> tree.Expr:
        name, given = _name(call), call.arguments
        if name == _CHANGE:
            return _nothing_of(_write(given[0]), call)
        if name == _COPY:
            read = tree.Load(_position(given[1]), _UNSIGNED, given[1].span)
            return _nothing_of(_write(given[0], read), call)
        if name == _ARGUMENT:
            value = _any(call.span, call.type)
            return tree.Comma(_write(given[0]), value, call.type, call.span)
        return call


def _name(call: tree.Call) -> str:
    return call.callee.function.name if isinstance(call.callee, tree.FunctionName) else ""


def _nothing_of(value: tree.Expr, call: tree.Call) -> tree.Expr:
    return tree.Convert(value, VOID, call.span)


def _position(pointer: tree.Expr) -> tree.LValue:
    """The member that stands for a list."""
    record = tree.Deref(pointer, CRecord(LIST), pointer.span)
    return tree.Member(record, (_POSITION,), _UNSIGNED, pointer.span)


def _write(changed: tree.Expr, stored: tree.Expr | None = None) -> tree.Expr:
    stored = stored or tree.IntegerConstant(0, _UNSIGNED, changed.span)
    return tree.Assign(_position(changed), stored, _UNSIGNED, changed.span)


def _any(span: Span, held: CType) -> tree.Expr:
    """A value that C knows."""
    function = tree.Function(_VALUE, _VALUE, CFunction(held, ()), (), span)
    callee = tree.FunctionName(function, CPointer(function.type), span)
    return tree.Call(callee, (), held, span)
