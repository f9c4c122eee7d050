"""A system call that fills a member of an object, as long as a variable says.

`accept(s, (struct sockaddr *)&c->peer, &length)` was a limit: that the loop over what is filled
ends after one round was not known, and behind the member there is memory of another type.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

SERVER = """
#include <pthread.h>
#include <stdlib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
struct connection { int file; struct sockaddr_in peer; unsigned long number; };
struct connection *last;
static void *serve(void *argument) {
    struct connection *c = argument;
    THREAD
    close(c->file);
    free(c);
    return NULL;
}
int main(void) {
    unsigned long number = 0;
    for (;;) {
        struct connection *c = calloc(1, sizeof *c);
        socklen_t length = LENGTH;
        pthread_t t;
        c->number = number++;
        BEFORE
        c->file = accept(5, (struct sockaddr *)&c->peer, &length);
        pthread_create(&t, NULL, serve, c);
        pthread_detach(t);
        AFTER
    }
}
"""


def proved(thread: str = "", length: str = "sizeof c->peer", **places: str) -> bool:
    text = SERVER.replace("THREAD", thread).replace("LENGTH", length)
    for place in ("before", "after"):
        text = text.replace(place.upper(), places.get(place, ""))
    return is_proved(text)


@pytest.mark.parametrize("length", ["sizeof c->peer", "sizeof(struct sockaddr_in)", "4"])
def test_the_address_of_a_peer_in_an_object(length: str) -> None:
    assert proved("c->peer.sin_port++;", length)


@pytest.mark.parametrize(
    ("thread", "places"),
    [
        ("", {"after": "c->peer.sin_port = 0;"}),
        ("if (last) last->peer.sin_port = 0;", {"before": "last = c;"}),
    ],
)
def test_a_peer_that_two_threads_use(thread: str, places: dict[str, str]) -> None:
    assert not proved(thread, **places)


@pytest.mark.parametrize("length", ["sizeof *c", "17", "rand()"])
def test_more_than_the_member_holds_stays_a_limit(length: str) -> None:
    assert not proved("", length)
