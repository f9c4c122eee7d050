"""Runs work in a child process and enforces time and memory limits from outside.

Solvers and parsers can spend minutes in one native call, ignore every polite request and crash; so
nothing inside their process can enforce a limit. `supervise` forks a *worker* that runs the job
and streams messages back through a pipe. The supervisor watches the clock, the memory of the
worker and its descendants, and the user's Ctrl-C; if need be it kills the worker, and it reports
what arrived.

    supervisor                         worker (own process group, ignores SIGINT)
    ----------                         ------
    read frames   <------ pipe ------  job(send); each message one frame
    wall clock, memory, signals
    SIGKILL to the whole group  ---->
    Ending                             dies with the supervisor, whatever kills that

No process is left behind: the worker leads its own process group, which is killed in any case at
the end, and descendants that left the group are killed as well. A frame that is incomplete when
the worker dies is dropped. The worker leaves by `os._exit`, so that nothing buffered before the
fork is written twice.
"""

import os
import resource
import selectors
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import NamedTuple, NoReturn

from threadwise.core.budget import Budget, format_memory, format_time
from threadwise.core.memory import ProcessTree, peak_bytes_of, reserved_bytes
from threadwise.core.worker import (
    Ending,
    EndingKind,
    FrameReader,
    Job,
    Send,
    Tag,
    die_with_parent,
    flush_standard_streams,
    run_worker,
)

__all__ = ["Ending", "EndingKind", "Job", "Send", "supervise"]

_POLL_S = 0.05
_POLL_AFTER_END_S = 0.005
_CHUNK = 1 << 16
_ADDRESS_SPACE_SLACK = 2 << 30
_WATCHED_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def supervise(
    job: Job,
    budget: Budget,
    on_message: Callable[[object], None],
    started: float | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Ending:
    """Run `job` in a worker process within the budget; hand its messages to `on_message`.

    The time limit counts from `started`, a reading of `time.monotonic`; without it, from now.
    `meanwhile` is called once when the worker has begun, for preparations that take a moment.
    Messages arrive in the order sent, in the calling thread. Returns when the worker is gone. The
    step limit of the budget is left to the job itself. SIGINT and SIGTERM are caught while this
    runs in the main thread: the first ends the work, another one raises KeyboardInterrupt.
    Exceptions of `on_message` pass through after the worker was killed.
    """
    with _caught_signals() as signals:
        worker = _fork(job, budget)
        try:
            if meanwhile is not None:
                meanwhile()
            return _Watch(worker, budget, on_message, signals, started).run()
        finally:
            worker.close()


class _Signals:
    """Notes that the user wants to stop."""

    def __init__(self) -> None:
        self.received: int | None = None

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = number


@contextmanager
def _caught_signals() -> Iterator[_Signals]:
    signals = _Signals()
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return
    previous = {number: signal.getsignal(number) for number in _WATCHED_SIGNALS}
    try:
        for number in _WATCHED_SIGNALS:
            signal.signal(number, signals.handle)
        yield signals
    finally:
        for number, handler in previous.items():
            # None: the handler was installed by native code, and cannot be put back from here.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@dataclass(slots=True)
class _Worker:
    """The forked process as the supervisor sees it."""

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

    def close(self) -> None:
        """Leave nothing behind, even if watching ended by an exception."""
        if not self.gone:
            self.kill()
        os.close(self.messages)
        os.close(self.lifeline)

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


def _fork(job: Job, budget: Budget) -> _Worker:
    flush_standard_streams()
    parent = os.getpid()
    with ExitStack() as on_failure:
        messages = _open_pipe(on_failure)
        lifeline = _open_pipe(on_failure)
        # Until the worker has its own signal settings, a Ctrl-C must not reach the inherited ones.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED_SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                _be_worker(job, budget, mask, parent, messages, lifeline)
            # Both sides do this, so that it is done whichever of them runs first.
            with suppress(ProcessLookupError, PermissionError):
                os.setpgid(pid, pid)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        on_failure.pop_all()
    os.close(messages.writer)
    os.close(lifeline.reader)
    os.set_blocking(messages.reader, False)
    return _Worker(pid, messages.reader, lifeline.writer)


class _Pipe(NamedTuple):
    reader: int
    writer: int


def _open_pipe(on_failure: ExitStack) -> _Pipe:
    pipe = _Pipe(*os.pipe())
    on_failure.callback(os.close, pipe.reader)
    on_failure.callback(os.close, pipe.writer)
    return pipe


def _be_worker(
    job: Job, budget: Budget, mask: set[int], parent: int, messages: _Pipe, lifeline: _Pipe
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


class _Watch:
    """One supervised run."""

    def __init__(
        self,
        worker: _Worker,
        budget: Budget,
        on_message: Callable[[object], None],
        signals: _Signals,
        started: float | None,
    ) -> None:
        self._worker = worker
        self._budget = budget
        self._on_message = on_message
        self._signals = signals
        self._reader = FrameReader()
        self._sent_ending: Ending | None = None
        self._started = time.monotonic() if started is None else started
        self._next_look_at_memory = self._started
        self._peak_memory = 0
        self._tree: ProcessTree | None = None
        if budget.memory_bytes is not None:
            self._tree = ProcessTree(worker.pid)

    def run(self) -> Ending:
        """Watch until the worker is gone or has to go."""
        imposed = self._watch()
        if imposed is None:
            self._worker.end()
        else:
            self._worker.kill()
        self._drain()
        ending = self._sent_ending or imposed or self._ending_from_status()
        usage = self._worker.usage
        peak = peak_bytes_of(usage) if usage is not None else 0
        return replace(
            ending,
            time_s=time.monotonic() - self._started,
            peak_memory_bytes=max(peak, self._peak_memory),
        )

    def _watch(self) -> Ending | None:
        """The ending that the supervisor imposes, or None if the worker ended by itself."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._worker.messages, selectors.EVENT_READ)
            stream_open = True
            while True:
                ready = selector.select(self._patience(stream_open))
                if ready and stream_open and not self._receive():
                    selector.unregister(self._worker.messages)
                    stream_open = False
                if self._sent_ending is not None:
                    return None
                imposed = self._exceeded()
                if imposed is not None:
                    return imposed
                if not ready and self._worker.poll():
                    return None

    def _patience(self, stream_open: bool) -> float:
        patience = _POLL_S if stream_open else _POLL_AFTER_END_S
        if self._budget.time_s is not None:
            left = self._started + self._budget.time_s - time.monotonic()
            patience = min(patience, max(0.0, left))
        return patience

    def _receive(self) -> bool:
        """Read once and hand on what is complete; False at the end of the stream."""
        try:
            data = os.read(self._worker.messages, _CHUNK)
        except BlockingIOError:
            return True
        self._reader.feed(data)
        self._hand_on(stop_early=True)
        return bool(data)

    def _drain(self) -> None:
        """Hand on what the worker had sent before it ended."""
        while True:
            try:
                data = os.read(self._worker.messages, _CHUNK)
            except BlockingIOError:
                # A descendant that escaped holds the pipe open; the worker itself is silent.
                data = b""
            if not data:
                break
            self._reader.feed(data)
        self._hand_on(stop_early=False)

    def _hand_on(self, *, stop_early: bool) -> None:
        for tag, value in self._reader.frames():
            match tag:
                case Tag.MESSAGE:
                    self._on_message(value)
                case Tag.ENDING:
                    assert isinstance(value, Ending)
                    self._sent_ending = value
            # Many small messages with a slow receiver must not hide that time is up.
            if stop_early and self._exceeded() is not None:
                return

    def _exceeded(self) -> Ending | None:
        if self._signals.received is not None:
            name = signal.Signals(self._signals.received).name
            return Ending(EndingKind.INTERRUPTED, f"interrupted ({name})")
        now = time.monotonic()
        budget = self._budget
        if budget.time_s is not None and now - self._started >= budget.time_s:
            return Ending(
                EndingKind.TIME_LIMIT, f"time limit of {format_time(budget.time_s)} reached"
            )
        if self._tree is not None and now >= self._next_look_at_memory:
            self._next_look_at_memory = now + _POLL_S
            used = self._tree.resident_bytes()
            self._peak_memory = max(self._peak_memory, used)
            if budget.memory_bytes is not None and used > budget.memory_bytes:
                return Ending(
                    EndingKind.MEMORY_LIMIT,
                    f"memory limit of {format_memory(budget.memory_bytes)} reached",
                )
        return None

    def _ending_from_status(self) -> Ending:
        """What became of a worker that ended without saying so."""
        status = self._worker.status
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


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
