"""How much memory and time processes use.

`psutil` is imported on first use: it takes longer to load than the rest of the core together, and
short runs never need it.
"""

import os
import resource
import sys
from contextlib import suppress

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


def resident_bytes_of(pid: int) -> int:
    """The resident memory of a process, all of the shared pages; 0 if there is no such process."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return _resident_by_psutil(pid)


def proportional_bytes(pid: int) -> int:
    """The resident memory of a process, shared pages in parts; 0 if there is no such process.

    The operating system visits every page for this.
    """
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return _resident_by_psutil(pid)


def _resident_by_psutil(pid: int) -> int:
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

    # A change by one part of so many is not worth measuring.
    _ABOUT = 8

    def __init__(self, pid: int) -> None:
        import psutil

        self._error = psutil.Error
        self._root: psutil.Process | None = None
        with suppress(psutil.Error):
            self._root = psutil.Process(pid)
        self._descendants: list[psutil.Process] = []
        self._asked = 0
        self._measured = 0
        """What they used together when it was last measured page by page."""
        self._bound = 0
        """And the sum of what each of them used."""

    def resident_bytes(self, *, exact: bool = False) -> int:
        """The sum over the tree; pages that processes share count once.

        To count them takes long. As long as the sum that counts them for every process is about
        the same as when that was last done, its growth is added instead: that is hardly less than
        what is used, and may be more.
        """
        if self._asked % self._REFRESH_EVERY == 0:
            self._refresh()
        self._asked += 1
        if self._root is None:
            return 0
        pids = [each.pid for each in (self._root, *self._descendants)]
        bound = sum(map(resident_bytes_of, pids))
        if len(pids) == 1:
            return bound
        change = bound - self._bound
        if not exact and abs(change) * self._ABOUT <= self._bound:
            return self._measured + max(0, change)
        self._measured, self._bound = sum(map(proportional_bytes, pids)), bound
        return self._measured

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


def most_memory() -> int:
    """Four fifths of the machine's memory: more would slow down or end everything else on it."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 4 // 5
