"""Locksets must not prove what races: programs that come close to what the rules allow."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.errors import Unsupported
from threadwise.driver.loading import load_input
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty

RACY = sorted((Path(__file__).parent / "racy").glob("*.c"))


def proves(path: Path) -> bool:
    """Whether freedom of races is proved."""
    program = load_input(str(path)).worked_on
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    try:
        return any(isinstance(f, Proved) for f in LocksetEngine().run(Task(program, races)))
    except Unsupported:
        return False


def test_there_are_many() -> None:
    assert len(RACY) > 30


@pytest.mark.parametrize("path", RACY, ids=lambda path: path.stem)
def test_races_are_not_proved_absent(path: Path) -> None:
    assert not proves(path)
