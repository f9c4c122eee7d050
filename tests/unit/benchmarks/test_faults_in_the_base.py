"""Faults in the trusted base: they are drawn alike, and tests notice one."""

from __future__ import annotations

from pathlib import Path

from benchmarks.faults import base
from benchmarks.faults.mutations import faults_of
from benchmarks.faults.reaching import reaching


def test_faults_come_from_all_folders() -> None:
    found = base.drawn(150, "")
    assert len({fault.name for fault in found}) == 150
    for folder in base.FOLDERS:
        assert any(fault.module.startswith(folder) for fault in found), folder
    assert found == base.drawn(150, "")


def test_tests_that_reach_a_line(tmp_path: Path) -> None:
    """Found in one run, the quickest first; a fault in such a line fails, others are unreached."""
    module = "threadwise/ir/fold.py"
    tests = ["tests/unit/ir/test_fold.py"]
    found = reaching(tmp_path / "tests.json", [module], tests)
    assert found == reaching(tmp_path / "tests.json", [module], tests), "measured once"
    reached = {int(line) for line, names in found.lines[module].items() if names}
    fault = next(f for f in faults_of(module) if f.line in reached and f.kind == "negated guard")
    asked = found.tests(module, fault.line)
    assert [found.seconds[name] for name in asked] == sorted(found.seconds[n] for n in asked)
    assert base.outcome(fault, asked, 60) == "fails"
    assert base.outcome(fault, [], 60) == "unreached"
