"""Undecided pairs of accesses as goals for search, and runs that show them."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.engines.api import Goal
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.auditing import next_edges
from threadwise.proofs.base.locations import Location, Pair
from threadwise.traces.replay import Replay
from threadwise.traces.trace import Trace

MOST = 200
"""So many goals are passed on."""


def goals_of(locations: Sequence[Location]) -> tuple[Goal, ...]:
    """One goal per undecided pair; the first of every location come first."""
    ranked = [
        (rank, location.name, pair)
        for location in locations
        for rank, pair in enumerate(location.undecided)
    ]
    ranked.sort(key=lambda each: each[:2])
    return tuple(Goal(_sides(pair), name) for _, name, pair in ranked[:MOST])


def _sides(pair: Pair) -> tuple[frozenset[EdgeId], frozenset[EdgeId]]:
    first: set[EdgeId] = set()
    second: set[EdgeId] = set()
    for edges in pair.edges:
        ordered = sorted(edges)
        first.add(ordered[0])
        second.add(ordered[-1])
    return frozenset(first), frozenset(second)


def shows(program: Program, trace: Trace, location: Location) -> bool:
    """Whether a trace, which replays, ends in a race of an undecided pair of a location."""
    checked = next(p for p in program.properties if p.name == trace.property)
    if not isinstance(checked, RaceProperty):
        return False
    replay = Replay(program, trace, checked)
    state = replay.last()
    pairs = {edges for pair in location.undecided for edges in pair.edges}
    for t, _, u, _ in replay.describer.checker.races(checked, state):
        mine, others = (next_edges(replay.program, state.locals[who].pc) for who in (t, u))
        if any(frozenset({e, f}) in pairs for e in mine for f in others):
            return True
    return False
