"""Updating stores, and the canonical form of heaps.

Two states that differ only in the numbers of heap objects, or in unreachable objects, are
the same state: `canonical` renumbers objects in the order in which a walk over the shared cells,
then over each thread's cells and frames, first meets them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from threadwise.core.identity import Same
from threadwise.ir.types import Address, Value
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import (
    Cells,
    Frame,
    GlobalStore,
    HeapObject,
    LocalStore,
    State,
)


def store(
    g: GlobalStore, l: LocalStore, cell: CellRef, value: Value
) -> tuple[GlobalStore, LocalStore]:
    """The stores after one cell got a value."""
    match cell.region:
        case Region.GLOBAL:
            return g._replace(cells=_replaced(g.cells, cell.slot, value)), l
        case Region.HEAP:
            target = g.heap[cell.number]
            changed = target._replace(cells=_replaced(target.cells, cell.slot, value))
            heap = (*g.heap[: cell.number], changed, *g.heap[cell.number + 1 :])
            return g._replace(heap=heap), l
        case Region.THREAD:
            return g, l._replace(thread=_replaced(l.thread, cell.slot, value))
        case Region.LOCAL:
            return g, l._replace(locals=_replaced(l.locals, cell.slot, value))


def _replaced(cells: Cells, slot: int, value: Value) -> Cells:
    changed = list(cells)
    changed[slot] = value
    return tuple(changed)


def canonical(state: State, declared: int) -> State:
    """The state with its heap renumbered and unreachable objects dropped.

    `declared` is the number of global variables, whose addresses come before those of the heap.
    """
    if not state.g.heap:
        return state
    order = {number: place for place, number in enumerate(order_of_objects(state, declared))}
    if list(order) == list(range(len(state.g.heap))):
        return state

    def renamed(cells: Cells) -> Cells:
        if not _objects(cells, declared):
            return cells
        return tuple(
            Address(declared + order[value.number - declared], value.offset)
            if isinstance(value, Address) and value.number >= declared
            else value
            for value in cells
        )

    heap = tuple(
        HeapObject(old.site, renamed(old.cells), old.alive)
        for old in (state.g.heap[number] for number in order)
    )
    return State(
        GlobalStore(renamed(state.g.cells), heap),
        tuple(LocalStore(l.pc, renamed(l.thread), renamed(l.locals)) for l in state.locals),
        tuple(
            tuple(Frame(frame.call, renamed(frame.locals)) for frame in stack)
            for stack in state.stacks
        ),
    )


def order_of_objects(state: State, declared: int) -> tuple[int, ...]:
    """The numbers of the heap objects that can be reached, in their canonical order."""
    order: dict[int, None] = {}
    pending = [number for cells in _all_cells(state) for number in _objects(cells, declared)]
    for number in pending:
        if number not in order:
            order[number] = None
            pending.extend(_objects(state.g.heap[number].cells, declared))
    return tuple(order)


def objects_without(state: State, declared: int, thread: int) -> frozenset[int]:
    """The numbers of the heap objects that a thread is not needed to get to."""
    found: set[int] = set()
    cells = _all_cells(state, thread)
    pending = [number for part in cells for number in _objects(part, declared)]
    for number in pending:
        if number not in found:
            found.add(number)
            pending.extend(_objects(state.g.heap[number].cells, declared))
    return frozenset(found)


def _all_cells(state: State, without: int | None = None) -> Iterator[Cells]:
    yield state.g.cells
    for thread, (l, stack) in enumerate(zip(state.locals, state.stacks, strict=True)):
        if thread == without:
            continue
        yield l.thread
        yield l.locals
        for frame in stack:
            yield frame.locals


def _objects(cells: Cells, declared: int) -> Sequence[int]:
    """The heap objects that the cells point to."""
    return _pointed(cells, declared) if len(cells) < LARGE else _known(Same(cells), declared)


LARGE = 64
"""What objects of so many cells point to is remembered: a step changes few of them, and the others
stay the same tuples."""


@lru_cache(maxsize=1_000)
def _known(cells: Same, declared: int) -> tuple[int, ...]:
    assert isinstance(cells.kept, tuple)
    return _pointed(cells.kept, declared)


def _pointed(cells: Cells, declared: int) -> tuple[int, ...]:
    return tuple(
        [
            value.number - declared
            for value in cells
            if isinstance(value, Address) and value.number >= declared
        ]
    )
