"""Where one run of a task happens: a folder with its output, report and evidence.

A run survives whoever started it. Its standard output is a file that is locked for as long as the
process, or a child of it, holds it open, and its last act is to write the report there. So a
second attempt waits for the first, and if that came to its end, nothing is run again: whatever
killed the batch or the worker of a cluster, and wherever.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import threadwise

GRACE_S = 15.0
"""How long beyond its time limit a process may take to stop by itself."""
LOOK_S = 0.2
"""How often to check whether a run that another process began has ended."""
MOST_MESSAGE = 4_000
"""How many characters of the error output are kept, counted from its end."""


@dataclass(frozen=True)
class Usage:
    """What a run took; None where another process ran it and is gone."""

    exit_code: int | None = None
    """Negative: the signal that ended it."""
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None


@dataclass(frozen=True)
class Place:
    """The folder of one attempt at a task."""

    folder: Path

    @property
    def shared(self) -> Path:
        """What all runs of a batch have in common."""
        return self.folder.parent.parent

    @property
    def output(self) -> Path:
        """The report, once it is complete."""
        return self.folder / "report.json"

    @property
    def errors(self) -> Path:
        """What the run wrote to standard error."""
        return self.folder / "errors.txt"

    @property
    def certificate(self) -> Path:
        """The proof, if there is one."""
        return self.folder / "certificate.json"

    @property
    def trace(self) -> Path:
        """The violating run, if there is one."""
        return self.folder / "trace.json"

    def report(self) -> dict[str, Any] | None:
        """The report of a run that came to its end."""
        try:
            found = json.loads(self.output.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def message(self) -> str:
        """The end of what went to standard error."""
        with suppress(OSError):
            return self.errors.read_text(encoding="utf-8", errors="replace")[-MOST_MESSAGE:]
        return ""

    def remove(self) -> None:
        """Forget the run."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Stopped(Exception):  # noqa: N818 - no error
    """The batch ends: what has not begun does not begin."""


class Children:
    """The processes at work, so that all can be stopped at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self.stopped = False

    def start(
        self, command: Sequence[str], output: int, errors: int, environment: Mapping[str, str]
    ) -> int:
        """Start a process in a session of its own."""
        with self._lock:
            if self.stopped:
                raise Stopped
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env=environment,
                start_new_session=True,
            )
            self._running.add(process.pid)
        # `wait4` is the one who waits for it, and nobody looks at it afterwards.
        process.returncode = 0
        return process.pid

    def wait(self, pid: int) -> tuple[int, resource.struct_rusage]:
        """The exit status of a process, and what it and its children used."""
        # Until no one can kill it any more, its number stays taken.
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        with self._lock:
            self._running.discard(pid)
        _, status, usage = os.wait4(pid, 0)
        return os.waitstatus_to_exitcode(status), usage

    def kill(self, pid: int) -> None:
        """Kill a process with its children, if it is still there."""
        with self._lock, suppress(ProcessLookupError):
            if pid in self._running:
                os.killpg(pid, signal.SIGKILL)

    def stop(self) -> None:
        """Kill all, and let no other be started."""
        with self._lock:
            self.stopped = True
            for pid in self._running:
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)


def command_for(arguments: Sequence[str], place: Place) -> list[str]:
    """How the tool is called so that report and evidence are found in the place."""
    outputs = ["--certificate", str(place.certificate), "--trace", str(place.trace)]
    return [sys.executable, "-m", "threadwise", *arguments, "--format", "json", *outputs]


def environment_for(place: Place, bytecode: str | None) -> dict[str, str]:
    """The environment of a run.

    Where our modules have no compiled form beside them (`bytecode` is where it would be), as in a
    folder that may not be written, the runs of a batch share one: to compile takes as long as
    many a small task.
    """
    inherited = dict(os.environ)
    if bytecode is not None and Path(bytecode).is_file():
        return inherited
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    return {"PYTHONPYCACHEPREFIX": str(place.shared.absolute() / "bytecode"), **inherited}


def run_in_place(
    folder: str,
    arguments: Sequence[str],
    time_limit: float | None,
    children: Children | None = None,
) -> Usage:
    """Run a task, unless an earlier attempt in the same place finishes.

    It is killed if it does not obey the `time_limit` that stands among its arguments. Raises
    Stopped if the children are stopped before it begins.
    """
    children = children or Children()
    place = Place(Path(folder))
    place.folder.mkdir(parents=True, exist_ok=True)
    with place.output.open("ab") as output:
        _lock(output.fileno(), children)
        if place.report() is not None:
            return Usage()
        output.truncate(0)
        command = command_for(arguments, place)
        with place.errors.open("wb") as errors:
            hard = None if time_limit is None else time_limit + GRACE_S
            with_bytecode = environment_for(place, getattr(threadwise, "__cached__", None))
            start = partial(
                children.start, command, output.fileno(), errors.fileno(), with_bytecode
            )
            return _run(children, start, hard)


def _lock(descriptor: int, children: Children) -> None:
    """Wait until no other process runs in a place."""
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if children.stopped:
                raise Stopped from None
            time.sleep(LOOK_S)


def _run(children: Children, start: Callable[[], int], hard: float | None) -> Usage:
    started = time.monotonic()
    pid = start()
    watch = None if hard is None else threading.Timer(hard, children.kill, (pid,))
    try:
        if watch is not None:
            watch.start()
        exit_code, usage = children.wait(pid)
    finally:
        if watch is not None:
            watch.cancel()
    return Usage(
        exit_code,
        round(time.monotonic() - started, 3),
        round(usage.ru_utime + usage.ru_stime, 3),
        usage.ru_maxrss * 1024,
    )
