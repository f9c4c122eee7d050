"""A pointer that never leads anywhere is not followed: writes through it change nothing."""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

TEXT = """
#include <pthread.h>
#include <stdlib.h>
struct job { pthread_t id; int n; } *jobs;
struct { int count, size; } config;
static int depth(int n, int *seen) {
    if (seen) ++*seen;
    return n > 0 ? depth(n - 1, seen) : 0;
}
static void *run(void *given) { ((struct job *)given)->n = depth(2, IN_THREAD); return 0; }
int main(int argc, char **argv) {
    int seen = 0, sum = 0;
    depth(argc, &seen);
    config.count = seen;
    jobs = calloc(config.count, sizeof *jobs);
    for (int i = 0; i < config.count; i++)
        pthread_create(&jobs[i].id, 0, run, &jobs[i]);
    for (int i = 0; i < config.count; i++) {
        pthread_join(jobs[i].id, 0);
        sum += jobs[i].n;
    }
    return sum;
}
"""


@pytest.mark.parametrize(
    ("in_thread", "proved"),
    [("0", True), ("&config.size", False), ("&config.count", False), ("&jobs[0].n", False)],
)
def test_writes_through_it_are_none(in_thread: str, proved: bool) -> None:
    assert is_proved(TEXT.replace("IN_THREAD", in_thread)) is proved
