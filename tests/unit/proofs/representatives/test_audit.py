"""What the audit of formulas about k threads notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.engines.tar.test_exposing import proof as exposed
from tests.unit.proofs.base.audited_runs import break_checked_guards, break_guards, broken, watched
from tests.unit.proofs.representatives.test_check import ALL_PARTS, locked, ticket
from tests.unit.proofs.representatives.test_contexts import DIVING, NEXT
from tests.unit.proofs.representatives.test_contexts import prove as prove_with_calls
from tests.unit.semantics.running import Run, model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, EngineOptions, Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.ir.quantities import CellQuantity, LinearInvariant, LocationCount
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import (
    ContextCall,
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.transforms.ghosts import IdGhost

Case = Callable[[], tuple[Program, RepresentativesCertificate]]


def proof(engine: Engine, text: str, k: int = 1) -> tuple[Program, RepresentativesCertificate]:
    program = model(text)
    task = Task(program, select_properties(program, ["assertions"]), EngineOptions(k=k))
    for finding in engine.run(task):
        if isinstance(finding, Proved):
            assert isinstance(finding.certificate, RepresentativesCertificate)
            return program, finding.certificate
    raise AssertionError("no proof")


def tickets() -> tuple[Program, RepresentativesCertificate]:
    return ticket(ALL_PARTS)


def diving() -> tuple[Program, RepresentativesCertificate]:
    return prove_with_calls(DIVING)


def following() -> tuple[Program, RepresentativesCertificate]:
    return prove_with_calls(NEXT)


def told(claimed: RepresentativesFormula) -> str:
    """What the monitor calls a formula."""
    places = zip(claimed.templates, claimed.locations, strict=True)
    name = "formula of " + ", ".join(f"{t}@{'*' if p is None else p}" for t, p in places)
    return f"{name} in context {claimed.context}" if claimed.context else name


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_formulas_hold(threads: int) -> None:
    for program, claimed in (locked(), ticket(ALL_PARTS), exposed()):
        evaluated = watched(program, claimed, threads)
        assert threads < claimed.k or sum(evaluated.values()) > 5


@pytest.mark.parametrize("text", [DIVING, NEXT])
def test_contexts_are_followed(text: str) -> None:
    program, claimed = prove_with_calls(text)
    evaluated = watched(program, claimed)
    assert sum(evaluated.values()) > 300


@pytest.mark.parametrize("case", [locked, tickets, exposed, diving, following])
def test_wrong_formulas_are_broken(case: Case) -> None:
    """Each formula that was looked at, made false: then nothing holds of threads there."""
    program, claimed = case()
    evaluated = watched(program, claimed)
    seen = 0
    for number, formula in enumerate(claimed.formulas):
        wrong = formula._replace(formula=f"({formula.formula}) && !({formula.formula})")
        formulas = [*claimed.formulas[:number], wrong, *claimed.formulas[number + 1 :]]
        seen += evaluated[told(formula)] > 0
        found = broken(program, replace(claimed, formulas=formulas))
        assert found.startswith("no formula holds of") == (evaluated[told(formula)] > 0)
    assert seen > 3


def test_listed_calls_are_claims() -> None:
    """A call that is not listed, or whose formula does not hold of the caller."""
    program, claimed = diving()
    for call in dict.fromkeys(listed.call for listed in claimed.calls):
        rest = [listed for listed in claimed.calls if listed.call != call]
        here = [listed for listed in claimed.calls if listed.call == call]
        wrong = [*rest, *(listed._replace(formula="false") for listed in here)]
        assert broken(program, replace(claimed, calls=rest))
        assert broken(program, replace(claimed, calls=wrong))


def test_a_return_goes_back_to_the_context_of_the_call() -> None:
    """Two contexts of the caller: the one that called is the one that goes on."""
    program = model("void f() { skip; } thread t { f(); f(); }")
    body, f = program.procedure["t"], program.procedure["f"]
    formulas = [
        RepresentativesFormula(("t",), (location.id,), "true", context)
        for context, procedure in ((0, body), (1, f), (2, f))
        for location in procedure.locations
    ]
    calls = [edge.id for edge in program.edges if isinstance(edge.action, Call)]
    listed = [ContextCall("t", 0, call, n, "true") for n, call in enumerate(calls, start=1)]
    claimed = RepresentativesCertificate("", (), 1, formulas, calls=listed)
    assert broken(program, claimed) == ""
    moved = [f._replace(context=3) if f.locations == (body.entry,) else f for f in formulas]
    assert broken(program, replace(claimed, formulas=moved))


GHOSTLY = "int x; thread t[2] { x = x + 1; use: x = x - 1; }"


def test_ghosts_have_the_values_they_stand_for() -> None:
    program = model(GHOSTLY)
    entry, use, end = (location.id for location in program.locations)
    first, second = (edge.id for edge in program.edges)
    formulas = [
        RepresentativesFormula(("t",), (entry,), "who != t1"),
        RepresentativesFormula(("t",), (use,), "who == t1 || who != none || x == 1"),
        RepresentativesFormula(("t",), (end,), "true"),
    ]
    ghost = IdGhost("who", (first,), (second,))
    claimed = RepresentativesCertificate("", (), 1, formulas, ghosts=(ghost,))
    assert broken(program, claimed) == ""
    for wrong in ("who == t1", "who == none"):
        mutant = [formulas[0], formulas[1]._replace(formula=wrong), formulas[2]]
        assert broken(program, replace(claimed, formulas=mutant))
    assert broken(program, replace(claimed, ghosts=(IdGhost("who", (), (first,)),)))


def test_equations_are_claims() -> None:
    program = model(GHOSTLY)
    use = program.edges[0].target
    formulas = [RepresentativesFormula(("t",), (None,), "true")]
    lemma = LinearInvariant(((CellQuantity("x"), 1), (LocationCount(use), -1)), 0)
    claimed = RepresentativesCertificate("", (), 1, formulas, lemmas=(lemma,))
    assert watched(program, claimed)["equations"] > 5
    wrong = replace(claimed, lemmas=(replace(lemma, terms=lemma.terms[:1]),))
    assert broken(program, wrong) == "equation 1 does not hold"


UNSAFE = """
int x;
thread t[*] { int k; k = 0; await(k >= 0) { x = x + 1; } assert(x == 0); }
"""


@pytest.mark.parametrize("engine", [HornEngine(), TarEngine()], ids=["horn", "tar"])
def test_a_fault_of_the_encoding_is_noticed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine, and then the checker too, believes that nobody gets behind the guard."""
    assert Run(model(UNSAFE).with_counts({"t": 1})).finish(0).failure() is not None
    break_guards(monkeypatch)
    program, claimed = proof(engine, UNSAFE)
    with pytest.raises(Refuted):  # the checker has an encoding of its own
        check_certificate(program, claimed, lambda: None)
    break_checked_guards(monkeypatch)
    assert check_certificate(program, claimed, lambda: None).properties
    assert broken(program, claimed, 1).startswith("no formula holds of `t`")
