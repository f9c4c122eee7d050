"""The canonical form of a state after a step, where little has changed since the one before."""

from __future__ import annotations

from threadwise.semantics.memory import canonical, objects_in
from threadwise.semantics.state import Cells, HeapObject, State


def canonical_after(before: State, state: State, declared: int) -> State:
    """The state with its heap renumbered, as `canonical` does.

    The state before is in that form. If the same pointers are in the same order in both, that is
    also the order of the objects.
    """
    if _points_alike(before, state, declared):
        return state
    return canonical(state, declared)


def _points_alike(state: State, other: State, declared: int) -> bool:
    """Whether two states hold the same pointers in the same order; what they share is not read."""
    return (
        _alike(state.g.cells, other.g.cells, declared)
        and _heaps_alike(state.g.heap, other.g.heap, declared)
        and all(
            one is two
            or (
                _alike(one.thread, two.thread, declared)
                and _alike(one.locals, two.locals, declared)
            )
            for one, two in zip(state.locals, other.locals, strict=True)
        )
        and all(
            one is two
            or (
                len(one) == len(two)
                and all(
                    _alike(f.locals, g.locals, declared) for f, g in zip(one, two, strict=True)
                )
            )
            for one, two in zip(state.stacks, other.stacks, strict=True)
        )
    )


def _heaps_alike(
    heap: tuple[HeapObject, ...], other: tuple[HeapObject, ...], declared: int
) -> bool:
    return heap is other or (
        len(heap) == len(other)
        and all(
            one is two or _alike(one.cells, two.cells, declared)
            for one, two in zip(heap, other, strict=True)
        )
    )


def _alike(cells: Cells, other: Cells, declared: int) -> bool:
    return cells is other or objects_in(cells, declared) == objects_in(other, declared)
