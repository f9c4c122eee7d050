"""Steps that end runs may be left out for races; what else changes is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.transformed.forging import with_edge
from tests.unit.semantics.running import model
from threadwise.ir.commands import Command
from threadwise.ir.expr import FALSE
from threadwise.ir.program import Edge, Failure, FailureKind, Location, Program
from threadwise.ir.properties import Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.presumed import assumes, check_presumed
from threadwise.transforms.presume import presume

TEXT = """
mutex m; int[0..3] x; int[0..3] y;
thread t[2] { acquire(m); assert(y == 0); x = 1; release(m); }
"""


def about(*names: str) -> tuple[Property, ...]:
    return (RaceProperty("races", names),)


def part(text: str, *names: str) -> Program:
    return replace(model(text), properties=about(*names))


def failing(program: Program) -> list[Edge]:
    return [e for e in program.edges if program.locations[e.target].failure is not None]


def with_kind(program: Program, kind: FailureKind) -> Program:
    def changed(here: Location) -> Location:
        return here if here.failure is None else replace(here, failure=Failure(kind, "", "end"))

    procedures = tuple(
        replace(p, locations=tuple(map(changed, p.locations))) for p in program.procedures
    )
    return replace(program, procedures=procedures)


def test_failures_are_left_out() -> None:
    before = part(TEXT, "x")
    after = presume(before)
    assert failing(before)
    assert all(edge.action == Command(FALSE) for edge in failing(after))
    check_presumed(before, after, before.properties)
    assert not assumes(before, after)


def test_undefined_behaviour_is_assumed_not_to_happen() -> None:
    before = with_kind(part(TEXT, "x"), FailureKind.MEMORY)
    after = presume(before)
    check_presumed(before, after, before.properties)
    assert assumes(before, after)


def test_a_limit_is_not_left_out() -> None:
    before = with_kind(part(TEXT, "x"), FailureKind.LIMIT)
    assert presume(before) is before
    forged = with_edge(before, failing(before)[0].id, action=Command(FALSE))
    with pytest.raises(Refuted, match="does something else"):
        check_presumed(before, forged, before.properties)


def test_a_step_that_races_although_it_fails_is_kept() -> None:
    before = part(TEXT, "y")
    asserting = next(e for e in failing(before) if "assert" in e.text)
    assert presume(before).edges[asserting.id] == asserting
    forged = with_edge(before, asserting.id, action=Command(FALSE))
    with pytest.raises(Refuted, match="may race"):
        check_presumed(before, forged, before.properties)


def test_so_is_one_that_races_earlier_in_an_atomic_region() -> None:
    text = (
        "int[0..3] x; int[0..3] y; thread t[2] { int[0..3] r; atomic { r = y; assert(x == 0); } }"
    )
    before = part(text, "y")
    forged = with_edge(before, failing(before)[0].id, action=Command(FALSE))
    with pytest.raises(Refuted, match="may race"):
        check_presumed(before, forged, before.properties)
    assert all(edge.action != Command(FALSE) for edge in failing(presume(before)))


def test_what_certainly_is_undefined_is_not_left_out() -> None:
    before = with_kind(
        part("int[0..3] x; thread t[2] { assert(false); x = 1; }", "x"), FailureKind.MEMORY
    )
    ends = failing(before)
    others = [e for e in before.outgoing[ends[0].source] if e not in ends]
    forged = before
    for edge in others:  # so that nothing leads on
        forged = with_edge(forged, edge.id, target=ends[0].target)
    after = with_edge(forged, ends[0].id, action=Command(FALSE))
    with pytest.raises(Refuted, match="the only one"):
        check_presumed(forged, after, forged.properties)
    assert all(e.action != Command(FALSE) for e in failing(presume(forged)))


def test_another_edge_may_not_be_left_out() -> None:
    before = part(TEXT, "x")
    plain = next(e for e in before.edges if e not in failing(before))
    forged = with_edge(presume(before), plain.id, action=Command(FALSE))
    with pytest.raises(Refuted, match="does something else"):
        check_presumed(before, forged, before.properties)
