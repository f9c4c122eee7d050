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
import selectors
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from types import FrameType

from threadwise.core.budget import Budget, format_memory, format_time
from threadwise.core.processes.forked import WATCHED_SIGNALS, Worker, fork_worker
from threadwise.core.processes.memory import ProcessTree, peak_bytes_of, unwatched_s
from threadwise.core.processes.worker import (
    Ending,
    EndingKind,
    FrameReader,
    Job,
    Send,
    Tag,
)

__all__ = ["Ending", "EndingKind", "Job", "Send", "supervise"]

_POLL_S = 0.05
_POLL_AFTER_END_S = 0.005
_CHUNK = 1 << 16
_GRACE_S = 1.0
_FAR_OVER = 2


def supervise(
    job: Job,
    budget: Budget,
    on_message: Callable[[object], None],
    started: float | None = None,
    meanwhile: Callable[[], object] | None = None,
    tick: Callable[[], object] | None = None,
) -> Ending:
    """Run `job` in a worker process within the budget; hand its messages to `on_message`.

    The time limit counts from `started`, a reading of `time.monotonic`; without it, from now.
    `meanwhile` is called once when the worker has begun, for preparations that take a moment;
    `tick` again and again, many times a second.
    Messages arrive in the order sent, in the calling thread. Returns when the worker is gone. The
    step limit of the budget is left to the job itself. SIGINT and SIGTERM are caught while this
    runs in the main thread: the first ends the work, another one raises KeyboardInterrupt.
    Exceptions of `on_message` pass through after the worker was killed.
    """
    with _caught_signals() as signals:
        worker = fork_worker(job, budget)
        try:
            if meanwhile is not None:
                meanwhile()
            return _Watch(worker, budget, on_message, signals, started, tick).run()
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
    previous = {number: signal.getsignal(number) for number in WATCHED_SIGNALS}
    try:
        for number in WATCHED_SIGNALS:
            signal.signal(number, signals.handle)
        yield signals
    finally:
        for number, handler in previous.items():
            # None: the handler was installed by native code, and cannot be put back from here.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


class _Watch:
    """One supervised run."""

    def __init__(
        self,
        worker: Worker,
        budget: Budget,
        on_message: Callable[[object], None],
        signals: _Signals,
        started: float | None,
        tick: Callable[[], object] | None = None,
    ) -> None:
        self._tick = tick
        self._worker = worker
        self._budget = budget
        self._on_message = on_message
        self._signals = signals
        self._reader = FrameReader()
        self._sent_ending: Ending | None = None
        self._started = time.monotonic() if started is None else started
        self._next_look_at_memory = time.monotonic() + unwatched_s(budget.memory_bytes or 0)
        self._peak_memory = 0
        self._over_since: float | None = None

    def run(self) -> Ending:
        """Watch until the worker is gone or has to go."""
        imposed = self._watch()
        if imposed is None:
            self._worker.end()
        else:
            self._worker.kill()
        self._drain()
        ending = self._sent_ending or imposed or self._worker.ending()
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
                if self._tick is not None:
                    self._tick()
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
        if budget.memory_bytes is not None and now >= self._next_look_at_memory:
            tree = self._tree  # the first time, this loads a library, which says nothing
            began = time.monotonic()
            used = tree.resident_bytes()
            if used > budget.memory_bytes:
                used = tree.resident_bytes(exact=True)
            # Looking takes time, too.
            taken = 20 * (time.monotonic() - began)
            unwatched = unwatched_s(budget.memory_bytes - used)
            self._next_look_at_memory = now + max(_POLL_S, taken, unwatched)
            self._peak_memory = max(self._peak_memory, used)
            if self._too_much(used, budget.memory_bytes, now):
                return Ending(
                    EndingKind.MEMORY_LIMIT,
                    f"memory limit of {format_memory(budget.memory_bytes)} reached",
                )
        return None

    @cached_property
    def _tree(self) -> ProcessTree:
        return ProcessTree(self._worker.pid)

    def _too_much(self, used: int, limit: int, now: float) -> bool:
        """Whether the worker has to go. One with processes may end some of them first."""
        if used <= limit:
            self._over_since = None
            return False
        if self._over_since is None:
            self._over_since = now
        patient = self._tree.has_descendants and now - self._over_since < _GRACE_S
        return not patient or used > _FAR_OVER * limit
