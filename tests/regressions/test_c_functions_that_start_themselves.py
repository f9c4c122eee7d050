"""A function that is called first, and is found to be started as a thread only inside itself."""

from __future__ import annotations

from tests.unit.frontends.c.checking import lowered, verdicts

SOURCE = """
#include <pthread.h>
int shared;
void *work(void *argument) {
    long n = (long)argument;
    pthread_t other;
    if (n <= 0)
        return 0;
    pthread_create(&other, 0, work, (void *)(n - 1));
    work((void *)(n - 1));
    shared = n;
    pthread_join(other, 0);
    return 0;
}
int main(void) { work((void *)2); return 0; }
"""


def test_its_threads_are_a_template() -> None:
    program = lowered(SOURCE)
    assert [template.name for template in program.templates] == ["main", "work"]


def test_they_race() -> None:
    assert verdicts(SOURCE, "races") == {"races": "UNSAFE"}
