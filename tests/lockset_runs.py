"""What `locksets` proves of C, by engine and rules alone, without the audit in runs."""

from __future__ import annotations

from tests.unit.frontends.c.checking import loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty


def is_proved(text: str) -> bool:
    """Whether there is a proof that a program has no race."""
    program = loaded(text).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    return any(isinstance(found, Proved) for found in LocksetEngine().run(Task(program, races)))
