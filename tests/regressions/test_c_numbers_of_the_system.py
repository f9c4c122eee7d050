"""Numbers that the system determines are not computed: no violation rests on one being any."""

from __future__ import annotations

import pytest

from threadwise.core.options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver import CheckOptions, check_loaded
from threadwise.driver.loading import load_c_sources

PROGRAM = """
#include <assert.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) { BODY return 0; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "assert(dup(0) != 0);",
        "assert(setsid() != 0);",
        "assert(fcntl(0, F_SETFL, O_NONBLOCK) <= 0);",
        "int a = fcntl(0, F_GETFL), b = fcntl(0, F_GETFL); if (a >= 0 && b >= 0) assert(a == b);",
        "int n; assert(ioctl(0, FIONREAD, &n) <= 0);",
        "int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_INET, SOCK_STREAM, 0);"
        " if (a >= 0 && b >= 0) assert(a != b);",
        "int a = eventfd(0, 0), b = eventfd(0, 0); if (a >= 0 && b >= 0) assert(a != b);",
        "int f[2]; if (!socketpair(AF_UNIX, SOCK_STREAM, 0, f)) assert(f[0] != f[1]);",
    ],
)
def test_what_holds_on_every_system_is_not_refuted(body: str) -> None:
    """A wrong UNSAFE once: each call returned any number."""
    source = SourceFile("t.c", PROGRAM.replace("BODY", body))
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_loaded(
        "t.c", lambda: load_c_sources([source], LoadOptions()), options, in_process=True
    )
    assert result.verdict.value == "UNKNOWN"
