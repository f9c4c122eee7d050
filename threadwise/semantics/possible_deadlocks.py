"""Deadlocks that may occur among local states, where it is not known which of them occur together.

At one shared store each *seat* (a thread, or some thread of a class) has candidates: its possible
local states. A candidate is *stuck* if it is blocked and each of its ways on may be closed:

    awaited     the seat has a stuck or an ended candidate
    held        some seat has a candidate that holds the object, stuck or ended
    otherwise   every seat that is certainly taken has a candidate that is stuck, that is not live
                or that cannot help; this also applies if an awaited thread may not have started,
                or if possibly no thread holds the object

The greatest set of stuck candidates contains every deadlock: if all threads of a state have their
views among the candidates, the members of its S are stuck, by the rules of `deadlocks`. Without
stacks, candidates help only with what comes before their procedure returns, and those that help
less are stuck more often. So where no stuck candidate is away from its end, there is no deadlock.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from threadwise.ir.types import Value
from threadwise.semantics.deadlocks import Standing, Waiting

Seat = TypeVar("Seat", bound=Hashable)


class Wait(NamedTuple, Generic[Seat]):
    """A way on; `anybody` if it waits for a thread of which nothing is known."""

    awaited: Seat | None
    anybody: bool
    held: Value | None
    helpers: int


class Candidate(NamedTuple, Generic[Seat]):
    """A possible local state of a thread; `waits` is None if it can step."""

    waits: tuple[Wait[Seat], ...] | None
    standing: Standing
    may_rest: bool


def candidate(
    ways: Sequence[Waiting] | None,
    standing: Standing,
    seat: Callable[[int], Seat | None],
    *,
    may_rest: bool,
) -> Candidate[Seat]:
    """A candidate, whose ways on wait for threads at seats; None: one without a seat."""
    if ways is None or not standing.live:
        return Candidate(None, standing, may_rest)
    waits = tuple(
        Wait(
            None if way.awaited is None else seat(way.awaited),
            way.awaited is not None and seat(way.awaited) is None,
            way.held,
            helpers,
        )
        for way, helpers in ways
    )
    return Candidate(waits, standing, may_rest)


def stuck_candidates(
    candidates: Mapping[Seat, Sequence[Candidate[Seat]]], certain: Sequence[Seat]
) -> dict[Seat, list[int]]:
    """The positions of stuck candidates, by seat; empty if none of them is away from its end."""
    stuck = {
        seat: [at for at, each in enumerate(listed) if each.waits is not None]
        for seat, listed in candidates.items()
    }
    while True:
        left = {
            seat: [
                at
                for at in positions
                if all(
                    _may_be_closed(wait, candidates, stuck, certain)
                    for wait in candidates[seat][at].waits or ()
                )
            ]
            for seat, positions in stuck.items()
        }
        if left == stuck:
            break
        stuck = left
    away = any(
        not candidates[seat][at].may_rest for seat, positions in stuck.items() for at in positions
    )
    return {seat: positions for seat, positions in stuck.items() if positions} if away else {}


def _may_be_closed(
    wait: Wait[Seat],
    candidates: Mapping[Seat, Sequence[Candidate[Seat]]],
    stuck: Mapping[Seat, Sequence[int]],
    certain: Sequence[Seat],
) -> bool:
    if wait.anybody:
        return True
    if wait.awaited is not None:
        found = candidates.get(wait.awaited, ())
        if stuck.get(wait.awaited) or any(each.standing.ended for each in found):
            return True
        if found and all(each.standing.live for each in found):
            return False
    elif wait.held is not None and any(
        wait.held in each.standing.holds and (each.standing.ended or at in stuck[seat])
        for seat, listed in candidates.items()
        for at, each in enumerate(listed)
    ):
        return True
    return all(
        stuck.get(seat)
        or any(
            not each.standing.live or not each.standing.helps & wait.helpers
            for each in candidates.get(seat, ())
        )
        for seat in certain
    )
