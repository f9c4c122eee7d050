"""Qadeer, Rajamani & Rehof, POPL 2004, section 4: what reduction saves on the paper's examples.

The counts are for assertion, range and mutex errors, whose search is the reduced one of the paper.
"""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program
from tests.unit.semantics.running import model
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.reduction.reduction_engine import ReductionEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.proofs.base.registry import check_certificate
from threadwise.traces.replay import replay

FOLDER = "qadeer_rajamani_rehof"

MUX_SEM = """
mutex s;
thread p[{n}] {{
    while (true) {{
L0:     skip;
L1:     acquire(s);
L2:     skip;
L3:     release(s);
    }}
}}
"""


def states(engine: Engine, program: Program) -> int:
    """How many states a proof of the absence of failures takes."""
    properties = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    task = Task(program, properties, EngineOptions(max_depth=3))
    (finding,) = engine.run(task)
    assert isinstance(finding, Proved)
    assert set(finding.properties) == {p.name for p in properties}
    if isinstance(engine, ReductionEngine):
        check_certificate(program, finding.certificate, lambda: None)
    return int(task.statistics.get("states"))


@pytest.mark.parametrize(
    ("name", "reduced", "whole"),
    [
        ("figure1_transaction", 76, 196),
        ("figure2_coarse_allocator", 149, 579),
        ("figure3_fine_allocator", 231, 896),
        ("figure5_contexts", 49, 103),
    ],
)
def test_fewer_states_than_explicit_search(name: str, reduced: int, whole: int) -> None:
    program = paper_program(f"{FOLDER}/{name}")
    found = states(ReductionEngine(), program), states(ExplicitEngine(), program)
    assert found == (reduced, whole)
    print(f"{name}: {reduced} of {whole} states, {reduced / whole:.2f}")  # noqa: T201


@pytest.mark.parametrize(("n", "ratio"), [(2, 0.9), (3, 0.5), (8, 0.02)])
def test_mutual_exclusion_with_an_owner(n: int, ratio: float) -> None:
    """MUX-SEM of Meng, He, Wang & Liu, with a mutex that knows its owner."""
    program = model(MUX_SEM.format(n=n))
    reduced, whole = states(ReductionEngine(), program), states(ExplicitEngine(), program)
    print(f"MUX-SEM({n}): {reduced} of {whole} states, {reduced / whole:.2f}")  # noqa: T201
    assert reduced < ratio * whole


@pytest.mark.slow
def test_growth_with_the_number_of_clients() -> None:
    """Figure 2: another client costs explicit search a factor of 55, reduction one of 10."""
    programs = [paper_program(f"{FOLDER}/figure2_coarse_allocator", CLIENTS=n) for n in (2, 3)]
    reduced = [states(ReductionEngine(), program) for program in programs]
    whole = [states(ExplicitEngine(), program) for program in programs]
    assert (reduced, whole) == ([149, 1525], [579, 31626])


@pytest.mark.slow
def test_growth_to_four_clients() -> None:
    """Four clients take reduction a third of the states that three take explicit search."""
    program = paper_program(f"{FOLDER}/figure2_coarse_allocator", CLIENTS=4)
    assert states(ReductionEngine(), program) == 10017


def test_recursion_ends_at_a_bound() -> None:
    """Figure 4: reduction without summaries keeps stacks (QRR, end of section 4)."""
    program = paper_program(f"{FOLDER}/figure4_recursion")
    properties = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    task = Task(program, properties, EngineOptions(max_depth=4))
    (finding,) = ReductionEngine().run(task)
    assert isinstance(finding, Undecided)
    assert finding.bound == ("max-depth", 4)


@pytest.mark.parametrize(
    ("name", "violated"),
    [
        ("figure1_transaction_bug", "no_lost_update"),
        ("figure2_coarse_allocator_bug", "exclusive_use"),
        ("figure3_fine_allocator_bug", "exclusive_use"),
    ],
)
def test_seeded_bugs_are_found(name: str, violated: str) -> None:
    program = paper_program(f"{FOLDER}/{name}")
    checked = tuple(p for p in program.properties if p.name == violated)
    (finding,) = ReductionEngine().run(Task(program, checked))
    assert isinstance(finding, Violated)
    replay(program, finding.trace)
