"""Cells, values and locks under the names that the user gave them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property

from threadwise.ir.commands import HOLDINGS
from threadwise.ir.layout import (
    NO_THREADS,
    Cell,
    ProgramLayout,
    extent_of,
    owner_slots,
    size_of,
    tail_of,
)
from threadwise.ir.program import Program
from threadwise.ir.text.values import ValueRenderer
from threadwise.ir.types import (
    BOOL,
    UNSET,
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    Value,
)
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import GlobalStore, LocalStore
from threadwise.traces.objects import Objects

_SITE = re.compile(r"(?P<path>.*):(?P<line>\d+):\d+(?: as .*)?")
_HIDDEN = re.compile(r"\$|(^|\.)__tw_")


_FUNCTION = "&"
"""How the names of variables begin that stand for functions."""
_LIBRARY = "__tw_"
_MUTEX = "__tw_mutex"
_READ_LOCKS = f"{HOLDINGS}reading"
READING = " (read)"
"""Behind the name of a lock that is held together with others."""


class _Inner(Enum):
    """Whose a cell is: the user's, or one inside of an object of the thread library."""

    USER = "user"
    MUTEX = "mutex"
    LIBRARY = "library"


class Naming:
    """Names of one program."""

    def __init__(
        self, program: Program, layout: ProgramLayout, objects: Objects | None = None
    ) -> None:
        self.program = program
        self.layout = layout
        self.render = ValueRenderer(layout)
        self.objects = objects

    def cell(self, ref: CellRef, g: GlobalStore) -> str | None:
        """A shared cell: `device.open`, `node#1.value`; None: not the user's."""
        if ref.region is Region.GLOBAL:
            name = self.layout.globals.cells[ref.slot].name
            inner = self._inner_globals[ref.slot] is not _Inner.USER
            return None if _HIDDEN.search(name) or inner else name
        cell = self._heap_cell(ref, g)
        if self._heap_inner(ref, cell) is not _Inner.USER:
            return None
        return self.part(ref, cell.name.removeprefix(cell.variable.name), g)

    def part(self, ref: CellRef, part: str, g: GlobalStore) -> str:
        """A part of a heap object, `.value` or `[2].value` or nothing."""
        site = g.heap[ref.number].site
        size = len(self.layout.sites[site])
        if len(g.heap[ref.number].cells) > size and site not in self.layout.tails:
            part = f"[{ref.slot // size}]{part}"
        told = self.heap_object(ref.number, g)
        if self.objects is not None:
            return f"{told}{part}"
        part = part.lstrip(".")
        return f"{part} of {told}" if part else told

    def is_lock(self, ref: CellRef, g: GlobalStore) -> bool:
        """Whether a cell is one of a mutex."""
        return self.key(ref, g) is None

    def key(self, ref: CellRef, g: GlobalStore) -> str | None:
        """A name to tell shared cells apart by, the library's too; None for those of mutexes."""
        if ref.region is Region.GLOBAL:
            inner = self._inner_globals[ref.slot]
            return None if inner is _Inner.MUTEX else self.layout.globals.cells[ref.slot].name
        cell = self._heap_cell(ref, g)
        if self._heap_inner(ref, cell) is _Inner.MUTEX:
            return None
        return self.part(ref, cell.name.removeprefix(cell.variable.name), g)

    def _heap_inner(self, ref: CellRef, cell: Cell) -> _Inner:
        site = cell.variable.name  # a site is laid out as a variable with its name
        inner = [*_inner(cell.variable.type), *_inner(tail_of(cell.variable.type) or BOOL)]
        return inner[self.layout.position(site, ref.slot)]

    def heap_object(self, number: int, g: GlobalStore) -> str:
        """An allocated object: in a run by its type and age, otherwise by type and line."""
        site = g.heap[number].site
        if self.objects is not None:
            return self._name_by_age(self.objects.age(number), self.objects.sites)
        line = self.site_line(site)
        return self._kind(site) if line is None else f"{self._kind(site)} (line {line})"

    def allocated(self) -> Iterator[tuple[str, str, int | None]]:
        """All objects of the run so far: name, type, and line where they were allocated."""
        sites = self.objects.sites if self.objects is not None else []
        for age, site in enumerate(sites):
            yield self._name_by_age(age, sites), self._kind(site), self.site_line(site)

    def _name_by_age(self, age: int, sites: Sequence[str]) -> str:
        names = [_last_word(self._kind(site)) for site in sites[: age + 1]]
        return f"{names[age]}#{names.count(names[age])}"

    def _kind(self, site: str) -> str:
        cells = self.layout.sites[site]
        held = cells[0].variable.type if cells else None
        return held.name if isinstance(held, RecordType) else "memory"

    def site_line(self, site: str) -> int | None:
        """The line of a statement that allocates."""
        match = _SITE.fullmatch(site)
        return int(match["line"]) if match else None

    def value(self, ref: CellRef, value: Value, g: GlobalStore) -> str:
        """A value that a cell holds."""
        if value == UNSET:
            return "nothing yet"
        if isinstance(value, Address):
            return self._address(value, g)
        if value is None:
            return "NULL"
        held = (
            self.layout.globals.cells[ref.slot]
            if ref.region is Region.GLOBAL
            else self._heap_cell(ref, g)
        )
        return self.render(held, value)

    def _address(self, address: Address, g: GlobalStore) -> str:
        count = len(self.program.globals)
        if 0 <= address.number < count:
            name = self.program.globals[address.number].variable.name
            return name[1:] if name.startswith(_FUNCTION) else f"&{name}"
        if 0 <= address.number - count < len(g.heap):
            return f"&{self.heap_object(address.number - count, g)}"
        return "a pointer"

    def held(self, thread: int, g: GlobalStore) -> Iterator[str]:
        """The locks that a thread holds."""
        for slot, name in self._owners:
            if g.cells[slot] == thread:
                yield name
        for number, item in enumerate(g.heap):
            owners = self._heap_owners(item.site)
            for slot in range(len(item.cells) if owners else 0):
                if item.cells[slot] == thread and self.layout.position(item.site, slot) in owners:
                    yield self.lock(CellRef(Region.HEAP, number, slot), g)

    def held_for_reading(self, thread: int, l: LocalStore, g: GlobalStore) -> Iterator[str]:
        """The locks that a thread holds together with others that read."""
        cells = self.layout.thread[self.layout.numbers.templates[thread]].cells
        for cell, value in zip(cells, l.thread, strict=True):
            if cell.variable.name == _READ_LOCKS and isinstance(value, Address):
                yield f"{self.lock_at(value, g)}{READING}"

    def lock_at(self, address: Address, g: GlobalStore) -> str:
        """The lock, or other object to wait at, that begins at an address."""
        count = len(self.program.globals)
        if address.number >= count:
            ref = CellRef(Region.HEAP, address.number - count, address.offset)
            cell = self._heap_cell(ref, g)
            return self.part(ref, _without_writer(_inside(cell)), g)
        variable = self.program.globals[address.number].variable.name
        slot = self.layout.globals.offset[variable] + address.offset
        return _without_writer(self.layout.globals.cells[slot].name)

    def _heap_owners(self, site: str) -> frozenset[int]:
        """The positions in objects of a site that say who holds a lock."""
        if site not in self._owners_of_sites:
            cells, numbers = self.layout.sites[site], self.layout.numbers
            held = cells[0].variable.type if cells else BOOL
            slots = {*owner_slots(held, 0, numbers)}
            slots.update(owner_slots(tail_of(held) or BOOL, len(cells), numbers))
            self._owners_of_sites[site] = frozenset(slots)
        return self._owners_of_sites[site]

    @cached_property
    def _owners_of_sites(self) -> dict[str, frozenset[int]]:
        return {}

    @cached_property
    def _inner_globals(self) -> list[_Inner]:
        return [
            hidden
            for declaration in self.program.globals
            for hidden in _inner(declaration.variable.type, self.layout)
        ]

    @cached_property
    def _owners(self) -> list[tuple[int, str]]:
        return [
            (slot, _without_owner(self.layout.globals.cells[slot].name))
            for declaration in self.program.globals
            for slot in owner_slots(
                declaration.variable.type,
                self.layout.globals.offset[declaration.variable.name],
                self.layout.numbers,
            )
        ]

    def lock(self, ref: CellRef, g: GlobalStore) -> str:
        """A lock, by the cell that says who has it."""
        if ref.region is Region.GLOBAL:
            return _without_owner(self.layout.globals.cells[ref.slot].name)
        cell = self._heap_cell(ref, g)
        return self.part(ref, _without_owner(cell.name.removeprefix(cell.variable.name)), g)

    def _heap_cell(self, ref: CellRef, g: GlobalStore) -> Cell:
        site = g.heap[ref.number].site
        cell, tail = self.layout.cell(site, ref.slot), self.layout.tails.get(site)
        own = self.layout.sites[site]
        behind = ref.slot - len(own)
        if tail is None or behind < 0 or not own:
            return cell
        path, held = site, own[0].variable.type
        while isinstance(held, RecordType):
            path, held = f"{path}.{held.fields[-1][0]}", held.fields[-1][1]
        name = f"{path}[{behind // len(tail)}]{cell.name.removeprefix(site)}"
        return Cell(own[0].variable, name, cell.type, cell.sync)


def _inner(held: Type, layout: ProgramLayout | None = None) -> Iterator[_Inner]:
    """For each cell of a type whose it is."""
    numbers = layout.numbers if layout else NO_THREADS
    match held:
        case MutexType():
            yield from (_Inner.MUTEX,) * size_of(held, numbers)
        case RecordType(name, _) if _LIBRARY in name:
            inner = _Inner.MUTEX if name.endswith(_MUTEX) else _Inner.LIBRARY
            yield from (inner,) * size_of(held, numbers)
        case RecordType(_, fields):
            for _, part in fields:
                yield from _inner(part, layout)
        case ArrayType(element, _):
            yield from tuple(_inner(element, layout)) * extent_of(held, numbers)
        case _:
            yield _Inner.USER


def _inside(cell: Cell) -> str:
    return cell.name.removeprefix(cell.variable.name)


def _without_writer(name: str) -> str:
    for part in (".writers", ".writer"):
        name = name.removesuffix(part)
    return name


def _last_word(kind: str) -> str:
    return kind.rpartition(" ")[2]


def _without_owner(name: str) -> str:
    """A lock by its cell: of a `pthread_mutex_t` it is the member `lock`, of others `writer`."""
    name = name.removesuffix(".owner")
    return name.removesuffix(".lock") if name.endswith(".lock") else name.removesuffix(".writer")
