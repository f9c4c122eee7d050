"""The linked program: where its scheduling points are, and where its variables are.

Addresses count from the beginning of the program file, as the linker numbers them where the
program may be loaded anywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.core.source import Span
from threadwise.reproduction.points import PointKind, kind_of_call

_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(.*)$")
_CALL = re.compile(r"^(?:callq?|bl|jmpq?|b)\s+[0-9a-f]+ <([^>+]+)>")
_WRAPPER = "__wrap_"
_LIBRARY = "@plt"
_ENTRY, _EXIT = "__tsan_func_entry", "__tsan_func_exit"
_ATOMIC = "__VERIFIER_atomic_"
_FAILING = ("reach_error", "__VERIFIER_error")


@dataclass(frozen=True)
class Site:
    """A call in the program: its return address, what it is, and the line it comes from."""

    address: int
    callee: str
    kind: PointKind
    function: str
    path: str
    line: int
    is_external: bool = False
    """Whether it goes to a library."""

    @property
    def is_wrapped(self) -> bool:
        """Whether the call goes to our runtime."""
        return self.callee.startswith(_WRAPPER)

    def is_inside(self, span: Span) -> bool:
        """Whether the call belongs to a stretch of source."""
        return span.line <= self.line <= span.end_line and is_same_file(self.path, span.path)


@dataclass(frozen=True)
class Symbol:
    """A variable in the program."""

    address: int
    size: int


@dataclass(frozen=True)
class MachineCode:
    """What is known about a linked program."""

    sites: tuple[Site, ...]
    symbols: dict[str, Symbol] = field(default_factory=dict)

    @cached_property
    def at(self) -> dict[int, Site]:
        """Calls by their return addresses."""
        return {site.address: site for site in self.sites}

    @cached_property
    def _by_line(self) -> dict[int, list[Site]]:
        found: dict[int, list[Site]] = {}
        for site in self.sites:
            found.setdefault(site.line, []).append(site)
        return found

    def inside(self, span: Span) -> Iterator[Site]:
        """The calls in a stretch of source."""
        for line in range(span.line, span.end_line + 1):
            for site in self._by_line.get(line, ()):
                if site.is_inside(span):
                    yield site


def is_same_file(first: str, second: str) -> bool:
    """Whether two names are of one file; where one is gone, whether they end alike."""
    if os.path.basename(first) != os.path.basename(second):
        return False
    if os.path.exists(first) and os.path.exists(second):
        return os.path.samefile(first, second)
    return True


def read_machine_code(program: Path) -> MachineCode:
    """The calls and variables of a linked program."""
    calls = list(_calls(_output(["objdump", "-d", "--no-show-raw-insn", str(program)])))
    lines = _lines(program, [address - 1 for address, _ in calls])
    sites = []
    for (address, called), (function, path, line) in zip(calls, lines, strict=True):
        if line:
            callee = called.removesuffix(_LIBRARY)
            kind = _kind(callee, function)
            external = called != callee
            sites.append(Site(address, callee, kind, function, path, line, external))
    return MachineCode(tuple(sites), _symbols(program))


def _calls(listing: str) -> Iterator[tuple[int, str]]:
    callee: str | None = None
    for line in listing.splitlines():
        match = _INSTRUCTION.match(line)
        if match is None:
            continue
        if callee is not None:
            yield int(match[1], 16), callee
        call = _CALL.match(match[2])
        callee = call[1] if call else None


def _kind(callee: str, function: str) -> PointKind:
    if not callee.startswith(_WRAPPER):
        return PointKind.NOTHING
    name = callee.removeprefix(_WRAPPER)
    if name == _ENTRY and function in _FAILING:
        return PointKind.FAILURE
    if function.startswith(_ATOMIC) and name in (_ENTRY, _EXIT):
        return PointKind.ATOMIC_ENTRY if name == _ENTRY else PointKind.ATOMIC_EXIT
    return kind_of_call(name)


def _lines(program: Path, addresses: Sequence[int]) -> Iterator[tuple[str, str, int]]:
    text = "\n".join(f"{address:#x}" for address in addresses)
    answer = _output(["addr2line", "-f", "-e", str(program)], text).splitlines()
    for function, place in zip(answer[::2], answer[1::2], strict=True):
        path, _, line = place.partition(" ")[0].rpartition(":")
        yield function, path, int(line) if line.isdigit() else 0


def _symbols(program: Path) -> dict[str, Symbol]:
    """Variables whose names are not taken twice."""
    found: dict[str, Symbol] = {}
    twice: set[str] = set()
    for line in _output(["nm", "-S", "--defined-only", str(program)]).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "bBdD":
            name = words[3].partition(".")[0]
            if name in found:
                twice.add(name)
            found[name] = Symbol(int(words[0], 16), int(words[1], 16))
    return {name: symbol for name, symbol in found.items() if name not in twice}


def _output(command: list[str], text: str = "") -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise InputError.of(f"`{command[0]}` is not installed", hint="install binutils") from None
    return done.stdout
