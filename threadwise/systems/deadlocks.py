"""Deadlocks as an error pattern of the concrete system.

What one thread waits for, and what it can help with, depends on its own store and the shared one;
it is asked of the reference semantics once for each pair, and only of threads without a step. A
state is decided by `threadwise.semantics.deadlocks`, pairs that may occur together by
`threadwise.semantics.possible_deadlocks`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.properties import DeadlockProperty
from threadwise.semantics.deadlocks import Deadlocks, Standing, Waiting, greatest, may_rest
from threadwise.semantics.possible_deadlocks import candidate, stuck_candidates
from threadwise.systems.api import JointState, ReachedPairs, Role, Witness
from threadwise.systems.patterns import search_by_global
from threadwise.systems.python_code import Global, Local

if TYPE_CHECKING:
    from threadwise.systems.concrete import ConcreteSystem


@dataclass(frozen=True)
class DeadlockPattern:
    """Threads that wait for each other, for ended ones or for what no thread can do any more."""

    property: DeadlockProperty
    system: ConcreteSystem
    _waiting: dict[tuple[Role, Global, Local], tuple[Waiting, ...] | None] = field(
        default_factory=dict
    )

    @cached_property
    def _deadlocks(self) -> Deadlocks:
        return Deadlocks(self.system.interpreter)

    def violated(self, g: Global, ls: Sequence[Local]) -> bool:
        """Whether a state without procedure calls is a deadlock."""
        return self.in_state(JointState(g, tuple(ls), ((),) * len(ls)))

    def in_state(self, state: JointState[Global, Local, Any]) -> bool:
        """Whether a state is a deadlock."""
        g = state.g
        blocked = {
            int(t): ways
            for t, l in zip(self.system.roles, state.locals, strict=True)
            if not self.is_final(l) and (ways := self.waiting(t, g, l)) is not None
        }
        if not blocked:
            return False
        standings = [
            self._deadlocks.standing(
                t,
                self.system.reference_local(t, l),
                state.stacks[t],
                blocked=t in blocked or not self.system.can_step(t, g, l),
            )
            for t, l in zip(self.system.roles, state.locals, strict=True)
        ]
        return any(
            not self.may_rest(Role(t), state.locals[t], state.stacks[t])
            for t in greatest(blocked, standings)
        )

    def search(
        self, reached: ReachedPairs[Global, Local]
    ) -> Sequence[Witness[Global, Local]] | None:
        """A deadlock that may be among pairs with a common global store."""
        return search_by_global(self.search_at, reached)

    def search_at(
        self, g: Global, candidates: Sequence[Collection[Local]]
    ) -> dict[Role, Local] | None:
        """Candidates that may be in a deadlock together."""
        roles = self.system.roles
        listed = {t: [l for l in candidates[t] if not self.system.is_stopped(l)] for t in roles}
        if not all(listed.values()):
            return None
        seen = {
            t: [
                candidate(
                    ways := self.waiting(t, g, l),
                    self.standing(t, g, l, ways),
                    Role,
                    may_rest=self.may_rest(t, l),
                )
                for l in ls
            ]
            for t, ls in listed.items()
        }
        stuck = stuck_candidates(seen, roles)
        return {t: listed[t][positions[0]] for t, positions in stuck.items()} or None

    def helps(self, l: Local) -> int:
        """What a thread can help with before it returns to its caller; -1 at its end."""
        if self.is_final(l):
            return -1
        return self._deadlocks.helping.helps[self.system.location(l)]

    def is_final(self, l: Local) -> bool:
        """Whether a thread that cannot step has ended or has not begun."""
        return self.system.program.locations[self.system.location(l)].final

    def may_rest(self, t: Role, l: Local, stack: Sequence[Any] = ()) -> bool:
        """Whether a thread may wait forever where it is."""
        return may_rest(self.system.program, self.system.reference_local(t, l), stack)

    def waiting(self, t: Role, g: Global, l: Local) -> tuple[Waiting, ...] | None:
        """The ways on of a thread; None if it can step."""
        if self.system.can_step(t, g, l):
            return None
        key = (t, g, l)
        if key not in self._waiting:
            self._waiting[key] = self._deadlocks.waiting(
                t, self.system.reference_global(g), self.system.reference_local(t, l)
            )
        return self._waiting[key]

    def standing(self, t: Role, g: Global, l: Local, ways: tuple[Waiting, ...] | None) -> Standing:
        """What matters about a thread for the waits of others, if it returns to no caller."""
        blocked = ways is not None or not self.system.can_step(t, g, l)
        return self._deadlocks.standing(t, self.system.reference_local(t, l), (), blocked=blocked)
