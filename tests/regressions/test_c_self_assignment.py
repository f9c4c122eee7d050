"""An object that is assigned to itself is read and written."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#include <pthread.h>
#include <string.h>
struct in { int k[2]; };
struct s { long a; struct in b; } g, tab[3];
union u { int a; float f; } un;
struct s *get(void) { return &g; }
void *work(void *unused) { STATEMENT; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    long n = g.a + g.b.k[1] + tab[1].a + un.a;
    pthread_join(t, 0);
    return n > 0;
}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "g = g",
        "g = (g)",
        "g.b = g.b",
        "*get() = *get()",
        "struct s *p = &g; *p = *p",
        "struct s *p = &g, *q = &g; *p = *q",
        "tab[1] = tab[1]",
        "int i = 1; tab[i] = tab[i]",
        "for (int i = 0; i < 3; i++) tab[i] = tab[i]",
        "un = un",
        "memcpy(&g, &g, sizeof g)",
        "memcpy(&tab[1], tab + 1, sizeof g)",
        "memmove(&g, &g, sizeof g)",
        "g.a = g.a",
    ],
)
def test_it_is_written(statement: str) -> None:
    """A wrong SAFE once: the copy of a structure to itself was left out."""
    assert checked(PROGRAM.replace("STATEMENT", statement), "races").verdict.value == "UNSAFE"


@pytest.mark.parametrize(
    "statement", ["struct s l = { 1 }; l = l", "tab[2] = tab[2]", "memcpy(&g, &g, 0)"]
)
def test_nothing_else_is(statement: str) -> None:
    assert checked(PROGRAM.replace("STATEMENT", statement), "races").verdict.value == "SAFE"
