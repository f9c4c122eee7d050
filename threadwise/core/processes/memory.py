"""How much memory and time processes use.

`psutil` is imported on first use: it takes longer to load than the rest of the core together, and
short runs never need it.
"""

import os
import resource
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

_FILLED_PER_S = 4 << 30
_LONGEST_WAIT_S = 1.0
_RUSAGE_UNIT = 1 if sys.platform == "darwin" else 1024


def unwatched_s(free_bytes: int) -> float:
    """How long processes need not be measured that may still use so much: they take time to.

    Measuring costs processor time for every process and every page of it.
    """
    return min(max(free_bytes, 0) / _FILLED_PER_S, _LONGEST_WAIT_S)


def peak_bytes_of(usage: resource.struct_rusage) -> int:
    """The largest resident memory that `os.wait4` reports for a child."""
    return usage.ru_maxrss * _RUSAGE_UNIT


def reserved_bytes() -> int | None:
    """The address space of this process, where it is known without loading `psutil`."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def proportional_bytes(pid: int) -> int:
    """The resident memory of a process, shared pages in parts; 0 if there is no such process."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def processor_s(pid: int) -> float:
    """The processor time that a process has used; 0 if there is no such process."""
    import psutil

    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


class ProcessTree:
    """The resident memory of a process and its descendants, cheap enough to ask for often."""

    # Finding descendants reads the process table, so a list of them serves for several questions.
    _REFRESH_EVERY = 8

    def __init__(self, pid: int) -> None:
        import psutil

        self._error = psutil.Error
        self._root: psutil.Process | None = None
        with suppress(psutil.Error):
            self._root = psutil.Process(pid)
        self._descendants: list[psutil.Process] = []
        self._asked = 0

    def resident_bytes(self) -> int:
        """The sum over the tree; pages that processes share count once."""
        if self._asked % self._REFRESH_EVERY == 0:
            self._refresh()
        self._asked += 1
        if self._root is None:
            return 0
        if not self._descendants:
            return self._resident(self._root)
        return sum(proportional_bytes(each.pid) for each in (self._root, *self._descendants))

    @property
    def has_descendants(self) -> bool:
        """Whether there were any at the last measurement."""
        return bool(self._descendants)

    def kill_descendants(self) -> None:
        """Kill all descendants, wherever they moved themselves; the root is left alone."""
        self._refresh()
        for process in self._descendants:
            with suppress(self._error):
                process.kill()

    def _refresh(self) -> None:
        self._descendants = []
        if self._root is not None:
            with suppress(self._error):
                self._descendants = self._root.children(recursive=True)

    def _resident(self, process: "psutil.Process") -> int:
        try:
            return int(process.memory_info().rss)
        except self._error:
            return 0


def most_memory() -> int:
    """Four fifths of the machine's memory: more would slow down or end everything else on it."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 4 // 5
