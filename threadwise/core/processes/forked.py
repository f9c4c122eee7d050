"""Forked processes that run a job and send messages: how they begin, and how they are ended.

A worker leads a process group of its own, ignores Ctrl-C, and dies with its parent. `supervisor`
watches one for the user; the driver has one for each engine.
"""

import os
import resource
import signal
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import NamedTuple, NoReturn

from threadwise.core.budget import UNLIMITED, Budget
from threadwise.core.processes.memory import ProcessTree, reserved_bytes
from threadwise.core.processes.worker import (
    Ending,
    EndingKind,
    Job,
    die_with_parent,
    flush_standard_streams,
    run_worker,
)
from threadwise.core.quick_dataclass import dataclass

_ADDRESS_SPACE_SLACK = 2 << 30
WATCHED_SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""How users end a command; its workers leave it to the supervisor."""


@dataclass(slots=True)
class Worker:
    """A forked process as its parent sees it."""

    pid: int
    messages: int
    lifeline: int
    status: int | None = None
    usage: resource.struct_rusage | None = None
    gone: bool = False

    def poll(self) -> bool:
        """Whether the worker has ended; takes note of how."""
        return self._reap(os.WNOHANG)

    def end(self) -> None:
        """Kill what is left of the worker and its group, and wait for its end."""
        self._signal(signal.SIGKILL)
        self._reap(0)

    def kill(self) -> None:
        """Kill the worker with all its descendants, in its group or not, and wait for its end."""
        if not self.gone:
            # A stopped worker starts no further processes while its descendants are listed.
            self._signal(signal.SIGSTOP)
            ProcessTree(self.pid).kill_descendants()
        self.end()

    def suspend(self) -> None:
        """Let the worker go no further, wherever it is."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    @property
    def used_s(self) -> float | None:
        """The processor time of the worker and of its descendants, once it is gone."""
        return None if self.usage is None else self.usage.ru_utime + self.usage.ru_stime

    def close(self) -> None:
        """Leave nothing behind, even if watching ended by an exception."""
        if not self.gone:
            self.kill()
        os.close(self.messages)
        os.close(self.lifeline)

    def ending(self) -> Ending:
        """What became of a worker that ended without saying so."""
        status = self.status
        if status is not None and os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = _signal_name(number)
            if number == signal.SIGKILL:
                name += ", perhaps because the system ran out of memory"
            return Ending(EndingKind.CRASHED, f"worker killed by {name}", signal=number)
        code = None if status is None else os.waitstatus_to_exitcode(status)
        told = "unknown" if code is None else str(code)
        reason = f"worker ended without a result (exit code {told})"
        return Ending(EndingKind.CRASHED, reason, exit_code=code)

    def _signal(self, number: int) -> None:
        # The group outlives its leader while it has members; macOS refuses a group of zombies.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _reap(self, options: int) -> bool:
        if not self.gone:
            try:
                pid, status, usage = os.wait4(self.pid, options)
            except ChildProcessError:
                # Somebody else in this process waits for children; the status went to them.
                self.gone = True
            else:
                if pid != 0:
                    self.gone, self.status, self.usage = True, status, usage
        return self.gone


def fork_worker(job: Job, budget: Budget = UNLIMITED, others: Iterable[int] = ()) -> Worker:
    """Fork a process that runs the job; `others` are descriptors that are none of its business."""
    flush_standard_streams()
    parent = os.getpid()
    with ExitStack() as on_failure:
        messages = _open_pipe(on_failure)
        lifeline = _open_pipe(on_failure)
        # Until the worker has its own signal settings, a Ctrl-C must not reach the inherited ones.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED_SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                _be_worker(job, budget, mask, parent, messages, lifeline, others)
            # Both sides do this, so that it is done whichever of them runs first.
            with suppress(ProcessLookupError, PermissionError):
                os.setpgid(pid, pid)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        on_failure.pop_all()
    os.close(messages.writer)
    os.close(lifeline.reader)
    os.set_blocking(messages.reader, False)
    return Worker(pid, messages.reader, lifeline.writer)


class _Pipe(NamedTuple):
    reader: int
    writer: int


def _open_pipe(on_failure: ExitStack) -> _Pipe:
    pipe = _Pipe(*os.pipe())
    on_failure.callback(os.close, pipe.reader)
    on_failure.callback(os.close, pipe.writer)
    return pipe


def _be_worker(
    job: Job,
    budget: Budget,
    mask: set[int],
    parent: int,
    messages: _Pipe,
    lifeline: _Pipe,
    others: Iterable[int],
) -> NoReturn:
    """The life of the forked process."""
    code = 1
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        # While the worker itself held these ends, it would never see the supervisor go.
        os.close(messages.reader)
        os.close(lifeline.writer)
        for descriptor in others:
            os.close(descriptor)
        die_with_parent(parent, lifeline.reader)
        _limit_address_space(budget)
        if run_worker(job, messages.writer):
            code = 0
    finally:
        # Whatever happened, the caller's stack belongs to the supervisor alone.
        os._exit(code)  # noqa: TID251


def _limit_address_space(budget: Budget) -> None:
    """A backstop for work that allocates faster than the supervisor looks.

    Libraries reserve more address space than they use, so the limit is far above the budget.
    """
    reserved = reserved_bytes()
    if budget.memory_bytes is None or reserved is None:
        return
    limit = reserved + 2 * budget.memory_bytes + _ADDRESS_SPACE_SLACK
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY or limit < hard:
        with suppress(OSError, ValueError, OverflowError):
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
