"""Lists of arguments that several threads use are memory, and such uses race.

    va_list list; … va_arg(list, int) …        in two threads

`va_start`, `va_arg`, `va_copy`, `va_end` and `vprintf` had no effect on lists: this was SAFE.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, lowered
from threadwise.ir.text.printer import print_program

PROGRAM = """
#include <err.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
va_list list;
va_list *pointer;
struct box { int first; va_list list; };
struct box *box;
void next(va_list l) { (void)va_arg(l, int); }
void next_of(va_list *l) { (void)va_arg(*l, int); }
void deeper(int n, va_list l) { if (n) deeper(n - 1, l); else next(l); }
void *work(void *unused) { va_list own; WORK; return 0; }
void start(int n, ...) {
    pthread_t t;
    va_list own, local;
    va_start(list, n);
    va_start(local, n);
    pointer = &local;
    box = malloc(sizeof *box);
    if (!box) exit(1);
    va_start(box->list, n);
    pthread_create(&t, 0, work, 0);
    MAIN;
}
int main(void) { start(2, 3, 4); return 0; }
"""

USES = {
    "taken from": "(void)va_arg({}, int)",
    "printed": 'vprintf("%d", {})',
    "printed to a file": 'vfprintf(stderr, "%d", {})',
    "printed to a descriptor": 'vdprintf(1, "%d", {})',
    "logged": 'vsyslog(1, "%d", {})',
    "warned of": 'vwarnx("%d", {})',
    "ended": "va_end({})",
    "copied to": "va_start(own, n); va_copy({}, own)",
    "passed": "next({})",
    "passed by pointer": "next_of(&{})",
    "passed on": "deeper(1, {})",
}
LISTS = {"global": "list", "by a pointer": "*pointer", "in memory": "box->list"}


def verdict(work: str, main: str) -> str:
    text = PROGRAM.replace("WORK", work).replace("MAIN", main)
    return checked(text, "races").verdict.value


def locked(use: str) -> str:
    return f"pthread_mutex_lock(&m); {use}; pthread_mutex_unlock(&m)"


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("where", LISTS)
def test_uses_of_one_list_race(use: str, where: str) -> None:
    shared = LISTS[where]
    taken = f"(void)va_arg({shared}, int)"
    used = USES[use].format(shared)
    assert verdict(taken, used) == "UNSAFE"
    assert verdict(taken, f"pthread_join(t, 0); {used}") == "SAFE"


@pytest.mark.parametrize("where", LISTS)
def test_locks_order_uses(where: str) -> None:
    taken = f"(void)va_arg({LISTS[where]}, int)"
    assert verdict(locked(taken), locked(taken)) == "SAFE"
    assert verdict(locked(taken), taken) == "UNSAFE"


@pytest.mark.parametrize("where", LISTS)
def test_copies_from_a_list_only_read_it(where: str) -> None:
    shared = LISTS[where]
    copied = f"va_copy(own, {shared}); (void)va_arg(own, int); va_end(own)"
    assert verdict(copied, copied) == "SAFE"
    assert verdict(copied, f"(void)va_arg({shared}, int)") == "UNSAFE"


def test_different_lists_do_not_race() -> None:
    assert verdict("(void)va_arg(list, int)", "(void)va_arg(*pointer, int)") == "SAFE"
    assert verdict("(void)va_arg(list, int)", "va_start(own, n); next(own)") == "SAFE"


@pytest.mark.parametrize("kept", ["", "va_list_kept = l;"])
def test_a_list_that_a_function_keeps(kept: str) -> None:
    """A parameter that is a list is the caller's list, whoever has it later."""
    text = """
    #include <pthread.h>
    #include <stdarg.h>
    void *va_list_kept;
    void keep(va_list l) { KEPT (void)va_arg(l, int); }
    void *work(void *unused) { va_list *l = va_list_kept; if (l) (void)va_arg(*l, int); return 0; }
    void start(int n, ...) {
        pthread_t t; va_list own;
        va_start(own, n); keep(own);
        pthread_create(&t, 0, work, 0);
        (void)va_arg(own, int);
        pthread_join(t, 0);
        va_end(own);
    }
    int main(void) { start(2, 3, 4); return 0; }
    """.replace("KEPT", kept)
    assert checked(text, "races").verdict.value == ("UNSAFE" if kept else "SAFE")


def test_names_that_look_like_lists() -> None:
    """A wrong SAFE, too: an argument whose type was called so was passed as a null pointer."""
    text = """
    #include <pthread.h>
    struct nova_list { int x; } g;
    void set(struct nova_list *l) { if (l) l->x = 1; }
    void *work(void *unused) { set(&g); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); set(&g); return 0; }
    """
    assert checked(text, "races").verdict.value == "UNSAFE"


def test_lists_of_functions_themselves_are_nothing() -> None:
    """Nearly all lists are such, and cost nothing: there is no memory to look at."""
    text = """
    #include <stdarg.h>
    #include <stdio.h>
    void tell(const char *format, va_list l) { va_list m; va_copy(m, l); vprintf(format, m); }
    void say(const char *format, ...) {
        va_list l;
        va_start(l, format); tell(format, l); va_end(l);
    }
    int main(void) { say("%d", 1); return 0; }
    """
    assert "gp_offset" not in print_program(lowered(text))
    assert "gp_offset" in print_program(lowered(text.replace("va_list m;", "static va_list m;")))
