"""When a thread is inside a transaction: the partition N, L, R of QRR §4.

A node ⟨l, p⟩ is a local store with a phase: p means that the transaction has not committed.

    R   inside, before the commit    C1: l is neither initial nor failed, and p
    L   inside, after the commit     C2: l is neither initial nor failed, not p, and every step
                                         from l, under every g, is a left mover
    N   outside

R and L are as large as C1 and C2 allow, but a node without any edge is in N, unless there is only
one thread: then no other thread waits for it to get there (QRR §5.4). C3, from every
reachable L node the thread alone can get to N, is enforced by the search, which moves nodes from L
to N. Differs from QRR §4: the sets do not depend on g. If they did, another thread's step could
take t from N into L, and Theorem 1 would be false.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from threadwise.engines.movers.classify import Movers
from threadwise.ir.program import EdgeId
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Local

Part: TypeAlias = Literal["N", "L", "R"]
"""Where a thread is with respect to its transactions."""


class Partition:
    """N, L and R of all threads."""

    def __init__(self, system: ConcreteSystem, movers: Movers) -> None:
        self.system = system
        self.movers = movers
        self.initial = [{l for _, l in system.initial(t)} for t in system.roles]
        self.moved: dict[tuple[Role, Local], None] = {}
        """The nodes ⟨l, ¬p⟩ that C3 put into N."""
        self._known: dict[tuple[Role, Local, bool], Part] = {}

    def part(self, t: Role, l: Local, phase: bool) -> Part:
        """The set that a node of a thread belongs to."""
        key = (t, l, phase)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._part(t, l, phase)
        return found

    def _part(self, t: Role, l: Local, phase: bool) -> Part:
        classes = self.movers.at(t, l)
        if l in self.initial[t] or self.system.is_stopped(l):
            return "N"
        if not classes and len(self.system.roles) > 1:
            return "N"
        if phase:
            return "R"
        if (t, l) not in self.moved and all(mover.left for mover in classes.values()):
            return "L"
        return "N"

    def after(self, t: Role, l: Local, part: Part, edge: EdgeId, moved: Local) -> Part:
        """U, U+ and U-: the part of ⟨l', p'⟩ after an edge taken in l."""
        mover = self.movers.of(t, l, edge)
        return self.part(t, moved, mover.right and (part != "L" or not mover.left))

    def move(self, t: Role, l: Local) -> None:
        """Put ⟨l, ¬p⟩ into N."""
        self.moved[t, l] = None
        self._known.pop((t, l, False), None)
