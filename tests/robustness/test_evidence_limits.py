"""Limits hold while large files of evidence are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.robustness.command_line import threadwise

MODEL = "int[0..9] x; thread t { x = 1; assert(x == 1); }\n"
HEADER = {
    "format": "threadwise-certificate",
    "format_version": 2,
    "kind": "state-set",
    "program_hash": "0",
    "load": {"defines": {}, "threads": {}, "max_threads": 8},
    "properties": ["assert:1"],
    "tables": {"globals": 10**9, "threads": 0, "states": 0},
    "shapes": {},
}
FILES = pytest.mark.parametrize(
    ("command", "file"), [("certify", "proof.json"), ("replay", "trace.json")]
)
ROWS = json.dumps({"table": "globals", "rows": [[[number, [], []] for number in range(300)]] * 30})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program, a certificate and a trace, each of many megabytes."""
    found = tmp_path_factory.mktemp("large")
    (found / "a.tw").write_text(MODEL, encoding="utf-8")
    lines = [json.dumps(HEADER), *[ROWS] * 160]
    (found / "proof.json").write_text("\n".join(lines), encoding="utf-8")
    steps = ",".join(["[" + "[0,[1,2]]," * 200 + "0]"] * 8000)
    trace = '{"format": "threadwise-trace", "format_version": 2, "steps": [' + steps + "]}"
    (found / "trace.json").write_text(trace, encoding="utf-8")
    return found


@FILES
def test_memory_limit(folder: Path, command: str, file: str) -> None:
    outcome = threadwise(command, "a.tw", file, "--memory-limit", "100MB", cwd=folder)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "memory limit of 100 MB reached\n"


@FILES
def test_time_limit(folder: Path, command: str, file: str) -> None:
    outcome = threadwise(command, "a.tw", file, "--time-limit", "50ms", cwd=folder)
    assert (outcome.code, outcome.err) == (3, "time limit of 0.05 s reached\n")
