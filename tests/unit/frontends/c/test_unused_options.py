"""Options that name what a program does not have."""

from pathlib import Path

import pytest

from threadwise.core.source import SourceFile
from threadwise.frontends.c import read_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <stdlib.h>
void wait_for_work(void);
static int helper(int n) { return n; }
int main(void) { wait_for_work(); return helper(abs(3)); }
"""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (COptions(), []),
        (COptions(pure=frozenset({"wait_for_work", "helper", "abs"})), []),
        (COptions(idle=frozenset({"main"})), []),
        (
            COptions(pure=frozenset({"wait_for_wrk"})),
            ["--assume-pure wait_for_wrk: the program has no such function"],
        ),
        (
            COptions(idle=frozenset({"helper", "a", "b"})),
            [
                "--idle a: the program has no such function",
                "--idle b: the program has no such function",
            ],
        ),
    ],
)
def test_names_of_functions(options: COptions, told: list[str]) -> None:
    warnings = read_c([SourceFile("a.c", TEXT)], options).warnings
    assert [each.message for each in warnings] == told


def test_folders(tmp_path: Path) -> None:
    options = COptions(include=(str(tmp_path), str(tmp_path / "none")))
    (warning,) = read_c([SourceFile("a.c", TEXT)], options).warnings
    assert warning.message == f"-I {tmp_path / 'none'}: no such folder"
