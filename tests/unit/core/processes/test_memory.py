"""Pauses of the collector leave nothing behind; memory is measured in time."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from threadwise.core.processes.garbage import collect_seldom, collector_paused
from threadwise.core.processes.memory import unwatched_s


class Ring:
    """An object that refers to itself: only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def often() -> Iterator[None]:
    """The collector of a process that has not changed it."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("often")
def test_garbage_of_a_pause_is_found_without_being_asked() -> None:
    """Programs of a process that reads many were kept for ever once."""
    left: list[weakref.ref[Ring]] = []
    for _ in range(20):
        with collector_paused():
            left += [weakref.ref(Ring()) for _ in range(1_000)]
        _ = [[k] for k in range(2_000)]
    assert sum(each() is not None for each in left) < len(left) / 2


@pytest.mark.usefixtures("often")
def test_the_command_line_does_not_search_what_it_has_read() -> None:
    before = gc.get_freeze_count()
    with collector_paused():
        kept = [[number] for number in range(1_000)]
    assert gc.get_freeze_count() == before
    collect_seldom()
    with collector_paused():
        kept += [[number] for number in range(1_000)]
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    assert frozen >= before + len(kept)


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_processes_with_little_room_are_measured_soon() -> None:
    assert unwatched_s(0) == unwatched_s(-1) == 0
    assert unwatched_s(1 << 20) < 0.001
    assert unwatched_s(1 << 20) < unwatched_s(1 << 30) < unwatched_s(1 << 40) <= 1
