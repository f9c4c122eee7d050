"""The built wheel: everything the tool reads at run time is in it, and README's commands run.

The tests before this one run the source tree. Here the wheel is built and unpacked elsewhere, and
is found before the tree; at night it is installed into an empty environment.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.docs.test_console import commands

README = [(shlex.split(command)[1:], output) for command, output in commands("README.md")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(folder)]
    build = [sys.executable, "-m", "pip", "wheel", str(ROOT), *options]
    subprocess.run(build, check=True, capture_output=True)
    (found,) = folder.glob("threadwise-*.whl")
    return found


def files_of_the_package() -> set[str]:
    found = (path for path in (ROOT / "threadwise").rglob("*") if path.is_file())
    return {str(p.relative_to(ROOT)) for p in found if "__pycache__" not in p.parts}


def test_it_has_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert inside == files_of_the_package()


def exit_codes(python: Path, folder: Path, environment: dict[str, str]) -> list[int]:
    """Of README's commands, in a folder that has the examples and nothing else of the tree."""
    (folder / "examples").symlink_to(ROOT / "examples")
    where = "import threadwise; print(threadwise.__file__)"
    common = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    found = subprocess.run([python, "-c", where], check=True, **common)  # type: ignore[call-overload]  # the same for all runs
    assert not Path(found.stdout).is_relative_to(ROOT)
    codes = []
    for arguments, _ in README:
        if arguments and arguments[0] != "$?":
            ran = subprocess.run([python, "-m", "threadwise", *arguments], check=False, **common)  # type: ignore[call-overload]
            codes.append(ran.returncode)
    return codes


def told_codes() -> list[int]:
    """What README says with `echo $?`, or else by the verdict in the last line."""
    verdicts = {"SAFE": 0, "UNSAFE": 1, "UNKNOWN": 3}
    codes: list[int] = []
    for arguments, output in README:
        if arguments[0] == "$?":
            codes[-1] = int(output)
        else:
            last = output.rstrip("\n").rpartition("\n")[2]
            codes.append(verdicts.get(last, 0))
    return codes


@pytest.mark.slow
def test_it_runs_the_commands_of_the_readme(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    assert exit_codes(Path(sys.executable), folder, environment) == told_codes()


@pytest.mark.slow
def test_it_installs_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(empty)], check=True)
    python = empty / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    assert exit_codes(python, folder, environment) == told_codes()
