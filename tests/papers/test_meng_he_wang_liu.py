"""Meng, He, Wang & Liu, "Thread-modular model checking with iterative refinement", 2012."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program, proved_one_by_one
from tests.unit.semantics.running import model as model_of
from threadwise.backends.bdd.model import Model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import (
    Engine,
    EngineOptions,
    Finding,
    Proved,
    Task,
    Undecided,
    Violated,
)
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.components import thread_modular
from threadwise.engines.symbolic.interchange import Classes
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.tmmc import TmmcEngine, TmmcPrintedEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore
from threadwise.traces.replay import replay

FOLDER = "meng_he_wang_liu"


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_sizes_of_the_semaphore_family(n: int) -> None:
    """(N+1) 2^N states with a boolean semaphore, (2N+1) 2^N with a note of the last holder."""
    assert len(explore(paper_program(f"{FOLDER}/mux_sem", N=n), ()).states) == (n + 1) * 2**n
    last = paper_program(f"{FOLDER}/mux_sem_last", N=n)
    assert len(explore(last, ()).states) == (2 * n + 1) * 2**n


@pytest.mark.parametrize(
    ("name", "proved"),
    [("mux_sem", False), ("mux_sem_augmented", True), ("mux_sem_count", False)],
)
def test_exclusion_needs_what_threads_cannot_see(name: str, proved: bool) -> None:
    """The semaphore alone does not say who is inside; exposing the location does."""
    found, _ = proved_one_by_one(paper_program(f"{FOLDER}/{name}"), ["exclusion"])
    assert (found == {"exclusion"}) is proved


def answered(
    engine: Engine, model: str, name: str, *, symmetry: bool = True, **sizes: int
) -> tuple[Finding, Task]:
    """What an engine says about one property; a proof is checked."""
    program = paper_program(f"{FOLDER}/{model}", **sizes)
    options = EngineOptions(symmetry=symmetry)
    task = Task(program, select_properties(program, [name]), options)
    (finding,) = engine.run(task)
    if isinstance(finding, Proved):
        check_certificate(program, finding.certificate, lambda: None)
    return finding, task


@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("model", ["mux_sem", "mux_sem_last", "mux_sem_count"])
def test_one_refinement_with_two_predicates_per_process(model: str, symmetry: bool) -> None:
    """Tables 1 to 3: 2N predicates in one refinement, with or without symmetry."""
    finding, task = answered(TmmcirEngine(), model, "exclusion", symmetry=symmetry, N=5)
    assert isinstance(finding, Proved)
    assert task.statistics.get("refinements") == 1
    assert task.statistics.get("predicates") == 10


def test_a_local_proof_that_needs_no_refinement() -> None:
    finding, task = answered(LocalProofEngine(), "mux_sem_last", "exclusion", N=5)
    assert isinstance(finding, Proved)
    assert task.statistics.get("refinements") == 0


@pytest.mark.parametrize("engine", [TmmcEngine(), TmmcPrintedEngine()])
@pytest.mark.parametrize(
    ("model", "name", "conclusive"),
    [
        ("mux_sem", "exclusion", False),
        ("mux_sem_last", "exclusion", False),
        ("mux_sem_count", "exclusion", False),
        ("bakery", "exclusion", True),
        ("dining_philosophers", "no_shared_fork", False),
    ],
)
def test_thread_modular_model_checking_is_conclusive_on_bakery_only(
    engine: Engine, model: str, name: str, conclusive: bool
) -> None:
    finding, _ = answered(engine, model, name)
    assert isinstance(finding, Proved) is conclusive


UNREACHABLE = """
int[0..1] x = 0;
thread t[2] { bool b = false; while (true) { if (b) { x = 1; } } }
invariant never: x == 0;
"""


def test_as_printed_unreachable_local_stores_count() -> None:
    """Definition 1 quantifies over all local stores: here over b, which is never true."""
    program = model_of(UNREACHABLE)
    task = Task(program, select_properties(program, ["never"]))
    (stronger,) = TmmcEngine().run(task)
    (printed,) = TmmcPrintedEngine().run(task)
    assert isinstance(stronger, Proved)
    assert isinstance(printed, Undecided)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_philosophers_take_three_refinements_and_two_predicates_each(n: int) -> None:
    """Table 5, column of TMMCIR: 12, 16 and 20 predicates for 6, 8 and 10 philosophers."""
    finding, task = answered(TmmcirEngine(), "philosophers_four_steps", "no_shared_fork", N=n)
    assert isinstance(finding, Proved)
    assert task.statistics.get("refinements") == 3
    assert task.statistics.get("predicates") == 2 * n


IN_TURN = """
int[0..3] x;
thread third { await(x == 2) { x = 3; } }
thread second { await(x == 1) { x = 2; } }
thread first { await(x == 0) { x = 1; } }
"""
"""Each waits for the one below: nothing happens while `first` waits, everything once it acted."""


@pytest.mark.parametrize(
    "program",
    [
        *(paper_program(f"{FOLDER}/mux_sem_augmented", N=n) for n in (3, 6)),
        model_of(IN_TURN),
    ],
)
def test_components_do_not_depend_on_how_they_are_computed(program: Program) -> None:
    """R̄_j from what the others do while j waits is the closure under all actions at once."""
    model = Model.of(program)
    components = thread_modular(model, Classes.single(model))
    for thread in model.threads:
        reached = model.initial_shared & thread.initial
        while True:
            before = reached
            for other in model.threads:
                actions = other.actions if other is thread else other.guarantee
                for action in actions:
                    reached = reached | action.post(model.manager, reached)
            if reached == before:
                break
        assert components.of(thread.thread) == reached


@pytest.mark.slow
def test_a_hundred_processes_without_symmetry() -> None:
    """Table 1 at N = 100: 200 predicates in one refinement."""
    finding, task = answered(TmmcirEngine(), "mux_sem", "exclusion", symmetry=False, N=100)
    assert isinstance(finding, Proved)
    assert task.statistics.get("predicates") == 200


@pytest.mark.parametrize("engine", [TmmcirEngine(), LocalProofEngine()])
def test_philosophers_need_refinements(engine: Engine) -> None:
    finding, task = answered(engine, "dining_philosophers", "no_shared_fork", N=4)
    assert isinstance(finding, Proved)
    assert task.statistics.get("refinements") >= 1


@pytest.mark.parametrize("engine", [TmmcirEngine(), LocalProofEngine(), AfrEngine()])
@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("mux_sem_bug", "exclusion"),
        ("mux_sem_last_bug", "last_is_inside"),
        ("mux_sem_count_bug", "exclusion"),
        ("bakery_bug", "exclusion"),
        ("dining_philosophers_bug", "no_shared_fork"),
    ],
)
def test_seeded_bugs_have_traces(engine: Engine, model: str, name: str) -> None:
    finding, task = answered(engine, model, name)
    assert isinstance(finding, Violated)
    replay(task.program, finding.trace)
