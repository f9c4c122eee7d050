"""Rule ENV by index: which pairs have yet to be combined with which actions of other threads.

    ENV    R(t, g, l), G(e, g, g'), e ≠ t      ==>  R(t, g', l)

The rules of `rules` and `pushdown` are applied once per new premise. ENV has two: when a pair is
processed, `known` has the actions that its environment is known to take; when an action is new,
`guarantee` has the processed (*settled*) pairs that it has yet to be applied to. Actions and pairs
are joined by keys (`ThreadSystem.key` and `keys`), so that only those are tried that can fit.

For each action the roles that guarantee it are stored: none, exactly one, or two or more, of which
the first two are enough. The environment of t has it unless the answer is none or exactly t, so
that ENV does not cost a factor of n.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, TypeAlias

from threadwise.systems.api import A, F, G, L, Role, ThreadSystem

Guarantors: TypeAlias = "tuple[Role] | tuple[Role, Role]"
"""The roles that guarantee an action: exactly one, or the first two of several."""


class Interference(Generic[G, L, F, A]):
    """G, and the pairs that it has been applied to."""

    def __init__(self, system: ThreadSystem[G, L, F, A]) -> None:
        self.system = system
        self.guarantees: list[dict[A, tuple[G, L]]] = [{} for _ in system.roles]
        """G of each role, each action with the pair in which it was first taken."""
        self._settled: list[dict[Hashable, dict[tuple[G, L], None]]] = [{} for _ in system.roles]
        """Processed pairs of each role by the keys of the actions that can change them."""
        self._actions: dict[Hashable, dict[A, Guarantors]] = {}
        """Actions by key, each with the roles that guarantee it."""

    def settle(self, t: Role, g: G, l: L) -> Sequence[Hashable]:
        """From now on the pair sees new actions; the keys of those that can disturb it."""
        keys = list(self.system.keys(t, g))
        settled = self._settled[t]
        for key in keys:
            settled.setdefault(key, {})[g, l] = None
        return keys

    def known(self, t: Role, keys: Sequence[Hashable]) -> Iterator[tuple[Role, A]]:
        """The actions with these keys that others take, each with one of these roles."""
        interferes = self.system.interferes
        for key in keys:
            for action, guarantors in list(self._actions.get(key, {}).items()):
                for e in guarantors:
                    if interferes(e, t):
                        yield e, action
                        break

    def guarantee(self, t: Role, action: A, origin: tuple[G, L]) -> Iterator[tuple[Role, G, L]]:
        """Add an element of G; the processed pairs of others that it has yet to be applied to."""
        if action in self.guarantees[t]:
            return
        self.guarantees[t][action] = origin
        key = self.system.key(action)
        guarantors = self._actions.setdefault(key, {})
        before = guarantors.get(action, ())
        if len(before) == 2:
            return
        guarantors[action] = (*before, t)
        for u in self.system.roles:
            seen = any(self.system.interferes(e, u) for e in before)
            if self.system.interferes(t, u) and not seen:
                for g, l in list(self._settled[u].get(key, ())):
                    yield u, g, l
