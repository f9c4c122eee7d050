"""Races of accesses by a step that fails, where one thread stands for all that are created.

Proofs that follow one thread leave out failures of the others: the thread that is followed is the
one that fails. For a race it may have to be another one, and then the access was lost with the
failure: `races` was proved of programs in which the only race is with an assertion that fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.follow.check import check_follow_all
from threadwise.semantics.oracle import explore
from threadwise.transforms.follow import follow_all, suggested

STARTED = "thread main { spawn w(0); spawn w(1); }"
NEIGHBOUR = (
    "int[0..7] a[3]; "
    "thread w(int[0..1] i) { if (i == 0) { assert(a[i + 1] == 7); } else { a[i] = 1; } } "
    f"{STARTED}"
)
ATOMIC = (
    "int[0..7] x; "
    "thread w(int[0..1] i) { if (i == 0) { atomic { assert(x == 7); } } else { x = 1; } } "
    f"{STARTED}"
)
BY_ANOTHER = (
    "int[0..7] a[3]; thread w(int[0..1] i) { if (i == 1) { a[i] = 1; } } "
    f"thread s {{ assert(a[2] + a[1] == 7); }} {STARTED}"
)
SECOND = (
    "int[0..7] a[3]; "
    "thread w(int[0..1] i) { if (i == 0) { assert(a[2] + a[1] == 7); } else { a[i] = 1; } } "
    f"{STARTED}"
)
RACY = [NEIGHBOUR, ATOMIC, BY_ANOTHER, SECOND]
NAMES = ["neighbour", "atomic", "by another template", "a second element"]


def claims(program: Program, *, assertions: bool) -> list[Property]:
    """That there is no race, and that no assertion fails."""
    kinds = RaceProperty | FailureProperty if assertions else RaceProperty
    return [checked for checked in program.properties if isinstance(checked, kinds)]


def verify(program: Program, claimed: Sequence[Property]) -> None:
    """Raises Refuted unless the program that follows a thread has the violations."""
    followings = (suggested(program, "w", claiming=True),)
    followed = follow_all(program, followings)
    check_follow_all(program, followings, followed.stages, followed.program, claimed, lambda: None)


@pytest.mark.parametrize("text", RACY, ids=NAMES)
def test_the_access_is_half_of_a_race(text: str) -> None:
    program = model(text)
    races = claims(program, assertions=False)
    assert explore(program, races, 3).violated == {races[0].name}


@pytest.mark.parametrize("text", RACY, ids=NAMES)
def test_races_alone_are_refused(text: str) -> None:
    program = model(text)
    with pytest.raises(Refuted, match="is lost"):
        verify(program, claims(program, assertions=False))


@pytest.mark.parametrize("text", RACY, ids=NAMES)
def test_races_are_accepted_together_with_the_assertions(text: str) -> None:
    program = model(text)
    verify(program, claims(program, assertions=True))


def test_races_alone_are_accepted_if_what_fails_accesses_nothing() -> None:
    program = model(NEIGHBOUR.replace("a[i + 1] == 7", "i == 0"))
    verify(program, claims(program, assertions=False))
