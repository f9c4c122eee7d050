"""The corrections to the papers: programs that the rules as printed get wrong. Each is UNSAFE.

Undoing a correction makes one of these fail: the parts of transactions look at g, blocked steps
are not compared, a mutex that is read counts as a lock, a transaction that never ends is not cut
(C3), a return with an empty stack counts as a step (C3'), what an invariant sees moves.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tar_runs import run_tar
from tests.unit.engines import test_reduction, test_summaries
from tests.unit.semantics.running import model
from threadwise.engines.api import Task
from threadwise.engines.tar.engine import TarEngine, TarHavocEngine
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
