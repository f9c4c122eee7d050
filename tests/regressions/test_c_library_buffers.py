"""Library functions read the memory that they are given, and no more of it."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, loaded
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.frontends.c.lower.storage.reading import TYPED

PROGRAM = """
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>
char text[8] = "hi", other[8];
unsigned char bytes[32];
int number, found;
struct { int first, second; } pair;
struct pollfd polled[2];
fd_set set;
struct timeval timeout;
cpu_set_t processors;
void *work(void *unused) { WRITE; return 0; }
int main(void) {
    pthread_t t;
    char *fresh = malloc(4), *copy;
    pthread_create(&t, 0, work, 0);
    CALL;
    return 0;
}
"""


def verdict(call: str, write: str) -> str:
    text = PROGRAM.replace("CALL", call).replace("WRITE", write)
    return checked(text, "races").verdict.value


@pytest.mark.parametrize(
    ("call", "write"),
    [
        ('printf("%s", text)', "text[1] = 0"),
        ('printf("%d %*s %s\\n", 1, 5, "x", text)', "text[2] = 'o'"),
        ('fprintf(stderr, "%.2s", text)', "text[1] = 'o'"),
        ('dprintf(1, "%.*s", 2, text)', "text[1] = 'o'"),
        ('snprintf(other, 8, "%s", text)', "text[0] = 'o'"),
        ('sprintf(other, "%s", text)', "text[0] = 'o'"),
        ('warn("%s", text)', "text[0] = 'o'"),
        ('err(1, "%s", text)', "text[0] = 'o'"),
        ('syslog(1, "%s", text)', "text[0] = 'o'"),
        ('printf("%n", &number)', "found = number"),
        ("printf(text)", "text[0] = 'o'"),
        ("puts(text)", "text[0] = 'o'"),
        ("fputs(text, stdout)", "text[2] = 'o'"),
        ("perror(text)", "text[0] = 'o'"),
        ('sscanf(text, "%d", &found)', "text[1] = '1'"),
        ("atof(text)", "text[1] = '1'"),
        ("copy = strdup(text)", "text[1] = '1'"),
        ("found = memcmp(text, other, 8)", "text[0] = '1'"),
        ("write(1, text, sizeof text)", "text[7] = 1"),
        ("write(1, bytes, sizeof bytes)", "bytes[31] = 1"),
        ("write(1, &pair, sizeof pair)", "pair.second = 1"),
        ("write(1, &number, sizeof number)", "number = 1"),
        ("pwrite(1, text, 2, 0)", "text[1] = 1"),
        ("fwrite(&pair, sizeof pair, 1, stdout)", "pair.first = 1"),
        ("send(1, text, number + 2, 0)", "text[1] = 1"),
        ("sendto(1, text, 8, 0, 0, 0)", "text[1] = 1"),
        ("setsockopt(1, 1, 1, &number, sizeof number)", "number = 2"),
        ("poll(polled, 2, 0)", "polled[1].fd = 1"),
        ("select(1, &set, 0, 0, 0)", "FD_ZERO(&set)"),
        ("select(1, 0, 0, 0, &timeout)", "timeout.tv_sec = 1"),
        ("select(1, 0, 0, 0, &timeout)", "found = timeout.tv_sec"),
        ("CPU_ZERO(&processors)", "CPU_SET(1, &processors)"),
        ("sched_setaffinity(0, sizeof processors, &processors)", "CPU_CLR(1, &processors)"),
        ("open(text, O_RDONLY)", "text[0] = 'o'"),
        ('fopen(text, "r")', "text[0] = 'o'"),
        ("unlink(text)", "text[0] = 'o'"),
        ("rename(text, other)", "other[0] = 'o'"),
    ],
)
def test_what_is_read_while_somebody_writes_it_is_a_race(call: str, write: str) -> None:
    """A wrong SAFE once: only what functions write was counted."""
    assert verdict(call, write) == "UNSAFE"


@pytest.mark.parametrize(
    ("call", "write"),
    [
        ('printf("%s", text)', "text[3] = 1"),
        ('printf("%.1s", text)', "text[1] = 'o'"),
        ('printf("%.*s", 1, text)', "text[1] = 'o'"),
        ('printf("%p", text)', "text[0] = 'o'"),
        ('printf("%%s", text)', "text[0] = 'o'"),
        ('printf("%s", text)', "puts(text)"),
        ('printf("%s", "text")', "text[0] = 'o'"),
        ("puts(0 ? text : other)", "text[0] = 'o'"),
        ("write(1, text, 4)", "text[4] = 1"),
        ("write(1, fresh, 4)", "text[4] = 1"),
        ("write(1, text, 0)", "text[0] = 1"),
        ("write(1, bytes, 31)", "bytes[31] = 1"),
        ("fwrite(&pair.first, sizeof pair.first, 1, stdout)", "pair.second = 1"),
        ('printf("%s", fresh)', "text[0] = 'o'"),
        ("pthread_join(t, 0); puts(text)", "text[0] = 'o'"),
    ],
)
def test_what_is_not_read_is_no_race(call: str, write: str) -> None:
    assert verdict(call, write) == "SAFE"


def test_a_text_behind_any_pointer_does_not_hinder_proofs_by_locksets() -> None:
    """The type of what a pointer leads to is assumed where it is not known, and listed."""
    loaded_text = loaded(PROGRAM.replace("WRITE", "puts(unused)").replace("CALL", "puts(text)"))
    options = CheckOptions(properties=("races",), engine="locksets")
    result = check_loaded("t.c", lambda: loaded_text.program, options, in_process=True)
    assert result.verdict.value == "SAFE"
    assert TYPED in loaded_text.assumptions
