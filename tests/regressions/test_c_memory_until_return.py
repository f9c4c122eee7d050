"""Property `memory`: what `alloca` returns ends with the function, temporary values end at once.

Both were once SAFE. Variables of threads end with their threads, which is assumed, and named.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from tests.unit.frontends.c.checking import loaded, verdicts
from threadwise.frontends.c.options import COptions
from threadwise.report.doubts import about_memory

HEAD = """
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
pthread_t t;
int *g;
struct two { int a[2]; };
struct two both(void) { struct two s = {{1, 2}}; return s; }
int sum(int *p) { return p[0] + p[1]; }
_Thread_local int mine;
void *work(void *arg) { *(int *)arg = 1; return 0; }
int *gone(void) { int *p = alloca(sizeof(int)); *p = 1; return p; }
int used(void) { int *p = alloca(sizeof(int)), *q = alloca(sizeof(int)); *p = *q = 1; return *p; }
void kept(int c) { if (c) { g = alloca(sizeof(int)); *g = 1; return; } g = malloc(4); *g = 1; }
int outer(void) { int *p = gone(); return *p; }
void *leaves(void *arg) { g = alloca(sizeof(int)); *g = 1; return 0; }
void *exits(void *arg) { g = alloca(sizeof(int)); *g = 1; pthread_exit(0); }
void start(void) { int *p = alloca(sizeof(int)); *p = 0; pthread_create(&t, 0, work, p); }
void run(void)
{
    int *p = alloca(sizeof(int));
    *p = 0;
    pthread_create(&t, 0, work, p);
    pthread_join(t, 0);
    *p = 1;
}
"""
WRONG = {
    "the result of a function": "return *gone();",
    "in a global": "kept(1); return *g;",
    "two calls": "return outer();",
    "of a thread that returned": "pthread_create(&t, 0, leaves, 0); pthread_join(t, 0); *g = 2;",
    "of a thread that left": "pthread_create(&t, 0, exits, 0); pthread_join(t, 0); *g = 2;",
    "a thread uses what a function left": "start(); pthread_join(t, 0);",
    "nobody waits": "start(); pthread_exit(0);",
    "the second time": "used(); kept(0); kept(1); return *g;",
}
RIGHT = {
    "inside": "return used() + used();",
    "of main": "int *p = alloca(sizeof(int)); *p = 1; g = p; return *g;",
    "the other branch": "kept(0); return *g;",
    "a thread that was joined": "run(); run();",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    text = f"{HEAD}int main(void) {{ {WRONG[name]} return 0; }}"
    assert verdicts(text, "memory", options=COptions(lifetimes=True)) == {"memory": "UNSAFE"}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    text = f"{HEAD}int main(void) {{ {RIGHT[name]} return 0; }}"
    assert verdicts(text, "memory", options=COptions(lifetimes=True)) == {"memory": "SAFE"}


@pytest.mark.parametrize(
    "body",
    ["int *p = both().a; return *p;", "g = both().a; return g[1];", "return sum(both().a);"],
)
def test_temporary_values_are_not_followed(body: str) -> None:
    text = f"{HEAD}int main(void) {{ {body} }}"
    assert verdicts(text, "memory", options=COptions(lifetimes=True)) == {"memory": "UNKNOWN"}


def test_what_is_assumed() -> None:
    functions = "local variables are not used after their functions returned"
    looping = "void f(void) { for (int i = 0; i < 2; i++) { int *p = alloca(4); *p = 1; } }"
    found = loaded(f"{HEAD}{looping} int main(void) {{ f(); }}", COptions(lifetimes=True))
    assert functions in found.assumptions
    ended = "variables of threads are not used after their threads ended"
    shares = "void *shares(void *arg) { g = &mine; *g = 1; return 0; }"
    text = f"{HEAD}{shares} int main(void) {{ pthread_create(&t, 0, shares, 0); return 0; }}"
    assert ended in loaded(text, COptions(lifetimes=True)).assumptions
    assert ended not in loaded(text, COptions()).assumptions
    alone = f"{HEAD} int main(void) {{ g = &mine; *g = 1; return 0; }}"
    assert ended not in loaded(alone, COptions(lifetimes=True)).assumptions


def test_the_verdict_names_it(tmp_path: Path) -> None:
    file = tmp_path / "t.c"
    shares = "void *shares(void *arg) { g = &mine; *g = 1; return 0; }"
    started = "pthread_create(&t, 0, shares, 0); pthread_join(t, 0); *g = 2; return 0;"
    file.write_text(f"{HEAD}{shares} int main(void) {{ {started} }}")
    result = threadwise.check(file, properties="memory", engine="explicit", in_process=True)
    assert about_memory(result) == ["variables of threads are not used after their threads ended"]
