"""`memcpy` between objects of different types: as bytes, where race proofs go on.

A buffer of unsigned characters that gets plain ones, or a header, was a limit that cost the whole
answer. What is copied so still counts as read and written, and pointers in it lead where they led.
"""

from __future__ import annotations

import pytest

from tests.lockset_runs import is_proved

_HEAD = """#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct header { uint32_t id; uint16_t length, flags; };
struct packet { struct header h; unsigned char data[16]; };
static unsigned char queue[64];
static unsigned used;
static struct packet last;
static int cells[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[2];
static void *user(void *unused)
{
"""
_TAIL = """
    return unused;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, user, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""
LOCKED = {
    "a header into bytes": """
    struct header h = {1, 2, 3};
    pthread_mutex_lock(&m);
    memcpy(queue + used % 8, &h, sizeof h);
    used += sizeof h;
    pthread_mutex_unlock(&m);""",
    "bytes into a header": """
    struct header h;
    pthread_mutex_lock(&m);
    memcpy(&h, queue + used % 8, sizeof h);
    used += 8;
    pthread_mutex_unlock(&m);""",
    "characters of the other sign": """
    char text[16] = "text";
    pthread_mutex_lock(&m);
    memcpy(last.data, text, sizeof text);
    pthread_mutex_unlock(&m);""",
    "moved": """
    char text[16] = "text";
    pthread_mutex_lock(&m);
    memmove(last.data, text, sizeof text);
    pthread_mutex_unlock(&m);""",
    "compared": """
    char text[16] = "text";
    pthread_mutex_lock(&m);
    int same = memcmp(last.data, text, sizeof text) == 0;
    last.h.id += same;
    pthread_mutex_unlock(&m);""",
}
RACY = {
    "a header into bytes": """
    struct header h = {1, 2, 3};
    memcpy(queue, &h, sizeof h);""",
    "bytes into a header": """
    memcpy(&last.h, queue, sizeof last.h);""",
    "read behind the lock": """
    char text[16] = "text";
    pthread_mutex_lock(&m);
    memcpy(last.data, text, sizeof text);
    pthread_mutex_unlock(&m);
    memcpy(text, last.data, sizeof text);""",
    "compared without it": """
    char text[16] = "text";
    pthread_mutex_lock(&m);
    last.data[3] = 1;
    pthread_mutex_unlock(&m);
    if (memcmp(last.data, text, sizeof text) == 0)
        return 0;""",
    "a pointer in bytes": """
    int *p = &cells[0], *q;
    unsigned char kept[sizeof p];
    memcpy(kept, &p, sizeof p);
    memcpy(&q, kept, sizeof q);
    *q = 1;""",
    "a pointer in shared bytes": """
    int *p = malloc(sizeof *p), *q = 0;
    if (!p)
        return 0;
    *p = 1;
    pthread_mutex_lock(&m);
    if (used++)
        memcpy(&q, queue, sizeof q);
    else
        memcpy(queue, &p, sizeof p);
    pthread_mutex_unlock(&m);
    if (q)
        *q = 2;
    *p = 3;""",
    "a pointer to a lock in bytes": """
    pthread_mutex_t *p = &locks[__VERIFIER_nondet_int() & 1], *q = &locks[0];
    memcpy(&q, &p, sizeof q);
    pthread_mutex_lock(q);
    cells[0]++;
    pthread_mutex_unlock(q);""",
}


@pytest.mark.parametrize("name", LOCKED)
def test_under_a_lock(name: str) -> None:
    assert is_proved(_HEAD + LOCKED[name] + _TAIL)


@pytest.mark.parametrize("name", RACY)
def test_without_one(name: str) -> None:
    assert not is_proved(_HEAD + RACY[name] + _TAIL)
