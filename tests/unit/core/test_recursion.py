"""Room on the stack is known before it is needed."""

from __future__ import annotations

import pytest

from threadwise.core.recursion import ensure_headroom


def _deep(frames: int) -> None:
    if frames:
        _deep(frames - 1)


def _through_native(depth: int) -> int:
    """Calls that go through native functions, each with room for fifty more."""
    ensure_headroom()
    try:
        _deep(50)
    except RecursionError:
        raise AssertionError("there was no room") from None
    return max([depth], key=lambda each: _through_native(each + 1))


def test_there_is_room_at_first() -> None:
    ensure_headroom()


def test_the_end_of_the_stack_is_seen_in_time() -> None:
    with pytest.raises(RecursionError):
        _through_native(0)
