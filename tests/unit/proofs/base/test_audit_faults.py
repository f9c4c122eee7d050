"""Faults that engines and checkers share no longer lead to SAFE, by `check_file`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.proofs.base.audited_runs import break_checked_guards, break_guards
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import FALSE
from threadwise.ir.program import Edge
from threadwise.results.verdict import Verdict
from threadwise.transforms import forget as forgetting

pytestmark = pytest.mark.usefixtures("defects_expected")

UNTESTED = """
bool busy;
thread t[*] {
    int k;
    k = 0;
    await(k >= 0) { busy = true; }
crit:
    skip;
    busy = false;
}
invariant alone: forall i, j: t. at(i, crit) && at(j, crit) ==> i == j;
"""
"""A lock that is taken without looking whether it is free."""

FORGOTTEN = """
int junk;
bool busy;
mutex m;
thread t[2] {
    while (true) {
        acquire(m);
        junk = junk + 2;
        if (junk > 3) { busy = true; }
        assert(!busy);
        release(m);
    }
}
"""


def verdict(path: Path, text: str, engine: str, *, audit: bool) -> tuple[Verdict, int]:
    """What is said of a program, and how many defects were noticed."""
    file = path / "model.tw"
    file.write_text(text, encoding="utf-8")
    options = CheckOptions(engine=engine, audit=audit)
    result = check_file(str(file), options, in_process=True)
    return result.verdict, len(result.defects)


@pytest.mark.parametrize("engine", ["horn", "tar"])
def test_guards_that_are_never_true_for_engines(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checker has an encoding of its own: no audit is needed."""
    break_guards(monkeypatch)
    found, defects = verdict(tmp_path, UNTESTED, engine, audit=False)
    assert found is not Verdict.SAFE
    assert defects > 0


@pytest.mark.parametrize("engine", ["horn", "tar", "counting"])
def test_guards_that_are_never_true(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_guards(monkeypatch)
    break_checked_guards(monkeypatch)
    assert verdict(tmp_path, UNTESTED, engine, audit=False) == (Verdict.SAFE, 0)
    found, defects = verdict(tmp_path, UNTESTED, engine, audit=True)
    assert found is not Verdict.SAFE
    assert defects > 0


def test_forgotten_guards_that_are_never_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is forgotten is verified: no audit is needed."""
    sound = forgetting._action

    def faulty(view: forgetting._View, edge: Edge) -> Action:
        made = sound(view, edge)
        lost = isinstance(made, Command) and view.reads_forgotten(edge.action.guard)
        return replace(made, guard=FALSE) if lost else made

    monkeypatch.setattr(forgetting, "_action", faulty)
    found, defects = verdict(tmp_path, FORGOTTEN, "digest", audit=False)
    assert found is not Verdict.SAFE
    assert defects > 0
