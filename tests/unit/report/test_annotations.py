"""Proved protections as attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.core.source import Span
from threadwise.proofs.base.locations import Location, Pair, Side
from threadwise.report.annotations import attributes
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict

SIDE = Side("t", Span.at("a.c", 1, 1), True, "x", ())


def lines(*locations: Location) -> list[str]:
    """What is printed."""
    checked = PropertyResult("races", "race", Verdict.SAFE, locations=locations)
    return attributes(Result("a.c", (checked,)))


@pytest.mark.parametrize(
    ("protections", "line"),
    [
        (["under m"], "x: __attribute__((guarded_by(m)))"),
        (["under a and b"], "x: __attribute__((guarded_by(a), guarded_by(b)))"),
        (["under a and b", "under b and c"], "x: __attribute__((guarded_by(b)))"),
        (["under a", "under b"], "// x: under a; under b"),
        (["under pool.lock"], "x: __attribute__((guarded_by(pool.lock)))"),
        (["under (*#0).lock"], "// x: under (*#0).lock"),
        (["only atomic accesses"], "// x: only atomic accesses"),
        (["under m", "alone"], "x: __attribute__((guarded_by(m)))  // or alone"),
    ],
)
def test_a_lock_that_serves_for_all(protections: list[str], line: str) -> None:
    assert lines(Location("x", tuple(protections))) == [line]


def test_nothing_is_said_that_is_not_proved() -> None:
    open_ = Location("x", ("under m",), (Pair(SIDE, SIDE, "neither holds a lock"),))
    assert lines(open_) == []


def test_a_program(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "#include <pthread.h>\nstatic int a, b, c;\n"
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\n"
        "static void *work(void *unused) {\n"
        "    pthread_mutex_lock(&m); a++; pthread_mutex_unlock(&m);\n"
        "    pthread_rwlock_wrlock(&rw); b++; pthread_rwlock_unlock(&rw);\n"
        "    c++;\n    return 0;\n}\n"
        "int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n"
        "    work(0);\n    return 0;\n}\n"
    )
    result = threadwise.check(path, properties="races", engine="locksets", in_process=True)
    told = [line for line in attributes(result) if not line.startswith("//")]
    assert told == ["a: __attribute__((guarded_by(m)))", "b: __attribute__((guarded_by(rw)))"]
