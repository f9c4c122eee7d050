"""Escape analysis of allocation sites: objects that never escape from their creating thread.

A site is *confined* if, by the points-to sets of memory, pointers to its objects are held by
threads' own variables and by cells of confined objects only. The thread that creates an object has
the first pointer to it. A thread that has a pointer to one got it from an own variable, or from a
cell of an object that it has a pointer to: by induction over the steps of a run, it is the same
thread. So two threads that follow pointers to confined objects, both with known points-to sets,
are at different objects.

A pointer that may lead anywhere is none of these: its points-to set does not bound where it leads
to. Neither are pointers that became bytes, went to unknown functions, or are arguments or results
of threads: these are in shared cells.
"""

from __future__ import annotations

from threadwise.ir.expr import DerefPlace, Place
from threadwise.ir.fold import root
from threadwise.ir.types import PointerType
from threadwise.proofs.locksets.beyond import ANYWHERE
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.memory.cells import UNKNOWN, Target, is_site, leaves
from threadwise.proofs.locksets.memory.contents import Memory


def confined_sites(memory: Memory) -> frozenset[str]:
    """The sites whose objects stay with the threads that made them."""
    found = {name for name in memory.objects.types if is_site(name)} - {UNKNOWN}
    while True:
        lost: set[str] = set()
        for cell, values in memory.values.items():
            if cell.object.endswith("@") or cell.object in found or cell.object == ANYWHERE.name:
                continue
            if values is None:
                if may_be_pointer(memory, cell):
                    return frozenset()
                continue
            lost |= {value.object for value in values if isinstance(value, Target)} & found
        if not lost:
            return frozenset(found)
        found -= lost


def may_be_pointer(memory: Memory, cell: Target) -> bool:
    """Whether a cell may hold a pointer that no number or byte was made of."""
    held = memory.objects.types.get(cell.object)
    scalars = [] if held is None else list(leaves(held))
    return cell.cell >= len(scalars) or isinstance(scalars[cell.cell], PointerType)


def is_followed(place: Place, ground: Ground, procedure: str) -> bool:
    """Whether a place is found by a pointer of which memory says where it leads to."""
    base = root(place)
    return isinstance(base, DerefPlace) and ground.values_of(base.pointer, procedure) is not None
