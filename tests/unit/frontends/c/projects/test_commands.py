"""How the files of a program are compiled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from threadwise.core.c_options import COptions, DataModel
from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.frontends.c.projects.commands import read_database


def options(folder: Path, *words: str, given: COptions | None = None) -> COptions:
    """Those of a file that is compiled with these words."""
    (folder / "a.c").write_text("int main(void) { return 0; }\n")
    entry = {"directory": str(folder), "file": "a.c", "arguments": ["cc", *words, "-c", "a.c"]}
    (folder / "db.json").write_text(json.dumps([entry]))
    (found,) = read_database(read_source(str(folder / "db.json")), given or COptions()).values()
    return found


def test_options_that_concern_reading(tmp_path: Path) -> None:
    words = ["-Iinc", "-isystem", "sys", "-DA", "-D", "B=2", "-UC", "-U", "D"]
    words += ["-std=c11", "-m32", "-O2", "-Wall", "-pthread"]
    found = options(tmp_path, *words)
    assert found.include == (str(tmp_path / "inc"), str(tmp_path / "sys"))
    assert (found.define, found.undefine) == (("A", "B=2"), ("C", "D"))
    assert (found.standard, found.data_model) == ("c11", DataModel.ILP32)


def test_those_of_the_command_line_come_first(tmp_path: Path) -> None:
    given = COptions(include=("mine",), define=("A=1",), standard="c99")
    found = options(tmp_path, "-Itheirs", "-DA=2", "-std=c11", given=given)
    assert found.include == ("mine", str(tmp_path / "theirs"))
    assert found.define == ("A=2", "A=1")  # the last one counts
    assert found.standard == "c99"


def test_headers_that_are_included_first(tmp_path: Path) -> None:
    (tmp_path / "config.h").write_text("#define CONFIGURED 1\n")
    found = options(tmp_path, "-include", "config.h", "-include", "stdio.h")
    assert found.forced == (str(tmp_path / "config.h"), "stdio.h")


def test_words_in_files(tmp_path: Path) -> None:
    (tmp_path / "flags").write_text("-DA '-DB=x y' @more\n")
    (tmp_path / "more").write_text("-Iinc\n-ansi")
    found = options(tmp_path, "@flags", "@missing")
    assert found.define == ("A", "B=x y")
    assert (found.include, found.standard) == ((str(tmp_path / "inc"),), "c90")


def test_files_of_words_that_name_themselves_end(tmp_path: Path) -> None:
    (tmp_path / "flags").write_text("-DA @flags\n")
    assert set(options(tmp_path, "@flags").define) == {"A"}


@pytest.mark.parametrize("word", ["-funsigned-char", "-fpack-struct=2", "-fshort-enums"])
def test_options_that_change_what_a_program_means_are_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(InputError, match=f"`{word}` in its command is not understood"):
        options(tmp_path, word)
