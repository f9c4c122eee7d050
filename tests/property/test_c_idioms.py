"""Programs drawn out of idioms: those with a race are not proved, the others load."""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved
from tests.property.c_idioms import IDIOMS, generate


def test_every_idiom_has_a_wrong_form() -> None:
    assert all(idiom.faults for idiom in IDIOMS)


def test_half_of_the_programs_are_wrong() -> None:
    broken = [generate(seed).broken for seed in range(200)]
    assert 80 <= sum(each is not None for each in broken) <= 120
    assert {idiom.name for idiom in IDIOMS} <= set(broken)


@pytest.mark.parametrize("seed", range(40))
def test_no_race_is_proved_absent(seed: int) -> None:
    made = generate(seed)
    assert not (is_proved(made.text) and made.broken is not None), made.text
