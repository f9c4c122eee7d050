"""Qadeer, Rajamani & Rehof, POPL 2004: where movers come from, and the figures as printed.

The paper assumes movers and declares `int g`. Here they are inferred from the locks that threads
hold, which needs no fixpoint over what others do: data without bound does no harm.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.papers.reading import EXAMPLES, paper_program
from tests.unit.semantics.running import model
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Undecided
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.movers.classify import Claim, choose_source, classify
from threadwise.engines.movers.statements import classify_statements
from threadwise.engines.reduction.reduction_engine import ReductionEngine
from threadwise.engines.summaries.summaries_engine import SummariesEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.systems.concrete import ConcreteSystem

FOLDER = "qadeer_rajamani_rehof"
FIGURES = (
    "figure2_coarse_allocator",
    "figure3_fine_allocator",
    "figure4_recursion",
    "figure5_contexts",
    "figure8_nontransactional",
)


def nothing() -> None:
    """A tick that never stops anything."""


def as_printed(name: str) -> Program:
    """A figure with the unbounded integers of the print."""
    text = (EXAMPLES / FOLDER / f"{name}.tw").read_text()
    for declared in ("int[0..N] saturate g", "int[0..1] x", "int[0..1] y"):
        text = text.replace(declared, f"int {declared[-1]}")
    return model(text)


def answer(engine: Engine, program: Program, max_depth: int) -> Proved | Undecided:
    """What an engine says about failures; its proof is checked."""
    properties = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    task = Task(program, properties, EngineOptions(max_depth=max_depth))
    (finding,) = engine.run(task)
    assert isinstance(finding, Proved | Undecided)
    if isinstance(finding, Proved):
        check_certificate(program, finding.certificate, nothing)
    return finding


def test_the_print_has_unbounded_integers() -> None:
    texts = {name: Path(EXAMPLES / FOLDER / f"{name}.tw").read_text() for name in FIGURES}
    assert "int[0..N] saturate g" in texts["figure4_recursion"]
    assert "int[0..N] saturate g" in texts["figure8_nontransactional"]


def test_figure_4_as_printed() -> None:
    """`int g`: summaries prove the assertion, reduction without summaries ends at its bound."""
    program = as_printed("figure4_recursion")
    proved = answer(SummariesEngine(), program, 50)
    assert isinstance(proved, Proved)
    assert isinstance(proved.certificate, SummaryCertificate)
    assert proved.certificate.alone
    assert "g" in proved.certificate.forgotten
    assert isinstance(answer(ReductionEngine(), program, 4), Undecided)


def test_figure_8_as_printed() -> None:
    """`int g`, `int x`, `int y`: the search is cut, and the statement that races is named."""
    program = as_printed("figure8_nontransactional")
    plain, summarised = (answer(e, program, 6) for e in (ReductionEngine(), SummariesEngine()))
    assert isinstance(plain, Undecided)
    assert isinstance(summarised, Undecided)
    assert plain.bound == summarised.bound == ("max-depth", 6)
    said = "foo is recursive and not inside one transaction: `x = 1`"
    assert summarised.reason.startswith(said)


@pytest.mark.parametrize("name", ["figure2_coarse_allocator", "figure3_fine_allocator"])
def test_locks_are_enough_for_the_allocators(name: str) -> None:
    """A lock for all entries, or one for each: no fixpoint over what others do is needed."""
    source = choose_source(ConcreteSystem(paper_program(f"{FOLDER}/{name}")), nothing)
    assert source.alone
    assert not classify(source).may_improve


SIX_LOCKS = """
const int N = 6;
mutex m[N];
int[0..3] x[N];
thread t[N] {
    acquire(m[self.index]);
    x[self.index] = 1;
    x[self.index] = 2;
    x[self.index] = x[self.index] + 1;
    assert(x[self.index] == 3);
    release(m[self.index]);
}
"""


def test_six_threads_with_six_locks() -> None:
    """1,024 states instead of 117,649, and 54 pairs behind the movers."""
    program = model(SIX_LOCKS)
    properties = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    reduced = Task(program, properties)
    (finding,) = ReductionEngine().run(reduced)
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, ReductionCertificate)
    check_certificate(program, finding.certificate, nothing)
    assert reduced.statistics.get("states") == 1024
    assert reduced.statistics.get("pairs") == 54
    smaller = model(SIX_LOCKS.replace("N = 6", "N = 3"))
    whole = Task(smaller, properties)
    list(ExplicitEngine().run(whole))
    assert whole.statistics.get("states") == 7**3


RACY = """
int[0..9] x = 0; int y = 0;
thread t[2] { x = 1; y = y + 1; }
"""


def test_conflicts_are_looked_at_more_closely() -> None:
    """Where locks do not exclude a conflict, R decides; without the variables without bound."""
    source = choose_source(ConcreteSystem(model(RACY)), nothing)
    assert not source.alone
    assert source.forgotten == ("y",)
    handed_over = (
        "int[0..2] x; bool p; thread a { x = 1; p = true; } thread b { await(p) {} x = 2; }"
    )
    source = choose_source(ConcreteSystem(model(handed_over)), nothing)
    assert source.is_whole


BOUNDED_STEPS = """int[0..2] x = 0; int[0..1] turn = 0;
thread t[2] {{ {claim} x = x + 1; }}"""


def claims(text: str) -> set[Claim]:
    """What became of the annotations of a program."""
    return {c.claim for s in classify_statements(model(text), nothing) for c in s.classes}


def test_an_annotation_that_is_only_not_proved() -> None:
    """Two increments never leave 0..2; R does not know that, and says no more than that."""
    text = BOUNDED_STEPS.format(claim="mover both")
    assert claims(text) == {Claim.OPEN}
    program = model(text)
    assert isinstance(answer(ReductionEngine(), program, 5), Proved)


def test_an_annotation_that_is_refuted() -> None:
    """A third thread makes the order of a failure matter: a reachable state shows it."""
    assert Claim.REFUTED in claims(
        "int[0..3] x = 0; thread t { mover both x = x + 1; } thread u { x = 2; }"
    )
