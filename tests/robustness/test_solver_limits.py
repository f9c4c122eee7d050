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

from tests.robustness.command_line import COMMAND, environment, once_long_enough, threadwise

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


def pigeons(holes: int) -> str:
    """More pigeons than holes, in one step: a query that takes a solver very long."""
    home = [
        " || ".join(f"p[{bird * holes + hole}]" for hole in range(holes))
        for bird in range(holes + 1)
    ]
    apart = [
        f"!(p[{bird * holes + hole}] && p[{other * holes + hole}])"
        for hole in range(holes)
        for bird in range(holes + 1)
        for other in range(bird)
    ]
    condition = " && ".join([*(f"({one})" for one in home), *apart])
    cells = holes * (holes + 1)
    return f"bool p[{cells}] = *;\nthread t {{ assume({condition}); assert(false); }}\n"


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    (tmp_path / "hard.tw").write_text(HARD)
    (tmp_path / "pigeons.tw").write_text(pigeons(11))
    return tmp_path


def solving(folder: Path, model: str, engine: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "check", model, "--engine", engine, "--format", "json"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def busy_worker(pid: int, seconds: float = 3) -> list[psutil.Process]:
    """The processes of a run, once its worker has been solving for so long."""
    deadline = time.monotonic() + 60 + 4 * seconds
    while time.monotonic() < deadline:
        for worker in psutil.Process(pid).children():
            if worker.cpu_times().user > seconds:
                return psutil.Process(pid).children(recursive=True)
        time.sleep(0.05)
    raise AssertionError("no worker")


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def verdicts(report: str) -> dict[str, str]:
    return {item["name"]: item["verdict"] for item in json.loads(report)["properties"]}


def is_partial(found: dict[str, str]) -> bool:
    return found["assert:8"] == "UNSAFE"


@pytest.mark.slow
def test_interrupted_in_a_query(hard: Path) -> None:
    def interrupted(seconds: float) -> dict[str, str]:
        with solving(hard, "hard.tw", "bounded") as running:
            processes = busy_worker(running.pid, seconds)
            os.kill(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=30)
        assert "Traceback" not in err
        assert all(map(is_gone, processes))
        found = verdicts(out)
        assert found["assert:6"] == "UNKNOWN"
        return found

    found = once_long_enough((3, 12), interrupted, is_partial)
    assert is_partial(found)


@pytest.mark.slow
def test_refinement_interrupted_in_a_query(hard: Path) -> None:
    """The query is the first one, so that there is nothing to tell but why and how long."""
    with solving(hard, "pigeons.tw", "tar") as running:
        processes = busy_worker(running.pid)
        assert processes
        os.kill(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert set(verdicts(out).values()) == {"UNKNOWN"}, err
    report = json.loads(out)
    assert "interrupted" in report["reason"]
    assert report["statistics"]["time_s"] > 0
    assert [attempt["engine"] for attempt in report["tried"]] == ["tar"]
    assert "Traceback" not in err
    assert all(map(is_gone, processes))


@pytest.mark.parametrize("engine", ["tar", "bounded"])
def test_a_solver_that_gives_up(hard: Path, engine: str) -> None:
    """A small resource limit: what needs more is UNKNOWN, the rest is decided all the same."""
    arguments = ["--engine", engine, "--max-solver-units", "20000", "--format", "json"]
    outcome = threadwise("check", "hard.tw", *arguments, cwd=hard)
    found = verdicts(outcome.out)
    assert found["assert:8"] == "UNSAFE", outcome.out
    assert found["assert:6"] == "UNKNOWN"
    assert "Traceback" not in outcome.err


def test_a_solver_that_gives_up_at_once(hard: Path) -> None:
    """Without any answer of the solver there is no proof and no error, and a reason."""
    arguments = ["--engine", "tar", "--max-solver-units", "1", "--format", "json"]
    outcome = threadwise("check", "hard.tw", "--property", "assertions", *arguments, cwd=hard)
    assert set(verdicts(outcome.out).values()) == {"UNKNOWN"}
    reasons = [item["reason"] for item in json.loads(outcome.out)["properties"]]
    assert all("the solver cannot tell" in reason for reason in reasons), reasons


def test_time_limit_in_a_query(hard: Path) -> None:
    def limited(seconds: float) -> dict[str, str]:
        arguments = ["--engine", "bounded", "--time-limit", str(seconds), "--format", "json"]
        outcome = threadwise("check", "hard.tw", *arguments, cwd=hard)
        assert f"time limit of {seconds} s reached" in outcome.out
        found = verdicts(outcome.out)
        assert found["assert:6"] == "UNKNOWN"
        return found

    assert is_partial(once_long_enough((6, 24), limited, is_partial))
