"""Each rule of the kernel: a program that it proves, and near misses with a race."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.unit.frontends.c.checking import INCLUDES, verdicts
from tests.unit.proofs.locksets.kernel.pairs_of_programs import EXAMPLES
from tests.unit.proofs.locksets.kernel.proving import (
    claims_of,
    program_of,
    rules_used,
    undecided,
)
from threadwise.proofs.locksets.kernel.claims import Refused

RACY = [(name, n) for name, example in EXAMPLES.items() for n in range(len(example.racy))]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_proves_what_it_is_for(name: str) -> None:
    example = EXAMPLES[name]
    program = program_of(example.safe)
    claims = claims_of(program)
    assert undecided(program, claims) == set()
    used = rules_used(program, claims, example.location)
    assert example.rule in used or (not example.rule and used <= {"reads", "sync", "alone"})


@pytest.mark.parametrize(("name", "number"), RACY)
def test_near_misses_are_not_proved(name: str, number: int) -> None:
    program = program_of(EXAMPLES[name].racy[number])
    with suppress(Refused):
        assert undecided(program, claims_of(program))


@pytest.mark.parametrize(("name", "number"), RACY)
def test_near_misses_have_a_race(name: str, number: int) -> None:
    assert verdicts(INCLUDES + EXAMPLES[name].racy[number], "races")["races"] == "UNSAFE"
