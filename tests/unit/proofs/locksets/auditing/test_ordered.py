"""Which conflicting accesses of a run are ordered."""

from __future__ import annotations

import pytest

from threadwise.proofs.locksets.auditing.ordered import HappensBefore
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.step import Access

X, Y, LOCK, OTHER = (CellRef(Region.GLOBAL, 0, slot) for slot in range(4))

Step = tuple[int, CellRef, str]
"""A thread, a cell, and how it is accessed: `r`, `w`, or `s` for synchronisation."""


def first_race(*steps: Step) -> int | None:
    """The number of the first step that races with an earlier one."""
    order = HappensBefore()
    for number, (thread, cell, how) in enumerate(steps):
        access = Access(cell, write=how != "r", sync=how == "s")
        if order.step(thread, [access]) is not None:
            return number
    return None


def locked(thread: int, lock: CellRef, *inside: Step) -> tuple[Step, ...]:
    return (thread, lock, "s"), *inside, (thread, lock, "s")


def test_a_lock_in_common_orders() -> None:
    assert first_race(*locked(0, LOCK, (0, X, "w")), *locked(1, LOCK, (1, X, "w"))) is None


@pytest.mark.parametrize(
    ("first", "second", "races"),
    [("w", "w", True), ("r", "w", True), ("w", "r", True), ("r", "r", False)],
)
def test_other_locks_do_not(first: str, second: str, *, races: bool) -> None:
    """However far apart the accesses are."""
    steps = [*locked(0, LOCK, (0, X, first)), (1, Y, "w"), *locked(1, OTHER, (1, X, second))]
    assert first_race(*steps) == (5 if races else None)


def test_what_comes_after_the_release_is_not_ordered() -> None:
    assert first_race(*locked(0, LOCK), (0, X, "w"), *locked(1, LOCK, (1, X, "w"))) == 4


def test_order_is_transitive() -> None:
    steps = [(0, X, "w"), (0, LOCK, "s"), (1, LOCK, "s"), (1, OTHER, "s"), (2, OTHER, "s")]
    assert first_race(*steps, (2, X, "w")) is None
    assert first_race(*steps[:-1], (2, LOCK, "r"), (2, X, "w")) is not None


def test_synchronisation_races_with_plain_accesses_only() -> None:
    assert first_race((0, X, "s"), (1, X, "s")) is None
    assert first_race((0, X, "s"), (1, X, "w")) == 1
    assert first_race((0, X, "w"), (1, X, "s")) == 1


def test_cells_that_the_property_is_not_about_order() -> None:
    order = HappensBefore()
    flag = Access(Y, write=True, sync=False)
    assert order.step(0, [Access(X, write=True, sync=False)]) is None
    assert order.step(0, [], [flag]) is None
    assert order.step(1, [], [flag]) is None
    assert order.step(1, [Access(X, write=True, sync=False)]) is None


def test_runs_do_not_know_of_each_other() -> None:
    order = HappensBefore()
    assert order.step(0, [Access(X, write=True, sync=False)]) is None
    order.start()
    assert order.step(1, [Access(X, write=True, sync=False)]) is None
