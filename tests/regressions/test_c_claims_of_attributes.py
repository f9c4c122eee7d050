"""Attributes about locks are claims: checked, findings of their own, and without effect else."""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict

PROGRAM = """\
#include <pthread.h>
#include <assert.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
DECLARED
static void *work(void *unused) {
    BODY
    return 0;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    BODY
    pthread_join(other, 0);
    return 0;
}
"""
LOCKED = "pthread_mutex_lock(&mutex); BODY pthread_mutex_unlock(&mutex);"


def checked(folder: Path, declared: str, body: str, asked: str = "assertions") -> Result:
    path = folder / "claims.c"
    path.write_text(PROGRAM.replace("DECLARED", declared).replace("BODY", body))
    return threadwise.check(path, properties=asked, in_process=True)


def names(result: Result, verdict: Verdict = Verdict.UNSAFE) -> list[str]:
    return [found.name for found in result.properties if found.verdict is verdict]


SPELLINGS = [
    "static int x __attribute__((guarded_by(mutex)));",
    "static int x __attribute__((__guarded_by__(mutex)));",
    "static int x __attribute__((guarded_by(&mutex)));",
    "#define GUARDED_BY(m) __attribute__((guarded_by(m)))\nstatic int x GUARDED_BY(mutex);",
    "static pthread_mutex_t *where = &mutex;\nstatic int x __attribute__((guarded_by(where)));",
    "extern int x __attribute__((guarded_by(mutex))); int x;",
]


@pytest.mark.parametrize("declared", SPELLINGS)
def test_all_spellings(tmp_path: Path, declared: str) -> None:
    assert checked(tmp_path, declared, LOCKED.replace("BODY", "x++;")).verdict == "SAFE"
    assert names(checked(tmp_path, declared, "x++;"))


def test_all_uses(tmp_path: Path) -> None:
    uses = ("if (x) return 0;", "x += 2;", "x = 1;", "while (x) x--;")
    found = checked(tmp_path, SPELLINGS[0], "\n".join(uses))
    lines = {name.split(":")[1] for name in names(found)}
    assert lines == {"7", "8", "9", "10", "16", "17", "18", "19"}


def test_taking_the_address_is_no_use(tmp_path: Path) -> None:
    assert checked(tmp_path, SPELLINGS[0], "int *p = &x; (void)p;").verdict == "SAFE"


def test_a_claim_is_another_finding_than_the_assertion(tmp_path: Path) -> None:
    found = checked(tmp_path, SPELLINGS[0], "assert(x == 0);")
    assert {name.partition(":")[0] for name in names(found)} == {"claim"}
    assert {n.partition(":")[0] for n in names(found, Verdict.SAFE)} == {"assert"}


@pytest.mark.parametrize(
    ("body", "asked", "verdict"),
    [
        ("x++;", "races", "UNSAFE"),
        (LOCKED.replace("BODY", "x++;"), "races", "SAFE"),
        ("x++; pthread_mutex_lock(&mutex); pthread_mutex_lock(&mutex);", "deadlocks", "UNSAFE"),
        ("x++; pthread_mutex_unlock(&mutex);", "mutex", "UNSAFE"),
    ],
)
def test_nothing_hides_behind_a_claim(tmp_path: Path, body: str, asked: str, verdict: str) -> None:
    assert checked(tmp_path, SPELLINGS[0], body, asked).verdict == verdict


def test_locks_that_are_not_checked_are_told(tmp_path: Path) -> None:
    for lock in ("shared", "3", "pick(1)"):
        declared = f"#define pick(n) n\nstatic int x __attribute__((guarded_by({lock})));"
        try:
            found = checked(tmp_path, declared, "x++;")
        except threadwise.InputError:  # no attribute for the compiler either
            continue
        assert names(found) == []
        assert any("not checked" in warning.message for warning in found.warnings)


def test_members_name_members(tmp_path: Path) -> None:
    declared = (
        "struct box { pthread_mutex_t lock; struct { int v __attribute__((guarded_by(lock))); "
        "} in; int w __attribute__((guarded_by(lock))); };\n"
        "static struct box box = {PTHREAD_MUTEX_INITIALIZER, {0}, 0};"
    )
    good = "pthread_mutex_lock(&box.lock); box.w++; pthread_mutex_unlock(&box.lock);"
    assert checked(tmp_path, declared, good).verdict == "SAFE"
    assert names(checked(tmp_path, declared, "struct box *b = &box; b->w++;"))


def test_functions_of_these_names_stay_functions(tmp_path: Path) -> None:
    declared = "static int guarded_by(int n) { return n; }\nstatic int x;"
    found = checked(tmp_path, declared, "assert(guarded_by(3) == 3);")
    assert found.verdict == "SAFE"


def test_what_callers_hold(tmp_path: Path) -> None:
    declared = (
        "static int x;\n"
        "static void add(int n, pthread_mutex_t *held) "
        "__attribute__((requires_capability(*held), exclusive_locks_required(mutex)));\n"
        "static void add(int n, pthread_mutex_t *m) { x += n; }"
    )
    call = "add(1, &mutex);"
    assert checked(tmp_path, declared, LOCKED.replace("BODY", call)).verdict == "SAFE"
    assert names(checked(tmp_path, declared, call))
