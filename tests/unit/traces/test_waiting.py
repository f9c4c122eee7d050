"""Who waits for what in a deadlock, and who has it since when."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.core.load_options import LoadOptions
from threadwise.engines.api import Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.traces.files import trace_to_json
from threadwise.traces.replay import replay
from threadwise.traces.trace import DescribedTrace


def deadlock(text: str) -> DescribedTrace:
    program = model(text)
    checked = next(p for p in program.properties if p.name == "deadlocks")
    (found,) = ExplicitEngine().run(Task(program, (checked,)))
    assert isinstance(found, Violated)
    return replay(program, found.trace)


CIRCLE = """mutex a; mutex b;
thread first { while (true) { skip; } }
thread one {
    acquire(a);
    acquire(b);
    release(b); release(a);
}
thread other {
    acquire(b);
    acquire(a);
    release(a); release(b);
}
"""


def test_the_circle_with_who_has_what_since_when() -> None:
    assert [str(each) for each in deadlock(CIRCLE).waiting] == [
        "one waits at line 5 for b, held by other since line 9",
        "other waits at line 10 for a, held by one since line 4",
    ]


def test_the_circle_in_json() -> None:
    told = trace_to_json(deadlock(CIRCLE), LoadOptions())["waiting"]
    assert [each["thread"] for each in told] == ["one", "other"]
    (wait,) = told[0]["waits_for"]
    assert (wait["kind"], wait["what"]) == ("acquire", "b")
    assert wait["held_by"][0]["thread"] == "other"
    assert wait["held_by"][0]["since"]["line"] == 9


def test_those_who_wait_for_somebody_in_the_circle_come_after_it() -> None:
    text = CIRCLE.replace("first { while (true) { skip; } }", "first { acquire(a); release(a); }")
    names = [each.thread for each in deadlock(text).waiting]
    assert names[0] != "first"


def test_waiting_for_a_value_a_thread_and_nothing() -> None:
    text = "bool b; thread w() { assume(b); } thread main { tid h; h = spawn w(); join h; }"
    told = [str(each) for each in deadlock(text).waiting]
    assert any(each.endswith("for b") for each in told)
    assert any("for the end of w" in each for each in told)
    (only,) = deadlock("thread t { int[0..1] r; assume(r == 1); }").waiting
    assert str(only) == "t waits at line 1 and nothing lets it go on"
