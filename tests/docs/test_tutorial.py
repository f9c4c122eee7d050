"""The tutorial works as it is written: its program is made, and its commands run in order."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import blocks, normalised, pattern
from tests.docs.test_console import TUTORIAL
from tests.tools import needs
from tests.unit.cli.conftest import Outcome, Run

PAGE = TUTORIAL
FUNCTION = re.compile(r"^static int put\(.*?^}\n", re.DOTALL | re.MULTILINE)


def write(program: str) -> None:
    """The first program is the whole, later ones are functions of it, better than before."""
    path = Path("queue.c")
    if path.exists():
        known = path.read_text(encoding="utf-8")
        (before,) = FUNCTION.findall(known)
        program = known.replace(before, program)
    path.write_text(program, encoding="utf-8")


def execute(run: Run, program: str, arguments: list[str]) -> Outcome:
    if program == "threadwise":
        one_job = ["--jobs", "1"] if arguments[0] == "check" else []
        return run(*arguments, *one_job)
    ran = subprocess.run([program, *arguments], check=False, capture_output=True, text=True)
    return Outcome(ran.returncode, ran.stdout, "")


@pytest.mark.slow
@needs("gcc", "gdb")
def test_the_tutorial(run: Run) -> None:
    ran: list[str] = []
    code = 0
    for language, block in blocks(PAGE):
        if language == "c":
            write(block)
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            if command == "echo $?":
                assert expected == f"{code}\n"
                continue
            program, *arguments = shlex.split(command)
            outcome = execute(run, program, arguments)
            code = outcome.code
            told = normalised(outcome.err + outcome.out)
            assert re.fullmatch(pattern(expected), told), f"{command}\n{told}"
            ran.append(f"{program} {arguments[0]}")
    assert ran[0] == "threadwise check"
    assert {"threadwise reproduce", "gdb -batch", "threadwise certify"} <= set(ran)
