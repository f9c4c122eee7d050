"""Values to try for inputs that have too many to try all.

A search that tries some values of an input finds real violations and proves nothing. Tried are 0,
1, -1, the constants that the program mentions (the values that its variables begin with among
them), and then their neighbours, each nearest to 0 first: there programs change their minds.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, Wrap
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import AnyValue, Program, stated_values
from threadwise.ir.types import Type, parts_of
from threadwise.semantics.step import may_be_sampled

MOST = 24
"""So many values are tried, unless told otherwise."""
FEW = 8
"""Variables that begin with more values are tables: inputs are seldom compared with these."""


def sample_values(program: Program, most: int = MOST) -> tuple[int, ...] | None:
    """The values to try; None if the program has no such inputs."""
    if not any(may_be_sampled(held) for held in _inputs(program)):
        return None
    mentioned: set[int] = set()
    for edge in program.edges:
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if isinstance(part, Const) and type(part.value) is int:
                    mentioned.add(part.value)
                elif isinstance(part, Wrap):
                    mentioned.update((part.low, part.high))
    for declaration in program.globals:
        values = stated_values(declaration.initial)
        if len(values) <= FEW:
            mentioned.update(value for value in values if type(value) is int)
    neighbours = {value + by for value in mentioned for by in (-1, 1)}
    ranked = [0, 1, -1, *sorted(mentioned, key=_rank), *sorted(neighbours, key=_rank)]
    return tuple(dict.fromkeys(ranked))[:most]


def _rank(value: int) -> tuple[int, int]:
    return abs(value), value


def _inputs(program: Program) -> Iterator[Type]:
    for edge in program.edges:
        if isinstance(edge.action, Command):
            for place in edge.action.havocs:
                yield place.type
    for declaration in program.globals:
        if isinstance(declaration.initial, AnyValue):
            yield from parts_of(declaration.variable.type)
