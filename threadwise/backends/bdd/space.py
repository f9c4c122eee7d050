"""The fields of a program: shared cells, and for each thread its location and its own cells.

Locations inside atomic regions are no states of a thread, so the location field has the others
only. A thread's own cells are its thread-scoped ones followed by those of its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from threadwise.backends.bdd.fields import Field, values_of
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Allocate, Call, Free, Return
from threadwise.ir.fold import uses_memory
from threadwise.ir.layout import ProgramLayout, initial_choices, size_of
from threadwise.ir.program import Declaration, Program
from threadwise.ir.types import ArrayType, PerThread, TidType, Value

Derived: TypeAlias = Mapping[tuple[int, int], tuple[tuple[Value, Value], ...]]
"""By thread and own cell: where the cell has which value, if that follows from the location."""


@dataclass(frozen=True)
class ThreadFields:
    """The fields of one thread."""

    thread: int
    template: str
    location: Field
    own: tuple[Field, ...]
    """Thread-scoped cells, then the cells of the body."""
    scoped: int
    """How many of them are thread-scoped."""

    @property
    def all(self) -> tuple[Field, ...]:
        """Location and cells."""
        return (self.location, *self.own)

    @cached_property
    def bits(self) -> tuple[str, ...]:
        """The bits of all of them."""
        return tuple(bit for field in self.all for bit in field.bits)


class Space:
    """All fields of a program with fixed numbers of threads, without calls and heap."""

    def __init__(self, program: Program, derived: Derived | None = None) -> None:
        _refuse_unsupported(program)
        self.program = program
        self.derived = derived or {}
        self.layout = ProgramLayout.of(program)
        self.numbers = self.layout.numbers
        count = len(self.numbers.templates)
        self.shared = tuple(
            Field(f"g{slot}.{cell.name}", values_of(cell.type, count))
            for slot, cell in enumerate(self.layout.globals.cells)
        )
        self.threads = tuple(self._thread(t, count) for t in range(count))

    def _thread(self, t: int, count: int) -> ThreadFields:
        template = self.program.template[self.numbers.templates[t]]
        body = self.program.procedure[template.body]
        scoped = self.layout.thread[template.name].cells
        cells = (*scoped, *self.layout.local[body.name].cells)
        places = tuple(loc.id for loc in body.locations if not loc.atomic)
        if body.entry not in places:
            raise Unsupported("a thread that begins inside an atomic block, in BDDs", body.span)
        location = Field(f"t{t}.at", places, t)
        own = tuple(
            Field(
                f"t{t}.{slot}.{cell.name}",
                values_of(cell.type, count),
                t,
                self.derived.get((t, slot)),
            )
            for slot, cell in enumerate(cells)
        )
        return ThreadFields(t, template.name, location, own, len(scoped))

    @cached_property
    def shared_bits(self) -> tuple[str, ...]:
        """The bits of the shared cells."""
        return tuple(bit for field in self.shared for bit in field.bits)

    def fields(self) -> Iterable[Field]:
        """Everything: shared, then thread by thread."""
        yield from self.shared
        for thread in self.threads:
            yield from thread.all

    @cached_property
    def owner(self) -> dict[int, int]:
        """For cells of arrays with an element per thread: slot to the thread it belongs to."""
        found: dict[int, int] = {}
        for declaration in self.program.globals:
            held = declaration.variable.type
            if isinstance(held, ArrayType) and isinstance(held.extent, PerThread):
                first = self.layout.globals.offset[declaration.variable.name]
                width = size_of(held.element, self.numbers)
                for k, t in enumerate(self.numbers.ranges[held.extent.template]):
                    found.update((first + k * width + i, t) for i in range(width))
        return found

    @cached_property
    def id_fields(self) -> frozenset[str]:
        """The names of the fields that hold ids."""
        names = [
            field.name
            for field, cell in zip(self.shared, self.layout.globals.cells, strict=True)
            if isinstance(cell.type, TidType)
        ]
        for thread in self.threads:
            body = self.program.template[thread.template].body
            kept, own = self.layout.thread[thread.template], self.layout.local[body]
            names.extend(
                field.name
                for field, cell in zip(thread.own, (*kept.cells, *own.cells), strict=True)
                if isinstance(cell.type, TidType)
            )
        return frozenset(names)

    # -- initial values ---------------------------------------------------------------------------

    def initial_shared(self) -> list[tuple[Field, Value]]:
        """The shared cells that start with one value; the others may have any."""
        return self._initial(self.program.globals, self.shared)

    def initial_own(self, thread: ThreadFields) -> list[tuple[Field, Value]]:
        """Location and cells of a thread at the start."""
        template = self.program.template[thread.template]
        body = self.program.procedure[template.body]
        cells = self._initial((*template.variables, *body.locals), thread.own)
        return [(thread.location, body.entry), *cells]

    def _initial(
        self, declarations: Iterable[Declaration], fields: tuple[Field, ...]
    ) -> list[tuple[Field, Value]]:
        choices = [c for d in declarations for c in initial_choices(d, self.numbers)]
        return [
            (field, values[0])
            for field, values in zip(fields, choices, strict=True)
            if values is not None
        ]


def _refuse_unsupported(program: Program) -> None:
    if program.has_any_number:
        raise Unsupported("any number of threads, in BDDs")
    if uses_memory(program):
        raise Unsupported("a heap, in BDDs")
    for edge in program.edges:
        if isinstance(edge.action, Call | Return | Allocate | Free):
            raise Unsupported("procedure calls, in BDDs", edge.span)
