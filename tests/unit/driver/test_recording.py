"""Builds that are recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tools import needs
from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.driver.recording import Recorded, record
from threadwise.frontends.c.projects.entries import LINKS
from threadwise.frontends.c.projects.programs import programs_of

pytestmark = needs("gcc")

MAIN = "int main(void) { return 0; }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a", MAIN), ("b", MAIN), ("common dir/c", "int c;\n")):
        path = tmp_path / f"{name}.c"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def built(script: str) -> Recorded:
    return record(["sh", "-e", "-c", script], "compile_commands.json")


def programs() -> dict[str, set[str]]:
    """The names of the files of each program."""
    found = programs_of(read_source("compile_commands.json"))
    return {p.name: {Path(str(each.file)).name for each in p.entries} for p in found}


def test_compiling_and_linking(folder: Path) -> None:
    recorded = built(
        """
        gcc -c -DX='a "b" c' a.c & cc -c b.c & wait
        cd 'common dir'; cc -c c.c -o 'the c.o'; cd ..
        cc a.o 'common dir/the c.o' -o a
        cc b.o -o b
        """
    )
    assert recorded == Recorded(0, 3, ("a", "b"))
    assert programs() == {"a": {"a.c", "c.c"}, "b": {"b.c"}}
    entries = json.loads(Path("compile_commands.json").read_text())
    (first,) = [entry for entry in entries if entry["file"] == str(folder / "a.c")]
    assert first == {
        "directory": str(folder),
        "file": str(folder / "a.c"),
        "arguments": ["gcc", "-c", '-DX=a "b" c', "a.c"],
        "output": str(folder / "a.o"),
    }


def test_compilers_still_do_their_work(folder: Path) -> None:
    built("cc a.c -o run; ./run")
    assert (folder / "run").exists()


def test_what_compilers_call_themselves_is_not_recorded(folder: Path) -> None:
    built("cc -save-temps a.c -o run")
    assert len(json.loads(Path("compile_commands.json").read_text())) == 1


def test_archives(folder: Path) -> None:
    built("cc -c 'common dir/c.c' -o c.o; ar rcs libc1.a c.o; cc -c a.c; cc a.o -L. -lc1 -o a")
    assert programs() == {"a": {"a.c", "c.c"}}


def test_the_last_command_counts(folder: Path) -> None:
    built("cc -c -DFIRST a.c; cc -c -DLAST a.c; cc a.o -o a")
    (entry,) = json.loads(Path("compile_commands.json").read_text())
    assert "-DLAST" in entry["arguments"]


def test_files_that_are_gone_and_questions_to_compilers_are_left_out(folder: Path) -> None:
    built("cp a.c t.c; cc t.c -o t; rm t.c; cc -M a.c; cc -E a.c; cc -c a.c")
    (entry,) = json.loads(Path("compile_commands.json").read_text())
    assert entry["file"] == str(folder / "a.c")


def test_a_build_that_fails(folder: Path) -> None:
    recorded = built("cc -c a.c; exit 7")
    assert (recorded.exit_code, recorded.files) == (7, 1)


def test_a_build_that_cannot_be_run(folder: Path) -> None:
    with pytest.raises(InputError, match="nobody-builds: cannot be run"):
        record(["nobody-builds"], "compile_commands.json")


def test_nothing_is_built(folder: Path) -> None:
    assert built("true") == Recorded(0, 0, ())
    assert json.loads(Path("compile_commands.json").read_text()) == []
    assert json.loads(Path(LINKS).read_text()) == []
