"""Race proofs of mutated programs: what is known of a text from earlier is not run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import mutated_c
from benchmarks.mutated_c import Candidate, tried

RACY = Candidate("racy", "not taken", "int main(void) { return 0; }\n")


@pytest.fixture
def proves(monkeypatch: pytest.MonkeyPatch) -> None:
    def proved(path: Path, searched: str | None) -> dict[str, Any]:
        return {"verdict": "SAFE", "searched": searched or "UNKNOWN"}

    monkeypatch.setattr(mutated_c, "proved", proved)


def _not_again(*_: object) -> None:
    raise AssertionError("it was run again")


def test_proof_of_what_ran_into_a_race_before_is_wrong(
    proves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutated_c, "races_seen", _not_again)
    row = tried(RACY, {"races": [[3, 7]]})
    assert row["races"] == [[3, 7]]
    assert row["outcome"] == "WRONG"


def test_proof_that_a_search_contradicted_before_is_wrong(
    proves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutated_c, "races_seen", _not_again)
    assert tried(RACY, {"races": [], "searched": "UNSAFE"})["outcome"] == "WRONG"


def test_unknown_text_is_run(proves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutated_c, "races_seen", lambda *_: {(2, 5)})
    row = tried(RACY, {})
    assert row["outcome"] == "WRONG"
    assert row["digest"] == RACY.digest
    assert RACY.digest != Candidate("racy", "not taken", "int x;\n").digest
