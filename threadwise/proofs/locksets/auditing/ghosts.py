"""The history of a run, as ghost state: which thread started which, who has which token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.program import EdgeId
from threadwise.ir.types import Address, Value
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import World
from threadwise.semantics.evaluate import CellRef, Region


class Start(NamedTuple):
    """A started thread: by which thread and edge, and how often that was taken before."""

    thread: int
    by: int
    edge: EdgeId
    time: int
    arguments: tuple[Value, ...]
    """What the starting edge wrote for the new thread, with lasting names of objects."""


@dataclass
class Ghosts:
    """The memory of a monitor."""

    starts: list[Start] = field(default_factory=list)
    counts: Counter[tuple[int, EdgeId]] = field(default_factory=Counter)
    """How often a thread took an edge that starts others."""
    arguments: dict[int, frozenset[int]] = field(default_factory=dict)
    """Per thread the global cells with its arguments."""
    givers: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Per object that was given to a new thread, the givers; it may be given on."""
    tokens: dict[CellRef, list[int]] = field(default_factory=dict)
    """Per number that serves as a lock, the threads that took it."""
    homes: dict[int, CellRef] = field(default_factory=dict)
    """Per object in a list, the lock of the list."""
    over: dict[str, str] = field(default_factory=dict)
    """Templates that are over, with the template at whose beginning this was said."""

    def copy(self) -> Ghosts:
        """The same, to go on with."""
        return Ghosts(
            list(self.starts),
            Counter(self.counts),
            dict(self.arguments),
            dict(self.givers),
            {cell: list(threads) for cell, threads in self.tokens.items()},
            dict(self.homes),
            dict(self.over),
        )

    def key(self) -> Hashable:
        """What is equal for equal histories."""
        return (
            tuple(self.starts),
            frozenset(self.counts.items()),
            frozenset(self.arguments.items()),
            frozenset(self.givers.items()),
            frozenset((cell, tuple(threads)) for cell, threads in self.tokens.items()),
            frozenset(self.homes.items()),
            frozenset(self.over.items()),
        )

    @property
    def mention_objects(self) -> bool:
        """Whether objects may be called by lasting names; if not, these do not matter."""
        locks = any(cell.region is Region.HEAP for cell in self.tokens)
        given = (value for start in self.starts for value in start.arguments)
        return bool(self.homes or self.givers or locks) or any(
            isinstance(value, Address) for value in given
        )

    def tokens_of(self, cell: CellRef) -> list[int]:
        """The threads that took a number and did not give it back."""
        return self.tokens.get(cell, [])

    def start_of(self, thread: int) -> Start | None:
        """How a thread was started."""
        return next((start for start in self.starts if start.thread == thread), None)

    def note_starts(self, micro: Micro, world: World) -> list[Start]:
        """The threads that an edge started."""
        found: list[Start] = []
        before, after = micro.before.state, micro.after.state
        written = {
            a.cell.slot for a in micro.accesses if a.write and a.cell.region is Region.GLOBAL
        }
        for thread in world.status:
            if world.runs(before, thread) or not world.runs(after, thread):
                continue
            status = world.status[thread]
            cells = [c for c in world.per_thread_cells(thread) if c in written and c != status]
            values = tuple(world.lasting_value(after.g.cells[c], micro.after) for c in cells)
            time = self.counts[micro.thread, micro.edge.id]
            self.counts[micro.thread, micro.edge.id] += 1
            self.arguments[thread] = frozenset(cells)
            found.append(Start(thread, micro.thread, micro.edge.id, time, values))
        self.starts += found
        return found
