"""What is there for CI services and hooks says what our command line understands."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT

SAFE = ROOT / "examples/c/counter_mutex.c"
UNSAFE = ROOT / "examples/c/counter_mutex_bug.c"


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def step(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action as the service does."""
    action = read("action.yml")
    run = action["runs"]["steps"][-1]
    given = {name: each.get("default", "") for name, each in action["inputs"].items()}
    given.update({name.replace("_", "-"): value for name, value in inputs.items()})
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name, text in run["env"].items():
        value = text.replace("${{ runner.temp }}", str(folder))
        for option, chosen in given.items():
            value = value.replace(f"${{{{ inputs.{option} }}}}", chosen)
        assert "${{" not in value
        environment[name] = value
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run["run"]]
    return subprocess.run(
        command, check=False, cwd=folder, env=environment, capture_output=True, text=True
    )


def test_the_action_annotates_and_fails(tmp_path: Path) -> None:
    report = tmp_path / "report.sarif"
    ran = step(
        tmp_path, files=str(UNSAFE), arguments="--property races --jobs 1", sarif=str(report)
    )
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error ")
    (run,) = json.loads(report.read_text(encoding="utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["TW001-data-race"]


@pytest.mark.parametrize(("fails", "code"), [("false", 0), ("true", 3)])
def test_the_action_may_fail_on_unknown(tmp_path: Path, fails: str, code: int) -> None:
    arguments = "--property assertions --engine locksets"
    ran = step(tmp_path, files=str(SAFE), arguments=arguments, fail_on_unknown=fails)
    assert ran.returncode == code, ran.stdout


def test_the_hook_calls_the_tool() -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    program, *arguments = shlex.split(hook["entry"])
    assert program == "threadwise"
    command = [sys.executable, "-m", "threadwise", *arguments, str(SAFE)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
