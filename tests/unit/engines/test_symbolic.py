"""The symbolic engines: limits, symmetries, what they say when they give up."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program
from threadwise.backends.bdd.model import Model
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.interchange import Classes, Kind
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.tmmc import TmmcEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.ir.selection import select_properties

FOLDER = "meng_he_wang_liu"


@pytest.mark.parametrize("engine", [AfrEngine(), TmmcirEngine(), LocalProofEngine()])
def test_a_limit_on_nodes_ends_in_unknown(engine: AfrEngine) -> None:
    program = paper_program(f"{FOLDER}/bakery", N=6)
    options = EngineOptions(max_bdd_nodes=500)
    task = Task(program, select_properties(program, ["exclusion"]), options)
    (finding,) = engine.run(task)
    assert isinstance(finding, Undecided)
    assert finding.bound == ("max-bdd-nodes", 500)
    assert task.statistics.as_dict()["peak_bdd_nodes"] >= 500


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
