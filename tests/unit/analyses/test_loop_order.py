"""Every loop is visited as a whole before what comes after it, and callers before procedures."""

from __future__ import annotations

import random

from tests.unit.semantics.running import model
from threadwise.analyses.components import all_components, components
from threadwise.analyses.graphs import loops_first, outgoing_edges, visiting_ranks
from threadwise.ir.program import LocId, Procedure

NESTED = """
int[0..9] x;
thread t {
  while (x < 9) {
    while (x < 5) { x = x + 1; }
    x = x + 1;
  }
  x = 0;
  x = 1;
}
"""
CALLS = """
int[0..9] x;
void last() { x = 3; }
void first() { last(); x = 2; last(); }
thread t { first(); last(); }
"""


def order_of(procedure: Procedure) -> list[LocId]:
    return loops_first(procedure.entry, outgoing_edges(procedure))


def test_what_follows_a_loop_comes_after_all_of_it() -> None:
    [procedure] = model(NESTED).procedures
    position = {here: n for n, here in enumerate(order_of(procedure))}
    after = {
        loc.id: [e.target for e in procedure.edges if e.source == loc.id]
        for loc in procedure.locations
    }
    loops = components(after)
    assert loops
    for loop in loops:
        last = max(position[here] for here in loop)
        left = [there for here in loop for there in after[here] if there not in loop]
        assert left
        assert all(position[there] > last for there in left)
        assert last - min(position[here] for here in loop) == len(loop) - 1


def test_callers_come_before_what_they_call() -> None:
    program = model(CALLS)
    ranks = visiting_ranks(program)

    def of(name: str) -> list[int]:
        return [ranks[loc.id] for loc in program.procedure[name].locations if loc.id in ranks]

    assert max(of("first")) < min(of("last"))
    assert len(set(ranks.values())) == len(ranks)


def test_components_come_behind_those_that_they_lead_to() -> None:
    numbers = random.Random(0)
    for _ in range(200):
        size = numbers.randrange(1, 9)
        after = {
            n: [numbers.randrange(size) for _ in range(numbers.randrange(3))] for n in range(size)
        }
        found = all_components(after)
        assert sorted(n for part in found for n in part) == list(range(size))
        index = {n: k for k, part in enumerate(found) for n in part}
        assert all(index[n] >= index[m] for n in after for m in after[n])
