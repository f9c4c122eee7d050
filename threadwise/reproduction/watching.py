"""Starting a program under its schedule, and watching it from outside.

A run is over when all events have happened, when the process has ended, or when nothing moves any
more. Threads are looked at through the operating system: whether they sleep, and which calls are
on their stacks.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from threadwise.reproduction.control import ControlPage, Snapshot
from threadwise.reproduction.machine_code import MachineCode, Site

_PATIENCE_S = 4.0
"""Nothing has moved for so long: nothing will."""
_LONGEST_S = 15.0
"""No event has happened for so long, although threads run."""
_POLL_S = 0.005
_STACK_BYTES = 1 << 14
_NO_RANDOM_ADDRESSES = 0x0040000
_DIE_WITH_PARENT = 1
_TSAN_OPTIONS = ":".join(
    (
        "halt_on_error=0",
        "exitcode=66",
        "detect_deadlocks=0",
        "report_thread_leaks=0",
        "report_signal_unsafe=0",
        "suppress_equal_addresses=0",
        "history_size=7",
        "color=never",
    )
)


@dataclass
class Running:
    """A program that runs under its schedule."""

    process: subprocess.Popen[bytes]
    page: ControlPage
    folder: Path

    @property
    def errors(self) -> str:
        """What it has written to its standard error so far."""
        return (self.folder / "stderr").read_text("utf-8", "replace")

    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.poll() is not None

    def until_over(self) -> Snapshot:
        """Wait until all events have happened, the process has ended, or nothing moves."""
        moved, happened = time.monotonic(), time.monotonic()
        last = self.page.read()
        while True:
            ended = self.has_ended()
            now = self.page.read()
            clock = time.monotonic()
            if now.turn != last.turn:
                happened = clock
            if now != last:
                moved = clock
            last = now
            idle = clock - moved > _PATIENCE_S or clock - happened > _LONGEST_S
            if ended or now.is_over or now.trouble or idle:
                return now
            time.sleep(_POLL_S)

    def until_ended(self, limit_s: float) -> int | None:
        """Wait for the end of the process; its exit code, negative for a signal."""
        try:
            return self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None

    def is_asleep(self, tid: int) -> bool:
        """Whether a thread sleeps."""
        return _status(self.process.pid, tid).get("State", "?").startswith("S")

    def wakings(self, tid: int) -> str:
        """A number that changes whenever a thread is woken."""
        return _status(self.process.pid, tid).get("voluntary_ctxt_switches", "?")

    def calls(self, tid: int, code: MachineCode, base: int) -> Iterator[Site]:
        """The calls of the program on the stack of a sleeping thread, innermost first."""
        with suppress(OSError, ValueError, IndexError):  # it runs, or it is gone
            task = Path(f"/proc/{self.process.pid}/task/{tid}")
            stack = int((task / "syscall").read_text().split()[-2], 16)
            with Path(f"/proc/{self.process.pid}/mem").open("rb", buffering=0) as memory:
                memory.seek(stack)
                words = memory.read(_STACK_BYTES)
            for (word,) in struct.iter_unpack("=Q", words[: len(words) // 8 * 8]):
                site = code.at.get(word - base)
                if site is not None and not site.callee.startswith("__wrap___tsan_func"):
                    yield site


def _status(pid: int, tid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/task/{tid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)}


def _prepared() -> None:
    """In the new process: dies with us, and its addresses are the same every time."""
    libc = ctypes.CDLL(None)
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    libc.personality(_NO_RANDOM_ADDRESSES)


def environment(folder: Path, *, is_reversed: bool = False) -> dict[str, str]:
    """The environment variables that configure the runtime and ThreadSanitizer."""
    return {
        **({"THREADWISE_REVERSED": "1"} if is_reversed else {}),
        "THREADWISE_SCHEDULE": str(folder / "schedule"),
        "THREADWISE_CONTROL": str(folder / "control"),
        "TSAN_OPTIONS": f"{_TSAN_OPTIONS}:log_path={folder / 'tsan'}",
    }


@contextmanager
def started(
    program: Path,
    schedule: str,
    folder: Path,
    arguments: Sequence[bytes] = (),
    *,
    is_reversed: bool = False,
) -> Iterator[Running]:
    """A program under its schedule, with arguments; it is gone when the block ends.

    `is_reversed`: the last accesses of a race come in the other order.
    """
    (folder / "schedule").write_text(schedule, encoding="utf-8")
    for old in folder.glob("tsan.*"):
        old.unlink()
    page = ControlPage(folder / "control")
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            [str(program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            env={**os.environ, **environment(folder, is_reversed=is_reversed)},
            preexec_fn=_prepared,
            start_new_session=True,
        )
    try:
        yield Running(process, page, folder)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        page.close()
