"""Fifteen correct servers and pools of at least 200 lines: nothing about them is UNSAFE.

UNKNOWN is an answer for programs of this size; an alarm would be wrong. The everyday run looks at
two of them with a limit on steps, so that it does the same on every machine.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.examples.annotations import FOLDER
from tests.tools import needs
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.results.verdict import Verdict

SERVERS = sorted((FOLDER / "c_servers").glob("*.c"))
DAEMONS = [p for p in sorted((FOLDER / "c" / "programs").glob("*.c")) if "_bug" not in p.stem]
ALL = [pytest.param(path, id=path.stem) for path in (*SERVERS, *DAEMONS)]
EVERYDAY = (("phases", "deadlocks", "walks"), ("store", "races", "explicit"))
LANGUAGE = ("-std=gnu17", "-pthread", "-Wall", "-Wextra", "-Werror")
RUNNABLE = ("connections", "crawler", "phases", "pipeline", "scheduler", "store")
"""Those that end by themselves, without a network."""


def alarms(path: Path, options: CheckOptions) -> list[str]:
    """The properties of a program that are said to be violated."""
    result = check_file(str(path), options)
    return [checked.name for checked in result.properties if checked.verdict is Verdict.UNSAFE]


def test_there_are_fifteen() -> None:
    assert len(ALL) == 15
    for path in (*SERVERS, *DAEMONS):
        assert 200 <= len(path.read_text(encoding="utf-8").splitlines()) <= 1000, path


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SERVERS])
@needs("gcc")
def test_compilers_have_nothing_to_say(path: Path) -> None:
    command = ["gcc", *LANGUAGE, "-fsyntax-only", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNNABLE)
@needs("gcc")
def test_native_runs_have_no_races(name: str, tmp_path: Path) -> None:
    program = tmp_path / name
    source = FOLDER / "c_servers" / f"{name}.c"
    flags = (*LANGUAGE, "-g", "-O1", "-fsanitize=thread")
    subprocess.run(["gcc", *flags, str(source), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("name", "selector", "engine"), EVERYDAY)
def test_a_few_steps_raise_no_alarm(name: str, selector: str, engine: str) -> None:
    options = CheckOptions((selector,), engine, budget=Budget(steps=300))
    assert alarms(FOLDER / "c_servers" / f"{name}.c", options) == []


@pytest.mark.slow
@pytest.mark.parametrize("properties", [(), ("deadlocks",)], ids=["usual", "deadlocks"])
@pytest.mark.parametrize("path", ALL)
def test_no_alarms(path: Path, properties: tuple[str, ...]) -> None:
    assert alarms(path, CheckOptions(properties, budget=Budget(time_s=60))) == []
