"""Thread-modular certificates: each obligation, broken on purpose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.thread_modular import check as check_thread_modular
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.state import LocalStore

PROGRAM = model("""
    mutex m; int[0..2] x;
    thread t { acquire(m); x = 1; x = 0; release(m); }
    thread u { acquire(m); assert(x == 0); release(m); }
    invariant locked: x == 1 ==> m != none; invariant zero: x == 0;
    race_free x;
""")
ONE_BY_ONE = EngineOptions(symmetry=False)


def prove(program: Program) -> ThreadModularCertificate:
    for finding in ThreadModularEngine().run(Task(program, program.properties, ONE_BY_ONE)):
        if isinstance(finding, Proved):
            assert isinstance(finding.certificate, ThreadModularCertificate)
            return finding.certificate
    raise AssertionError("nothing proved")


GOOD = prove(PROGRAM)


def check(certificate: ThreadModularCertificate, program: Program = PROGRAM) -> CheckedProof:
    return check_certificate(program, certificate, lambda: None)


def refused(
    certificate: ThreadModularCertificate, message: str, program: Program = PROGRAM
) -> None:
    with pytest.raises(Refuted, match=message):
        check(certificate, program)


@pytest.fixture(params=["reference", "vectorised"], autouse=True)
def evaluator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it twice: small tables use the interpreter, large ones the vectorised steps."""
    if request.param == "vectorised":
        monkeypatch.setattr(check_thread_modular, "LARGE", 0)


def test_it_is_a_proof() -> None:
    proof = check(GOOD)
    assert set(proof.properties) == {p.name for p in PROGRAM.properties} - {"zero"}
    assert len(proof.taken_edges) == 7


def test_the_program_must_be_the_same() -> None:
    refused(replace(GOOD, program_hash="x"), "another program")


def test_properties_must_exist_and_hold() -> None:
    refused(replace(GOOD, properties=("no such",)), "no property")
    refused(replace(GOOD, properties=("zero",)), "`zero` may be violated")


def test_initial_pairs_must_be_there() -> None:
    first = [(g, l) for g, l in GOOD.reached[0] if GOOD.globals[g] != (-1, 0)]
    refused(replace(GOOD, reached=[first, GOOD.reached[1]]), "INIT: an initial pair of t")


def test_steps_must_stay_inside() -> None:
    fewer = [(g, l) for g, l in GOOD.reached[0] if GOOD.globals[g] != (0, 1)]
    refused(replace(GOOD, reached=[fewer, GOOD.reached[1]]), "STEP: a step of t leaves")


def test_changes_must_be_guaranteed() -> None:
    refused(replace(GOOD, guarantees=[[], GOOD.guarantees[1]]), "STEP: a change by t")


def test_interference_must_stay_inside() -> None:
    mine = {GOOD.globals.index(cells) for cells in GOOD.globals if cells[0] == 0}
    fewer = [(g, l) for g, l in GOOD.reached[1] if g not in mine]
    refused(replace(GOOD, reached=[GOOD.reached[0], fewer]), "ENV: .* u out of R")


def test_guarantees_of_one_thread_do_not_move_itself() -> None:
    """A change that only t makes need not lead t's own pairs anywhere."""
    check(GOOD)
    swapped = [GOOD.guarantees[1], GOOD.guarantees[0]]
    with pytest.raises(Refuted):
        check(replace(GOOD, guarantees=swapped))


def test_shapes() -> None:
    l = GOOD.reached[0][0][1]
    more = [*GOOD.reached[0], (len(GOOD.globals), l)]
    refused(replace(GOOD, reached=[more, GOOD.reached[1]]), "no global store")
    more = [*GOOD.reached[0], (-1, l)]
    refused(replace(GOOD, reached=[more, GOOD.reached[1]]), "no global store")
    odd = [*GOOD.guarantees[0], (0, len(GOOD.globals))]
    refused(replace(GOOD, guarantees=[odd, GOOD.guarantees[1]]), "no global store")
    refused(replace(GOOD, reached=GOOD.reached[:1]), "number of threads")
    refused(replace(GOOD, guarantees=GOOD.guarantees[:1]), "number of threads")
    refused(replace(GOOD, globals=[*GOOD.globals, (0, 9)]), "no value of x")
    other = [*GOOD.reached[0], (0, GOOD.reached[1][0][1])]
    refused(replace(GOOD, reached=[other, GOOD.reached[1]]), "outside its body")


def test_programs_with_calls_need_more() -> None:
    program = model("int[0..1] x; void f() { x = 1; } thread t { f(); }")
    from threadwise.ir.text.printer import program_hash

    forged = replace(GOOD, program_hash=program_hash(program))
    refused(forged, "calls", program)


def test_procedures_that_nobody_calls_do_not_matter() -> None:
    program = model("int[0..1] x; int[0..1] f() { return 1; } thread t[2] { x = 1; } race_free x;")
    certificate = prove(program)
    assert "range" in check(certificate, program).properties


def test_limits_are_no_proof() -> None:
    program = model("thread w() { skip; } thread t { spawn w(); spawn w(); }")
    certificate = prove(program)
    check(certificate, program)
    limit = next(
        loc.id
        for loc in program.locations
        if loc.failure is not None and loc.failure.kind.is_limit
    )
    reached = [list(pairs) for pairs in certificate.reached]
    g, l = reached[2][0]
    reached[2].append((g, LocalStore(limit, l.thread, l.locals)))
    changed = replace(certificate, reached=reached, properties=("mutex",))
    with pytest.raises(Refuted):
        check(changed, program)


def test_long_paths_through_atomic_blocks() -> None:
    program = model(
        "int[0..1] wrap x; thread t[2] { int[0..1000] i; "
        "atomic { while (i < 300) { i = i + 1; } x = x + 1; i = 0; } }"
    )
    assert "range" in check(prove(program), program).properties


def test_numbers_beyond_machine_integers() -> None:
    program = model(
        "int x = 4611686018427387904; thread t { x = x * x; } thread u { x = x; } "
        "invariant big: x > 5;"
    )
    assert "big" in check(prove(program), program).properties
