"""Pauses of the collector leave nothing behind; memory is measured in time."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from threadwise.core.processes import memory
from threadwise.core.processes.garbage import collect_seldom, collector_paused
from threadwise.core.processes.memory import ProcessTree, resident_bytes_of, unwatched_s


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


def test_shared_pages_are_counted_only_when_the_sum_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To count them takes as long as the processes are large."""
    sums = {"resident": 100, "counted": 60}
    asked: list[int] = []

    def counted(pid: int) -> int:
        asked.append(pid)
        return sums["counted"]

    monkeypatch.setattr(memory, "resident_bytes_of", lambda _: sums["resident"])
    monkeypatch.setattr(memory, "proportional_bytes", counted)
    monkeypatch.setattr(ProcessTree, "_refresh", lambda _: None)
    tree = ProcessTree(os.getpid())
    assert tree.resident_bytes() == 100  # alone, it shares nothing
    tree._descendants = [SimpleNamespace(pid=-1)]  # type: ignore[list-item]
    assert tree.resident_bytes() == 120
    sums.update(resident=105, counted=64)
    assert tree.resident_bytes() == 130
    assert len(asked) == 2
    assert tree.resident_bytes(exact=True) == 128
    sums.update(resident=90, counted=50)
    assert tree.resident_bytes() == 100
    assert len(asked) == 6


def test_resident_memory_is_known() -> None:
    assert resident_bytes_of(os.getpid()) > 1 << 20
    assert resident_bytes_of(2**30) == 0
