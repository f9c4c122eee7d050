"""Resource invariants of locks: what a proof claims of the memory that locks protect.

sites    allocation sites; a thread that accesses one of their objects owns it, or another rule
         excludes races
slots    cells outside of such objects, each with the way to its lock: what a slot points to, and
         what that leads to by links, belongs to the thread that holds the lock. A *link* is a cell
         of an object of these sites that may point to another
tails    second references: a slot that says where the list that begins in another slot ends
flags    cells of objects of these sites, one per site, that say that an object is back: 0 until
         whoever works on it gives it back to the thread that allocated it, and is read and
         written for that under a lock, or in single steps (NO_LOCK)
counts   cells of objects of these sites, one per site, that hold the number of references to an
         object while it is shared: a slot or link that leads to it is one, the others are held
         by threads. Counted under a lock, or in single steps (NO_LOCK)
granted  templates whose threads begin with a reference: their argument
loose    links of objects with flags or counts that say nothing any more when they are back, or
         not shared any more; what the others lead to comes back, too

Whenever the lock is free (and threads other than the first one run), slots are as follows;
`x ~> y` is a chain of objects by one link, perhaps of none; parts have no object in common:

    slot           x, and x leads to a tree of objects (null: of none)
    with a tail    head: null, and tail: null (CLEARED), anything (STALE), the head itself (LINK);
                   or head: x, x ~> y, y's link is null, and tail: y (CLEARED, STALE), or y's link

Consequences are listed, so that runs can test them; the checker must find no more than these:

unreached  locations, with the numbers of cases that locksets know there, that are not reached
taken      edges along which a thread accesses objects of these sites as their sole owner: none of
           them is found from a slot whose lock is free
owned      per location and case the variables that point to objects which the thread owns alone,
           or may read as others may, in all heaps that it may have there; or to no such object
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.program import EdgeId, LocId
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.memory.cells import Target

NO_LOCK = Key("", "", (), "", ())
"""In place of the way to the lock of a flag that is read and written in single steps."""


class Shape(Enum):
    """What a tail is where its list is empty, and what it points to otherwise."""

    CLEARED = "cleared"
    STALE = "stale"
    LINK = "link"


class Unit(NamedTuple):
    """A slot, and its tail if it has one: what is given back and taken as one."""

    head: Key
    tail: Key | None = None
    shape: Shape = Shape.CLEARED
    link: int = 0
    """The folded cell of objects by which the list goes on, if there is a tail."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """Its slots."""
        return (self.head,) if self.tail is None else (self.head, self.tail)


class Owned(NamedTuple):
    """Variables, as text, that point to what a thread owns."""

    alone: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    """Those whose objects it may only read: their lock is held for reading."""


@dataclass(frozen=True)
class Resources:
    """The claim."""

    sites: frozenset[str] = frozenset()
    slots: Mapping[Target, Key] = field(default_factory=dict)
    tails: frozenset[Unit] = frozenset()
    flags: Mapping[Target, Key] = field(default_factory=dict)
    loose: frozenset[Target] = frozenset()
    counts: Mapping[Target, Key] = field(default_factory=dict)
    granted: frozenset[str] = frozenset()
    unreached: frozenset[tuple[LocId, int]] = frozenset()
    taken: frozenset[EdgeId] = frozenset()
    owned: Mapping[tuple[LocId, int], Owned] = field(default_factory=dict)

    def unit(self, key: Key) -> Unit:
        """The unit that a slot is in."""
        return next((unit for unit in self.tails if key in unit.keys), Unit(key))
