"""How large the data of a program is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from threadwise.ir.expr import Variable
from threadwise.ir.program import Program
from threadwise.ir.types import IntType, MachineType, Type, parts_of

WIDE = 16
"""Machine integers of so many bits have more values than are worth listing."""


def has_unbounded_data(program: Program) -> bool:
    """Whether some variable holds integers without bound."""
    return _has(program, lambda held: isinstance(held, IntType))


def has_wide_data(program: Program) -> bool:
    """Whether some variable holds integers without bound, or wide ones of a machine."""
    return _has(program, _is_wide)


def _is_wide(held: Type) -> bool:
    return isinstance(held, IntType) or (isinstance(held, MachineType) and held.width >= WIDE)


def _has(program: Program, concerns: Callable[[Type], bool]) -> bool:
    return any(map(concerns, (t for v in _variables(program) for t in parts_of(v.type))))


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
