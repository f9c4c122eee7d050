"""The numbers of errors and of sockets in our headers are those of the system."""

from __future__ import annotations

import errno
import re
import socket
import sys
from importlib.resources import files

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the numbers of Linux")
HEADERS = files("threadwise.frontends.c") / "headers"


def numbers(header: str) -> dict[str, int]:
    """The constants of a header; a constant may be the name of another one."""
    text = HEADERS.joinpath(header).read_text(encoding="utf-8")
    found: dict[str, int] = {}
    for name, value in re.findall(r"#define ([A-Z]\w+) (\w+)\n", text):
        found[name] = found[value] if value in found else int(value, 0)
    return found


def test_all_errors_have_the_number_of_the_system() -> None:
    names = set(errno.errorcode.values())
    assert len(names) > 100
    ours = numbers("errno.h")
    assert {name: ours.get(name) for name in names} == {
        name: getattr(errno, name) for name in names
    }


def test_numbers_of_sockets_are_those_of_the_system() -> None:
    ours = numbers("sys/socket.h")
    known = {name: value for name, value in ours.items() if hasattr(socket, name)}
    assert {"SO_RCVTIMEO", "SO_LINGER", "MSG_NOSIGNAL", "SOCK_CLOEXEC"} <= set(known)
    del known["SOMAXCONN"]  # depends on the kernel
    assert known == {name: getattr(socket, name) for name in known}
