"""The worker's side of supervised work: running the job and sending frames.

A frame is a row of words of eight bytes:

    tag | number of arrays | length of the pickle | length of each array | pickle | arrays

The pickle and each array end at the next whole word. The bytes of large arrays are not part of the
pickle, so that they are written from where they are, and used from where they were read to. The
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from typing import Protocol

from threadwise.core.errors import BudgetExhausted, InternalError, Resource, ThreadwiseError
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.recursion import deep_recursion

_WORD = 8
_HEADER = struct.Struct("!QQQ")
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
        while (found := self._next()) is not None:
            tag, payload, arrays = found
            yield tag, _load(payload, arrays)

    def _next(self) -> tuple[Tag, bytes, list[memoryview]] | None:
        """Take the first frame out of the buffer, if it is complete."""
        if len(self._buffer) < _HEADER.size:
            return None
        tag, count, length = _HEADER.unpack_from(self._buffer)
        start = _HEADER.size + count * _WORD
        if len(self._buffer) < start:
            return None
        lengths = struct.unpack_from(f"!{count}Q", self._buffer, _HEADER.size)
        end = start + sum(map(_rounded, (length, *lengths)))
        if len(self._buffer) < end:
            return None
        payload = bytes(memoryview(self._buffer)[start : start + length])
        if not count:
            del self._buffer[:end]
            return Tag(tag), payload, []
        # The arrays stay where they are, so what follows them has to move.
        taken, self._buffer = self._buffer, self._buffer[end:]
        arrays: list[memoryview] = []
        start += _rounded(length)
        for size in lengths:
            arrays.append(memoryview(taken)[start : start + size])
            start += _rounded(size)
        return Tag(tag), payload, arrays


def _rounded(size: int) -> int:
    """Up to whole words."""
    return -(-size // _WORD) * _WORD


def _load(payload: bytes, arrays: Sequence[memoryview] = ()) -> object:
    try:
        value: object = pickle.loads(payload, buffers=arrays)
    except Exception as error:
        raise InternalError(f"unreadable message from the worker: {error}") from error
    return value


Parts = list[bytes | memoryview]
"""A frame, cut into pieces."""


def _frame(tag: Tag, value: object) -> Parts:
    found: list[pickle.PickleBuffer] = []
    payload = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL, buffer_callback=found.append)
    arrays = [each.raw() for each in found]
    lengths = [each.nbytes for each in arrays]
    header = _HEADER.pack(tag.value, len(arrays), len(payload))
    sizes = struct.pack(f"!{len(arrays)}Q", *lengths)
    parts: Parts = [b"".join((header, sizes, payload, _padding(len(payload))))]
    for array in arrays:
        parts += [array, _padding(len(array))]
    return parts


def _padding(size: int) -> bytes:
    return bytes(_rounded(size) - size)


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

    def write(self, frame: Parts) -> None:
        with self._lock:
            for part in frame:
                rest = memoryview(part)
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


def _ending_frame(job: Job, send: Send) -> Parts:
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


def _failure_frame(error: BaseException) -> Parts:
    reason = "".join(traceback.format_exception_only(error)).strip()
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, ThreadwiseError):
        ending = Ending(EndingKind.FAILED, reason, traceback=trace, error=error)
        # An error that cannot be pickled still has its text.
        with suppress(Exception):
            pickle.loads(pickle.dumps(ending))
            return _frame(Tag.ENDING, ending)
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
