"""Programs whose deadlocks are easily judged wrongly: no engine may give another verdict.

Each begins with its verdict and the reason. UNKNOWN is an answer.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from threadwise.api import check

FOLDER = Path(__file__).parent.parent / "deadlocks" / "nasty"
PROGRAMS = {path.stem: path for path in sorted(FOLDER.glob("*.c"))}
ENGINES = ("auto", "lock-order", "walks", "explicit", "persistent", "thread-modular")
DECIDED_BY_ORDER = (
    "cancelled_asynchronously",
    "cancelled_at_sleep",
    "child_of_child_free",
    "child_of_child",
    "fork_with_lock",
    "gate_opened_early",
    "handler_joins",
    "handler_sets_flag",
    "handler_takes_lock",
    "aliases",
    "heap_transfer_to_itself",
    "indices_equal",
    "indices_rotated",
    "lock_swapped",
    "trylock_then_wait",
)
OPEN = {
    "cancel_disabled",
    "cancelled_asynchronously",
    "cancelled_at_sleep",
    "cancelled_in_semaphore",
    "cancelled_in_wait",
    "cancelled_with_cleanup",
    "fork_with_lock",
    "handler_joins",
    "handler_of_a_thread_posts",
    "handler_posts",
    "handler_takes_lock",
    "heap_transfers_one_way",
    "post_behind_a_limit",
    "recursive_wait",
    "robust_owner_dead",
    "server_by_input",
    "unknown_calls_back",
}
"""Nobody decides these."""


def expected(name: str) -> str:
    found = re.match(r"/\* (SAFE|UNSAFE): ", PROGRAMS[name].read_text(encoding="utf-8"))
    assert found, name
    return found[1]


def verdict(name: str, engine: str, seconds: int = 60) -> str:
    """What an engine says."""
    result = check(PROGRAMS[name], properties=["deadlocks"], engine=engine, time_limit=seconds)
    return result.verdict.value


def test_there_are_many() -> None:
    told = [expected(name) for name in PROGRAMS]
    assert len(told) >= 111
    assert min(told.count("SAFE"), told.count("UNSAFE")) >= 25


@pytest.mark.parametrize("name", DECIDED_BY_ORDER)
def test_orders_of_locks_hide_nothing(name: str) -> None:
    said = verdict(name, "lock-order")
    assert said == ("SAFE" if expected(name) == "SAFE" else "UNKNOWN")


@pytest.mark.parametrize("name", ["cancelled_in_semaphore", "post_behind_a_limit"])
@pytest.mark.parametrize("engine", ["explicit", "walks", "persistent"])
def test_what_is_not_modelled_may_help(name: str, engine: str) -> None:
    assert verdict(name, engine, 10) == "UNKNOWN"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_engine_is_wrong(name: str, engine: str) -> None:
    said = verdict(name, engine)
    allowed = (
        {expected(name)} if engine == "auto" and name not in OPEN else {expected(name), "UNKNOWN"}
    )
    assert said in allowed
