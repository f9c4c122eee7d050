"""Time, memory and crashes: UNKNOWN with what is known by then, never a hang.

Times are only compared with bounds that are generous for a busy machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from tests.robustness.command_line import COMMAND, environment, once_long_enough, threadwise

LARGE = """
int[0..9] a[12];
thread t[6] { while (true) { int[0..11] i; havoc i; a[i] = (a[i] + 1) % 10; } }
invariant never: a[0] <= 9;
"""
PATIENCE_S = 30.0


@pytest.fixture
def large(tmp_path: Path) -> Path:
    (tmp_path / "large.tw").write_text(LARGE)
    return tmp_path


def test_time_limit(large: Path) -> None:
    def states(seconds: float) -> int:
        arguments = ["--engine", "explicit", "--time-limit", str(seconds), "--format", "json"]
        outcome = threadwise("check", "large.tw", *arguments, cwd=large)
        assert outcome.code == 3, outcome
        report = json.loads(outcome.out)
        assert report["verdict"] == "UNKNOWN"
        assert f"time limit of {seconds} s reached" in report["reason"]
        assert outcome.time_s < seconds + PATIENCE_S
        return int(report["statistics"].get("states", 0))

    assert once_long_enough((4, 16, 64), states, lambda found: found > 100) > 100


def test_time_limit_of_all_engines(large: Path) -> None:
    outcome = threadwise(
        "check", "large.tw", "--time-limit", "200ms", "--format", "json", cwd=large
    )
    assert outcome.code == 3, outcome
    assert "time limit of 0.2 s reached" in json.loads(outcome.out)["reason"]
    assert outcome.time_s < PATIENCE_S


@pytest.mark.slow
def test_time_limit_in_words(large: Path) -> None:
    def last_line(seconds: float) -> str:
        limit = f"{int(seconds * 1000)}ms"
        outcome = threadwise(
            "check", "large.tw", "--engine", "explicit", "--time-limit", limit, cwd=large
        )
        assert outcome.code == 3
        line = outcome.out.splitlines()[-1]
        assert line.startswith("UNKNOWN (")
        assert f"time limit of {seconds} s reached" in line
        return line

    assert "states" in once_long_enough(
        (3.5, 14.5, 60.5), last_line, lambda line: "states" in line
    )


def test_memory_limit(tmp_path: Path) -> None:
    wide = "int x; int a[5000]; thread t { while (true) { x = x + 1; } }"
    (tmp_path / "wide.tw").write_text(wide)
    arguments = ["--engine", "explicit", "--memory-limit", "200MB", "--format", "json"]
    outcome = threadwise("check", "wide.tw", *arguments, "--time-limit", "60", cwd=tmp_path)
    assert outcome.code == 3, outcome
    report = json.loads(outcome.out)
    assert "memory limit of 200 MB reached" in report["reason"]
    assert report["statistics"]["states"] > 100
    assert report["statistics"]["peak_memory_bytes"] < 400_000_000


def workers_of(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "check", "large.tw", "--engine", "explicit", *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def busy_worker(pid: int, seconds: float = 0.5) -> psutil.Process:
    """The worker process of a run, once it has been at work for so long."""
    deadline = time.monotonic() + 30 + 4 * seconds
    while time.monotonic() < deadline:
        for worker in workers_of(pid):
            if worker.cpu_times().user > seconds:
                return worker
        time.sleep(0.05)
    raise AssertionError("no worker")


def test_a_killed_worker(large: Path) -> None:
    def states(seconds: float) -> int:
        with start(large, "--format", "json") as running:
            busy_worker(running.pid, seconds).kill()
            out, err = running.communicate(timeout=30)
        assert running.returncode == 3, err
        report = json.loads(out)
        assert report["verdict"] == "UNKNOWN"
        assert "SIGKILL" in report["reason"]
        assert "Traceback" not in err
        return int(report["statistics"].get("states", 0))

    assert once_long_enough((0.5, 4, 16), states, lambda found: found > 0) > 0


def test_interrupt(large: Path) -> None:
    with start(large) as running:
        worker = busy_worker(running.pid)
        os.kill(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 3, err
    assert out.splitlines()[-1].startswith("UNKNOWN (interrupted")
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


def test_nothing_is_left_behind_by_a_killed_supervisor(large: Path) -> None:
    with start(large) as running:
        worker = busy_worker(running.pid)
        running.kill()
        running.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def big_model(size: int) -> str:
    """A model of about this many characters: many small threads over many variables."""
    parts: list[str] = []
    length = number = 0
    while length < size:
        part = (
            f"int[0..7] v{number}; mutex m{number};\n"
            f"thread t{number} {{\n"
            f"    int[0..7] r;\n"
            f"    acquire(m{number});\n"
            f"    while (r < 5) {{ r = r + 1; v{number} = (v{number} * 3 + r) % 8; }}\n"
            f"    if (v{number} > 3) {{ v{number} = 0; }} else {{ assert(v{number} <= 3); }}\n"
            f"    release(m{number});\n"
            f"}}\n"
        )
        parts.append(part)
        length += len(part)
        number += 1
    return "".join(parts)


@pytest.mark.slow
def test_a_model_of_two_megabytes_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "big.tw").write_text(big_model(2_000_000))
    outcome = threadwise("dump-ir", "big.tw", cwd=tmp_path, timeout_s=120)
    assert outcome.code == 0, outcome.err[-500:]
    assert outcome.out.startswith("program ")
    assert outcome.time_s < 60


@pytest.mark.slow
def test_a_model_of_five_megabytes_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "big.tw").write_text(big_model(5_000_000))
    outcome = threadwise("check", "big.tw", "--time-limit", "60", cwd=tmp_path, timeout_s=200)
    assert outcome.code in (0, 1, 3), outcome.err[-500:]
    assert "Traceback" not in outcome.err


def test_a_large_model_that_ends_in_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "big.tw").write_text(big_model(100_000) + "thread bad { y = 1; }\n")
    outcome = threadwise("check", "big.tw", cwd=tmp_path)
    assert outcome.code == 2
    assert "big.tw:" in outcome.err
