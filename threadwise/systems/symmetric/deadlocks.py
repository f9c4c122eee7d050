"""Deadlocks among any number of threads.

At a shared store, the threads are those it names (the owner of a mutex, say) and, of each class,
those it does not name: a known number, or any number. Every named thread must be somewhere: its
views are those in which the thread itself has that name. So

    all blocked    every named thread has a blocked view, every class with further threads has a
                   blocked view that is not named, and one of these threads is away from its end
    circle         a greatest set of named and unnamed threads with views that wait in acquire for
                   members of the set or for threads that may be finished
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from threadwise.ir.properties import DeadlockProperty
from threadwise.systems.api import ReachedPairs, Role, Witness
from threadwise.systems.deadlocks import DeadlockPattern
from threadwise.systems.python_code import Global, Local

if TYPE_CHECKING:
    from threadwise.systems.symmetric.system import SymmetricSystem

View = Witness[Global, Local]
Seat = tuple[Role, int | None]
"""A thread at a shared store: its class, and its name there if it has one."""


@dataclass(frozen=True)
class SymmetricDeadlock:
    """Deadlocks, as an error pattern over views."""

    property: DeadlockProperty
    system: SymmetricSystem

    def violated(self, g: Global, ls: Sequence[Local]) -> bool:
        """Views have no common state of all threads."""
        raise NotImplementedError

    def search(self, reached: ReachedPairs[Global, Local]) -> Sequence[View] | None:
        """Views of one shared store in which threads are stuck."""
        groups: dict[Global, dict[Seat, list[tuple[View, dict[int, int]]]]] = {}
        for t in self.system.roles:
            for g, l in reached.pairs[t]:
                shared = self.system.shared(g)
                anonymous = self.system.naming.anonymous(shared)
                names = self.system.naming.match(shared, anonymous)
                assert names is not None
                seat = (t, names.get(self.system.classes[t].me))
                seats = groups.setdefault(anonymous, {})
                seats.setdefault(seat, []).append((Witness(t, g, l), names))
        for shared, seats in groups.items():
            found = _Group(self.system, self.property, shared, seats).search()
            if found is not None:
                return found
        return None


class _Group:
    """All views at one shared store."""

    def __init__(
        self,
        system: SymmetricSystem,
        checked: DeadlockProperty,
        shared: Global,
        seats: dict[Seat, list[tuple[View, dict[int, int]]]],
    ) -> None:
        self.system = system
        self.seats = seats
        self.concrete = DeadlockPattern(checked, system.concrete)
        names = [shared[s] for s in system.naming.id_slots]
        self.named: list[Seat] = [
            (t, name)
            for name in dict.fromkeys(names)
            for t, members in zip(system.roles, system.classes, strict=True)
            if isinstance(name, int) and name in members.ids
        ]

    def search(self) -> Sequence[View] | None:
        """Stuck threads, if there are any; none if some named thread cannot be anywhere."""
        if any(not self.seats.get(seat) for seat in [*self.named, *self._certain()]):
            return None
        blocked = {
            seat: [(view, names) for view, names in views if self._is_blocked(view)]
            for seat, views in self.seats.items()
        }
        return self._all_blocked(blocked) or self._circle(blocked)

    def _certain(self) -> list[Seat]:
        """Seats that are certainly taken, of threads the shared store does not name."""
        certain: list[Seat] = []
        for t, members in zip(self.system.roles, self.system.classes, strict=True):
            named = sum(role == t for role, _ in self.named)
            if members.count is not None and members.count > named:
                certain.append((t, None))
        return certain

    def _possible(self) -> list[Seat]:
        """Seats that may be taken, of threads the shared store does not name."""
        return [
            (t, None)
            for t, members in zip(self.system.roles, self.system.classes, strict=True)
            if members.count is None or (t, None) in self._certain()
        ]

    def _is_blocked(self, view: View) -> bool:
        me = Role(self.system.classes[view.role].me)
        stopped = self.system.is_stopped(view.l)
        return not stopped and not self.system.concrete.can_step(me, view.g, view.l)

    def _all_blocked(
        self, blocked: dict[Seat, list[tuple[View, dict[int, int]]]]
    ) -> Sequence[View] | None:
        needed = [*self.named, *self._certain()]
        if any(not blocked.get(seat) for seat in needed):
            return None
        for seat in dict.fromkeys([*needed, *self._possible()]):
            for view, _ in blocked.get(seat, ()):
                if not self.concrete.may_rest(view.l):
                    others = [blocked[other][0][0] for other in needed if other != seat]
                    return [view, *others]
        return None

    def _circle(
        self, blocked: dict[Seat, list[tuple[View, dict[int, int]]]]
    ) -> Sequence[View] | None:
        finished = {
            name
            for (_, name), views in self.seats.items()
            if name is not None and any(self.concrete.is_final(view.l) for view, _ in views)
        }
        seats = dict.fromkeys([*self.named, *self._possible()])
        waiting: dict[Seat, list[tuple[View, frozenset[int | None]]]] = {
            seat: self._waits(blocked.get(seat, ())) for seat in seats
        }
        while True:
            members = {seat for seat, ways in waiting.items() if ways}
            support: set[int | None] = {name for _, name in members} | finished
            support.add(None)
            left = {
                seat: [(view, awaited) for view, awaited in waiting[seat] if awaited <= support]
                for seat in members
            }
            if all(len(left[seat]) == len(waiting[seat]) for seat in members):
                return [ways[0][0] for ways in left.values()] or None
            waiting = left

    def _waits(
        self, views: Sequence[tuple[View, dict[int, int]]]
    ) -> list[tuple[View, frozenset[int | None]]]:
        """Blocked views with the names of those they wait for; None for a thread without name."""
        found: list[tuple[View, frozenset[int | None]]] = []
        for view, names in views:
            me = Role(self.system.classes[view.role].me)
            awaited = self.concrete.awaited(me, view.g, view.l)
            if awaited:
                found.append((view, frozenset(names.get(t) for t in awaited)))
        return found
