"""A solver in the middle of a query: time limits, Ctrl-C, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from tests.robustness.command_line import COMMAND, environment, threadwise

HARD = """
int x; int y; int z; int w;
thread t {
    havoc x; havoc y; havoc z;
    assume(x > 2 && y > 2 && z > 2);
    assert(x * x * x + y * y * y != z * z * z);
}
thread u { w = 1; assert(w != 1); }
"""
"""The first assertion is beyond any solver, the second fails at once."""


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    (tmp_path / "hard.tw").write_text(HARD)
    return tmp_path


def solving(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "check", "hard.tw", "--engine", "bounded", "--format", "json"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def busy_worker(pid: int) -> psutil.Process:
    """The worker process of a run, once it has been solving for a while."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for worker in psutil.Process(pid).children():
            if worker.cpu_times().user > 3:
                return worker
        time.sleep(0.05)
    raise AssertionError("no worker")


def verdicts(report: str) -> dict[str, str]:
    return {item["name"]: item["verdict"] for item in json.loads(report)["properties"]}


def test_interrupted_in_a_query(hard: Path) -> None:
    with solving(hard) as running:
        worker = busy_worker(running.pid)
        os.kill(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=30)
    found = verdicts(out)
    assert found["assert:8"] == "UNSAFE", err
    assert found["assert:6"] == "UNKNOWN"
    assert "Traceback" not in err
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


def test_time_limit_in_a_query(hard: Path) -> None:
    arguments = ["--engine", "bounded", "--time-limit", "6", "--format", "json"]
    outcome = threadwise("check", "hard.tw", *arguments, cwd=hard)
    found = verdicts(outcome.out)
    assert found["assert:8"] == "UNSAFE"
    assert found["assert:6"] == "UNKNOWN"
    assert "time limit of 6 s reached" in outcome.out
