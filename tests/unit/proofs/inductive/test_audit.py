"""What the audit of inductive formulas with ghosts notices."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.base.audited_runs import break_checked_guards, broken, watched
from tests.unit.proofs.inductive.test_check import check, philosophers, semaphore
from tests.unit.semantics.running import Run, model
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.inductive.audit import InductiveMonitor
from threadwise.proofs.inductive.certificate import (
    CellTest,
    Conjunct,
    Decision,
    FormulaCertificate,
)
from threadwise.semantics.state import Move


@pytest.mark.parametrize("case", [semaphore, philosophers])
def test_formulas_hold(case: object) -> None:
    program, certificate = case()  # type: ignore[operator]
    evaluated = watched(program, certificate)
    assert len(evaluated) == len(certificate.conjuncts)
    assert min(evaluated.values()) > 20


@pytest.mark.parametrize("case", [semaphore, philosophers])
def test_the_opposite_is_broken(case: object) -> None:
    """Each conjunct with false and true exchanged."""
    program, certificate = case()  # type: ignore[operator]
    other = {0: 1, 1: 0}
    decisions = [
        Decision(d.test, other.get(d.then, d.then), other.get(d.otherwise, d.otherwise))
        for d in certificate.decisions
    ]
    for conjunct in certificate.conjuncts:
        opposite = conjunct._replace(root=other.get(conjunct.root, conjunct.root))
        mutant = replace(certificate, decisions=decisions, conjuncts=[opposite])
        assert broken(program, mutant).startswith("conjunct 1 does not hold of")


def test_most_swapped_decisions_are_broken() -> None:
    """The rest makes formulas that are true in all runs, though no proof."""
    program, certificate = semaphore()
    found = 0
    for number, decision in enumerate(certificate.decisions):
        swapped = list(certificate.decisions)
        swapped[number] = Decision(decision.test, decision.otherwise, decision.then)
        found += bool(broken(program, replace(certificate, decisions=swapped)))
    assert found > len(certificate.decisions) / 2


def test_ghosts_are_what_they_stand_for() -> None:
    program, certificate = semaphore()
    other = [ghost._replace(values=(0, 0, 0)) for ghost in certificate.ghosts]
    assert broken(program, replace(certificate, ghosts=tuple(other)))


TURNS = """
tid last;
thread t[2] { last = self; use: last = none; }
thread u { skip; }
"""


def turns(*tests: CellTest, alike: tuple[str, ...] = ()) -> FormulaCertificate:
    """One conjunct about the first thread: if it passes the first test, it passes the second."""
    decisions = [Decision(1, 1, 0), Decision(0, 2, 1)]
    return FormulaCertificate("", (), (), alike, tests, decisions, [Conjunct((0,), 3)])


def test_ids_are_exchanged_with_threads() -> None:
    program = model(TURNS)
    use = program.edges[0].target
    mine = turns(CellTest("shared", 0, 0, 0), CellTest("location", 0, 0, use))
    assert broken(program, mine) == ""
    assert broken(program, replace(mine, alike=("t",))) == ""
    theirs = turns(CellTest("shared", 0, 0, 1), CellTest("location", 0, 0, use))
    assert broken(program, theirs) == "conjunct 1 does not hold of t[0]"


def test_exchanged_threads_are_looked_at() -> None:
    """What holds of the first thread does not hold of the second, which is not like it."""
    program = model("int x; thread t[2] { await(self.index == 0) { x = 1; } x = 2; }")
    entry = program.edges[0].source
    starts = turns(CellTest("shared", 0, 0, 2), CellTest("location", 1, 0, entry))
    second = replace(starts, conjuncts=[Conjunct((1,), 3)])
    assert broken(program, second) == ""
    assert broken(program, replace(second, alike=("t",))) == "conjunct 1 does not hold of t[0]"


@pytest.mark.parametrize("count", [3, 12])
def test_threads_that_are_the_same_are_looked_at_once(count: int) -> None:
    """A thread that is named by a cell is not the same as others at its location."""
    program = model(TURNS.replace("t[2]", f"t[{count}]"))
    use = program.edges[0].target
    mine = turns(CellTest("shared", 0, 0, 0), CellTest("location", 0, 0, use), alike=("t",))
    monitor = InductiveMonitor(program, mine)
    run = Run(program)
    monitor.start(run.state)
    assert monitor.evaluated.total() == 1
    before = run.state
    run.step(count - 1)
    monitor.step(before, Move(count - 1, ()), run.state)
    assert monitor.evaluated.total() == 3
    wrong = turns(CellTest("shared", 0, 0, 0), CellTest("location", 0, 0, use + 1), alike=("t",))
    with pytest.raises(Broken, match=f"of t.{count - 1}."):
        InductiveMonitor(program, wrong).start(run.state)


UNSAFE = """
int[0..1] x;
thread t[2] { int[0..1] k; await(k >= 0) { x = 1; } assert(x == 0); }
"""


def test_a_fault_of_the_encoding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker believes that nobody gets behind the guard."""
    program = model(UNSAFE)
    assert Run(program).finish(0).failure() is not None
    entry = program.edges[0].source
    names = tuple(p.name for p in program.properties if p.name.startswith("assert"))
    tests = [CellTest("location", t, 0, entry) for t in (0, 1)]
    decisions = [Decision(0, 1, 0), Decision(1, 1, 0)]
    conjuncts = [Conjunct((0,), 2), Conjunct((1,), 3)]
    wrong = FormulaCertificate(program_hash(program), names, (), (), tests, decisions, conjuncts)
    with pytest.raises(Refuted):
        check(program, wrong)
    break_checked_guards(monkeypatch)
    check(program, wrong)
    assert "does not hold of t" in broken(program, wrong)
