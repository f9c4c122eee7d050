"""A program whose locations are told apart has the same states as the program, on random ones.

What a copy of a location tells is part of the state, so that states correspond one to one: their
stores are compared, their number, and what is violated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.property.comparison import load, nothing, reachable
from tests.property.programs import Features, RandomChooser, generate
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.transformed.certificate import TransformedCertificate
from threadwise.systems.concrete import ConcreteSystem
from threadwise.transforms.simplify.silent_steps import hide_silent_steps
from threadwise.transforms.split import split

CI = 50
NIGHTLY = 4_000
MOST_STATES = 3000


def stores(program: Program) -> Counter[object] | None:
    """The states without their locations."""
    found = reachable(ConcreteSystem(program), MOST_STATES)
    if found is None:
        return None
    return Counter((state.g, tuple(l[1:] for l in state.locals)) for state in found)


def outcomes(program: Program) -> tuple[set[str], set[str]]:
    findings = list(ExplicitEngine().run(Task(program, program.properties)))
    violated = {f.trace.property for f in findings if isinstance(f, Violated)}
    proved = {name for f in findings if isinstance(f, Proved) for name in f.properties}
    return violated, proved


DEADLOCKS = "every deadlock"


def compare(seed: int) -> bool:
    """Whether something was told, and little enough to compare; asserts that both agree."""
    program = load(generate(RandomChooser.of(seed), Features(calls=False)))
    kinds = [p for p in program.properties if not isinstance(p, RaceProperty | DeadlockProperty)]
    extra = (RaceProperty("every race", None), DeadlockProperty(DEADLOCKS))
    program = replace(program, properties=(*kinds, *extra))
    if seed % 2:
        program = hide_silent_steps(program)
    try:
        divided = split(program).program
    except Unsupported:
        return False
    assert validate(divided) == []
    before = stores(program)
    if before is None:
        return False
    assert stores(divided) == before
    (violated, proved), (before_violated, before_proved) = outcomes(divided), outcomes(program)
    # Where locations are told apart, fewer threads count as helpers: there are more deadlocks.
    assert violated - {DEADLOCKS} == before_violated - {DEADLOCKS}
    assert proved - {DEADLOCKS} == before_proved - {DEADLOCKS}
    assert DEADLOCKS in violated or DEADLOCKS not in before_violated
    return True


def test_a_sample() -> None:
    assert sum(compare(seed) for seed in range(CI)) > CI // 20


@pytest.mark.slow
def test_many() -> None:
    assert sum(compare(seed) for seed in range(CI, NIGHTLY)) > NIGHTLY // 20


@pytest.mark.parametrize(
    "text",
    [
        "bool b; thread t[2] { bool own; havoc own; if (own) { b = true; } assert(!b || own); }",
        "enum E { p, q, r } E last;"
        "thread t[2] { E own = q; own = last; last = choose(q, r); assert(own != r); }",
        "int[0..2] wrap x;"
        "thread t[2] { int[0..2] wrap y; y = x; x = y + 1; if (y == 2) { x = 0; } }",
        "enum E { p, q } E own[t] = q; int[0..1] n;"
        "thread t[2] { while (true) { if (own[self] == q) { own[self] = p; n = 1; } else {"
        " own[self] = q; } } } invariant i: forall i: t. own[i] == p ==> n > 0;",
    ],
)
def test_what_is_told(text: str) -> None:
    program = model(text)
    divided = split(program)
    assert divided.told
    assert stores(divided.program) == stores(program)
    assert outcomes(divided.program) == outcomes(program)


COUNTED = """
    int n; bool stop;
    thread t[*] { bool mine; mine = false;
        await(n < 2) { mine = choose(false, true); if (mine) { n = n + 1; } }
        if (mine) { assert(n > 0); atomic { n = n - 1; } }
    }
"""


def test_a_proof_with_locations_told_apart_is_checked() -> None:
    program = model(COUNTED)
    asked = tuple(p for p in program.properties if p.name.startswith("assert"))
    (finding,) = HornEngine().run(Task(program, asked))
    assert isinstance(finding, Proved)
    certificate = finding.certificate
    assert isinstance(certificate, TransformedCertificate)
    written = certificate_to_json(certificate, LoadOptions())
    check_certificate(program, certificate_from_json(written, ""), nothing)
    inner = certificate.inner
    assert isinstance(inner, RepresentativesCertificate)
    for wrong in (
        replace(certificate, properties=("range",)),
        replace(certificate, program_hash=inner.program_hash),
        replace(certificate, inner=replace(inner, lemmas=())),
        replace(certificate, inner=replace(inner, program_hash=certificate.program_hash)),
        replace(certificate, inner=CountingCertificate(inner.program_hash, inner.properties, ())),
    ):
        with pytest.raises(Refuted):
            check_certificate(program, wrong, nothing)
    with pytest.raises(Refuted, match="another program"):
        check_certificate(model(COUNTED.replace("n > 0", "n > 1")), certificate, nothing)


@pytest.mark.parametrize(
    "text",
    [
        "int n; thread t { n = n + 1; }",
        "int n; thread t { int r; r = n; n = r + 1; n = r; }",
        "bool own[t]; thread t[2] { tid one; havoc one; if (one != none) { own[one] = true; } }",
    ],
)
def test_what_is_not_told(text: str) -> None:
    with pytest.raises(Unsupported):
        split(model(text))
