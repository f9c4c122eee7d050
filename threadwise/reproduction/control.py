"""The page of memory in which the runtime says where it is; only read here.

`runtime/control.h` has the same layout.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

_MAGIC = 0x74777201
_THREADS = 128
_FRAMES = 128
_HEAD = struct.Struct("=6I q Q")
_THREAD = struct.Struct("=2I 2Q")
_FRAMES_AT = _HEAD.size
_THREADS_AT = _FRAMES_AT + 8 * _FRAMES
SIZE = _THREADS_AT + _THREADS * _THREAD.size


class ThreadState(IntEnum):
    """Where a thread is, as far as the runtime knows."""

    ABSENT = 0
    RUNNING = 1
    HELD = 2
    ENDED = 3


class Trouble(IntEnum):
    """What the runtime noticed."""

    FINE = 0
    OTHER_VALUE = 1
    BAD_SCHEDULE = 2


@dataclass(frozen=True)
class NativeThread:
    """A thread of the schedule, in the machine."""

    tid: int
    state: ThreadState
    address: int
    """The return address of its latest scheduling point."""
    passed: int


@dataclass(frozen=True)
class Snapshot:
    """The page at one moment."""

    is_alive: bool
    turn: int
    total: int
    trouble: Trouble
    trouble_event: int
    trouble_value: int
    base: int
    frames: tuple[int, ...]
    threads: tuple[NativeThread, ...]

    @property
    def is_over(self) -> bool:
        """Whether all events have happened."""
        return self.is_alive and self.turn >= self.total


class ControlPage:
    """The page of one run."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(SIZE))
        self.path = path
        with path.open("rb") as opened:
            self._map = mmap.mmap(opened.fileno(), SIZE, prot=mmap.PROT_READ)

    def close(self) -> None:
        """Let go of it."""
        self._map.close()

    def read(self) -> Snapshot:
        """What it says now."""
        data = self._map[:SIZE]
        magic, turn, total, trouble, event, count, value, base = _HEAD.unpack_from(data)
        frames = struct.unpack_from(f"={_FRAMES}Q", data, _FRAMES_AT)[:count]
        threads = tuple(
            NativeThread(tid, ThreadState(state), address, passed)
            for tid, state, address, passed in _THREAD.iter_unpack(data[_THREADS_AT:])
        )
        alive = magic == _MAGIC
        told = Trouble(trouble)
        return Snapshot(alive, turn, total, told, event, value, base, frames, threads)
