"""Refinement that goes on with ghosts where a program is not safe in a thread-modular way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tests.unit.semantics.running import model
from threadwise.core.load_options import LoadOptions
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.tar.exposing import hidden
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.traces.replay import replay
from threadwise.transforms.ghosts import IdGhost, with_ghosts

BOOLEAN = """
bool locked = false;
int x = 0;
thread p[*] {
    int old;
    await(!locked) { locked = true; }
    old = x;
    x = old + 1;
    assert(x == old + 1);
    atomic { locked = false; }
}
"""
"""A lock that does not say who holds it."""


def run(text: str, *, expose: bool | None) -> tuple[Program, list[Finding]]:
    program = model(text)
    chosen = select_properties(program, ["assertions"])
    options = EngineOptions(expose=expose)
    return program, list(TarEngine().run(Task(program, chosen, options)))


@cache
def proof() -> tuple[Program, RepresentativesCertificate]:
    program, (finding,) = run(BOOLEAN, expose=True)
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, RepresentativesCertificate)
    return program, finding.certificate


def passes(program: Program, certificate: RepresentativesCertificate) -> bool:
    try:
        check_certificate(program, certificate, lambda: None)
    except Refuted:
        return False
    return True


@pytest.mark.parametrize("expose", [None, False])
def test_nothing_is_exposed_unless_asked_for(expose: bool | None) -> None:
    _, (finding,) = run(BOOLEAN, expose=expose)
    assert isinstance(finding, Undecided)
    assert "not safe in a thread-modular way" in finding.reason
    assert "p at line 9 and p at line 8" in finding.reason
    assert [line.split(":")[0] for line in finding.explanation if line.startswith("p at")] == [
        "p at line 9",
        "p at line 8",
    ]


def test_ghosts_tell_who_holds_a_lock() -> None:
    program, certificate = proof()
    assert "$wrote_locked" in [ghost.name for ghost in certificate.ghosts]
    assert certificate.program_hash == program_hash(program)
    assert passes(program, certificate)
    file = certificate_to_json(certificate, LoadOptions())
    again = certificate_from_json(file, "proof.json")
    assert isinstance(again, RepresentativesCertificate)
    assert again.ghosts == certificate.ghosts
    assert passes(program, again)


def test_bugs_are_still_found() -> None:
    program, (finding,) = run(BOOLEAN.replace("await(!locked)", "await(true)"), expose=True)
    assert isinstance(finding, Violated)
    replay(program, finding.trace)


def test_proofs_with_other_ghosts_are_refused() -> None:
    program, certificate = proof()
    silent = tuple(ghost._replace(mine=()) for ghost in certificate.ghosts)
    assert not passes(program, replace(certificate, ghosts=silent))
    assert not passes(program, replace(certificate, ghosts=()))


@pytest.mark.parametrize(
    "ghost",
    [
        IdGhost("x", (EdgeId(0),)),
        IdGhost("old", (EdgeId(0),)),
        IdGhost("$a", (EdgeId(9_999),)),
        IdGhost("$a", (EdgeId(0),), (EdgeId(0),)),
    ],
    ids=["shared", "local", "no edge", "two values"],
)
def test_ghosts_are_new_variables(ghost: IdGhost) -> None:
    """A ghost that were a variable of the program would change what it does."""
    program, certificate = proof()
    assert not passes(program, replace(certificate, ghosts=(*certificate.ghosts, ghost)))


def test_proofs_of_broken_programs_are_refused() -> None:
    _, certificate = proof()
    broken = model(BOOLEAN.replace("await(!locked)", "await(true)"))
    assert not passes(broken, replace(certificate, program_hash=program_hash(broken)))


def test_traces_lose_the_cells_of_ghosts() -> None:
    program = model("int x; thread t[*] { x = 1; assert(x == 2); }")
    ghosts = with_ghosts(program, [IdGhost("$wrote_x", (EdgeId(0),))])
    validate(ghosts)
    chosen = select_properties(ghosts, ["assertions"])
    (finding,) = TarEngine().run(Task(ghosts, chosen))
    assert isinstance(finding, Violated)
    assert len(finding.trace.initial) == 2
    replay(ghosts, finding.trace)
    replay(program, hidden(program, finding.trace))
