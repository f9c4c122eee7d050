"""Programs as authors of daemons write them: what they say about themselves is never contradicted.

What is listed as decided has to be decided; for the rest UNKNOWN is an answer, too.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.examples.annotations import FOLDER, read_annotations
from tests.tools import needs
from threadwise.core.reading import read_source
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.driver.selection import select_properties
from threadwise.frontends.c.options import COptions
from threadwise.ir.program import Program
from threadwise.results.verdict import Verdict, overall

HERE = FOLDER / "c" / "programs"
SERVER = HERE / "server"
FILES = {path.stem: [path] for path in sorted(HERE.glob("*.c"))} | {
    "server": [SERVER / name for name in ("main.c", "sessions.c", "commands.c")],
    "server_bug": [SERVER / name for name in ("sessions_bug.c", "main.c", "commands.c")],
}
"""The files of each program; the first has its annotations."""
DECIDED = {
    ("config", "races"),
    ("logger", "races"),
    ("pool", "races"),
    ("pool_bug", "races"),
    ("queue_bug", "races"),
}
"""What `auto` decides within a minute on an idle machine."""


def load(name: str) -> Program:
    return load_c([read_source(str(path)) for path in FILES[name]], COptions()).program


def expected(name: str) -> dict[str, Verdict]:
    return read_annotations(FILES[name][0]).verdicts


def test_there_are_eight_pairs() -> None:
    right = [name for name in FILES if not name.endswith("_bug")]
    assert len(right) == 8
    assert sorted(FILES) == sorted([*right, *(f"{name}_bug" for name in right)])


@pytest.mark.parametrize("name", FILES)
def test_bugs_are_bugs(name: str) -> None:
    assert set(expected(name)) == {"assertions", "races", "mutex"}
    assert name.endswith("_bug") == (Verdict.UNSAFE in expected(name).values())
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES[name])
    assert 100 <= lines <= 400


@pytest.mark.parametrize("name", FILES)
@needs("gcc")
def test_compilers_have_nothing_to_say(name: str) -> None:
    command = ["gcc", "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run([*command, *map(str, FILES[name])], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_three_files_are_one_program() -> None:
    names = {template.name for template in load("server").templates}
    assert {"main", "serve"} <= names


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_verdicts(name: str) -> None:
    program = load(name)
    options = CheckOptions(properties=tuple(expected(name)))
    result = check_loaded(str(FILES[name][0]), lambda: program, options)
    known = {checked.name: checked.verdict for checked in result.properties}
    for selector, verdict in expected(name).items():
        found = overall(known[p.name] for p in select_properties(program, [selector]))
        undecided = Verdict.UNKNOWN if (name, selector) not in DECIDED else verdict
        assert found in (verdict, undecided), selector
