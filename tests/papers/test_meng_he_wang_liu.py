"""Meng, He, Wang & Liu, "Thread-modular model checking with iterative refinement", 2012."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program, proved_one_by_one
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, Finding, Proved, Task, Violated
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.tmmc import TmmcEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
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


def answered(engine: Engine, model: str, name: str, **sizes: int) -> tuple[Finding, Task]:
    """What an engine says about one property."""
    program = paper_program(f"{FOLDER}/{model}", **sizes)
    task = Task(program, select_properties(program, [name]))
    (finding,) = engine.run(task)
    return finding, task


@pytest.mark.parametrize("model", ["mux_sem", "mux_sem_last", "mux_sem_count"])
def test_one_refinement_with_two_predicates_per_process(model: str) -> None:
    finding, task = answered(TmmcirEngine(), model, "exclusion", N=5)
    assert isinstance(finding, Proved)
    assert task.statistics.get("refinements") == 1
    assert task.statistics.get("predicates") == 10


def test_a_local_proof_that_needs_no_refinement() -> None:
    finding, task = answered(LocalProofEngine(), "mux_sem_last", "exclusion", N=5)
    assert isinstance(finding, Proved)
    assert task.statistics.get("refinements") == 0


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
    model: str, name: str, conclusive: bool
) -> None:
    finding, _ = answered(TmmcEngine(), model, name)
    assert isinstance(finding, Proved) is conclusive


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
