"""What is assumed of an input is no place where a thread waits."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, lowered
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

INCLUDES = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a, b, shared;
char text[4];
"""
WORKER = "void *work(void *unused) { BODY; return 0; }\n"
STARTED = "pthread_t t; pthread_create(&t, 0, work, 0);"
PROGRAMS = {
    "arguments": "int main(int argc, char **argv) { return 0; }",
    "arguments looked at": "int main(int argc, char **argv) { if (argc > 2) a = 1; return 0; }",
    "many arguments": "int main(int argc, char **argv) { for (int i = 1; i < argc && i < 3; i++) "
    "a++; return 0; }",
    "environment": "int main(int argc, char **argv, char **env) { return 0; }",
    "scanf": 'int main(void) { scanf("%d", &a); return 0; }',
    "scanf of nothing": 'int main(void) { return scanf("x"); }',
    "scanf of two": 'int main(void) { int n = scanf("%d %d", &a, &b); assert(n < 3); return 0; }',
    "fscanf": 'int main(void) { fscanf(stdin, "%d", &a); return 0; }',
    "scanf of a text": 'int main(void) { scanf("%3s", text); return 0; }',
    "read": "int main(void) { read(0, text, 4); return 0; }",
    "fgets": "int main(void) { fgets(text, 4, stdin); return 0; }",
    "getchar": "int main(void) { return getchar() == 'x'; }",
    "assume": "int main(void) { __VERIFIER_assume(__VERIFIER_nondet_int() > 3); return 0; }",
    "assume never": "int main(void) { __VERIFIER_assume(0); return 0; }",
    "assume in a region": "int main(void) { __VERIFIER_atomic_begin(); "
    "__VERIFIER_assume(__VERIFIER_nondet_int() == 3); __VERIFIER_atomic_end(); return 0; }",
    "assume with a lock": WORKER.replace(
        "BODY", "pthread_mutex_lock(&m); __VERIFIER_assume(shared); pthread_mutex_unlock(&m)"
    )
    + f"int main(void) {{ {STARTED} pthread_mutex_lock(&m); shared = 1; "
    "pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }",
    "arguments and threads": WORKER.replace(
        "BODY", "pthread_mutex_lock(&m); a++; pthread_mutex_unlock(&m)"
    )
    + f"int main(int argc, char **argv) {{ {STARTED} pthread_join(t, 0); return a - argc; }}",
}
STUCK = {
    "arguments": "int main(int argc, char **argv) { pthread_mutex_lock(&m); if (argc == 7) "
    "pthread_mutex_lock(&m); return 0; }",
    "scanf": 'int main(void) { pthread_mutex_lock(&m); if (scanf("%d", &a) == 1) '
    "pthread_mutex_lock(&m); return 0; }",
    "scanf fails": 'int main(void) { pthread_mutex_lock(&m); if (scanf("%d", &a) == EOF) '
    "pthread_mutex_lock(&m); return 0; }",
    "assume": "int main(void) { pthread_mutex_lock(&m); a = __VERIFIER_nondet_int(); "
    "__VERIFIER_assume(a == 7); if (a > 6) pthread_mutex_lock(&m); return 0; }",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_input_is_no_deadlock(name: str) -> None:
    """A wrong UNSAFE once: an input out of range waited for ever."""
    assert checked(INCLUDES + PROGRAMS[name], "deadlocks").verdict.value != "UNSAFE"


@pytest.mark.parametrize("engine", ["persistent", "reduction", "thread-modular"])
@pytest.mark.parametrize("name", ["arguments", "scanf of two", "assume with a lock"])
def test_engines_agree(name: str, engine: str) -> None:
    program = lowered(INCLUDES + PROGRAMS[name])
    options = CheckOptions(properties=("deadlocks",), engine=engine)
    result = check_loaded("t.c", lambda: program, options, in_process=True)
    assert result.verdict.value != "UNSAFE"


@pytest.mark.parametrize("name", STUCK)
def test_a_deadlock_behind_an_input_is_found(name: str) -> None:
    assert checked(INCLUDES + STUCK[name], "deadlocks").verdict.value == "UNSAFE"


def test_there_are_no_negative_numbers_of_arguments() -> None:
    text = "int main(int argc, char **argv) { assert(argc >= 0); assert(argc != 0x7fffffff); }"
    result = checked(INCLUDES + text, "assertions")
    assert [each.verdict.value for each in result.properties] == ["SAFE", "UNSAFE"]
