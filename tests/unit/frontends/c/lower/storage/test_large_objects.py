"""Large arrays take as many edges as small ones; members of library types; empty records."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions
from threadwise.ir.program import Program

HEAD = """
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>
"""


def load(text: str) -> Program:
    return load_c([SourceFile("main.c", HEAD + text)], COptions()).program


def verdict(program: Program) -> str:
    options = CheckOptions(properties=("assertions",), engine="explicit")
    return check_loaded("main.c", lambda: program, options, in_process=True).verdict.value


LARGE = "struct large { int n; char text[%d]; int m; } a, b; int n; "
USES = [
    "int main(void) { a = b; return a.text[0]; }",
    "int main(void) { memset(&a, 0, sizeof a); return a.text[0]; }",
    "int main(void) { memcpy(&a, &b, sizeof a); return a.text[0]; }",
    "int main(void) { write(1, &a, sizeof a); return a.text[0]; }",
    "int main(void) { read(0, &a, sizeof a); return a.text[0]; }",
    'int main(void) { sscanf("x", "%%s", a.text); return a.text[0]; }',
]


@pytest.mark.parametrize("use", USES)
def test_the_size_does_not_matter(use: str) -> None:
    sizes = [len(load(LARGE % size + use.replace("%%", "%")).edges) for size in (100, 4000)]
    assert sizes[0] == sizes[1]


COPIES = """
struct large { int n; char text[40]; int m; } a, b;
int main(void)
{
    b.n = 1; b.text[39] = 2; b.m = 3;
    a = b;
    assert(a.n == 1 && a.text[39] == 2 && a.text[38] == 0 && a.m == 3);
    memset(&a, %d, sizeof a);
    assert(a.n == 0 && a.text[39] == 0 && a.m == 0);
}
"""


@pytest.mark.parametrize(("filler", "expected"), [(0, "SAFE"), (1, "UNSAFE")])
def test_copies_and_fills_are_exact(filler: int, expected: str) -> None:
    assert verdict(load(COPIES % filler)) == expected


FOREIGN = """
typedef union {
    struct { int __lock; unsigned __count; int __owner; int __kind; } __data;
    char __size[40];
} pthread_mutex_t;
typedef struct { unsigned long __val[16]; } sigset_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int sigemptyset(sigset_t *s); int sigaddset(sigset_t *s, int n);
void __assert_fail(const char *e, const char *f, unsigned l, const char *n);
int main(void)
{
    pthread_mutex_t m; sigset_t s;
    sigemptyset(&s); sigaddset(&s, 2);
    m.__data.__lock = 0; m.__data.__count = 0; m.__data.__owner = 0; m.__data.__kind = %d;
    pthread_mutex_lock(&m);
    if (pthread_mutex_lock(&m) == 0) __assert_fail("e", "f", 1, "n");
}
"""


@pytest.mark.parametrize(("kind", "expected"), [(1, "UNSAFE"), (2, "SAFE")])
def test_members_of_library_types_are_initialised(kind: int, expected: str) -> None:
    program = load_c([SourceFile("main.c", FOREIGN % kind)], COptions()).program
    assert verdict(program) == expected


def test_empty_records() -> None:
    text = "struct none { }; struct some { struct none e; int n; } s, t; "
    assert (
        verdict(load(f"{text} int main(void) {{ s.n = 3; t = s; assert(t.n == 3); }}")) == "SAFE"
    )
