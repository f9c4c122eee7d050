"""Programs for which `locksets` once gave a proof that runs refute, or its audit broke."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

HEAD = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NEW PTHREAD_MUTEX_INITIALIZER
#define LOCKED(m, s) pthread_mutex_lock(m); s; pthread_mutex_unlock(m);
struct node { int v, w, a[2], z; struct node *next; pthread_mutex_t l; };
int g;
"""
TWICE = "int main(void) { pthread_t x, y; pthread_create(&x, 0, f, 0); %s\n"
TWICE += "    pthread_create(&y, 0, f, 0); return 0; }"


def verdict(text: str, *asked: str) -> str:
    """What `locksets` says about races, or what is asked for, without a defect."""
    properties = asked or ("races",)
    options = CheckOptions(properties=properties, engine="locksets", budget=Budget(steps=20_000))
    found = check_loaded("t.c", lambda: loaded(HEAD + text), options, in_process=True)
    assert not found.defects
    return found.verdict.value


@pytest.mark.parametrize(
    "text",
    [
        "void *f(void *u) { pthread_mutex_t k = NEW; LOCKED(&k, g++) return 0; }",
        "__thread pthread_mutex_t k; void *f(void *u) { LOCKED(&k, g++) return 0; }",
        """void h(int d) { pthread_mutex_t k = NEW; LOCKED(&k, g++)
            if (d) h(d - 1); }
        void *f(void *u) { h(1); return 0; }""",
        "void *f(void *u) { struct node n = {.l = NEW}; LOCKED(&n.l, g++) return 0; }",
    ],
)
def test_locks_of_ones_own(text: str) -> None:
    """They protect nothing; who asks for the owner once knew to hold them ever after."""
    assert verdict(text + TWICE % "") == "UNKNOWN"


@pytest.mark.parametrize(
    "text",
    [
        "pthread_mutex_t *m; void *f(void *u) { LOCKED(m, g++) return 0; }",
        "struct node *m; void *f(void *u) { LOCKED(&m->l, m->v++) return 0; }",
    ],
)
def test_locks_that_move(text: str) -> None:
    """A copy of a locked mutex that nobody else can find."""
    begun = "m = malloc(sizeof *m); memset(m, 0, sizeof *m); pthread_t x"
    main = (TWICE % "m = realloc(m, 2 * sizeof *m);").replace("pthread_t x", begun)
    assert verdict(text + main) == "UNKNOWN"


MOVED = "struct node n; void *f(void *u) { int *p = u; %s return 0; }\n"
MOVED += "int main(void) { pthread_t x; pthread_create(&x, 0, f, %s); %s return 0; }"


@pytest.mark.parametrize(
    ("use", "start", "other"),
    [
        ("p[1]++;", "&n.v", "n.w = 2;"),
        ("p++; ++*p;", "&n.v", "n.w = 2;"),
        ("p[-1]++;", "&n.w", "n.v = 2;"),
        ("p[1]++;", "&n.w", "n.a[0] = 2;"),
        ("for (int i = 0; i < 2; i++) p[i]++;", "&n.v", "n.w = 2;"),
    ],
)
def test_pointers_to_members_lead_to_their_neighbours(use: str, start: str, other: str) -> None:
    """A proof once, that its audit refuted: C forbids it, other engines do it."""
    assert verdict(MOVED % (use, start, other)) == "UNKNOWN"


@pytest.mark.parametrize(
    ("use", "start", "other"),
    [
        ("for (int i = 0; i < 2; i++) p[i]++;", "n.a", "n.v = n.z = 2;"),
        ("p[0]++;", "&n.v", "n.w = 2;"),
        ("p[g]++;", "malloc(4)", "n.w = 2;"),
    ],
)
def test_pointers_into_arrays_stay_there(use: str, start: str, other: str) -> None:
    assert verdict(MOVED % (use, start, other)) == "SAFE"


@pytest.mark.parametrize("call", ["setvbuf(stdout, b, _IOFBF, 8);", "setbuf(stdout, b);"])
def test_memory_of_files(call: str) -> None:
    """A wrong SAFE once: printing in one thread uses what another one writes."""
    text = 'char b[8]; void *f(void *u) { printf("x"); return 0; }'
    main = "int main(void) { pthread_t x; %s pthread_create(&x, 0, f, 0); b[0] = 1; return 0; }"
    assert verdict(text + main % call) == "UNKNOWN"
    assert verdict(text + main % "setvbuf(stdout, 0, _IONBF, 0);") == "SAFE"


OLD = """void *f(void *u) {{ g = 1; return 0; }}
int s; struct node *h; pthread_key_t key;
int main(void) {{
    pthread_t x;
    h = malloc(sizeof *h);
    {step}
    pthread_create(&x, 0, f, 0);
    if ({test}) g = 2;
    return 0;
}}"""


@pytest.mark.parametrize(
    ("step", "test"),
    [
        ("int k = __atomic_fetch_add(&s, 1, 5);", "k != s"),
        ("int k = __atomic_exchange_n(&s, 1, 5);", "k != s"),
        ("int k = __atomic_fetch_or(&s, 1, 5); int j = k;", "j != s"),
        ("struct node *k = __atomic_exchange_n(&h, (struct node *)0, 5);", "k != h"),
        ("int k = pthread_key_create(&key, 0);", "k == 0"),
    ],
)
def test_what_was_there_before_the_same_step_wrote(step: str, test: str) -> None:
    """The value that was read was known by the cell, which had another one after the step."""
    assert verdict(OLD.format(step=step, test=test)) == "UNKNOWN"


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("assert(s == 4);", ""),
        ("s = 5;", "assert(s == 4);"),
        ("LOCKED(&m, s = 5)", "assert(s == 4);"),
        ("LOCKED(&m, s = 5)", "assert(s == 0);"),
    ],
)
def test_a_thread_that_is_started_once_runs(body: str, end: str) -> None:
    """That it is started was a flag that nobody sees before the others have ended, once."""
    text = f"""#include <assert.h>
    pthread_mutex_t m = NEW; int s;
    void *f(void *u) {{ {body} return 0; }}
    int main(void) {{
        pthread_t x; pthread_create(&x, 0, f, 0); pthread_join(x, 0); {end} return 0;
    }}"""
    assert verdict(text, "assertions", "mutex") == "UNKNOWN"
