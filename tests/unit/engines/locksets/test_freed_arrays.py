"""An array of elements of threads that is freed by a pointer to the first of them."""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
struct job { int last; int data; pthread_t id; };
static void drop(struct job *job) { if (rand()) drop(job); free(job); }
static void *work(void *argument) {
    struct job *job = argument;
    job->data++;
    if (job->last) { WORK }
    return 0;
}
int main(int argc, char **argv) {
    int n = argc + 1;
    struct job *jobs = calloc(n, sizeof *jobs);
    if (!jobs) return 1;
    jobs[0].last = 1;
    for (int i = 0; i < n; i++) pthread_create(&jobs[i].id, 0, work, jobs + i);
    MAIN
    return 0;
}
"""
ALL = "for (int i = 0; i < n; i++) pthread_join(jobs[i].id, 0);"


def text(main: str = "", work: str = "") -> str:
    return PROGRAM.replace("MAIN", main).replace("WORK", work)


@pytest.mark.parametrize("main", ["", f"{ALL} free(jobs);", f"{ALL} drop(jobs);"])
def test_all_are_joined_before(main: str) -> None:
    assert is_proved(text(main))


@pytest.mark.parametrize(
    ("main", "work"),
    [
        ("", "free(job);"),
        ("", "free(argument);"),
        ("", "drop(job);"),
        ("pthread_join(jobs[0].id, 0); free(jobs);", ""),
        ("pthread_join(jobs[0].id, 0); free(jobs + 0);", ""),
        ("pthread_join(jobs[0].id, 0); drop(jobs);", ""),
        ("free(jobs);", ""),
    ],
)
def test_others_still_use_theirs(main: str, work: str) -> None:
    """Proved once, if a thread had the first element, or the first thread had joined its own."""
    assert not is_proved(text(main, work))
