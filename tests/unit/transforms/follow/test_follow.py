"""Programs that follow one thread with a creation index, and proofs about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.frontends.model.loading import load
from threadwise.core.budget import UNLIMITED, Meter
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.program import FailureKind, Program
from threadwise.ir.text.printer import print_program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Follow, TransformedCertificate
from threadwise.transforms.follow import Following, follow_all, followable, suggested

SLOTS = """
int slot[w] = 0;
thread w(int mine) { slot[mine] = 1; }
thread main { int n = 0; while (true) { spawn w(n); n = n + 1; } }
race_free slot;
"""


def followed(program: Program, *, claiming: bool = True) -> Program:
    names = followable(program)
    made = follow_all(program, [suggested(program, n, claiming=claiming) for n in names]).program
    assert not validate(made)
    return made


def test_arrays_become_the_cell_of_the_thread_that_is_followed() -> None:
    text = print_program(followed(load(SLOTS)))
    assert "global slot: int = 0" in text
    assert "global w.kappa: int sync = *" in text
    assert "thread w[1] runs w" in text
    assert "thread w.others[*] runs w.others" in text
    assert "when (mine >= 0 && mine == w.kappa): slot := 1" in text


def test_pools_have_no_bound() -> None:
    made = followed(load(SLOTS, max_threads=2))
    targets = {edge.target for edge in made.edges}
    kinds = {p.failure.kind for p in made.locations if p.id in targets and p.failure is not None}
    assert FailureKind.SLOTS not in kinds


def test_what_is_claimed_is_checked_where_the_thread_is_created() -> None:
    made = followed(load(SLOTS))
    claims = [p.id for p in made.locations if p.failure and "creation index" in p.failure.message]
    (edge,) = [edge for edge in made.edges if edge.target in claims]
    assert "w.next == w.kappa && n != w.kappa" in print_program(made).replace(
        "w.kappa)", "w.kappa"
    )
    assert edge.sync


def test_programs_that_use_pools_otherwise_are_refused() -> None:
    program = load(SLOTS)
    text_of = {d.variable.name: d for d in program.globals}
    assert "w.status" in text_of
    with pytest.raises(Unsupported, match="no array"):
        follow_all(program, [Following("w", ("nothing",))])
    with pytest.raises(Unsupported, match="no argument"):
        follow_all(program, [Following("w", (), ("slot",))])
    with pytest.raises(Unsupported, match="no template"):
        follow_all(program, [Following("v")])


def proof(text: str) -> tuple[Program, TransformedCertificate]:
    program = load(text)
    task = Task(program, program.properties, meter=Meter(UNLIMITED))
    for finding in HornEngine().run(task):
        if isinstance(finding, Proved) and "race_free slot" in finding.properties:
            assert isinstance(finding.certificate, TransformedCertificate)
            return program, finding.certificate
    raise AssertionError("no proof")


def test_a_proof_for_any_number_of_created_threads_and_its_mutants() -> None:
    program, certificate = proof(SLOTS)
    assert "race_free slot" in check_certificate(program, certificate, lambda: None).properties
    (step,) = certificate.steps
    assert isinstance(step, Follow)
    (following,) = step.followings
    mutants = (
        replace(certificate, program_hash="0" * 64),
        replace(certificate, steps=(Follow(()),)),
        replace(certificate, steps=()),
        replace(certificate, steps=(Follow((replace(following, claims=()),)),)),
        replace(certificate, steps=(Follow((following, following)),)),
        replace(certificate, steps=(step, step)),
        replace(certificate, properties=(*certificate.properties, "deadlocks")),
    )
    for mutant in mutants:
        with pytest.raises(Refuted):
            check_certificate(program, mutant, lambda: None)


def test_a_slot_that_two_threads_share_is_a_race_of_the_followed_one() -> None:
    program = followed(load(SLOTS.replace("spawn w(n)", "spawn w(0)")), claiming=False)
    (race,) = [p for p in program.properties if p.name == "race_free slot"]
    (finding,) = HornEngine().run(Task(program, (race,), EngineOptions(k=1)))
    assert isinstance(finding, Violated)
