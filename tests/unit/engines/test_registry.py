"""The list of engines."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.robustness.command_line import environment
from tests.unit.semantics.running import model
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.auto import AUTO, auto_engines
from threadwise.engines.registry import ENGINES
from threadwise.ir.properties import DeadlockProperty, RaceProperty


@pytest.mark.parametrize("name", ENGINES)
def test_entries_say_what_they_are(name: str) -> None:
    info = ENGINES[name]
    assert info.name == name == info.create().name
    assert info.summary
    assert info.source
    assert set(info.answers.split(";")[0].split(", ")) <= {"SAFE", "UNSAFE", "UNKNOWN"}


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_proves_the_obvious(name: str) -> None:
    program = model("""
        int[0..3] x; int[0..99] wrap data;
        thread t[2] { x = 1; assert(x <= 1); data = data + 1; }
        invariant i: x <= 1;
    """)
    answered = [
        finding
        for checked in program.properties
        if not isinstance(checked, RaceProperty | DeadlockProperty)
        or (isinstance(checked, DeadlockProperty) and "deadlocks only" in ENGINES[name].answers)
        for finding in ENGINES[name].create().run(Task(program, (checked,)))
    ]
    assert (Proved in map(type, answered)) == bool(re.search(r"\bSAFE\b", ENGINES[name].answers))
    assert Violated not in map(type, answered)


def test_auto_is_no_engine_of_its_own() -> None:
    assert AUTO not in ENGINES
    tried = [info.name for info in auto_engines()]
    assert tried[0] == "thread-modular"
    assert "explicit" in tried
    after = tried.index("counting") + 1
    assert tried[after] == "thread-modular --facts"
    del tried[after]
    assert tried == [name for name in ENGINES if name in tried]


def test_listing_engines_loads_none() -> None:
    script = "import sys, threadwise.engines.registry; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    loaded = set(done.stdout.split())
    assert not {"threadwise.engines.explicit", "threadwise.systems.concrete"} & loaded
