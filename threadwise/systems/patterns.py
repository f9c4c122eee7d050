"""Error patterns that relate a few distinct threads, and how to search products for them.

Local stores of several threads fit together where they occur with the same global store. To search
all combinations at one global store, each candidate is first *projected* to what the pattern can
see of it. Candidates with equal projections are interchangeable, so that it is enough to keep, per
projection, as many threads as the pattern has positions: then distinct threads can still be found
for every combination of projections that has them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Generic, TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.properties import Property
from threadwise.systems.api import G, L, ReachedPairs, Role, Witness

MANY = 64
"""With more choices of threads than this, those that look the same are looked for first."""

MayHold: TypeAlias = Callable[[G, Sequence[Role], Sequence[L]], bool]
Project: TypeAlias = Callable[[int, Role, G, L], Hashable]


@dataclass(frozen=True)
class FewThreads(Generic[G, L]):
    """A violation by one distinct thread per position.

    `positions` lists the threads for each position. `project(k, t, g, l)` is all that `may_hold`
    can see of t at position k, or None if t in (g, l) cannot take part. `unordered`: all positions
    are alike.
    """

    property: Property
    positions: tuple[tuple[Role, ...], ...]
    may_hold: MayHold[G, L]
    project: Project[G, L]
    unordered: bool = False

    @cached_property
    def choices(self) -> list[tuple[Role, ...]]:
        """All ways to fill the positions with distinct threads."""
        if self.unordered:
            return list(combinations(self.positions[0], len(self.positions)))
        return [c for c in product(*self.positions) if len(set(c)) == len(c)]

    def violated(self, g: G, ls: Sequence[L]) -> bool:
        """Whether a state violates the property in this way."""
        if prod(map(len, self.positions)) > MANY:
            return self.search_at(g, [(l,) for l in ls]) is not None
        return any(self.may_hold(g, roles, [ls[t] for t in roles]) for roles in self.choices)

    def search(self, reached: ReachedPairs[G, L]) -> Sequence[Witness[G, L]] | None:
        """Pairs with a common global store that violate the property in this way."""
        return search_by_global(self.search_at, reached)

    def search_at(self, g: G, candidates: Sequence[Collection[L]]) -> dict[Role, L] | None:
        """Distinct threads with candidates that violate the property in this way."""
        seen = [self._projections(k, g, candidates) for k in range(len(self.positions))]
        for chosen in product(*(projections.values() for projections in seen)):
            for witness in product(*chosen):
                roles = [t for t, _ in witness]
                if len(set(roles)) == len(roles):
                    if self.may_hold(g, roles, [l for _, l in witness]):
                        return dict(witness)
                    break
        return None

    def _projections(
        self, k: int, g: G, candidates: Sequence[Collection[L]]
    ) -> dict[Hashable, list[tuple[Role, L]]]:
        """Per projection a few distinct threads that have it."""
        found: dict[Hashable, list[tuple[Role, L]]] = {}
        for t in self.positions[k]:
            for projection, l in self._distinct(k, t, g, candidates[t]):
                members = found.setdefault(projection, [])
                if len(members) < len(self.positions):
                    members.append((t, l))
        return found

    def _distinct(
        self, k: int, t: Role, g: G, candidates: Collection[L]
    ) -> Iterator[tuple[Hashable, L]]:
        """The projections of one thread's candidates, each once."""
        seen: dict[Hashable, L] = {}
        for l in candidates:
            projection = self.project(k, t, g, l)
            if projection is not None:
                seen.setdefault(projection, l)
        return iter(seen.items())


def search_by_global(
    search_at: Callable[[G, Sequence[Sequence[L]]], Mapping[Role, L] | None],
    reached: ReachedPairs[G, L],
) -> Sequence[Witness[G, L]] | None:
    """Search one global store after the other.

    Where the global store alone violates the property, everybody is a witness.
    """
    for g, candidates in reached.by_global.items():
        found = search_at(g, candidates)
        if found is not None:
            anyone = {Role(t): ls[0] for t, ls in enumerate(candidates) if ls}
            return [Witness(t, g, l) for t, l in (found or anyone).items()]
    return None
