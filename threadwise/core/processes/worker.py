"""The worker's side of supervised work: running the job and sending frames.

A frame is one tag byte, the length of the payload as eight bytes, and the payload, a pickle. The
worker sends any number of MESSAGE frames and, if it lives to do so, one ENDING frame. A frame that
was cut off when the worker died is dropped by the reader. See `supervisor` for the other side.
"""

import os
import pickle
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from typing import Protocol

from threadwise.core.errors import BudgetExhausted, InternalError, Resource, ThreadwiseError
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.recursion import deep_recursion

_HEADER = struct.Struct("!BQ")
_PR_SET_PDEATHSIG = 1


class EndingKind(Enum):
    """The ways in which supervised work ends."""

    FINISHED = "finished"
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    STEP_LIMIT = "step limit"
    INTERRUPTED = "interrupted"
    CRASHED = "crashed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Ending:
    """How supervised work ended.

    `reason` is a phrase for the user, empty for FINISHED. For FAILED, `traceback` is the stack
    trace in the worker, and `error` the exception if it was a `ThreadwiseError`, for the caller to
    raise again. For CRASHED, `signal` is what killed the worker, if a signal did, and `exit_code`
    what it ended with otherwise, if that is known. `time_s` and `peak_memory_bytes` are what the
    work took.
    """

    kind: EndingKind
    reason: str = ""
    signal: int | None = None
    exit_code: int | None = None
    traceback: str | None = None
    error: ThreadwiseError | None = None
    time_s: float = 0.0
    peak_memory_bytes: int = 0


class Tag(Enum):
    """What a frame contains."""

    MESSAGE = 0
    ENDING = 1


class Send(Protocol):
    """What a job gets to send messages with; safe to call from several threads."""

    def __call__(self, message: object, /) -> None:
        """Send a picklable message to the supervisor; it has left the process on return."""


Job = Callable[[Send], None]

_ENDING_OF = {
    Resource.TIME: EndingKind.TIME_LIMIT,
    Resource.MEMORY: EndingKind.MEMORY_LIMIT,
    Resource.STEPS: EndingKind.STEP_LIMIT,
}


class FrameReader:
    """Cuts the byte stream of a worker into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in bytes as they arrive."""
        self._buffer += data

    def frames(self) -> Iterator[tuple[Tag, object]]:
        """The complete frames so far, each once; an incomplete one stays for later.

        Raises InternalError for a payload that cannot be read back.
        """
        start = 0
        try:
            while len(self._buffer) - start >= _HEADER.size:
                tag, length = _HEADER.unpack_from(self._buffer, start)
                end = start + _HEADER.size + length
                if len(self._buffer) < end:
                    return
                payload = self._buffer[start + _HEADER.size : end]
                start = end
                yield Tag(tag), _load(payload)
        finally:
            del self._buffer[:start]


def _load(payload: bytearray) -> object:
    try:
        value: object = pickle.loads(payload)
    except Exception as error:
        raise InternalError(f"unreadable message from the worker: {error}") from error
    return value


def _frame(tag: Tag, value: object) -> bytes:
    payload = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return _HEADER.pack(tag.value, len(payload)) + payload


# Made in advance: when memory has run out, there may be none left to make it with.
_OUT_OF_MEMORY = _frame(
    Tag.ENDING, Ending(EndingKind.MEMORY_LIMIT, "memory ran out inside the worker")
)


class _Pipe:
    """The sending end; a frame is written as a whole even if several threads send."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, message: object, /) -> None:
        self.write(_frame(Tag.MESSAGE, message))

    def write(self, frame: bytes) -> None:
        rest = memoryview(frame)
        with self._lock:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]


def run_worker(job: Job, descriptor: int) -> bool:
    """Run the job in the process that was forked for it; whether the ending could be sent."""
    pipe = _Pipe(descriptor)
    frame = _ending_frame(job, pipe.send)
    # The supervisor may kill the worker as soon as it has the ending, so this comes first.
    flush_standard_streams()
    try:
        pipe.write(frame)
    except BrokenPipeError:
        return False
    return True


def flush_standard_streams() -> None:
    """Flush standard output and error; errors are left to the code that writes there."""
    for stream in (sys.stdout, sys.stderr):
        # The streams are None in a process without console.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def _ending_frame(job: Job, send: Send) -> bytes:
    try:
        with deep_recursion():
            job(send)
    except MemoryError:
        return _OUT_OF_MEMORY
    except BudgetExhausted as error:
        return _frame(Tag.ENDING, Ending(_ENDING_OF[error.resource], error.reason))
    except BaseException as error:
        return _failure_frame(error)
    return _frame(Tag.ENDING, Ending(EndingKind.FINISHED))


def _failure_frame(error: BaseException) -> bytes:
    reason = "".join(traceback.format_exception_only(error)).strip()
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, ThreadwiseError):
        try:
            frame = _frame(
                Tag.ENDING, Ending(EndingKind.FAILED, reason, traceback=trace, error=error)
            )
            pickle.loads(frame[_HEADER.size :])
        except Exception:  # an error that cannot be pickled still has its text
            pass
        else:
            return frame
    return _frame(Tag.ENDING, Ending(EndingKind.FAILED, reason, traceback=trace))


def die_with_parent(parent: int, lifeline: int) -> None:
    """Arrange that this process dies when its parent does, however that happens.

    On Linux the kernel does this, even while native code runs. Elsewhere a thread
    waits for the lifeline, a pipe of which only the parent has the writing end, to close.
    """
    if not (sys.platform == "linux" and _ask_for_death_signal()):
        threading.Thread(target=_watch, args=(lifeline,), daemon=True).start()
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _ask_for_death_signal() -> bool:
    import ctypes

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _watch(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)
