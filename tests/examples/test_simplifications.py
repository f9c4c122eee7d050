"""Every simplification of the C examples is accepted: none is left out for want of an argument."""

from __future__ import annotations

import pytest

from tests.examples.annotations import FOLDER
from threadwise.driver.loading import load_input

FILES = sorted((*(FOLDER / "c").glob("*.c"), *(FOLDER / "c_races").glob("*.c")))
FEW = FILES[::7]


def accepted(name: str) -> bool:
    simpler = load_input(str(FOLDER / name)).simpler
    assert simpler is not None
    return not simpler.refused


@pytest.mark.parametrize("name", [str(path.relative_to(FOLDER)) for path in FEW])
def test_simplifications_are_accepted(name: str) -> None:
    assert accepted(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [str(path.relative_to(FOLDER)) for path in FILES])
def test_all_simplifications_are_accepted(name: str) -> None:
    assert accepted(name)
