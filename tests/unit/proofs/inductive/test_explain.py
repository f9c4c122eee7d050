"""What `explain` says of proofs by formulas with ghosts."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Proved, Task
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.proofs.inductive.certificate import FormulaCertificate, Ghost
from threadwise.proofs.inductive.explain import FormulaExplainer


@pytest.mark.parametrize(
    ("model", "lines"),
    [
        ("bakery", ["nothing was exposed: what threads see of each other is enough"]),
        (
            "mux_sem",
            [
                "thread-modular checking alone cannot prove `exclusion`: threads need to know "
                "whether another `p` is at L2 or at L3",
                "exposed for each `p` thread, 6 in all: `at L2`, `at L3`",
            ],
        ),
    ],
)
def test_what_was_exposed_and_why(model: str, lines: list[str]) -> None:
    program = paper_program(f"meng_he_wang_liu/{model}")
    (finding,) = TmmcirEngine().run(Task(program, select_properties(program, ["exclusion"])))
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, FormulaCertificate)
    assert FormulaExplainer(program, finding.certificate).exposed() == lines


def test_places_and_values() -> None:
    program = paper_program("meng_he_wang_liu/mux_sem_count", N=2)
    (place,) = (here.id for here in program.locations if "L3" in here.labels)
    ghosts = (Ghost("p", None, (place, place)), Ghost("p", 0, (1, None)))
    told = FormulaExplainer(
        program, FormulaCertificate("", ("exclusion",), ghosts, (), [], [], [])
    )
    assert told.exposed() == [
        "thread-modular checking alone cannot prove `exclusion`: threads need to know "
        "whether another `p` is at L3, and whether it has counter == 1",
        "exposed for each `p` thread, 3 in all: `at L3`, `counter == 1`",
    ]
