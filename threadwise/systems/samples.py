"""Values to try for inputs that have too many to try all.

A search that tries some values of an input finds real violations and proves nothing. Tried are 0,
1, -1 and the constants that the program mentions with their neighbours, nearest to 0 first: there
programs change their minds.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, Wrap
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import AnyValue, Program
from threadwise.ir.types import Type, parts_of
from threadwise.semantics.step import may_be_sampled

_MOST = 24
"""So many values are tried."""


def sample_values(program: Program) -> tuple[int, ...] | None:
    """The values to try; None if the program has no such inputs."""
    if not any(may_be_sampled(held) for held in _inputs(program)):
        return None
    found = {0, 1, -1}
    for edge in program.edges:
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if isinstance(part, Const) and type(part.value) is int:
                    found.update((part.value - 1, part.value, part.value + 1))
                elif isinstance(part, Wrap):
                    found.update((part.low, part.high))
    return tuple(sorted(found, key=lambda value: (abs(value), value))[:_MOST])


def _inputs(program: Program) -> Iterator[Type]:
    for edge in program.edges:
        if isinstance(edge.action, Command):
            for place in edge.action.havocs:
                yield place.type
    for declaration in program.globals:
        if isinstance(declaration.initial, AnyValue):
            yield from parts_of(declaration.variable.type)
