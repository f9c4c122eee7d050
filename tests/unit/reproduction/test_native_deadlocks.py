"""Every deadlock of `tests/deadlocks`, in the machine: the threads that are said to hang, hang.

With the thread that loops for ever, the traces begin in a header.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import threadwise
from threadwise import OutcomeKind

PROGRAMS = Path(__file__).parents[2] / "deadlocks"
BROKEN = sorted(path.stem for path in PROGRAMS.glob("*_broken.c"))
EVERYDAY = (("spin_broken", True), ("writer_preferred_broken", False))
"""A thread that spins, code in a header; a writer that waits."""
CASES = [
    pytest.param(
        name,
        background,
        marks=() if (name, background) in EVERYDAY else pytest.mark.slow,
        id=f"{name}-background" if background else name,
    )
    for name in BROKEN
    for background in (False, True)
]


def test_there_are_twenty() -> None:
    assert len(BROKEN) == 20


@pytest.mark.parametrize(("name", "background"), CASES)
def test_it_hangs(folder: Path, name: str, background: bool) -> None:
    source = os.path.relpath(PROGRAMS / f"{name}.c", folder)
    defines = {"BACKGROUND": 1} if background else {}
    result = threadwise.check(source, properties=["deadlocks"], defines=defines)
    threadwise.write_trace(result, "bug.json")
    outcome = threadwise.reproduce("bug.json")
    assert outcome.kind is OutcomeKind.REPRODUCED, outcome
