"""Henzinger, Jhala, Majumdar & Qadeer, "Thread-Modular Abstraction Refinement", CAV 2003."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program
from tests.tar_runs import Run, run_tar
from threadwise.core.source import SourceFile
from threadwise.engines.api import Engine
from threadwise.engines.tar.tar_engine import TarAEngine, TarBEngine, TarEngine, TarHavocEngine
from threadwise.frontends.model import load_model
from threadwise.ir.program import Program

FOLDER = "henzinger_jhala_majumdar_qadeer"
ERROR = "not_both_at_2"

STRONGLY_MODULAR = """
// Whatever the other thread does with its steps, nobody else writes a.
int[0..1] a = 0;
int[0..1] b = 0;
thread left { while (true) { a = 1; assert(a == 1); } }
thread right { while (true) { b = 1 - b; } }
"""
UNSAFE = """
int[0..1] a = 0;
thread left { a = 1; assert(a == 1); }
thread right { a = 0; }
"""


def run(engine: Engine, name: str, *selectors: str) -> Run:
    """An engine on a program of the paper."""
    return run_tar(engine, paper_program(f"{FOLDER}/{name}"), selectors)


def model(text: str) -> Program:
    """A program of this file."""
    return load_model(SourceFile("model.tw", text))


# -- Example 1 ------------------------------------------------------------------------------------


def test_table_1() -> None:
    """Three iterations; identity pairs are left out."""
    found = run(TarEngine(), "example1", ERROR)
    assert found.safe == {ERROR}
    assert found.details == [
        "iteration 1",
        "    predicates: none but the location",
        "    assumed of t1: nothing",
        "    assumed of t2: nothing",
        "    error: not_both_at_2 (t1 at line 37, t2 at line 46), which cannot happen",
        "      new predicate: m == 0, at line 37",
        "      new predicate: m == 1, at line 37",
        "      new predicate: m == 2, at line 37",
        "iteration 2",
        "    predicates: m == 0, m == 1, m == 2",
        "    assumed of t1: nothing",
        "    assumed of t2: nothing",
        "    no error; the assumptions do not hold yet and are weakened",
        "iteration 3",
        "    predicates: m == 0, m == 1, m == 2",
        "    assumed of t1: m == 0 → m == 1; m == 1 → m == 0",
        "    assumed of t2: m == 0 → m == 2; m == 2 → m == 0",
        "    no error, and the assumptions hold: safe",
    ]


def test_example_1_with_havoc() -> None:
    """§3: safe with havoc assumptions, too."""
    assert run(TarHavocEngine(), "example1", ERROR).safe == {ERROR}


def test_example_1_on_the_product() -> None:
    """Algorithm A proves it, too, with both threads at once."""
    assert run(TarAEngine(), "example1", ERROR).safe == {ERROR}
    assert run(TarAEngine(), "example1_bug", ERROR).unsafe == {ERROR}


def test_example_1_is_not_strongly_modular() -> None:
    """Proposition 1b, second part, and what Algorithm B makes of it."""
    found = run(TarBEngine(), "example1", ERROR)
    assert not found.safe
    assert not found.unsafe
    assert "not safe in a strongly thread-modular way" in found.reasons[ERROR]


def test_safe_but_not_in_a_modular_way() -> None:
    """Proposition 1b, first part: TAR cannot prove it, and says which views are confused."""
    program = paper_program("flanagan_qadeer/simple_boolean")
    found = run_tar(TarEngine(), program, ["exclusion"])
    assert "not safe in a thread-modular way" in found.reasons["exclusion"]
    assert any(line.strip() == "INIT" for line in found.explanations["exclusion"])


# -- Algorithm B ----------------------------------------------------------------------------------


def test_algorithm_b_proves_what_is_strongly_modular() -> None:
    """Proposition 2b; Proposition 1a: then TAR proves it, too."""
    for engine in (TarBEngine(), TarEngine()):
        found = run_tar(engine, model(STRONGLY_MODULAR), ["assertions"])
        assert len(found.safe) == 1


def test_algorithm_b_finds_errors() -> None:
    """Propositions 2a and 2b: unsafe is never called safe, and the algorithm ends."""
    found = run_tar(TarBEngine(), model(UNSAFE), ["assertions"])
    assert len(found.unsafe) == 1


# -- Table 2 --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variable"),
    [("simple", "x"), ("producer_consumer", "data"), ("time_varying", "buffer")],
)
def test_table_2(name: str, variable: str) -> None:
    """The three small benchmarks are free of races, their buggy versions are not."""
    selector = f"race_free {variable}"
    assert run(TarEngine(), name, selector).safe == {selector}
    assert run(TarEngine(), f"{name}_bug", selector).unsafe == {selector}


def test_the_predicates_of_producer_and_consumer() -> None:
    """Example 2: flag = 0 and flag = 1 are enough."""
    for engine in (TarEngine(), TarHavocEngine()):
        found = run(engine, "producer_consumer", "race_free data")
        assert found.safe == {"race_free data"}
        assert found.predicates == ["flag == 0", "flag == 1"]
