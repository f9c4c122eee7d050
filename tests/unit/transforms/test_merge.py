"""Locations that are merged, and those that are not."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.proofs.divided.certificate import part_of
from threadwise.transforms.forget import forget
from threadwise.transforms.merge import Merged, is_idle, merge


def merged(text: str, *lost: str) -> tuple[Program, Merged]:
    before = forget(part_of(model(text), "races", ("x",)), lost)
    after = merge(before)
    validate(after.program)
    return before, after


def test_a_loop_that_does_nothing_is_one_location() -> None:
    before, after = merged(
        """int[0..9] x; int[0..9] y;
        thread t[2] { while (true) { if (y < 3) y = 4; else y = 1; if (y == 0) x = 1; } }""",
        "y",
    )
    there, back = after.program.edges
    assert len(before.locations) > len(after.program.locations) == 2
    assert is_idle(there)
    assert not is_idle(back)
    assert (there.source, there.target) == (back.target, back.source)


def test_edges_are_those_of_the_program_before() -> None:
    before, after = merged(
        "int[0..9] x; int[0..9] y; thread t[2] { y = 1; x = 1; y = 2; x = 2; }", "y"
    )
    for edge, origin in zip(after.program.edges, after.edges, strict=True):
        old = before.edges[origin]
        assert edge.action == old.action
        assert edge.source == after.places[old.source]
        assert edge.target == after.places[old.target]


def test_steps_are_not_cut() -> None:
    _, after = merged(
        "int[0..9] x; int[0..9] y; thread t[2] { atomic { x = 1; y = 1; x = 2; } }", "y"
    )
    atomic = [here.id for here in after.program.locations if here.atomic]
    assert atomic
    writes = [e for e in after.program.edges if not is_idle(e)]
    assert writes[0].target in atomic
    assert writes[1].source in atomic


def test_a_choice_that_does_nothing_is_kept() -> None:
    before, after = merged(
        """int[0..9] x; int[0..9] y;
        thread t[2] { if (y == 1) { x = 1; } else { x = 2; } assert(x < 3); }""",
        "y",
    )
    start = after.places[before.procedures[0].entry]
    assert len(after.program.outgoing[start]) == 2


def test_failures_and_ends_stay_apart() -> None:
    before, after = merged("int[0..9] x; thread t[2] { x = 1; assert(x == 1); x = 2; }")
    for here in before.locations:
        there = after.program.locations[after.places[here.id]]
        assert (there.failure, there.final) == (here.failure, here.final)
