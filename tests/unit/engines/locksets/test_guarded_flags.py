"""Flags that are tested and set under a mutex: who set one has what goes with it."""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

HEAD = """
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
"""

RUN = """
int main(void) {
    pthread_t a, b, c;
    START
    pthread_create(&a, 0, user, ARGUMENT);
    pthread_create(&b, 0, user, ARGUMENT);
    pthread_create(&c, 0, user, ARGUMENT);
    pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
    return 0;
}
"""


def run(start: str = "", argument: str = "0") -> str:
    return RUN.replace("START", start).replace("ARGUMENT", argument)


VARIABLE = (
    HEAD
    + """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
int busy, data;
void *user(void *unused) {
    int mine = 0;
    TAKE
    if (mine) {
        data++;
        GIVE
    }
    return 0;
}
"""
    + run()
)

TAKE = "pthread_mutex_lock(&m); if (!busy) { busy = 1; mine = 1; } pthread_mutex_unlock(&m);"
GIVE = "pthread_mutex_lock(&m); busy = 0; pthread_mutex_unlock(&m);"
WAIT = """
    pthread_mutex_lock(&m);
    while (busy) pthread_cond_wait(&idle, &m);
    busy = 1; mine = 1;
    pthread_mutex_unlock(&m);
"""
OWN = "static __thread pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;"
AGAIN = "pthread_mutex_unlock(&m); pthread_mutex_lock(&m);"
SIGNAL = "pthread_cond_broadcast(&idle);"
WAKE = "pthread_mutex_lock(&m); busy = 0; pthread_cond_signal(&idle); pthread_mutex_unlock(&m);"


def variable(take: str = TAKE, give: str = GIVE) -> str:
    return VARIABLE.replace("TAKE", take).replace("GIVE", give)


@pytest.mark.parametrize(
    "text",
    [
        variable(),
        variable().replace("int busy, data", "bool busy; int data"),
        variable(WAIT, WAKE),
        variable(TAKE.replace("busy = 1", "busy = 7")),
        variable(TAKE.replace("if (!busy)", "int seen = busy; if (seen == 0)")),
        variable(
            TAKE.replace("pthread_mutex_lock(&m)", "if (pthread_mutex_trylock(&m)) return 0")
        ),
        variable(give="pthread_mutex_lock(&m); data++; busy = 0; pthread_mutex_unlock(&m);"),
    ],
)
def test_a_flag_is_a_lock(text: str) -> None:
    assert is_proved(text)


@pytest.mark.parametrize(
    "text",
    [
        # cleared without the mutex, too early, twice, by somebody else, or under another mutex
        variable(give="busy = 0;"),
        variable(give=GIVE + " data--;"),
        variable(give=GIVE + GIVE),
        variable(GIVE + TAKE),
        variable(give=GIVE.replace("&m", "&other")),
        # set without a test, after another test, or when the test may be outdated
        variable(TAKE.replace("if (!busy)", "")),
        variable(TAKE.replace("if (!busy)", "if (busy >= 0)")),
        variable(TAKE.replace("if (!busy)", "if (!mine)")),
        variable(TAKE.replace("busy = 1", f"{AGAIN} busy = 1")),
        variable("int free_ = !busy;" + TAKE.replace("!busy", "free_")),
        variable(WAIT.replace("while", "if"), WAKE),
        variable(
            SIGNAL + WAIT.replace("busy = 1", "pthread_cond_wait(&idle, &m); busy = 1"), WAKE
        ),
        # taken under a mutex of one's own, not taken, or taken in vain
        variable(f"{OWN} {TAKE.replace('&m', '&own')}"),
        variable(TAKE.replace("mine = 1;", "") + "mine = 1;"),
        variable(TAKE.replace("busy = 1; mine = 1;", "busy = 0; mine = 1;")),
        variable(TAKE.replace("pthread_mutex_lock(&m)", "pthread_mutex_trylock(&m)")),
    ],
)
def test_what_is_no_lock(text: str) -> None:
    assert not is_proved(text)


ARRAY = (
    HEAD
    + """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct buffer { int used; int data; };
struct buffer pool[8];
static struct buffer *take(void) {
    int i;
    pthread_mutex_lock(&m);
    for (i = 0; i < 8; i++)
        if (!pool[i].used) {
            pool[SET].used = 1;
            pthread_mutex_unlock(&m);
            return &pool[GOT];
        }
    pthread_mutex_unlock(&m);
    return 0;
}
static void give(struct buffer *b) {
    pthread_mutex_lock(&m);
    b->used = 0;
    pthread_mutex_unlock(&m);
}
void *user(void *unused) {
    struct buffer *b = take();
    if (b) { USE give(b); AFTER }
    return 0;
}
"""
    + run()
)


def array(set_: str = "i", got: str = "i", use: str = "b->data++;", after: str = "") -> str:
    text = ARRAY.replace("SET", set_).replace("GOT", got)
    return text.replace("USE", use).replace("AFTER", after)


def test_a_flag_per_element() -> None:
    assert is_proved(array())
    assert is_proved(array(use="memset(&b->data, 0, sizeof b->data);"))


@pytest.mark.parametrize(
    "text",
    [
        array(set_="0"),
        array(got="(i + 1) % 8"),
        array(got="7 - i"),
        array(use="pool[0].data++;"),
        array(use="(b == pool ? b + 1 : b - 1)->data++;"),
        array(use="", after="b->data++;"),
        array(use="b->data++; give(b); b->data++;"),
        array(use="b->data++; b->used = 0;"),
        array(use="b->data++; memset(b, 0, sizeof *b);"),
        array(use="struct buffer none = {0}; *b = none;"),
        array(use="b->data++; if (b != pool) give(pool);"),
    ],
)
def test_other_elements(text: str) -> None:
    assert not is_proved(text)


INDEXED = (
    HEAD
    + """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, each[8];
int used[8], data[8];
void *user(void *unused) {
    int got = -1, i;
    pthread_mutex_lock(LOCK);
    for (i = 0; i < 8; i++) if (!used[i]) { used[i] = 1; got = i; break; }
    pthread_mutex_unlock(LOCK);
    if (got >= 0) {
        data[AT]++;
        pthread_mutex_lock(LOCK); used[got] = 0; pthread_mutex_unlock(LOCK);
    }
    return 0;
}
"""
    + run("for (int i = 0; i < 8; i++) pthread_mutex_init(&each[i], 0);")
)


@pytest.mark.parametrize(
    ("lock", "at", "proved"),
    [
        ("&m", "got", True),
        ("&m", "0", False),
        ("&m", "7 - got", False),
        ("&each[i % 8]", "got", False),
    ],
)
def test_flags_by_index(lock: str, at: str, *, proved: bool) -> None:
    assert is_proved(INDEXED.replace("LOCK", lock).replace("AT", at)) is proved


@pytest.mark.parametrize(("count", "proved"), [(4, True), (40, False)])
def test_many_flags_are_not_followed(count: int, *, proved: bool) -> None:
    """A driver with dozens of flags took all memory: each of them is held or not."""
    names = [f"busy{n}" for n in range(count)]
    steps = "".join(
        f"mine = 0; {TAKE.replace('busy', name)}"
        f"if (mine) {{ data_{name}++; {GIVE.replace('busy', name)} }}"
        for name in names
    )
    declared = "int data, " + ", ".join(f"{name}, data_{name}" for name in names)
    assert (
        is_proved(variable(f"{steps} mine = 0;", "").replace("int busy, data", declared)) is proved
    )


OBJECT = (
    HEAD
    + """
struct device { pthread_mutex_t m; pthread_cond_t idle; int busy; int data; struct device *peer; };
static void begin(struct device *d) {
    pthread_mutex_lock(&d->LOCKED);
    while (d->busy) pthread_cond_wait(&d->idle, &d->LOCKED);
    d->busy = 1;
    pthread_mutex_unlock(&d->LOCKED);
}
static void end(struct device *d) {
    pthread_mutex_lock(&d->LOCKED);
    d->busy = 0;
    pthread_cond_signal(&d->idle);
    pthread_mutex_unlock(&d->LOCKED);
}
void *user(void *argument) {
    struct device *d = argument;
    BEGIN d->data++; END
    return 0;
}
"""
    + run(
        "struct device *d = calloc(1, sizeof *d), *e = calloc(1, sizeof *e);"
        "if (!d || !e) return 1;"
        "pthread_mutex_init(&d->m, 0); pthread_cond_init(&d->idle, 0); d->peer = e;"
        "pthread_mutex_init(&e->m, 0); pthread_cond_init(&e->idle, 0); e->peer = d;",
        "d",
    )
)


def device(begin: str = "begin(d);", end: str = "end(d);", lock: str = "m") -> str:
    return OBJECT.replace("BEGIN", begin).replace("END", end).replace("LOCKED", lock)


PEER = """
    pthread_mutex_lock(&d->peer->m);
    if (!d->busy) d->busy = 1;
    pthread_mutex_unlock(&d->peer->m);
"""

ASTRAY = """
    if (rand()) d = d->peer;
    struct device *x = d;
    begin(x->peer);
    if (rand()) d = x->peer;
"""


@pytest.mark.parametrize(
    "text",
    [
        device(),
        # the flag of another object, which is always the same one for the same object
        device("if (rand()) d = d->peer; begin(d->peer);", "end(d->peer);"),
    ],
)
def test_a_flag_in_an_object(text: str) -> None:
    assert is_proved(text)


@pytest.mark.parametrize(
    "text",
    [
        device(lock="peer->m"),
        device(ASTRAY, "end(x->peer);"),
        device(end="end(d->peer);"),
        device(PEER),
        device("begin(d); d->busy = 0;"),
        device("begin(d); memset(&d->busy, 0, sizeof d->busy);"),
        device("begin(d); *(char *)&d->busy = 0;"),
    ],
)
def test_flags_of_other_objects(text: str) -> None:
    assert not is_proved(text)
