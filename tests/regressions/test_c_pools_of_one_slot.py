"""With `--max-threads 1` a pool has one slot; proofs about any number of threads do not care.

What no other thread touches may be done in one step. With one slot, variables that the threads of
one pool share counted as untouched by others: a check of a proof about any number of threads took
a program for the other (SAFE of programs that fail with two threads).
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

PROVERS = ("horn", "tar", "counting", "thread-modular", "digest", "locksets", "explicit")

HEAD = """
#include <assert.h>
#include <pthread.h>
extern int nd(void);
int x;
static void *f(void *a)
{
    x = 1;
    assert(x == 1);
    x = 0;
    return a;
}
"""
SEVERAL = {
    "a loop": """int main(void)
        { pthread_t t; while (nd()) pthread_create(&t, 0, f, 0); return 0; }""",
    "a counted loop": """int main(void)
        { pthread_t t; for (int i = 0; i < 2000; i++) pthread_create(&t, 0, f, 0); return 0; }""",
    "a function": """static void start(void) { pthread_t t; pthread_create(&t, 0, f, 0); }
        int main(void) { while (nd()) start(); return 0; }""",
    "threads that create": """static void *g(void *a)
        { pthread_t t; pthread_create(&t, 0, f, 0); return a; }
        int main(void) { pthread_t t; while (nd()) pthread_create(&t, 0, g, 0); return 0; }""",
    "a jump": """int main(void)
        { pthread_t t; again: pthread_create(&t, 0, f, 0); if (nd()) goto again; return 0; }""",
    "recursion": """static void start(int n)
        { pthread_t t; if (n > 0) { pthread_create(&t, 0, f, 0); start(n - 1); } }
        int main(void) { start(nd()); return 0; }""",
}
ONCE = {
    "once": "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }",
    "at times": "int main(void) { pthread_t t; if (nd()) pthread_create(&t, 0, f, 0); return 0; }",
    "in a function": """static void start(void) { pthread_t t; pthread_create(&t, 0, f, 0); }
        int main(void) { start(); return 0; }""",
}


@pytest.mark.parametrize("case", SEVERAL)
def test_one_slot_is_not_one_thread(case: str) -> None:
    found = verdicts(HEAD + SEVERAL[case], "assertions", engines=PROVERS, max_threads=1)
    assert not any("SAFE" in said for said in found.values())


@pytest.mark.parametrize("case", ONCE)
def test_one_thread_has_its_variables_to_itself(case: str) -> None:
    found = verdicts(HEAD + ONCE[case], "assertions", engines=PROVERS, max_threads=1)
    assert "SAFE" in found["explicit"]
    assert not any("UNSAFE" in said for said in found.values())
