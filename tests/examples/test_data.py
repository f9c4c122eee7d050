"""Programs over data without bound, for any number of threads: what `tar` makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.annotations import DATA, read_annotations
from tests.tar_runs import Run, run_tar
from threadwise.driver.loading import load_simplified
from threadwise.driver.selection import select_properties
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.results.verdict import Verdict

FILES = sorted(DATA.glob("*.tw"))
NAMES = [path.stem for path in FILES]
SAMPLE = ("clock", "counter_bounds", "counter_old", "counter_old_bug", "flag_handover", "leader")
STEPS = 1_500_000
LEAST = 0.8
"""How many of the programs have to be decided."""


def verdict(run: Run, names: set[str]) -> Verdict:
    """The verdict for some properties together."""
    if names & run.unsafe:
        return Verdict.UNSAFE
    return Verdict.SAFE if names <= run.safe else Verdict.UNKNOWN


def judge(path: Path) -> bool:
    """Whether every annotated property is decided; a wrong answer is an error."""
    program = load_simplified(str(path))
    expected = read_annotations(path).verdicts
    run = run_tar(TarEngine(), program, list(expected), STEPS)
    decided = True
    for selector, wanted in expected.items():
        names = {p.name for p in select_properties(program, [selector])}
        found = verdict(run, names)
        assert found in (wanted, Verdict.UNKNOWN), selector
        decided = decided and found is wanted
    return decided


def test_programs_come_in_pairs() -> None:
    assert len(FILES) >= 50
    safe = {name for name in NAMES if not name.endswith("_bug")}
    assert {f"{name}_bug" for name in safe} == set(NAMES) - safe
    for path in FILES:
        verdicts = set(read_annotations(path).verdicts.values())
        assert (Verdict.UNSAFE in verdicts) == path.stem.endswith("_bug"), path


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name: str) -> None:
    assert judge(DATA / f"{name}.tw")


@pytest.mark.slow
def test_most_programs_are_decided_and_none_wrongly() -> None:
    decided = [path.stem for path in FILES if judge(path)]
    assert len(decided) >= LEAST * len(FILES), sorted(set(NAMES) - set(decided))
