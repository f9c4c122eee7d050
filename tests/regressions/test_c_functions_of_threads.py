"""Which functions threads run: `main` again, and functions that no thread can be started with."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, checked, lowered

START = "int main(void) {{ pthread_t t; pthread_create(&t, 0, {0}, 0); return 0; }}"


def test_main_that_calls_itself_is_a_procedure_beside_the_thread() -> None:
    """An internal error once: the body of the thread had the name of the procedure."""
    text = INCLUDES + "int main(int n, char **v) { if (n > 3) return main(n - 1, v); return n; }"
    names = [procedure.name for procedure in lowered(text).procedures]
    assert len(names) == len(set(names)) == 2


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("", "main"),
        ("", "pthread_join"),
        ("void *f(pthread_t x) { return 0; }", "f"),
        ("struct s { int a; }; struct s f(struct s x) { return x; }", "f"),
        ("void f(int a, int b) { }", "f"),
    ],
)
def test_other_functions_end_in_unknown(function: str, name: str) -> None:
    """Internal errors once."""
    result = checked(f"{INCLUDES}{function}\n{START.format(name)}", "assertions")
    assert result.verdict.value == "UNKNOWN"


TABLE = """
struct ops {{ void *(*run)(void *); void (*init)(int *); }};
int x;
void init(int *p) {{ *p = 1; }}
{0}
struct ops table = {{ {1}, init }}, *ops = &table;
int main(void) {{ pthread_t t; ops->init(&x); pthread_create(&t, 0, ops->run, 0); x = 2;
    pthread_join(t, 0); return 0; }}
"""
STARTED = {
    "its own type": ("void *f(void *p) { x = 3; return p; }", "f"),
    "a pointer to something": ("void *f(int *p) { x = 3; return p; }", "(void *(*)(void *))f"),
    "no parameter": ("void *f(void) { x = 3; return 0; }", "(void *(*)(void *))f"),
    "no conversion that is written": ("void *f(int *p) { x = 3; return p; }", "f"),
    "no prototype": ("void *f() { x = 3; return 0; }", "f"),
    "no result": ("void f(void *p) { x = 3; }", "(void *(*)(void *))f"),
    "a number": ("void *f(long n) { x = 3; return 0; }", "(void *(*)(void *))f"),
    "two conversions": ("int f(void) { x = 3; return 0; }", "(void *(*)(void *))(void *)f"),
}


@pytest.mark.parametrize("case", STARTED)
def test_threads_run_functions_of_other_types(case: str) -> None:
    """A pointer in memory means whatever is converted to its type somewhere."""
    text = INCLUDES + TABLE.format(*STARTED[case])
    templates = [template.name for template in lowered(text).templates]
    assert templates == ["main", "f"]
    assert checked(text, "races").verdict.value == "UNSAFE"
