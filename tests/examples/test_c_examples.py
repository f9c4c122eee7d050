"""The examples in C have the verdicts that they say they have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.examples.annotations import C_FILES, Case, read_cases
from tests.examples.running_c import check_case
from tests.tools import needs
from threadwise.results.verdict import Verdict

CASES = [case for path in C_FILES for case in read_cases(path)]
FEW = [case for case in CASES if case.path.stem.removesuffix("_bug") in {
    "abba", "broadcast_gate", "c11_threads", "cas_spinlock", "heap_nodes", "trylock",
}]  # fmt: skip


def test_there_are_many_in_pairs() -> None:
    names = {path.stem for path in C_FILES}
    assert len(names) >= 60
    for name in names:
        partner = name.removesuffix("_bug") if name.endswith("_bug") else f"{name}_bug"
        assert partner in names


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bugs_are_bugs(case: Case) -> None:
    broken = case.path.stem.endswith("_bug")
    assert broken == (Verdict.UNSAFE in case.verdicts.values())


@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_few(case: Case) -> None:
    assert check_case(case) == case.verdicts


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_all(case: Case) -> None:
    assert check_case(case) == case.verdicts


@pytest.mark.slow
@needs("gcc")
@pytest.mark.parametrize("path", C_FILES, ids=lambda path: path.name)
def test_a_compiler_accepts_them(path: Path) -> None:
    options = ["-fsyntax-only", "-Wall", "-Wno-unused", "-Werror", "-std=gnu17"]
    done = subprocess.run(
        ["gcc", *options, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
