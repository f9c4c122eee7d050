"""The cells of classes of inputs: of what types, how many there are, and how they begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Uses
from threadwise.ir.commands import Call
from threadwise.ir.expr import Scope
from threadwise.ir.input_classes import Member
from threadwise.ir.layout import has_static_size
from threadwise.ir.program import AnyValue, Declaration, DefaultValue, Program, stated_values
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType, Type, Value, fields_of


class Cells:
    """The cells of a program."""

    def __init__(self, program: Program, uses: Uses, *, pools: bool) -> None:
        self.program = program
        self.uses = uses
        self.pools = pools
        """Whether a pool is taken to have as many threads as it has slots."""

    def held(self, member: Member) -> Type:
        """The type of a member's cells."""
        _, variable, path = member
        return _held(variable.type, path)[0]

    def count(self, members: Iterable[Member]) -> int | None:
        """How many cells there can be in a state; None: no bound is known."""
        total = 0
        for owner, variable, path in members:
            times: int | None = 1
            if variable.scope is Scope.LOCAL:
                times = self._activations(owner)
            elif variable.scope is Scope.THREAD:
                times = self._threads(
                    t.name
                    for t in self.program.templates
                    if any(d.variable == variable for d in t.variables)
                )
            for extent in _held(variable.type, path)[1]:
                each = extent if isinstance(extent, int) else self._threads([extent.template])
                times = None if times is None or each is None else times * each
            if times is None:
                return None
            total += times
        return total

    def _activations(self, procedure: str) -> int | None:
        if procedure in self._called:
            return None
        return self._threads(t.name for t in self.program.templates if t.body == procedure)

    def _threads(self, templates: Iterable[str]) -> int | None:
        total = 0
        for name in templates:
            template = self.program.template[name]
            if template.count is None or (template.pool and not self.pools):
                return None
            total += template.count
        return total

    @cached_property
    def _called(self) -> set[str]:
        return {a.procedure for a in self.program.actions if isinstance(a, Call)}

    def initial(self, members: Iterable[Member]) -> set[int] | None:
        """What they begin with, as far as somebody reads that; None: anything."""
        found: set[Value] = set()
        for owner, variable, path in members:
            for declaration, procedure in self.program.declarations:
                if declaration.variable != variable or procedure != owner:
                    continue
                if procedure and variable.name not in self._read_at_entry(procedure):
                    continue
                if isinstance(declaration.initial, AnyValue):
                    return None
                found |= _first(declaration, path)
        return {value for value in found if type(value) is int}

    def _read_at_entry(self, name: str) -> frozenset[str]:
        procedure = self.program.procedure[name]
        return live_locals(procedure, self.uses)[procedure.entry]


def _held(held: Type, path: tuple[str, ...]) -> tuple[Type, list[int | PerThread]]:
    """The type of a field of a type, in any element, and the extents of the arrays around."""
    extents: list[int | PerThread] = []
    for name in (*path, None):
        while isinstance(held, ArrayType):
            extents.append(held.extent)
            held = held.element
        if name is not None:
            assert isinstance(held, RecordType | MutexType)
            held = dict(fields_of(held))[name]
    return held, extents


def _first(declaration: Declaration, path: tuple[str, ...]) -> set[Value]:
    """What the cells of a field begin with."""
    held, initial = declaration.variable.type, declaration.initial
    if isinstance(initial, DefaultValue):
        return {0}
    values = stated_values(initial)
    paths = list(_paths(held)) if has_static_size(held) else []
    if len(paths) != len(values):
        return set(values)
    return {value for value, at in zip(values, paths, strict=True) if at == path}


def _paths(held: Type) -> Iterator[tuple[str, ...]]:
    """The field that each cell of a type belongs to, in memory order."""
    match held:
        case ArrayType(element, int(extent)):
            inner = list(_paths(element))
            for _ in range(extent):
                yield from inner
        case RecordType() | MutexType():
            for name, part in fields_of(held):
                for path in _paths(part):
                    yield (name, *path)
        case _:
            yield ()
