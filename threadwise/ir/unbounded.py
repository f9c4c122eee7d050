"""Whether the data of a program has bounds."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.expr import Variable
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, IntType, RecordType, Type


def has_unbounded_data(program: Program) -> bool:
    """Whether some variable holds integers without bound."""
    return any(_is_unbounded(variable.type) for variable in _variables(program))


def _variables(program: Program) -> Iterator[Variable]:
    for declaration in program.globals:
        yield declaration.variable
    for template in program.templates:
        for declaration in template.variables:
            yield declaration.variable
    for procedure in program.procedures:
        yield from procedure.parameters
        for declaration in procedure.locals:
            yield declaration.variable


def _is_unbounded(held: Type) -> bool:
    match held:
        case ArrayType(element, _):
            return _is_unbounded(element)
        case RecordType():
            return any(_is_unbounded(part) for _, part in held.fields)
        case _:
            return isinstance(held, IntType)
