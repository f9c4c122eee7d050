"""Native runs need a compiler with ThreadSanitizer; without one these tests are skipped."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest


@cache
def can_run() -> bool:
    """Whether programs can be built and run here."""
    tools = ("gcc", "objdump", "addr2line", "nm")
    if sys.platform != "linux" or not all(map(shutil.which, tools)):
        return False
    source = "int main(void) { return 0; }"
    command = ["gcc", "-fsanitize=thread", "-x", "c", "-", "-o", "/dev/null"]
    return subprocess.run(command, input=source, text=True, check=False).returncode == 0


@pytest.fixture(autouse=True)
def _needs_a_compiler(request: pytest.FixtureRequest) -> None:
    if "native" in request.node.path.name and not can_run():
        pytest.skip("no gcc with ThreadSanitizer here")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the test is in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
