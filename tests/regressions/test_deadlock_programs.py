"""Forty programs in C, safe and broken, each with and without a thread that loops for ever.

`tests/deadlocks/native.sh` shows that the broken ones hang.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.api import check

FOLDER = Path(__file__).parent.parent / "deadlocks"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.c"))
EVERYDAY = (
    "early_return_broken",
    "join_circle_broken",
    "lost_wake_up_broken",
    "once_broken",
    "semaphore_broken",
    "semaphore_safe",
    "upgrade_broken",
)


def verdict(name: str, *, background: bool) -> str:
    """What is said about deadlocks in a program."""
    defines = {"BACKGROUND": 1} if background else {}
    result = check(FOLDER / f"{name}.c", properties=["deadlocks"], defines=defines, time_limit=120)
    return result.verdict.value


def expected(name: str) -> str:
    return "SAFE" if name.endswith("_safe") else "UNSAFE"


def test_there_are_forty() -> None:
    assert len(PROGRAMS) == 40
    assert sum(expected(name) == "SAFE" for name in PROGRAMS) == 20


@pytest.mark.parametrize("name", EVERYDAY)
def test_with_a_thread_that_loops(name: str) -> None:
    assert verdict(name, background=True) == expected(name)


@pytest.mark.slow
@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_all(name: str, background: bool) -> None:
    assert verdict(name, background=background) == expected(name)
