"""The checker of formula certificates refutes what is no proof."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.papers.reading import paper_program
from threadwise.core.load_options import LoadOptions
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, Proved, Task
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.inductive.certificate import (
    CellTest,
    Conjunct,
    Decision,
    FormulaCertificate,
)

FOLDER = "meng_he_wang_liu"


def proof(engine: Engine, model: str, name: str) -> tuple[Program, FormulaCertificate]:
    """The proof of one property."""
    program = paper_program(f"{FOLDER}/{model}")
    (finding,) = engine.run(Task(program, select_properties(program, [name])))
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, FormulaCertificate)
    return program, finding.certificate


def check(program: Program, certificate: FormulaCertificate) -> None:
    check_certificate(program, certificate, lambda: None)


def semaphore() -> tuple[Program, FormulaCertificate]:
    return proof(TmmcirEngine(), "mux_sem", "exclusion")


def philosophers() -> tuple[Program, FormulaCertificate]:
    return proof(AfrEngine(), "dining_philosophers", "no_shared_fork")


@pytest.mark.parametrize("case", [semaphore, philosophers])
def test_proofs_survive_a_file(case: object) -> None:
    program, certificate = case()  # type: ignore[operator]
    document = certificate_to_json(certificate, LoadOptions())
    again = certificate_from_json(document, "proof.json")
    assert again == certificate
    check_certificate(program, again, lambda: None)


def test_the_proof_does_not_grow_with_the_number_of_threads() -> None:
    sizes = set()
    for n in (4, 9):
        program = paper_program(f"{FOLDER}/mux_sem", N=n)
        (finding,) = TmmcirEngine().run(Task(program, select_properties(program, ["exclusion"])))
        assert isinstance(finding, Proved)
        certificate = finding.certificate
        assert isinstance(certificate, FormulaCertificate)
        sizes.add((len(certificate.decisions), len(certificate.conjuncts)))
    assert len(sizes) == 1


def test_every_decision_matters() -> None:
    program, certificate = semaphore()
    refuted = 0
    for number, decision in enumerate(certificate.decisions):
        swapped = list(certificate.decisions)
        swapped[number] = Decision(decision.test, decision.otherwise, decision.then)
        try:
            check(program, replace(certificate, decisions=swapped))
        except Refuted:
            refuted += 1
    assert refuted == len(certificate.decisions)


def test_nothing_follows_from_nothing() -> None:
    program, certificate = semaphore()
    with pytest.raises(Refuted, match="exclusion"):
        check(program, replace(certificate, conjuncts=[]))


def test_false_is_not_initial() -> None:
    program, certificate = semaphore()
    with pytest.raises(Refuted, match="initially"):
        check(program, replace(certificate, conjuncts=[Conjunct((0,), 0)]))


def test_ghosts_are_what_they_stand_for() -> None:
    program, certificate = semaphore()
    other = [ghost._replace(values=(0, 0, 0)) for ghost in certificate.ghosts]
    with pytest.raises(Refuted):
        check(program, replace(certificate, ghosts=tuple(other)))


def test_likeness_is_checked() -> None:
    program, certificate = philosophers()
    with pytest.raises(Refuted, match="alike"):
        check(program, replace(certificate, alike=("philosopher",)))


def test_a_proof_for_one_pair_is_none_without_likeness() -> None:
    program, certificate = semaphore()
    assert certificate.alike
    with pytest.raises(Refuted):
        check(program, replace(certificate, alike=()))


@pytest.mark.parametrize(
    "wrong",
    [
        CellTest("shared", -1, 99, True),
        CellTest("ghost", 0, 99, True),
        CellTest("location", 7, 0, 1),
        CellTest("own", 0, 5, 1),
        CellTest("shared", -1, 0, 1),
        CellTest("colour", 0, 0, 1),
    ],
)
def test_tests_are_about_the_program(wrong: CellTest) -> None:
    program, certificate = semaphore()
    with pytest.raises(Refuted):
        check(program, replace(certificate, tests=[wrong, *certificate.tests[1:]]))


def test_decisions_name_earlier_ones() -> None:
    program, certificate = semaphore()
    circular = [Decision(0, 2, 1), *certificate.decisions[1:]]
    with pytest.raises(Refuted, match="not there"):
        check(program, replace(certificate, decisions=circular))
