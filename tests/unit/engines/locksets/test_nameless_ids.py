"""Threads whose ids are kept nowhere, or are lost: their arguments still tell them apart."""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

TEXT = """
#include <pthread.h>
#include <stdlib.h>
struct job { pthread_t id; int n; };
static int first;
static struct job *jobs;
static void *run(void *given) { ((struct job *)given)->n += first; return 0; }
static void mix(int n) { if (n > 0) mix(n - 1); jobs[n].id = jobs[0].id; }
int main(int argc, char **argv) {
    pthread_t last;
    jobs = calloc(argc + 3, sizeof *jobs);
    for (unsigned i = 0; i < argc; i++) {
        BEFORE
        pthread_create(&ID, 0, run, &jobs[ARGUMENT]);
        AFTER
    }
    return 0;
}
"""
EARLY = "if (i == 0) first = argc;"


def text(keep: str = "last", before: str = EARLY, after: str = "", argument: str = "i") -> str:
    named = TEXT.replace("ID", keep).replace("BEFORE", before)
    return named.replace("AFTER", after).replace("ARGUMENT", argument)


@pytest.mark.parametrize(
    "variant",
    [
        text(),
        text("jobs[i].id"),
        text("jobs[0].id"),
        text("jobs[i].id", after="mix(2);"),
        text(before=EARLY + "if (i <= 0) first++;"),
        text(before="jobs[i].n = i; " + EARLY),
        text(after="pthread_detach(last);"),
    ],
)
def test_arguments_tell_threads_apart(variant: str) -> None:
    assert is_proved(variant)


@pytest.mark.parametrize(
    "variant",
    [
        text(before="if (i == 1) first = argc;"),
        text(before="if (i <= 1) first = argc;"),
        text(before="if (i >= 0) first = argc;"),
        text(before="", after=EARLY),
        text(argument="i / 2"),
        text(argument="argc - i", before="if (argc - i == 1) first = argc;"),
        text(after="jobs[i].n = 0;"),
        text(after="if (i % 2) pthread_join(last, 0); jobs[0].n = 0;"),
        text("jobs[i].id", after="mix(2); pthread_join(jobs[2].id, 0); jobs[2].n = 0;"),
    ],
)
def test_what_they_share_is_seen(variant: str) -> None:
    assert not is_proved(variant)
