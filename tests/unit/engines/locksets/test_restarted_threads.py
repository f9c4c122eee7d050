"""Threads that are joined and started again one by one, with their ids in the elements.

    while (going)
        for (i = 0; i < n; i++)
            if (conn[i].over) {
                pthread_join(conn[i].id, 0);
                pthread_create(&conn[i].id, 0, setup, conn + i);
            }
    for (i = 0; i < n; i++) pthread_join(conn[i].id, 0);

What a thread writes into its element without a lock is read when it was joined.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
struct conn { int over; int data; pthread_t ID; };
struct pool { struct conn *conn; int n; int sum; };
static void *setup(void *argument) {
    struct conn *conn = argument;
    conn->data = 7;
    return 0;
}
static void begin(struct pool *a) {
    for (int i = 0; i < a->n; i++) {
        a->conn[i].data = 1;
        FIRST
    }
}
static void watch(struct pool *a) {
    pthread_t other;
    int i, j = 0;
    for (i = FROM; i < a->n; i++) {
        if (rand()) {
            WATCH
        }
    }
}
static void finish(struct pool *a) {
    BEFORE
    for (int i = START; i < a->n STOP; i++) {
        LAST
        a->sum += a->conn[i].data;
    }
    for (int i = 0; i < a->n; i++) a->sum += a->conn[i].data;
    free(a->conn);
    free(a);
}
int main(int argc, char **argv) {
    struct pool *a = calloc(1, sizeof *a);
    if (!a) return 1;
    a->n = argc;
    a->conn = calloc(a->n, sizeof *a->conn);
    if (!a->conn) return 1;
    begin(a);
    while (rand()) watch(a);
    finish(a);
    return 0;
}
"""
CREATE = "pthread_create(&a->conn[i].ID, 0, setup, a->conn + i);"
JOIN = "pthread_join(a->conn[i].ID, 0);"
AGAIN = f"{JOIN} a->conn[i].data++; {CREATE}"


def text(watch: str = AGAIN, member: str = "id", **other: str) -> str:
    found = PROGRAM.replace("WATCH", watch).replace("FIRST", other.get("first", CREATE))
    found = found.replace("LAST", other.get("last", JOIN)).replace(
        "BEFORE", other.get("before", "")
    )
    found = found.replace("START", other.get("start", "0")).replace("STOP", other.get("stop", ""))
    found = found.replace("FROM", other.get("from_", "0"))
    declared, _, used = member.partition("|")
    return found.replace("pthread_t ID", f"pthread_t {declared}").replace("ID", used or declared)


UNSET = f"if (a->conn[i].ID != 0) {JOIN}"
RIGHT = {
    "again": text(),
    "in an array of one": text(member="id[1]|id[0]"),
    "if there is one": text(last=UNSET),
    "some are not started": text(first=f"if (rand()) {CREATE}", last=UNSET),
    "joined twice in vain": text(watch=f"{JOIN} {AGAIN}"),
    "some are joined only": text(watch=f"{JOIN} a->conn[i].data = 2; if (rand()) {{ {CREATE} }}"),
    "not restarted": text(watch=""),
}
WRONG = {
    "not joined": text(watch=CREATE),
    "another joined": text(watch=f"pthread_join(a->conn[j].ID, 0); {CREATE}"),
    "the next joined": text(watch=f"pthread_join(a->conn[i + 1].ID, 0); {CREATE}"),
    "sometimes joined": text(watch=f"if (rand()) {JOIN} {CREATE}"),
    "cleared": text(watch="a->conn[i].ID = 0;", last=UNSET),
    "cleared before": text(before="for (int i = 0; i < a->n; i++) a->conn[i].ID = 0;", last=UNSET),
    "kept elsewhere": text(watch=f"{JOIN} pthread_create(&other, 0, setup, a->conn + i);"),
    "kept in another": text(
        watch=f"{JOIN} if (i + 1 < a->n) {CREATE.replace('conn[i]', 'conn[i + 1]')}"
    ),
    "with another argument": text(
        watch=f"{JOIN} pthread_create(&a->conn[i].ID, 0, setup, a->conn + j); a->conn[j].data++;"
    ),
    "moved on": text(watch=f"{JOIN} i++; {CREATE}"),
    "used when started again": text(watch=f"{AGAIN} a->conn[i].data++;"),
    "started twice": text(watch=f"{JOIN} {CREATE} {CREATE}"),
    "from below": text(from_="-1"),
    "first left out": text(start="1"),
    "last left out": text(stop="- 1"),
    "joined if there is none": text(last=f"if (a->conn[i].ID == 0) {JOIN}"),
    "copied": text(before="if (a->n > 1) a->conn[0].ID = a->conn[1].ID;"),
    "fewer": text(before="a->n--;", last=JOIN),
    "others": text(before="a->conn++; a->n--;"),
    "second of an array": text(
        member="id[2]|id[0]", watch=f"pthread_join(a->conn[i].id[1], 0); {CREATE}"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_each_is_joined_before_it_is_started_again(name: str) -> None:
    assert is_proved(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_threads_that_may_still_run(name: str) -> None:
    assert not is_proved(WRONG[name])
