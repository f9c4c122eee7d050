"""Which files of a project are a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.frontends.c.projects.entries import LINKS
from threadwise.frontends.c.projects.programs import chosen_program, programs_of

MAIN = "int main(void) { return 0; }\n"


class Project:
    """A folder with commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.units: list[dict[str, Any]] = []
        self.links: list[dict[str, Any]] = []

    def unit(self, file: str, text: str = "", output: str | None = None, **more: Any) -> None:
        """A file, and how it is compiled."""
        path = self.folder / file
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
        words = ["cc", "-c", file] + ([] if output is None else ["-o", output])
        self.units.append({"directory": ".", "file": file, "arguments": words, **more})

    def link(self, *words: str, directory: str = ".") -> None:
        """How something is linked."""
        self.links.append({"directory": directory, "arguments": words})

    def programs(self) -> dict[str, list[str]]:
        """The files of each program."""
        found = programs_of(read_source(self.write()))
        return {each.name: [str(entry.file) for entry in each.entries] for each in found}

    def write(self) -> str:
        """The database."""
        path = self.folder / "commands.json"
        path.write_text(json.dumps(self.units))
        if self.links:
            (self.folder / LINKS).write_text(json.dumps(self.links))
        return str(path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_one_main(project: Project) -> None:
    project.unit("a.c")
    project.unit("b.c", MAIN)
    assert project.programs() == {"b.c": ["a.c", "b.c"]}


def test_no_main(project: Project) -> None:
    project.unit("a.c")
    project.unit("b.c")
    assert project.programs() == {"a.c": ["a.c", "b.c"]}


def test_each_main_has_all_files_without_one(project: Project) -> None:
    project.unit("a.c", MAIN)
    project.unit("lib.c")
    project.unit("b.c", MAIN)
    assert project.programs() == {"a.c": ["a.c", "lib.c"], "b.c": ["lib.c", "b.c"]}


def test_links_say_which_files(project: Project) -> None:
    for name in ("a", "b", "one", "two"):
        project.unit(f"{name}.c", MAIN if name in "ab" else "", f"{name}.o")
    project.link("cc", "-o", "a", "a.o", "one.o", "-lpthread")
    project.link("gcc-12", "b.o", "two.o", "one.o", "-ob")
    assert project.programs() == {"a": ["a.c", "one.c"], "b": ["b.c", "two.c", "one.c"]}


def test_objects_have_the_usual_name(project: Project) -> None:
    project.unit("src/a.c", MAIN)
    project.unit("src/b.c")
    project.unit("src/c.c", MAIN)
    project.link("cc", "a.o", "b.o")
    assert project.programs() == {"a.out": ["src/a.c", "src/b.c"]}


@pytest.mark.parametrize(
    "given",
    [("out/libq.a",), ("-Lout", "-lq"), ("-L", "out", "-l", "q"), ("-lm", "-Lout", "-lc", "-lq")],
)
def test_static_libraries(project: Project, given: tuple[str, ...]) -> None:
    project.unit("main.c", MAIN, "main.o")
    project.unit("q.c", "", "q.o")
    project.unit("r.c", "", "r.o")
    project.unit("unused.c", "", "unused.o")
    project.link("ar", "rcs", "out/libq.a", "q.o")
    project.link("ar", "-q", "out/libq.a", "r.o")
    project.link("x86_64-linux-gnu-gcc-ar", "rc", "out/libz.a", "unused.o")
    project.link("cc", "main.o", *given, "-o", "bin/main")
    assert project.programs() == {"main": ["main.c", "q.c", "r.c"]}


def test_shared_libraries(project: Project) -> None:
    project.unit("main.c", MAIN, "main.o")
    project.unit("q.c", "", "q.lo")
    project.link("cc", "-shared", "-o", "libq.so.1.2", "q.lo", "-Wl,-soname,libq.so.1")
    project.link("cc", "main.o", "-L.", "-lq", "-o", "main")
    assert project.programs() == {"main": ["main.c", "q.c"]}


def test_sources_that_are_linked_at_once(project: Project) -> None:
    project.unit("main.c", MAIN, arguments=["cc", "main.c", "q.c", "-o", "run"])
    project.unit("q.c", "", arguments=["cc", "main.c", "q.c", "-o", "run"])
    project.unit("other.c", MAIN, "other.o")
    project.link("cc", "main.c", "q.c", "-o", "run")
    assert project.programs() == {"run": ["main.c", "q.c"]}


def test_a_file_that_is_compiled_for_each_program(project: Project) -> None:
    for name in ("a", "b"):
        project.unit(f"{name}.c", MAIN, f"{name}.o")
        words = ["cc", "-c", f"-D{name.upper()}", "shared.c", "-o", f"shared-{name}.o"]
        project.unit("shared.c", "", arguments=words)
        project.link("cc", f"{name}.o", f"shared-{name}.o", "-o", name)
    found = programs_of(read_source(project.write()))
    for program in found:
        shared = [each for each in program.entries if each.file == "shared.c"]
        assert [f"-D{program.name.upper()}" in each.words for each in shared] == [True]


def test_programs_of_several_folders_are_told_apart(project: Project) -> None:
    for name in ("client", "server"):
        project.unit(f"{name}/main.c", MAIN, f"{name}/main.o")
        project.link("cc", "main.o", "-o", "run", directory=name)
    assert list(project.programs()) == ["client/run", "server/run"]


def test_what_is_linked_without_any_of_the_files_is_no_program(project: Project) -> None:
    project.unit("main.c", MAIN, "main.o")
    project.link("cc", "conftest.o", "-o", "conftest")
    project.link("cc", "main.o", "-o", "main")
    assert list(project.programs()) == ["main"]


def two(project: Project) -> str:
    project.unit("a.c", MAIN, "a.o")
    project.unit("b.c", MAIN, "b.o")
    project.link("cc", "a.o", "-o", "bin/a")
    project.link("cc", "b.o", "-o", "test/b.exe")
    return project.write()


@pytest.mark.parametrize("name", ["test/b.exe", "b.exe", "b"])
def test_a_program_by_its_name(project: Project, name: str) -> None:
    program = chosen_program(read_source(two(project)), name)
    assert [entry.file for entry in program.entries] == ["b.c"]


@pytest.mark.parametrize(
    ("name", "told", "hint"),
    [
        ("", "has 2 programs", "--program chooses one"),
        ("bin/aa", "has no such program", "did you mean `bin/a`?"),
        ("xyz", "has no such program", "there are bin/a, test/b.exe"),
    ],
)
def test_no_program_or_too_many(project: Project, name: str, told: str, hint: str) -> None:
    with pytest.raises(InputError) as error:
        chosen_program(read_source(two(project)), name)
    (said,) = error.value.diagnostics
    assert told in said.message
    assert said.hint is not None
    assert hint in said.hint


def test_no_c_file(project: Project) -> None:
    project.unit("a.cc", MAIN)
    with pytest.raises(InputError, match="lists no C file"):
        project.programs()
