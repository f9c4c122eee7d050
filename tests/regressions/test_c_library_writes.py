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
