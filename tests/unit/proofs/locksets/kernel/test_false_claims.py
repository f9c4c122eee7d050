"""Claims that are false, or that no rule shows: the kernel refuses each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.unit.proofs.locksets.kernel.pairs_of_programs import (
    EXAMPLES,
    GLOBALS,
    LOCK,
    UNLOCK,
    two,
)
from tests.unit.proofs.locksets.kernel.proving import (
    claims_of,
    everything,
    mutexes,
    nothing,
    program_of,
    undecided,
)
from threadwise.ir.expr import Binary, BinaryOp, Read, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import LocId, Program
from threadwise.ir.types import POINTER
from threadwise.proofs.locksets.kernel.check import Kernel
from threadwise.proofs.locksets.kernel.claims import (
    Case,
    Cell,
    Claim,
    Claims,
    Count,
    Entered,
    Fact,
    Handle,
    Holds,
    Over,
    Owns,
    Refused,
)
from threadwise.proofs.locksets.kernel.names import is_own
from threadwise.proofs.locksets.kernel.points_to import written
from threadwise.proofs.locksets.kernel.weaken import Weakening

LOCKED = two(f"{LOCK} x++; {UNLOCK}", after="x++;")
PUBLISHED = two(
    f"int *q = malloc(4); if (!q) return 0; *q = 1; {LOCK} g = q; y += h == q; {UNLOCK}",
    head="int *g, *h;\n",
)
Change = Callable[[Program, Claims], Iterator[Claims]]


def with_claim(claims: Claims, location: LocId, claim: Claim) -> Claims:
    """The same claims, and one more in all cases of a location."""
    cases = tuple(case | {claim} for case in claims.cases[location])
    return replace(claims, cases={**claims.cases, location: cases})


def reached(claims: Claims, program: Program) -> list[LocId]:
    """The locations that the proof is about, and that have edges."""
    return [location for location in claims.cases if program.outgoing[location]]


def lock_not_held(program: Program, claims: Claims) -> Iterator[Claims]:
    for location in reached(claims, program):
        for mutex in mutexes(program):
            if not any(Holds(mutex) in case for case in claims.cases[location]):
                yield with_claim(claims, location, Holds(mutex))


def lock_not_entered(program: Program, claims: Claims) -> Iterator[Claims]:
    for location in reached(claims, program):
        for mutex in mutexes(program):
            if not any(Entered(mutex) in case for case in claims.cases[location]):
                yield with_claim(claims, location, Entered(mutex))


def other_count(program: Program, claims: Claims) -> Iterator[Claims]:
    for location, cases in claims.cases.items():
        for count in [c for case in cases for c in case if isinstance(c, Count)]:
            fewer: tuple[Case, ...] = tuple(case - {count} for case in cases)
            weaker = replace(claims, cases={**claims.cases, location: fewer})
            yield with_claim(weaker, location, Count(count.edge, count.times + 1))


def over_before_join(program: Program, claims: Claims) -> Iterator[Claims]:
    spawned = {c for cases in claims.cases.values() for case in cases for c in case}
    for handle in [c for c in spawned if isinstance(c, Handle)]:
        for location, cases in claims.cases.items():
            over = Over(handle.edge, handle.time)
            if any(handle in case and over not in case for case in cases):
                yield with_claim(claims, location, over)


def points_to_less(program: Program, claims: Claims) -> Iterator[Claims]:
    for cell, led in claims.memory.items():
        for target in led:
            yield replace(claims, memory={**claims.memory, cell: led - {target}})


def location_left_out(program: Program, claims: Claims) -> Iterator[Claims]:
    for location in claims.cases:
        rest = {at: cases for at, cases in claims.cases.items() if at != location}
        yield replace(claims, cases=rest)


def owned_after_publishing(program: Program, claims: Claims) -> Iterator[Claims]:
    for edge in program.edges:
        for place, value in written(edge.action):
            if place.type == POINTER and not is_own(place) and isinstance(value, Read):
                yield with_claim(claims, edge.target, Owns(value))


def value_of_a_variable(program: Program, claims: Claims) -> Iterator[Claims]:
    for declaration in program.globals:
        if declaration.variable.name == "x":
            equal = Binary(BinaryOp.EQ, Read(VariablePlace(declaration.variable)), number(0))
            yield from (with_claim(claims, at, Fact(equal)) for at in reached(claims, program))


def all_frozen(program: Program, claims: Claims) -> Iterator[Claims]:
    for name in ("x", "g"):
        if any(d.variable.name == name for d in program.globals):
            yield replace(claims, frozen=claims.frozen | {Cell(name, 0)})


def other_constants(program: Program, claims: Claims) -> Iterator[Claims]:
    yield replace(claims, constants={**claims.constants, Cell("x", 0): frozenset({0})})


def two_alone(program: Program, claims: Claims) -> Iterator[Claims]:
    pools = frozenset(template.name for template in program.templates if template.pool)
    yield replace(claims, alone=pools)


CHANGES: list[tuple[Change, str]] = [
    (lock_not_held, LOCKED),
    (lock_not_entered, LOCKED),
    (other_count, LOCKED),
    (over_before_join, LOCKED),
    (points_to_less, PUBLISHED),
    (location_left_out, LOCKED),
    (location_left_out, PUBLISHED),
    (owned_after_publishing, PUBLISHED),
    (value_of_a_variable, LOCKED),
    (all_frozen, LOCKED),
    (all_frozen, PUBLISHED),
    (other_constants, LOCKED),
    (two_alone, LOCKED),
]


@pytest.mark.parametrize(("change", "text"), CHANGES)
def test_false_claims_are_refused(change: Change, text: str) -> None:
    program = program_of(text)
    claims = claims_of(program)
    assert undecided(program, claims) == set()
    forged = list(change(program, claims))
    assert forged
    for each in forged:
        with pytest.raises(Refused):
            Kernel(program, each, nothing).check()


def test_a_mutex_that_is_taken_away_is_spoilt() -> None:
    text = two(f"{LOCK} x++; {UNLOCK}", meanwhile="m = n;")
    program = program_of(text)
    claims = claims_of(program)
    assert claims.spoilt
    with pytest.raises(Refused, match="writes what others rely on"):
        Kernel(program, replace(claims, spoilt=frozenset()), nothing).check()


RACY = [(name, n) for name, example in EXAMPLES.items() for n in range(len(example.racy))]


@pytest.mark.parametrize(("name", "count"), RACY)
def test_whatever_is_claimed_no_race_is_settled(name: str, count: int) -> None:
    """What is left of too many claims is inductive, so it proves no program with a race."""
    program = program_of(EXAMPLES[name].racy[count])
    with suppress(Refused):
        assert undecided(program, Weakening(program, everything(program), nothing).run())


@pytest.mark.parametrize("surely", ["*g = 1; x++;", "int *q = 0; *q = 1; x++;", "x++; *g = 2;"])
def test_nothing_is_proved_behind_what_has_no_meaning(surely: str) -> None:
    """Whatever the certificate says of the place: what the kernel itself knows there counts."""
    program = program_of(two(surely, head="int *g;\n"))
    with pytest.raises(Refused, match="nothing but undefined behaviour"):
        Kernel(program, Weakening(program, everything(program), nothing).run(), nothing).check()


def test_programs_with_calls_are_refused() -> None:
    text = GLOBALS + (
        "int down(int n) { return n ? down(n - 1) : 0; }\n"
        "void *f(void *v) { return 0; }\n"
        "int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); return down(x); }"
    )
    with pytest.raises(Refused, match="a call"):
        claims_of(program_of(text))
