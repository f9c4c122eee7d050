"""A call through a pointer means one of the functions that the pointer holds, and no other one.

The pointer is cleared after its last use: a null pointer among its values leads to no other call.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

TEXT = """
#include <pthread.h>
#include <stdlib.h>
struct sock { int state; int *peer; };
struct socket { int state; struct sock *sk; const struct ops *ops; pthread_mutex_t lock; };
struct ops { int (*close)(struct socket *); int (*free)(struct socket *); };
struct sk_ops { int (*close)(struct sock *); };
int count;
static int sk_close(struct sock *sk) { *sk->peer = 0; sk->state = 0; return 0; }
static const struct sk_ops sk_ops = { sk_close };
static int end(struct socket *s) { s->state = 2; return 0; }
static int close_it(struct socket *s) {
    s->state = 1;
    if (s->sk) sk_ops.close(s->sk);
    return 0;
}
static int close_unlocked(struct socket *s) { count++; return 0; }
static const struct ops ops = { close_it, end }, others = { close_unlocked, end };
static struct socket *shared;
static void *run(void *arg) {
    struct socket *s = shared;
    int (*function)(struct socket *);
    LOCK pthread_mutex_lock(&s->lock);
    function = s->ops->close;
    MEANWHILE
    function(s);
    LOCK pthread_mutex_unlock(&s->lock);
    return 0;
}
int main(void) {
    pthread_t a, b;
    shared = calloc(1, sizeof *shared);
    shared->sk = calloc(1, sizeof *shared->sk);
    shared->sk->peer = &count;
    shared->ops = &OPS;
    pthread_mutex_init(&shared->lock, 0);
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""


def text(ops: str = "ops", lock: str = "", meanwhile: str = "") -> str:
    return TEXT.replace("OPS", ops).replace("LOCK", lock).replace("MEANWHILE", meanwhile)


def test_the_function_of_the_table_is_called() -> None:
    assert is_proved(text())


@pytest.mark.parametrize(
    "variant",
    [
        text(lock="if (0)"),
        text(lock="if (0)", ops="others"),
        text(lock="if (s->state)", meanwhile="function = others.close;"),
        text(lock="if (0)", meanwhile="if (function != end) function = close_unlocked;"),
        text(lock="if (0)", meanwhile="if (function == end) return 0;"),
    ],
)
def test_what_it_does_is_seen(variant: str) -> None:
    assert not is_proved(variant)
