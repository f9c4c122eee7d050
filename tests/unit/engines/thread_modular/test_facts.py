"""Equations of counting as facts: what thread-modular checking and TAR prove with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.counting import facts
from threadwise.engines.counting.counting_engine import CountingEngine
from threadwise.engines.counting.facts import counting_facts
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.engines.thread_modular.counted import CountedEngine
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import LocId, Program
from threadwise.ir.quantities import CellQuantity, LinearInvariant, LocationCount, ThreadTotal
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.counting.counted import CountedStores
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.systems.facts.stores import StoreFacts
from threadwise.traces.replay import replay

READERS = """
int{range} readers = 0; bool writing = false; int{data} value = 0;
thread reader[{count}] {{ int{data} seen; while (true) {{
  await(!writing{room}) {{ readers = readers + 1; }}
  seen = value; assert(seen == value);
  atomic {{ readers = readers - 1; }} }} }}
thread writer[{count}] {{ while (true) {{
  await(!writing && readers {free}) {{ writing = true; }}
  value = 1 - value;
  atomic {{ writing = false; }} }} }}
race_free value;
"""
TURNSTILE = """
int[0..1] open = 1; int[0..2] data = 0;
thread t[*] { await(open > 0) { open = open - 1; } use: data = 1; assert(data == 1); data = 0;
  atomic { open = open + 1; } }
invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
race_free data;
"""


def readers(*, finite: bool, count: str = "*", free: str = "== 0") -> Program:
    text = READERS.format(
        range="[0..2]" if finite else "",
        data="[0..1]" if finite else "",
        room=" && readers < 2" if finite else "",
        count=count,
        free=free,
    )
    return model(text)


def answers(engine: Engine, program: Program, *, counted: bool) -> tuple[set[str], set[str]]:
    """What is proved and what is violated, all evidence checked."""
    task = Task(program, program.properties, EngineOptions(facts=counted))
    safe: set[str] = set()
    unsafe: set[str] = set()
    for finding in engine.run(task):
        match finding:
            case Proved(names, certificate):
                check_certificate(program, certificate, lambda: None)
                safe |= set(names)
            case Violated(trace):
                replay(program, trace)
                unsafe.add(trace.property)
            case Undecided():
                pass
    return safe, unsafe


def proof_with_facts(engine: Engine, program: Program) -> Certificate:
    """The certificate that lists equations."""
    task = Task(program, program.properties, EngineOptions(facts=True))
    found = [f.certificate for f in engine.run(task) if isinstance(f, Proved)]
    with_facts = [
        c
        for c in found
        if isinstance(c, SymmetricCertificate | RepresentativesCertificate) and c.lemmas
    ]
    assert with_facts
    return with_facts[0]


def refused(program: Program, certificate: Certificate) -> bool:
    try:
        check_certificate(program, certificate, lambda: None)
    except (Refuted, Unsupported):
        return True
    return False


@pytest.mark.parametrize("count", ["*", "2"])
def test_readers_and_writers_with_a_bounded_count(count: str) -> None:
    program = readers(finite=True, count=count)
    wanted = {"range", "assert:5", "race_free value"}
    assert not answers(ThreadModularEngine(), program, counted=False)[0] & wanted
    assert wanted <= answers(ThreadModularEngine(), program, counted=True)[0]


def test_with_a_bug_nothing_is_proved_that_is_violated() -> None:
    program = readers(finite=True, free="<= 1")
    safe, _ = answers(ThreadModularEngine(), program, counted=True)
    assert "range" in safe
    assert not {"assert:5", "race_free value"} & safe


@pytest.mark.slow
def test_readers_and_writers_with_an_integer() -> None:
    program = readers(finite=False)
    assert "assert:5" not in answers(TarEngine(), program, counted=False)[0]
    safe, unsafe = answers(TarEngine(), program, counted=True)
    assert {"assert:5", "race_free value"} <= safe
    assert not unsafe


def test_readers_and_writers_with_an_integer_and_a_bug() -> None:
    program = readers(finite=False, free="<= 1")
    safe, unsafe = answers(TarEngine(), program, counted=True)
    assert not {"assert:5", "race_free value"} & safe
    assert unsafe


@pytest.mark.parametrize("engine", [ThreadModularEngine(), TarEngine()])
def test_threads_that_cannot_meet_do_not_violate_together(engine: Engine) -> None:
    program = model(TURNSTILE)
    wanted = {"alone", "race_free data"}
    assert not answers(engine, program, counted=False)[0] & wanted
    assert wanted <= answers(engine, program, counted=True)[0]
    broken = model(
        TURNSTILE.replace("open = 1;", "open = 0; bool two = true;")
        .replace("await(open > 0)", "await(open > 0 || two)")
        .replace("open = open - 1;", "if (open > 0) open = open - 1;")
    )
    assert not answers(engine, broken, counted=True)[0] & wanted


def test_engines_of_the_papers_take_no_facts() -> None:
    program = readers(finite=True)
    task = Task(program, program.properties)
    proofs = [f.certificate for f in ThreadModularEngine().run(task) if isinstance(f, Proved)]
    assert proofs
    assert not any(isinstance(p, SymmetricCertificate) and p.lemmas for p in proofs)
    assert list(CountedEngine().run(task)) == []


@pytest.mark.parametrize(
    ("engine", "finite"), [(ThreadModularEngine(), True), (TarEngine(), False)]
)
def test_certificates_without_true_equations_are_refused(engine: Engine, finite: bool) -> None:
    program = readers(finite=finite)
    proof = proof_with_facts(engine, program)
    assert isinstance(proof, SymmetricCertificate | RepresentativesCertificate)
    assert not refused(program, proof)
    assert refused(program, replace(proof, lemmas=()))
    for k, lemma in enumerate(proof.lemmas):
        wrong = replace(lemma, constant=lemma.constant + 1)
        assert refused(program, replace(proof, lemmas=_with(proof.lemmas, k, wrong)))
    unknown = LinearInvariant(((CellQuantity("nothing"), 1),), 0)
    assert refused(program, replace(proof, lemmas=(*proof.lemmas, unknown)))
    bug = readers(finite=finite, free="<= 1")
    assert refused(bug, replace(proof, program_hash=program_hash(bug)))


def _with(
    lemmas: Sequence[LinearInvariant], k: int, lemma: LinearInvariant
) -> tuple[LinearInvariant, ...]:
    return (*lemmas[:k], lemma, *lemmas[k + 1 :])


def test_views_that_agree_with_the_equations_may_not_be_left_out() -> None:
    program = readers(finite=True)
    proof = proof_with_facts(ThreadModularEngine(), program)
    assert isinstance(proof, SymmetricCertificate)
    for k, views in enumerate(proof.reached):
        for i in range(0, len(views), 5):
            fewer = [list(listed) for listed in proof.reached]
            del fewer[k][i]
            assert refused(program, replace(proof, reached=fewer))


def test_equations_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    program = readers(finite=True)
    task = Task(program, program.properties, EngineOptions(facts=True))
    list(CountingEngine().run(task))
    monkeypatch.setattr(facts, "counting_facts", lambda *_: ())
    assert any(isinstance(finding, Proved) for finding in CountedEngine().run(task))
    task.facts.clear()
    assert not any(isinstance(finding, Proved) for finding in CountedEngine().run(task))


def test_equations_in_a_store() -> None:
    program = model("""
        int[0..9] a; int[0..9] b;
        thread t[3] { atomic { a = a + 1; } first: atomic { b = b + 1; } second: skip; }
    """)
    layout = ProgramLayout.of(program)
    known = counting_facts(program, lambda: None)
    places = {label: location.id for location in program.locations for label in location.labels}
    first, second = places["first"], places["second"]
    for decide in (
        StoreFacts(layout, known).possible,
        CountedStores(layout, known, lambda: None).possible,
    ):
        assert decide((2, 1), [first])
        assert decide((2, 1), [])
        assert not decide((2, 1), [first, first])  # one of two has gone on
        assert not decide((1, 2), [])  # b runs behind a
        assert not decide((4, 0), [])  # there are three threads
        assert not decide((2, 0), [second])
        assert decide((3, 1), [first, second, first])


def test_intervals_with_negative_factors_and_totals() -> None:
    program = model("int x; thread t[*] { skip; }")
    layout = ProgramLayout.of(program.with_counts({"t": 1}))
    at = LocationCount(LocId(0))
    more = LinearInvariant(((CellQuantity("x"), 1), (ThreadTotal("t"), -2), (at, 1)), 0)
    for decide in (
        StoreFacts(layout, [more]).possible,
        CountedStores(layout, [more], lambda: None).possible,
    ):
        assert decide((0,), [LocId(0)])
        assert decide((-4,), [])
    even = LinearInvariant(((CellQuantity("x"), 1), (at, -2)), 0)
    for decide in (
        StoreFacts(layout, [even]).possible,
        CountedStores(layout, [even], lambda: None).possible,
    ):
        assert decide((2,), [LocId(0)])
        assert not decide((3,), [])
        assert not decide((2,), [LocId(0), LocId(0)])
        assert not decide((-2,), [])
