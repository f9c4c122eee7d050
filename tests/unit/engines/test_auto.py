"""In what order `auto` tries engines, and how much it gives them."""

from __future__ import annotations

from itertools import pairwise

from tests.unit.semantics.running import model
from threadwise.engines.auto import AUTO_SLICES, arranged, auto_engines, steps_within
from threadwise.engines.registry import ENGINES

SMALL = model("int[0..3] x; thread t[2] { while (true) { x = 1; assert(x <= 1); } }")
SHORT = model("int[0..3] x; thread t[2] { x = 1; assert(x <= 1); }")
UNBOUNDED = model("int x; thread t[2] { x = x + 1; assert(x >= 0); }")
ARRAY = model("int x[2]; thread t[2] { x[0] = x[1] + 1; }")
LOCAL = model("thread t[2] { int mine = 0; mine = mine + 1; }")


def test_small_programs_keep_the_order_of_the_registry() -> None:
    assert arranged(auto_engines(), SMALL) == auto_engines()


def test_where_runs_end_all_interleavings_come_early() -> None:
    names = [info.name for info in arranged(auto_engines(), SHORT)]
    assert sorted(names) == sorted(info.name for info in auto_engines())
    assert names.index("persistent") < names.index("bounded") < names.index("horn")
    steps = [steps_within(ENGINES["bounded"], p, 10**7) for p in (SMALL, SHORT)]
    assert steps[0] < steps[1]


def test_unbounded_data_moves_provers_before_searchers() -> None:
    for program in (UNBOUNDED, ARRAY, LOCAL):
        names = [info.name for info in arranged(auto_engines(), program)]
        assert sorted(names) == sorted(info.name for info in auto_engines())
        assert names.index("explicit") < names.index("horn") < names.index("persistent")
        assert names.index("tar") < names.index("summaries")


def test_dear_steps_make_short_slices() -> None:
    (first, *_) = AUTO_SLICES
    assert steps_within(ENGINES["counting"], SMALL, first) < 8_000
    assert steps_within(ENGINES["thread-modular"], SMALL, first) > 5_000
    assert steps_within(ENGINES["counting"], SMALL, 1) == 1


def test_states_of_many_threads_cost_more() -> None:
    many = model("int[0..3] x; thread t[*] { x = 1; }")
    few = SMALL.with_counts({"t": 1})
    costs = [steps_within(ENGINES["explicit"], p, 10**6) for p in (few, SMALL, many)]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) == 3


def test_slices_grow() -> None:
    assert all(b > a for a, b in pairwise(AUTO_SLICES))


def test_going_through_all_values_gets_less_where_there_is_no_bound() -> None:
    for name, same in (("thread-modular", False), ("explicit", True), ("horn", True)):
        steps = [steps_within(ENGINES[name], p, 10**7) for p in (SMALL, UNBOUNDED)]
        assert (steps[0] == steps[1]) == same


def test_large_shared_memory_costs_searches_more() -> None:
    small, large = (model(f"int[0..3] x[{n}]; thread t {{ x[0] = 1; }}") for n in (10, 20_000))
    for name, same in (("explicit", False), ("walks", False), ("locksets", True)):
        steps = [steps_within(ENGINES[name], p, 10**7) for p in (small, large)]
        assert (steps[0] == steps[1]) == same
