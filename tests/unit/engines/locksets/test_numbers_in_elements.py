"""Threads that find their numbers in the elements they are started with."""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

PROGRAM = """
#include <pthread.h>
#include <string.h>
#define N 5
struct job { KIND id; int extra; int inner[3]; };
static struct job jobs[2 * N], others[N], table[N][N];
static int results[4 * N + 2];
static pthread_t t[N], u[N];
static void *worker(void *argument) {
    struct job *job = argument;
    WORK
    return 0;
}
int main(void) {
    int i, sum = 0;
    struct job *p;
    BEFORE
    for (i = 0; i < N; i++) {
        SET
        pthread_create(&t[i], 0, worker, ELEMENT);
        THEN
    }
    MEANWHILE
    for (i = 0; i < N; i++) {
        pthread_join(t[i], 0);
        sum += results[READ];
    }
    return sum;
}
"""


def text(
    set_: str = "jobs[i].id = i;",
    work: str = "results[job->id]++;",
    element: str = "&jobs[i]",
    read: str = "i",
    kind: str = "int",
    **places: str,
) -> str:
    found = PROGRAM.replace("SET", set_).replace("WORK", work).replace("ELEMENT", element)
    found = found.replace("READ", read).replace("KIND", kind)
    for place in ("before", "then", "meanwhile"):
        found = found.replace(place.upper(), places.get(place, ""))
    return found


@pytest.mark.parametrize(
    "program",
    [
        text(),
        text(work="int me = job->id; results[me] = 1; results[me] += me;"),
        text(work="results[job->id] = job->extra;", set_="jobs[i].extra = 7; jobs[i].id = i;"),
        text(kind="long"),
        text(set_="jobs[i].inner[0] = 3; jobs[i].id = i;"),
    ],
)
def test_each_uses_the_element_with_its_number(program: str) -> None:
    assert is_proved(program)


SCALARS = text("ids[i] = i;", "results[*(int *)job]++;", "&ids[i]").replace(
    "static int results", "static int ids[N]; static int results"
)


def test_elements_that_are_numbers() -> None:
    assert is_proved(SCALARS)


@pytest.mark.parametrize(
    "program",
    [
        # other numbers
        text("jobs[i].id = 0;"),
        text("jobs[i].id = i / 2;"),
        text("jobs[i].id = i % 3;"),
        text("jobs[i].id = 4 - i; if (i == 2) jobs[i].id = 4;"),
        text("jobs[i].extra = i;"),
        text("jobs[i].id = i; jobs[i].id = 1;"),
        text("jobs[i].id = i; p = &jobs[1]; p->id = 0;"),
        text("jobs[i].id = i; p = jobs + 1; p[0].id = 0;"),
        text("jobs[i].id = i; memset(&jobs[i], 0, sizeof jobs[i]);"),
        text("jobs[i].id = i; jobs[i] = jobs[0];"),
        text("jobs[i].id = i;", kind="unsigned char").replace("#define N 5", "#define N 300"),
        # not set, or too late
        text(""),
        text("jobs[i + 1].id = i + 1;"),
        text("if (i != 3) jobs[i].id = i;"),
        text("", then="jobs[i].id = i;"),
        text(then="jobs[0].id = 1;"),
        text(meanwhile="jobs[0].id = 1;"),
        # numbers of others
        text(work="results[(job + 1)->id]++;"),
        text(work="results[jobs[0].id]++;"),
        text(work="results[job->extra]++;"),
        text(work="results[job->inner[1]]++;"),
        text(work="results[job->id]++; results[job->id + 1]++;"),
        text(work="results[job->id]++; results[0]++;"),
        text(work="job->id = 0; results[job->id]++;"),
        text(work="results[((struct job *)((char *)job + sizeof *job))->id]++;"),
        # elements of other arrays
        text(
            element="i % 2 ? &jobs[i] : &others[i - 1]", set_="jobs[i].id = i; others[i].id = i;"
        ),
        text(element="&table[i][0]", set_="table[i][0].id = 0;"),
        text(element="&table[i % 2][i / 2]", set_="table[i % 2][i / 2].id = i / 2;"),
        text(set_="jobs[i].id = i; pthread_create(&u[i], 0, worker, &jobs[i]);"),
        text(
            set_="jobs[i].id = i; others[i].id = i; pthread_create(&u[i], 0, worker, &others[i]);"
        ),
        text(element="&jobs[0]"),
        text(element="&jobs[i / 2]"),
        # main does not wait
        text(read="i + 1"),
        text(read="(i + 1) % N"),
        text(then="results[i]++;"),
        text(meanwhile="results[0]++;"),
    ],
)
def test_what_others_may_use_too(program: str) -> None:
    assert not is_proved(program)
