"""Proofs on slices of programs with any number of threads, watched in runs of a few.

Slices are simplified, and what that hides depends on how many threads there may be. Audits made
the slice of the few threads of their run, in which nobody was there to see anything: runs refuted
proofs that were right (exit 70).
"""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.engines import dividing

BUSY = """
mutex m; bool busy; int[0..9] buffer; int[0..3] other;
thread user[{count}] {{
    bool mine;
    acquire(m); mine = !busy; if (mine) {taken}; release(m);
    if (mine) {{ buffer = 1; acquire(m); busy = false; release(m); }}
    acquire(m); other = 1; if (other > 1) other = 0; assert(other <= 1); release(m);
}}
"""
STATE = """
mutex m; int[0..3] state; int[0..9] config; int[0..3] other;
thread opener[{count}] {{
    bool mine;
    acquire(m); mine = state == 0; if (mine) state = 1; release(m);
    if (mine) {{ config = 3; acquire(m); state = 2; release(m); }}
}}
thread reader[{count}] {{
    acquire(m); if ({taken}) config = config; release(m);
    acquire(m); other = 1; release(m);
}}
"""
CASES = {
    "busy": (BUSY, "busy = true", "busy = false"),
    "state": (STATE, "state == 2", "state != 0"),
}


def _said(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str]]:
    monkeypatch.setattr(dividing, "SMALL", 0)
    program = model(text)
    asked = CheckOptions(properties=("races",), engine="tar")
    result = check_loaded("t.tw", lambda: program, asked, in_process=True)
    return result.verdict.value, [defect.message for defect in result.defects]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("count", ["*", "2", "3"])
def test_runs_agree_with_proofs_on_slices(
    case: str, count: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, right, _ = CASES[case]
    assert _said(text.format(count=count, taken=right), monkeypatch) == ("SAFE", [])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("count", ["*", "2"])
def test_what_races_is_not_proved_on_slices(
    case: str, count: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, _, wrong = CASES[case]
    verdict, defects = _said(text.format(count=count, taken=wrong), monkeypatch)
    assert verdict != "SAFE"
    assert not defects
