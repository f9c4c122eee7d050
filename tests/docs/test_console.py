"""The commands in the documentation work, and print what the pages say.

In a `console` block, `$ threadwise …` is run; the lines below are what it prints, where a line `…`
stands for any number of lines. `$ echo $?` shows the exit code of the command before. One engine
is at work at a time: with several, which of them proves what first is a matter of speed.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, normalised, pattern, text_of, with_blocks
from tests.unit.cli.conftest import Run

TUTORIAL = "docs/user/tutorial.md"
"""It has a test of its own."""


def commands(page: str) -> Iterator[tuple[str, str]]:
    for language, block in blocks(page):
        if language == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield command, output


@pytest.mark.parametrize("page", [p for p in with_blocks("console") if p != TUTORIAL])
def test_console_blocks(run: Run, page: str) -> None:
    Path("examples").symlink_to(ROOT / "examples")
    code = 0
    for command, expected in commands(page):
        if command == "echo $?":
            assert expected == f"{code}\n"
            continue
        program, *arguments = shlex.split(command)
        assert program == "threadwise"
        one_job = ["--jobs", "1"] if arguments[0] == "check" else []
        outcome = run(*arguments, *one_job)
        code = outcome.code
        assert re.fullmatch(pattern(expected), normalised(outcome.err + outcome.out)), command


def test_the_readme_has_commands() -> None:
    assert {"README.md", "docs/user/command-line.md"} <= set(with_blocks("console"))


def test_quoted_models_are_the_files_they_come_from() -> None:
    """A `c` block of the README is a part of the example that is named just before it."""
    text = text_of("README.md")
    found = re.findall(r"`(examples/\S+\.tw)`[^`]*?```c\n(.*?)```", text, re.DOTALL)
    assert found
    for path, block in found:
        assert block in (ROOT / path).read_text(encoding="utf-8")


DEMO = re.compile(r"^\t\$\(call expect,\$\((\w+)\),(.*)\)$", re.MULTILINE)


def test_the_demo_works(run: Run) -> None:
    """The commands of `make demo`, without make."""
    Path("examples").symlink_to(ROOT / "examples")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    names = dict(re.findall(r"^([A-Z]+) := (\S+)$", makefile, re.MULTILINE))
    found = DEMO.findall(makefile)
    assert {names[name] for name, _ in found} == {"0", "1", "3"}
    assert {arguments.split()[0] for _, arguments in found} >= {"check", "replay", "certify"}
    Path(names["DEMO"]).mkdir(parents=True)
    for name, arguments in found:
        expanded = arguments.replace("$(DEMO)", names["DEMO"])
        assert run(*shlex.split(expanded)).code == int(names[name]), arguments
