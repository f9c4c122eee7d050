"""Examples beyond one thread's view: `auto` finds every annotated verdict, with evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.annotations import FOLDER, NAMES, read_annotations
from tests.examples.test_examples import assert_evidence, verdicts
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.loading import load_program
from threadwise.proofs.base.registry import explain_proof
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.transformed.certificate import TransformedCertificate
from threadwise.report.explanation import explanation_text
from threadwise.results.verdict import Verdict

BEYOND = [name for name in NAMES if name.startswith("beyond/")]
QUICK = (
    "beyond/counter_barrier.tw",
    "beyond/counter_barrier_bug.tw",
    "beyond/counting_semaphore.tw",
    "beyond/counting_semaphore_bug.tw",
    "beyond/double_checked.tw",
    "beyond/peterson_bug.tw",
    "beyond/readers_writers.tw",
    "beyond/token_ring.tw",
)
"""What is checked each time; the others take longer and are left to the nightly run."""


def assert_annotated_verdicts(name: str, folder: Path) -> None:
    path = FOLDER / name
    expected = read_annotations(path).verdicts
    options = CheckOptions(properties=tuple(expected))
    result = check_file(str(path), options, in_process=True)
    assert verdicts(path, result) == expected
    assert_evidence(path, result, folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_quick_ones(name: str, tmp_path: Path) -> None:
    assert_annotated_verdicts(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BEYOND if name not in QUICK])
def test_others(name: str, tmp_path: Path) -> None:
    assert_annotated_verdicts(name, tmp_path)


def test_every_program_has_a_broken_variant() -> None:
    good = [name for name in BEYOND if not name.endswith("_bug.tw")]
    assert len(good) >= 13
    assert sorted(BEYOND) == sorted([*good, *(name.replace(".tw", "_bug.tw") for name in good)])


def proof_text(name: str, engine: str, selector: str, kind: type, k: int | None = None) -> str:
    """What `explain` prints for a property."""
    path = FOLDER / name
    options = CheckOptions(properties=(selector,), engine=engine, k=k)
    (checked,) = check_file(str(path), options, in_process=True).properties
    assert checked.verdict is Verdict.SAFE
    assert checked.certificate is not None
    assert isinstance(checked.certificate, kind)
    explained = explain_proof(load_program(str(path)), checked.certificate)
    return explanation_text([selector], explained)


def test_the_ticket_lock_is_explained_by_two_threads() -> None:
    name, kind = "beyond/ticket_lock.tw", RepresentativesCertificate
    text = proof_text(name, "horn", "exclusion", kind, k=2)
    assert "t1 a `client`, t2 a `client`" in text
    assert any(
        fact in text for fact in ("t2::my != t1::my", "t1::my != t2::my", "t1::my > t2::my")
    )
    assert "next > t1::my" in text


def test_references_are_counted_by_who_remembers_one() -> None:
    name = "beyond/reference_count.tw"
    text = proof_text(name, "horn", "assert:29", TransformedCertificate)
    assert "line 20 where got" in text
    assert "#user(line 20 where got, line 21, line 22)" in text


def test_the_semaphore_is_explained_by_an_equation() -> None:
    name = "beyond/counting_semaphore.tw"
    text = proof_text(name, "counting", "at_most_two", CountingCertificate)
    assert "permits + #client(in, line 15) == 2" in text
