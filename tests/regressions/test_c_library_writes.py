"""Library functions write what they are given, whether or not anything changes by it."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
int x[3];
int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int order_r(const void *a, const void *b, void *c) { return *(int *)a - *(int *)b; }
void *work(void *unused) { CALL; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int n = x[0];
    return n;
}
"""


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("qsort(x, 3, sizeof x[0], order)", "UNSAFE"),
        ("qsort(x, 2, sizeof x[0], order)", "UNSAFE"),
        ("qsort_r(x, 3, sizeof x[0], order_r, 0)", "UNSAFE"),
        ("qsort(x + 1, 2, sizeof x[0], order)", "SAFE"),
        ("qsort(x, 1, sizeof x[0], order)", "SAFE"),
        ("int k = 0; bsearch(&k, x, 3, sizeof x[0], order)", "SAFE"),
    ],
)
def test_what_is_sorted_is_written(call: str, verdict: str) -> None:
    """A wrong SAFE once: only elements that were out of order were written."""
    assert checked(PROGRAM.replace("CALL", call), "races").verdict.value == verdict


COMPARED = """
#include <pthread.h>
#include <string.h>
char one[4] = "abc", two[4] = "xbc";
void *work(void *unused) { CALL; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    one[2] = 'z';
    return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("memcmp(one, two, 4)", "UNSAFE"),
        ("memcmp(two, one, 3)", "UNSAFE"),
        ("int n = 3; memcmp(one, two, n)", "UNSAFE"),
        ("memcmp(one, two, 2)", "SAFE"),
        ("memcmp(two, two, 4)", "SAFE"),
    ],
)
def test_all_that_is_compared_is_read(call: str, verdict: str) -> None:
    """A wrong SAFE once: what is behind the first difference was not read."""
    assert checked(COMPARED.replace("CALL", call), "races").verdict.value == verdict


ATTRIBUTES = """
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/uio.h>
#include <time.h>
pthread_attr_t attr;
pthread_mutexattr_t mutexattr;
pthread_condattr_t condattr;
pthread_rwlockattr_t rwlockattr;
pthread_barrierattr_t barrierattr;
pthread_mutex_t m;
pthread_cond_t c;
pthread_barrier_t b;
char text[4];
struct iovec parts[1] = { { text, 4 } };
void *none(void *unused) { return 0; }
void *work(void *unused) { CALL; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    OTHER;
    return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "other"),
    [
        ("pthread_attr_setstacksize(&attr, 65536)", "pthread_attr_setguardsize(&attr, 1)"),
        ("pthread_attr_init(&attr)", "pthread_create(&t, &attr, none, 0)"),
        ("pthread_attr_destroy(&attr)", "int n; pthread_attr_getdetachstate(&attr, &n)"),
        ("pthread_mutexattr_destroy(&mutexattr)", "pthread_mutex_init(&m, &mutexattr)"),
        ("pthread_mutexattr_setpshared(&mutexattr, 0)", "pthread_mutex_init(&m, &mutexattr)"),
        ("pthread_condattr_setclock(&condattr, 1)", "pthread_cond_init(&c, &condattr)"),
        ("pthread_rwlockattr_destroy(&rwlockattr)", "pthread_rwlockattr_init(&rwlockattr)"),
        ("pthread_barrierattr_init(&barrierattr)", "pthread_barrier_init(&b, &barrierattr, 1)"),
        ("text[2] = 1", "long n = writev(1, parts, 1)"),
        ("parts[0].iov_len = 0", "long n = writev(1, parts, 1)"),
    ],
)
def test_attributes_and_parts_are_read_and_written(call: str, other: str) -> None:
    """A wrong SAFE once: these functions did not look at their arguments."""
    text = ATTRIBUTES.replace("CALL", call).replace("OTHER", other)
    assert checked(text, "races").verdict.value == "UNSAFE"


def test_attributes_of_ones_own_do_not_race() -> None:
    own = "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 65536);"
    text = ATTRIBUTES.replace("CALL", f"{own} pthread_attr_destroy(&a)")
    text = text.replace("OTHER", f"{own} pthread_create(&t, &a, none, 0)")
    assert checked(text, "races").verdict.value == "SAFE"


WAITING = """
#include <threads.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
struct timespec rest;
char *page;
void *work(void *unused) { struct timespec given = { 0, 5 }; CALL; return 0; }
int main(void) {
    pthread_t t;
    page = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    pthread_create(&t, 0, work, 0);
    long n = rest.tv_sec + page[1];
    pthread_join(t, 0);
    return n > 0;
}
"""


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("nanosleep(&given, &rest)", "UNSAFE"),
        ("nanosleep(&given, 0)", "SAFE"),
        ("nanosleep(&rest, &given)", "SAFE"),
        ("clock_nanosleep(CLOCK_MONOTONIC, 0, &given, &rest)", "UNSAFE"),
        ("thrd_sleep(&given, &rest)", "UNSAFE"),
        ("thrd_sleep(&given, 0)", "SAFE"),
        ("madvise(page, 4, MADV_DONTNEED)", "UNSAFE"),
        ("madvise(page, 4, MADV_NORMAL)", "SAFE"),
    ],
)
def test_time_that_remains_and_memory_that_is_not_needed(call: str, verdict: str) -> None:
    assert checked(WAITING.replace("CALL", call), "races").verdict.value == verdict


FILES = """
#include <pthread.h>
#include <stdio.h>
FILE *file;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused) { WORK; return 0; }
int main(void) {
    pthread_t t;
    file = fopen("x", "r+");
    if (!file)
        return 1;
    pthread_create(&t, 0, work, 0);
    MAIN;
    return 0;
}
"""
_LOCKED = "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m)"


@pytest.mark.parametrize(
    ("work", "main", "verdict"),
    [
        ('fprintf(file, "x")', "fclose(file)", "UNSAFE"),
        ("char b[2]; fgets(b, 2, file)", "fclose(file)", "UNSAFE"),
        ("getc(file)", "fclose(file)", "UNSAFE"),
        ("fflush(file)", "fclose(file)", "UNSAFE"),
        ("fseek(file, 0, SEEK_SET)", "fclose(file)", "UNSAFE"),
        ('fprintf(file, "x")', "pclose(file)", "UNSAFE"),
        ('fprintf(file, "x")', "pthread_join(t, 0); fclose(file)", "SAFE"),
        ('fprintf(file, "x")', 'fputs("y", file)', "SAFE"),
        (
            'FILE *f = fopen("y", "w"); if (f) { fputs("z", f); fclose(f); }',
            "fclose(file)",
            "SAFE",
        ),
        ("fflush(0)", "fclose(file)", "SAFE"),
        ('fprintf(stderr, "x")', "fclose(stderr); fclose(file)", "SAFE"),
        (
            _LOCKED.format('if (file) fputs("a", file);'),
            _LOCKED.format("fclose(file); file = 0;"),
            "SAFE",
        ),
    ],
)
def test_files_that_are_closed(work: str, main: str, verdict: str) -> None:
    """A wrong SAFE once: all files were one object, and closing it had no effect."""
    text = FILES.replace("WORK", work).replace("MAIN", main)
    assert checked(text, "races").verdict.value == verdict
