"""Pointers that threads make of their argument, and pass on.

static void *work(void *argument) { struct conn *c = argument; link_open(&c->links[k]); … }
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved
from tests.unit.frontends.c.checking import lowered
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

PROGRAM = """
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct link { int fd; int kind; };
struct conn {
    int first; struct link links[2]; char text[20]; struct link *now; struct conn *next;
};
static struct conn *all;
static struct link spare;
static struct link *chosen(struct conn *c) { return c->now; }
static void fill(char *to, char with) { for (char *p = to; *p; p++) *p = with; }
static void open_(struct link *link, int again) {
    if (again) open_(link, again - 1);
    BEFORE
    link->fd = again;
    link->kind++;
}
static void *work(void *argument) {
    struct conn *c = argument;
    WORK
    return 0;
}
int main(int argc, char **argv) {
    int n = argc;
    all = calloc(n + 1, sizeof *all);
    if (!all) return 1;
    for (int i = 0; i < n; i++) {
        all[i].now = &all[0].links[1];
        all[i].next = all + n - i;
    }
    for (int i = 0; i < n; i++) {
        pthread_t t;
        CREATE
    }
    return 0;
}
"""
CREATE = "pthread_create(&t, 0, work, all + i);"
NEW = """
    struct conn *c = calloc(1, sizeof *c);
    if (!c) return 1;
    pthread_create(&t, 0, work, c);
"""


def text(work: str, *, before: str = "", create: str = CREATE) -> str:
    found = PROGRAM.replace("WORK", work).replace("BEFORE", before)
    return found.replace("CREATE", create)


RIGHT = {
    "a member": text("open_(&c->links[0], 1);"),
    "one or the other": text("open_(rand() ? &c->links[0] : c->links + 1, 1);"),
    "one after the other": text("for (int k = 0; k < 2; k++) open_(&c->links[k], k);"),
    "by a variable": text(
        "struct link *l = 0; if (rand()) l = c->links; else l = &c->links[1]; open_(l, 1);"
    ),
    "the next of an array": text("open_(c->links, 1);", before="if (again == 7) link++;"),
    "characters": text("fill(c->text, 'a'); fill(c->text + 3, 'b');"),
    "a copy of the argument": text("struct conn *d = c; open_(&d->links[1], 2);"),
    "of an object of its own": text("open_(&c->links[1], 1);", create=NEW),
    "moved in an object of its own": text("open_(&(c + 0)->links[1], 1);", create=NEW),
}
WRONG = {
    "the next element": text("open_(c->links, 1); open_(&(c + 1)->links[0], 1);"),
    "an element of all": text("open_(&all[rand() % 2].links[0], 1);"),
    "sometimes of another": text(
        "open_(&c->links[0], 1); if (rand()) open_(&c->next->links[0], 1);"
    ),
    "read from memory": text("open_(c->now, 1);"),
    "returned": text("open_(chosen(c), 1);"),
    "a global now and then": text("open_(rand() ? &spare : c->links, 1);"),
    "assigned on the way": text(
        "open_(c->links, 1);", before="if (again == 1) link = all->links;"
    ),
    "assigned by address": text(
        "struct link *l = c->links; struct link **p = &l; *p = all->links; open_(l, 1);"
    ),
    "back to the record and on": text(
        "struct link *l = c->links;"
        "struct conn *d = (struct conn *)((char *)l - offsetof(struct conn, links));"
        "open_(l, 1); open_((d + 1)->links, 1);"
    ),
    "as bytes": text(
        "char *p = (char *)c; struct conn *d = (struct conn *)(p + sizeof *c);"
        "open_(c->links, 1); open_(d->links, 1);"
    ),
    "as something larger": text(
        "struct conn *d = (struct conn *)c->links; d->next = 0; c->first++;"
    ),
    "one argument for all": text(
        "open_(c->links, 1);", create="pthread_create(&t, 0, work, all);"
    ),
    "an argument twice": text(
        "open_(c->links, 1);", create=f"{CREATE} if (i == 1) pthread_create(&t, 0, work, all);"
    ),
    "another field of its own object": text(
        "open_(&c->links[1], 1);", create=NEW + "c->links[1].fd = 2;"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_made_of_the_argument_is_the_threads_own(name: str) -> None:
    assert is_proved(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_what_is_made_of_something_else_is_not(name: str) -> None:
    assert not is_proved(WRONG[name])


@pytest.mark.parametrize("name", ["one after the other", "characters", "of an object of its own"])
def test_proofs_are_checked_and_audited(name: str) -> None:
    loaded = lowered(RIGHT[name])
    options = CheckOptions(properties=("races",), engine="locksets")
    (found,) = check_loaded("t.c", lambda: loaded, options, in_process=True).properties
    assert found.verdict.value == "SAFE"
