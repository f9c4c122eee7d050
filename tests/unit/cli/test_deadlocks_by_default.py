"""Deadlocks of C where nobody asked: on the time that is left, idle threads are a note."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.report.schemas import faults
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.running.spare import MARGIN_S, WHILE_S, time_left

SCHEMA = json.loads((files("threadwise.report") / "report.schema.json").read_text("utf-8"))
TEXT = """
#include <pthread.h>
#include <semaphore.h>
static sem_t work;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *p) { while (1) { sem_wait(&work); } }
static void *one(void *p)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void *other(void *p)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);  %s
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
int main(void)
{
    pthread_t t, u;
    sem_init(&work, 0, 1);
    %s
    pthread_exit(0);
}
"""
IDLE = TEXT % ("", "pthread_create(&t, 0, worker, 0); sem_post(&work);")
CIRCLE = TEXT % ("", "pthread_create(&t, 0, one, 0); pthread_create(&u, 0, other, 0);")
KNOWN = TEXT % (
    "// threadwise: ignore deadlocks",
    "pthread_create(&t, 0, one, 0); pthread_create(&u, 0, other, 0);",
)
SAFE = TEXT % ("", "pthread_create(&t, 0, one, 0);")


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [(IDLE, 0, None), (CIRCLE, 1, "UNSAFE"), (KNOWN, 0, None), (SAFE, 0, "SAFE")],
    ids=["idle", "cycle", "known", "safe"],
)
def test_nobody_asked(run: Run, text: str, code: int, verdict: str | None) -> None:
    Path("pool.c").write_text(text)
    ended = run("check", "pool.c", "--format", "json")
    assert ended.code == code, ended.out
    document = json.loads(ended.out)
    assert list(faults(SCHEMA, document)) == []
    found = {each["name"]: each["verdict"] for each in document["properties"]}
    assert found.pop("deadlocks", None) == verdict
    assert set(found.values()) == {"SAFE"}
    left = document.get("spare", [])
    assert [each["name"] for each in left] == (["deadlocks"] if verdict is None else [])
    assert ["idle" in each for each in left] == ([text is IDLE] if verdict is None else [])


def test_idle_threads_are_a_note(run: Run) -> None:
    Path("pool.c").write_text(IDLE)
    told = run("check", "pool.c")
    assert told.code == 0
    assert "pool.c:6:44: note: idle: worker at line 6 waits forever" in told.out
    assert told.out.endswith("SAFE\n")
    sarif = json.loads(run("check", "pool.c", "--format", "sarif").out)["runs"][0]
    assert sarif["results"] == []
    assert sarif["invocations"][0]["toolExecutionNotifications"] == []


def test_who_asks_is_told(run: Run) -> None:
    Path("pool.c").write_text(IDLE)
    ended = run("check", "pool.c", "--property", "deadlocks")
    assert ended.code == 1
    assert "note: idle" not in ended.out


def test_what_is_asked_for_is_all_there_is(tmp_path: Path) -> None:
    path = tmp_path / "pool.c"
    path.write_text(CIRCLE)
    for options in (CheckOptions(("mutex",)), CheckOptions(engine="explicit")):
        result = check_file(str(path), options, in_process=True)
        assert not result.spare
        assert "deadlocks" not in {checked.name for checked in result.properties}


def test_steps_that_are_used_up_are_no_reason(tmp_path: Path) -> None:
    path = tmp_path / "pool.c"
    path.write_text(CIRCLE)
    whole = check_file(str(path), CheckOptions(budget=Budget(steps=100_000)))
    assert [checked.verdict.value for checked in whole.properties][-1:] == ["UNSAFE"]
    few = check_file(str(path), CheckOptions(budget=Budget(steps=1)))
    assert [checked.name for checked in few.spare] == ["deadlocks"]
    assert few.verdict.value == "UNKNOWN"


def test_how_long_it_may_take() -> None:
    assert time_left(None, 1.0) == WHILE_S
    assert time_left(None, 2 * WHILE_S) == 2 * WHILE_S
    assert time_left(10.0, 4.0) == 6.0 - MARGIN_S
    assert time_left(10.0, 10.0) < 0
