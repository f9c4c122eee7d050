"""The commands in the user documentation work, and print what the pages say.

In a `console` block, `$ threadwise …` is run; the lines below are what it prints, where a line `…`
stands for any number of lines. `$ echo $?` shows the exit code of the command before.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

ROOT = Path(__file__).parents[3]
PAGES = ("command-line.md", "exit-codes.md", "reading-a-trace.md")
ELLIPSIS = "…\n"


def commands(page: str) -> Iterator[tuple[str, str]]:
    text = (ROOT / "docs" / "user" / page).read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def pattern(expected: str) -> str:
    lines = (
        r"(?:.*\n)*" if line == ELLIPSIS else re.escape(_normalised(line))
        for line in expected.splitlines(keepends=True)
    )
    return "".join(lines)


def _normalised(text: str) -> str:
    return re.sub(r"\d+ MB", "M MB", re.sub(r"\d+\.\d\d s", "T s", text))


@pytest.mark.parametrize("page", PAGES)
def test_console_blocks(run: Run, page: str) -> None:
    Path("examples").symlink_to(ROOT / "examples")
    found = list(commands(page))
    assert found
    code = 0
    for command, expected in found:
        if command == "echo $?":
            assert expected == f"{code}\n"
            continue
        program, *arguments = shlex.split(command)
        assert program == "threadwise"
        outcome = run(*arguments)
        code = outcome.code
        assert re.fullmatch(pattern(expected), _normalised(outcome.err + outcome.out)), command
