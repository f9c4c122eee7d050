"""The symbolic engines: limits, symmetries, what they say when they give up."""

from __future__ import annotations

import gc

import pytest

import threadwise
from tests.papers.reading import paper_program
from tests.property.comparison import load
from threadwise.backends.bdd.manager import Manager
from threadwise.backends.bdd.model import Model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.interchange import Classes, Kind
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.tmmc import TmmcEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.proofs.base.registry import check_certificate
from threadwise.results.verdict import Verdict
from threadwise.traces.replay import replay

FOLDER = "meng_he_wang_liu"


def managers() -> list[Manager]:
    """All that there are."""
    gc.collect()
    return [found for found in gc.get_objects() if isinstance(found, Manager)]


@pytest.mark.parametrize("engine", [AfrEngine(), TmmcirEngine(), LocalProofEngine()])
def test_a_limit_on_nodes_ends_in_unknown(engine: Engine) -> None:
    """The issue's own bar; the memory of the diagrams is returned."""
    program = paper_program(f"{FOLDER}/bakery", N=8)
    options = EngineOptions(max_bdd_nodes=100_000)
    task = Task(program, select_properties(program, ["exclusion"]), options)
    (finding,) = engine.run(task)
    assert isinstance(finding, Undecided)
    assert finding.bound == ("max-bdd-nodes", 100_000)
    assert 100_000 < task.statistics.get("peak_bdd_nodes") < 200_000
    assert not managers()


def test_circles_of_garbage_end_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", complaints.append)
    monkeypatch.setattr("threadwise.backends.bdd.manager._cudd", lambda: None)
    manager = Manager()
    manager.declare(["a"])
    cycle: list[object] = [manager.variable("a"), manager]
    cycle.append(cycle)
    del cycle, manager
    assert not managers()
    assert not complaints


def one_long_operation() -> str:
    """Two small diagrams whose conjunction has 2^28 nodes: all of x is read before any of y."""
    half = 14

    def part(numbers: range) -> str:
        return " || ".join(f"(x[{i}] && y[{i}])" for i in numbers)

    both = f"({part(range(half))}) && ({part(range(half, 2 * half))})"
    return f"""bool x[{2 * half}] = *; bool y[{2 * half}] = *; bool z;
        thread t {{ assume({both}); z = true; }}
        invariant never: !z;"""


@pytest.mark.slow
def test_a_limit_on_nodes_inside_one_operation() -> None:
    text = one_long_operation()
    result = threadwise.check(
        text, engine="afr", properties="never", max_bdd_nodes=1_000, in_process=True
    )
    assert result.verdict is Verdict.UNKNOWN
    assert result.bounds == {"max-bdd-nodes": 1_000}
    assert result.statistics["peak_bdd_nodes"] > 1_000
    assert not managers()


def test_a_time_limit_inside_one_operation() -> None:
    """The operation alone would take a minute; whoever waits for it would not get here."""
    result = threadwise.check(
        one_long_operation(), engine="tmmcir", properties="never", time_limit=1
    )
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == "time limit of 1 s reached"


@pytest.mark.parametrize("engine", [AfrEngine(), TmmcirEngine(), LocalProofEngine()])
def test_without_cudd(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    program = paper_program(f"{FOLDER}/mux_sem", N=3)
    asked = select_properties(program, ["exclusion"])
    details = []
    for absent in (False, True):
        with monkeypatch.context() as changed:
            if absent:
                changed.setattr("threadwise.backends.bdd.manager._cudd", lambda: None)
            task = Task(program, asked)
            (finding,) = engine.run(task)
        assert isinstance(finding, Proved)
        check_certificate(program, finding.certificate, lambda: None)
        assert task.statistics.get("peak_bdd_nodes") > 0
        details += task.details
    assert details == ["BDDs by dd.cudd", "BDDs by dd.autoref"]


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("mux_sem", Kind.EXCHANGE),
        ("mux_sem_last", Kind.EXCHANGE),
        ("mux_sem_augmented", Kind.EXCHANGE),
        ("bakery", Kind.EXCHANGE),
        ("dining_philosophers", Kind.TURN),
    ],
)
def test_symmetries(model: str, kind: Kind) -> None:
    (members,) = Classes.of(Model.of(paper_program(f"{FOLDER}/{model}", N=4))).classes
    assert members.kind is kind
    assert members.members == (0, 1, 2, 3)


def test_a_last_philosopher_who_changes_hands_breaks_the_symmetry() -> None:
    model = Model.of(paper_program(f"{FOLDER}/dining_philosophers_ordered", N=4))
    assert all(c.kind is Kind.ALONE for c in Classes.of(model).classes)


def test_races_are_left_to_others() -> None:
    program = paper_program(f"{FOLDER}/mux_sem")
    (finding,) = AfrEngine().run(Task(program, select_properties(program, ["races"])))
    assert isinstance(finding, Undecided)


def test_giving_up_says_what_would_help() -> None:
    program = paper_program(f"{FOLDER}/mux_sem")
    (finding,) = TmmcEngine().run(Task(program, select_properties(program, ["exclusion"])))
    assert isinstance(finding, Undecided)
    assert "`at L2`, `at L3`" in finding.explanation[0]


def test_local_proofs_without_exposing() -> None:
    for model, proved in (("mux_sem", False), ("mux_sem_last", True)):
        program = paper_program(f"{FOLDER}/{model}")
        task = Task(
            program, select_properties(program, ["exclusion"]), EngineOptions(expose=False)
        )
        (finding,) = LocalProofEngine().run(task)
        assert isinstance(finding, Proved) is proved


@pytest.mark.parametrize("engine", [AfrEngine(), TmmcirEngine(), LocalProofEngine()])
def test_violations_count_although_the_model_ends(engine: Engine) -> None:
    """A limit of the model leaves open only what is not violated before it."""
    program = load(
        """int[0..2] x;
        thread worker(int[0..2] p) { x = p; }
        thread t { tid c; while (true) { c = spawn worker(1); assert(x == 0); } }
        invariant zero: x == 0;"""
    )
    violated: set[str] = set()
    undecided: set[str] = set()
    for finding in engine.run(Task(program, program.properties)):
        if isinstance(finding, Violated):
            replay(program, finding.trace)
            violated.add(finding.trace.property)
        else:
            assert isinstance(finding, Undecided)
            undecided.update(finding.properties)
    assert violated == {"zero", "assert:3"}
    assert {"range", "mutex"} <= undecided
