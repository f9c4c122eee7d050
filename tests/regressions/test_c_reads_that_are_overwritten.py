"""Found in review: a read whose value was overwritten in the same statement was left out."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import verdicts

PROGRAM = """
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
int x, out;
void *f(void *a) {
    int c = __VERIFIER_nondet_int();
    if (c == 0) abort();
    int l = 0;
    STATEMENT;
    out = l;
    return 0;
}
void *g(void *a) { x = 1; return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, g, 0);
    pthread_join(t, 0);
    return out;
}
"""


@pytest.mark.parametrize(
    ("statement", "races"),
    [
        ("l = x, (c ? (l = 5) : 0)", True),
        ("l = x ? c : c", True),
        ("l = c ? 5 : x", False),
    ],
)
def test_a_read_races_although_its_value_is_lost(statement: str, races: bool) -> None:
    found = verdicts(PROGRAM.replace("STATEMENT", statement), "races")
    assert (found["races"] == "UNSAFE") is races


@pytest.mark.parametrize(
    ("statement", "races"), [("s", True), ("(void)*p", True), ("s.b", False), ("&s", False)]
)
def test_a_record_is_read_although_nothing_becomes_of_it(statement: str, races: bool) -> None:
    """A wrong SAFE once: a number that stands alone was read, a record was not."""
    text = f"""
    #include <pthread.h>
    struct pair {{ int a, b[2]; }} s, *p = &s;
    void *f(void *unused) {{ {statement}; return 0; }}
    int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); s.b[1] = 1; return 0; }}
    """
    assert (verdicts(text, "races")["races"] == "UNSAFE") is races
