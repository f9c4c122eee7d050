"""Steps through atomic regions, in time that grows with the states inside, not with the paths.

A region of k choices has 2^k paths but often few states: paths that meet in the same state go on
alike. So every state inside is expanded only once. A path that reaches a state already expanded is
continued by the first way out found there: each edge that lies on a way out lies on a path listed,
and each outcome is the outcome of one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, NamedTuple, TypeVar

from threadwise.semantics.state import Choice

G = TypeVar("G", bound=Hashable)
L = TypeVar("L", bound=Hashable)
A = TypeVar("A")

_State = tuple[int, int, L]
"""The first edge of a step, the number of a shared store, a local store."""

ATOMIC_STEP_LIMIT = 10_000
"""A path through an atomic region longer than this counts as endless."""


class Path(NamedTuple, Generic[G, L, A]):
    """The edges taken so far by one step of a thread, where they lead and what they touched."""

    choices: tuple[Choice, ...]
    g: G
    l: L
    accesses: tuple[A, ...]


class EndlessRegionError(Exception):
    """A path inside an atomic region may be infinite."""


def big_steps(
    g: G,
    l: L,
    extensions: Callable[[Path[G, L, A]], Iterator[Path[G, L, A]]],
    is_inside: Callable[[L], bool],
) -> Iterator[Path[G, L, A]]:
    """The paths from (g, l) to where a thread can be seen again, depth first.

    Paths that begin with different edges are not merged: a step is identified by its first edge.
    """
    start: Path[G, L, A] = Path((), g, l, ())
    current, pending = [start], [extensions(start)]
    known = _Known[G, L, A](g)
    while pending:
        reached = next(pending[-1], None)
        if reached is None:
            pending.pop()
            known.leave(current.pop())
            continue
        if is_inside(reached.l):
            if known.is_passed(reached) or len(current) > ATOMIC_STEP_LIMIT:
                raise EndlessRegionError
            if known.is_new(reached):
                current.append(reached)
                pending.append(extensions(reached))
                continue
            continued = known.continued(reached)
            if continued is None:
                continue
            reached = continued
        known.note_end(current, reached)
        yield reached


class StoreNumbers(Generic[G]):
    """Numbers for the shared stores of one step: equal stores have equal numbers.

    Shared stores may be large, and most steps inside a region leave them as they are: a store is
    looked up when it is another object than the one before, and the first one not before that.
    """

    def __init__(self, first: G) -> None:
        self._first = first
        self._recent = first, 0
        self._numbers: dict[G, int] = {}

    def number(self, g: G) -> int:
        """The number of a store."""
        if self._recent[0] is not g:
            self._numbers.setdefault(self._first, 0)
            self._recent = g, self._numbers.setdefault(g, len(self._numbers))
        return self._recent[1]


class _Known(Generic[G, L, A]):
    """What is known of the states inside a region."""

    def __init__(self, start: G) -> None:
        self._first: dict[_State[L], Path[G, L, A]] = {}
        """States inside, each with the path that came there first."""
        self._ends: dict[_State[L], Path[G, L, A]] = {}
        """What that path became first, where it came out."""
        self._passed: set[_State[L]] = set()
        """The states of the current path."""
        self._stores = StoreNumbers(start)

    def _state(self, path: Path[G, L, A]) -> _State[L]:
        return path.choices[0].edge, self._stores.number(path.g), path.l

    def is_passed(self, path: Path[G, L, A]) -> bool:
        """Whether a path has come back to a state of its own."""
        return self._state(path) in self._passed

    def is_new(self, path: Path[G, L, A]) -> bool:
        """Whether no path came to this state before; it is on the current path from now on."""
        state = self._state(path)
        if state in self._first:
            return False
        self._first[state] = path
        self._passed.add(state)
        return True

    def leave(self, path: Path[G, L, A]) -> None:
        """A path has no more extensions."""
        if path.choices:
            self._passed.discard(self._state(path))

    def note_end(self, current: list[Path[G, L, A]], end: Path[G, L, A]) -> None:
        """All parts of the current path lead out."""
        for path in reversed(current[1:]):
            state = self._state(path)
            if state in self._ends:
                return
            self._ends[state] = end

    def continued(self, path: Path[G, L, A]) -> Path[G, L, A] | None:
        """A path that met another one, with the rest of that one's way out, if it has one."""
        state = self._state(path)
        known, end = self._first[state], self._ends.get(state)
        if end is None:
            return None
        return Path(
            (*path.choices, *end.choices[len(known.choices) :]),
            end.g,
            end.l,
            (*path.accesses, *end.accesses[len(known.accesses) :]),
        )
