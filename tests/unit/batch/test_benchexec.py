"""The tool-info module that BenchExec loads."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CONTRIB = Path(__file__).parents[3] / "contrib"
OUTPUT = ["  ✗ UNSAFE  races  race", "UNSAFE"]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("benchexec")
    monkeypatch.syspath_prepend(str(CONTRIB))
    return importlib.import_module("for_benchexec.threadwise").Tool()


def test_how_the_tool_is_called(tool: Any) -> None:
    task = SimpleNamespace(
        property_file="no-data-race.prp",
        input_files=["a.i", "b.i"],
        options={"language": "C", "data_model": "ILP32"},
    )
    command = tool.cmdline("tw", ["--engine", "auto"], task, SimpleNamespace(walltime=60))
    expected = "tw check --engine auto --property no-data-race.prp --data-model ILP32"
    assert command == [*expected.split(), "--time-limit", "60", "a.i", "b.i"]


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (0, [], "true"),
        (1, OUTPUT, "false(no-data-race)"),
        (1, ["UNSAFE  assertions"], "false(unreach-call)"),
        (2, [], "ERROR (rejected)"),
        (3, [], "unknown"),
        (70, [], "ERROR (internal)"),
    ],
)
def test_what_its_answers_mean(tool: Any, code: int, output: list[str], expected: str) -> None:
    run = SimpleNamespace(exit_code=SimpleNamespace(value=code), output=output)
    assert tool.determine_result(run) == expected
