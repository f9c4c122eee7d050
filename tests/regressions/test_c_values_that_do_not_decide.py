"""Values that are not computed excuse no violation that does not depend on them."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts
from threadwise.engines.walks import walks_engine as engine

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
struct line { int level; char text[8]; struct line *next; int used; };
struct line *line;
int count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
void *f(void *a) { (void)a; BODY return 0; }
int main(void)
{
    pthread_t t, u;
    line = calloc(1, sizeof *line);
    line->level = 2;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
LOCKED = "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);"
READ = 'int n = 0; sscanf("12", "%d", &n);'
"""Whether it writes is chosen, too: `n` could stay 0 without doubt once."""
MADE = LOCKED.format('snprintf(line->text, 8, "%d", 7);')


@pytest.fixture(autouse=True)
def few_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WALKS", 60)


def verdict(body: str) -> str:
    found = verdicts(HEAD.replace("BODY", body), "races", engines=("walks",))["walks"]
    return "UNSAFE" if "UNSAFE" in found else max(found)


@pytest.mark.parametrize(
    "body",
    [
        MADE + "if (line->level == 2) count++;",
        MADE + "if (line->next == NULL) count++;",
        MADE + "char other[4] = {1}; char *p = other; if (*p == 1) count++;",
        MADE
        + LOCKED.format("line->text[0] = 'x'; int c = line->text[0];")
        + "if (c == 'x') count++;",
        "time_t now = 5; struct tm *p = localtime(&now); if (p) count += 1;",
        "time_t now = 5; struct tm here; localtime_r(&now, &here); if (line->level == 2) count++;",
        "pthread_rwlock_wrlock(&rw); line->used = 1; pthread_rwlock_unlock(&rw); count++;",
    ],
)
def test_they_decide_nothing(body: str) -> None:
    """UNKNOWN once: whatever had the same type was in doubt, and so was every lock."""
    assert verdict(body) == "UNSAFE"


@pytest.mark.parametrize(
    "body",
    [
        MADE + LOCKED.format("int c = line->text[0];") + "if (c == 'x') count++;",
        MADE + LOCKED.format("int c = line->text[5];") + "if (c == 'x') count++;",
        MADE + LOCKED.format("int c = strlen(line->text);") + "if (c == 5) count++;",
        'if (snprintf(0, 0, "%d", 7) == 3) count++;',
        'char text[4] = "abc"; int n = 0; if (sscanf(text, "%d", &n) == 1) count++;',
        "time_t now = 5; struct tm s; localtime_r(&now, &s); if (s.tm_year == 9) count++;",
        "double d = 0.5; int n = d * 4; if (n != 2) count++;",
        READ + "if (n != 12) count++;",
        READ + "int *q = &n; if (*q != 12) count++;",
        READ + "int b[2] = {0, 1}; if (b[n != 12]) count++;",
        READ + "int z = n == 12 ? 0 : 1; if (z) count++;",
        READ + "for (int i = 12; i < n; i++) count++;",
        READ + "struct line here; here.used = n; struct line other = here;"
        "if (other.used != 12) count++;",
        MADE + LOCKED.format("char *p = line->text; int c = *p;") + "if (c != '7') count++;",
    ],
)
def test_they_decide(body: str) -> None:
    assert verdict(body) != "UNSAFE"
