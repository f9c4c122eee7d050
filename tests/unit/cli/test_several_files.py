"""Programs of several C files: every command takes them, from wherever it is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from threadwise.core.c_options import COptions
from threadwise.core.load_options import LoadOptions

MAIN = """
#include <pthread.h>
#include "count.h"
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  count++;
  pthread_join(t, 0);
  return 0;
}
"""
HEADER = "extern int count;\nvoid *add(void *p);\n"
ADD = '#include "count.h"\nint count;\nvoid *add(void *p) { count++; return 0; }\n'


@pytest.fixture
def project(run: Run) -> Path:
    """A program in a folder below the current one."""
    folder = Path("project")
    for name, text in (("main.c", MAIN), ("add.c", ADD), ("include/count.h", HEADER)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


FILES = "project/main.c", "project/add.c", "-I", "project/include"


@pytest.mark.usefixtures("project")
def test_all_files_are_read(run: Run) -> None:
    assert "thread add" in run("dump-ir", *FILES).out
    assert "count" in run("simulate", *FILES, "--steps", "2").out
    assert run("explain", *FILES, "--property", "mutex").code == 0


@pytest.mark.usefixtures("project")
def test_a_program_is_a_model_or_c(run: Run) -> None:
    Path("model.tw").write_text("int[0..1] x; thread t { x = 1; }", encoding="utf-8")
    for command in ("explain", "dump-ir", "simulate"):
        outcome = run(command, "project/main.c", "model.tw")
        assert outcome.code == 2
        assert "project/main.c and model.tw: expected one program" in outcome.err


@pytest.mark.parametrize("below", [True, False])
def test_evidence_is_checked_from_elsewhere(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, below: bool
) -> None:
    fixed = project / "fixed.c"
    fixed.write_text(MAIN.replace("count++;", ""), encoding="utf-8")
    checked = ("--property", "races")
    assert run("check", *FILES, *checked, "--trace", "bug.json").code == 1
    others = FILES[1:]
    proved = run("check", str(fixed), *others, *checked, "--certificate", "proof.json")
    assert proved.code == 0
    if below:
        monkeypatch.chdir(project)
        prefix, evidence = "", ".."
    else:
        Path("else/where").mkdir(parents=True)
        monkeypatch.chdir("else/where")
        prefix, evidence = "../../project/", "../.."
    replayed = run("replay", f"{prefix}main.c", f"{evidence}/bug.json")
    assert replayed.code == 0, replayed.out + replayed.err
    certified = run("certify", f"{prefix}fixed.c", f"{evidence}/proof.json")
    assert certified.code == 0, certified.out + certified.err


def test_paths_are_seen_from_the_program_and_found_again() -> None:
    c = COptions(include=("inc", "/usr/include"), library=("lib.toml",), beside=("src/b.c",))
    seen = LoadOptions(c=c).seen_from("src/a.c")
    assert seen.c.include == (os.path.join("..", "inc"), "/usr/include")
    assert seen.c.beside == ("b.c",)
    assert seen.found_from("src/a.c").c == c
    assert seen.found_from("../src/a.c").c.beside == ("../src/b.c",)


@pytest.mark.usefixtures("project")
def test_functions_to_enter_are_suggested(run: Run) -> None:
    outcome = run("check", *FILES, "--entry", "ad")
    assert outcome.code == 2
    assert "did you mean `add`?" in outcome.err
