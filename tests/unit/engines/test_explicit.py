"""Explicit search: shortest traces, bounds, any number of threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.semantics.running import Run, model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.core.progress import Progress
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine, Search
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.traces.replay import replay


def findings(
    program: Program, *selectors: str, options: EngineOptions | None = None
) -> list[Finding]:
    properties = select_properties(program, selectors or ("all",))
    return list(ExplicitEngine().run(Task(program, properties, options or EngineOptions())))


def trace_lengths(found: list[Finding]) -> dict[str, int]:
    return {f.trace.property: len(f.trace.moves) for f in found if isinstance(f, Violated)}


def shortest(program: Program, name: str) -> int:
    """The least number of steps to a violation, by breadth-first search in the reference."""
    run = Run(program)
    checked = next(p for p in program.properties if p.name == name)
    layer = set(run.interpreter.initial_states())
    seen = set(layer)
    for distance in range(100):
        if any(run.checker.violated(checked, state) for state in layer):
            return distance
        layer = {s for state in layer for _, s in run.interpreter.successors(state)} - seen
        seen |= layer
    raise AssertionError("no violation")


@pytest.mark.parametrize(
    "text",
    [
        "int[0..3] x; thread t[3] { x = x + 1; x = x + 1; } invariant i: x < 3; race_free x;",
        "int[0..3] x = *; thread t { skip; x = 0; assert(x == 1); } invariant i: x < 3;",
        "mutex m; mutex n; thread t { skip; acquire(m); acquire(n); } "
        "thread u { acquire(n); acquire(m); }",
        "bool b; thread t { while (!b) { skip; } assert(false); } thread u { skip; b = true; }",
        "int[0..3] x; void f() { x = x + 1; f(); } thread t { f(); }",
        "int[0..3] x; thread t { atomic { x = 1; x = 2; x = 3; } x = x + 1; }",
    ],
)
def test_traces_are_shortest(text: str) -> None:
    program = model(text)
    lengths = trace_lengths(findings(program))
    assert lengths
    for name, length in lengths.items():
        assert length == shortest(program, name)


def test_a_violation_in_the_initial_state_needs_no_step() -> None:
    found = findings(model("int[0..3] x = 2; thread t { skip; } invariant i: x == 0;"), "i")
    assert trace_lengths(found) == {"i": 0}


def test_each_property_gets_one_answer() -> None:
    program = model("int[0..9] x; thread t[2] { x = 1; } invariant i: x == 0; invariant j: x < 5;")
    found = findings(program)
    told = [f.trace.property for f in found if isinstance(f, Violated)]
    told += [name for f in found if isinstance(f, Proved) for name in f.properties]
    assert sorted(told) == sorted(p.name for p in program.properties)
    assert {"i", "races"} <= set(trace_lengths(found))


def test_the_search_ends_when_all_is_decided() -> None:
    program = model("int x; thread t { while (true) { x = x + 1; } } invariant i: x < 5;")
    task = Task(program, select_properties(program, ["i"]))
    assert trace_lengths(list(ExplicitEngine().run(task))) == {"i": 5}
    assert task.statistics.as_dict()["states"] <= 7


def test_a_proof_is_the_set_of_states() -> None:
    program = model("int[0..3] x; thread t[2] { x = x + 1; }")
    (finding,) = findings(program, "range", "mutex")
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, StateSetCertificate)
    assert len(finding.certificate.states) == 4
    assert finding.properties == finding.certificate.properties == ("range", "mutex")
    check_certificate(program, finding.certificate, lambda: None)


RECURSIVE = """
int[0..9] saturate x;
void f() { x = x + 1; f(); }
thread t { f(); }
invariant small: x < 4;
"""


@pytest.mark.parametrize(("depth", "found"), [(0, False), (2, False), (3, False), (4, True)])
def test_the_depth_bound(depth: int, found: bool) -> None:
    program = model(RECURSIVE)
    (finding,) = findings(program, "small", options=EngineOptions(max_depth=depth))
    if found:
        assert isinstance(finding, Violated)
        replay(program, finding.trace)
    else:
        assert isinstance(finding, Undecided)
        assert finding.bound == ("max-depth", depth)
        assert str(depth) in finding.reason


def test_a_bound_that_cuts_nothing_does_not_matter() -> None:
    program = model("int[0..9] x; void f() { x = 1; } thread t { f(); }")
    (finding,) = findings(program, "range", options=EngineOptions(max_depth=1))
    assert isinstance(finding, Proved)


def test_limits_of_the_model_leave_it_open() -> None:
    program = model("thread w() { skip; } thread t { while (true) { spawn w(); } }")
    (finding,) = findings(program)
    assert isinstance(finding, Undecided)
    assert "--max-threads" in finding.reason


def test_an_error_is_found_in_spite_of_a_limit() -> None:
    program = model(
        "int[0..9] x; thread w() { x = 1; } thread t { while (true) { spawn w(); } } "
        "invariant i: x == 0;"
    )
    assert "i" in trace_lengths(findings(program))


# -- any number of threads ------------------------------------------------------------------------


def test_errors_are_shown_at_the_smallest_number() -> None:
    program = model("int[0..9] saturate x; thread t[*] { x = x + 1; } invariant i: x < 3;")
    found = findings(program, "i")
    (violated,) = [f for f in found if isinstance(f, Violated)]
    assert violated.trace.counts == {"t": 3}
    assert len(replay(program, violated.trace).steps) == 3


def test_no_number_of_threads_proves_all() -> None:
    program = model("int[0..9] saturate x; thread t[*] { x = x + 1; } invariant i: x < 9;")
    (finding,) = findings(program, "i", options=EngineOptions(max_instances=2))
    assert isinstance(finding, Undecided)
    assert "up to 2 threads" in finding.reason


def test_zero_threads_are_some_number() -> None:
    program = model("int[0..9] x = 1; thread t[*] { x = 2; } invariant i: x == 0;")
    (finding,) = findings(program, "i")
    assert isinstance(finding, Violated)
    assert finding.trace.counts == {"t": 0}


def test_several_templates_with_any_number() -> None:
    program = model("""
        bool a; bool b;
        thread t[*] { a = true; } thread u[*] { await(a) { b = true; } }
        invariant i: !b;
    """)
    (finding,) = findings(program, "i")
    assert isinstance(finding, Violated)
    assert finding.trace.counts == {"t": 1, "u": 1}


def test_each_property_is_decided_at_its_own_number() -> None:
    program = model("""
        int[0..9] saturate x; thread t[*] { x = x + 1; }
        invariant one: x < 1; invariant two: x < 2;
    """)
    counts = {
        f.trace.property: f.trace.counts
        for f in findings(program, "one", "two")
        if isinstance(f, Violated)
    }
    assert counts == {"one": {"t": 1}, "two": {"t": 2}}


# -- budgets and progress -------------------------------------------------------------------------


def test_a_step_limit_stops_it_with_statistics() -> None:
    program = model("int x; thread t { while (true) { x = x + 1; } }")
    task = Task(program, program.properties, meter=Meter(Budget(steps=100)))
    with pytest.raises(BudgetExhausted):
        list(ExplicitEngine().run(task))
    assert task.statistics.as_dict()["states"] == 101


def test_progress_counts_states() -> None:
    program = model("int[0..500] x; thread t { while (x < 500) { x = x + 1; } }")
    events: list[object] = []
    list(ExplicitEngine().run(Task(program, program.properties, listener=events.append)))
    counts = [e.counters["states"] for e in events if isinstance(e, Progress) and e.counters]
    assert counts == sorted(counts)
    assert len(counts) > 5


def test_an_instance_without_end_gives_way() -> None:
    """One thread counts for ever; the error takes one of either kind."""
    program = model("""
        int x; bool up;
        thread counting[*] { while (true) { x = x + 1; up = !up; } }
        thread looking[*] { await(up); assert(up); }
    """)
    found = findings(program, "assertions")
    assert [f.trace.counts for f in found if isinstance(f, Violated)] == [
        {"counting": 1, "looking": 1}
    ]


@pytest.mark.parametrize("declared", ["int", "int[0..1000000]"])
def test_inputs_without_bound_are_given_samples(declared: str) -> None:
    program = model(f"""
        {declared} start = *; int x;
        thread t {{ {declared} r; havoc r; x = r; assert(x != 41); assert(x * x != 603729); }}
    """)
    found = findings(program)
    (violated,) = [f for f in found if isinstance(f, Violated)]
    assert replay(program, violated.trace).location is not None
    assert not any(isinstance(f, Proved) for f in found)
    (left,) = [f for f in found if isinstance(f, Undecided)]
    assert "inputs were given only" in left.reason


@pytest.mark.parametrize(("values", "after"), [(4_500, 1), (3_000, 2_000), (500, None)])
def test_a_search_that_grows_is_compiled_early(
    values: int, after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Visiting them one by one would take as long as the compilation; small ones end before it."""
    text = f"int[0..{values}] x; thread t {{ havoc x; }} invariant i: x >= 0;"
    program = model(text)
    search = Search(Task(program, program.properties), "", {})
    begun: list[int] = []

    def compiled() -> Iterator[Finding]:
        begun.append(search.task.meter.steps)
        yield from ()

    monkeypatch.setattr(search, "_search_compiled", compiled)
    list(search.run())
    assert len(begun) == (after is not None)
    if after is not None:
        assert after <= begun[0] < after + 1_000
