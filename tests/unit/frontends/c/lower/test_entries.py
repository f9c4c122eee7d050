"""What runs before the functions of `--entry`: `--entry-init`."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.validate import validate

DEVICE = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_spinlock_t lock;
static int count, *buffer, ready;
static int later;
"""
SPIN = "static int init(void) { pthread_spin_init(&lock, 0); count = 5; return 0; }\n"
LOCKED = "pthread_spin_lock(&lock); count++; pthread_spin_unlock(&lock);"


def verdict(text: str, selector: str, engine: str, init: tuple[str, ...] = ("init",)) -> str:
    options = COptions(entry=("f",), entry_init=init, max_threads=3)
    loaded = load_c([SourceFile("t.c", DEVICE + text)], options)
    assert validate(loaded.program) == []
    chosen = CheckOptions(properties=(selector,), engine=engine, budget=Budget(steps=200_000))
    checked = check_loaded("t.c", lambda: loaded.program, chosen, in_process=True)
    return checked.verdict.value


PROVED = [
    f"{SPIN}void f(void) {{ {LOCKED} }}",
    "static void init(void) { ready = 1; }\nvoid f(void) { (void)(ready + 1); }",
    "static int init(void) { buffer = calloc(2, 4); return buffer ? 0 : -1; }\n"
    "void f(void) { (void)buffer[0]; }",
    "static int init(int n) { count = n; return n; }\nvoid f(void) { (void)count; }",
    "void one(void) { count = 1; }\nvoid init(void) { one(); ready = count; }\n"
    "void f(void) { (void)ready; }",
]


@pytest.mark.parametrize("text", PROVED)
def test_nothing_runs_beside_initialisers(text: str) -> None:
    assert verdict(text, "races", "locksets") == "SAFE"


RACY = [
    f"{SPIN}void f(void) {{ {LOCKED} count = 0; }}",
    "static void init(void) { ready = 1; }\nvoid f(void) { ready++; }",
    "static void init(void) { count = 1; }\nvoid f(void) { if (count == 1) ready = 2; }",
    "static int init(int n) { return n; }\nvoid f(void) { count = 1; }",
]


@pytest.mark.parametrize("text", RACY)
def test_callers_race_with_each_other(text: str) -> None:
    assert verdict(text, "races", "walks") == "UNSAFE"
    assert verdict(text, "races", "locksets") == "UNKNOWN"


def test_callers_see_what_initialisers_have_done() -> None:
    after = "void init(void) { count = 7; }\nvoid f(void) { assert(count == %d); }"
    assert verdict(after % 7, "assertions", "horn") == "SAFE"
    assert verdict(after % 0, "assertions", "walks") == "UNSAFE"


def test_nothing_follows_an_initialiser_that_failed() -> None:
    failing = "int init(void) { return -1; }\nvoid f(void) { assert(0); }"
    assert verdict(failing, "assertions", "explicit") == "SAFE"
    assert verdict(failing.replace("-1", "0"), "assertions", "explicit") == "UNSAFE"


def test_initialisers_run_in_order() -> None:
    text = (
        "void a(void) { count = 1; }\nvoid b(void) { count = 2; }\n"
        "void f(void) { assert(count == 2); }"
    )
    assert verdict(text, "assertions", "walks", ("b", "a")) == "UNSAFE"
    assert verdict(text, "assertions", "horn", ("a", "b")) == "SAFE"


@pytest.mark.parametrize(
    ("entry", "init", "said"),
    [
        ((), ("init",), "name some"),
        (("f",), ("inti",), "no function `inti`"),
        (("f",), ("declared",), "no function `declared`"),
    ],
)
def test_mistakes_are_told(entry: tuple[str, ...], init: tuple[str, ...], said: str) -> None:
    source = "void declared(void);\nvoid init(void) {}\nvoid f(void) { declared(); }"
    with pytest.raises(InputError, match=said):
        load_c([SourceFile("t.c", source)], COptions(entry=entry, entry_init=init))


def test_the_name_of_the_threads_is_taken() -> None:
    text = "void init(void) {}\nvoid f(void) {}\nvoid caller(void) {}"
    with pytest.raises(InputError, match="caller"):
        load_c([SourceFile("t.c", text)], COptions(entry=("f",), entry_init=("init",)))


WAITING = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
void f(void)
{
    pthread_mutex_lock(&m);
    while (count == 0)
        pthread_cond_wait(&filled, &m);
    count--;
    pthread_mutex_unlock(&m);
}
"""
FILLING = """
void g(void)
{
    pthread_mutex_lock(&m);
    count = 1;
    WAKE
    pthread_mutex_unlock(&m);
}
"""
CROSSED = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
void f(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
}
void g(void)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WAITING + FILLING.replace("WAKE", "pthread_cond_signal(&filled);"), False),
        (WAITING + FILLING.replace("WAKE", ""), True),
        (CROSSED, True),
    ],
    ids=["woken", "never woken", "crossed locks"],
)
def test_what_waits_may_be_woken_by_a_later_call(text: str, expected: bool) -> None:
    options = COptions(entry=("f", "g"), max_threads=2)
    loaded = load_c([SourceFile("t.c", DEVICE + text)], options)
    chosen = CheckOptions(
        properties=("deadlocks",), engine="explicit", budget=Budget(steps=20_000)
    )
    checked = check_loaded("t.c", lambda: loaded.program, chosen, in_process=True)
    assert (checked.verdict.value == "UNSAFE") == expected
