"""Relaxed loads may return other values than the latest: proofs allow it or name the access."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.report.doubts import assumed_doubts
from threadwise.report.text import to_text
from threadwise.results.result import Result

BEFORE = """
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int flag, data, other;
int plain, * _Atomic pointer;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
ORDERED = "weaker memory orders behave like memory_order_seq_cst"
RELAXED, ACQUIRE, RELEASE = (f"memory_order_{name}" for name in ("relaxed", "acquire", "release"))


def program(thread: str, main: str, after: str = "") -> str:
    """One thread beside `main`; what `main` does beside it stands at line 12, `after` in 14."""
    return (
        f"{BEFORE}void *run(void *p) {{ {thread} return 0; }}\n"
        "int main(void) {\npthread_t t; pthread_create(&t, 0, run, 0);\n\n"
        f"{main}\npthread_join(t, 0);\n{after}\nreturn 0; }}\n"
    )


def load(name: str, order: str = RELAXED) -> str:
    return f"atomic_load_explicit(&{name}, {order})"


def store(name: str, value: int, order: str = RELAXED) -> str:
    return f"atomic_store_explicit(&{name}, {value}, {order});"


AT_12 = ("sequential consistency of the access at line 12",)
PASSING = f"if ({load('flag')}) assert(data == 1);"
PROGRAMS = {
    "message passing": (program("data = 1; flag = 1;", PASSING), AT_12, False),
    "consume": (
        program("data = 1; flag = 1;", PASSING.replace("relaxed", "consume")),
        AT_12,
        False,
    ),
    "builtin": (
        program("data = 1; flag = 1;", "if (__atomic_load_n(&flag, 0)) assert(data == 1);"),
        AT_12,
        False,
    ),
    "builtin with result": (
        program(
            "data = 1; flag = 1;", "int r; __atomic_load(&flag, &r, 0); if (r) assert(data == 1);"
        ),
        AT_12,
        False,
    ),
    "both relaxed": (
        program("data = 1; flag = 1;", f"if ({load('flag')}) assert({load('data')} == 1);"),
        AT_12,
        False,
    ),
    "old order": (program("flag = 1;", "int r = LOAD; assert(LOAD >= r);"), AT_12, False),
    "sequential": (
        program("data = 1; flag = 1;", PASSING.replace("relaxed", "seq_cst")),
        (),
        False,
    ),
    "acquire": (program("data = 1; flag = 1;", PASSING.replace("relaxed", "acquire")), (), True),
    "stop": (
        program(f"while (!{load('flag')}) ;", store("flag", 1), "assert(plain == 0);"),
        (),
        False,
    ),
    "not looked at": (program("flag = 1;", f"(void){load('flag')};"), (), False),
    "hint": (
        program(
            "pthread_mutex_lock(&m); plain = 1; pthread_mutex_unlock(&m);",
            f"if ({load('flag')})"
            " { pthread_mutex_lock(&m); plain = 1; pthread_mutex_unlock(&m); }",
            "assert(plain == 1);",
        ),
        (),
        False,
    ),
    "after join": (
        program("flag = 1;", "", f"assert({load('flag')} == 1);"),
        ("sequential consistency of the access at line 14",),
        False,
    ),
    "two places": (
        program(
            "flag = 1;", f"int r = {load('flag')};", f"int s = {load('flag')}; assert(r <= s);"
        ),
        ("sequential consistency of the accesses at lines 12, 14",),
        False,
    ),
    "one of two places": (
        program(
            "data = 1; flag = 1;",
            f"if ({load('flag')}) assert(data == 1);",
            f"if ({load('other')}) plain = 1;",
        ),
        AT_12,
        False,
    ),
    "fence": (
        program(
            f"data = 1; atomic_thread_fence({RELEASE}); flag = 1;",
            f"if ({load('flag')}) {{ atomic_thread_fence({ACQUIRE}); assert(data == 1); }}",
        ),
        AT_12,
        False,
    ),
    "pointer": (
        program("pointer = &plain;", f"int *q = {load('pointer')}; if (q) assert(*q == 0);"),
        AT_12,
        False,
    ),
    "store": (
        program(f"data = 1; {store('flag', 1)}", "if (flag) assert(data == 1);"),
        ("sequential consistency of the access at line 8",),
        True,
    ),
    "update": (
        program(f"atomic_fetch_add_explicit(&flag, 1, {RELAXED});", "", "assert(flag == 1);"),
        (),
        True,
    ),
    "store and relaxed load": (
        program(store("flag", 1), f"int r = {load('flag')}; assert(r == r);"),
        (),
        False,
    ),
}


def checked(text: str, engine: str = "explicit") -> Result:
    given = LoadOptions()
    options = CheckOptions(("assertions",), engine, given, Budget(steps=200_000))
    source = [SourceFile("t.c", text.replace("LOAD", load("flag")))]
    return check_loaded("t.c", lambda: load_c_sources(source, given), options, in_process=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_assumed(name: str) -> None:
    """An access is named if and only if the proof needs it; other weak orders are listed."""
    text, assumed, ordered = PROGRAMS[name]
    result = checked(text)
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert tuple(assumed_doubts(result)) == assumed
    assert (ORDERED in result.assumptions) == ordered
    last = to_text(result, {}).splitlines()[-1]
    assert last == "SAFE" + (f" assuming {', '.join(assumed)}" if assumed else "")


@pytest.mark.parametrize("engine", ["auto", "persistent", "thread-modular"])
@pytest.mark.parametrize("name", ["message passing", "both relaxed", "stop"])
def test_engines_agree(name: str, engine: str) -> None:
    text, assumed, _ = PROGRAMS[name]
    result = checked(text, engine)
    assert result.verdict.value != "UNSAFE"
    if result.verdict.value == "SAFE":
        assert set(assumed) <= set(assumed_doubts(result))


def test_no_violation_by_other_values() -> None:
    """Any value bounds what C allows: it shows where it matters, and is no run of the program."""
    result = checked(PROGRAMS["after join"][0])
    (assumed,) = result.properties[0].doubts
    assert assumed.matters is True
    assert assumed.example is None
