"""What the audit of proofs about transformed programs notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from tests.property.test_digest import some_names
from tests.property.test_following import drawn, drawn_of_two
from tests.property.test_simplify import plain_program
from tests.property.test_splitting import COUNTED
from tests.unit.proofs.base.audited_runs import broken, watched
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, Proved, Task
from threadwise.engines.digest import DigestEngine
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import FALSE, Expr
from threadwise.ir.program import Edge, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.proofs.transformed.certificate import (
    Follow,
    Forget,
    Parametrise,
    SplitLocations,
    TransformedCertificate,
)
from threadwise.transforms import forget as forgetting
from threadwise.transforms import split as splitting
from threadwise.transforms.follow import follow_all, followable, suggested
from threadwise.transforms.follow.edges import EdgeView
from threadwise.transforms.forget import forget
from threadwise.transforms.parametric import parametrise
from threadwise.transforms.split import split

STEPS = "images of steps"
NO_IMAGE = "no step of the changed program is the image of edge"


def anything(program: Program) -> RepresentativesCertificate:
    """A proof that claims nothing: only that images are runs is looked at."""
    formulas = [
        RepresentativesFormula((template.name,), (location.id,), "true")
        for template in program.templates
        for location in program.locations
    ]
    return RepresentativesCertificate("", (), 1, formulas)


def proof(engine: Engine, program: Program, kind: type, *names: str) -> Certificate:
    asked = select_properties(program, names or ("assertions",))
    for finding in engine.run(Task(program, asked)):
        if isinstance(finding, Proved) and isinstance(finding.certificate, kind):
            check_certificate(program, finding.certificate, lambda: None)
            return finding.certificate
    raise AssertionError("no proof")


def is_violated(program: Program) -> bool:
    """Whether two threads of each template are enough to fail."""
    counts = {t.name: 2 for t in program.templates if t.count is None}
    instance = program.with_counts(counts)
    asked = select_properties(instance, ("assertions",))
    return not all(isinstance(f, Proved) for f in ExplicitEngine().run(Task(instance, asked)))


# -- images of runs are runs ---------------------------------------------------------------------


def forgotten(seed: int) -> tuple[Program, Certificate]:
    program = plain_program(seed)
    names = tuple(some_names(program, Random(seed)))
    inner = anything(forget(program, names))
    return program, TransformedCertificate("", (), (Forget(names),), inner)


def told(seed: int) -> tuple[Program, Certificate]:
    program = plain_program(seed)
    return program, TransformedCertificate(
        "", (), (SplitLocations(),), anything(split(program).program)
    )


def followed(program: Program, *, claiming: bool = False) -> tuple[Program, Certificate]:
    followings = tuple(suggested(program, name, claiming=claiming) for name in followable(program))
    inner = anything(follow_all(program, followings).program)
    return program, TransformedCertificate("", (), (Follow(followings),), inner)


def parametric(program: Program) -> tuple[Program, Certificate]:
    return program, TransformedCertificate(
        "", (), (Parametrise(),), anything(parametrise(program))
    )


Maker = Callable[[int], tuple[Program, Certificate]]


@pytest.mark.parametrize(
    ("make", "seeds"),
    [
        (forgotten, range(12)),
        (told, range(24)),
        (lambda seed: followed(drawn(seed)), range(6)),
        (lambda seed: followed(drawn_of_two(seed)), range(6)),
        (lambda seed: parametric(drawn_of_two(seed)), range(6)),
    ],
    ids=["forget", "split", "follow", "follow two", "parametric"],
)
def test_images_of_runs_are_runs(make: Maker, seeds: range) -> None:
    steps = 0
    for seed in seeds:
        try:
            program, certificate = make(seed)
        except Unsupported:
            continue
        steps += watched(program, certificate, runs=4)[STEPS]
    assert steps > 400


CREATED = """
int[0..3] seen;
thread worker(int[0..3] mine) { int[0..3] own; own = mine; seen = own; }
thread parent { int[0..3] n; while (n < 3) { spawn worker(PASSED); n = n + 1; } }
"""


def test_claims_about_arguments() -> None:
    """What is claimed to be the index of a new thread is what it is created with."""
    program, certificate = followed(model(CREATED.replace("PASSED", "n"), 3), claiming=True)
    assert isinstance(certificate, TransformedCertificate)
    (step,) = certificate.steps
    assert isinstance(step, Follow)
    assert step.followings[0].claims
    assert watched(program, certificate)[STEPS] > 400
    program, certificate = followed(model(CREATED.replace("PASSED", "1"), 3), claiming=True)
    assert broken(program, certificate).startswith(NO_IMAGE)


# -- inner claims --------------------------------------------------------------------------------

DIGESTED = """
int junk;
bool busy;
mutex m;
void bump(int by) { junk = junk + by; }
thread t[2] {
    while (true) {
        acquire(m);
        bump(2);
        if (junk > 3) { busy = true; }
        assert(!busy || junk > 3);
        busy = false;
        release(m);
    }
}
race_free busy;
"""
JOINED = """
bool slot[worker] = false;
tid handle[worker];
thread worker(int mine) { slot[mine] = true; }
thread parent {
    int n = 0;
    int i = 0;
    bool more = true;
    while (more) {
        handle[n] = spawn worker(n);
        n = n + 1;
        more = choose(true, false);
    }
    while (i < n) { join handle[i]; i = i + 1; }
    i = 0;
    while (i < n) { assert(slot[i]); i = i + 1; }
}
"""


@cache
def proofs() -> list[tuple[Program, Certificate]]:
    divided, joined = model(COUNTED), model(JOINED, 3)
    return [
        (divided, proof(HornEngine(), divided, TransformedCertificate)),
        (joined, proof(HornEngine(), joined, TransformedCertificate)),
    ]


@pytest.mark.slow
def test_proofs_hold_in_images() -> None:
    for program, certificate in proofs():
        evaluated = watched(program, certificate)
        assert evaluated[STEPS] > 100
        assert sum(evaluated.values()) > 1.2 * evaluated[STEPS]
    digested = model(DIGESTED)
    certificate = proof(DigestEngine(), digested, TransformedCertificate, "race_free busy")
    assert watched(digested, certificate)[STEPS] > 100


def test_wrong_inner_claims_are_broken() -> None:
    """Formulas about locations where runs get, made false."""
    for program, certificate in proofs():
        assert isinstance(certificate, TransformedCertificate)
        inner = certificate.inner
        assert isinstance(inner, RepresentativesCertificate)
        wrong = [f._replace(formula=f"({f.formula}) && 0 == 1") for f in inner.formulas]
        mutants = [
            replace(inner, formulas=[*inner.formulas[:n], wrong[n], *inner.formulas[n + 1 :]])
            for n in range(0, len(wrong), len(wrong) // 5)
        ]
        found = [broken(program, replace(certificate, inner=m), runs=8) for m in mutants]
        assert sum(told.startswith("no formula holds of") for told in found) > 2


# -- faults of transformations -------------------------------------------------------------------


def test_a_fault_in_forgetting_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards that look at something forgotten are never true, instead of always."""
    program = model(DIGESTED.replace("assert(!busy || junk > 3)", "assert(!busy)"))
    assert is_violated(program)
    sound = forgetting._action

    def faulty(view: forgetting._View, edge: Edge) -> Action:
        made = sound(view, edge)
        lost = isinstance(made, Command) and view.reads_forgotten(edge.action.guard)
        return replace(made, guard=FALSE) if lost else made

    monkeypatch.setattr(forgetting, "_action", faulty)
    asked = select_properties(program, ("assertions",))
    found = DigestEngine().run(Task(program, asked))
    certificate = next(each.certificate for each in found if isinstance(each, Proved))
    with pytest.raises(Refuted, match="stronger"):
        check_certificate(program, certificate, lambda: None)
    assert broken(program, certificate).startswith(NO_IMAGE)


UNSAFE = """
int n;
thread t[*] {
    bool mine; bool first;
    first = n == 0;
    await(n < 2) { havoc mine; if (mine) { n = n + 1; } }
    if (mine) { assert(n < 2); atomic { n = n - 1; } }
    if (first) { skip; }
}
"""


def proof_of(changed: Program) -> RepresentativesCertificate:
    """A proof about a program that a faulty transformation made."""
    found = proof(HornEngine(), changed, RepresentativesCertificate)
    assert isinstance(found, RepresentativesCertificate)
    return found


def test_a_fault_in_splitting_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first of several values that a variable may be given is told."""
    program = model(UNSAFE)
    assert is_violated(program)
    sound = splitting._given
    monkeypatch.setattr(splitting, "_given", lambda place: sound(place)[:1])
    inner = proof_of(split(program).program)
    about = program_hash(program), inner.properties
    certificate = TransformedCertificate(*about, (SplitLocations(),), inner)
    with pytest.raises(Refuted, match="lost"):
        check_certificate(program, certificate, lambda: None)
    assert broken(program, certificate).startswith(NO_IMAGE)


def test_a_fault_in_following_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody ever begins."""
    program = model(
        "int x; thread t[3] { await(self.index > 0) { x = x + 1; } assert(x == self.index); }"
    )
    assert is_violated(program)
    sound = EdgeView._entering

    def faulty(self: EdgeView, edge: Edge) -> list[Expr]:
        known = sound(self, edge)
        return [*known, FALSE] if known else known

    monkeypatch.setattr(EdgeView, "_entering", faulty)
    followings = (suggested(program, "t", claiming=False),)
    inner = proof_of(follow_all(program, followings).program)
    about = program_hash(program), inner.properties
    certificate = TransformedCertificate(*about, (Follow(followings),), inner)
    with pytest.raises(Unsupported, match="lost"):
        check_certificate(program, certificate, lambda: None)
    assert broken(program, certificate).startswith(NO_IMAGE)
