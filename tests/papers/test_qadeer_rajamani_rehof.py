"""Qadeer, Rajamani & Rehof, "Summarizing procedures in concurrent programs", POPL 2004."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program
from threadwise.engines.api import EngineOptions, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.ir.commands import Call
from threadwise.semantics.oracle import explore

FOLDER = "qadeer_rajamani_rehof"


@pytest.mark.parametrize("depth", [2, 4])
def test_recursion_needs_a_bound(depth: int) -> None:
    """Figure 4: stacks grow for ever, so explicit search ends at a bound and says so."""
    program = paper_program(f"{FOLDER}/figure4_recursion")
    options = EngineOptions(max_depth=depth)
    (finding,) = ExplicitEngine().run(Task(program, program.properties, options))
    assert isinstance(finding, Undecided)
    assert finding.bound == ("max-depth", depth)


def test_error_under_recursion_is_found_within_the_bound() -> None:
    """Figure 4 with a seeded bug."""
    program = paper_program(f"{FOLDER}/figure4_recursion_bug")
    findings = ExplicitEngine().run(Task(program, program.properties, EngineOptions(max_depth=4)))
    assert any(isinstance(finding, Violated) for finding in findings)


@pytest.mark.parametrize(
    "name", ["figure2_coarse_allocator", "figure3_fine_allocator", "figure5_contexts"]
)
def test_programs_with_procedures(name: str) -> None:
    """Figures 2, 3 and 5 call procedures; without recursion nothing is cut."""
    program = paper_program(f"{FOLDER}/{name}")
    assert any(isinstance(edge.action, Call) for edge in program.edges)
    answer = explore(program, [p for p in program.properties if p.name == "mutex"], max_depth=2)
    assert not answer.cut
    assert answer.violated == frozenset()
