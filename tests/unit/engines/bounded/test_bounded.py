"""Bounded search: interleavings found by a solver, replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.semantics.running import model
from threadwise.analyses.regions import Path as StepPath
from threadwise.analyses.regions import longest_run, steps_from
from threadwise.backends.smt.solver import Effort
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.core.statistics import Name
from threadwise.driver.loading import load_simplified
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.bounded.bounded_engine import BoundedEngine
from threadwise.engines.bounded.interleaving import Refutation, find_interleaving
from threadwise.engines.bounded.query import Schedule
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.interleavings import unrolling
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.traces.replay import replay
from threadwise.traces.trace import Trace


def findings(program: Program, *names: str, steps: int | None = None) -> list[Finding]:
    asked = tuple(p for p in program.properties if (p.name in names if names else p.default))
    meter = Meter(Budget(steps=steps))
    return list(BoundedEngine().run(Task(program, asked, EngineOptions(), meter)))


def nothing() -> None:
    pass


def violated(program: Program, *names: str) -> dict[str, int]:
    """The properties violated, with the number of steps of their traces, all replayed."""
    found = {}
    for finding in findings(program, *names):
        if isinstance(finding, Violated):
            found[finding.trace.property] = len(replay(program, finding.trace).steps)
    return found


LOST = """
int x;
thread t[2] { int r; r = x; x = r + 1; }
thread check { int n; assume(x > 0); n = x; assert(n == 2 || n == 1); assert(n != 1); }
"""


def test_lost_update() -> None:
    (name,) = violated(model(LOST))
    assert name.startswith("assert:4")


def test_assertions_ranges_and_mutexes() -> None:
    program = model(
        "mutex m; int[0..2] x; thread a { x = x + 1; x = x + 1; } thread b { x = x + 1; }"
        " thread c { release(m); }"
    )
    assert violated(program) == {"range": 3, "mutex": 1}


def test_races_and_invariants() -> None:
    program = model(
        "int x; thread t[2] { cs: x = x + 1; }"
        " invariant small: x <= 1;"
        " invariant apart: forall i, j: t. i != j && at(i, cs) ==> !at(j, cs);"
    )
    assert violated(program, "races", "small", "apart") == {"races": 0, "small": 2, "apart": 0}


def test_data_without_bound() -> None:
    program = model(
        """
        int x; int y;
        thread a { havoc x; assume(x > 1000000); y = x * 3; }
        thread b { assume(y > 0); assert(y != 3000303); }
        """
    )
    assert list(violated(program)) == ["assert:4"]


def test_any_number_needs_three() -> None:
    program = model("int x; thread t[*] { x = x + 1; } invariant small: x < 3;")
    (finding,) = findings(program, "small")
    assert isinstance(finding, Violated)
    assert finding.trace.counts == {"t": 3}
    assert len(replay(program, finding.trace).steps) == 3


def test_procedures_and_recursion() -> None:
    program = model(
        """
        int x;
        void down(int n) { if (n > 0) { x = x + 1; down(n - 1); } }
        thread a { down(3); assert(x != 3); }
        """
    )
    assert list(violated(program, "assert:4")) == ["assert:4"]


def test_spawned_threads() -> None:
    program = model(
        """
        int x;
        thread w(int[0..3] n) { x = x + n; }
        thread main { tid h; h = spawn w(2); spawn w(1); join h; assert(x == 2); }
        """,
        max_threads=3,
    )
    assert list(violated(program)) == ["assert:4"]


def test_large_tables() -> None:
    program = model(
        """
        int[0..99] a[50]; int[0..49] i;
        thread t { havoc i; a[i] = 7; }
        thread u { int[0..49] k; havoc k; assert(a[k] != 7 || k != 33); }
        """
    )
    assert "assert:4" in violated(program)


def test_atomic_blocks_are_one_step() -> None:
    program = model(
        """
        int x;
        thread t[2] { atomic { int r; r = x; x = r + 1; } }
        thread u { atomic { assume(x == 1); x = 7; x = 5; assert(x == 5); } }
        invariant hidden: x != 7;
        """
    )
    assert violated(program) == {}


POINTERS = """
#include <pthread.h>
int first, second;
int *shared = &first;
void *work(void *argument) { shared = (int *)argument; *shared = 1; return 0; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, &second);
    *shared = 2;
    pthread_join(thread, 0);
    return 0;
}
"""


def test_pointers_are_case_splits(tmp_path: Path) -> None:
    path = tmp_path / "pointers.c"
    path.write_text(POINTERS)
    program = load_simplified(str(path))
    assert list(violated(program, "races")) == ["races"]


def proof(program: Program, *names: str) -> InterleavingsCertificate:
    (finding,) = findings(program, *names)
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, InterleavingsCertificate)
    return finding.certificate


COUNTED = """
    int x; int y;
    thread t[2] { int i; while (i < 3) { atomic { x = x + y; i = i + 1; } } }
    thread u { atomic { havoc y; assume(y > 0); } }
    invariant positive: x >= 0;
"""


def test_all_interleavings_are_a_proof() -> None:
    program = model("int x; thread t[2] { x = x + 1; } invariant small: x <= 2;")
    certificate = proof(program, "small")
    assert certificate.lengths == (1, 1)
    assert check_certificate(program, certificate, nothing).properties == ("small",)


def test_loops_that_end_are_unrolled_until_they_do() -> None:
    program = model(COUNTED)
    certificate = proof(program, "positive")
    checked = check_certificate(program, certificate, nothing, second_solver=True)
    assert checked.properties == ("positive",)
    short = replace(certificate, lengths=(3, *certificate.lengths[1:]))
    with pytest.raises(Refuted, match="than the certificate says"):
        check_certificate(program, short, nothing)
    with pytest.raises(Refuted, match="number of threads"):
        check_certificate(program, replace(certificate, lengths=(9, 9)), nothing)


@pytest.mark.parametrize(
    ("body", "longest"),
    [
        ("x = 1; if (x == 1) { x = 2; x = 3; } else { x = 4; }", 4),
        ("atomic { x = 1; x = 2; } x = 3;", 2),
        ("while (x < 3) { x = x + 1; }", None),
        ("f();", None),
    ],
)
def test_how_long_runs_are(body: str, longest: int | None) -> None:
    recursive = "void f() { if (x < 9) { x = x + 1; f(); } }" if "f()" in body else ""
    assert longest_run(model(f"int x; {recursive} thread t {{ {body} }}")) == longest


def test_a_violation_is_no_proof() -> None:
    program = model(COUNTED.replace("y > 0", "y > -2"))
    lie = InterleavingsCertificate(program_hash(program), ("positive",), (9, 9, 2))
    with pytest.raises(Refuted, match="violates `positive`"):
        check_certificate(program, lie, nothing)


def test_a_formula_that_leaves_out_runs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = model("int x; thread t { either { x = 1; } or { x = 2; } } invariant one: x <= 1;")

    def fewer(program: Program, location: LocId) -> list[StepPath]:
        return steps_from(program, location)[:1]

    monkeypatch.setattr(unrolling, "steps_from", fewer)
    certificate = InterleavingsCertificate(program_hash(program), ("one",), (1,))
    with pytest.raises(Refuted, match="leaves out a run"):
        check_certificate(program, certificate, nothing)


def test_any_number_of_threads_is_not_proved() -> None:
    program = model("int x; thread t[*] { x = 1; } invariant small: x <= 2;")
    (finding,) = findings(program, "small")
    assert isinstance(finding, Undecided)
    assert "more threads" in finding.reason


def test_deadlocks_are_not_looked_for() -> None:
    program = model("mutex m; thread t { acquire(m); acquire(m); }")
    (finding,) = findings(program, "deadlocks")
    assert isinstance(finding, Undecided)


def test_steps_are_paid_for() -> None:
    program = model("int x; thread t[2] { while (true) { x = x + 1; assert(x != -1); } }")
    with pytest.raises(BudgetExhausted):
        findings(program, steps=500)


# -- given paths ----------------------------------------------------------------------------------

HANDOVER = """
int flag; int x;
thread a { x = 1; flag = 1; }
thread b { assume(flag == 1); assert(x == 1); }
"""


def edges(program: Program, *numbers: int) -> list[tuple[Edge, ...]]:
    return [(program.edges[n],) for n in numbers]


def test_given_paths() -> None:
    program = model(HANDOVER)
    effort = Effort()
    found = find_interleaving(
        program, {0: edges(program, 0, 1), 1: edges(program, 2, 3)}, None, effort
    )
    assert isinstance(found, Schedule)
    assert [move.thread for move in found.moves] == [0, 0, 1, 1]
    assert effort.statistics.get(Name.SOLVER_QUERIES) == 1


def test_paths_that_exclude_each_other() -> None:
    program = model(HANDOVER)
    paths = {0: edges(program, 0, 1), 1: edges(program, 2, 4)}
    found = find_interleaving(program, paths)
    assert isinstance(found, Refutation)
    assert found.decided
    assert (1, 1) in found.core
    broken = model(HANDOVER.replace("x = 1; flag = 1;", "flag = 1; x = 1;"))
    goal = next(p for p in broken.properties if p.name == "assert:4")
    schedule = find_interleaving(broken, {0: edges(broken, 0), 1: edges(broken, 2, 4)}, goal)
    assert isinstance(schedule, Schedule)
    trace = Trace(program_hash(broken), goal.name, schedule.initial, schedule.moves)
    assert len(replay(broken, trace).steps) == 3
