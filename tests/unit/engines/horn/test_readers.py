"""Numbers that count threads, any number of them: they do not wrap, which is assumed and said."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.unit.engines.tallies.proving import assert_not_proved
from threadwise.api import check
from threadwise.engines.api import EngineOptions, Finding, Task
from threadwise.engines.horn.horn_engine import Hints, HornEngine
from threadwise.engines.parametric import with_parametric
from threadwise.report.doubts import about_threads
from threadwise.results.verdict import Verdict

MOST_UNITS = 1_000_000

TEXT = """#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
int writing, x, y;
COUNT reading;
void __VERIFIER_atomic_write(void) { __VERIFIER_assume(writing == 0 && READERS); writing = 1; }
void __VERIFIER_atomic_read(void) { __VERIFIER_assume(WRITER); reading = reading + 1; }
void __VERIFIER_atomic_leave(void) { reading = reading - 1; }
void *writer(void *argument)
{
    __VERIFIER_atomic_write();
    x = 3;
    writing = 0;
    return 0;
}
void *reader(void *argument)
{
    __VERIFIER_atomic_read();
    int seen = x;
    y = seen;
    assert(y == x);
    __VERIFIER_atomic_leave();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    while (1)
        pthread_create(&thread, 0, reader, 0);
}
"""


def text(count: str = "int", readers: str = "reading == 0", writer: str = "writing == 0") -> str:
    return TEXT.replace("COUNT", count).replace("READERS", readers).replace("WRITER", writer)


def abstraction(task: Task) -> Iterator[Finding]:
    """Proofs of the parametric abstractions, with one representative."""
    limited = Task(task.program, task.properties, EngineOptions(max_solver_units=MOST_UNITS))
    run = partial(HornEngine()._run, hints=Hints(limited), k=1, narrow=True)
    return with_parametric(limited, run, lambda _: iter(()))


def test_what_is_assumed_is_listed(tmp_path: Path) -> None:
    source = tmp_path / "readers.c"
    source.write_text(text(), encoding="utf-8")
    result = check(source, engine="horn", properties="assertions", in_process=True)
    assert result.verdict is Verdict.SAFE
    told = "at most 1,073,741,823 threads that run reader are created"
    assert told in result.assumptions
    assert about_threads(result) == [told]


@pytest.mark.parametrize(
    "wrong",
    [
        text(count="unsigned char"),
        text(readers="reading < 2"),
        text(writer="1"),
    ],
    ids=["a byte wraps", "one reader is too few", "readers do not wait"],
)
def test_near_misses_are_not_proved(wrong: str) -> None:
    assert_not_proved(abstraction, wrong)
