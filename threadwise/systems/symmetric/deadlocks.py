"""Deadlocks among any number of threads.

At a shared store, the threads are those it names (the owner of a mutex, say) and, of each class,
those it does not name: a known number, or any number. Every named thread must be somewhere: its
views are those in which the thread itself has that name. So

    seats      every named thread, and one for the others of each class
    certain    the named ones, and those of classes that certainly have others

and `threadwise.semantics.possible_deadlocks` says which views may be in a deadlock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.properties import DeadlockProperty
from threadwise.semantics.deadlocks import Waiting
from threadwise.semantics.possible_deadlocks import Candidate, candidate, stuck_candidates
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
            if isinstance(name, int)
            for t in self._classes(name)
        ]

    def _classes(self, name: int) -> list[Role]:
        """The class of a thread, by its name."""
        return [
            t
            for t, members in zip(self.system.roles, self.system.classes, strict=True)
            if name in members.ids
        ]

    def search(self) -> Sequence[View] | None:
        """Stuck threads, if there are any; none if some named thread cannot be anywhere."""
        certain = [*self.named, *self._certain()]
        if any(not self.seats.get(seat) for seat in certain):
            return None
        candidates = {
            seat: [self._candidate(view, names) for view, names in self.seats.get(seat, ())]
            for seat in dict.fromkeys([*self.named, *self._possible()])
        }
        stuck = stuck_candidates(candidates, certain)
        return [self.seats[seat][positions[0]][0] for seat, positions in stuck.items()] or None

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

    def _candidate(self, view: View, names: dict[int, int]) -> Candidate[Seat]:
        """A view as a candidate for deadlocks; its cells of other threads are not known."""
        me = Role(self.system.classes[view.role].me)
        ways: tuple[Waiting, ...] | None = None
        blocked = not self.system.is_stopped(view.l) and not self.system.concrete.can_step(
            me, view.g, view.l
        )
        if blocked:
            ways = self.concrete.waiting(me, view.g, view.l) or ()

        def seat(awaited: int) -> Seat | None:
            name = names.get(awaited)
            return None if name is None else (self._classes(name)[0], name)

        standing = self.concrete.standing(me, view.g, view.l, ways)
        return candidate(ways, standing, seat, may_rest=self.concrete.may_rest(me, view.l))
