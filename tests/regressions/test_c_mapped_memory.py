"""What `mmap` maps may be memory that is there already."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts
from tests.unit.frontends.c.checking import loaded

PROGRAM = """
#include <pthread.h>
#include <sys/mman.h>
char *p, *q;
static void *f(void *a) { p[0] = 1; return a; }
static void *g(void *a) { q[0] = 2; return a; }
int main(void)
{
    pthread_t t;
    p = mmap(0, 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 1;
    q = mmap(p, 64, PROT_READ | PROT_WRITE, FLAGS, 3, 0);
    if (q == MAP_FAILED)
        return 1;
    pthread_create(&t, 0, f, 0);
    pthread_create(&t, 0, g, 0);
    return 0;
}
"""


def _said(flags: str) -> set[str]:
    found = verdicts(PROGRAM.replace("FLAGS", flags), "races", engines=("locksets",))
    return {verdict for each in found.values() for verdict in each}


@pytest.mark.parametrize("kind", ["MAP_PRIVATE | MAP_ANONYMOUS", "MAP_SHARED"])
def test_a_fixed_address_is_no_new_memory(kind: str) -> None:
    """A wrong SAFE once: both pointers lead to the same bytes."""
    assert _said(f"{kind} | MAP_FIXED") == {"UNKNOWN"}


@pytest.mark.parametrize("kind", ["MAP_PRIVATE | MAP_ANONYMOUS", "MAP_SHARED"])
def test_an_address_that_is_only_proposed_is(kind: str) -> None:
    assert _said(kind) == {"SAFE"}


def test_a_file_that_is_mapped_twice_is_assumed_not_to_be() -> None:
    told = loaded(PROGRAM.replace("FLAGS", "MAP_SHARED")).assumptions
    assert "memory from mmap is mapped once, and is not shared with other processes" in told
