"""A program goes on after a lock was misused: proofs that end there say so."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.driver import CheckOptions, check_loaded
from threadwise.driver.loading import MISUSE, Input

TEXT = """
#include <pthread.h>
pthread_mutex_t m;
int x;
void *one(void *p) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return 0; }
void *two(void *p) { if (!pthread_mutex_trylock(&m)) x = 2; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["explicit", "thread-modular"])
def test_the_assumption_is_listed(engine: str) -> None:
    """A race may come after the other thread's mutex was unlocked: SAFE without a word once."""
    program = lowered(TEXT)
    loaded = Input(getattr(program, "program", program), misuse=MISUSE)
    options = CheckOptions(properties=("races",), engine=engine)
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value == "SAFE"
    assert MISUSE in result.assumptions
    options = CheckOptions(properties=("races", "mutex"), engine=engine)
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value != "SAFE"
    assert MISUSE not in result.assumptions
