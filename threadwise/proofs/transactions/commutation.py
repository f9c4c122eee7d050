"""Whether the steps of an annotated edge commute with those of other threads (QRR §4).

For t in l, u ≠ t in m, and every g with (g, l) in R_t and (g, m) in R_u; steps that fail leave the
shared store alone; a step of u keeps its edge and where it leads:

    RM   t then u can be replaced by u then t, to the same state
    LM   u then t can be replaced by t then u, to the same state; and where both can step, either
         can still do its step after the other's, and both orders meet

The last part is not in QRR. It lets a transaction be completed although others have gone on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from threadwise.ir.program import EdgeId
from threadwise.semantics.state import Cells, GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter

Pairs = Sequence[tuple[int, LocalStore]]
"""R of a thread: global stores by position, local stores."""
After = tuple[EdgeId, Cells, LocalStore]
"""The first edge of a step, and where it leads."""


class CommutationChecker:
    """Tries all steps that can meet, in the reference semantics."""

    def __init__(
        self, interpreter: Interpreter, stores: Sequence[Cells], reached: Sequence[Pairs]
    ) -> None:
        self.interpreter = interpreter
        self.stores = stores
        self.at_store: list[defaultdict[int, list[LocalStore]]] = []
        self.at_local: list[defaultdict[LocalStore, list[int]]] = []
        for pairs in reached:
            by_store: defaultdict[int, list[LocalStore]] = defaultdict(list)
            by_local: defaultdict[LocalStore, list[int]] = defaultdict(list)
            for g, l in pairs:
                by_store[g].append(l)
                by_local[l].append(g)
            self.at_store.append(by_store)
            self.at_local.append(by_local)
        self._known: dict[tuple[int, Cells, LocalStore], frozenset[After]] = {}

    def moves_right(self, t: int, l: LocalStore, edge: EdgeId) -> bool:
        """RM."""
        return all(
            any(
                (edge, later, moved) in self._after(t, between, l)
                for taken, between, placed in self._after(u, g, m)
                if (taken, placed) == (other, there)
            )
            for g, u, m in self._meetings(t, l)
            for first, middle, moved in self._after(t, g, l)
            if first == edge
            for other, later, there in self._after(u, middle, m)
        )

    def moves_left(self, t: int, l: LocalStore, edge: EdgeId) -> bool:
        """LM."""
        return all(
            self._swaps(t, l, edge, u, m, g, step)
            for g, u, m in self._meetings(t, l)
            for step in self._after(u, g, m)
        )

    def _swaps(
        self, t: int, l: LocalStore, edge: EdgeId, u: int, m: LocalStore, g: Cells, step: After
    ) -> bool:
        """Whether the edge of t and one step of u commute from g."""
        other, middle, there = step
        early = {(store, at) for first, store, at in self._after(t, g, l) if first == edge}
        late = {(store, at) for first, store, at in self._after(t, middle, l) if first == edge}
        swapped = {
            (h, at): {
                end
                for taken, end, placed in self._after(u, h, m)
                if (taken, placed) == (other, there)
            }
            for h, at in early
        }
        replaced = all(
            any(end in ends for (_, at), ends in swapped.items() if at == moved)
            for end, moved in late
        )
        meeting = all(any((end, at) in late for end in ends) for (_, at), ends in swapped.items())
        return replaced and meeting

    def _meetings(self, t: int, l: LocalStore) -> Iterator[tuple[Cells, int, LocalStore]]:
        for position in self.at_local[t].get(l, ()):
            for u in self.interpreter.threads:
                if u != t:
                    for m in self.at_store[u].get(position, ()):
                        yield self.stores[position], u, m

    def _after(self, t: int, g: Cells, l: LocalStore) -> frozenset[After]:
        key = (t, g, l)
        if key not in self._known:
            self._known[key] = frozenset(self._steps(t, g, l))
        return self._known[key]

    def _steps(self, t: int, g: Cells, l: LocalStore) -> Iterator[After]:
        locations = self.interpreter.program.locations
        if locations[l.pc].failure is not None:
            return
        for choices, after, moved, _ in self.interpreter.step(t, GlobalStore(g), l):
            failed = locations[moved.pc].failure is not None
            yield choices[0].edge, g if failed else after.cells, moved
