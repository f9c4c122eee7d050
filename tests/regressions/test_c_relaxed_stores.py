"""Relaxed stores may be seen before what was done earlier: proofs allow it or name them."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.driver.verdicts import weak_orders
from threadwise.report.doubts import assumed_doubts
from threadwise.results.result import Result

BEFORE = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
atomic_int flag, other, count; atomic_flag busy; int plain, data, slots[4]; _Bool bit;
int * _Atomic shared; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void put(atomic_int *p, int v, memory_order o) { atomic_store_explicit(p, v, o); }
static void again(int n) { if (n) again(n - 1); else atomic_store_explicit(&flag, 1, RLX); }
"""


def program(thread: str, main: str, after: str = "", before: str = "") -> str:
    """What the thread does begins at line 15, one statement in each line."""
    body = thread.replace("; ", ";\n")
    return (
        f"{BEFORE}{before}\nvoid *run(void *p) {{\n{body}\nreturn 0; }}\n"
        "int main(void) {\npthread_t t; pthread_create(&t, 0, run, 0);\n"
        f"{main}\npthread_join(t, 0);\n{after}\nreturn 0; }}\n"
    )


def both(thread: str, after: str = "") -> str:
    """The same code in a thread and in `main`."""
    return program(thread, "run(0);", after)


def store(name: str, value: object, order: str = "RLX") -> str:
    return f"atomic_store_explicit(&{name}, {value}, {order});"


IN_MEMORY = """struct held { int x; };
static struct held one = {1};
static struct held *h = &one; static int *at = &one.x;
"""
READ = "if (atomic_load_explicit(&flag, ACQ)) assert(data == 1);"
LOCK = "while (atomic_exchange_explicit(&flag, 1, ACQ)) ;"
SPIN = f"{LOCK} plain++;"
NOTED = {
    "flag": (program(f"data = 1; {store('flag', 1)}", READ), (16,)),
    "sequential reader": (
        program(f"data = 1; {store('flag', 1)}", READ.replace("ACQ", "5")),
        (16,),
    ),
    "plain reader": (
        program(f"data = 1; {store('flag', 1)}", "if (flag) assert(data == 1);"),
        (16,),
    ),
    "builtin": (program("data = 1; __atomic_store_n(&flag, 1, 0);", READ), (16,)),
    "builtin with address": (
        program("int one = 1; data = 1; __atomic_store(&flag, &one, 0);", READ),
        (17,),
    ),
    "update": (program("data = 1; atomic_fetch_add_explicit(&flag, 1, RLX);", READ), (16,)),
    "update in a builtin": (program("data = 1; __atomic_fetch_or(&flag, 1, 0);", READ), (16,)),
    "exchange": (program("data = 1; atomic_exchange_explicit(&flag, 1, RLX);", READ), (16,)),
    "compare and exchange": (
        program(
            "int e = 0; data = 1; "
            "atomic_compare_exchange_strong_explicit(&flag, &e, 1, RLX, RLX);",
            READ,
        ),
        (17,),
    ),
    "unlock": (both(f"{SPIN} {store('flag', 0)}", "assert(plain == 2);"), (17,)),
    "unlock by a builtin": (
        both(
            "while (__atomic_test_and_set(&bit, 2)) ; plain++; __atomic_clear(&bit, 0);",
            "assert(plain == 2);",
        ),
        (17,),
    ),
    "clear": (
        both(
            "while (atomic_flag_test_and_set(&busy)) ; plain++; "
            "atomic_flag_clear_explicit(&busy, RLX);",
            "assert(plain == 2);",
        ),
        (17,),
    ),
    "lock": (
        both(
            f"{LOCK.replace('ACQ', 'RLX')} plain++; {store('flag', 0, 'REL')}",
            "assert(plain == 2);",
        ),
        (15,),
    ),
    "inside a lock": (
        program(
            f"pthread_mutex_lock(&m); data = 1; {store('flag', 1)} pthread_mutex_unlock(&m);",
            READ,
        ),
        (17,),
    ),
    "acquire fence": (
        program(f"data = 1; atomic_thread_fence(ACQ); {store('flag', 1)}", READ),
        (17,),
    ),
    "fence too early": (
        program(f"atomic_thread_fence(REL); data = 1; {store('flag', 1)}", READ),
        (17,),
    ),
    "fence on one way": (
        program(f"data = 1; if (p) atomic_thread_fence(REL); {store('flag', 1)}", READ),
        (17,),
    ),
    "behind a release": (
        program(f"data = 1; {store('other', 1, 'REL')} {store('flag', 1)}", READ),
        (17,),
    ),
    "pointer": (
        program(
            f"data = 1; {store('shared', '&data')}",
            "int *q = atomic_load_explicit(&shared, ACQ); if (q) assert(*q == 1);",
        ),
        (16,),
    ),
    "computed": (
        program(f"int i = 0; data = 1; i++; {store('flag', 'i')}", READ),
        (18,),
    ),
    "after a loop": (
        program(
            f"for (int i = 0; i < 3; i++) slots[i] = 1; {store('flag', 1)}",
            "if (atomic_load_explicit(&flag, ACQ)) assert(slots[2] == 1);",
        ),
        (18,),
    ),
    "order in a parameter": (program("data = 1; put(&flag, 1, RLX);", READ), (11,)),
    "in a procedure": (program("data = 1; again(1);", READ), (12,)),
    "relaxed data": (
        program(f"{store('other', 1)} {store('flag', 1)}", READ.replace("data", "other")),
        (16,),
    ),
    "address taken": (
        program(f"data = 1; atomic_int *q = &flag; {store('flag', '(q != 0)')}", READ),
        (17,),
    ),
    "value in memory": (
        program(f"data = 1; int v = h->x; {store('flag', 'v')}", READ, before=IN_MEMORY),
        (20,),
    ),
    "value stored before": (
        program(f"data = 1; h->x = 1; int v = h->x; {store('flag', 'v')}", READ, before=IN_MEMORY),
        (21,),
    ),
    "value in memory that changes": (
        program(f"data = 1; *at = 1; int v = h->x; {store('flag', 'v')}", READ, before=IN_MEMORY),
        (21,),
    ),
    "value from a copy": (
        program(f"data = 1; plain = h->x; {store('flag', 'plain')}", READ, before=IN_MEMORY),
        (20,),
    ),
    "sequence lock": (
        program(
            f"{store('count', 1)} data = 1; plain = 1; {store('count', 2)}",
            "int c = atomic_load_explicit(&count, ACQ);"
            " if (c == 2) assert(data == 1 && plain == 1);",
        ),
        (18,),
    ),
}
FREE = {
    "release": program(f"data = 1; {store('flag', 1, 'REL')}", READ),
    "fence": program(f"data = 1; atomic_thread_fence(REL); {store('flag', 1)}", READ),
    "sequential fence": program(
        f"data = 1; atomic_thread_fence(memory_order_seq_cst); {store('flag', 1)}", READ
    ),
    "builtin fence": program(
        "data = 1; __atomic_thread_fence(3); __atomic_store_n(&flag, 1, 0);", READ
    ),
    "old fence": program(f"data = 1; __sync_synchronize(); {store('flag', 1)}", READ),
    "old builtins": both(
        "while (__sync_lock_test_and_set(&plain, 1)) ; data++; __sync_lock_release(&plain);",
        "assert(data == 2);",
    ),
    "spin lock": both(f"{SPIN} {store('flag', 0, 'REL')}", "assert(plain == 2);"),
    "counter": both("atomic_fetch_add_explicit(&count, 1, RLX);", "assert(count == 2);"),
    "counter in a builtin": both("__atomic_add_fetch(&count, 1, 0);", "assert(count == 2);"),
    "counter beside a lock": both(
        "pthread_mutex_lock(&m); plain++; pthread_mutex_unlock(&m); "
        "atomic_fetch_add_explicit(&count, 1, RLX);",
        "assert(count == 2 && plain == 2);",
    ),
    "counter under a condition": both(
        "plain = 0; if (!p) atomic_fetch_add_explicit(&count, 1, RLX);", "assert(count == 2);"
    ).replace("plain = 0", "atomic_store(&other, 1)"),
    "counter in a loop": both(
        "for (int i = 0; i < 2; i++) atomic_fetch_add_explicit(&count, 1, RLX);",
        "assert(count == 4);",
    ),
    "tickets": both(
        "int i = atomic_fetch_add_explicit(&count, 1, RLX); assert(slots[i] == 0); slots[i] = 1;"
    ),
    "stop": program(
        "while (!atomic_load_explicit(&flag, ACQ)) ;", f"plain = 1; {store('flag', 1)}"
    ),
    "only itself": program(store("flag", 1), "int r = flag; assert(r == 0 || r == 1);"),
    "after an acquire": program(
        f"while (!atomic_load_explicit(&other, ACQ)) ; {store('flag', 1)}",
        f"data = 1; {store('other', 1, 'REL')} {READ}",
    ),
    "readers lock": program(
        "pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m); " + store("flag", 1),
        "if (flag) { pthread_mutex_lock(&m); assert(data == 1); pthread_mutex_unlock(&m); }",
    ),
    "sequence lock": program(
        f"{store('count', 1)} data = 1; plain = 1; {store('count', 2, 'REL')}",
        "int c = atomic_load_explicit(&count, ACQ); if (c == 2) assert(data == 1 && plain == 1);",
    ),
    "released order in a parameter": program("data = 1; put(&flag, 1, REL);", READ),
}


NOT_SHOWN = {
    "acquire fence",
    "fence too early",
    "fence on one way",
    "plain reader",
    "relaxed data",
    "clear",
    "pointer",
    "after a loop",
    "in a procedure",
}
"""Where runs say nothing: fences, pointers, readers that know all stores, or too few runs."""


def checked(text: str, kind: str = "assertions", engine: str = "explicit") -> Result:
    given = LoadOptions()
    options = CheckOptions((kind,), engine, given, Budget(steps=400_000))
    source = [SourceFile("t.c", text)]
    return check_loaded("t.c", lambda: load_c_sources(source, given), options, in_process=True)


def named(lines: tuple[int, ...]) -> list[str]:
    several = "es" if len(lines) > 1 else ""
    listed = ", ".join(map(str, lines))
    return [f"sequential consistency of the access{several} at line{several[1:]} {listed}"]


@pytest.mark.parametrize("name", NOTED)
def test_a_proof_names_the_store_that_it_needs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weak_orders, "beyond_interleavings", lambda *_: {})
    text, lines = NOTED[name]
    result = checked(text)
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert assumed_doubts(result) == named(lines)


@pytest.mark.parametrize("name", [name for name in NOTED if name not in NOT_SHOWN])
def test_no_proof_counts_where_a_run_shows_that_it_needs_the_store(name: str) -> None:
    result = checked(NOTED[name][0])
    assert result.verdict.value == "UNKNOWN"
    assert "a load may miss the store" in str(result.properties[0].reason)


def test_what_is_written_before_a_lock_may_be_seen_late() -> None:
    """A lock keeps nothing that comes before it from being late."""
    store_under_lock = f"pthread_mutex_lock(&m); {store('flag', 1)} pthread_mutex_unlock(&m);"
    result = checked(program(f"data = 1; {store_under_lock}", READ))
    assert result.verdict.value == "UNKNOWN"
    assert "a load may miss the store" in str(result.properties[0].reason)


@pytest.mark.parametrize("name", FREE)
def test_a_proof_names_no_other(name: str) -> None:
    result = checked(FREE[name])
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert assumed_doubts(result) == []


@pytest.mark.parametrize("name", ["flag", "unlock", "clear", "pointer", "after a loop"])
def test_races(name: str) -> None:
    """What is published by such a store is a race in C, if it is looked at."""
    text, _ = NOTED[name]
    result = checked(text.replace("assert(plain == 2);", ""), "races")
    assert result.verdict.value == "UNKNOWN"
    assert "a data race with t.c" in str(result.properties[0].reason)


@pytest.mark.parametrize("name", ["release", "fence", "spin lock", "counter", "stop"])
def test_no_races(name: str) -> None:
    result = checked(FREE[name], "races")
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert assumed_doubts(result) == []


@pytest.mark.parametrize("name", ["unlock", "counter beside a lock", "stop"])
def test_early_stores_block_nobody(name: str) -> None:
    """What a thread does early is no place where it waits."""
    text = FREE[name] if name in FREE else NOTED[name][0]
    result = checked(text, "deadlocks")
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert assumed_doubts(result) == []


LAST = """
struct object { atomic_int users; int x; };
static void drop(struct object *o) {
    o->x = 1;
    if (atomic_fetch_sub_explicit(&o->users, 1, ORDER) == 1)
        free(o);
}
static struct object *o;
"""


@pytest.mark.parametrize(("order", "is_named"), [("RLX", True), ("memory_order_acq_rel", False)])
def test_the_last_user_frees(order: str, is_named: bool) -> None:
    text = program("drop(o);", "drop(o);", before=LAST.replace("ORDER", order))
    text = text.replace(
        "pthread_t t;", "pthread_t t; o = malloc(sizeof *o); o->users = 2; o->x = 0;"
    )
    result = checked(text.replace("o->x = 1;", "o->x;"), "memory")
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert (named((17,))[0] in assumed_doubts(result)) == is_named


@pytest.mark.parametrize(
    "thread",
    [
        "data = atomic_load_explicit(&flag, ACQ);",
        "data = 1; atomic_exchange_explicit(&flag, 1, memory_order_acq_rel);",
        "data = 1; put(&flag, 1, REL);",
        f"data = 1; if (0) {{ {store('flag', 1)} }}",
        "return 0; data = 1; data = atomic_load_explicit(&flag, RLX);",
    ],
)
def test_other_orders_are_not_in_doubt(thread: str) -> None:
    """What cannot happen is not looked for, and is no assumption of a certificate."""
    loaded = load_c_sources([SourceFile("t.c", program(thread, ""))], LoadOptions())
    assert loaded.doubts == ()
