"""`threadwise build`, and what is built is checked."""

from pathlib import Path

import pytest

from tests.tools import needs
from tests.unit.cli.conftest import Run

pytestmark = needs("gcc")

COUNTS = """
#include <pthread.h>
int n;
void *count(void *a) { n++; return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, count, 0);
  %s
  pthread_join(t, 0);
  return 0;
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "right.c").write_text(COUNTS % "")
    (tmp_path / "wrong.c").write_text(COUNTS % "n++;")
    return tmp_path


def test_a_project_is_built_and_checked(run: Run, project: Path) -> None:
    outcome = run("build", "--", "sh", "-c", "for f in right wrong; do cc $f.c -o $f; done")
    assert outcome.code == 0
    assert "compile_commands.json: 2 C files of 2 programs: right, wrong" in outcome.err
    assert run("check", "compile_commands.json").code == 2
    options = ("--compile-commands", ".", "--property", "races", "--program")
    assert run("check", *options, "right", "--certificate", "proof.json").code == 0
    assert run("certify", "compile_commands.json", "proof.json").code == 0
    assert run("check", *options, "wrong", "--trace", "bug.json").code == 1
    assert run("replay", "compile_commands.json", "bug.json").code == 0


def test_another_name(run: Run, project: Path) -> None:
    build = ("build", "-o", "out/commands.json", "--", "cc", "right.c", "-o", "right")
    Path("out").mkdir()
    assert run(*build).code == 0
    assert run("check", "out/commands.json", "--property", "races").code == 0
    assert run("check", "--compile-commands", "out/commands.json", "--property", "races").code == 0


def test_nothing_was_compiled(run: Run, project: Path) -> None:
    outcome = run("build", "--", "true")
    assert outcome.code == 2
    assert "is everything built already?" in outcome.err


def test_the_build_fails(run: Run, project: Path) -> None:
    outcome = run("build", "--", "sh", "-c", "exit 7")
    assert outcome.code == 7
    assert "the build failed with exit code 7" in outcome.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((), "nothing to check"),
        (("--compile-commands", "none"), "not a database"),
        (("--compile-commands", "none.json"), "no such file"),
        (("--compile-commands", "."), "compile_commands.json: no such file"),
    ],
)
def test_no_database(run: Run, project: Path, given: tuple[str, ...], told: str) -> None:
    outcome = run("check", *given)
    assert outcome.code == 2
    assert told in outcome.err
