"""Small daemons and drivers with one realistic bug each: runs find it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.annotations import FOLDER, read_annotations
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.results.verdict import Verdict

BUGS = sorted((FOLDER / "c_bugs").glob("*.c"))
EVERYDAY = ("second_unlock", "unlocked_too_early", "wrong_mutex")


def found(path: Path, options: CheckOptions) -> dict[str, Verdict]:
    return {each.name: each.verdict for each in check_file(str(path), options).properties}


def bug(path: Path) -> str:
    """What is violated."""
    (name,) = read_annotations(path).verdicts
    return name


def violated(path: Path, options: CheckOptions) -> bool:
    return Verdict.UNSAFE in found(path, options).values()


def test_each_has_one_bug() -> None:
    assert len(BUGS) == 8
    for path in BUGS:
        assert set(read_annotations(path).verdicts.values()) == {Verdict.UNSAFE}


@pytest.mark.parametrize("path", [path for path in BUGS if path.stem in EVERYDAY])
def test_everyday(path: Path) -> None:
    options = CheckOptions((bug(path),), "walks", budget=Budget(steps=5_000))
    assert violated(path, options)


@pytest.mark.slow
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in BUGS])
def test_the_default_finds_it(path: Path) -> None:
    assert violated(path, CheckOptions((bug(path),), budget=Budget(time_s=60.0)))
