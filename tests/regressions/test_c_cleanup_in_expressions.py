"""Variables with the attribute `cleanup` in GNU statement expressions."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void set(int *unused) { x = 2; }
static void unlock(pthread_mutex_t **lock) { pthread_mutex_unlock(*lock); }
#define SETTING __attribute__((cleanup(set))) int l = 0
#define GUARD __attribute__((cleanup(unlock))) pthread_mutex_t *l = &m; pthread_mutex_lock(l)
void *work(void *unused) { BODY; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "int r = ({ SETTING; l; })",
        "({ SETTING; l; })",
        "if (({ SETTING; l; })) return unused",
        "for (int i = ({ SETTING; l; }); i < 1; i++) ;",
        "return ({ SETTING; (void *)0; })",
        "int r = ({ int q = ({ SETTING; l; }); q; })",
        "int r = ({ if (unused) return 0; 1; }); int k = ({ SETTING; l; })",
        "int r = ({ if (unused) return 0; 1; }); for (SETTING; l < 1; l++) ;",
        "({ GUARD; }); x = 3",
        "int r = ({ GUARD; 1; }); x = r",
    ],
)
def test_no_cleanup_is_lost(body: str) -> None:
    """A wrong SAFE once: the function was not called, and locks stayed taken."""
    assert checked(PROGRAM.replace("BODY", body), "races").verdict.value != "SAFE"


@pytest.mark.parametrize("body", ["GUARD; x = ({ 3; })", "{ GUARD; x = 3; } int r = ({ 4; })"])
def test_expressions_without_it(body: str) -> None:
    assert checked(PROGRAM.replace("BODY", body), "races").verdict.value == "SAFE"
