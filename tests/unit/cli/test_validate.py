"""`check --witness` and `validate` on a program of several files."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.cli.test_several_files import FILES, project

__all__ = ["project"]


def test_a_race_of_two_files(run: Run, project: Path) -> None:
    written = run("check", *FILES, "--property", "races", "--witness", "w.yml")
    assert written.code == 1
    assert "violation witness with" in written.err
    assert "file_name: add.c" in Path("w.yml").read_text()
    confirmed = run("validate", *FILES, "--witness", "w.yml")
    assert confirmed.code == 0
    assert confirmed.out.endswith("confirmed: violates races\n")
    as_data = run("validate", *FILES, "--witness", "w.yml", "--format", "json")
    assert '"answer": "confirmed"' in as_data.out


def test_what_is_about_another_program(run: Run, project: Path) -> None:
    run("check", *FILES, "--property", "races", "--witness", "w.yml")
    (project / "add.c").write_text("int count; void *add(void *p) { return 0; }\n")
    refused = run("validate", *FILES, "--witness", "w.yml")
    assert refused.code == 2
    assert "another program" in refused.err


def test_models_have_no_witnesses(run: Run) -> None:
    assert run("check", "counter.tw", "--witness", "w.yml").code == 2
    assert run("validate", "counter.tw", "--witness", "counter.tw").code == 2


@pytest.mark.parametrize("text", ["", "verdict: true\n", "\x1b[31m: ["])
def test_what_is_no_witness(run: Run, project: Path, text: str) -> None:
    Path("w.yml").write_text(text)
    refused = run("validate", *FILES, "--witness", "w.yml")
    assert refused.code == 2
    assert "\x1b" not in refused.err


def test_other_files_are_not_replaced(run: Run, project: Path) -> None:
    Path("notes.yml").write_text("mine\n")
    refused = run("check", *FILES, "--witness", "notes.yml")
    assert refused.code == 2
    assert Path("notes.yml").read_text() == "mine\n"
