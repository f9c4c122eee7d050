"""Exposing: ghosts follow what they stand for, and runs stay what they were."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program
from threadwise.ir.check.validate import validate
from threadwise.ir.text.printer import print_program
from threadwise.ir.text.reader import read_program
from threadwise.semantics.oracle import explore
from threadwise.transforms.expose import Exposure, Subject, describe, exposable, expose

PHILOSOPHERS = "meng_he_wang_liu/dining_philosophers"
EXPOSURES = (
    Exposure("philosopher", Subject(), (6, 6, 6)),
    Exposure("philosopher", Subject(0), (0, 1, 2)),
    Exposure("philosopher", Subject(1), (None, 2, None)),
)


def test_ghosts_always_mean_what_they_stand_for() -> None:
    program = paper_program(PHILOSOPHERS)
    exposed = expose(program, EXPOSURES)
    states = explore(exposed.program, ()).states
    assert len(states) > 100
    for state in states:
        ghosts = state.g.cells[exposed.hidden :]
        for k, exposure in enumerate(EXPOSURES):
            for t, value in enumerate(exposure.values):
                l = state.locals[t]
                cell = exposure.subject.cell
                subject = l.pc if cell is None else (*l.thread, *l.locals)[cell]
                assert ghosts[3 * k + t] == (value is not None and subject == value)


def test_runs_are_what_they_were() -> None:
    program = paper_program(PHILOSOPHERS)
    exposed = expose(program, EXPOSURES)
    before = explore(program, program.properties)
    after = explore(exposed.program, exposed.program.properties)
    assert before.violated == after.violated
    hidden = {s._replace(g=s.g._replace(cells=exposed.hide(s.g.cells))) for s in after.states}
    assert hidden == before.states


def test_the_program_with_ghosts_is_well_formed() -> None:
    exposed = expose(paper_program(PHILOSOPHERS), EXPOSURES)
    assert validate(exposed.program) == []
    assert read_program(print_program(exposed.program)) == exposed.program


@pytest.mark.parametrize(
    ("exposure", "text"),
    [(EXPOSURES[0], "at eat"), (EXPOSURES[1], "left == 0/1/2"), (EXPOSURES[2], "right == 2")],
)
def test_descriptions(exposure: Exposure, text: str) -> None:
    assert describe(paper_program(PHILOSOPHERS), exposure) == text


def test_only_whole_variables_are_exposable() -> None:
    program = paper_program(PHILOSOPHERS)
    template = program.template["philosopher"]
    assert exposable(program, template, 0)
    assert not exposable(program, template, 2)
