"""Marks on random lines of random programs: what is left out never hides anything else.

Two threads access variables once in a line, under a lock or not, and nothing else orders them. So
it is plain which pairs of lines race: the same variable, different threads, a write, and not both
under the lock.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

import threadwise
from threadwise.core.source import SourceFile
from threadwise.report.reporting import lines_of, places_of, reported
from threadwise.results.verdict import Verdict

MARK = "  // threadwise: ignore races"
VARIABLES = "ab"


@dataclass(frozen=True)
class Line:
    """An access in a line of its own."""

    variable: str
    write: bool
    locked: bool
    marked: bool

    def text(self) -> str:
        access = f"{self.variable} = 1;" if self.write else f"sink = {self.variable};"
        if self.locked:
            access = f"pthread_mutex_lock(&m); {access} pthread_mutex_unlock(&m);"
        return f"    {access}{MARK if self.marked else ''}"


def drawn(draw: random.Random) -> list[list[Line]]:
    """What each of the threads does."""

    def line() -> Line:
        variable = draw.choice(VARIABLES)
        return Line(variable, draw.random() < 0.6, draw.random() < 0.5, draw.random() < 0.4)

    return [[line() for _ in range(draw.randint(1, 4))] for _ in range(2)]


def written(threads: list[list[Line]]) -> tuple[str, dict[int, tuple[int, Line]]]:
    """The program, and for each line with an access its thread and what it does."""
    lines = ["#include <pthread.h>", f"int {', '.join(VARIABLES)};"]
    lines += ["pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"]
    at: dict[int, tuple[int, Line]] = {}
    for number, accesses in enumerate(threads):
        lines += [f"void *run{number}(void *unused) {{", "    int sink = 0;"]
        for access in accesses:
            lines.append(access.text())
            at[len(lines)] = number, access
        lines += ["    return sink ? unused : 0;", "}"]
    lines += ["int main(void) {", "    pthread_t s, t;"]
    lines += ["    pthread_create(&s, 0, run0, 0);", "    pthread_create(&t, 0, run1, 0);"]
    lines += ["    pthread_join(s, 0);", "    pthread_join(t, 0);", "    return 0;", "}"]
    return "".join(f"{line}\n" for line in lines), at


def racing(at: dict[int, tuple[int, Line]]) -> set[frozenset[int]]:
    """The pairs of lines that race."""
    return {
        frozenset({first, second})
        for first, (one, left) in at.items()
        for second, (two, right) in at.items()
        if one < two
        and left.variable == right.variable
        and (left.write or right.write)
        and not (left.locked and right.locked)
    }


def check(seed: int, folder: Path) -> None:
    """One program."""
    text, at = written(drawn(random.Random(seed)))
    path = folder / "marked.c"
    path.write_text(text)
    left = {pair for pair in racing(at) if not any(at[line][1].marked for line in pair)}
    engine = "locksets" if seed % 2 else "auto"
    result = threadwise.check(path, properties="races", engine=engine, in_process=True)
    found = reported(result, {str(path): SourceFile(str(path), text)})
    (checked,) = found.properties
    if found.verdict is Verdict.SAFE:
        assert not left, text
    if found.verdict is Verdict.UNSAFE:
        assert frozenset(line for _, line in lines_of(places_of(checked))) in left, text
    if engine == "locksets":  # which decides all of these programs pair by pair
        assert (found.verdict is Verdict.SAFE) == (not left), text


@pytest.mark.parametrize("seed", range(10))
def test_marks(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10, 210, 20))
def test_many_marks(block: int, tmp_path: Path) -> None:
    for seed in range(block, block + 20):
        check(seed, tmp_path)
