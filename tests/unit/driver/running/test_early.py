"""An order of locks is looked for before a large program is simplified as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.running import early
from threadwise.proofs.transformed.certificate import Simplify, TransformedCertificate
from threadwise.results.result import PropertyResult

FOLDER = Path(__file__).parents[3] / "deadlocks"


def answer(name: str, monkeypatch: pytest.MonkeyPatch, large: int) -> PropertyResult:
    monkeypatch.setattr(early, "LARGE", large)
    path = str(FOLDER / f"{name}.c")
    (checked,) = check_file(path, CheckOptions(("deadlocks",)), in_process=True).properties
    return checked


@pytest.mark.parametrize("name", ["abba_safe", "gate_safe"])
def test_proofs_need_one_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    proved = answer(name, monkeypatch, 0).certificate
    assert isinstance(proved, TransformedCertificate)
    assert proved.steps == tuple(map(Simplify, early.PASSES))


def test_walks_go_to_the_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer("three_locks_broken", monkeypatch, 0)
    assert (found.verdict.value, found.engine) == ("UNSAFE", early.SHOWS)


def test_what_is_left_is_decided_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer("semaphore_broken", monkeypatch, 0).verdict.value == "UNSAFE"


def test_small_programs_are_simplified(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = answer("abba_safe", monkeypatch, 10**6).certificate
    assert isinstance(proved, TransformedCertificate)
    assert len(proved.steps) > len(early.PASSES)
