"""Whatever is claimed of lists and their locks: no claim proves a program that has a race."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, permutations, product

import pytest

from benchmarks.faults import lists
from tests.unit.engines.locksets.test_resources import watched
from tests.unit.frontends.c.checking import loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import MutexType, RecordType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.accesses import Accesses
from threadwise.proofs.locksets.certificate import NAME, Key, LocksetCertificate
from threadwise.proofs.locksets.check import LocksetChecker
from threadwise.proofs.locksets.memory.cells import UNKNOWN, Target, is_site
from threadwise.proofs.locksets.resources.claims import Owned, Resources, Shape, Unit
from threadwise.proofs.locksets.resources.effects import Spoilt
from threadwise.proofs.locksets.resources.look import Look

TEXTS = dict(lists.texts())
LISTS = ("head", "tail", "spare")
LINKS = (1, 2)
"""The members of a node that are pointers."""


def certificate_of(program: Program) -> LocksetCertificate:
    """What `locksets` knows, with the race property in part and nothing said of lists."""
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for finding in LocksetEngine().run(Task(program, races)):
        certificate = getattr(finding, "certificate", None)
        if isinstance(certificate, LocksetCertificate):
            names = tuple(checked.name for checked in races)
            return replace(certificate, properties=(), partial=names, resources=None)
    raise AssertionError("nothing is proved in part")


def ways_to_locks(program: Program) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The variables with mutexes, and how these are found there."""
    for declaration in program.globals:
        held = declaration.variable.type
        if isinstance(held, MutexType):
            yield declaration.variable.name, ()
        elif isinstance(held, RecordType):
            for field, part in held.fields:
                if isinstance(part, MutexType):
                    yield declaration.variable.name, (field,)


def claims_about(checker: LocksetChecker) -> Iterator[Resources]:
    """All claims: any sites, any slots with one lock, at most one list with a tail."""
    types = checker.memory.objects.types
    sites = [site for site in types if is_site(site) and site != UNKNOWN]
    heads = [name for name in LISTS if name in types]
    for (lock, way), chosen in product(ways_to_locks(checker.program), _some(sites, 1)):
        key = {name: Key(NAME, name, (), lock, way) for name in heads}
        for names in _some(heads, 0):
            slots = {Target(name, 0): key[name] for name in names}
            yield Resources(frozenset(chosen), slots)
            for (a, b), shape, link in product(permutations(names, 2), Shape, LINKS):
                tail = Unit(key[a], key[b], shape, link)
                yield Resources(frozenset(chosen), slots, frozenset({tail}))


def _some(names: list[str], least: int) -> Iterator[tuple[str, ...]]:
    counts = range(least, len(names) + 1)
    return chain.from_iterable(combinations(names, count) for count in counts)


def proving(text: str) -> tuple[int, list[Resources]]:
    """How many claims there are, and those that prove a program free of races."""
    program = loaded(text).program
    checker = LocksetChecker(program, certificate_of(program), lambda: None)
    checker.run()
    (race,) = (p for p in program.properties if isinstance(p, RaceProperty))
    found: list[Resources] = []
    claims = list(claims_about(checker))
    for claim in claims:
        look = Look(checker.steps, checker.claims.knowledge, claim, lambda: None)
        try:
            look.run()
        except Spoilt:
            continue
        checker.look, checker.accesses = look, Accesses(checker.steps, look)
        checker.__dict__.pop("all_accesses", None)
        if all(rule is not None for *_, rule in checker.pairs(race)):
            found.append(claim)
    return len(claims), found


@pytest.mark.parametrize("name", ["lists/popped.c", "lists/tailed.c", "lists/read.c"])
def test_some_claim_proves_the_right_program(name: str) -> None:
    _, found = proving(TEXTS[name])
    assert found


WRONG = [name for name in TEXTS if name.endswith("_wrong.c")]


@pytest.mark.parametrize(
    "name",
    [n if k % 4 == 0 else pytest.param(n, marks=pytest.mark.slow) for k, n in enumerate(WRONG)],
)
def test_no_claim_proves_a_wrong_program(name: str) -> None:
    count, found = proving(TEXTS[name])
    assert count > 1
    assert not found


# -- runs ----------------------------------------------------------------------------------------

GIVEN = "lists/given_wrong.c"


def claimed_of_heads(program: Program, certificate: LocksetCertificate) -> Resources:
    """That what `head` leads to belongs to its lock; all edges access what is taken."""
    checker = LocksetChecker(program, certificate, lambda: None)
    claims = claims_about(checker)
    claim = next(claim for claim in claims if Target("head", 0) in claim.slots)
    return replace(claim, taken=frozenset(edge.id for edge in program.edges))


def test_runs_notice_what_is_used_after_it_was_given() -> None:
    program = loaded(TEXTS[GIVEN]).program
    certificate = certificate_of(program)
    claim = claimed_of_heads(program, certificate)
    watched(program, replace(certificate, resources=replace(claim, taken=frozenset())))
    with pytest.raises(Broken, match="container of a free lock"):
        watched(program, replace(certificate, resources=claim))


def with_owned(program: Program, certificate: LocksetCertificate, told: Owned) -> Resources:
    """The claim about heads, and that `f` owns what some variables point to, wherever it is."""
    claim = replace(claimed_of_heads(program, certificate), taken=frozenset())
    every = {
        (here, n): told
        for here, cases in certificate.knowledge.items()
        for n in range(len(cases))
        if program.procedure_of[here].name == "f"
    }
    assert every
    return replace(claim, owned=every)


@pytest.mark.parametrize(
    ("name", "told", "broken"),
    [
        ("given_wrong", Owned(("l",)), "in a container of a free lock"),
        ("swapped_wrong", Owned(("o",)), "in a container of a free lock"),
        ("popped", Owned(("o",)), "was freed"),
        ("walked", Owned(("o",)), None),
        ("read", Owned((), ("o",)), None),
        ("read", Owned(("o",)), "in a container of a free lock"),
    ],
)
def test_runs_notice_who_does_not_own_what_is_said(
    name: str, told: Owned, broken: str | None
) -> None:
    program = loaded(TEXTS[f"lists/{name}.c"]).program
    certificate = certificate_of(program)
    claim = with_owned(program, certificate, told)
    if broken is None:
        assert watched(program, replace(certificate, resources=claim))["owned"]
        return
    with pytest.raises(Broken, match=broken):
        watched(program, replace(certificate, resources=claim), runs=40)


def test_runs_notice_who_is_where_nobody_comes() -> None:
    program = loaded(TEXTS["lists/popped.c"]).program
    certificate = certificate_of(program)
    claim = claimed_of_heads(program, certificate)
    every = ((here, n) for here, each in certificate.knowledge.items() for n in range(len(each)))
    forged = replace(claim, taken=frozenset(), unreached=frozenset(every))
    with pytest.raises(Broken, match="somebody comes"):
        watched(program, replace(certificate, resources=forged))


def test_what_follows_from_a_claim_must_be_told() -> None:
    program = loaded(TEXTS["lists/popped.c"]).program
    certificate = next(
        finding.certificate
        for finding in LocksetEngine().run(Task(program, program.properties))
        if isinstance(finding, Proved) and isinstance(finding.certificate, LocksetCertificate)
    )
    assert certificate.resources is not None
    assert certificate.resources.taken
    assert certificate.resources.owned
    for told, why in (
        (replace(certificate.resources, taken=frozenset()), "who has what"),
        (replace(certificate.resources, owned={}), "own something else"),
    ):
        with pytest.raises(Refuted, match=why):
            LocksetChecker(program, replace(certificate, resources=told), lambda: None).run()
