"""Which mutex of an array a thread waits for is known although the index became a constant."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import verdicts

TEXT = """
#include <pthread.h>
static pthread_mutex_t m[3];
static void *one(void *p)
{
    int i = 1, j = 2;
    pthread_mutex_lock(&m[i]);
    pthread_mutex_lock(&m[j]);
    pthread_mutex_unlock(&m[j]);
    pthread_mutex_unlock(&m[i]);
    return 0;
}
static void *two(void *p)
{
    int i = 1, j = 2;
    pthread_mutex_lock(&m[%s]);
    pthread_mutex_lock(&m[%s]);
    pthread_mutex_unlock(&m[j]);
    pthread_mutex_unlock(&m[i]);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "verdict"), [("j", "i", "UNSAFE"), ("i", "j", "SAFE")]
)
def test_two_locks_of_an_array(first: str, second: str, verdict: str) -> None:
    """A wrong SAFE once: the subject of the waiting read an index that nothing set any more."""
    assert verdicts(TEXT % (first, second), "deadlocks") == {"deadlocks": verdict}
