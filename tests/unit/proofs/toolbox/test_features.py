"""Every kind of certificate against every feature of programs: treated, or refused by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module

import pytest

from tests.unit.proofs.toolbox.feature_programs import pair
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import PropertyKind
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import KINDS, check_certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.divided.certificate import DividedCertificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.lock_order.certificate import LockOrderCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.toolbox.features import Feature, has
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transformed.certificate import (
    Account,
    Follow,
    Forget,
    Parametrise,
    SplitLocations,
    Tally,
    TransformedCertificate,
)

NONE: frozenset[str] = frozenset()


def empty(kind: str, program: Program) -> Certificate:
    """A certificate that says nothing, but claims everything."""
    about = program_hash(program), tuple(p.name for p in program.properties)
    tables = ThreadModularCertificate(*about, (), (), ())
    formulas = RepresentativesCertificate(*about, 1, ())
    certificates: dict[str, Certificate] = {
        "state_set": StateSetCertificate(*about, ()),
        "persistent": PersistentCertificate(*about, (), (), ()),
        "locksets": LocksetCertificate(
            *about, (), {}, {}, NONE, NONE, frozenset(), frozenset(), {}, {}
        ),
        "lock_order": LockOrderCertificate(*about, {}, (), ()),
        "divided": DividedCertificate(*about, ()),
        "forgetting": TransformedCertificate(*about, (Forget(()),), tables),
        "following": TransformedCertificate(*about, (Follow(()),), formulas),
        "parametric": TransformedCertificate(*about, (Parametrise(),), formulas),
        "splitting": TransformedCertificate(*about, (SplitLocations(),), formulas),
        "tallies": TransformedCertificate(*about, (Tally(),), formulas),
        "accounts": TransformedCertificate(*about, (Account(), Parametrise()), formulas),
        "thread_modular": tables,
        "pushdown": PushdownCertificate(*about, (), (), (), (), ()),
        "frontier": FrontierCertificate(*about, (), ()),
        "symmetric": SymmetricCertificate(*about, {}, (), (), (), ()),
        "reduction": ReductionCertificate(*about, tables, (), (), (), ()),
        "summaries": SummaryCertificate(*about, tables, (), (), (), (), ()),
        "counting": CountingCertificate(*about, ()),
        "interleavings": InterleavingsCertificate(*about, ()),
        "representatives": formulas,
        "formulas": FormulaCertificate(*about, (), (), (), (), ()),
    }
    return certificates[kind]


REFUSED = {
    "state_set": {Feature.ANY_NUMBER},
    "persistent": {Feature.ANY_NUMBER},
    "locksets": set(),
    "lock_order": set(),
    "divided": {Feature.HEAP, Feature.POINTERS},
    "forgetting": set(),
    "following": set(),
    "parametric": set(),
    "splitting": set(),
    "tallies": set(),
    "accounts": set(),
    "thread_modular": {Feature.ANY_NUMBER, Feature.CALLS, Feature.HEAP},
    "pushdown": {Feature.ANY_NUMBER, Feature.HEAP},
    "frontier": {Feature.ANY_NUMBER, Feature.CALLS, Feature.HEAP},
    "symmetric": {Feature.HEAP, Feature.POINTERS},
    "reduction": {Feature.ANY_NUMBER, Feature.HEAP, Feature.POINTERS},
    "summaries": {Feature.ANY_NUMBER, Feature.HEAP, Feature.POINTERS},
    "counting": {Feature.HEAP, Feature.POINTERS},
    "interleavings": {Feature.ANY_NUMBER, Feature.HEAP, Feature.POINTERS},
    "representatives": {Feature.HEAP, Feature.POINTERS},
    "formulas": {Feature.ANY_NUMBER, Feature.CALLS, Feature.HEAP, Feature.POINTERS},
}
"""What each kind refuses; where a program is transformed, the inner proof decides."""

CHECKERS = {
    "forgetting": "transformed.check",
    "following": "transformed.check",
    "parametric": "transformed.check",
    "splitting": "transformed.check",
    "tallies": "transformed.check",
    "accounts": "transformed.check",
    "reduction": "transactions.check_reduction",
    "summaries": "transactions.check_summaries",
    "formulas": "inductive.check",
    "locksets": "locksets.kernel_first",
}
"""Where checkers are whose folders have other names."""


@pytest.mark.parametrize("feature", Feature)
def test_programs_have_their_features(feature: Feature) -> None:
    for program in pair(feature):
        validate(program)
        assert has(program, feature)


def test_every_kind_has_a_row() -> None:
    program = pair(Feature.CALLS)[1]
    assert {empty(kind, program).kind for kind in REFUSED} == set(KINDS)


@pytest.mark.parametrize("kind", REFUSED)
def test_checkers_say_what_they_treat(kind: str) -> None:
    module = import_module(f"threadwise.proofs.{CHECKERS.get(kind, f'{kind}.check')}")
    assert set(Feature) - module.TREATS == REFUSED[kind]


@pytest.mark.parametrize("feature", Feature)
@pytest.mark.parametrize("kind", REFUSED)
def test_saying_nothing_proves_nothing(kind: str, feature: Feature) -> None:
    program = pair(feature)[1]
    with pytest.raises(Refuted) as refuted:
        check_certificate(program, empty(kind, program), lambda: None)
    if feature in REFUSED[kind]:
        assert "for a program with" in str(refuted.value)


SLOW = (
    "horn",
    "tar",
    "tar-havoc",
    "tar-a",
    "tar-b",
    "bounded",
    "tmmcir",
    "tmmc",
    "tmmc-printed",
    "local-proof",
)
PROVERS = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name in ENGINES
    if name != "walks"
]


@cache
def proofs(feature: Feature, engine: str) -> tuple[Certificate, ...]:
    """What an engine leaves behind for the assertion of the right program."""
    program = pair(feature)[0]
    wanted = tuple(p for p in program.properties if p.kind is PropertyKind.ASSERTION)
    found: list[Certificate] = []
    for options in (EngineOptions(), EngineOptions(symmetry=False)):
        task = Task(program, wanted, options, Meter(Budget(steps=5000)))
        try:
            findings = list(ENGINES[engine].create().run(task))
        except (Unsupported, BudgetExhausted):
            continue
        found += [finding.certificate for finding in findings if isinstance(finding, Proved)]
    return tuple(found)


@pytest.mark.parametrize("feature", Feature)
@pytest.mark.parametrize("engine", PROVERS)
def test_proofs_are_about_what_is_there(engine: str, feature: Feature) -> None:
    """A proof is valid for its program, and not for the wrong one of the same shape."""
    right, wrong = pair(feature)
    for certificate in proofs(feature, engine):
        check_certificate(right, certificate, lambda: None)
        carried = replace(certificate, program_hash=program_hash(wrong))
        if isinstance(carried, ReductionCertificate | SummaryCertificate) and carried.pairs:
            pairs = replace(carried.pairs, program_hash=program_hash(wrong))
            carried = replace(carried, pairs=pairs)
        with pytest.raises(Refuted):
            check_certificate(wrong, carried, lambda: None)


@pytest.mark.parametrize("feature", Feature)
def test_every_feature_is_proved_by_somebody(feature: Feature) -> None:
    fast = [engine for engine in ENGINES if engine not in (*SLOW, "walks")]
    assert any(proofs(feature, engine) for engine in fast)
