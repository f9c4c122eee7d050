"""Edges that were compared once are known; under other conditions they are compared again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.forgotten import check_forgotten
from threadwise.proofs.transformed.known_edges import KnownEdges
from threadwise.transforms.forget import forget

TEXT = """
    bool data, x, flag;
    thread t[2] { x = data; if (flag) { data = x; } }
"""


def races(*variables: str) -> RaceProperty:
    return RaceProperty("races", variables)


def program(*variables: str) -> Program:
    """The program, with races on some variables as its property."""
    return model(TEXT).with_properties((races(*variables),))


def known(before: Program) -> int:
    return len(KnownEdges.of(before).alike)


def test_slices_with_the_same_edges_are_compared_once() -> None:
    before = program("flag")
    check_forgotten(before, forget(before, ("data", "x")), [races("flag")])
    once = known(before)
    assert once > 0
    other = before.with_properties((races("flag"),))
    check_forgotten(other, forget(other, ("data", "x")), [races("flag")])
    assert known(before) == once


def test_edges_are_compared_again_where_another_variable_is_forgotten() -> None:
    """Any value for `x = data` is right only where `data` is forgotten."""
    before = program("flag")
    after = forget(before, ("data",))
    check_forgotten(before, after, [races("flag")])
    with pytest.raises(Refuted, match="writes something else"):
        check_forgotten(before, replace(after, globals=before.globals), [races("flag")])


def test_edges_are_compared_again_where_another_variable_is_watched() -> None:
    """What is forgotten need not be looked at, unless races on it are claimed to be absent."""
    before = program("flag")
    after = forget(before, ("data",))
    check_forgotten(before, after, [races("flag")])
    claimed = races("data")
    watching = before.with_properties((claimed,))
    with pytest.raises(Refuted, match="edge"):
        check_forgotten(watching, after.with_properties((claimed,)), [claimed])


def test_edges_that_mention_something_else_are_not_remembered() -> None:
    """A place that is only looked at has to be declared, which is another question each time."""
    before = program("flag")
    after = forget(before, ("data", "x"))
    check_forgotten(before, after, [races("flag")])
    without = replace(after, globals=after.globals[:-1])
    with pytest.raises(Refuted, match="more or fewer"):
        check_forgotten(before, without, [races("flag")])
    assert {pair[1].kept for pair in KnownEdges.of(before).alike} <= set(after.edges)
