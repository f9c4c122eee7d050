"""Which global variables addresses may name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from threadwise.analyses.uses import Uses
from threadwise.ir.program import Program, stated_values
from threadwise.ir.types import Address, Value


def addressed_variables(program: Program, uses: Uses) -> set[str]:
    """The global variables that a pointer may lead to; none if nothing is dereferenced."""
    if any(used.follows for used in uses.in_program(program)):
        return numbered_variables(program, uses)
    return set()


def numbered_variables(program: Program, uses: Uses) -> set[str]:
    """The global variables that an address may name, and that must keep their numbers for it.

    An address comes from `&x`, from a constant in an expression, or from an initial value. That
    nothing is dereferenced does not matter: addresses are compared and subtracted, too.
    """
    names = [declaration.variable.name for declaration in program.globals]
    found: set[str] = set()
    for declaration, _ in program.declarations:
        found.update(_named(stated_values(declaration.initial), names))
    for used in uses.in_program(program):
        found |= used.addressed
        found.update(_named(used.addresses, names))
    return found


def removable_variables(program: Program, uses: Uses) -> frozenset[str]:
    """The global variables without which all others keep the numbers that addresses name."""
    numbered = numbered_variables(program, uses)
    names = [declaration.variable.name for declaration in program.globals]
    last = max((number for number, name in enumerate(names) if name in numbered), default=-1)
    return frozenset(names[last + 1 :])


def _named(values: Iterable[Value], names: Sequence[str]) -> Iterator[str]:
    for value in values:
        if isinstance(value, Address) and 0 <= value.number < len(names):
            yield names[value.number]
