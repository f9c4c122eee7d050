"""Property `memory`: local variables end with their functions and blocks, files with `fclose`.

All of the wrong ones were once SAFE, some of them under an assumption that the program breaks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from tests.unit.frontends.c.checking import loaded, verdicts
from threadwise.frontends.c.options import COptions

HEAD = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
pthread_t t;
int *g;
void *work(void *arg) { int *p = arg; p[0] = 1; return 0; }
void *local(void *arg) { int here = 4; void *p = &here; return p; }
int *gone(void) { int here = 1; int *p = &here; return p; }
void start(void) { int a[3]; a[0] = 0; pthread_create(&t, 0, work, a); }
void run(void) { int a[3]; a[0] = 0; pthread_create(&t, 0, work, a); pthread_join(t, 0); }
void set(int **place, int *value) { *place = value; }
int chosen(int c) {
    switch (c) {
        case 0: { int x = 1; g = &x; *g = 3; break; }
        case 1: { int y = 2; g = &y; return *g; }
        default: ;
    }
    return LAST;
}
"""
WRONG = {
    "a thread uses what a function left": "start(); pthread_join(t, 0);",
    "the result of a function": "*gone() = 1;",
    "the result of a thread": "void *r; pthread_create(&t, 0, local, 0); pthread_join(t, &r);"
    " return *(int *)r;",
    "a block": "int *p = 0; { int k = 3; p = &k; } *p = 1;",
    "a block that a thread uses": "if (1) { int k[1] = { 3 }; pthread_create(&t, 0, work, k); }"
    " pthread_join(t, 0);",
    "a loop left by break": "int *p = 0; for (int i = 0; i < 3; i++) { int k = i; p = &k;"
    " if (i == 1) break; } *p = 1;",
    "an iteration left by continue": "int *p = 0; for (int i = 0; i < 3; i++) { if (p) *p = 0;"
    " int k = i; p = &k; if (i >= 0) continue; }",
    "the variable of a loop": "int *p = 0; for (int i = 0; i < 3; i++) p = &i; *p = 1;",
    "one of two variables of a loop": "int *p = 0; for (int i = 0, j = 0; i < 3; i++) p = &j;"
    " *p = 1;",
    "a switch": "chosen(0);",
    "a file that is closed twice": 'FILE *f = fopen("x", "r"); if (f) { fclose(f); fclose(f); }',
    "a file that is used": 'FILE *f = fopen("x", "r"); if (f) { fclose(f); fgetc(f); }',
    "a freed text": 'char *p = malloc(4); strcpy(p, "abc"); free(p); puts(p);',
    "a freed argument": 'char *p = malloc(4); strcpy(p, "abc"); free(p); printf("%s", p);',
    "a freed block": "char *p = malloc(4); memset(p, 1, 4); free(p); write(1, p, 4);",
}
RIGHT = {
    "threads that are joined": "run(); run();",
    "a block": "int *p, j; { int k = 3; p = &k; *p = 2; j = k; } p = &j; *p = 1;",
    "a loop": "int *p = 0; for (int i = 0; i < 3; i++) { int k = i; set(&p, &k);"
    " if (*p == 1) break; if (*p == 0) continue; k++; }",
    "declarations behind a label": "int *p; switch (0) { case 0: ; int x = 1, y = 2; p = &x;"
    " *p = y; p = &y; *p = 3; }",
    "a block per thread": "for (int i = 0; i < 2; i++) { int k[1] = { i };"
    " pthread_create(&t, 0, work, k); pthread_join(t, 0); }",
    "a file": 'FILE *f = fopen("x", "r"); if (f) { fgetc(f); fclose(f); }',
    "texts": 'char *p = malloc(4); strcpy(p, "abc"); puts(p); printf("%s", p); write(1, p, 4);'
    " free(p);",
}


def _verdict(statements: str, last: str = "*g") -> str:
    text = HEAD.replace("LAST", last) + f"int main(void) {{ {statements} return 0; }}\n"
    return verdicts(text, "memory", options=COptions(lifetimes=True))["memory"]


@pytest.mark.parametrize("statements", WRONG.values(), ids=WRONG.keys())
def test_what_has_ended_is_used(statements: str) -> None:
    assert _verdict(statements) == "UNSAFE"


@pytest.mark.parametrize("statements", RIGHT.values(), ids=RIGHT.keys())
def test_what_lives_is_used(statements: str) -> None:
    assert _verdict(statements) == "SAFE"


def test_blocks_that_are_left_by_break_or_return() -> None:
    assert _verdict("chosen(0); chosen(1); chosen(2);", last="c") == "SAFE"


@pytest.mark.parametrize(
    "statements",
    ['char *p = 0; printf("%s", p);', "char *p = malloc(4); memset(p, 1, 4); write(1, p, 5);"],
)
def test_what_libraries_may_bear_is_undecided(statements: str) -> None:
    assert _verdict(statements) == "UNKNOWN"


def test_ends_that_are_not_followed_are_listed() -> None:
    options = COptions(lifetimes=True)
    blocks = "local variables are not used after their blocks ended"
    for body in (
        "int *p = ({ int k = 1; g = &k; g; }); return *p;",
        "{ g = (int[1]){ 3 }; } return *g;",
        "{ int k; g = &k; goto out; } out: return *g;",
    ):
        text = f"int *g; int main(void) {{ {body} }}"
        assert blocks in loaded(text, options).assumptions


def test_who_asks_for_memory_gets_the_ends_of_lifetimes(tmp_path: Path) -> None:
    file = tmp_path / "t.c"
    file.write_text("int main(void) { int *p; { int k; p = &k; } *p = 1; return 0; }\n")
    for asked in ("memory", "all"):
        result = threadwise.check(file, properties=asked, engine="explicit", in_process=True)
        (found,) = (each for each in result.properties if each.name == "memory")
        assert found.verdict.value == "UNSAFE"
    result = threadwise.check(file, properties="races", engine="explicit", in_process=True)
    assert result.verdict.value == "SAFE"


def test_models_have_no_lifetimes(tmp_path: Path) -> None:
    """What evidence says about how a program was read is what matters for it."""
    file = tmp_path / "t.tw"
    file.write_text("int[0..1] x;\nthread t { x = 1; }\n")
    result = threadwise.check(file, properties="all", in_process=True)
    assert not result.load.c.lifetimes


STARTED = """
#include <pthread.h>
#include <semaphore.h>
struct job {{ int id, result; }};
static pthread_t t[2];
static sem_t copied;
static void *work(void *arg) {{ struct job *j = arg; j->result = j->id; {posts} return 0; }}
static void start(int i) {{
    {declared}
    pthread_create(&t[i], 0, work, {passed});
    {waits}
}}
static void *starter(void *arg) {{ start(1); {leaves} return arg; }}
int main(void) {{
    pthread_t u;
    sem_init(&copied, 0, 0);
    {calls}
    pthread_join(t[1], 0);
    return 0;
}}
"""
ONE = {
    "declared": "struct job job; job.id = i;", "passed": "&job", "calls": "start(1);",
    "waits": "", "posts": "", "leaves": "",
}  # fmt: skip
BY_THREAD = "pthread_create(&u, 0, starter, 0); pthread_join(u, 0);"
GONE = {
    "one thread": {},
    "two threads": {"calls": "start(0); start(1);"},
    "an array": {"declared": "struct job jobs[2]; jobs[0].id = i;", "passed": "jobs"},
    "an element": {"declared": "struct job jobs[2]; jobs[1].id = i;", "passed": "&jobs[1]"},
    "an inner block": {"declared": "struct job job; { job.id = i; }"},
    "a thread that starts another": {"calls": BY_THREAD},
    "a thread that exits": {"calls": BY_THREAD, "leaves": "pthread_exit(0);"},
}
THERE = {
    "joined": {"waits": "pthread_join(t[i], 0);", "calls": "start(1); return 0;"},
    "waited for": {"waits": "sem_wait(&copied);", "posts": "sem_post(&copied);"},
    "static": {"declared": "static struct job job; job.id = i;"},
}


def _races(changes: dict[str, str], engine: str, folder: Path) -> str:
    file = folder / "t.c"
    file.write_text(STARTED.format(**ONE | changes))
    asked = threadwise.check(file, properties="races", engine=engine, in_process=True)
    return asked.verdict.value


@pytest.mark.parametrize("case", GONE)
def test_a_thread_races_with_the_end_of_what_it_was_started_with(
    case: str, tmp_path: Path
) -> None:
    """Once SAFE, assuming that nobody does that."""
    assert _races(GONE[case], "locksets", tmp_path) == "UNKNOWN"
    assert _races(GONE[case], "explicit", tmp_path) == "UNSAFE"


@pytest.mark.parametrize("case", THERE)
def test_a_thread_may_use_what_is_still_there(case: str, tmp_path: Path) -> None:
    assert _races(THERE[case], "explicit", tmp_path) == "SAFE"
