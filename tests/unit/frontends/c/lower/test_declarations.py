"""Local variables without initialiser that are too large to be followed cell by cell."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.frontends.c import load_c
from threadwise.frontends.c.lower import Lowered
from threadwise.frontends.c.lower.liveness import FOLLOWED
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.indeterminate import reads_of_indeterminate
from threadwise.ir.check.validate import validate
from threadwise.ir.text.printer import print_place

HEAD = "#include <pthread.h>\nstruct record { long key; char text[2000]; };\nint seen;\n"
LARGE = FOLLOWED + 1


def lowered(body: str) -> Lowered:
    """A function `main` as it is lowered; nothing reads what was left out of it."""
    text = f"{HEAD}int main(int n, char **v) {{ {body} }}"
    found = load_c([SourceFile("x.c", text)], COptions()).lowered
    assert validate(found.program) == []
    assert list(reads_of_indeterminate(found.program, found.indeterminate)) == []
    return found


def listed(found: Lowered) -> list[str]:
    """The places whose values are left out."""
    return [print_place(place) for places in found.indeterminate.values() for place in places]


def in_memory(found: Lowered, name: str) -> bool:
    """Whether a variable of `main` has become memory."""
    return any(each.variable.name == f"main.{name}" for each in found.program.globals)


@pytest.mark.parametrize(
    "declared", [f"char b[{LARGE}]; b[n & 3] = 1;", "struct record b; b.key = n;"]
)
def test_a_large_variable_that_nothing_reads_is_listed_as_a_whole(declared: str) -> None:
    found = lowered(f"{declared} return 0;")
    assert listed(found) == ["b"]
    assert not in_memory(found, "b")


@pytest.mark.parametrize(
    "used",
    [
        f"char b[{LARGE}]; b[0] = 1; seen = b[n & 3]; return 0;",
        f"char b[{LARGE}]; for (int i = 0; i < {LARGE}; i++) b[i] = 1; seen = b[n & 3]; return 0;",
        "struct record b; b.key = n; seen = (int)b.key; return 0;",
    ],
)
def test_a_large_variable_that_is_read_is_memory(used: str) -> None:
    assert in_memory(lowered(used), "b")


def test_cells_of_smaller_variables_are_listed_one_by_one() -> None:
    found = lowered("char b[3]; b[0] = 1; seen = b[0]; return 0;")
    assert listed(found) == ["b[0]", "b[1]", "b[2]"]
    assert not in_memory(found, "b")


def test_ids_of_threads_stay_where_they_are() -> None:
    found = lowered(f"for (;;) {{ pthread_t t[{LARGE}]; if (n) pthread_join(t[n & 3], 0); }}")
    assert not in_memory(found, "t")
