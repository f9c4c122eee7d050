"""Whether pointers of a type may be known to several threads, as declarations say.

A pointer that is only in local variables whose address is not taken, and is never converted,
stays with its thread.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.frontends.c import tree
from threadwise.frontends.c.types import CArray, CAtomic, CPointer, CType
from threadwise.frontends.c.walking import nodes


def may_be_shared(pointer: CType, program: tree.Program) -> bool:
    """Whether a pointer of this type may be in memory that several threads can find."""
    if any(_mentions(v.type, pointer) for v in program.variables.values() if not v.external):
        return True
    fields = (field for record in program.records.values() for field in record.fields)
    if any(_mentions(field.type, pointer) for field in fields):
        return True
    for function in program.functions.values():
        for variable in _locals(function):
            inside = variable.type != pointer and _mentions(variable.type, pointer)
            if inside or (variable.address_taken and variable.type == pointer):
                return True
        if any(_is_converted(node, pointer) for node in nodes(function.body)):
            return True
    return False


def _locals(function: tree.Function) -> Iterator[tree.Variable]:
    yield from function.parameters
    for node in nodes(function.body):
        if isinstance(node, tree.Declare):
            yield node.variable


def _mentions(held: CType, pointer: CType) -> bool:
    """Whether an object of a type may contain such a pointer, or lead to one."""
    while held != pointer:
        match held:
            case CPointer(inner) | CArray(inner, _) | CAtomic(inner):
                held = inner
            case _:
                return False
    return True


def _is_converted(node: object, pointer: CType) -> bool:
    """Whether such a pointer becomes something else, or comes from something else than null."""
    if not isinstance(node, tree.Convert):
        return False
    if node.operand.type == pointer:
        return isinstance(node.type, CPointer) and node.type != pointer
    return node.type == pointer and not _is_null(node.operand)


def _is_null(operand: tree.Expr) -> bool:
    while isinstance(operand, tree.Convert):
        operand = operand.operand
    return isinstance(operand, tree.IntegerConstant) and operand.value == 0
