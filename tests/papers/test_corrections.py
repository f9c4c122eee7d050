"""The corrections to the papers: programs that the rules as printed get wrong. Each is UNSAFE.

Undoing a correction makes one of these fail: the parts of transactions look at g, blocked steps
are not compared, a mutex that is read counts as a lock, a transaction that never ends is not cut
(C3), a return with an empty stack counts as a step (C3'), what an invariant sees moves, guards are
no reads, deadlocks are said to be preserved, predicates over shared and local variables are kept,
havoc is discharged the other way round, views of threads are compared only where they are equal,
an id of another thread never becomes one's own, R̄ alone is taken for a proof where refinement ends
with nothing new. `python -m benchmarks.mutations` undoes them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tar_runs import run_tar
from tests.unit.engines.reduction import test_reduction
from tests.unit.engines.summaries import test_summaries
from tests.unit.semantics.running import model
from threadwise.core.statistics import Name
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, Proved, Task, Undecided
from threadwise.engines.reduction.reduction_engine import ReductionEngine
from threadwise.engines.summaries.summaries_engine import SummariesEngine
from threadwise.engines.symbolic.essential import Predicates
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.engines.tar.tar_engine import TarEngine, TarHavocEngine
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program


@pytest.mark.parametrize("name", test_reduction.PINNED)
def test_reduction_finds_the_error(name: str) -> None:
    violated, text = test_reduction.PINNED[name]
    assert test_reduction.verdicts(text)[violated] == "UNSAFE"


@pytest.mark.parametrize("name", test_summaries.PINNED)
def test_summaries_find_the_error(name: str) -> None:
    violated, program = test_summaries.PINNED[name]
    assert test_summaries.answers(program)[0][violated] == "UNSAFE"


MIXED = """
int[0..3] x = 0;
thread t { int[0..3] r; r = x; assert(x == r); }
thread u { x = x + 1; }
"""


@pytest.mark.parametrize("engine", [TarEngine(), TarHavocEngine()])
def test_predicates_over_shared_and_local_variables(engine: TarEngine) -> None:
    """x == r is not kept by a step of u, although r is."""
    found = run_tar(engine, model(MIXED), ["assertions"])
    assert not found.safe


WRITTEN_LATER = """
int[0..1] x; int[0..1] y;
thread t { x = 1; }
thread u { await(x == 1) { y = 1; } }
thread v { assert(y == 0); }
"""


@pytest.mark.parametrize("engine", [TarEngine(), TarHavocEngine()])
def test_what_is_written_later_is_assumed(engine: TarEngine) -> None:
    """h_i(x) must contain where x is written (HJMQ prints it the other way round)."""
    found = run_tar(engine, model(WRITTEN_LATER), ["assertions"])
    assert not found.safe


CROSSED = """
mutex a; mutex b;
thread t { acquire(a); acquire(b); release(b); release(a); }
thread u { acquire(b); acquire(a); release(a); release(b); }
"""


@pytest.mark.parametrize("engine", [ReductionEngine(), SummariesEngine()])
def test_deadlocks_are_not_preserved(engine: Engine) -> None:
    """Transactions run from lock to unlock, past each other: the deadlock is not among them."""
    program = model(CROSSED)
    for finding in engine.run(Task(program, select_properties(program, ["deadlocks"]))):
        assert isinstance(finding, Undecided)


BOTH = """
tid w;
thread t[2] { w = self; A: skip; }
invariant apart: forall i, j: t. i != j ==> !(at(i, A) && at(j, A));
"""
HANDED = """
tid v; tid w;
thread t[*] { v = self; skip; assert(w != self); }
thread u[*] { tid r; r = v; v = none; w = r; }
"""


@pytest.mark.parametrize(("text", "selector"), [(BOTH, "apart"), (HANDED, "assertions")])
def test_views_of_threads_that_are_alike(text: str, selector: str) -> None:
    """Two views fit although one calls w `me` and one `other`; u hands t's id on."""
    program = model(text)
    for finding in ThreadModularEngine().run(
        Task(program, select_properties(program, [selector]))
    ):
        assert not isinstance(finding, Proved)


EMPTY_STACK = """
int[0..1] x;
void f() { either { x = 1; } or { f(); } }
thread t { f(); }
thread u { assert(x == 0); }
"""


def test_a_return_with_an_empty_stack_is_no_step() -> None:
    """t has written x, and must not have to return from its outermost procedure to be seen."""
    assert test_summaries.answers(model(EMPTY_STACK))[0]["assert:5"] == "UNSAFE"


FAILS_INSIDE = """
int[0..1] x;
thread t { atomic { x = 1; assert(false); } }
thread u { assert(x == 0); }
"""


@pytest.mark.parametrize("answers", [test_reduction.answers, test_summaries.answers])
def test_a_failure_ends_the_program(
    answers: Callable[[Program], tuple[dict[str, str], Task]],
) -> None:
    """What t wrote in the step that failed is seen by nobody."""
    found, _ = answers(model(FAILS_INSIDE))
    assert (found["assert:3"], found["assert:4"]) == ("UNSAFE", "SAFE")


BOOLEAN_LOCK = """
bool m;
thread t[2] { await(!m) { m = true; } critical: skip; m = false; }
invariant exclusion: forall i, j: t. i != j ==> !(at(i, critical) && at(j, critical));
"""


def test_where_nothing_is_refinable_the_errors_are_excluded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """MHWL Algorithm 3 ends with R̄ that still meets error: R̄ and not error is the proof."""
    monkeypatch.setattr(Predicates, "essential", lambda *_: iter(()))
    program = model(BOOLEAN_LOCK)
    task = Task(program, select_properties(program, ["exclusion"]))
    (finding,) = TmmcirEngine().run(task)
    assert isinstance(finding, Proved)
    assert task.statistics.get(Name.PREDICATES, 1) == 0
