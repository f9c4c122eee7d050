"""Faults in the trusted base: they are drawn alike, and tests notice one."""

from __future__ import annotations

from benchmarks.faults import base


def test_faults_come_from_all_folders() -> None:
    found = base.drawn(150, "")
    assert len({fault.name for fault in found}) == 150
    for folder in base.FOLDERS:
        assert any(fault.module.startswith(folder) for fault in found), folder
    assert found == base.drawn(150, "")


def test_tests_are_at_the_same_path() -> None:
    paths = base.tests_of("threadwise/semantics/step.py")
    assert paths == ["tests/unit/semantics/test_step.py", "tests/unit/semantics"]
