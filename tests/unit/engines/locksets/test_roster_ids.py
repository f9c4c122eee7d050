"""Threads whose arguments do not say where their ids are: they are joined by the ids."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

TEXT = (
    INCLUDES
    + """
int x, a[41];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *number) { WORK return 0; }
int main(void)
{
    pthread_t t[40];
    for (long i = 0; i < 40; i++)
        if (pthread_create(&t[i], 0, f, (void *)(NUMBER)) != 0)
            return 1;
    for (int i = 0; i < LAST; i++)
        pthread_join(t[i], 0);
    x = 5;
    return 0;
}
"""
)
LOCKED = "pthread_mutex_lock(&m); x += (int)(long)number; pthread_mutex_unlock(&m);"


def is_proved(work: str, number: str, last: int) -> bool:
    text = TEXT.replace("WORK", work).replace("NUMBER", number).replace("LAST", str(last))
    program = loaded(text).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for finding in LocksetEngine().run(Task(program, races)):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            return True
    return False


@pytest.mark.parametrize("number", ["i", "i + 1", "7 * i", "40 - i"])
def test_all_are_joined(number: str) -> None:
    assert is_proved(LOCKED, number, 40)


@pytest.mark.parametrize("number", ["i", "i + 1", "7 * i"])
def test_one_is_not_joined(number: str) -> None:
    assert not is_proved(LOCKED, number, 39)


def test_different_arguments_are_different_cells() -> None:
    assert is_proved("a[(long)number] = 1;", "i", 40)


@pytest.mark.parametrize("number", ["i / 2", "i % 3", "7"])
def test_arguments_that_are_not_different(number: str) -> None:
    assert not is_proved("a[(long)number] = 1;", number, 40)
