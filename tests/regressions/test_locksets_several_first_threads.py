"""A thread that another one starts may run although this one has started nobody.

Two threads are there from the beginning. What one of them knows about the threads that it has
started says nothing about those that the other one starts, nor about what the other one writes.
"""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine

STARTED_BY_ANOTHER = """
int[0..2] x;
thread worker(int[0..2] p) { x = 0; }
thread t { spawn worker(0); }
thread u { x = 2; }
"""

HANDLE_OVERWRITTEN = """
int[0..2] x;
tid c;
tid other;
thread worker(int[0..2] p) { x = 0; }
thread quiet(int[0..2] p) { skip; }
thread t { c = spawn worker(0); join c; x = 1; }
thread u { other = spawn quiet(0); c = other; }
"""


def proved(text: str) -> set[str]:
    program = model(text)
    task = Task(program, select_properties(program, ("races",)))
    return {n for f in LocksetEngine().run(task) if isinstance(f, Proved) for n in f.properties}


@pytest.mark.parametrize("text", [STARTED_BY_ANOTHER, HANDLE_OVERWRITTEN])
def test_races_between_threads_of_different_starters(text: str) -> None:
    assert proved(text) == set()


def test_one_first_thread_knows_whom_it_started() -> None:
    text = """
    int[0..2] x;
    thread worker(int[0..2] p) { x = 0; }
    thread t { tid c; x = 1; c = spawn worker(0); join c; x = 2; }
    """
    assert proved(text) == {"races"}
