"""What calls get at by way of their arguments: pointers inside of records, addresses as numbers.

`readv` and its like were taken to use the records that say where memory is, and not the memory.
Functions without a description that get an address as a number were taken to use no memory.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
char b[8], c[8];
void elsewhere(long), anywhere(const char *, uintptr_t);
void *run(void *given) {
    struct iovec parts[2];
    struct msghdr message;
    memset(&message, 0, sizeof message);
    parts[0].iov_base = c; parts[0].iov_len = 8;
    parts[1].iov_base = b; parts[1].iov_len = 8;
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    THREAD
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, b);
    b[2] = 1;
    pthread_join(t, 0);
    return 0;
}
"""
RACY = {
    "readv": "readv(0, parts, 2);",
    "preadv": "preadv(0, parts, 2, 0);",
    "one of several parts": "readv(0, &parts[1], 1);",
    "writev": "writev(0, parts, 2);",
    "recvmsg": "recvmsg(0, &message, 0);",
    "sendmsg": "sendmsg(0, &message, 0);",
    "recvmmsg": "struct mmsghdr m; m.msg_hdr = message; recvmmsg(0, &m, 1, 0, 0);",
    "vmsplice": "vmsplice(0, parts, 2, 0);",
    "a number": "elsewhere((long)b);",
    "a number that was computed": "elsewhere((long)b + 2);",
    "a number beside a text": 'anywhere("x", (uintptr_t)&b[2]);',
    "the argument of the thread": "elsewhere((long)given);",
}
SAFE = {
    "another number": "elsewhere((long)c);",
    "no address": "elsewhere(8);",
}


@pytest.mark.parametrize("name", RACY)
def test_what_is_reached_may_race(name: str) -> None:
    text = PROGRAM.replace("THREAD", RACY[name])
    found = verdicts(text, "races", engines=("locksets", "thread-modular", "explicit"))
    assert ("SAFE",) not in found.values()


@pytest.mark.parametrize("name", SAFE)
def test_what_is_not_reached_does_not(name: str) -> None:
    text = PROGRAM.replace("THREAD", SAFE[name])
    found = verdicts(text, "races", engines=("locksets", "thread-modular", "explicit"))
    assert ("SAFE",) in found.values()
