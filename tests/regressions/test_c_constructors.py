"""What runs before and after `main` is found wherever its attribute is."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked
from threadwise.frontends.c.options import COptions

HEAD = """
#include <pthread.h>
int x;
void *work(void *unused) { x = 2; return 0; }
"""
START = "{ pthread_t t; pthread_create(&t, 0, work, 0); }"
MAIN = "int main(void) { x = 1; return 0; }"


@pytest.mark.parametrize(
    "constructor",
    [
        "__attribute__((constructor)) void go(void) START",
        "__attribute__((constructor)) void go(void); void go(void) START",
        "void go(void) __attribute__((constructor)); void go(void) START",
        "static void go(void) __attribute__((constructor(101))); static void go(void) START",
        "static void __attribute__((__constructor__)) go(void); static void go(void) START",
        "#define INIT(f) static void f(void) __attribute__((constructor)); static void f(void)\n"
        "INIT(go) START",
        "[[gnu::constructor]] void go(void); void go(void) START",
    ],
)
def test_constructors(constructor: str) -> None:
    """A wrong SAFE once: only attributes of the definition counted."""
    text = f"{HEAD}{constructor.replace('START', START)}\n{MAIN}"
    assert checked(text, "races").verdict.value == "UNSAFE"


def test_a_constructor_runs_once_and_in_order() -> None:
    text = """#include <assert.h>
    int n;
    void second(void) __attribute__((constructor(300)));
    void first(void) __attribute__((constructor(200)));
    __attribute__((constructor(300))) void second(void) { assert(n == 1); n = n * 2 + 1; }
    __attribute__((constructor(200))) void first(void) { n++; }
    int main(void) { assert(n == 3); return 0; }
    """
    assert checked(text, "assertions").verdict.value == "SAFE"


@pytest.mark.parametrize(
    "text",
    [
        'void end(void) { x = 3; } __attribute__((section(".fini_array"))) void (*p)(void) = end;',
        'void go(void) { x = 3; } __attribute__((section(".init_array"))) void (*p)(void) = go;',
        "void go(void) { x = 3; } void go(void) __attribute__((constructor));",
        "static void go(void) { x = 3; } static void go(void) __attribute__((constructor));",
        "void end(void) { x = 3; } void end(void) __attribute__((__destructor__));",
        "#define INIT(f) __attribute__((constructor)) void f(void)\n"
        "void go(void) { x = 3; } INIT(go);\n",
        "void go(void) { x = 3; } void f(void) { void go(void) __attribute__((constructor)); }",
    ],
)
def test_what_is_not_modelled_is_not_proved(text: str) -> None:
    program = f"{HEAD}{text} int main(void) {START}"
    assert checked(program, "races").verdict.value == "UNKNOWN"


@pytest.mark.parametrize("end", ["return 0;", "exit(0);"])
def test_destructors_run_last_and_in_order(end: str) -> None:
    """After what was registered by `atexit`; by priority, the last that is defined first."""
    text = f"""#include <assert.h>
    #include <stdlib.h>
    int n;
    void last(void) __attribute__((destructor(200)));
    void last(void) {{ assert(n == 5); }}
    __attribute__((destructor)) static void third(void) {{ assert(n == 3); n += 2; }}
    __attribute__((destructor)) static void second(void) {{ assert(n == 2); n++; }}
    static void first(void) {{ assert(n == 1); n++; }}
    int main(void) {{ atexit(first); n++; {end} }}
    """
    assert checked(text, "assertions").verdict.value == "SAFE"
    wrong = text.replace("n == 5", "n != 5")
    assert checked(wrong, "assertions").verdict.value == "UNSAFE"


def test_a_destructor_races_with_threads_that_still_run() -> None:
    text = f"{HEAD}void end(void) __attribute__((destructor)); void end(void) {{ x = 3; }}"
    assert checked(f"{text} int main(void) {START}", "races").verdict.value == "UNSAFE"


def test_constructors_before_entry_functions_are_not_modelled() -> None:
    text = (
        f"{HEAD}__attribute__((constructor)) void go(void) {START} int get(void) {{ return x; }}"
    )
    result = checked(text, "races", options=COptions(entry=("get",)))
    assert result.verdict.value == "UNKNOWN"


def test_other_sections_and_other_files_do_not_matter() -> None:
    text = f'{HEAD}__attribute__((section(".mine"))) int y; void go(void) {START} {MAIN}'
    assert checked(text, "races").verdict.value == "SAFE"


def test_other_attributes_behind_bodies_change_nothing() -> None:
    text = (
        f"{HEAD} void go(void) {{ }} void go(void) __attribute__((weak)); int main(void) {START}"
    )
    assert checked(text, "races").verdict.value == "SAFE"
