"""Deep recursion, for input that is nested deeply.

Terms and statements are gone through recursively, and a chain of a thousand `else if` is a tree of
that depth. Python refuses recursion beyond a thousand frames, to protect the machine's stack; in
processes of our own both limits are raised. Where that is not enough, Python raises
RecursionError, which front ends turn into a message.

Inside callbacks of native code that error would be lost. `ensure_headroom` raises it before.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MOST_FRAMES = 20_000
_STACK_BYTES = 96 << 20
"""Linux leaves at least 128 MB free below the stack of a process's first thread."""
_BYTES_PER_FRAME = 4 << 10
"""More than what a call from Python through native code to Python takes."""
_NATIVE_SHARE = 4
"""A frame of Python has at most two native calls beside it that count."""
_HEADROOM = 100
"""More frames than native functions and their callbacks need."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Recursion as deep as the stack of the process's first thread can be made to bear."""
    before = sys.getrecursionlimit()
    frames = min(MOST_FRAMES, _enlarged_stack() // _BYTES_PER_FRAME)
    sys.setrecursionlimit(max(before, frames))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def has_large_stack() -> bool:
    """Whether the stack is larger than what threads usually get."""
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return soft == resource.RLIM_INFINITY or soft >= _STACK_BYTES


def ensure_headroom(frames: int = _HEADROOM) -> None:
    """Raise RecursionError here if there is little room left.

    Only so many calls show that there is room for them: those of native functions count, too. It
    need not be tried where the stack is far from its end.
    """
    try:
        sys._getframe(sys.getrecursionlimit() // _NATIVE_SHARE)
    except ValueError:  # it has fewer frames
        return
    _descend(frames)


def _descend(frames: int) -> None:
    if frames:
        _descend(frames - 1)


def _enlarged_stack() -> int:
    """The size of the stack, after it was made larger if that is possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft == resource.RLIM_INFINITY or soft >= _STACK_BYTES:
        return _STACK_BYTES
    wanted = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(hard, _STACK_BYTES)
    if sys.platform != "linux":  # elsewhere the stack has its size from the start
        return soft
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        return wanted
    return soft
