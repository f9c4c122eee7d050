"""Proofs assume that memory is used as C requires; where runs break that, they are none."""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise

PROGRAM = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *producer(void *unused) {
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        BEFORE
        pthread_mutex_lock(&m);
        n->next = head;
        head = n;
        INSIDE
        pthread_mutex_unlock(&m);
        BEHIND
    }
    return 0;
}
void *consumer(void *unused) {
    while (1) {
        pthread_mutex_lock(&m);
        struct node *n = head;
        if (n) head = n->next;
        pthread_mutex_unlock(&m);
        if (n) {
            assert(n->value == 7);
            free(n);
        }
    }
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, producer, 0);
    pthread_create(&u, 0, consumer, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
WRITTEN = "n->value = 7;"


def verdict(folder: Path, **written: str) -> str:
    text = PROGRAM
    for where in ("BEFORE", "INSIDE", "BEHIND"):
        text = text.replace(where, written.get(where, ""))
    path = folder / "memory.c"
    path.write_text(text)
    asked = threadwise.check(path, properties="assertions", engine="locksets", in_process=True)
    return asked.verdict.value


@pytest.mark.parametrize(
    "written",
    [
        {"BEHIND": WRITTEN},
        {"BEHIND": "pthread_mutex_lock(&m); n->value = 7; pthread_mutex_unlock(&m);"},
        {"BEFORE": "if (i % 2) n->value = 7;"},
    ],
    ids=["too late", "too late, locked", "sometimes"],
)
def test_what_runs_do_is_not_assumed_away(written: dict[str, str], tmp_path: Path) -> None:
    """SAFE once, for the value is 7 wherever there is one."""
    assert verdict(tmp_path, **written) == "UNKNOWN"


@pytest.mark.parametrize("where", ["BEFORE", "INSIDE"])
def test_right_programs_are_still_proved(where: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, **{where: WRITTEN}) == "SAFE"


INDEXED = """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int cells[4], next;
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i <= LAST) {
        cells[i] = 1;
        assert(i < 4 && next == 0);
    }
    return 0;
}
"""


@pytest.mark.parametrize(("last", "expected"), [(3, "SAFE"), (4, "UNKNOWN"), (9, "UNKNOWN")])
def test_runs_try_inputs_that_the_program_compares(
    last: int, expected: str, tmp_path: Path
) -> None:
    """With 4 as the input memory is used as C does not allow; with 0 and 1 it is not."""
    path = tmp_path / "index.c"
    path.write_text(INDEXED.replace("LAST", str(last)))
    asked = threadwise.check(path, properties="assertions", engine="locksets", in_process=True)
    assert asked.verdict.value == expected
