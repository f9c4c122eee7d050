"""What a report says about a violation."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.engines.api import Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.ir.properties import RaceProperty
from threadwise.traces.replay import replay


def told(text: str) -> str:
    program = model(text)
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty) and p.variables)
    (finding,) = ExplicitEngine().run(Task(program, races))
    assert isinstance(finding, Violated)
    return replay(program, finding.trace).violation


def test_a_race_says_which_locks_are_held() -> None:
    message = told("""
        mutex m; mutex n[2]; int[0..9] x;
        thread a { acquire(m); acquire(n[1]); x = 1; release(n[1]); release(m); }
        thread b { x = 2; }
        race_free x;
    """)
    assert "a can write it at line 3 holding m, n[1] and b can write it at line 4" in message
    assert message.count("holding") == 1
