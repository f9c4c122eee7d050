"""Numbers that the system determines: no violation rests on one being any."""

from __future__ import annotations

import pytest

from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources

PROGRAM = """
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) { BODY return 0; }
"""


OPEN = "if (a < 0 || b < 0) return 1; assert(a != b);"


@pytest.mark.parametrize(
    "body",
    [
        "assert(setsid() != 0);",
        "assert(fcntl(0, F_SETFL, O_NONBLOCK) <= 0);",
        "int a = fcntl(0, F_GETFL), b = fcntl(0, F_GETFL); if (a >= 0 && b >= 0) assert(a == b);",
        "int n; assert(ioctl(0, FIONREAD, &n) <= 0);",
    ],
)
def test_what_holds_on_every_system_is_not_refuted(body: str) -> None:
    """A wrong UNSAFE once: each call returned any number."""
    assert verdict(body) == "UNKNOWN"


@pytest.mark.parametrize(
    "body",
    [
        "assert(dup(0) != 0);",
        'int a = open("x", 0), b = open("x", 0);' + OPEN,
        'int a = open("x", 0), b = creat("y", 0600);' + OPEN,
        "int a = socket(AF_INET, SOCK_STREAM, 0), b = accept(a, 0, 0);" + OPEN,
        "int a = accept(0, 0, 0), b = accept(0, 0, 0);" + OPEN,
        "int a = eventfd(0, 0), b = dup(a);" + OPEN,
        'int a = open("x", 0), b = dup2(0, 5);' + OPEN,
        "char n[] = \"aXXX\"; assert(mkstemp(n) < 0 && n[3] == 'X');",
        "int f[2]; if (!socketpair(AF_UNIX, SOCK_STREAM, 0, f)) assert(f[0] != f[1]);",
        'int f[2]; if (!pipe(f)) { int a = open("x", 0); assert(a != f[0] && a != f[1]); }',
    ],
)
def test_open_files_have_numbers_of_their_own(body: str) -> None:
    """A wrong UNSAFE once: two open files could have one number."""
    assert verdict(body) == "SAFE"


@pytest.mark.parametrize(
    "body",
    [
        'int a = open("x", 0); close(a); int b = open("x", 0);' + OPEN,
        'int a = open("x", 0); int b = dup2(0, 3);' + OPEN,
        'close(0); int a = open("x", 0); assert(a != 0);',
    ],
)
def test_numbers_are_used_again(body: str) -> None:
    assert verdict(body) == "UNSAFE"


def verdict(body: str) -> str:
    source = SourceFile("t.c", PROGRAM.replace("BODY", body))
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_loaded(
        "t.c", lambda: load_c_sources([source], LoadOptions()), options, in_process=True
    )
    return result.verdict.value
