"""Which functions a pointer may mean is known from the text, where the text shows it.

Each program changes a pointer in a way that a reader of assignments may overlook, and calls it:
the assertion in `bad` fails. No engine may prove it.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef void (*call)(int);
struct ops { int number; call f; call g; };
union mixed { call f; uintptr_t n; };
static int seen;
static void good(int v) { seen = v; }
static void bad(int v) { assert(v != 1); }
static void worse(void) { assert(0); }
static int told(int v) { assert(v != 1); return v; }
"""
UNSAFE = {
    "a setter": """static call f = good; static void set(call new) { f = new; }
        int main(void) { set(bad); f(1); }""",
    "the address of an element": """static call t[2] = { good, good };
        static void set(call *p) { *p = bad; } int main(void) { set(&t[1]); t[1](1); }""",
    "the table as a pointer": """static call t[2] = { good, good };
        int main(void) { call *p = t; p[1] = bad; t[1](1); }""",
    "through the table's name": """static call t[2] = { good, good };
        int main(void) { *(t + 1) = bad; t[1](1); }""",
    "copied as bytes": """static call t[1] = { good };
        int main(void) { call u[1] = { bad }; memcpy(t, u, sizeof t); t[0](1); }""",
    "a record that is assigned": """static struct ops o = { 1, good, good };
        int main(void) { struct ops p = { 2, good, bad }; o = p; o.g(1); }""",
    "a record from the heap": """static struct ops o = { 1, good, good };
        int main(void) { struct ops *p = malloc(sizeof *p); if (!p) return 0; p->f = bad;
        p->g = good; p->number = 0; o = *p; o.f(1); }""",
    "a record that is returned": """static struct ops make(call f)
        { struct ops o = { 1, good, f }; return o; } int main(void) { make(bad).g(1); }""",
    "a parameter": "static void run(call f) { f(1); } int main(void) { run(good); run(bad); }",
    "a parameter of what a pointer means": """static void run(call f) { f(1); }
        static void (*r)(call) = run; int main(void) { run(good); r(bad); }""",
    "a parameter that is assigned": """static void run(call f, int n) { if (n) f = bad; f(n); }
        int main(void) { run(good, 0); run(good, 1); }""",
    "a result": """static call choose(int n) { return n ? bad : good; }
        int main(void) { choose(0)(1); choose(1)(1); }""",
    "a result by way of a variable": """static call last; static call old(call f)
        { call was = last; last = f; return was ? was : good; }
        int main(void) { old(bad); old(good)(1); }""",
    "an assignment as a value": """int main(void) { call f, g; f = g = bad; f(1); (void)g; }""",
    "a statement expression": "int main(void) { call f = ({ call g = bad; g; }); f(1); }",
    "a comma": "int main(void) { call f = (good(2), bad); f(1); }",
    "a number": """int main(void) { uintptr_t n = (uintptr_t)bad; call f = (call)n; f(1); }""",
    "a pointer to void": "int main(void) { void *p = (void *)bad; call f = (call)p; f(1); }",
    "a union": """static union mixed m = { good };
        int main(void) { m.n = (uintptr_t)bad; m.f(1); }""",
    "an argument without a name": """static void run(int n, ...) { va_list l; va_start(l, n);
        call f = va_arg(l, call); va_end(l); f(1); } int main(void) { run(1, bad); }""",
    "a static variable of a function": """static void run(int n) { static call f = good;
        if (n) f = bad; else f(1); } int main(void) { run(0); run(1); run(0); }""",
    "another thread": """static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static call f = good; static void *set(void *p) { pthread_mutex_lock(&m); f = bad;
        pthread_mutex_unlock(&m); return p; } int main(void) { pthread_t t;
        pthread_create(&t, 0, set, 0); pthread_mutex_lock(&m); f(1);
        pthread_mutex_unlock(&m); pthread_join(t, 0); }""",
    "what a thread is given": """static void *run(void *p) { ((call)p)(1); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, run, (void *)bad);
        pthread_join(t, 0); }""",
    "the function of a thread": """static void *one(void *p) { good(1); return p; }
        static void *two(void *p) { bad(1); return p; }
        static void *(*t[])(void *) = { one, two }; int main(void) { pthread_t h[2];
        for (int i = 0; i < 2; i++) pthread_create(&h[i], 0, t[i], 0);
        for (int i = 0; i < 2; i++) pthread_join(h[i], 0); }""",
    "a comparison function": """static int cmp(const void *a, const void *b)
        { bad(1); return *(const int *)a - *(const int *)b; }
        int main(void) { int a[2] = { 2, 1 }; qsort(a, 2, sizeof *a, cmp); }""",
    "a literal": "int main(void) { struct ops o = (struct ops){ 1, good, bad }; o.g(1); }",
    "rows of a table": """static const struct ops t[2] = { { 1, good, good }, { 2, good, bad } };
        int main(void) { for (int i = 0; i < 2; i++) { call f = t[i].g; f(1); } }""",
    "a handler that is put back": """static call now = good; int main(void) { call was = now;
        now = bad; call mine = now; now = was; mine(1); }""",
    "a prototype with other names": """void run(call f, int n); int main(void)
        { run(good, 1); run(bad, 1); } void run(call g, int k) { g(k); }""",
    "no prototype": """void run(); int main(void) { run(good, 1); run(bad, 1); }
        void run(call f, int n) { f(n); }""",
    "parameters of old": """void run(f, n) call f; int n; { f(n); }
        int main(void) { run(good, 1); run(bad, 1); }""",
    "an alias of the function": """void run(call f, int n) { f(n); }
        void go(call f, int n) __attribute__((alias("run")));
        int main(void) { run(good, 1); go(bad, 1); }""",
    "a cast of the function": """static void run(call f) { f(1); }
        int main(void) { run(good); ((void (*)(void *))run)((void *)bad); }""",
    "recursion": """static void run(call f, int n) { if (n) run(bad, 0); else f(1); }
        int main(void) { run(good, 1); }""",
    "a condition without its middle": """static call g;
        int main(void) { call f = g ?: bad; f(1); }""",
    "a row of a table": """static call t[2][2] = { { good, good }, { good, good } };
        int main(void) { call *r = t[1]; r[0] = bad; t[1][0](1); }""",
    "an atomic exchange": """#include <stdatomic.h>
        static _Atomic(call) f = good; int main(void) { atomic_store(&f, bad);
        call g = atomic_load(&f); g(1); }""",
    "fewer parameters": """static call t[2] = { good, (call)worse };
        int main(void) { t[0](1); t[1](1); }""",
    "fewer parameters, and no other function": """static struct ops o = { 1, (call)worse, 0 };
        int main(void) { struct ops *p = &o; p->f(1); }""",
    "no parameters that are told": """static void old() { assert(0); }
        static call t[2] = { good, old }; int main(void) { t[1](1); }""",
    "a result that is dropped": """static call t[2] = { good, (call)told };
        int main(void) { t[1](1); }""",
    "fewer parameters, by a variable": """static void (*w)(void) = worse;
        static call t[2] = { good, good }; int main(void) { t[1] = (call)w; t[1](1); }""",
    "fewer parameters, by a pointer to void": """static void *w = (void *)worse;
        static call t[2] = { good, good }; int main(void) { t[1] = (call)w; t[1](1); }""",
}
SAFE = {
    "a table": """static call t[2] = { good, good }; static call u[1] = { bad };
        int main(void) { t[1](1); u[0](2); }""",
    "two parameters": """static void run(call f, int n) { f(n); }
        int main(void) { run(good, 1); run(bad, 2); }""",
    "rows of a table": """static const struct ops t[2] = { { 1, good, bad }, { 2, good, bad } };
        int main(void) { for (int i = 0; i < 2; i++) { t[i].f(1); t[i].g(2); } }""",
    "fewer parameters": """typedef int (*both)(int, int); static int first(int v) { return v; }
        int main(void) { struct { both f; } o = { (both)first }, *p = &o;
        assert(p->f(3, 4) == 3); }""",
}


@pytest.mark.parametrize("case", UNSAFE)
def test_no_function_is_overlooked(case: str) -> None:
    found = verdicts(f"{HEAD}{UNSAFE[case]}\n", "assertions")
    assert not any("SAFE" in said for said in found.values())


@pytest.mark.parametrize("case", SAFE)
def test_functions_that_are_not_meant(case: str) -> None:
    found = verdicts(f"{HEAD}{SAFE[case]}\n", "assertions", engines=["explicit"])
    assert found["explicit"] == ("SAFE",) * len(found["explicit"])
